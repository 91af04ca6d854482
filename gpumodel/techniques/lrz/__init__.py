"""Low-resolution depth: built while primitives are sorted into tiles, and asked there and before Early-Z."""

from gpumodel.techniques.lrz.technique import LowResolutionZ

__all__ = ["LowResolutionZ"]
