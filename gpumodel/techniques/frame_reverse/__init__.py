"""Boustrophedonic frames: every second frame renders its tiles in the reversed order."""

from gpumodel.techniques.frame_reverse.technique import FrameReverse

__all__ = ["FrameReverse"]
