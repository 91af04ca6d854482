"""The passes of a frame, one by one: what works through a frame holds one pass of it at a time.

A pass is a :class:`.frametrace.FrameTrace` with the frame's head (its small tables: all passes, events, draws,
programs, paths ...) and its own rows of PASS_TABLES, counted from 0. Frames whose passes wait elsewhere give them from
there (:class:`JoinedTables`); out of frames that are there as a whole they are cut. Who asks a frame for a table of all
its passes gets it, joined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.check import check_frame, check_head, check_rows, references
from traceformat.gputrace.frametrace import PASS_TABLES, SCHEMA, FrameTrace, PassContent, PassSource, Table

__all__ = ["JoinedTables", "Passes", "announced", "passes_of"]

Array = NDArray[Any]
T = TypeVar("T")

#: Ranges of a draw's rows that lie one behind the other, and their tables.
_OF_DRAWS: Final = {"vertex": "vertices", "primitive": "primitives", "emitted": "emitted", "quad": "quads"}


class Passes(Sequence[FrameTrace]):
    """The passes of a frame; each is loaded when it is asked for, and let go of with its last holder."""

    def __init__(self, frame: FrameTrace, source: PassSource, needed: Collection[str] = ()) -> None:
        self._frame = frame
        self._source = source
        self._needed = needed
        self._tables = frame.tables.head if isinstance(frame.tables, JoinedTables) else dict(frame.tables)

    def __len__(self) -> int:
        return self._tables["passes"].num_rows

    @overload
    def __getitem__(self, index: int) -> FrameTrace: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FrameTrace]: ...
    def __getitem__(self, index: int | slice) -> FrameTrace | Sequence[FrameTrace]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        content, count = self._source.load(index), len(self)
        tables = {name: content.tables[name] if name in content.tables else self._tables[name] for name in SCHEMA}
        found = replace(
            self._frame, tables=tables, index=index, whole=self._frame,
            pixels=_Own(count, index, content.pixels), contents=_Own(count, index, content.contents),
        )  # fmt: skip
        if self._needed:
            check_rows(found, self._needed)
        return found


def passes_of(frame: FrameTrace, needed: Collection[str] = ()) -> Sequence[FrameTrace]:
    """Give the passes of a frame.

    Parameters
    ----------
    needed : columns that have to be there; the head is checked with them now, each pass as it comes, see
        :func:`.check.check_frame`

    Raises
    ------
    TraceFormatError : what is checked does not fit together
    """
    if isinstance(frame.tables, JoinedTables):
        check_head(replace(frame, tables=frame.tables.head), needed)
        return Passes(frame, frame.tables.source, needed)
    check_frame(frame, needed)
    # Most frames have one pass, which is all of it.
    return [frame] if frame["passes"].num_rows == 1 else Passes(frame, _Slices(frame))


class _Own(Sequence[T]):
    """What a pass that travels alone has, in the place of a sequence with an entry a pass."""

    def __init__(self, length: int, index: int, value: T) -> None:
        self._length = length
        self._index = index
        self._value = value

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if index != self._index:
            raise IndexError(f"pass {index}, where pass {self._index} travels alone")
        return self._value


class _Slices:
    """Passes of a frame that is there as a whole, and checked."""

    def __init__(self, frame: FrameTrace) -> None:
        self._frame = frame
        passes, draws = frame["passes"], frame["draws"]
        local = {f"{prefix}_first": np.array(draws[f"{prefix}_first"]) for prefix in _OF_DRAWS}
        #: First row and the row behind the last one of each pass, by table.
        self._rows: dict[str, list[tuple[int, int]]] = {table: [] for table in _OF_DRAWS.values()}
        for d0, count in zip(passes["draw_first"].tolist(), passes["draw_count"].tolist(), strict=True):
            for prefix, table in _OF_DRAWS.items():
                rows = (0, 0)
                if count:
                    last = d0 + count - 1
                    end = int(draws[f"{prefix}_first"][last]) + int(draws[f"{prefix}_count"][last])
                    rows = int(draws[f"{prefix}_first"][d0]), end
                self._rows[table].append(rows)
                local[f"{prefix}_first"][d0 : d0 + count] -= np.uint32(rows[0])
        self._draws = Table("draws", {**draws, **local})

    def load(self, index: int) -> PassContent:
        """Cut a pass out."""
        frame = self._frame
        rows = {table: slice(*ranges[index]) for table, ranges in self._rows.items()}
        quads = frame["quads"]
        rows["tex_ops"] = _used(quads["tex_first"][rows["quads"]], quads["tex_count"][rows["quads"]])
        tables = {name: frame[name] for name in PASS_TABLES}
        for name, own in rows.items():
            tables[name] = Table(name, {key: column[own] for key, column in frame[name].items()})
        for name, key, target in references():
            if name in rows and target in rows and key in tables[name]:
                cut = _cut(tables[name], key, rows[target].start)
                tables[name] = Table(name, {**tables[name], key: cut})
        pixels = frame.pixels[index] if frame.pixels else []
        contents = frame.contents[index] if frame.contents else []
        return PassContent({**tables, "draws": self._draws}, pixels, contents)


def _used(first: Array, count: Array) -> slice:
    """Rows that ranges refer to, and what lies between."""
    used = count > 0
    if not used.any():
        return slice(0, 0)
    first = first[used].astype(np.int64)
    return slice(int(first.min()), int((first + count[used]).max()))


def _cut(table: Table, key: str, first: int) -> Array:
    """A column whose rows are counted from ``first``; ranges without rows begin at 0."""
    column = table[key]
    moved = column.astype(np.int64) - first
    if key.endswith("_first"):
        moved[table[key.removesuffix("first") + "count"] == 0] = 0
    return moved.astype(column.dtype)


def announced(head: FrameTrace, source: PassSource, draw_counts: Sequence[int]) -> FrameTrace:
    """Frame of which everything but its passes is known.

    Parameters
    ----------
    head : its tables, without rows of PASS_TABLES; rows that draws refer to are counted in their pass. It becomes the
        frame where that has one pass
    source : where the passes are
    draw_counts : draws of each pass
    """
    count = len(draw_counts)
    if count == 1:
        # Rows of its one pass are rows of the frame.
        content = source.load(0)
        head.tables = {**head.tables, **content.tables}
        head.pixels, head.contents = [content.pixels], [content.contents]
        return head
    if count == 0:
        return head
    return replace(
        head, tables=JoinedTables(dict(head.tables), source, draw_counts),
        pixels=_Each(count, lambda index: source.load(index).pixels),
        contents=_Each(count, lambda index: source.load(index).contents),
    )  # fmt: skip


class _Each(Sequence[T]):
    """Something of each pass, loaded when it is asked for."""

    def __init__(self, length: int, load: Callable[[int], T]) -> None:
        self._length = length
        self._load = load

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._length))]
        return self._load(range(self._length)[index])


class JoinedTables(MutableMapping[str, Table]):
    """Tables of a frame whose passes wait elsewhere: its head, and of PASS_TABLES what all passes have, when asked for.

    Parameters
    ----------
    head : its tables; rows that draws refer to are counted in their pass
    source : where the passes are
    draw_counts : draws of each pass
    """

    def __init__(self, head: dict[str, Table], source: PassSource, draw_counts: Sequence[int]) -> None:
        self.head = head
        self.source = source
        self.draw_counts = draw_counts
        self._joined: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._joined:
            if name not in PASS_TABLES and name != "draws":
                return self.head[name]
            self._joined[name] = _JoinedTable(name, self.head["draws"], self.source, self.draw_counts)
        return self._joined[name]

    def __setitem__(self, name: str, table: Table) -> None:
        self._joined[name] = table

    def __delitem__(self, name: str) -> None:
        raise TypeError("a frame has all tables")

    def __iter__(self) -> Iterator[str]:
        return iter(self.head)

    def __len__(self) -> int:
        return len(self.head)


class _JoinedTable(Table):
    """A table of all passes: each column is joined when it is asked for, and kept."""

    __slots__ = ("_draw_counts", "_draws", "_known", "_source")

    def __init__(self, name: str, draws: Table, source: PassSource, draw_counts: Sequence[int]) -> None:
        super().__init__(name, {})
        self._draws = draws
        self._source = source
        self._draw_counts = draw_counts
        tables = [draws] if name == "draws" else (source.load(index).tables[name] for index in range(len(draw_counts)))
        known = {key for table in tables for key in table}
        self._known = [key for key in SCHEMA[name] if key in known]

    def __getitem__(self, key: str) -> Array:
        if key not in self._columns and key in self._known:
            self._columns[key] = self._join(key)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    @property
    def num_rows(self) -> int:
        """Rows of the table."""
        return len(self[self._known[0]]) if self._known else 0

    def _join(self, key: str) -> Array:
        """Give a column of all passes; one of them is loaded at a time."""
        spec = SCHEMA[self.name][key]
        target = spec.refers if spec.refers in PASS_TABLES else ""
        if self.name == "draws":
            return self._join_draws(key, target) if target else self._draws[key]
        begin, columns = 0, []
        for index in range(len(self._draw_counts)):
            tables = self._source.load(index).tables
            own = tables[self.name]
            # A pass that has no such column has 0 there.
            column = own[key] if key in own else np.zeros((own.num_rows, *spec.shape), spec.dtype)
            if len(self._draw_counts) == 1:
                return column
            columns.append((column.astype(np.int64) + begin).astype(column.dtype) if target else column.copy())
            begin += tables[target].num_rows if target else 0
        return np.concatenate(columns)

    def _join_draws(self, key: str, target: str) -> Array:
        """Give a column of draws that refers to rows of ``target``, which are counted in their pass."""
        column, shape = self._draws[key], SCHEMA["draws"][key].shape
        rows = [self._source.load(index).tables[target].num_rows for index in range(len(self._draw_counts))]
        begin = np.cumsum([0, *rows[:-1]])
        by = np.repeat(begin, self._draw_counts).reshape(-1, *(1,) * len(shape))
        if target == "color_data" and "draw_buffers" in self._draws:
            # Attachments that a draw leaves as they are have no colours.
            by = by * ((self._draws["draw_buffers"][:, None] >> np.arange(shape[0], dtype=np.uint8)) & 1)
        return np.asarray(column.astype(np.int64) + by, column.dtype)
