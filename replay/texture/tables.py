"""Tables that filtering code reads at run time."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["ELLIPSE_ENTRIES", "ELLIPSE_WEIGHTS"]

ELLIPSE_ENTRIES: Final = 1024
#: Gaussian weight of a texel by its elliptical distance: 0 the centre of the footprint, the last entry its rim.
ELLIPSE_WEIGHTS: Final[NDArray[np.float32]] = np.exp(-2.0 * np.arange(ELLIPSE_ENTRIES) / (ELLIPSE_ENTRIES - 1)).astype(
    np.float32
)
