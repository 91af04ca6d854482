"""The tessellation stages of a draw: from shaded vertices to those of a divided patch (GLES 3.2 §11.2).

Control and evaluation stage reach patches as memories (:class:`~replay.glsl.ir.TessellationLayout`): a lane of the
control stage is an invocation, one of the evaluation stage a point of the tessellator. Behind them a draw goes on as
one of points, lines or triangles whose vertices are shaded already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.drawn import Drawn, Emitted, Vertices
from replay.engine.emission import Numbering, primitive_ids
from replay.engine.input_cache import CachedStream, DrawnRange
from replay.engine.stages import LaneMemory, StageRun, aligned, loop_budget
from replay.engine.tessellator import Tessellated, tessellate
from replay.engine.vertex_fetch import Stream
from replay.glsl.ir import INNER_LEVELS, OUTER_LEVELS
from replay.glsl.llvm.abi import LANES
from replay.glsl.memory import MemoryKind
from replay.glsl.passes.phases import CONTROL_LANES
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.guards import exceeded, guards

__all__ = ["tessellate_draw"]

#: Words of patches that are in memory at once.
_CHUNK_WORDS: Final = 1 << 22


@dataclass(slots=True)
class _Patches:
    """Some patches on their way.

    Parameters
    ----------
    ids : (P,) numbers of the patches
    memory : (P, words) int32 their variables
    vertices : of a patch
    """

    ids: NDArray[np.int64]
    memory: NDArray[np.int32]
    vertices: int


def tessellate_draw(
    drawn: Drawn,
    control: StageRun | None,
    waiting: StageRun | None,
    evaluation: StageRun,
    lanes: LaneMemory,
    number_paths: Numbering,
) -> Emitted:
    """Run the tessellation stages of a draw whose vertices are shaded; it goes on with what they make.

    Parameters
    ----------
    drawn : the draw; ``taken`` and ``vertices`` change
    control, evaluation : its stages; without a control stage patches go through with the context's levels
    waiting : the control stage once more, where invocations that wait for each other do not tell their paths
    lanes : whose outputs are those of neither stage before
    number_paths : asked for each run, whose inputs it may look at again

    Raises
    ------
    ReplayError : more invocations than the guard ``draw_vertices``
    LoopBudgetError : a shader does not leave its loops in time
    """
    return _Tessellation(drawn, control, waiting, evaluation, lanes, number_paths).run()


class _Tessellation:
    def __init__(
        self,
        drawn: Drawn,
        control: StageRun | None,
        waiting: StageRun | None,
        evaluation: StageRun,
        lanes: LaneMemory,
        number_paths: Numbering,
    ) -> None:
        assert drawn.vertices is not None
        self._drawn, self._shaded = drawn, drawn.vertices
        self._control, self._waiting, self._evaluation = control, waiting, evaluation
        self._lanes, self._number_paths = lanes, number_paths
        self._fetched = drawn.taken.cached.stream
        self._context: Context = drawn.setting.context
        self._limit = guards().draw_vertices
        #: Memories of each stage beside its patches.
        self._reached = {run.ir.stage: run.memories for run in (control, evaluation) if run is not None}
        self._control_paths: list[NDArray[np.uint32]] = []
        self._evaluation_paths: list[NDArray[np.uint32]] = []
        self._num_points = 0

    def run(self) -> Emitted:
        """All patches."""
        rows, layout = self._patch_rows(), self._evaluation.ir.tessellation
        assert layout is not None
        control = self._control.ir.tessellation if self._control is not None else None
        first = control or layout
        num_control = len(rows) * (control.vertices_out if control is not None else 0)
        self._check(max(num_control, len(rows)))
        ids = primitive_ids(self._fetched.arrays.instance[rows[:, 0]])
        chunk = max(_CHUNK_WORDS // max(first.words_in, first.words_out), 1)
        if control is not None:
            chunk = min(chunk, max(CONTROL_LANES // control.vertices_out, 1))
        outputs: list[NDArray[np.float32]] = []
        primitives: list[NDArray[np.int64]] = [np.zeros((0, self._width()), np.int64)]
        patch: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        for begin in range(0, len(rows), chunk):
            part = slice(begin, begin + chunk)
            patches = self._gather(rows[part], ids[part], len(rows))
            pieces = [self._divide(levels) for levels in self._levels(patches)]
            counts = np.array([len(piece.coordinates) for piece in pieces], np.int64)
            starts = self._num_points + np.cumsum(counts) - counts
            own = np.repeat(np.arange(len(pieces)), counts)
            self._num_points += int(counts.sum())
            self._check(self._num_points)
            primitives += [piece.primitives + start for piece, start in zip(pieces, starts, strict=True)]
            patch.append(own + begin)
            if len(own):
                outputs.append(self._evaluate(patches, pieces, own))
        return self._emitted(rows, outputs, np.concatenate(primitives), np.concatenate(patch), num_control)

    def _check(self, count: int) -> None:
        if count > self._limit:
            raise exceeded(f"a draw of {count} invocations of a tessellation shader", "draw_vertices")

    def _patch_rows(self) -> NDArray[np.int64]:
        """(P, n) rows of the stream of each patch; vertices that make no whole patch are left out."""
        size, arrays = self._context.patch_vertices, self._fetched.arrays
        runs = zip(arrays.run_first.tolist(), arrays.run_count.tolist(), strict=True)
        found = [first + np.arange(count // size * size).reshape(-1, size) for first, count in runs]
        return np.concatenate([np.zeros((0, size), np.int64), *found])

    # ------------------------------------------------------------------ control
    def _gather(self, rows: NDArray[np.int64], ids: NDArray[np.int64], total: int) -> _Patches:
        """Variables of patches, as the evaluation stage reads them."""
        stage = self._control or self._evaluation
        layout = stage.ir.tessellation
        assert layout is not None
        lanes = self._fetched.arrays.lane[rows].astype(np.int64)
        size = rows.shape[1]
        memory = np.zeros((len(rows), layout.words_in), np.int32)
        source = self._shaded.outputs.view(np.int32)
        for output, first, stride, words in layout.inputs:
            row = self._shaded.stage.layout.output_rows[output]
            places = first + np.arange(size)[:, None] * stride + np.array(words)
            values = source[row : row + len(words)][:, lanes]
            memory[:, places] = values.transpose(1, 2, 0)
        given = _Patches(ids, memory, size)
        if self._control is None:
            memory[:, OUTER_LEVELS] = np.array(self._context.patch_outer_levels, np.float32).view(np.int32)
            memory[:, INNER_LEVELS] = np.array(self._context.patch_inner_levels, np.float32).view(np.int32)
            return given
        return self._run_control(self._control, given, total * layout.vertices_out)

    def _run_control(self, stage: StageRun, given: _Patches, total: int) -> _Patches:
        layout = stage.ir.tessellation
        assert layout is not None
        made = np.zeros((len(given.ids), layout.words_out), np.int32)
        lane = np.arange(len(given.ids) * layout.vertices_out)
        own = lane // layout.vertices_out
        builtins = {
            "gl_InvocationID": lane % layout.vertices_out,
            "gl_PrimitiveID": given.ids[own],
            "gl_PatchVerticesIn": np.full(len(lane), given.vertices),
            "gl_PatchFirstIn": own * layout.words_in,
            "gl_PatchFirstOut": own * layout.words_out,
        }
        memories = {"in": given.memory.reshape(-1), "out": made.reshape(-1)}
        inputs = _inputs(stage, len(lane), builtins)
        self._run(stage, memories, inputs, len(lane), total, self._control_paths)
        return _Patches(given.ids, made, layout.vertices_out)

    # ------------------------------------------------------------------ tessellator
    def _width(self) -> int:
        layout = self._evaluation.ir.tessellation
        assert layout is not None
        return 1 if layout.point_mode else 2 if layout.primitive == "isolines" else 3

    def _levels(self, patches: _Patches) -> NDArray[np.float32]:
        """(P, 6) outer and inner levels of each patch."""
        return np.ascontiguousarray(patches.memory[:, : INNER_LEVELS.stop]).view(np.float32)

    def _divide(self, levels: NDArray[np.float32]) -> Tessellated:
        layout = self._evaluation.ir.tessellation
        assert layout is not None
        values = levels.tolist()
        return tessellate(
            layout.primitive,
            layout.spacing or "equal_spacing",
            clockwise=layout.order == "cw",
            point_mode=layout.point_mode,
            outer=values[OUTER_LEVELS],
            inner=values[INNER_LEVELS],
        )

    # ------------------------------------------------------------------ evaluation
    def _evaluate(self, patches: _Patches, pieces: list[Tessellated], own: NDArray[np.int64]) -> NDArray[np.float32]:
        """Outputs of the evaluation stage for all points of some patches."""
        stage = self._evaluation
        count, words = len(own), patches.memory.shape[1]
        builtins = {
            "gl_PrimitiveID": patches.ids[own],
            "gl_PatchVerticesIn": np.full(count, patches.vertices),
            "gl_PatchFirstIn": own * words,
        }
        inputs = _inputs(stage, count, builtins)
        row = next((row for row, name in _builtin_rows(stage) if name == "gl_TessCoord"), None)
        if row is not None:
            inputs[row : row + 3, :count] = np.concatenate([piece.coordinates for piece in pieces]).T
        memories = {"in": patches.memory.reshape(-1)}
        outputs = self._run(stage, memories, inputs, count, self._num_points, self._evaluation_paths)
        return outputs[:, :count].copy()

    def _run(
        self,
        stage: StageRun,
        memories: dict[str, NDArray[np.int32]],
        inputs: NDArray[np.float32],
        count: int,
        total: int,
        paths: list[NDArray[np.uint32]],
    ) -> NDArray[np.float32]:
        others, budget = self._reached[stage.ir.stage], loop_budget(-(-total // LANES))
        reached = [
            memories[slot.name] if slot.kind is MemoryKind.PATCH else others[number]
            for number, slot in enumerate(stage.ir.memories)
        ]
        if stage is self._control and self._waiting is not None:
            self._waiting.reach(reached, is_logged=False)
            self._waiting.run_vertices(self._lanes, inputs, count, budget)
            # Paths are those of a second run over what the first one left, which has no effects.
            reached = [memory.copy() for memory in reached]
        stage.reach(reached, is_logged=stage.book.needs_hashes)
        outputs, hashes = stage.run_vertices(self._lanes, inputs, count, budget)
        known = self._number_paths(stage, hashes, count)
        if known is not None:
            paths.append(known)
        stage.memories = ()
        return outputs

    # ------------------------------------------------------------------ what follows
    def _emitted(
        self,
        rows: NDArray[np.int64],
        outputs: list[NDArray[np.float32]],
        primitives: NDArray[np.int64],
        patch: NDArray[np.int64],
        num_control: int,
    ) -> Emitted:
        """Have the draw go on with the points of all patches, (P, k) of them a primitive."""
        drawn, stage = self._drawn, self._evaluation
        kept = aligned(stage.num_output_rows, max(self._num_points, 1))
        kept[...] = 0.0
        at = 0
        for part in outputs:
            kept[: len(part), at : at + part.shape[1]] = part
            at += part.shape[1]
        mode = (gl.GL_POINTS, gl.GL_LINES, gl.GL_TRIANGLES)[self._width() - 1]
        point = primitives.reshape(-1) if len(primitives) else np.zeros(1, np.int64)
        # For whoever looks at a vertex it is one of its patch's first vertex.
        first = rows[patch, 0] if len(patch) else np.zeros(1, np.int64)
        arrays = self._fetched.arrays
        index, instance = arrays.index[first], arrays.instance[first]
        count = np.full(1, primitives.size, np.int64)
        stream = Stream.of(
            index[point], instance[point], np.zeros(len(point), np.int64), point.astype(np.uint32),
            index.astype(np.int64), instance.astype(np.int64), np.zeros(1, np.int64), count,
        )  # fmt: skip
        drawn.taken = DrawnRange(CachedStream(stream), geo.num_primitives(mode, stream), 0)
        drawn.vertices = Vertices(stage, kept, None, 0, None)
        known = [*self._control_paths, *self._evaluation_paths]
        numbers = np.concatenate(known) if known else None
        work = num_control + self._num_points
        invocation = (point + num_control).astype(np.uint32)
        return Emitted(mode, invocation, self._fetched, self._shaded, numbers, work)


def _builtin_rows(stage: StageRun) -> list[tuple[int, str]]:
    """Row and name of each built-in input."""
    return [(row, slot.builtin) for slot, row in zip(stage.ir.inputs, stage.layout.input_rows, strict=True)]


def _inputs(stage: StageRun, count: int, builtins: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
    """Input rows of invocations with their built-in numbers."""
    inputs = aligned(stage.layout.num_input_rows, -(-max(count, 1) // LANES) * LANES)
    inputs[...] = 0.0
    for row, name in _builtin_rows(stage):
        if name in builtins:
            inputs.view(np.int32)[row, :count] = builtins[name]
    return inputs
