"""Frame buffers as they stand in memory, over a whole run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameRule

__all__ = ["DEFAULT_BUFFERS", "Buffer", "Surface", "SurfaceTable"]

#: Colour buffers of a default framebuffer: a front and a back buffer (DESIGN §4.9).
DEFAULT_BUFFERS: Final = 2
#: What ends a frame by showing it; the other rules leave the back buffer where it is.
_SHOWING: Final = (FrameRule.SWAP, FrameRule.MARKER)


@dataclass(slots=True)
class Buffer:
    """Pixels with what is known of where they come from.

    Parameters
    ----------
    number : of the buffers of its target
    pixels : (H, W, bytes)
    sourced : (H, W) uint8, 1 = every part of the colour has a source; 0 matches nothing
    frames : frame that has flushed each tile, by its first pixel
    resolved : the pixels as they were without any proved collision of a table's hash; None = the same
    """

    number: int
    pixels: NDArray[np.uint8]
    sourced: NDArray[np.uint8]
    frames: dict[tuple[int, int], int] = field(default_factory=dict)
    resolved: NDArray[np.uint8] | None = None

    @classmethod
    def empty(cls, number: int, shape: tuple[int, ...]) -> Buffer:
        """One that nothing was written to."""
        return cls(number, np.zeros(shape, np.uint8), np.zeros(shape[:2], np.uint8))

    @classmethod
    def given(cls, pixels: NDArray[np.uint8]) -> Buffer:
        """Contents that this run has not made and need not prove."""
        return cls(0, pixels, np.ones(pixels.shape[:2], np.uint8))

    def write(self, area: tuple[slice, slice], other: Buffer, frame: int) -> None:
        """Take an area, rows and columns, from other pixels."""
        if self.resolved is None and other.resolved is not None:
            self.resolved = self.pixels.copy()
        if self.resolved is not None:
            self.resolved[area] = (other.pixels if other.resolved is None else other.resolved)[area]
        self.pixels[area] = other.pixels[area]
        self.sourced[area] = other.sourced[area]
        self.frames[area[1].start, area[0].start] = frame


@dataclass(slots=True)
class Surface:
    """One render target.

    Parameters
    ----------
    buffers : one, or front and back
    latest : the buffer with the newest contents, -1 while there are none
    flips : a frame was shown since the last pass wrote it, so that the next pass writes the next buffer
    """

    buffers: list[Buffer]
    latest: int = -1
    flips: bool = field(default=False)

    @property
    def contents(self) -> Buffer | None:
        """Newest contents, None where no pass has rendered any."""
        return self.buffers[self.latest] if self.latest >= 0 else None

    def begin_write(self) -> Buffer:
        """Give the buffer that a pass writes; what it holds is what was there before."""
        if self.latest < 0:
            self.latest = 0
        elif self.flips:
            self.latest = (self.latest + 1) % len(self.buffers)
        self.flips = False
        return self.buffers[self.latest]


class SurfaceTable:
    """All render targets of a run, by address.

    Parameters
    ----------
    default_buffers : buffers of a default framebuffer
    """

    def __init__(self, default_buffers: int = DEFAULT_BUFFERS) -> None:
        self._default_buffers = default_buffers
        self._surfaces: dict[int, tuple[tuple[int, ...], bool, Surface]] = {}

    def surface(self, address: int, shape: tuple[int, ...], *, is_default: bool) -> Surface:
        """Give the target at an address; a target of another size or format there is a new one."""
        known = self._surfaces.get(address)
        if known is not None and known[:2] == (shape, is_default):
            return known[2]
        count = self._default_buffers if is_default else 1
        made = Surface([Buffer.empty(number, shape) for number in range(count)])
        self._surfaces[address] = shape, is_default, made
        return made

    def end_frame(self, rule: FrameRule) -> None:
        """Show the default framebuffers."""
        if rule in _SHOWING:
            for _, is_default, surface in self._surfaces.values():
                surface.flips |= is_default
