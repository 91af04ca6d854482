"""Where frames end (DESIGN §3.2).

An explicit marker ends a frame, else any swap, else glFinish, else a glReadPixels that follows draws, else the
program's end. "Else" is meant over the whole trace: a program that swaps once is cut at its swaps alone. While a trace
is written nobody knows what is still to come, so every call that *may* end a frame is written down with its rule, and
each chunk counts those before it, rule by rule; the reader takes the strongest rule that occurs.

The call at a boundary is the last one of its frame. Calls behind the last boundary make a frame of their own
(rule PROGRAM_END) when they draw, or when the trace has no boundary at all. Calls that failed count for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from traceformat.gles.roles import boundary_of, is_draw
from traceformat.gputrace.frametrace import FrameRule

__all__ = ["DRAW_ROLE", "RULES", "Boundary", "Frame", "FrameList", "role_of", "strongest"]

#: Rules that calls stand for, strongest first.
RULES: Final = (FrameRule.MARKER, FrameRule.SWAP, FrameRule.FINISH, FrameRule.READ_PIXELS)
DRAW_ROLE: Final = 100


class Frame(NamedTuple):
    """Frame ``number`` is calls ``first_call`` to ``end_call - 1``."""

    number: int
    first_call: int
    end_call: int
    rule: FrameRule


class FrameList(Sequence[Frame]):
    """The frames of a trace, made when they are asked for: a long trace costs eight bytes a frame.

    Parameters
    ----------
    ends : (num_frames,) int64    number of the call behind each frame, ascending
    rule : what ends frames
    last_rule : what ends the last one
    """

    def __init__(self, ends: Sequence[int] | NDArray[Any], rule: FrameRule, last_rule: FrameRule) -> None:
        self._ends: NDArray[np.int64] = np.asarray(ends, np.int64)
        self._rule = rule
        self._last_rule = last_rule

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[Frame]: ...
    def __getitem__(self, number: int | slice) -> Frame | list[Frame]:
        """Give a frame, or several; raises IndexError."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        place = range(len(self))[number]
        first = int(self._ends[place - 1]) if place else 0
        rule = self._last_rule if place == len(self) - 1 else self._rule
        return Frame(place, first, int(self._ends[place]), rule)

    def frame_of(self, call: int) -> int:
        """Frame of a call: the number of frames that end before it."""
        return int(np.searchsorted(self._ends, call, "right"))


class Boundary(NamedTuple):
    """A call that may end a frame.

    Parameters
    ----------
    call : its number
    rule : FrameRule that it stands for
    draws : draws before it, in the whole trace
    """

    call: int
    rule: int
    draws: int


@cache
def role_of(name: str) -> int | None:
    """FrameRule that an entry point stands for, DRAW_ROLE for a draw, None for everything else."""
    rule = boundary_of(name)
    if rule is not None:
        return int(rule)
    return DRAW_ROLE if is_draw(name) else None


def strongest(markers: int, swaps: int, finishes: int, reads: int) -> FrameRule:
    """Rule that cuts a trace with these numbers of candidates."""
    for rule, count in zip(RULES, (markers, swaps, finishes, reads), strict=True):
        if count:
            return rule
    return FrameRule.PROGRAM_END
