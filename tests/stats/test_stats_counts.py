"""Counts against a plain twin, against the model's counters, and against themselves."""

from __future__ import annotations

import numpy as np
import pytest

from gpumodel.config import load_config
from gpumodel.lane_instructions import lane_instructions
from gpumodel.report.stats.columns import COUNT_INDEX, COUNTS, CULLED_COUNTS
from gpumodel.report.stats.frame import FrameCounter
from gpumodel.report.stats.groups import By, Statistics
from gpumodel.runs import Run
from traceformat.errors import ConfigError, TraceFormatError
from traceformat.gputrace.check import check_frame as check_file_frame
from traceformat.gputrace.frametrace import DrawFlags, EventKind, LoadOp, Outcome, Table

SCENES = ("overlapping", "shapes", "late")
KINDS = ("alu", "transcendental", "move", "texture", "control", "kill")


@pytest.fixture(scope="module")
def config():
    return load_config("mali450-vro", ())


@pytest.fixture(scope="module")
def counted(frames, config):
    """FrameCounts of each frame of a scene."""
    held = {}

    def get(name):
        if name not in held:
            counter = FrameCounter(config)
            held[name] = [counter.count(frame) for frame in frames(name)]
        return held[name]

    return get


def column(counts, name):
    return counts[..., COUNT_INDEX[name]]


COMPARE = {
    0x0200: lambda a, b: False, 0x0201: lambda a, b: a < b, 0x0202: lambda a, b: a == b, 0x0203: lambda a, b: a <= b,
    0x0204: lambda a, b: a > b, 0x0205: lambda a, b: a != b, 0x0206: lambda a, b: a >= b, 0x0207: lambda a, b: True,
}  # fmt: skip
STENCIL = {
    0x1E00: lambda s, r: s, 0: lambda s, r: 0, 0x1E01: lambda s, r: r, 0x1E02: lambda s, r: min(s + 1, 255),
    0x1E03: lambda s, r: max(s - 1, 0), 0x150A: lambda s, r: s ^ 255, 0x8507: lambda s, r: (s + 1) & 255,
    0x8508: lambda s, r: (s - 1) & 255,
}  # fmt: skip


class Twin:
    """Depth and stencil of one target as GLES 3.0 §4.1 says, fragment by fragment, in submission order."""

    def __init__(self, trace, index, kept):
        passes = trace["passes"]
        self.trace = trace
        shape = (int(passes["height"][index]), int(passes["width"][index]))
        address = int(passes["depth_address"][index])
        if passes["depth_load"][index] == LoadOp.LOAD:
            self.depth, self.stencil = kept[address]
            return
        self.depth = np.full(shape, int(passes["clear_depth"][index]), np.int64)
        self.stencil = np.full(shape, int(passes["clear_stencil"][index]), np.int64)
        kept[address] = self.depth, self.stencil

    def test(self, row, back, x, y, z, update=True):
        d = {name: self.trace["draws"][name][row] for name in self.trace["draws"]}
        stored, passed = int(self.stencil[y, x]), True
        reference, mask = int(d["stencil_ref"][back]), int(d["stencil_write_mask"][back])
        operation = None
        if d["stencil_test"]:
            read = int(d["stencil_read_mask"][back])
            if not COMPARE[int(d["stencil_func"][back])](reference & read, stored & read):
                passed, operation = False, d["stencil_fail"][back]
        if passed and d["depth_test"] and not COMPARE[int(d["depth_func"])](z, int(self.depth[y, x])):
            passed, operation = False, d["stencil_depth_fail"][back]
        if d["stencil_test"] and operation is None:
            operation = d["stencil_depth_pass"][back]
        if update and d["stencil_test"]:
            value = STENCIL[int(operation)](stored, reference)
            self.stencil[y, x] = (stored & ~mask) | (value & mask)
        if update and passed and d["depth_write"] and d["depth_test"]:
            self.depth[y, x] = z
        return passed

    def clear(self, event):
        e = {name: self.trace["events"][name][event] for name in self.trace["events"]}
        where = np.s_[max(e["y"], 0) : e["y"] + e["height"], max(e["x"], 0) : e["x"] + e["width"]]
        if int(e["buffers"]) >> 16 & 1:
            self.depth[where] = int(e["clear_depth"])
        if int(e["buffers"]) >> 17 & 1:
            mask = int(e["stencil_mask"])
            self.stencil[where] = (self.stencil[where] & ~mask) | (int(e["clear_stencil"]) & mask)


