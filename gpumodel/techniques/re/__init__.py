"""Rendering Elimination: tiles whose inputs are those of the frame before are not rendered.

Source: Anglada et al., Rendering Elimination: Early Discard of Redundant Tiles in the Graphics Pipeline (RE), §III.
"""

from gpumodel.techniques.re.technique import RenderingElimination

__all__ = ["RenderingElimination"]
