"""Tables of draws and tiles that a study asks for beside those of frames: what a run keeps of them.

A table is kept as columns, JSON values each, under a key of its own beside the run's: a study that asks for it later
runs what lacks it, and one that does not finds the runs done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gpumodel.study.identity import run_key
from traceformat.gputrace.frametrace import FrameRole

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun
    from gpumodel.results import FrameResult
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["DRAWS", "TABLES", "TILES", "DetailTable", "TileRows", "detail_key", "draw_rows"]

DRAWS: Final = "draws"
TILES: Final = "tiles"
#: Tables that a study can ask for, and the version of each.
TABLES: Final = {DRAWS: 1, TILES: 1}
#: What the units say of a tile; cycles since the pass began, -1 for a tile that was left out.
_OF_TILES: Final = ("x0", "y0", "raster_unit", "pair_count", "quads", "shaded")

Columns = Mapping[str, Sequence[Any]]


def detail_key(identity: Mapping[str, Any], table: str) -> str:
    """What a table of a run is known by."""
    return run_key({**identity, "table": table, "table_schema": TABLES[table]})


class DetailTable:
    """Rows of a run, column by column; a column that some rows do not have is 0 there, or empty."""

    def __init__(self) -> None:
        self.num_rows = 0
        self.columns: dict[str, list[Any]] = {}

    def add(self, num_rows: int, columns: Columns, **same: Any) -> None:
        """Append rows.

        Parameters
        ----------
        same : what all of them have in common
        """
        given = {**{name: [value] * num_rows for name, value in same.items()}, **columns}
        for name, values in given.items():
            if name not in self.columns:
                self.columns[name] = [_nothing(values)] * self.num_rows
            self.columns[name] += values
        for name, column in self.columns.items():
            if name not in given:
                column += [_nothing(column)] * num_rows
        self.num_rows += num_rows


def _nothing(like: Sequence[Any]) -> Any:
    return type(like[0])() if like else 0


def draw_rows(table: DetailTable, segment: int, frame: FrameResult) -> None:
    """Append what the draws of a frame cost, and the work that they share (:mod:`gpumodel.attribution`)."""
    found = frame.attribution
    assert found is not None
    names = found.name_columns()
    names["textures"] = [" ".join(map(str, textures)) for textures in names["textures"]]
    numbers = {name: values.tolist() for name, values in found.number_columns().items()}
    table.add(found.num_rows, {**names, **numbers}, segment=segment, frame=frame.frame)


class TileRows:
    """Takes the tiles of each measured pass as it ends; called as what keeps logs, it keeps none."""

    def __init__(self, table: DetailTable, segment: int) -> None:
        self._table, self._segment = table, segment

    def __call__(self, given: FrameTrace, done: PassRun) -> bool:
        """Take a pass; its log is not kept."""
        if given.role is FrameRole.MEASURED:
            tiles = done.streams.tiles
            columns = {name: tiles[name].tolist() for name in _OF_TILES}
            for name in ("start", "end"):
                columns[f"{name}_cycle"] = np.where(tiles[name] < 0, -1, tiles[name] - done.start).tolist()
            self._table.add(
                len(tiles), columns, segment=self._segment, frame=given.frame, part=done.streams.part.number,
                **{"pass": done.streams.index},
            )  # fmt: skip
        return False
