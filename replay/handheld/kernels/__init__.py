"""Numba kernels of the handheld machine."""
