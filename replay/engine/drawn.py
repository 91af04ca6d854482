"""A draw on its way from the state of GL to its batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import ClientArray, Query
from traceformat.native.records import address_of

if TYPE_CHECKING:
    from replay.engine.constants import StageConstants
    from replay.engine.input_cache import Common, DrawnRange
    from replay.engine.paths import FramePaths
    from replay.engine.setting import Setting
    from replay.engine.stages import StageRun
    from replay.engine.tables import Tables
    from replay.engine.vertex_fetch import Stream
    from replay.engine.vertex_source import FetchPlace, VertexSource

__all__ = ["UNSHADED", "Drawn", "Emitted", "Queued", "Vertices"]


@dataclass(slots=True)
class Vertices:
    """Vertices of a draw that were shaded before it is queued.

    Parameters
    ----------
    stage : that did it
    outputs : (rows, width) float32
    paths : (lanes,) path of each lane, or None where all take ``path``; -1 where they have no numbers yet
    distances : (lanes, D) clip distances, or None
    hashes : of paths that get their numbers behind the batch, see :meth:`number`
    """

    stage: StageRun
    outputs: NDArray[np.float32]
    paths: NDArray[np.uint32] | None
    path: int
    distances: NDArray[np.float32] | None
    hashes: NDArray[np.uint64] | None = None

    def number(self, frame: FramePaths, program: int, block_first: int) -> bool:
        """Give numbers to the paths, which draws before have; tells whether there are more than are kept."""
        assert self.hashes is not None
        book = self.stage.book
        book.begin_draw(frame, program, block_first)
        self.paths = book.number_vertices(self.stage, self.hashes, len(self.hashes))
        return book.fell_back

    def fields(self) -> dict[str, int]:
        """Those of the draw's record."""
        distances = self.distances
        return {
            "outputs": address_of(self.outputs),
            "output_width": self.outputs.shape[1],
            "paths": 0 if self.paths is None else address_of(self.paths),
            "distances": 0 if distances is None else address_of(distances),
            "num_distances": 0 if distances is None else distances.shape[1],
        }


#: Fields of a draw whose vertices the batch shades.
UNSHADED: Final = {"outputs": 0, "output_width": 0, "paths": 0, "distances": 0, "num_distances": 0}


@dataclass(slots=True)
class Emitted:
    """What the stages behind the vertex stage made of a draw, with the vertices that went in.

    Parameters
    ----------
    mode : GL mode of what they give
    invocation : (E,) invocation that made each vertex
    fetched : the vertex stage's vertices
    index : bytes of an index and address of the first one
    shaded : what the vertex stage made of them
    paths : (lanes,) path of each invocation, None where nobody wants them
    num_invocations : lanes of all these stages: of the control, the evaluation and the geometry stage
    """

    mode: int
    invocation: NDArray[np.uint32]
    fetched: Stream
    shaded: Vertices
    paths: NDArray[np.uint32] | None
    num_invocations: int

    @classmethod
    def fetched_ones(cls, mode: int, fetched: Stream, shaded: Vertices) -> Emitted:
        """Fetched vertices themselves, which stand in front of where invocations would."""
        invocation = np.arange(fetched.num_rows, dtype=np.uint32) - np.uint32(fetched.num_rows)
        return cls(mode, invocation, fetched, shaded, None, 0)

    def then(
        self, mode: int, invocation: NDArray[np.uint32], paths: NDArray[np.uint32] | None, num_invocations: int
    ) -> Emitted:
        """What another stage made of this."""
        known = [one for one in (self.paths, paths) if one is not None]
        return Emitted(
            mode,
            invocation + np.uint32(self.num_invocations),
            self.fetched,
            self.shaded,
            np.concatenate(known) if known else None,
            self.num_invocations + num_invocations,
        )

    @property
    def num_work_rows(self) -> int:
        """Rows of ``vertices``: fetched vertices, then invocations."""
        return self.fetched.num_rows + self.num_invocations

    def list_work(self, tables: Tables, index: tuple[int, int], num_listed: int, primitive_first: int) -> None:
        """Replace the rows of ``vertices`` that the batch listed, the emitted vertices, by the work for them.

        Parameters
        ----------
        index : bytes of an index, 0 where there is none, and address of the first one
        num_listed : rows to replace, the table's last ones
        primitive_first : first row of the draw's primitives, the table's last ones
        """
        vertices, primitives = tables.vertices, tables.primitives
        if not vertices.has_columns:
            return
        first = vertices.num_rows - num_listed
        vertices.num_rows = first
        vertices.reserve(self.num_work_rows)
        arrays, behind = self.fetched.arrays, first + self.fetched.num_rows
        size, address = index
        columns: dict[str, tuple[Any, Any]] = {
            "index": (arrays.index, 0),
            "instance": (arrays.instance, 0),
            "index_address": (address + size * arrays.position if size else 0, 0),
            "path": (
                self.shaded.path if self.shaded.paths is None else self.shaded.paths[arrays.lane],
                0 if self.paths is None else self.paths,
            ),
        }
        for key, (of_vertices, of_invocations) in columns.items():
            if key in vertices:
                vertices[key][first:behind] = of_vertices
                vertices[key][behind : vertices.num_rows] = of_invocations
        own = primitives["vertex"][primitive_first : primitives.num_rows]
        own[...] = self.invocation[own - np.uint32(first)] + np.uint32(behind)


