"""Frame buffers as they stand in memory, over a whole run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.frametrace import FrameRule

__all__ = ["DEFAULT_BUFFERS", "Surface", "SurfaceTable"]

Pixels = NDArray[np.uint8]

#: Colour buffers of a default framebuffer: a front and a back buffer (DESIGN §4.9).
DEFAULT_BUFFERS: Final = 2
#: What ends a frame by showing it; the other rules leave the back buffer where it is.
_SHOWING: Final = (FrameRule.SWAP, FrameRule.MARKER)


@dataclass(slots=True)
class Surface:
    """One render target.

    Parameters
    ----------
    buffers : (H, W, bytes) of each buffer: one, or front and back
    latest : the buffer with the newest contents, -1 while there are none
    flips : a frame was shown since the last pass wrote it, so that the next pass writes the next buffer
    """

    buffers: list[Pixels]
    latest: int = -1
    flips: bool = field(default=False)

    @property
    def contents(self) -> Pixels | None:
        """Newest contents, None where no pass has rendered any."""
        return self.buffers[self.latest] if self.latest >= 0 else None

    def begin_write(self) -> Pixels:
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

    def surface(self, address: int, shape: tuple[int, int, int], *, is_default: bool) -> Surface:
        """Give the target at an address; a target of another size or format there is a new one."""
        known = self._surfaces.get(address)
        if known is not None and known[:2] == (shape, is_default):
            return known[2]
        count = self._default_buffers if is_default else 1
        made = Surface([np.zeros(shape, np.uint8) for _ in range(count)])
        self._surfaces[address] = shape, is_default, made
        return made

    def end_frame(self, rule: FrameRule) -> None:
        """Show the default framebuffers."""
        if rule in _SHOWING:
            for _, is_default, surface in self._surfaces.values():
                surface.flips |= is_default
