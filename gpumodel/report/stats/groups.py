"""Adds counts up by frame, draw, object, program and texture, and makes the two kinds of means.

A ratio of a group is given as ratio of sums over everything in the group, as mean of the ratios of the frames in which
the group occurs, and as mean of the ratios of its draws (where a draw has that ratio by itself). A frame or draw
without the denominator does not enter a mean.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.report.stats.columns import COUNT_INDEX, COUNTS, FRAME_COUNTS, PER_DRAW_RATIOS, RATIOS, ratios_of
from gpumodel.report.stats.frame import FrameCounts
from traceformat.gles.enum_names import enum_name
from traceformat.gputrace.frametrace import FrameTrace, ObjectRule

__all__ = ["By", "Group", "Statistics"]

_RULES: Final = {int(rule): rule.name.lower() for rule in ObjectRule}
_FRAME_PLACES: Final = [COUNT_INDEX[count.name] for count in FRAME_COUNTS]


class By(StrEnum):
    """What rows of statistics stand for."""

    FRAME = "frame"
    DRAW = "draw"
    OBJECT = "object"
    PROGRAM = "program"
    TEXTURE = "texture"


@dataclass(slots=True)
class Group:
    """A row of statistics.

    Parameters
    ----------
    key : what the row stands for, in the order in which it is shown
    counts : (C,) int64, COUNTS
    """

    key: Mapping[str, Any]
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(COUNTS), np.int64))
    _frame_sum: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(RATIOS)))
    _frame_count: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(RATIOS), np.int64))
    _draw_sum: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(RATIOS)))
    _draw_count: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(RATIOS), np.int64))

    def add(self, frame: NDArray[np.int64], draws: NDArray[np.int64]) -> None:
        """Add what the group has in one more frame.

        Parameters
        ----------
        frame : (C,) counts of the group in the frame
        draws : (D, C) counts of its draws there
        """
        self.counts += frame
        ratios = ratios_of(frame)
        self._frame_sum += np.nan_to_num(ratios)
        self._frame_count += ~np.isnan(ratios)
        each = ratios_of(draws)
        self._draw_sum += np.nan_to_num(each).sum(axis=0)
        self._draw_count += (~np.isnan(each)).sum(axis=0)

    def ratio_of_sums(self) -> NDArray[np.float64]:
        """Ratios of the group's sums, (R,); NaN where there is none."""
        return ratios_of(self.counts)

    def mean_over_frames(self) -> NDArray[np.float64]:
        """Means of the frames' ratios, (R,); NaN where there is none."""
        return _mean(self._frame_sum, self._frame_count)

    def mean_over_draws(self) -> NDArray[np.float64]:
        """Means of the draws' ratios, (R,); NaN where there is none."""
        return np.where(PER_DRAW_RATIOS, _mean(self._draw_sum, self._draw_count), np.nan)


class Statistics:
    """Statistics of a trace, fed frame by frame.

    Parameters
    ----------
    by : groupings wanted beside the total
    """

    def __init__(self, by: Sequence[By]) -> None:
        self.total = Group({})
        self.groups: dict[By, list[Group]] = {one: [] for one in by}
        self._places: dict[By, dict[Hashable, int]] = {one: {} for one in by}

    def add(self, counts: FrameCounts) -> None:
        """Add a frame."""
        self.total.add(counts.frame, counts.draws)
        for by in self.groups:
            for identity, key, rows in _MEMBERS[by](counts):
                place = self._places[by].setdefault(identity, len(self.groups[by]))
                if place == len(self.groups[by]):
                    self.groups[by].append(Group(key()))
                draws = counts.draws[rows]
                frame = counts.frame if by is By.FRAME else draws.sum(axis=0)
                frame[_FRAME_PLACES] = counts.frame[_FRAME_PLACES]
                self.groups[by][place].add(frame, draws)


#: A group's identity, its key (made for the first frame that has it), and its rows of draws.
_Member = tuple[Hashable, Callable[[], Mapping[str, Any]], NDArray[np.int64] | slice]


def _frames(counts: FrameCounts) -> Iterator[_Member]:
    number = counts.trace.frame
    yield number, lambda: {"frame": number}, slice(None)


