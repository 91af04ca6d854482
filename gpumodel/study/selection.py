"""Which frames of a trace a study measures: ``all``, ``10-19``, ``every 5``, ``0-99 every 10``, or several of these; or
frames that stand for all, ``representative`` or ``representative 20``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gpumodel.sampling.choice import LEAST_FRAMES
from traceformat.errors import UsageError
from traceformat.frame_numbers import warn_of_frames

__all__ = ["FrameChoice", "segments_of"]

_CHOICE: Final = re.compile(r"(?:all|(?P<first>\d+)(?P<open>-(?P<last>\d+)?)?)?\s*(?:every (?P<step>[1-9]\d*))?")
_REPRESENTATIVE: Final = re.compile(r"representative(?:\s+(?P<count>\d{1,6}))?")
#: Frames where no number is given.
_REPRESENTATIVES: Final = 12
_END: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class FrameChoice:
    """Frames by number.

    Parameters
    ----------
    parts : ranges with their steps; their ends may lie behind the trace's
    representatives : so many frames that stand for those of ``parts``; None = all of these
    """

    parts: tuple[range, ...]
    representatives: int | None = None

    @classmethod
    def parse(cls, texts: Sequence[str]) -> FrameChoice:
        """Read a choice.

        Raises
        ------
        ValueError : a text is none
        """
        found = [_REPRESENTATIVE.fullmatch(text.strip()) for text in texts]
        if found and found[0] is not None:
            if len(texts) > 1:
                raise ValueError(f"{texts[0]!r} goes with no other frames")
            count = int(found[0]["count"] or _REPRESENTATIVES)
            if count < LEAST_FRAMES:
                raise ValueError(f"{count} representative frames are too few to tell their error, {LEAST_FRAMES} do")
            return cls((range(_END),), count)
        return cls(tuple(_part(text) for text in texts))

    def segments(self, path: str, numbers: range) -> list[range]:
        """Frames that follow each other, in order, of the trace ``path`` that has these frames.

        Raises
        ------
        UsageError : a part begins behind the trace's last frame
        """
        chosen: set[int] = set()
        for part in self.parts:
            if part.start >= numbers.stop:
                raise UsageError(f"it has {len(numbers)} frames; there is no frame {part.start}")
            warn_of_frames(path, part, range(numbers.stop))
            chosen.update(range(part.start, min(part.stop, numbers.stop), part.step))
        return segments_of(sorted(chosen & set(numbers)))


def segments_of(frames: Iterable[int]) -> list[range]:
    """Frames that follow each other, of frames in order."""
    segments: list[range] = []
    for frame in frames:
        if segments and segments[-1].stop == frame:
            segments[-1] = range(segments[-1].start, frame + 1)
        else:
            segments.append(range(frame, frame + 1))
    return segments


def _part(text: str) -> range:
    found = _CHOICE.fullmatch(text.strip())
    if found is None or not text.strip():
        raise ValueError(f"{text!r} names no frames (such as all, 3, 2-5, 10-, every 5, 0-99 every 10, representative)")
    first = int(found["first"] or 0)
    last = int(found["last"]) if found["last"] else _END if found["first"] is None or found["open"] else first
    if last < first:
        raise ValueError(f"the frames {text!r} end before they begin")
    return range(first, last + 1, int(found["step"] or 1))
