"""The thesis's tables as data: what follows from them holds them together."""

from __future__ import annotations

import pytest

from gpumodel.papers.workloads import COLUMNS, games
from gpumodel.report.stats.columns import RATIOS

#: Of the first row of the paper's text and a few others, by hand: alias, draws, overdraw before Early-Z, killed.
FOLLOWS = [
    ("bbr", 245.13, 3.38, 0.42),
    ("fo2", 257.24, 13.37, 0.66),
    ("rok", 61.73, 1.39, 0.01),
    ("sus", 65.6, 5.68, 0.53),
]


def test_columns_are_those_of_stats():
    assert set(COLUMNS) <= {ratio.name for ratio in RATIOS}
    assert len(games()) == 19
    assert all(list(game.columns) == list(COLUMNS) and game.source.startswith("thesis, Tables") for game in games())


@pytest.mark.parametrize("game", games(), ids=lambda game: game.alias)
def test_primitives_a_tile_tell_the_resolution(game):
    tiles = game.primitives / game.columns["primitives_per_tile"]
    # Both columns are rounded to a hundredth.
    assert tiles == pytest.approx(game.tiles, abs=game.tiles * 0.006 / min(game.columns["primitives_per_tile"], 6))


def test_what_follows():
    by_alias = {game.alias: game for game in games()}
    for alias, draws, before, killed in FOLLOWS:
        columns = by_alias[alias].columns
        assert columns["draws_per_frame"] == draws
        assert columns["overdraw_before_early_z"] == pytest.approx(before, abs=0.005)
        assert columns["early_z_killed_share"] == pytest.approx(killed, abs=0.006)
    assert sum(game.columns["early_z_killed_share"] < 0.02 for game in games()) == 3
