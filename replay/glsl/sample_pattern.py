"""Where the samples of a pixel lie: the standard pattern of Direct3D 10.1, as Mesa and most GPUs have it."""

from __future__ import annotations

from typing import Final

__all__ = ["SAMPLES", "SAMPLE_X", "SAMPLE_Y", "sample_offset"]

SAMPLES: Final = 4
#: Positions in a pixel, 1/256 pixels.
SAMPLE_X: Final = (96, 224, 32, 160)
SAMPLE_Y: Final = (32, 96, 160, 224)


def sample_offset(sample: int, *, from_top: bool) -> tuple[float, float]:
    """A sample's distance from the pixel's centre; ``from_top``: rows are counted from the top (a window), as Mesa has
    them, so that the pattern is turned over.
    """
    y = SAMPLE_Y[sample] / 256.0 - 0.5
    return SAMPLE_X[sample] / 256.0 - 0.5, -y if from_top else y
