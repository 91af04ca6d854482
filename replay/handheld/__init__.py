"""The functional half of the handheld rasterizer of 2003 ("Graphics for the Masses", Akenine-Möller and Ström).

An engine of its own over the shared front (tracker, shaders, vertex stage, assembly, clipping): it replaces sampling
positions, texture filters and texture storage, traversal and depth culling, and yields every access to memory in
order (:mod:`traceformat.gputrace.accessstream`). Counting, time and energy are in ``gpumodel.handheld``.
"""
