"""The geometry stage of a draw: from shaded vertices to the vertices and strips that it emits (GLES 3.2 §11.3).

Each invocation is a lane. What it emits lies in a memory of its own (:class:`~replay.glsl.ir.GeometryLayout`); behind
the stage a draw goes on as one of points, line strips or triangle strips whose vertices are shaded already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.drawn import Drawn, Emitted, Vertices
from replay.engine.input_cache import CachedStream, DrawnRange
from replay.engine.stages import LaneMemory, StageRun, aligned, loop_budget
from replay.engine.vertex_fetch import Stream
from replay.glsl.ir import GeometryLayout
from replay.glsl.llvm.abi import LANES
from replay.glsl.memory import MemoryKind
from traceformat.gles import enums as gl
from traceformat.guards import exceeded, guards

__all__ = ["Numbering", "emit", "primitive_ids", "primitive_rows", "row_of"]

#: Words that invocations which run together may emit.
_CHUNK_WORDS: Final = 1 << 22
_MODES: Final = {"points": gl.GL_POINTS, "line_strip": gl.GL_LINE_STRIP, "triangle_strip": gl.GL_TRIANGLE_STRIP}
#: Vertices of an input primitive, where it is no triangle.
_VERTICES: Final = {gl.GL_POINTS: 1, gl.GL_LINES: 2, gl.GL_LINE_LOOP: 2, gl.GL_LINE_STRIP: 2}
_ADJACENCY_MODES: Final = (
    gl.GL_LINES_ADJACENCY, gl.GL_LINE_STRIP_ADJACENCY, gl.GL_TRIANGLES_ADJACENCY, gl.GL_TRIANGLE_STRIP_ADJACENCY,
)  # fmt: skip
#: Numbers the paths of invocations: (stage, hashes, how many).
Numbering = Callable[[StageRun, NDArray[np.uint64] | None, int], NDArray[np.uint32] | None]


def primitive_rows(mode: int, stream: Stream, first_provokes: bool) -> NDArray[np.int64]:
    """(P, n) rows of the stream of each input primitive."""
    arrays = stream.arrays
    if mode in _ADJACENCY_MODES:
        return _with_adjacency(mode, arrays.run_first, arrays.run_count)
    from replay.engine.kernels.assembly import assemble

    primitives = np.empty((geo.num_primitives(mode, stream), 3), np.uint32)
    assemble(mode, arrays.run_first, arrays.run_count, primitives)
    if first_provokes and mode == gl.GL_TRIANGLE_STRIP:
        # The vertex that provokes is the first one, which odd triangles keep there.
        geo.put_first_last(mode, stream, primitives)
        primitives = np.roll(primitives, 1, axis=1)
    return primitives.astype(np.int64)[:, : _VERTICES.get(mode, 3)]


def _with_adjacency(mode: int, firsts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Primitives with adjacency of runs of vertices (GLES 3.2 §10.1.11 to §10.1.14)."""
    width = 4 if mode in (gl.GL_LINES_ADJACENCY, gl.GL_LINE_STRIP_ADJACENCY) else 6
    found = [np.zeros((0, width), np.int64)]
    for first, count in zip(firsts.tolist(), counts.tolist(), strict=True):
        if mode == gl.GL_LINES_ADJACENCY:
            own = np.arange(count // 4 * 4).reshape(-1, 4)
        elif mode == gl.GL_LINE_STRIP_ADJACENCY:
            own = np.arange(max(count - 3, 0))[:, None] + np.arange(4)
        elif mode == gl.GL_TRIANGLES_ADJACENCY:
            own = np.arange(count // 6 * 6).reshape(-1, 6)
        else:
            own = _strip_with_adjacency(count)
        found.append(own + first)
    return np.concatenate(found)


def _strip_with_adjacency(count: int) -> NDArray[np.int64]:
    """Triangles of a strip with adjacency, GLES 3.2 Table 10.1: vertices and neighbours alternate."""
    number = max((count - 4) // 2, 0)
    k = np.arange(number)
    odd = (k & 1) == 1
    own = np.empty((number, 6), np.int64)
    own[:, 0] = 2 * k + 2 * odd
    own[:, 2] = 2 * k + 2 - 2 * odd
    own[:, 4] = 2 * k + 4
    # Neighbours: of the first and the last triangle those at the ends, else the far vertex of the next ones.
    before = np.where(k == 0, 1, 2 * k - 2)
    behind = np.where(k == number - 1, 2 * k + 5, 2 * k + 6)
    own[:, 1] = before
    own[:, 3] = np.where(odd, 2 * k + 3, behind)
    own[:, 5] = np.where(odd, behind, 2 * k + 3)
    return own


class _Inputs:
    """Inputs of the stage, gathered from the outputs of the vertex stage.

    Parameters
    ----------
    stage : the geometry stage
    vertex : the vertex stage
    """

    def __init__(self, stage: StageRun, vertex: StageRun) -> None:
        layout = stage.ir.geometry
        assert layout is not None
        self._num_rows = stage.layout.num_input_rows
        #: Rows of each vertex: own, and of the vertex stage's outputs.
        self._rows: list[tuple[list[int], list[int]]] = [([], []) for _ in range(layout.vertices_in)]
        self._builtins: dict[str, int] = {}
        for slot, first in zip(stage.ir.inputs, stage.layout.input_rows, strict=True):
            if slot.source < 0:
                self._builtins[slot.builtin] = first
                continue
            output, source = vertex.ir.outputs[slot.source], vertex.layout.output_rows[slot.source]
            width = slot.type.width
            each = slot.count // layout.vertices_in * width
            there = min(each, max(output.variable.length, 1) * width)
            for vertex_number, (own, others) in enumerate(self._rows):
                own += range(first + vertex_number * each, first + vertex_number * each + there)
                others += range(source, source + there)

    def gather(
        self, outputs: NDArray[np.float32], lanes: NDArray[np.int64], builtins: dict[str, NDArray[np.int64]]
    ) -> NDArray[np.float32]:
        """Input rows of some invocations.

        Parameters
        ----------
        outputs : of the vertex stage, (rows, lanes)
        lanes : (I, n) lanes of the vertices of each invocation's primitive
        builtins : (I,) values of built-in inputs
        """
        count = len(lanes)
        inputs = aligned(self._num_rows, -(-max(count, 1) // LANES) * LANES)
        inputs[...] = 0.0
        for number, (own, others) in enumerate(self._rows):
            if own:
                inputs[own, :count] = outputs[np.array(others)[:, None], lanes[None, :, number]]
        for name, row in self._builtins.items():
            inputs.view(np.int32)[row, :count] = builtins[name]
        return inputs


def emit(drawn: Drawn, stage: StageRun, lanes: LaneMemory, number_paths: Numbering) -> Emitted:
    """Run the geometry stage of a draw whose vertices are shaded; they are those that it emits afterwards.

    Parameters
    ----------
    drawn : the draw; ``taken`` and ``vertices`` change
    stage : its geometry stage
    number_paths : asked for each run, whose inputs it may look at again

    Raises
    ------
    ReplayError : more invocations or emitted vertices than the guard ``draw_vertices``
    LoopBudgetError : a shader does not leave its loops in time
    """
    layout, shaded = stage.ir.geometry, drawn.vertices
    assert layout is not None
    assert shaded is not None
    fetched = drawn.taken.cached.stream
    primitives = primitive_rows(drawn.mode, fetched, drawn.setting.fixed.first_provokes)
    total = len(primitives) * layout.invocations
    limit = guards().draw_vertices
    if total > limit:
        raise exceeded(f"a draw of {total} invocations of a geometry shader", "draw_vertices")
    inputs = _Inputs(stage, shaded.stage)
    before = drawn.emitted
    ids = primitive_ids(fetched.arrays.instance[primitives[:, 0]])
    vertex_lanes = fetched.arrays.lane[primitives].astype(np.int64)
    each = max(layout.max_vertices * layout.words, 1)
    chunk = max(_CHUNK_WORDS // each, LANES)
    budget = loop_budget(-(-total // LANES))
    slots, reached = stage.ir.memories, stage.memories
    parts: list[NDArray[np.int32]] = [np.zeros((0, layout.words), np.int32)]
    counts, paths, num_emitted = [np.zeros(0, np.int64)], [], 0
    for begin in range(0, total, chunk):
        number = np.arange(begin, min(begin + chunk, total))
        own = number // layout.invocations
        builtins = {
            "gl_PrimitiveIDIn": ids[own],
            "gl_InvocationID": number % layout.invocations,
            "gl_EmittedFirst": (number - begin) * each,
        }
        memory = np.zeros(len(number) * each, np.int32)
        stage.memories = [
            memory if slot.kind is MemoryKind.EMITTED else reached[number] for number, slot in enumerate(slots)
        ]
        rows = inputs.gather(shaded.outputs, vertex_lanes[own], builtins)
        outputs, hashes = stage.run_vertices(lanes, rows, len(number), budget)
        paths.append(number_paths(stage, hashes, len(number)))
        count = outputs.view(np.int32)[row_of(stage, "gl_EmittedCount"), : len(number)].astype(np.int64)
        vertices = memory[: len(number) * layout.max_vertices * layout.words].reshape(len(number), -1, layout.words)
        part = vertices[np.arange(vertices.shape[1]) < count[:, None]]
        num_emitted += len(part)
        if num_emitted > limit:
            raise exceeded(f"a draw whose geometry shader emits {num_emitted} vertices", "draw_vertices")
        counts.append(count)
        parts.append(part)
    emitted, count = np.concatenate(parts), np.concatenate(counts)
    stage.memories = ()
    # For whoever looks at a vertex an emitted one is of its primitive's first vertex.
    first = np.repeat(primitives[:, 0], layout.invocations).repeat(count)
    _replace(drawn, stage, emitted, count, fetched.arrays.index[first], fetched.arrays.instance[first])
    known = [one for one in paths if one is not None]
    invocation = np.repeat(np.arange(total, dtype=np.uint32), count)
    if not len(invocation):
        invocation = np.zeros(1, np.uint32)
    numbers = np.concatenate(known) if known else None
    if before is None:
        return Emitted(_MODES[layout.output], invocation, fetched, shaded, numbers, total)
    return before.then(_MODES[layout.output], invocation, numbers, total)


def primitive_ids(instance: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Numbers of primitives, from 0 in each instance."""
    number = np.arange(len(instance), dtype=np.int64)
    begins = np.ones(len(instance), np.bool_)
    begins[1:] = instance[1:] != instance[:-1]
    return number - np.maximum.accumulate(np.where(begins, number, 0))


def row_of(stage: StageRun, builtin: str) -> int:
    """Row of a built-in output, -1 where the stage has none."""
    rows = zip(stage.ir.outputs, stage.layout.output_rows, strict=True)
    return next((first for slot, first in rows if slot.builtin == builtin), -1)


def _replace(
    drawn: Drawn,
    stage: StageRun,
    emitted: NDArray[np.int32],
    count: NDArray[np.int64],
    index: NDArray[np.uint32],
    instance: NDArray[np.uint32],
) -> None:
    """Have the draw go on with what the stage emitted.

    Parameters
    ----------
    emitted : (E, words) vertices
    count : (I,) vertices of each invocation
    index, instance : (E,) fetched vertex that each is of
    """
    layout = stage.ir.geometry
    assert layout is not None
    size = max(len(emitted), 1)
    outputs = aligned(stage.num_output_rows, size)
    outputs[...] = 0.0
    for slot, first in zip(stage.ir.outputs, stage.layout.output_rows, strict=True):
        if slot.word >= 0:
            words = max(slot.variable.length, 1) * slot.variable.type.width
            outputs.view(np.int32)[first : first + words, : len(emitted)] = emitted[:, slot.word : slot.word + words].T
    stream = _stream(layout, emitted, count, index if len(emitted) else np.zeros(1, np.uint32), instance)
    mode = _MODES[layout.output]
    drawn.taken = DrawnRange(CachedStream(stream), geo.num_primitives(mode, stream), 0)
    drawn.vertices = Vertices(stage, outputs, None, 0, None)


def _stream(
    layout: GeometryLayout,
    emitted: NDArray[np.int32],
    count: NDArray[np.int64],
    index: NDArray[np.uint32],
    instance: NDArray[np.uint32],
) -> Stream:
    """The emitted vertices; a strip is a run. One that nobody draws where there are none."""
    size = len(index)
    number = np.arange(size, dtype=np.int64)
    zeros = np.zeros(size, np.int64)
    instance = instance if len(emitted) else zeros.astype(np.uint32)
    if not len(emitted):
        run_first, run_count = np.zeros(2, np.int64), np.zeros(2, np.int64)
    elif layout.output == "points":
        run_first, run_count = np.zeros(1, np.int64), np.full(1, size, np.int64)
    else:
        is_last = emitted[:, -1] == 1
        is_last[np.cumsum(count)[count > 0] - 1] = True
        ends = np.flatnonzero(is_last) + 1
        run_first = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        run_count = ends - run_first
    return Stream.of(
        index,
        instance,
        zeros,
        number.astype(np.uint32),
        index.astype(np.int64),
        instance.astype(np.int64),
        run_first,
        run_count.astype(np.int64),
    )
