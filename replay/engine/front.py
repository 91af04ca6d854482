"""The front of draws: from shaded vertices to emitted primitives with their quads and plane equations.

One native call a draw (:mod:`replay.engine.kernels.front`), which writes straight into the tables of the frame (or into
tables that are emptied after each draw when only pictures are wanted).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import Arena, ColumnPool
from replay.engine.geometry import Geometry, Tables, kind_of, num_primitives, put_first_last
from replay.engine.programs import LinkedProgram
from replay.engine.varyings import Varyings, match_varyings
from replay.engine.vertex_fetch import Stream
from traceformat.frametrace import PrimitiveKind

if TYPE_CHECKING:
    pass

__all__ = ["NO_FRONTS", "NO_PLANES", "FrontEnd", "ProgramFront", "Vertices", "address_of"]

_COLUMNS: Final = (
    ("vertices", ("index", "index_address", "instance", "path")),
    ("primitives", ("draw", "kind", "vertex", "outcome", "front", "emitted_first", "emitted_count")),
    (
        "emitted",
        ("primitive", "draw", "num_vertices", "x", "y", "z", "inv_w", "bounds", "attribute_first", "size"),
    ),
    ("attributes", ("value",)),
    ("quads", ("emitted", "x", "y", "coverage", "depth")),
)  # fmt: skip
#: The record from ROOM to SCRATCH.
_FIELDS: Final = struct.Struct("<50q")
_NO_DISTANCES: Final = np.zeros((1, 0), np.float32)


def address_of(array: NDArray[Any]) -> int:
    """Where an array lies."""
    return int(array.__array_interface__["data"][0])


@dataclass(slots=True)
class Vertices:
    """Shaded vertices of a draw.

    Parameters
    ----------
    outputs : (rows, width) float32 of the vertex stage
    paths : (lanes,) path of each lane, or None where all take ``path``
    distances : (lanes, D) clip distances, or None
    index_bytes, index_address : of the indices, 0 bytes: not indexed
    """

    outputs: NDArray[np.float32]
    paths: NDArray[np.uint32] | None
    path: int
    distances: NDArray[np.float32] | None
    index_bytes: int
    index_address: int


class ProgramFront:
    """What the front needs of a linked program.

    Attributes
    ----------
    varyings : what the fragment stage reads, None without one
    clip_distances : first output row and number of gl_ClipDistance, or None
    plane_words : words of a primitive's plane equations
    fields : of the kernel's record, from OUTPUT_ROWS to PLANE_WORDS
    """

    def __init__(self, linked: LinkedProgram) -> None:
        from replay.glsl.llvm.codegen import StageLayout

        vertex, fragment = linked.program.vertex, linked.program.fragment
        assert vertex is not None
        layout = StageLayout(vertex)
        position = point = -1
        self.clip_distances: tuple[int, int] | None = None
        for slot, first in zip(vertex.outputs, layout.output_rows, strict=True):
            if slot.builtin == "gl_Position":
                position = first
            elif slot.builtin == "gl_PointSize" and slot.static_write:
                point = first
            elif slot.builtin == "gl_ClipDistance":
                self.clip_distances = (first, max(slot.variable.length, 1))
        self.varyings: Varyings | None = None
        rest: tuple[int, ...] = (0,) * 8
        if fragment is not None:
            v = self.varyings = match_varyings(vertex, layout.output_rows, fragment)
            rest = (
                *(address_of(v.rows), address_of(v.flat), len(v.flat)),
                *(address_of(v.attribute), address_of(v.component), address_of(v.mode), len(v.mode)),
                StageLayout(fragment).num_plane_words,
            )
        self.plane_words = rest[-1]
        self.fields = (max(layout.num_output_rows, 1), position, point, *rest)
        #: The same where gl_PointSize does not count.
        self.fields_without_size = (max(layout.num_output_rows, 1), position, -1, *rest)
        #: Both as arrays, and where they lie: without, with.
        self._rows = np.array([self.fields_without_size, self.fields], np.int64)
        self.fields_at = (address_of(self._rows[0]), address_of(self._rows[1]))
        self.input_rows = layout.num_input_rows

    @classmethod
    def of(cls, linked: LinkedProgram) -> ProgramFront:
        """The front of a program, made once."""
        known: ProgramFront | None = linked.stages.get("front")
        if known is None:
            known = linked.stages["front"] = cls(linked)
        return known


class FrontEnd:
    """Prepares draws; owns the working memory for it.

    Parameters
    ----------
    tables : of the frame
    pool : memory for the clipper's work
    """

    def __init__(self, tables: Tables, pool: ColumnPool) -> None:
        self._tables = tables
        self._arena = Arena(pool)
        self._tables_of = [getattr(tables, name) for name, _ in _COLUMNS]
        self._versions: list[int] = []
        self._clip = np.empty((0, 4), np.float32)
        self._points = np.empty(0, np.float32)
        self._primitives = np.empty((0, 3), np.uint32)
        self._work: tuple[NDArray[Any], ...] = ()
        self._points_at = 0
        self._kernel: Any = None

    def _start(self) -> Any:
        """Load the kernel with the first draw: compiled code is not to be loaded for nothing."""
        from replay.engine.kernels import front

        self._record = np.zeros(front.NUM_FIELDS, np.int64)
        self._bytes = self._record.data.cast("B")
        self._results = self._record[front.RESULTS :]
        self._kernel = front
        return front

    # ------------------------------------------------------------------ views, valid until the next draw
    def primitives(self, count: int) -> NDArray[np.uint32]:
        """(P, 3) rows of the stream of the last draw's primitives."""
        return self._primitives[:count]

    def depth_plane(self, count: int) -> NDArray[np.float64]:
        """(E, 3) depth planes of the last draw's emitted primitives."""
        plane: NDArray[np.float64] = self._work[2][:count]
        return plane

    def clip(self, count: int) -> NDArray[np.float32]:
        """(N, 4) clip coordinates of the last draw's lanes."""
        return self._clip[:count]

    # ------------------------------------------------------------------ room
    def _note_tables(self) -> None:
        """Take down where the columns lie."""
        k = self._kernel
        addresses = [
            table.address(key) for table, (_, keys) in zip(self._tables_of, _COLUMNS, strict=True) for key in keys
        ]
        self._record[k.TABLES : k.TABLES + len(addresses)] = addresses
        self._versions = [table.version for table in self._tables_of]

    # ------------------------------------------------------------------ for draws in batches
    @property
    def record(self) -> NDArray[np.int64]:
        """The kernel's record."""
        if self._kernel is None:
            self._start()
        return self._record

    @property
    def work_rows(self) -> int:
        """Emitted primitives that there is working memory for."""
        return len(self._work[0]) if self._work else 0

    @property
    def points_at(self) -> int:
        """Where sizes of points go."""
        return self._points_at

    def provide(self, lanes: int, primitives: int, emitted: int) -> None:
        """Make sure of working memory for draws of so many lanes, primitives, and emitted primitives."""
        if self._kernel is None:
            self._start()
        self._provide_lanes(lanes, primitives)
        self._provide_work(emitted)

    def note_tables(self) -> None:
        """Have the record say where tables lie."""
        self._note_tables_if_moved()

    def _provide_work(self, rows: int) -> None:
        """Working memory of the clipper for at least so many emitted primitives."""
        k = self._kernel
        if self._work and len(self._work[0]) >= rows:
            return
        size = max(2 * rows, 256)
        self._work = (
            np.empty((size, 3, 4), np.float32),
            np.empty((size, 3, 3), np.float32),
            np.empty((size, 3), np.float64),
            np.empty(size, np.uint32),
            np.empty(size, np.int64),
        )
        self._record[k.SCRATCH : k.SCRATCH + 5] = [address_of(array) for array in self._work]

    def _provide_lanes(self, lanes: int, primitives: int) -> None:
        k = self._kernel
        if len(self._clip) < max(lanes, 1):
            self._clip = np.empty((2 * lanes + 64, 4), np.float32)
            self._points = np.empty(2 * lanes + 64, np.float32)
            self._points_at = address_of(self._points)
            self._record[k.CLIP] = address_of(self._clip)
        if len(self._primitives) < max(primitives, 1):
            self._primitives = np.empty((2 * primitives + 64, 3), np.uint32)
            self._record[k.PRIMITIVES] = address_of(self._primitives)

    # ------------------------------------------------------------------ draws
    def prepare(
        self,
        program: ProgramFront,
        setup: int,
        point_sizes: int,
        mode: int,
        stream: Stream,
        vertices: Vertices,
        draw: int,
        *,
        has_fragments: bool,
        rasterizes: bool,
        multisampled: bool,
        depth_bits: int,
        reads_size: bool,
        first_provokes: bool,
    ) -> Geometry:
        """Assemble, clip, cull, transform and rasterize the primitives of one draw.

        Parameters
        ----------
        setup : address of the primitive set-up state, one row of SETUP_DTYPE
        point_sizes : address of (3,) float32: least, largest, and that of points whose shader writes none
        mode : GL primitive mode
        stream, vertices : of the draw
        draw : row of draws, for the tables
        has_fragments : primitives reach the fragment stage
        rasterizes : write quads (of one sample a pixel); else only plane equations
        multisampled : the target has several samples a pixel
        depth_bits : of the target, see :func:`replay.engine.geometry.depth_bits`
        reads_size : gl_PointSize counts
        first_provokes : flat values are those of a primitive's first vertex (desktop GL), not of its last
        """
        k = self._kernel or self._start()
        tables = self._tables
        count = num_primitives(mode, stream)
        kind = kind_of(mode)
        rows = len(stream.index)
        lanes = len(stream.lane_index)
        self._provide_lanes(lanes, count)
        # Room that most draws do with; what is lacking is seen when the kernel says so.
        emitted_room = count + (count >> 3) + 64
        vertex_first = tables.vertices.reserve(rows) if tables.vertices.has_columns else 0
        first = tables.primitives.reserve(count)
        base, attribute, quad = tables.emitted.num_rows, tables.attributes.num_rows, tables.quads.num_rows
        tables.emitted.ensure(emitted_room)
        tables.attributes.ensure(1)
        tables.quads.ensure(1)
        self._provide_work(emitted_room)
        self._note_tables_if_moved()
        if first_provokes:
            from replay.engine.kernels.assembly import assemble

            assembled = self._primitives[:count]
            assemble(mode, stream.run_first, stream.run_count, assembled)
            put_first_last(mode, stream, assembled)
        distances = vertices.distances if vertices.distances is not None else _NO_DISTANCES
        paths, outputs, arena = vertices.paths, vertices.outputs, self._arena
        _FIELDS.pack_into(
            self._bytes,
            8 * k.ROOM,
            min(tables.emitted.room, len(self._work[0])),
            tables.attributes.room,
            tables.quads.room,
            arena.address,
            arena.room,
            *stream.fields,
            0,
            draw,
            vertex_first,
            first,
            base,
            attribute,
            quad,
            count,
            vertices.index_bytes,
            vertices.index_address,
            0 if paths is None else address_of(paths),
            vertices.path,
            address_of(outputs),
            outputs.shape[1],
            address_of(distances),
            distances.shape[1],
            first_provokes,
            self._points_at if kind is PrimitiveKind.POINT else 0,
            mode,
            setup,
            point_sizes,
            rasterizes,
            multisampled,
            depth_bits,
            has_fragments,
            *(program.fields if reads_size else program.fields_without_size),
        )
        self._run(tables)
        return self._finish(kind, count, first, base, attribute, quad, program, has_fragments)

    def _note_tables_if_moved(self) -> None:
        if [table.version for table in self._tables_of] != self._versions:
            self._note_tables()

    def _run(self, tables: Tables) -> None:
        """Call the kernel until there is room for everything."""
        k, r = self._kernel, self._record
        while True:
            lacking = k.prepare_draw(r)
            if lacking == k.DONE:
                return
            needed = int(r[k.NEEDED])
            arena = self._arena
            if lacking == k.NEED_EMITTED:
                tables.emitted.ensure(needed)
                self._provide_work(needed)
            elif lacking == k.NEED_ATTRIBUTES:
                tables.attributes.ensure(needed)
            elif lacking == k.NEED_QUADS:
                tables.quads.ensure(needed)
            else:
                arena.provide(needed)
            self._note_tables_if_moved()
            r[k.ROOM : k.ROOM + 5] = (
                min(tables.emitted.room, len(self._work[0])),
                tables.attributes.room,
                tables.quads.room,
                arena.address,
                arena.room,
            )
            r[k.PHASE] = lacking

    def _finish(
        self,
        kind: PrimitiveKind,
        count: int,
        first: int,
        base: int,
        attribute: int,
        quad: int,
        program: ProgramFront,
        has_fragments: bool,
    ) -> Geometry:
        """Count the rows that were written."""
        tables = self._tables
        _, n, quads, fragments, _, _, used = self._results.tolist()
        tables.emitted.num_rows = base + n
        words = program.plane_words
        planes, fronts = NO_PLANES, NO_FRONTS
        if has_fragments:
            assert program.varyings is not None
            tables.attributes.num_rows = attribute + 3 * program.varyings.num_attributes * n
            tables.quads.num_rows = quad + quads
            if used:
                taken = self._arena.take(used)
                planes = taken[: 4 * n * words].view(np.float32).reshape(n, words)
                fronts = taken[4 * n * words :]
        return Geometry(kind, count, first, base, n, planes, fronts, self, quad, quads, fragments)


NO_PLANES: Final = np.zeros((0, 1), np.float32)
NO_FRONTS: Final = np.zeros(0, np.uint8)
