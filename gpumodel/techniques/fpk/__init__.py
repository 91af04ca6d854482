"""Forward Pixel Kill: a quad that waits to be shaded is dropped when an opaque one behind it hides it."""

from gpumodel.techniques.fpk.technique import ForwardPixelKill

__all__ = ["ForwardPixelKill"]
