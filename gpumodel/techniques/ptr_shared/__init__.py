"""Parallel Tile Rendering with Texture Caches that two Raster Units share.

Source: "Parallel Tile Rendering" (thesis), chapter 6; the quad maps are in :mod:`gpumodel.quad_maps`.
"""

from gpumodel.techniques.ptr_shared.technique import SharedTextures

__all__ = ["SharedTextures"]