def twin_counts(trace):
    """Fragment counts and executed instructions of each draw, in plain Python."""
    draws, quads, emitted, primitives = trace["draws"], trace["quads"], trace["emitted"], trace["primitives"]
    out = np.zeros((draws.num_rows, len(COUNTS)), np.int64)
    steps, blocks, kinds = trace["path_steps"], trace["blocks"], trace["instructions"]["kind"]
    kept = {}
    for index in range(trace["passes"].num_rows):
        twin = Twin(trace, index, kept)
        first = int(trace["passes"]["event_first"][index])
        seen_draw = False
        for event in range(first, first + int(trace["passes"]["event_count"][index])):
            if trace["events"]["kind"][event] == EventKind.CLEAR and seen_draw:
                twin.clear(event)
            if trace["events"]["kind"][event] != EventKind.DRAW:
                continue
            seen_draw = True
            draw = int(trace["events"]["draw"][event])
            flags = int(draws["flags"][draw])
            is_late = bool(flags & (DrawFlags.DISCARDS | DrawFlags.WRITES_DEPTH))
            operations = np.stack([draws[f"stencil_{what}"][draw] for what in ("fail", "depth_fail", "depth_pass")])
            changes = (
                draws["stencil_test"][draw] and draws["stencil_write_mask"][draw].any() and (operations != 0x1E00).any()
            )
            may_kill = not changes and not flags & DrawFlags.WRITES_DEPTH
            q0 = int(draws["quad_first"][draw])
            for q in range(q0, q0 + int(draws["quad_count"][draw])):
                back = 1 - int(primitives["front"][emitted["primitive"][quads["emitted"][q]]])
                out[draw, COUNT_INDEX["quads.rasterized"]] += 1
                any_shaded = False
                for f in range(4):
                    if not quads["coverage"][q] >> f & 1:
                        continue
                    x, y = 2 * int(quads["x"][q]) + (f & 1), 2 * int(quads["y"][q]) + (f >> 1)
                    out[draw, COUNT_INDEX["fragments.rasterized"]] += 1
                    z = int(quads["depth"][q][f])
                    if not is_late:
                        alive = written = twin.test(draw, back, x, y, z)
                    else:
                        depth_only = not draws["depth_test"][draw] or COMPARE[int(draws["depth_func"][draw])](
                            z, int(twin.depth[y, x])
                        )
                        alive = depth_only if may_kill else True
                        if flags & DrawFlags.WRITES_DEPTH:
                            z = int(quads["shader_depth"][q][f])
                        written = alive and bool(quads["survives"][q] >> f & 1)
                        written = written and twin.test(draw, back, x, y, z)
                    if not alive:
                        out[draw, COUNT_INDEX["fragments.early_z_killed"]] += 1
                        continue
                    any_shaded = True
                    out[draw, COUNT_INDEX["fragments.shaded"]] += 1
                    if not quads["survives"][q] >> f & 1:
                        out[draw, COUNT_INDEX["fragments.discarded"]] += 1
                    elif written:
                        out[draw, COUNT_INDEX["fragments.written"]] += 1
                    else:
                        out[draw, COUNT_INDEX["fragments.late_z_killed"]] += 1
                    path = int(quads["path"][q])
                    s0 = int(trace["paths"]["step_first"][path])
                    for step in range(s0, s0 + int(trace["paths"]["step_count"][path])):
                        if steps["active"][step] >> f & 1:
                            block = int(steps["block"][step])
                            i0 = int(blocks["instruction_first"][block])
                            for kind in kinds[i0 : i0 + int(blocks["instruction_count"][block])]:
                                out[draw, COUNT_INDEX[f"fs.executed.{KINDS[kind]}"]] += 1
                    t0 = int(quads["tex_first"][q])
                    for op in range(t0, t0 + int(quads["tex_count"][q])):
                        out[draw, COUNT_INDEX["texels"]] += int(trace["tex_ops"]["texels"][op][f])
                out[draw, COUNT_INDEX["quads.shaded"]] += any_shaded
    return out