class Queued(Protocol):
    """What a batch keeps of a draw."""

    @property
    def setting(self) -> Setting:
        """What it has in common with others."""

    @property
    def taken(self) -> DrawnRange:
        """Which its vertices are."""

    @property
    def vertices(self) -> Vertices | None:
        """Those that were shaded before it was queued."""

    @property
    def constants(self) -> dict[str, StageConstants]:
        """Of its stages."""


# Without slots: what is not said stays with the class, and most draws say little.
@dataclass(eq=False)
class Drawn:
    """A draw with what it needs of the state.

    Parameters
    ----------
    setting : what it has in common with others
    source, taken : where its vertices come from, and which they are
    place : what the batch fetches
    call_number : of the draw call
    flags : DrawFlags beside those of the state
    groups : debug groups that are open, with their labels
    clients : what the arrays in client memory that ``place`` names held
    fetches, num_fetches : its rows of ``vertex_fetches``, packed
    bindings : its rows of ``texture_bindings``, packed, and how many
    packed, changed : packed constants, and uniforms that have changed since the program's draw before; of a program
        whose constants follow from these
    found_constants : of its stages, None where they follow from ``packed``
    vertices : shaded before it is queued, None where the batch does that
    query : counts its fragments
    kept : what else its record points to; set-up state and where it lies, to begin with
    stores : memory of the buffers that it reads, which may be given other memory while it waits
    common : what it has in common with others, if it is written down together with these
    emitted : what stages behind the vertex stage made of its primitives; ``taken`` and ``vertices`` are that then
    is_of_layer : it is what a draw sends to one layer of several
    """

    setting: Setting
    source: VertexSource
    call: DrawCall
    taken: DrawnRange
    place: FetchPlace | None
    call_number: int
    flags: int
    groups: Sequence[tuple[object, str]]
    clients: tuple[ClientArray | None, ...] = field(init=False, default=())
    fetches: bytes = field(init=False, default=b"")
    num_fetches: int = field(init=False, default=0)
    bindings: tuple[bytes, int] = field(init=False, default=(b"", 0))
    packed: bytes = field(init=False, default=b"")
    changed: frozenset[int] = field(init=False, default=frozenset())
    found_constants: dict[str, StageConstants] | None = field(init=False, default=None)
    vertices: Vertices | None = field(init=False, default=None)
    query: Query | None = field(init=False, default=None)
    kept: Any = field(init=False, default=None)
    stores: object = field(init=False, default=None)
    common: Common | None = field(init=False, default=None)
    emitted: Emitted | None = field(init=False, default=None)
    is_of_layer: bool = field(init=False, default=False)

    @property
    def constants(self) -> dict[str, StageConstants]:
        """Of its stages."""
        found = self.found_constants
        if found is None:
            setting = self.setting
            found = setting.linked.gathered_constants(setting.executable, self.packed, self.changed)
            self.found_constants = found
        return found

    @property
    def mode(self) -> int:
        """GL mode of the primitives that reach the clipper."""
        return self.call.mode if self.emitted is None else self.emitted.mode
