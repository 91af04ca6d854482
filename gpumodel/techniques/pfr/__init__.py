"""Parallel Frame Rendering: two consecutive frames at the same time, tile by tile.

Source: Arnau et al., Parallel Frame Rendering (PACT 2013), as "Rendering Elimination" (RE) §I and §V-A describe it.
"""

from gpumodel.techniques.pfr.technique import ParallelFrameRendering

__all__ = ["ParallelFrameRendering"]
