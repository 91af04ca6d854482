"""Depths that lie in memory beside the Depth Buffer, behind a small cache, for techniques that reject by them."""
