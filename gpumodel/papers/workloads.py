"""The workload tables of the thesis on Parallel Tile Rendering: what is printed of each game, and what follows.

Columns have the names of ``gpureplay stats`` (:mod:`gpumodel.report.stats.columns`), so that a program and a game are
held against each other by name.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["COLUMNS", "PRINTED", "TILE", "Game", "games"]

#: Side of the thesis's tiles, pixels.
TILE: Final = 32
#: Columns of Tables 3.2 and 3.3, in their order.
PRINTED: Final = (
    "draws_per_frame", "vs_instructions_per_vertex", "primitives_per_draw", "primitives_per_tile",
    "fragments_per_primitive", "attributes_per_primitive", "fs_instructions_per_fragment", "alu_per_tex_instruction",
    "texels_per_fragment", "overdraw_after_early_z",
)  # fmt: skip
#: These, and the two that follow.
COLUMNS: Final = (*PRINTED, "overdraw_before_early_z", "early_z_killed_share")


@dataclass(frozen=True, slots=True)
class Game:
    """A game of the thesis.

    Parameters
    ----------
    alias : in lower case
    genre, view : as printed; the view is 2D, 2.5D or 3D
    width, height : of its picture, inferred from the printed primitives a tile
    columns : by name, COLUMNS
    source : table and row
    """

    alias: str
    genre: str
    view: str
    width: int
    height: int
    columns: Mapping[str, float]
    source: str

    @property
    def tiles(self) -> int:
        """Tiles of its screen."""
        return math.ceil(self.width / TILE) * math.ceil(self.height / TILE)

    @property
    def primitives(self) -> float:
        """Primitives a frame."""
        return self.columns["draws_per_frame"] * self.columns["primitives_per_draw"]


@cache
def games() -> Sequence[Game]:
    """The 19 games, in the tables' order."""
    text = (files("gpumodel.papers") / "thesis_workloads.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(_game(row) for row in rows)


def _game(row: Mapping[str, str]) -> Game:
    columns = {name: float(row[name]) for name in PRINTED}
    width, height = int(row["width"]), int(row["height"])
    fragments = columns["draws_per_frame"] * columns["primitives_per_draw"] * columns["fragments_per_primitive"]
    before = fragments / (width * height)
    columns["overdraw_before_early_z"] = before
    # Where hardly anything is killed the print's rounding would give less than nothing.
    columns["early_z_killed_share"] = max(1 - columns["overdraw_after_early_z"] / before, 0.0)
    return Game(row["alias"], row["genre"], row["view"], width, height, columns, row["source"])
