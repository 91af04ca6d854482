"""Small functions of the units as plain Python, each against a statement of its own of what it finds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gpumodel.units import arrange, depth, flush, raster
from traceformat.gputrace.frametrace import LoadOp, StoreOp


def plain(function: Any) -> Any:
    """Give what a compiled function was made of."""
    return function.py_func


def test_compare_functions() -> None:
    """GL_NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, ALWAYS."""
    for left in range(3):
        for right in range(3):
            expected = [False, left < right, left == right, left <= right, left > right, left != right, left >= right]
            found = [bool(plain(depth.compare)(func, left, right)) for func in range(8)]
            assert found == [*expected, True]


@pytest.mark.parametrize("mask", [255, 0, 15, 0xF0, 1])
def test_stencil_operations(mask: int) -> None:
    for stored in range(256):
        for reference in (0, 1, 77, 255):
            values = [
                stored, 0, reference, stored + 1 if stored < 255 else 255, stored - 1 if stored else 0, 255 - stored,
                (stored + 1) % 256, (stored + 255) % 256,
            ]  # fmt: skip
            for operation, value in enumerate(values):
                bits = [(value if mask >> k & 1 else stored) >> k & 1 for k in range(8)]
                found = plain(depth._stencil_result)(operation, stored, reference, mask)
                assert found == sum(bit << k for k, bit in enumerate(bits))


@pytest.mark.parametrize("samples", [1, 4])
def test_clears_of_a_part_of_a_tile(monkeypatch: pytest.MonkeyPatch, samples: int) -> None:
    rng = np.random.default_rng(samples)
    for function in ("clear_at", "tile_at"):
        monkeypatch.setattr(raster, function, lambda rows, at: rows[at])
    for _ in range(40):
        x0, y0, width, height = 16 * rng.integers(0, 3), 8 * rng.integers(0, 3), rng.integers(1, 17), rng.integers(1, 9)
        left, top = int(x0) + rng.integers(-5, 16), int(y0) + rng.integers(-5, 8)
        clear = SimpleNamespace(
            x0=left, y0=top, x1=left + rng.integers(0, 20), y1=top + rng.integers(0, 12), depth=99,
            depth_on=int(rng.integers(2)), stencil=int(rng.integers(256)), stencil_mask=int(rng.integers(256)),
        )  # fmt: skip
        tile = SimpleNamespace(x0=x0, y0=y0, width=width, height=height)
        before = rng.integers(0, 256, (2, 8, 16, samples))
        ru = SimpleNamespace(frame=0, front=0, depth=before[0].ravel().copy(), stencil=before[1].ravel().copy())
        geometry = SimpleNamespace(clears=[clear], tiles=[tile], samples=samples)
        system = SimpleNamespace(frame=[geometry], cfg=SimpleNamespace(tile_width=16))
        plain(raster.clear_tile)(system, ru, 0)
        y, x = np.mgrid[y0 : y0 + 8, x0 : x0 + 16]
        inside = (x >= clear.x0) & (x < clear.x1) & (y >= clear.y0) & (y < clear.y1)
        inside &= (x < x0 + width) & (y < y0 + height)
        bits = np.unpackbits(before[1].astype(np.uint8)[..., None], axis=-1)
        new, mask = (np.unpackbits(np.uint8([value])) for value in (clear.stencil, clear.stencil_mask))
        stencil = np.packbits(np.where(mask == 1, new, bits), axis=-1)[..., 0]
        cleared = inside[..., None]
        assert (ru.stencil == np.where(cleared, stencil, before[1]).ravel()).all()
        assert (ru.depth == np.where(cleared & (clear.depth_on == 1), 99, before[0]).ravel()).all()


@pytest.mark.parametrize("load", [0, 1])
def test_attachments_that_are_moved(load: int) -> None:
    """Colours below the pass's number that have bytes, in turn, then depth; nothing behind that."""
    rng = np.random.default_rng(load)
    colour, depth_target, none = range(8), 8, 9
    wanted = LoadOp.LOAD if load else StoreOp.STORE
    what = "load" if load else "store"
    for _ in range(300):
        ops = rng.integers(0, 3, 10)
        bytes_of = rng.integers(0, 2, 9) * 4
        g = SimpleNamespace(
            num_colors=int(rng.integers(0, 9)), color_bytes=bytes_of[:8], depth_bytes=int(bytes_of[8]),
            color_load=ops[:8], color_store=ops[:8], depth_load=0, depth_store=0, stencil_load=0, stencil_store=0,
        )  # fmt: skip
        setattr(g, f"depth_{what}", ops[8])
        setattr(g, f"stencil_{what}", ops[9])
        moved = [k for k in colour if k < g.num_colors and ops[k] == wanted and bytes_of[k]]
        if bytes_of[8] and wanted in ops[8:]:
            moved.append(depth_target)
        for first in range(10):
            expected = next((k for k in moved if k >= first), none)
            assert plain(flush._next_target)(g, first, load) == expected


