"""What draws of one program with its textures and fixed-function state have in common."""

from __future__ import annotations

from copy import copy
from itertools import count as counting
from typing import Any

from replay.engine.entries import RASTER, RASTER_SAMPLES
from replay.engine.fixed_state import FixedState
from replay.engine.front import ProgramFront
from replay.engine.kernels.records import PLAN
from replay.engine.paths import PathBook
from replay.engine.programs import LinkedProgram
from replay.engine.stages import StageCode
from traceformat.gputrace.frametrace import SAMPLE_COLUMNS

__all__ = ["Plan"]

_numbers = counting()


class Plan:
    """A PLAN with what Python knows of it.

    Parameters
    ----------
    linked, fixed : program and fixed-function state
    vertex, fragment : code of its stages; without a fragment stage None
    compiles : shaders run as machine code
    shades : fragments are shaded and merged by the batch itself
    rasterizes : so are they made
    wants_paths : somebody asks for paths

    Attributes
    ----------
    address : of the record
    serial : its own number
    has_fragments : primitives reach the fragment stage
    vertex_book, book : number the paths of its stages
    input_rows, output_rows, fragment_rows, stage_bytes : what the stages need of memory
    num_attributes : attributes of a vertex as the fragment stage has them, the position included
    plane_words : of a primitive's plane equations
    writes_clip_distances : the vertex stage does
    makes_primitives : stages behind the vertex stage make the primitives, or what these are drawn as
    reaches_memory : a stage reads or writes storage, images or counters
    has_loops : it may have to be stopped
    is_positional : what fragments give depends on where they are
    writes_depth : its draws may change the depth that is there
    quads : of the largest of recent draws, half of it a batch later
    usual_quads : of a draw lately, on the average
    looked_at : by what ``quads`` was set last
    kept_colors : attachments whose colours are kept, with the bytes of one
    own_columns : of quads that few frames have, those that the batch writes
    """

    def __init__(
        self,
        linked: LinkedProgram,
        fixed: FixedState,
        vertex: StageCode,
        fragment: StageCode | None,
        *,
        compiles: bool,
        shades: bool,
        rasterizes: bool,
        wants_paths: bool,
    ) -> None:
        front = ProgramFront.of(linked)
        self.serial = next(_numbers)
        self.has_fragments, self.fragment = fixed.has_fragments, fragment
        self.writes_depth = bool(fixed.test["depth_write"][0])
        self.quads = 0
        self.usual_quads = 0
        self.looked_at: object = None
        outputs = fixed.outputs if shades and fragment is not None else []
        self.kept_colors = [(output.buffer, output.color_bytes) for output in outputs if output.color_bytes]
        self.own_columns = frozenset(
            (SAMPLE_COLUMNS if fixed.is_multisampled else ()) + (("shader_depth",) if fixed.depth_row >= 0 else ())
        )
        self.vertex_book = vertex.book
        self.book: PathBook | None = None if fragment is None else fragment.book
        self.input_rows, self.output_rows, self.plane_words = front.input_rows, front.output_rows, front.plane_words
        self.num_attributes = front.varyings.num_attributes if front.varyings is not None and fixed.has_fragments else 1
        self.fragment_rows = 1
        self.stage_bytes = vertex.layout.scratch_bytes
        self.shades = shades and fragment is not None
        self.has_loops = self.is_positional = False
        last = linked.program.last_vertex_stage
        assert last is not None
        self.writes_clip_distances = any(slot.builtin == "gl_ClipDistance" for slot in last.outputs)
        self.makes_primitives = last is not linked.program.vertex or not fixed.is_filled or linked.is_smooth
        self.reaches_memory = linked.reaches_memory
        record: Any = PLAN.row(
            vertex_stage=vertex.stage.address if compiles else 0,
            input_rows=front.input_rows,
            interface=front.interfaces[fixed.reads_size],
            point_sizes=fixed.point_sizes_at,
            depth_bits=fixed.depth_bits,
            merge=fixed.merge.address,
            raster=_raster(fixed) if rasterizes else 0,
            multisampled=fixed.is_multisampled,
            sample_mask=fixed.sample_mask,
            per_sample=fixed.per_sample,
            has_fragments=fixed.has_fragments,
            shades=self.shades,
            records=fixed.record,
            tests_early=fixed.tests_early,
            has_outputs=bool(fixed.outputs),
            color_bytes=sum(size for _, size in self.kept_colors),
            vertex_straight=vertex.book.straight_at if wants_paths and vertex.book.is_straight else 0,
        )
        if fragment is not None:
            self.fragment_rows = fragment.layout.num_output_rows
            self.stage_bytes = max(self.stage_bytes, fragment.layout.scratch_bytes)
            self.has_loops = fragment.book.has_loops
            self.is_positional = fragment.ir.reads_position or fragment.ir.uses_derivatives
            if self.shades:
                record.fragment_stage = fragment.stage.address
                record.straight = fragment.book.straight_at if wants_paths and fragment.book.is_straight else 0
                record.hashed = wants_paths and not fragment.book.is_straight
        self._record = record
        self.address: int = record.address

    def moved(self, fixed: FixedState) -> Plan:
        """The same for a state that differs in its targets alone, see ``KnownState``."""
        other = copy(self)
        record: Any = PLAN.row()
        record.memory[:] = self._record.memory
        record.merge, record.point_sizes = fixed.merge.address, fixed.point_sizes_at
        other.serial = next(_numbers)
        other._record, other.address = record, record.address
        return other


def _raster(fixed: FixedState) -> int:
    """What makes quads: of several samples few programs have any, and it takes seconds to compile."""
    return RASTER_SAMPLES.address if fixed.is_multisampled else RASTER.address
