"""A Tile Cache whose victims are chosen by the tiles to come, and lines that nobody reads again; reconstructed."""

from gpumodel.techniques.tcor_like.technique import TileOrderReplacement

__all__ = ["TileOrderReplacement"]
