"""Raster Units that take hot and cold tiles of the last frame at the same time; reconstructed."""

from gpumodel.techniques.libra_like.technique import BalancedTiles

__all__ = ["BalancedTiles"]
