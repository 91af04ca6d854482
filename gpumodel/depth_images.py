"""Depth and stencil of a trace's render targets, from pass to pass and frame to frame.

What a pass finds in its target decides which fragments live, whatever its load operation costs: contents that a pass
did not ask to keep (undefined by the specification) are what the target held before, as in the engine that the trace
comes from. A target that nothing has written holds 0.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["DepthImages"]


class DepthImages:
    """Images by the address of the depth attachment."""

    def __init__(self) -> None:
        self._images: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}

    def take_from(self, other: DepthImages) -> None:
        """Hold what another one holds."""
        self._images = deepcopy(other._images)

    def images(self, trace: FrameTrace, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Depth (uint32) and stencil (uint8) of a pass's target, (height * width * samples,) each, to be updated; empty
        where it has none.
        """
        passes = trace["passes"]
        if not (int(passes["depth_format"][index]) or int(passes["stencil_bits"][index])):
            return np.zeros(0, np.uint32), np.zeros(0, np.uint8)
        size = int(passes["width"][index]) * int(passes["height"][index]) * int(passes["samples"][index])
        address = int(passes["depth_address"][index])
        found = self._images.get(address)
        if found is None or len(found[0]) != size:
            found = self._images[address] = np.zeros(size, np.uint32), np.zeros(size, np.uint8)
        return found
