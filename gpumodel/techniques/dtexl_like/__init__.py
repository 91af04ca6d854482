"""Quads by area, tiles along a curve, and a barrier for each processor: locality of textures; reconstructed."""

from gpumodel.techniques.dtexl_like.technique import DecoupledLocality

__all__ = ["DecoupledLocality"]
