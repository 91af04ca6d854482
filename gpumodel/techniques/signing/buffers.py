"""Which frame buffer of the screen a pass writes."""

from __future__ import annotations

from typing import Final

from traceformat.gputrace.frametrace import FrameRule, FrameTrace

__all__ = ["FrameBuffers"]

#: What ends a frame by showing it; the other rules leave the back buffer where it is.
_SHOWING: Final = (FrameRule.SWAP, FrameRule.MARKER)


class FrameBuffers:
    """The buffers of each screen, used in turn: the next one by the first pass behind a swap.

    Parameters
    ----------
    count : buffers of a screen
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._current: dict[int, int] = {}
        self._shown: set[int] = set()

    def begin_write(self, address: int) -> int:
        """Number of the buffer that a pass into the screen at ``address`` writes."""
        current = self._current.get(address, -1)
        if current < 0 or address in self._shown:
            current = (current + 1) % self._count
        self._current[address] = current
        self._shown.discard(address)
        return current

    def end_frame(self, trace: FrameTrace) -> None:
        """Take note of what the frame has shown."""
        if trace.rule in _SHOWING:
            self._shown |= set(self._current)
