"""The null driver: answers every GL call without any GL.

It is the tracker of GL state with a backend that draws nothing: shaders are compiled and reflected by the project's
own GLSL front end,
buffers keep their contents, fences have always been signalled. What a program reads of what it has drawn is answered by
a :class:`~capture.drivers.readback.Readback`; without one, and where that fails, pixels and queries are zero.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from traceformat.calls import Call, CallFlags
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.entry_points import COMMANDS, ParamKind, canonical_name
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, Limits
from traceformat.gles.tracker import Tracker

if TYPE_CHECKING:
    from capture.drivers.readback import Readback

__all__ = ["NullDriver"]

#: What entry points return when they fail, where that is not zero.
_FAILED_RESULTS: Final = {
    "glGetAttribLocation": -1,
    "glGetFragDataIndex": -1,
    "glGetFragDataLocation": -1,
    "glGetProgramResourceLocation": -1,
    "glGetUniformLocation": -1,
    "glGetProgramResourceIndex": gl.GL_INVALID_INDEX,
    "glGetUniformBlockIndex": gl.GL_INVALID_INDEX,
    "glClientWaitSync": gl.GL_WAIT_FAILED,
}
_NUMBERS: Final = frozenset(
    {ParamKind.ENUM, ParamKind.BITFIELD, ParamKind.BOOLEAN, ParamKind.INTEGER, ParamKind.HANDLE}
)


class NullDriver:
    """Executes calls, from any number of threads.

    Parameters
    ----------
    backend : executes what has pixels; default one that draws nothing
    readback : answers what depends on pixels; None leaves that to the backend
    gles_limits, desktop_limits : limits and strings that are reported
    """

    def __init__(
        self,
        backend: Backend | None = None,
        readback: Readback | None = None,
        *,
        gles_limits: Limits = GLES_LIMITS,
        desktop_limits: Limits = DESKTOP_LIMITS,
    ) -> None:
        from replay.reflect import ReflectingBackend

        self.tracker = Tracker(backend or ReflectingBackend(), gles_limits=gles_limits, desktop_limits=desktop_limits)
        self._readback = readback
        self._lock = threading.Lock()

    def execute(self, call: Call) -> None:
        """Execute a call, and fill in its outputs (bytes, by parameter) and its result.

        A call that raises a GL error gets the flag FAILED and no outputs: what they point at stays as it is. The
        content
        of a mapped range is in ``outputs["result"]``.

        Raises
        ------
        UnsupportedCallError   for an entry point that is not supported, by name
        """
        tracker = self.tracker
        with self._lock:
            call.result = tracker.execute(call)
            if tracker.outputs:
                call.outputs.update(tracker.outputs)
            if tracker.failure is not None:
                call.flags |= CallFlags.FAILED
            elif self._readback is not None:
                self._readback.observe(call, tracker)
        if call.result is None:
            call.result = self._failed_result(call.name)

    @staticmethod
    def _failed_result(name: str) -> int | None:
        """Result of a call that failed or had no context; None for void, strings and pointers."""
        command = COMMANDS.get(name)
        if command is None or command.result.kind not in _NUMBERS:
            return None
        return _FAILED_RESULTS.get(canonical_name(name), 0)

    def close(self) -> None:
        """Forget all contexts."""
        with self._lock:
            self.tracker.current.clear()
            self.tracker.contexts.clear()
