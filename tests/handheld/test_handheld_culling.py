"""z-min and z-max culling: no pixel changes, no depth read is added, and a plain twin counts the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from handheld_scenes import colored, mixed, quad, screen, soup
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from traceformat.gputrace.accessstream import KIND_SHIFT, PLACE_MASK, AccessKind
from traceformat.native.records import address_of

CULLING = ({"zmin": True}, {"zmax": True}, {"zmin": True, "zmax": True})


def reads(played):
    return played.values[AccessKind.Z_READ]


def check(play, path, **mode):
    """Pictures and depth reads of all cullings against none; returns the runs."""
    base = play(path, **mode)
    found = {}
    for culling in CULLING:
        run = play(path, **mode, **culling)
        for a, b in zip(base.frames, run.frames, strict=True):
            np.testing.assert_array_equal(a.picture, b.picture)
        avoided = run.total("zmin.z_reads_avoided") + run.total("zmax.z_reads_avoided")
        assert reads(run) + avoided == reads(base)
        for kind in (AccessKind.Z_WRITE, AccessKind.COLOR_WRITE, AccessKind.COLOR_READ, AccessKind.TEXTURE):
            assert run.values[kind] == base.values[kind]
        found["+".join(culling)] = run
    return base, found


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 40),
    antialiasing=st.sampled_from(["none", "flipquad", "quincunx", "rgss"]),
    tile_size=st.sampled_from([1, 2, 4, 8, 16]),
    bound=st.sampled_from(["plane", "vertices"]),
    entry=st.sampled_from(["covered", "visited"]),
    flat=st.booleans(),
)
def test_random_soups(play, tmp_path_factory, seed, count, antialiasing, tile_size, bound, entry, flat):
    path = colored(tmp_path_factory.mktemp("soup") / "s.gltrace", soup(seed, count, flat=flat), (53, 41))
    check(play, path, antialiasing=antialiasing, tile_size=tile_size, z_triangle=bound, tile_entry=entry)


@pytest.mark.parametrize("antialiasing", ["none", "flipquad"])
def test_discard_stencil_blending_scissor_and_other_depth_functions(play, tmp_path, antialiasing):
    base, found = check(play, mixed(tmp_path / "m.gltrace"), antialiasing=antialiasing, texture_filter="bilinear")
    assert base.total("fragments.discarded") > 0
    assert base.values[AccessKind.STENCIL_WRITE] > 0
    assert base.values[AccessKind.COLOR_READ] > 0
    assert found["zmin"].total("zmin.z_reads_avoided") > 0
    assert found["zmax"].total("zmax.z_reads_avoided") > 0


def test_front_to_back_the_first_layer_reads_nothing(play, tmp_path):
    """Cleared tiles are farther than anything: z-min saves all reads of the first triangles, z-max none."""
    path = colored(tmp_path / "q.gltrace", screen(0.0), (64, 48))
    base, found = check(play, path)
    assert reads(base) == 64 * 48
    assert reads(found["zmin"]) == 0
    assert reads(found["zmax"]) == 64 * 48
    tiles = found["zmin"].values[AccessKind.TILE_READ]
    assert tiles == found["zmin"].values[AccessKind.TILE_WRITE]
    assert tiles == 48


def test_neighbours_of_one_depth_hide_nothing_from_each_other(play, tmp_path):
    """Of two triangles of a rectangle, the second one reads the tiles that the first one has been in, no others."""
    base, found = check(play, colored(tmp_path / "n.gltrace", quad(-1, -1, 1, 1)))
    assert 0 < reads(found["zmin"]) <= reads(base) // 4


def test_hidden_layers_are_skipped_by_zmax_alone(play, tmp_path):
    data = np.concatenate([screen(-0.5), screen(0.5)])
    base, found = check(play, colored(tmp_path / "h.gltrace", data))
    assert reads(base) == 2 * 64 * 48
    assert reads(found["zmin"]) == 64 * 48, "the layer in front"
    assert found["zmax"].total("zmax.z_reads_avoided") == 64 * 48, "the layer behind"
    assert reads(found["zmin+zmax"]) <= reads(found["zmin"])
    assert found["zmin+zmax"].total("zmax.tiles_hidden") > 0


def test_worst_case_costs_accesses_and_saves_nothing(play, tmp_path):
    """Layers that alternate around what is there: every tile is read and written back, and every depth still read."""
    front = screen(-0.9)
    rest = [screen(z) for z in (0.1, 0.0, 0.2, -0.1, 0.05)]
    data = np.concatenate([front, *rest])
    path = colored(tmp_path / "w.gltrace", data)
    base, found = check(play, path)
    run = found["zmin"]
    # The first layer is saved; everything after it pays.
    later = reads(base) - 64 * 48
    assert reads(run) == later
    tiles = run.values[AccessKind.TILE_READ]
    assert tiles == 6 * 48
    assert run.values[AccessKind.TILE_WRITE] == tiles
    hidden = colored(tmp_path / "w2.gltrace", np.concatenate([front, *rest]), frames=1)
    only = play(hidden, zmin=True, write_back="changed")
    assert only.values[AccessKind.TILE_WRITE] < tiles, "what-if: write back changed values only"


def twin(fragments, depth, slots, mode, width, height, plane, triangles):
    """z-min culling of LESS with depth writes, pixel by pixel: depth reads, tile reads, tile writes, passed."""
    side = mode["tile_size"]
    z = np.full((height, width, slots), 65535, np.int64)
    memory = np.full((-(-height // side), -(-width // side)), 65535, np.int64)
    z_reads = tile_reads = tile_writes = passed = 0
    row = {}
    at = None
    for k, (e, x, y, mask) in enumerate(fragments):
        tile_row = (height - 1 - y) // side
        if (e, tile_row) != at:
            for column, (low, _) in row.items():
                memory[at[1], column] = low
                tile_writes += 1
            row, at = {}, (e, tile_row)
        column = x // side
        if column not in row:
            tile_reads += 1
            z0, dx, dy = plane[e]
            xs, ys = (
                [column * side - 0.5, column * side + side - 0.5],
                [height - tile_row * side - 0.5 - d for d in (0, side)],
            )
            corners = max(z0 + dx * cx + dy * cy for cx in xs for cy in ys)
            vertices = max(z0 + dx * (vx / 256 - 0.5) + dy * (vy / 256 - 0.5) for vx, vy in triangles[e])
            bound = min(corners, vertices) if mode["z_triangle"] == "plane" else vertices
            bound = math.floor(min(max(bound, 0), 1) * 65535) + 2
            row[column] = [memory[tile_row, column], memory[tile_row, column] > bound]
        low, visible = row[column]
        for s in range(slots):
            if mask >> s & 1:
                d = depth[k][s]
                z_reads += not visible
                if visible or d < z[y, x, s]:
                    z[y, x, s] = d
                    low = min(low, d)
                    passed += 1
        row[column][0] = low
    return z_reads, tile_reads, tile_writes + len(row), passed


@settings(max_examples=6, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    side=st.sampled_from([1, 2, 4, 8, 16]),
    name=st.sampled_from(["none", "flipquad"]),
    bound=st.sampled_from(["plane", "vertices"]),
)
@example(11, 40, 8, "none", "plane")
@example(11, 40, 8, "flipquad", "plane")
@example(11, 40, 8, "none", "vertices")
@example(11, 40, 8, "flipquad", "vertices")
def test_the_twin_counts_the_same(seed, n, side, name, bound):
    from test_handheld_traverse import traverse

    from replay.engine.kernels.records import TEST_DTYPE
    from replay.handheld.kernels.fragment_order import num_codes
    from replay.handheld.kernels.fragment_order import test_fragments as run_kernel
    from replay.handheld.kernels.records import ORDER, TILE_DTYPE
    from replay.handheld.patterns import PATTERNS

    width, height = 45, 38
    rng = np.random.default_rng(seed)
    triangles = rng.integers(-1000, 12000, (n, 3, 2)).astype(np.int32)
    plane = np.stack([rng.uniform(0.1, 0.9, n), rng.normal(0, 0.006, n), rng.normal(0, 0.006, n)], 1)
    pattern = PATTERNS[name]
    rows, walk, _kept = traverse(triangles, name, width=width, height=height)
    count, quads = walk.num_fragments, walk.num_quads
    # Depths of the plane at each sample, as traversal computes them.
    depth = np.zeros((count, pattern.num_slots), np.uint32)
    positions = pattern.positions() / 768 - 0.5
    for k, (e, x, y, _) in enumerate(rows):
        offsets = positions[(x + height - 1 - y) & 1]
        z = plane[e, 0] + plane[e, 1] * (x + offsets[:, 0]) + plane[e, 2] * (y + offsets[:, 1])
        depth[k] = np.rint(np.clip(z.astype(np.float32), 0, 1).astype(np.float64) * 65535)
    test = np.zeros(1, TEST_DTYPE)
    test["depth_test"], test["depth_func"], test["depth_write"] = 1, 1, 1
    slots, groups = pattern.num_slots, pattern.num_groups
    tiles = (-(-height // side), -(-width // side))
    arrays = {
        "test": test, "front": np.ones(n, np.uint8), "codes": np.zeros(num_codes(count, slots, groups), np.uint32),
        "z_buffer": np.full((slots, height, width), 65535, np.uint32),
        "stencil_buffer": np.zeros((slots, height, width), np.uint8),
        "covered": np.zeros((height, width), np.uint32), "z_low": np.full(tiles, 65535, np.uint32),
        "z_high": np.full(tiles, 65535, np.uint32), "tiles": np.zeros(tiles[1], TILE_DTYPE),
        "entered": np.zeros(tiles[1], np.int64), "survives": np.full((groups, quads), 15, np.uint8),
        "tested": np.zeros((groups, quads), np.uint8), "passed": np.zeros((slots, quads), np.uint8),
    }  # fmt: skip
    order = ORDER.row(
        walk=walk.address, emits=1, writes_color=1, stored=2, pitch=46, zmin=1, tile_shift=side.bit_length() - 1,
        plane_bound=bound == "plane", max_z=65535, tile_columns=tiles[1],
        **{key: address_of(array) for key, array in arrays.items()},
    )  # fmt: skip
    walk.depth, walk.depth_plane = address_of(depth), address_of(plane)
    codes = arrays["codes"]
    written = run_kernel.ctypes(order.address)
    kinds = np.bincount(codes[:written] >> KIND_SHIFT, minlength=16)
    mode = {"tile_size": side, "z_triangle": bound}
    wanted = twin(rows, depth.tolist(), slots, mode, width, height, plane, triangles.tolist())
    found = (
        kinds[AccessKind.Z_READ],
        kinds[AccessKind.TILE_READ],
        kinds[AccessKind.TILE_WRITE],
        kinds[AccessKind.Z_WRITE],
    )
    assert tuple(int(v) for v in found) == tuple(int(v) for v in wanted)
    assert wanted[0] <= walk.samples
    if (seed, n, side) == (11, 40, 8):
        assert 0 < wanted[0] < walk.samples, "some reads are saved, not all"
    assert not written or (codes[:written] & PLACE_MASK).max() < (width + 2) * (height + 2) * 2 + tiles[0] * tiles[1]


def test_on_chip_memory_at_both_sizes():
    from gpumodel.handheld.evaluate import on_chip_bytes

    assert on_chip_bytes(176, 8, ("zmin",)) == 49.5
    assert on_chip_bytes(320, 8, ("zmin",)) == 90
    assert on_chip_bytes(320, 8, ()) == 0
    assert on_chip_bytes(320, 16, ("zmin",)) == 45


def test_triangles_that_cover_nothing(play, tmp_path):
    """Too small for any sample: no quads, no accesses."""
    tiny = quad(-0.5, -0.5, -0.4999, -0.4999)
    run = play(colored(tmp_path / "t.gltrace", tiny))
    assert run.total("fragments.rasterized") == 0
    assert len(run.codes) == 0