@pytest.mark.parametrize("name", SCENES)
def test_fragments_equal_the_plain_twin(counted, name):
    wanted = ("quads.rasterized", "quads.shaded", "texels", *(f"fs.executed.{kind}" for kind in KINDS),
              *(f"fragments.{what}" for what in
                ("rasterized", "early_z_killed", "shaded", "discarded", "late_z_killed", "written")))  # fmt: skip
    for counts in counted(name)[:1]:
        twin = twin_counts(counts.trace)
        for what in wanted:
            assert column(counts.draws, what).tolist() == column(twin, what).tolist(), what
        assert column(twin, "fragments.rasterized").sum() > 5000


def test_the_late_scene_has_all_that_late_tests_can_do(counted):
    frame = counted("late")[0].frame
    for what in ("early_z_killed", "discarded", "late_z_killed", "written"):
        assert column(frame, f"fragments.{what}") > 100, what
    passes = counted("late")[0].trace["passes"]
    assert LoadOp.LOAD in passes["depth_load"]
    assert passes.num_rows == 4


@pytest.mark.parametrize("name", SCENES)
def test_primitives_equal_the_plain_twin(counted, config, name):
    for counts in counted(name):
        trace = counts.trace
        for draw in range(trace["draws"].num_rows):
            p0, p1 = int(trace["draws"]["primitive_first"][draw]), int(trace["draws"]["primitive_count"][draw])
            outcome = trace["primitives"]["outcome"][p0 : p0 + p1]
            row = counts.draws[draw]
            assert column(row, "primitives.in") == len(outcome)
            assert column(row, "primitives.emitted") == (outcome == Outcome.EMITTED).sum()
            for reason, key in CULLED_COUNTS.items():
                assert column(row, key) == (outcome == reason).sum()
            assert (
                column(row, "attributes") == column(row, "primitives.emitted") * trace["draws"]["num_attributes"][draw]
            )
        # Each piece's fragments lie in tiles that it is binned in, so there are at least as many pairs.
        quads, emitted = trace["quads"], trace["emitted"]
        tile = (quads["y"].astype(np.int64) * 2 // config.tile.height) * 1000 + quads["x"] * 2 // config.tile.width
        pairs = np.unique(quads["emitted"].astype(np.int64) * 1_000_000 + tile)
        least = np.bincount(emitted["draw"][pairs // 1_000_000], minlength=trace["draws"].num_rows)
        assert (column(counts.draws, "primitive_tile_pairs") >= least).all()
        assert column(counts.draws, "primitive_tile_pairs").sum() <= 2 * least.sum()


@pytest.mark.parametrize("name", SCENES)
def test_counts_agree_with_the_models_counters(frames, counted, config, name):
    run = Run(config)
    for frame, counts in zip(frames(name), counted(name), strict=True):
        result, raw = run.add(frame)
        mine = {count.name: int(column(counts.frame, count.name)) for count in COUNTS}
        # A pass without pairs has one unused row.
        used = [done.streams.pairs[: int(done.streams.tiles["pair_count"].sum())] for done in raw.passes]
        clears = sum(int((pairs["clear"] >= 0).sum()) for pairs in used)
        mine["primitive_tile_pairs"] += clears
        common = mine.keys() & result.counters.keys()
        assert {"draws", "vertices.shaded", "primitives.in", "fragments.rasterized", "fragments.written"} <= common
        late_draws = frame["draws"]["flags"] & (DrawFlags.DISCARDS | DrawFlags.WRITES_DEPTH) != 0
        # Behind a pending late quad the machine tests late too, so what it kills early depends on its timing.
        timed = ("fragments.early", "fragments.shaded", "fragments.disc", "fragments.late", "fs.", "texels")
        for what in sorted(common):
            if not (late_draws.any() and what.startswith(timed)):
                assert mine[what] == result.counters[what], what
        assert mine["fragments.shaded"] <= result.counters["fragments.shaded"]
        screen = -(-frame.width // 16) * -(-frame.height // 16)
        # The machine's tiles are those of all passes; a column of the thesis is about the screen.
        assert mine["tiles"] == screen <= result.counters["tiles.total"]
        assert mine["pixels"] == frame.width * frame.height
        culled = sum(mine[key] for key in CULLED_COUNTS.values())
        assert culled == result.counters["primitives.culled"]
        assert mine["primitives.pieces"] == result.counters["primitives.binned"]


@pytest.mark.parametrize("name", SCENES)
def test_conservation(counted, name):
    for counts in counted(name):
        for row in (*counts.draws, counts.frame):
            c = {count.name: int(column(row, count.name)) for count in COUNTS}
            assert c["fragments.rasterized"] == c["fragments.early_z_killed"] + c["fragments.shaded"]
            assert c["fragments.shaded"] == sum(
                c[f"fragments.{what}"] for what in ("discarded", "late_z_killed", "written")
            )
            assert c["primitives.in"] == c["primitives.emitted"] + sum(c[key] for key in CULLED_COUNTS.values())
            for stage in ("vs", "fs"):
                every = sum(c[f"{stage}.executed.{kind}"] for kind in KINDS)
                assert c[f"{stage}.instructions"] == every - c[f"{stage}.executed.move"]


def test_tile_size_changes_pairs_and_nothing_of_the_fragments(frames, counted):
    small = FrameCounter(load_config("mali450-vro", ("tile.width=4", "tile.height=4")))
    frame = frames("overlapping")[0]
    a, b = counted("overlapping")[0].frame, small.count(frame).frame
    assert column(b, "primitive_tile_pairs") > 2 * column(a, "primitive_tile_pairs")
    assert column(b, "tiles") == -(-frame.width // 4) * -(-frame.height // 4)
    for count in COUNTS:
        if count.name not in ("primitive_tile_pairs", "tiles"):
            assert column(a, count.name) == column(b, count.name), count.name


def test_reuse_entries_change_shaded_vertices(frames, counted):
    none = FrameCounter(load_config("mali450-vro", ("vertex.reuse_entries=0",)))
    frame = none.count(frames("shapes")[0]).frame
    assert column(frame, "vertices.shaded") == column(frame, "vertices.in")


def test_lane_instructions_of_a_path_without_steps(frames):
    frame = frames("late")[0]
    table = dict(frame["paths"])
    before = lane_instructions(frame)
    kept = frame.tables["paths"]
    frame.tables["paths"] = Table("paths", {**table, "step_count": np.zeros_like(table["step_count"])})
    try:
        fallback = lane_instructions(frame)
    finally:
        frame.tables["paths"] = kept
    assert (fallback == table["issued"].astype(np.int64)[:, None, :]).all()
    assert (before <= fallback).all()


def test_a_fixed_screen_of_another_size_is_refused(frames):
    counter = FrameCounter(load_config("mali450-vro", ("screen.scale_to_trace=false",)))
    with pytest.raises(ConfigError, match="1200x768"):
        counter.count(frames("shapes")[0])


def test_a_frame_whose_tables_do_not_fit_is_refused(frames, config):
    frame = frames("shapes")[0]
    kept = frame.tables["quads"]
    path = kept["path"].copy()
    path[3] = 1 << 30
    frame.tables["quads"] = Table("quads", {**dict(kept), "path": path})
    try:
        with pytest.raises(TraceFormatError, match=r"quads\.path row 3"):
            FrameCounter(config).count(frame)
    finally:
        frame.tables["quads"] = kept


def test_damaged_tables_end_in_a_clear_error(frames, config):
    """One value at a time of a frame from a file: counted, or refused by name."""
    frame = frames("late")[0]
    rng = np.random.default_rng(6)
    refused = 0
    for _ in range(150):
        name = rng.choice([name for name, table in frame.tables.items() if table.num_rows])
        kept = frame.tables[name]
        column_name = rng.choice(list(kept))
        values = kept[column_name].copy()
        flat = values.reshape(-1)
        if values.dtype.kind == "f":
            flat[rng.integers(flat.size)] = np.nan
        else:
            flat[rng.integers(flat.size)] = np.iinfo(values.dtype).max
        frame.tables[name] = Table(name, {**dict(kept), column_name: values})
        try:
            check_file_frame(frame)
            statistics = Statistics(list(By))
            statistics.add(FrameCounter(config).count(frame))
        except TraceFormatError:
            refused += 1
        finally:
            frame.tables[name] = kept
    assert 10 < refused < 140
