"""Which frames of a trace a study measures: ``all``, ``10-19``, ``every 5``, ``0-99 every 10``, or several of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from traceformat.errors import UsageError

__all__ = ["FrameChoice"]

_CHOICE: Final = re.compile(r"(?:all|(?P<first>\d+)(?P<open>-(?P<last>\d+)?)?)?\s*(?:every (?P<step>[1-9]\d*))?")
_END: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class FrameChoice:
    """Frames by number.

    Parameters
    ----------
    parts : ranges with their steps; their ends may lie behind the trace's
    """

    parts: tuple[range, ...]

    @classmethod
    def parse(cls, texts: Sequence[str]) -> FrameChoice:
        """Read a choice.

        Raises
        ------
        ValueError : a text is none
        """
        return cls(tuple(_part(text) for text in texts))

    def segments(self, numbers: range) -> list[range]:
        """Frames that follow each other, in order, of a trace that has these frames.

        Raises
        ------
        UsageError : a part begins behind the trace's last frame
        """
        chosen: set[int] = set()
        for part in self.parts:
            if part.start >= numbers.stop:
                raise UsageError(f"it has {len(numbers)} frames; there is no frame {part.start}")
            chosen.update(range(part.start, min(part.stop, numbers.stop), part.step))
        segments: list[range] = []
        for frame in sorted(chosen & set(numbers)):
            if segments and segments[-1].stop == frame:
                segments[-1] = range(segments[-1].start, frame + 1)
            else:
                segments.append(range(frame, frame + 1))
        return segments


def _part(text: str) -> range:
    found = _CHOICE.fullmatch(text.strip())
    if found is None or not text.strip():
        raise ValueError(f"{text!r} names no frames (such as all, 3, 2-5, 10-, every 5, 0-99 every 10)")
    first = int(found["first"] or 0)
    last = int(found["last"]) if found["last"] else _END if found["first"] is None or found["open"] else first
    if last < first:
        raise ValueError(f"the frames {text!r} end before they begin")
    return range(first, last + 1, int(found["step"] or 1))
