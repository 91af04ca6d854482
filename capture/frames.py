"""Where frames end while a program runs (DESIGN §3.2's rule), for counting them and for stopping after one.

An explicit marker ends a frame, else any swap, else glFinish, else a glReadPixels that follows draws, else the
program's end. Which of them the program uses is known for good only when it has ended, so the count follows the
strongest seen so far; the trace itself is split by its reader, over the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable

from traceformat.gles.roles import boundary_of
from traceformat.gltrace.frames import RULES
from traceformat.gputrace.frametrace import FrameRule

__all__ = ["FrameCounter"]


class FrameCounter:
    """Counts frames as they end.

    Parameters
    ----------
    last : number of the last frame to record; None records all
    leave : ends the program, once the last frame is recorded
    progress : told the number of frames as they end
    ended : called at the end of each frame, in the thread that has ended it

    Attributes
    ----------
    num_draws : calls that drew or cleared something
    """

    def __init__(
        self,
        last: int | None = None,
        leave: Callable[[], None] | None = None,
        progress: Callable[[int], None] | None = None,
        ended: Callable[[], None] | None = None,
    ) -> None:
        self._last = last
        self._leave = leave
        self._progress = progress
        self._on_end = ended
        self._ended = dict.fromkeys(RULES, 0)
        self._drawn_at_end = dict.fromkeys(RULES, 0)
        self._draws_since_read = 0
        self.num_draws = 0

    def note_draw(self) -> None:
        """A draw or clear was made."""
        self.num_draws += 1
        self._draws_since_read += 1

    def ends(self, name: str) -> bool:
        """Note a call that may end a frame; True if that was the last one to record."""
        rule = boundary_of(name)
        if rule is None:
            return False
        if rule is FrameRule.READ_PIXELS:
            if not self._draws_since_read:
                return False
            self._draws_since_read = 0
        self._ended[rule] += 1
        self._drawn_at_end[rule] = self.num_draws
        if self._progress is not None:
            self._progress(self.num_frames)
        is_end = rule is self._rule()
        if is_end and self._on_end is not None:
            self._on_end()
        return self._last is not None and is_end and self._ended[rule] > self._last

    @property
    def num_frames(self) -> int:
        """Frames so far, by the strongest rule seen; what was drawn after the last boundary is one more."""
        rule = self._rule()
        return self._ended[rule] + (self.num_draws > self._drawn_at_end[rule])

    def leave_program(self) -> None:
        """End the program: everything that was asked for is recorded."""
        if self._leave is not None:
            self._leave()

    def _rule(self) -> FrameRule:
        return next((rule for rule in RULES if self._ended[rule]), RULES[-1])
