"""Primitives that show nowhere are dropped before they are sorted: a bound, without hardware; reconstructed."""

from gpumodel.techniques.triangle_dropping_like.technique import DroppedTriangles

__all__ = ["DroppedTriangles"]
