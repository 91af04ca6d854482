"""Draws that are passed over: they leave no pixels, but what later draws find.

That is addresses, numbers of objects, and which constants are new. No state is settled for them and no code made.
"""

from __future__ import annotations

from typing import Protocol

from replay.engine.draw_log import identify, index_place, open_groups
from replay.engine.draw_records import BoundProgram
from replay.engine.programs import LinkedProgram
from replay.engine.recorder import FrameRecorder
from replay.engine.setting import number_of_bindings
from replay.engine.targets import Targets
from replay.engine.vertex_source import VertexSource, find_fetches, find_source
from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import Executable, ProgramObject
from traceformat.gles.state import Changes, Context

__all__ = ["PassedDraws"]


class _Binds(Protocol):
    """Gives a program's textures."""

    def __call__(
        self,
        context: Context,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
        *,
        from_window: bool,
    ) -> BoundProgram: ...


class PassedDraws:
    """Passes over draws that follow each other; who looks at ``Context.changes`` meanwhile begins with another one.

    Parameters
    ----------
    recorder : the frame in progress
    bind : gives a program's textures
    """

    def __init__(self, recorder: FrameRecorder, bind: _Binds) -> None:
        self._recorder, self._bind = recorder, bind
        self._bound: BoundProgram | None = None
        self._source: VertexSource | None = None
        self._drawn_with: tuple[Context, Targets, Executable] | None = None
        #: As :class:`~replay.engine.draw_log.Shown` has them.
        self.program: ProgramObject
        self.identity = -1

    def add(self, context: Context, call: DrawCall, targets: Targets, program: ProgramObject) -> None:
        """Pass over a draw with a program that has a vertex stage."""
        executable, recorder = program.executable, self._recorder
        assert executable is not None
        linked: LinkedProgram = executable.backing
        source = self._look(context, targets, program, executable)
        linked.pass_over(context, executable, targets.height)
        index_place(recorder, context, call)
        if recorder.is_recording:
            find_fetches(recorder, context, source)
            identify(recorder, self, source, call, None, open_groups(context))
        recorder.passes.note_draw()

    def _look(self, context: Context, targets: Targets, program: ProgramObject, executable: Executable) -> VertexSource:
        """Look up textures and vertices where they may be others than those of the draw before."""
        bits, bound, source = context.changes.bits, self._bound, self._source
        known = self._drawn_with
        if known is None or known[0] is not context or known[1] is not targets or known[2] is not executable:
            bits = Changes.ALL
            self._drawn_with = context, targets, executable
        if bound is None or bits & Changes.BUT_VERTEX or not bound.is_current:
            from_window = targets.framebuffer.name == 0
            bound = self._bound = self._bind(context, executable.backing, program, executable, from_window=from_window)
            self.program, self.identity = program, number_of_bindings(self._recorder, context, bound)
        if source is None or bits & (Changes.VERTEX | Changes.ARRAY):
            source = self._source = find_source(context, executable.backing, executable)
        context.changes.bits = 0
        return source
