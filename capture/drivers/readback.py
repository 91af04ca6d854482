"""Read-back under the null driver: what a program reads of what it has drawn is answered by the replay engine.

Most programs never read, so nothing is drawn until one does: calls only wait here. The first read brings the engine up
(and Numba with it, which takes two seconds), every read lets it catch up with the calls that were made since the last
one. When more calls wait than are worth keeping in memory, they are forgotten and read again from the trace that is
being written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from traceformat.calls import Call, Offset, Value
from traceformat.errors import ToolError
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import canonical_name
from traceformat.gles.limits import Limits
from traceformat.gles.roles import shows_frame

if TYPE_CHECKING:
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker

__all__ = ["Readback"]

#: Calls, and bytes of their contents, that wait in memory at most.
MAX_WAITING_CALLS: Final = 20_000
MAX_WAITING_BYTES: Final = 32 << 20

_PIXELS: Final = {"glReadPixels": "pixels", "glReadnPixels": "data", "glGetTexImage": "pixels"}
_QUERIES: Final = frozenset(
    {"glGetQueryObjectiv", "glGetQueryObjectuiv", "glGetQueryObjecti64v", "glGetQueryObjectui64v"}
)
_BUFFERS: Final = frozenset({"glMapBuffer", "glMapBufferRange", "glGetBufferSubData"})
_COUNTED: Final = frozenset(
    {
        gl.GL_SAMPLES_PASSED,
        gl.GL_ANY_SAMPLES_PASSED,
        gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE,
        gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
        gl.GL_PRIMITIVES_GENERATED,
    }
)


class Readback:
    """Answers what depends on pixels.

    Parameters
    ----------
    recorded : gives the calls from a number on, out of the trace that is being written
    report : is told what went wrong; from then on the null driver's own answers stand
    aside : keeps the program out of the way while the engine runs
    gles_limits, desktop_limits : of the null driver
    """

    def __init__(
        self,
        recorded: Callable[[int], Iterable[Call]],
        report: Callable[[ToolError], None],
        aside: Callable[[], AbstractContextManager[None]],
        gles_limits: Limits,
        desktop_limits: Limits,
    ) -> None:
        self._recorded = recorded
        self._report = report
        self._aside = aside
        self._limits = gles_limits, desktop_limits
        self._waiting: list[Call] = []
        self._waiting_bytes = 0
        self._forgotten_from: int | None = None
        self._player: _Player | None = None
        #: The GPU has written into buffers: from now on they are read where that was done.
        self._writes_buffers = False
        self._has_failed = False
        self._names: dict[str, str] = {}

    def observe(self, call: Call, main: Tracker) -> None:
        """Take a call that the null driver has executed without an error; replaces its outputs where it read pixels.

        Parameters
        ----------
        call : with the null driver's outputs and result
        main : the null driver's tracker
        """
        if self._has_failed:
            return
        name = self._names.get(call.name)
        if name is None:
            name = self._names[call.name] = canonical_name(call.name)
        if not self._reads(name, call, main):
            self._keep(call)
            return
        try:
            with self._aside():
                self._catch_up()
                assert self._player is not None
                outputs = self._player.execute(call)
        except ToolError as error:
            self._fail(error)
            return
        if outputs is not None:
            call.outputs.update(outputs)

    def _reads(self, name: str, call: Call, main: Tracker) -> bool:
        """Whether the program gets to see what was drawn by this very call."""
        if name in _PIXELS:
            if isinstance(call.args[-1], Offset):
                self._writes_buffers = True
                return False
            return True
        if name in _QUERIES:
            context = main.current.get(call.thread)
            number, parameter = call.args[0], call.args[1]
            query = context.queries.get(number) if context is not None and isinstance(number, int) else None
            return query is not None and query.target in _COUNTED and parameter != gl.GL_QUERY_RESULT_AVAILABLE
        if name == "glBeginTransformFeedback":
            self._writes_buffers = True
        return name in _BUFFERS and self._writes_buffers

    def _keep(self, call: Call) -> None:
        if self._forgotten_from is not None:
            return
        self._waiting.append(call)
        self._waiting_bytes += sum(len(value) for value in call.args if isinstance(value, bytes))
        if len(self._waiting) > MAX_WAITING_CALLS or self._waiting_bytes > MAX_WAITING_BYTES:
            self._forgotten_from = self._waiting[0].number
            self._waiting.clear()
            self._waiting_bytes = 0

    def _catch_up(self) -> None:
        if self._player is None:
            self._player = _Player(*self._limits)
        calls: Iterable[Call] = self._waiting
        if self._forgotten_from is not None:
            calls = self._recorded(self._forgotten_from)
        for call in calls:
            self._player.execute(call)
        self._waiting.clear()
        self._waiting_bytes = 0
        self._forgotten_from = None

    def _fail(self, error: ToolError) -> None:
        self._has_failed = True
        self._waiting.clear()
        self._report(error)


class _Player:
    """The replay engine behind a tracker of its own."""

    def __init__(self, gles_limits: Limits, desktop_limits: Limits) -> None:
        from replay.engine.engine import Engine
        from traceformat.gles.tracker import Tracker
        from traceformat.gputrace.frametrace import ColumnSet

        self._engine: Engine = Engine(ColumnSet(()))
        self._tracker = Tracker(self._engine, gles_limits=gles_limits, desktop_limits=desktop_limits, remap=True)
        self._num_frames = 0

    def execute(self, call: Call) -> dict[str, Value] | None:
        """Execute a call; gives its outputs, None if it raised a GL error."""
        tracker = self._tracker
        tracker.execute(call)
        if shows_frame(call.name):
            from traceformat.gputrace.frametrace import FrameRule

            # What the engine has noted about the frame is not wanted.
            self._engine.end_frame(self._num_frames, FrameRule.SWAP)
            self._num_frames += 1
        return None if tracker.failure is not None else dict(tracker.outputs)
