"""Early Visibility Resolution: what the last frame says is hidden is drawn last and left out of signatures."""

from gpumodel.techniques.evr_like.technique import EarlyVisibility

__all__ = ["EarlyVisibility"]
