"""The handheld rasterizer of "Graphics for the Masses" (Akenine-Möller and Ström, SIGGRAPH 2003): counts, time, energy.

Its functional half (``replay.handheld``) yields every access to memory in order; this half counts them by kind, pairs
values of 16 bits to words of 32, and prices them.
"""
