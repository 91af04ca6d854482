"""The front of draws as Python sees it: what lies between a program's stages, and the working memory.

The front itself is compiled (:mod:`replay.engine.kernels.front`); it writes straight into the tables of the frame.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.entries import LINE_KERNELS
from replay.engine.kernels.records import COLUMNS, CORNER_DTYPE, FRONT, FRONT_COLUMNS, INTERFACE, POLYGON_DTYPE
from replay.engine.programs import LinkedProgram
from replay.engine.tables import Tables
from replay.engine.varyings import Varyings, match_varyings
from traceformat.native.records import address_of

__all__ = ["FrontMemory", "ProgramFront"]

_LEAST_ROWS: Final = 256
_LEAST_LANES: Final = 64
_COLUMNS_AT: Final = FRONT.place("columns")


class ProgramFront:
    """What the front needs of a linked program.

    Attributes
    ----------
    varyings : what the fragment stage reads, None without one
    input_rows, output_rows : of the stage that gives the vertices: the vertex or a geometry stage
    plane_words : words of a primitive's plane equations
    interfaces : addresses of its INTERFACE records: where gl_PointSize does not count, and where it does
    """

    def __init__(self, linked: LinkedProgram) -> None:
        vertex, fragment = linked.program.last_vertex_stage, linked.program.fragment
        assert vertex is not None
        layout = linked.facts(vertex.stage).layout
        position = point = -1
        for slot, first in zip(vertex.outputs, layout.output_rows, strict=True):
            if slot.builtin == "gl_Position":
                position = first
            elif slot.builtin == "gl_PointSize" and slot.static_write:
                point = first
        self.input_rows, self.output_rows = layout.num_input_rows, max(layout.num_output_rows, 1)
        self.varyings: Varyings | None = None
        self.plane_words = 0
        planes: dict[str, int] = {}
        if fragment is not None:
            varyings = self.varyings = match_varyings(vertex, layout.output_rows, fragment)
            self.plane_words = linked.facts("fragment").layout.num_plane_words
            planes = {
                "varying_rows": address_of(varyings.rows),
                "varying_flat": address_of(varyings.flat),
                "num_varyings": len(varyings.flat),
                "plane_attribute": address_of(varyings.attribute),
                "plane_component": address_of(varyings.component),
                "plane_mode": address_of(varyings.mode),
                "num_planes": len(varyings.mode),
                "plane_words": self.plane_words,
            }
        self._rows = [
            INTERFACE.row(output_rows=self.output_rows, position_row=position, point_row=row, **planes)
            for row in (-1, point)
        ]
        self.interfaces = (self._rows[0].address, self._rows[1].address)

    @classmethod
    def of(cls, linked: LinkedProgram) -> ProgramFront:
        """The front of a program, made once."""
        known: ProgramFront | None = linked.stages.get("front")
        if known is None:
            known = linked.stages["front"] = cls(linked)
        return known


class FrontMemory:
    """The front's record with its working memory; what it holds of a draw is there until the next one.

    Parameters
    ----------
    tables : of the frame, see :meth:`bind`

    Attributes
    ----------
    record : its FRONT
    work_rows : emitted primitives that there is memory for
    points_at, primitives_at : where sizes of points and primitives go
    """

    def __init__(self, tables: Tables) -> None:
        #: Each with its columns, what packs where they lie, and where they lay when that was taken down last.
        self._tables: list[list[Any]] = []
        self.bind(tables)
        self._polygon = np.zeros(1, POLYGON_DTYPE)
        self.record: Any = FRONT.row(polygon=address_of(self._polygon))
        self._clip = np.empty((0, 4), np.float32)
        self._points = np.empty(0, np.float32)
        self._corners = np.empty(0, CORNER_DTYPE)
        self._primitives = np.empty((0, 3), np.uint32)
        self._work: dict[str, NDArray[Any]] = {}
        self.work_rows = 0
        self.points_at = self.primitives_at = 0

    def bind(self, tables: Tables | None) -> None:
        """Work for these tables from now on; None: let go of those that there are."""
        self._tables = (
            []
            if tables is None
            else [
                [getattr(tables, name), keys, COLUMNS.packer(*[f"{name}_{key}" for key in keys]), None]
                for name, keys in FRONT_COLUMNS.items()
            ]
        )

    @property
    def is_bound(self) -> bool:
        """Whether it works for tables."""
        return bool(self._tables)

    @property
    def num_bytes(self) -> int:
        """Bytes that it takes."""
        arrays = (self._clip, self._points, self._corners, self._primitives, *self._work.values())
        return sum([array.nbytes for array in arrays])

    # ------------------------------------------------------------------ the last draw
    def primitives(self, count: int) -> NDArray[np.uint32]:
        """(P, 3) rows of the stream of its primitives."""
        return self._primitives[:count]

    def depth_plane(self, count: int) -> NDArray[np.float64]:
        """(E, 3) depth planes of its emitted primitives."""
        plane: NDArray[np.float64] = self._work["depth_plane"][:count]
        return plane

    def clip(self, count: int) -> NDArray[np.float32]:
        """(N, 4) clip coordinates of its lanes."""
        return self._clip[:count]

    def expect_lines(self) -> None:
        """Have what lines and points need."""
        if not self.record.line_planes:
            for name, kernel in LINE_KERNELS.items():
                setattr(self.record, name, kernel.address)

    # ------------------------------------------------------------------ room
    def provide(self, lanes: int, primitives: int, emitted: int) -> None:
        """Make sure of working memory for draws of so many lanes, primitives, and emitted primitives."""
        record = self.record
        if len(self._clip) < max(lanes, 1):
            self._clip = np.empty((2 * lanes + _LEAST_LANES, 4), np.float32)
            self._points = np.empty(2 * lanes + _LEAST_LANES, np.float32)
            self._corners = np.empty(2 * lanes + _LEAST_LANES, CORNER_DTYPE)
            self.points_at, record.clip = address_of(self._points), address_of(self._clip)
            record.corners = address_of(self._corners)
        if len(self._primitives) < max(primitives, 1):
            self._primitives = np.empty((2 * primitives + _LEAST_LANES, 3), np.uint32)
            self.primitives_at = address_of(self._primitives)
        if self.work_rows < emitted:
            self.work_rows = size = max(2 * emitted, _LEAST_ROWS)
            self._work = {
                "window": np.empty((size, 3, 4), np.float32),
                "nodes": np.empty((size, 3), np.uint8),
                "depth_plane": np.empty((size, 3), np.float64),
                "primitive": np.empty(size, np.uint32),
            }
            for name, array in self._work.items():
                setattr(record, name, address_of(array))

    def note_tables(self) -> None:
        """Take down where the columns lie, if they have moved."""
        for noted in self._tables:
            table, keys, packer, addresses = noted
            if addresses is not table.addresses:
                noted[3] = addresses = table.addresses
                find = addresses.get
                packer.put(self.record.memory, _COLUMNS_AT, *[find(key, 0) for key in keys])
