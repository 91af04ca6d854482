"""Quad maps: the sentences of thesis §6.3, and what every map has to keep."""

from __future__ import annotations

import typing

import numpy as np
import pytest
from numpy.typing import NDArray

from gpumodel import load_config
from gpumodel.config.schema import QuadMapName
from gpumodel.quad_maps import MAPPINGS, quad_map
from gpumodel.streams import tile_order
from traceformat.errors import ConfigError

SIDE = 16  # quads of a 32x32 tile


def maps(name: str, tile: int = 32) -> NDArray[np.uint8]:
    """(period, y, x) caches of a map of thesis §6.3."""
    settings = [f"fragment.quad_map={name!r}", f"tile.width={tile}", f"tile.height={tile}"]
    return quad_map(load_config("tbr-fhd", settings)).reshape(-1, tile // 2, tile // 2)


def edges(tile: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Left, right, top and bottom quads of a tile."""
    return [tile[:, 0], tile[:, -1], tile[0], tile[-1]]


def block_sizes(tile: NDArray[np.uint8]) -> list[int]:
    """Sides of the square blocks, aligned to themselves, that have one cache each."""
    sizes = []
    for size in (1, 2, 4, 8, 16):
        blocks = tile.reshape(SIDE // size, size, SIDE // size, size)
        if (blocks == blocks[:, :1, :, :1]).all():
            sizes.append(size)
    return sizes


def test_the_seventeen() -> None:
    assert [name.partition("-")[0] for name in MAPPINGS] == [str(k) for k in range(1, 18)]
    assert set(typing.get_args(QuadMapName)) == {"interleaved", "rows", "quadrants", *MAPPINGS}


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("tile", [16, 32, 64])
def test_every_quad_has_one_cache_and_every_cache_a_quarter(name: str, tile: int) -> None:
    for one in maps(name, tile):
        assert np.bincount(one.reshape(-1), minlength=4).tolist() == [(tile // 2) ** 2 // 4] * 4


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("tile", [16, 32, 64])
def test_neighbours_use_one_cache_on_both_sides_of_their_edge(name: str, tile: int) -> None:
    """§6.3: "all the caches have the same opportunities for benefiting from the sharing in the borders"; tiles that
    follow each other lie side by side.
    """
    one = maps(name, tile)
    for k in range(4):
        np.testing.assert_array_equal(one[k % len(one)][:, -1], one[(k + 1) % len(one)][:, 0])


def test_two_tiles_are_shown_of_each_map_and_four_of_the_first() -> None:
    """§6.3: "the mapping of two consecutive tiles, except for 1-quadrant that are shown the first four"."""
    for name, mapping in MAPPINGS.items():
        assert len(maps(name)) == mapping.period == (4 if name == "1-quadrant" else 2)
    rotation = maps("1-quadrant")
    assert len({tile.tobytes() for tile in rotation}) == 4
    # Each quarter meets each cache.
    for y, x in ((0, 0), (0, 8), (8, 0), (8, 8)):
        assert sorted(rotation[:, y, x]) == [0, 1, 2, 3]


def test_orders_of_tiles() -> None:
    """§6.3: scanline, except 10 (Z-order), 12 and 13 (snake)."""
    orders = {name: mapping.order for name, mapping in MAPPINGS.items() if mapping.order != "scanline"}
    assert orders == {"10-UD-L-x4-zorder": "z-order", "12-snake": "snake", "13-snake-fine": "snake"}
    np.testing.assert_array_equal(maps("9-UD-L-x4"), maps("10-UD-L-x4-zorder"))
    assert tile_order("snake", 3, 2).tolist() == [0, 1, 2, 5, 4, 3]
    assert tile_order("z-order", 3, 2).tolist() == [0, 1, 3, 4, 2, 5]


def test_caches_at_the_edges() -> None:
    """§6.3: 5 to 10 "all the caches share tile edges at each tile", 14 and 15 "at each tile two caches"."""
    for name in MAPPINGS:
        number = int(name.partition("-")[0])
        counts = {len(set(edge.tolist())) for tile in maps(name) for edge in edges(tile)}
        if 5 <= number <= 10:
            assert counts == {4}, name
        elif number in (14, 15):
            assert counts == {2}, name
    # 12 and 13: "each cache has room for inter-tile sharing in each tile", between tiles of a row.
    for name in ("12-snake", "13-snake-fine"):
        assert all(set(edge.tolist()) == {0, 1, 2, 3} for tile in maps(name) for edge in edges(tile)[:2])


def test_granularity() -> None:
    """§6.3: 11 "at a finer grain than by quadrants"; §6.4: "not as coarse as by quadrants neither as fine as by
    quads"; 2 to 4 "differ in the granularity".
    """
    assert [max(block_sizes(tile)) for tile in maps("11-blocking")] == [4, 4]
    assert [max(block_sizes(tile)) for tile in maps("1-quadrant")] == [8] * 4
    widths = {name: int(np.argmax(maps(name)[0][0] != maps(name)[0][0, 0])) for name in MAPPINGS}
    assert [widths[name] for name in ("2-vertical", "3-vertical-Q", "4-mini-vertical")] == [4, 1, 2]
    for name in ("2-vertical", "3-vertical-Q", "4-mini-vertical"):
        assert (maps(name) == maps(name)[:, :1]).all()
    for name in ("12-snake", "13-snake-fine"):
        assert (maps(name) == maps(name)[:, :, :1]).all()
    for name, size in (("5-UD-Q", 1), ("6-UD-Q-x2", 2), ("9-UD-L-x4", 4), ("16-mini-UD", 1), ("17-mini-UD-x2", 2)):
        assert max(block_sizes(maps(name)[0])) == size, name


def test_round_robin_maps_take_turns_along_both_axes() -> None:
    """§6.3: 5 to 10, 16 and 17 "schedule the workload in a round-robin fashion"."""
    for name in MAPPINGS:
        if int(name.partition("-")[0]) in (*range(5, 11), 16, 17):
            for tile in maps(name):
                for axis in (tile, tile.T):
                    # Each row and each column has each cache equally often.
                    assert all(np.bincount(line, minlength=4).tolist() == [4] * 4 for line in axis), name


def test_z_shape() -> None:
    """14: a Z of quads, 15: a Z of lines of four quads."""
    assert maps("14-Z-Q")[0][:2, :2].tolist() == [[0, 1], [2, 3]]
    assert maps("15-Z-L")[0][:2, :8].tolist() == [[0] * 4 + [1] * 4, [2] * 4 + [3] * 4]


@pytest.mark.parametrize("processors", [1, 2, 8])
def test_another_number_of_processors_is_refused(processors: int) -> None:
    config = load_config("tbr-fhd", ["fragment.quad_map='5-UD-Q'", f"fragment.processors={processors}"])
    with pytest.raises(ConfigError, match="made for 4 processors"):
        quad_map(config)
