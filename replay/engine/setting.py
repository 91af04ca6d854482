"""What draws that follow each other have in common: their state, looked at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from replay.engine.draw_records import BoundProgram
from replay.engine.kernels.records import DRAW
from replay.engine.paths import FramePaths
from replay.engine.recorder import FrameRecorder
from traceformat.gles.objects import Executable, ProgramObject
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from replay.engine.fixed_state import FixedState
    from replay.engine.plan import Plan
    from replay.engine.programs import LinkedProgram
    from replay.engine.stages import StageCode
    from replay.engine.targets import Targets

__all__ = ["Setting", "number_of_bindings"]

_COMMON = DRAW.packer("plan", "descriptors", "vertex_path")


@dataclass(slots=True, eq=False)
class Setting:
    """State of draws of one frame, as long as no call changes it; in the next one it may be renewed.

    Parameters
    ----------
    recorder : the frame in progress
    context, targets, program, executable, linked : what is drawn with, and to
    fixed, bound : fixed-function state and textures
    vertex : code of the vertex stage
    plan : what follows from these
    shades_vertices : a batch may shade the vertices

    Attributes
    ----------
    rows : row of ``programs`` and first row of ``blocks`` of each stage, in the frame
    columns, event : packed columns of ``draws`` and ``events``
    template : packed DRAW, but for what differs between draws
    identity : number of what its draws bind beside vertex arrays
    path : of vertices that the batch shades, -1 while it has no number; 0 where nobody wants one
    joins : its draws are written down together
    """

    recorder: FrameRecorder
    context: Context
    targets: Targets
    program: ProgramObject
    executable: Executable
    linked: LinkedProgram
    fixed: FixedState
    bound: BoundProgram
    vertex: StageCode
    plan: Plan
    shades_vertices: bool
    rows: dict[str, tuple[int, int]] = field(default_factory=dict)
    columns: bytes = b""
    event: bytes = b""
    template: bytes = b""
    identity: int = -1
    path: int = -1
    joins: bool = False
    _frame: FramePaths = field(init=False)
    _template_path: int | None = None

    def holds(self, context: Context, program: ProgramObject, targets: Targets) -> bool:
        """Whether a draw that finds no change has this setting."""
        return self._frame is self.recorder.paths and self.is_of(context, program, targets)

    def is_of(self, context: Context, program: ProgramObject, targets: Targets) -> bool:
        """Whether a draw with the same state and textures has this setting, in this frame or after :meth:`renew`."""
        return (
            self.program is program
            and self.executable is program.executable
            and self.context is context
            and self.targets is targets
        )

    def __post_init__(self) -> None:
        recorder = self.recorder
        self.identity = number_of_bindings(recorder, self.context, self.bound)
        self.event = recorder.passes.pack_draw(self.fixed.rect)
        self.renew()

    def renew(self) -> None:
        """Let it be of the frame in progress."""
        recorder = self.recorder
        self._frame = recorder.paths
        name, version = self.program.name, self.program.link_count
        self.rows = {
            stage: recorder.program_row(self.linked, stage, name, version) for stage in self.linked.stage_names
        }
        if recorder.is_recording:
            vertex = self.rows["vertex"][0]
            fragment = self.rows["fragment"][0] if "fragment" in self.rows else vertex
            self.columns = recorder.pack_programs(self.plan.num_attributes, vertex, fragment) + self.fixed.columns
        plan = self.plan
        self.path = -1 if recorder.wants_paths else 0
        if not recorder.wants_paths:
            return
        books = recorder.numbering.books
        if plan.vertex_book.is_straight:
            plan.vertex_book.begin_draw(*self.vertex_paths)
            books[plan.vertex_book.straight_at] = plan.vertex_book
        if plan.shades and plan.book is not None:
            plan.book.begin_draw(*self.paths)
            books[plan.book.straight_at] = plan.book

    def template_for(self, path: int) -> bytes:
        """The template for vertices whose path has this number."""
        if path != self._template_path:
            data = bytearray(DRAW.size)
            _COMMON.put(memoryview(data), 0, self.plan.address, self.bound.bound.address, path)
            self.template, self._template_path = bytes(data), path
        return self.template

    def find_path(self) -> int:
        """The path of vertices, -1 while it has no number."""
        if self.path < 0:
            self.path = self.plan.vertex_book.known_vertex_path(self._frame)
        return self.path

    def number_path(self) -> None:
        """Give a number to the path of vertices; paths of the draws before have theirs."""
        book = self.plan.vertex_book
        book.begin_draw(*self.vertex_paths)
        self.path = book.straight_vertex_path()

    @property
    def vertex_paths(self) -> tuple[FramePaths, int, int]:
        """Where paths of vertices go, as :attr:`paths`."""
        return (self._frame, *self.rows["vertex"])

    @property
    def paths(self) -> tuple[FramePaths, int, int]:
        """Where paths of fragments go: those of the frame, row of the program, first row of its blocks."""
        return (self._frame, *self.rows["fragment"])


def number_of_bindings(recorder: FrameRecorder, context: Context, bound: BoundProgram) -> int:
    """Number of what a draw binds beside vertex arrays."""
    return recorder.objects.number((context.draw_framebuffer.name, bound.program.serial, bound.serials))