def _binning(rng: np.random.Generator, side: int) -> tuple[Any, list[tuple[int, int]]]:
    """A triangle, and its bounds."""
    # Half of them are so small, and so near a tile's corner, that edge functions are 0 or 1.
    small = np.array((4096, 2048)) * rng.integers(1, 3, 2) + rng.integers(-3, 4, (3, 2))
    large = rng.integers(-side, 5 * side, (3, 2)) * 64
    corners = [(int(x), int(y)) for x, y in (small if rng.integers(2) else large)]
    low, high = ([min(c[k] for c in corners) >> 8 for k in (0, 1)], [max(c[k] for c in corners) >> 8 for k in (0, 1)])
    return arrange.Binning(
        0, 1, side, side // 2, 3, 4, np.array([c[0] for c in corners], np.int32),
        np.array([c[1] for c in corners], np.int32), np.array([*low, *high], np.int32), np.array([3], np.int32),
        np.zeros(0, np.int32), np.zeros(0, np.int32),
    ), corners  # fmt: skip


def test_tiles_of_bounds_that_reach_out_of_the_screen() -> None:
    """Those of the screen that hold one of the pixels, whatever lies beside it."""
    rng = np.random.default_rng(6)
    seen: set[tuple[int, int]] = set()
    for _ in range(400):
        width, height = (1 << int(k) for k in rng.integers(2, 6, 2))
        across, down = (int(k) for k in rng.integers(1, 6, 2))
        x, y = (np.sort(rng.integers(-30, side * n + 30, 2)) for side, n in ((width, across), (height, down)))
        bounds = [0, 0, 0, 0, x[0], y[0], x[1], y[1]]
        zeros = np.zeros(6, np.int32)
        b = arrange.Binning(0, 0, width, height, across, down, zeros, zeros, np.array(bounds, np.int32),
                            np.full(2, 3), np.zeros(0, np.int32), np.zeros(0, np.int32))  # fmt: skip
        columns = {int(k) // width for k in range(x[0], x[1] + 1)} & {*range(across)}
        rows = {int(k) // height for k in range(y[0], y[1] + 1)} & {*range(down)}
        x0, y0, x1, y1 = plain(arrange._tiles_of)(b, 1)
        assert ({*range(x0, x1 + 1)}, {*range(y0, y1 + 1)}) == (columns, rows)
        seen.add((len(columns), len(rows)))
    assert {(0, 1), (1, 0), (5, 5)} <= seen


def test_tiles_that_a_triangle_overlaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that its bounds meet, but for tiles all of whose corners lie outside of one of its edges; a triangle
    without area meets its bounds.
    """
    monkeypatch.setattr(arrange, "_misses_rectangle", plain(arrange._misses_rectangle))
    rng = np.random.default_rng(5)
    seen = {True: 0, False: 0}
    for turn in range(800):
        b, corners = _binning(rng, 16)
        if turn % 20 == 0:
            corners[2] = corners[1]
            b.x[2], b.y[2] = corners[1]
        x0, y0, x1, y1 = plain(arrange._tiles_of)(b, 0)
        met = {
            (x, y) for x in range(3) for y in range(4)
            if 16 * x <= b.bounds[2] and 16 * x + 15 >= b.bounds[0]
            and 8 * y <= b.bounds[3] and 8 * y + 7 >= b.bounds[1]
        }  # fmt: skip
        assert {(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)} == met

        def side(k: int, x: int, y: int, corners: list[tuple[int, int]] = corners) -> int:
            (ax, ay), (bx, by) = corners[k], corners[(k + 1) % 3]
            return (bx - ax) * (y - ay) - (by - ay) * (x - ax)

        area = side(0, *corners[2])
        for x, y in met:
            places = [(256 * 16 * (x + dx), 256 * 8 * (y + dy)) for dx in (0, 1) for dy in (0, 1)]
            outside = area and any(all(side(k, *place) * area < 0 for place in places) for k in range(3))
            assert plain(arrange._overlaps)(b, 0, x, y) == (not outside)
            seen[bool(outside)] += 1
    assert min(seen.values()) > 100


def test_lines_of_code() -> None:
    """Of a path each line once; of a segment each that is not the one before it."""
    rng = np.random.default_rng(3)
    kind = np.where(rng.random(60) < 0.2, 3, 0)
    line_of = np.sort(rng.integers(0, 20, 60)).astype(np.int64)
    begin = np.arange(0, 60, 6, dtype=np.int64)
    paths = [rng.integers(0, 10, int(rng.integers(0, 5))).tolist() for _ in range(30)]
    count = np.array([len(path) for path in paths], np.int64)
    steps = arrange.Steps(
        np.cumsum(count) - count,
        count,
        np.array([block for path in paths for block in path], np.int64),
        begin,
        np.full(10, 6, np.int64),
        kind,
    )
    code = [[k for block in path for k in range(6 * block, 6 * block + 6)] for path in paths]
    first, counted, lines = np.zeros(30, np.int64), np.zeros(30, np.int64), np.zeros(900, np.int64)
    total = plain(arrange.path_code)(1, steps, line_of, first, counted, lines)
    assert [lines[f : f + c].tolist() for f, c in zip(first, counted, strict=True)] == [
        list(dict.fromkeys(line_of[path].tolist())) for path in code
    ]
    assert total == counted.sum()
    without = plain(arrange.path_code)(0, steps, line_of, np.zeros(30, np.int64), counted, lines)
    assert without == sum(int((np.diff(line_of[path], prepend=-1) != 0).sum()) for path in code)
