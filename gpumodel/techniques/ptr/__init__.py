"""Parallel Tile Rendering: several Raster Units behind one Tile Fetcher, and its rival, one with twice the resources.

Source: "Parallel Tile Rendering" (thesis), chapters 4 and 5.
"""

from gpumodel.techniques.ptr.doubled import DoubledResources
from gpumodel.techniques.ptr.technique import ParallelTileRendering

__all__ = ["DoubledResources", "ParallelTileRendering"]