def _draws(counts: FrameCounts) -> Iterator[_Member]:
    trace = counts.trace
    table = trace["draws"]
    for row in range(table.num_rows):

        def key(row: int = row) -> Mapping[str, Any]:
            return {
                "frame": trace.frame,
                "draw": row,
                "call": int(table["call"][row]),
                "mode": enum_name(int(table["mode"][row]), "PrimitiveType") or int(table["mode"][row]),
                **_object_key(trace, int(table["object"][row])),
                "program": int(trace["programs"]["id"][table["fragment_program"][row]]),
            }

        yield (trace.frame, row), key, np.array([row])


def _objects(counts: FrameCounts) -> Iterator[_Member]:
    trace = counts.trace
    owner = trace["draws"]["object"].astype(np.int64)
    for row, rows in _rows_of(owner):

        def key(row: int = row) -> Mapping[str, Any]:
            rule = int(trace["objects"]["rule"][row])
            return {**_object_key(trace, row), "rule": _RULES.get(rule, str(rule))}

        yield int(trace["objects"]["id"][row]), key, rows


def _programs(counts: FrameCounts) -> Iterator[_Member]:
    trace = counts.trace
    table, programs = trace["draws"], trace["programs"]
    owner = table["fragment_program"].astype(np.int64)
    for row, rows in _rows_of(owner):
        vertex = int(table["vertex_program"][rows[0]])

        def key(row: int = row, vertex: int = vertex) -> Mapping[str, Any]:
            return {
                "program": int(programs["id"][row]),
                "version": int(programs["version"][row]),
                "vs_length": int(programs["num_instructions"][vertex]),
                "fs_length": int(programs["num_instructions"][row]),
                "fs_textures": int(programs["num_tex"][row]),
            }

        # Programs of two contexts may have the same name, but no two lie at one address.
        identity = (int(programs["id"][row]), int(programs["version"][row]), int(programs["code_address"][row]))
        yield identity, key, rows


def _textures(counts: FrameCounts) -> Iterator[_Member]:
    trace = counts.trace
    draws, bindings = trace["draws"], trace["texture_bindings"]
    number = draws["texture_count"].astype(np.int64)
    draw = np.repeat(np.arange(draws.num_rows), number)
    # Bindings of a draw are consecutive; the ranges themselves need not be.
    offset = np.arange(len(draw)) - np.repeat(np.cumsum(number) - number, number)
    binding = np.repeat(draws["texture_first"].astype(np.int64), number) + offset
    if len(draw) == 0:
        return
    identities = np.stack(
        [bindings["texture"][binding].astype(np.int64), bindings["address"][binding].astype(np.int64)]
    )
    _, first, inverse = np.unique(identities, axis=1, return_index=True, return_inverse=True)
    for place, rows in _rows_of(inverse.reshape(-1)):
        row = int(binding[first[place]])

        def key(row: int = row) -> Mapping[str, Any]:
            return {
                "texture": int(bindings["texture"][row]),
                "target": _gl_name(int(bindings["target"][row])),
                "format": _gl_name(int(bindings["format"][row])),
                "width": int(bindings["width"][row]),
                "height": int(bindings["height"][row]),
                "levels": int(bindings["levels"][row]),
            }

        # A draw that has the texture on two units counts once.
        yield (int(bindings["texture"][row]), int(bindings["address"][row])), key, np.unique(draw[rows])


_MEMBERS: Final[Mapping[By, Callable[[FrameCounts], Iterator[_Member]]]] = {
    By.FRAME: _frames,
    By.DRAW: _draws,
    By.OBJECT: _objects,
    By.PROGRAM: _programs,
    By.TEXTURE: _textures,
}


def _rows_of(owner: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each value with the rows that have it, values in the order of their first row."""
    if len(owner) == 0:
        return
    order = np.argsort(owner, kind="stable")
    starts = np.flatnonzero(np.diff(owner[order], prepend=owner[order[0]] - 1))
    parts = sorted(np.split(order, starts[1:]), key=lambda part: int(part[0]))
    for part in parts:
        yield int(owner[part[0]]), part


def _object_key(trace: FrameTrace, row: int) -> dict[str, Any]:
    objects = trace["objects"]
    return {"object": int(objects["id"][row]), "label": trace.labels[int(objects["label"][row])]}


def _gl_name(value: int) -> str:
    name = enum_name(value)
    return name.removeprefix("GL_") if name else hex(value)


def _mean(total: NDArray[np.float64], count: NDArray[np.int64]) -> NDArray[np.float64]:
    out = np.full(len(total), np.nan)
    np.divide(total, count, out=out, where=count > 0)
    return out
