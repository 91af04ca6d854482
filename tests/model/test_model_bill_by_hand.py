"""The bill worked out with pencil and paper from MODEL.md and the papers' tables: every structure of two machines.

A memory is ``count x row @ size``: leakage and area in proportion, energy with the square root of the size (``/
banks``: of a bank's). Logic is ``full adder bits + register bits``. Prices are in the energy table's rows.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import gpumodel
from gpumodel import load_config
from gpumodel.energy import bill, evaluate, table
from gpumodel.energy.bill import Prices
from gpumodel.energy.evaluate import derived_activity
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.runs import Run
from traceformat.errors import ConfigError

TABLE = Path(gpumodel.__file__).with_name("energy") / "table.csv"
#: Names of operations and gates -> row.
PARTS = {
    "add": "logic_adder_32b", "reg": "logic_register_32b", "mux": "logic_mux2_32b", "mad": "op_fp32_mad_horowitz",
    "hadd": "op_fp16_add_horowitz", "hmul": "op_fp16_mul_horowitz", "imul": "op_int32_mul_horowitz",
    "iadd": "op_int32_add_horowitz", "bit": "gate_register_dff_bit", "fpu": "fpu_op_mcpat", "alu": "int_alu_op_mcpat",
    "ifu": "mcpat_ifu", "decoder": "mcpat_decoder", "rf": "mcpat_rf_32x32b",
}  # fmt: skip
PROCESSOR = (
    "executed.alu = fpu + 3 mad, executed.transcendental = 2 fpu, executed.move = 4 rf, executed.texture = alu,"
    " executed.control = alu, executed.kill = alu"
)
COMMON = """
vertex.cache | 1 x vertex_cache @ 1 | cache.vertex.accesses = read, cache.vertex.primary_misses = 4 write | 1
command.buffer | 1 x vertex_cache @ 0.0625 | cache.command.accesses = 4 read, cache.command.primary_misses = 4 write | 1
texture.cache | 4 x texture_cache @ 1 | cache.texture.accesses = read, cache.texture.primary_misses = 4 write | 4
vertex.mshr | 1 x mshr_8 @ 1 | cache.vertex.misses = search, cache.vertex.primary_misses = write + read | 1
texture.mshr | 4 x mshr_8 @ 1 | cache.texture.misses = search, cache.texture.primary_misses = write + read | 4
tile.mshr | 1 x mshr_8 @ 1 | cache.tile.misses = search, cache.tile.primary_misses = write + read | 1
l2.mshr | 1 x mshr_8 @ 4 | cache.l2.misses = search, cache.l2.primary_misses = write + read | 1
queue.vertex | 2 x queue_vertex @ 1 | vertices.queued = read + write | 2
fragment.register_file | 4 x regfile_16K @ 1 | | 4
command.decoder | 128 + 2048 | command.words = add + reg | 1
vertex.fetcher | 128 + 512 | cache.vertex.accesses = 2 add + 2 reg | 1
vertex.reuse | 1 x mshr_8 @ 2 | vertices.in = search, vertices.shaded = write | 1
assembly | 26400 + 1536 | primitives.in = 33 mad | 33
polygon_list_builder | 9216 + 1024 | binning.pointer_writes = 6 imul + 6 iadd + 4 add | 12
polygon_list_builder.list_table | 1 x signature_buffer_1f @ 1 | binning.pointer_writes = read + write | 1
tile_fetcher | 128 + 1536 | tile_fetch.requests = 2 add + 2 reg | 1
texture.filter | 12800 + 2048 | texels = 4 hadd + 4 hmul | 64
texture.address | 49152 + 4096 | fs.texture_quads = 16 imul + 16 iadd | 64
flush | 128 + 1024 | dram.lines.color = 2 add + 16 reg | 1
"""
TILE = (
    "binning.attributes = 3 write, binning.pointer_writes = write, tile_fetch.attributes = 3 read,"
    " tile_fetch.pointers = read, cache.tile.primary_misses = 4 write, cache.tile.write_backs = 4 read"
)
BUFFER = "{0}_buffer.reads = read, {0}_buffer.writes = write, {0}_buffer.transfers = read"
L2 = "l2.line_reads = read, l2.line_writes = write, cache.l2.write_backs = read"
#: VRO Table 2: 32 nm, tiles of 16x16, one vertex and four fragment processors, a quad and 4 attributes a cycle.
VRO = f"""
tile.cache | 1 x tile_cache_128K @ 1 | {TILE} | 1
l2.cache | 1 x l2_256K @ 1 | {L2} | 8
blend.color_buffer | 2 x color_depth_buffer_1K @ 1 | {BUFFER.format("color")} | 2
early_z.depth_buffer | 2 x color_depth_buffer_1K @ 0.5 | {BUFFER.format("depth")} | 2
queue.triangle | 1 x queue_triangle_tile @ 1 | queue.triangle.slices = 0.04 read + 0.04 write | 1
queue.tile | 1 x queue_triangle_tile @ 1 | queue.tile.slices = 0.04 read + 0.04 write | 1
queue.fragment | 1 x queue_fragment @ 1 | fs.quads = read + write | 1
queue.color | 1 x queue_color_thesis @ 1 / 4 | quads.blended = read + write | 4
vertex.processor | 1 x mcpat_inorder_core @ 1 + 2400 + 288 | vs: {PROCESSOR}, vs.issue_cycles = ifu + decoder | 4
fragment.processor | 4 x mcpat_inorder_core @ 1 + 9600 + 1152 | fs: {PROCESSOR}, fs.issue_cycles = 0.25 ifu + 0.25 decoder | 16
rasterizer.edges | 768 + 768 | quads.rasterized = 24 add + 12 reg | 24
rasterizer.interpolators | 102400 + 2048 | attributes.interpolated = 32 mad | 128
early_z | 512 + 5120 | quads.rasterized = 4 reg, depth_buffer.reads = 8 add | 16
early_z.valid_bits | 0 + 64 | tiles.rendered = 64 bit | 1
blend.valid_bits | 0 + 128 | tiles.rendered = 64 bit | 2
blend | 6400 + 256 | color_buffer.reads = 32 hadd + 32 hmul, quads.blended = 4 mux + 4 reg | 32
memory_controller | 4 x queue_color_thesis @ 1 | dram.requests = 4 read + 4 write | 4
"""  # noqa: E501
#: Thesis Table 4.1: 22 nm, tiles of 32x32, four processors of each kind, four quads and 16 attributes a cycle, a
#: Primitive Table, Instruction Caches, LPDDR4 of two channels: 8 + 2 (2 x 32 + 8 x 8) entries.
TBR = f"""
tile.cache | 1 x tile_cache_32K @ 1 | {TILE} | 1
l2.cache | 1 x l2_2M @ 1 | {L2} | 8
instruction.cache | 2 x instruction_cache @ 1 | cache.instruction.accesses = 4 read, cache.instruction.primary_misses = 4 write | 2
instruction.mshr | 2 x mshr_8 @ 1 | cache.instruction.misses = search, cache.instruction.primary_misses = write + read | 2
blend.color_buffer | 8 x color_depth_buffer_4K @ 0.25 | {BUFFER.format("color")} | 8
early_z.depth_buffer | 8 x color_depth_buffer_4K @ 0.125 | {BUFFER.format("depth")} | 8
queue.triangle | 1 x queue_triangle_tile @ 2 | queue.triangle.slices = 0.04 read + 0.04 write | 1
queue.tile | 1 x queue_triangle_tile @ 2 | queue.tile.slices = 0.04 read + 0.04 write | 1
queue.fragment | 4 x queue_fragment @ 2 / 4 | fs.quads = read + write | 16
queue.color | 1 x queue_color_thesis @ 1 / 4 | quads.blended = read + write | 4
queue.post_raster | 1 x queue_post_raster_thesis @ 1 / 4 | quads.rasterized = read + write | 4
vertex.processor | 4 x mcpat_inorder_core @ 1 + 9600 + 1152 | vs: {PROCESSOR}, vs.issue_cycles = ifu + decoder | 16
fragment.processor | 4 x mcpat_inorder_core @ 1 + 9600 + 1152 | fs: {PROCESSOR}, fs.issue_cycles = 0.25 ifu + 0.25 decoder | 16
tile_fetcher.primitive_table | 1 x primitive_table @ 1 | tile_fetch.attributes = write + read | 1
rasterizer.edges | 3072 + 3072 | quads.rasterized = 24 add + 12 reg | 96
rasterizer.interpolators | 409600 + 8192 | attributes.interpolated = 32 mad | 512
early_z | 2048 + 3200 | quads.rasterized = 4 reg, depth_buffer.reads = 8 add | 64
early_z.valid_bits | 0 + 256 | tiles.rendered = 256 bit | 1
blend.valid_bits | 0 + 512 | tiles.rendered = 256 bit | 2
blend | 25600 + 5120 | color_buffer.reads = 32 hadd + 32 hmul, quads.blended = 4 mux + 4 reg | 128
memory_controller | 4 x queue_color_thesis @ 4.125 | dram.requests = 4 read + 4 write | 4
"""  # noqa: E501
#: A machine off the presets: sizes beside the rows', shared Texture Caches, two Raster Units, a quad an instruction.
ODD = (
    "caches.texture.size_bytes=32768", "caches.texture.mshrs=4", "caches.vertex.size_bytes=8192",
    "caches.tile.size_bytes=16384", "caches.l2.size_bytes=2097152", "caches.l2.mshrs=16", "vertex.reuse_entries=0",
    "fragment.lanes=4", "fragment.threads=8", "raster.units=2", "fragment.shared_texture_caches=true",
    "fragment.texture_ports=2", "tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true",
    "tile_fetcher.primitive_table=4", "queues.post_raster=128", "blend.in_flight_quads=20", "fragment.processors=2",
    "queues.vertex_input=8", "tile.width=8", "queues.tile=8",
    "queues.fragment=16", "queues.color=32", "queues.triangle=4",
)  # fmt: skip
ODD_BILL = f"""
vertex.cache | 1 x vertex_cache @ 2 | cache.vertex.accesses = read, cache.vertex.primary_misses = 4 write | 1
texture.cache | 4 x texture_cache @ 2 | cache.texture.accesses = read, cache.texture.primary_misses = 4 write | 4
texture.mshr | 4 x mshr_8 @ 0.25 | cache.texture.misses = search, cache.texture.primary_misses = write + read | 4
l2.mshr | 1 x mshr_8 @ 2 | cache.l2.misses = search, cache.l2.primary_misses = write + read | 1
l2.cache | 1 x l2_2M @ 1 | {L2} | 8
tile.cache | 1 x tile_cache_32K @ 0.5 | {TILE} | 1
vertex.reuse | 1 x mshr_8 @ 0.125 | vertices.in = search, vertices.shaded = write | 1
queue.vertex | 2 x queue_vertex @ 0.75 | vertices.queued = read + write | 2
queue.triangle | 1 x queue_triangle_tile @ 0.25 | queue.triangle.slices = 0.04 read + 0.04 write | 1
queue.tile | 2 x queue_triangle_tile @ 0.5 | queue.tile.slices = 0.04 read + 0.04 write | 2
queue.fragment | 2 x queue_fragment @ 0.25 | fs.quads = read + write | 2
queue.color | 2 x queue_color_thesis @ 0.5 / 2 | quads.blended = read + write | 4
queue.post_raster | 2 x queue_post_raster_thesis @ 0.25 | quads.rasterized = read + write | 2
fragment.processor | 4 x mcpat_inorder_core @ 1 + 48000 + 5760 | fs: {PROCESSOR}, fs.issue_cycles = ifu + decoder | 64
fragment.register_file | 16 x regfile_4K @ 0.5 | | 16
tile_fetcher.primitive_table | 1 x primitive_table @ 0.25 | tile_fetch.attributes = write + read | 1
texture.filter | 12800 + 2048 | texels = 4 hadd + 4 hmul | 64
texture.address | 49152 + 4096 | fs.texture_quads = 16 imul + 16 iadd | 64
blend.color_buffer | 4 x color_depth_buffer_1K @ 0.5 | {BUFFER.format("color")} | 4
early_z.depth_buffer | 4 x color_depth_buffer_1K @ 0.25 | {BUFFER.format("depth")} | 4
early_z.valid_bits | 0 + 64 | tiles.rendered = 32 bit | 2
blend.valid_bits | 0 + 128 | tiles.rendered = 32 bit | 4
blend | 12800 + 10240 | color_buffer.reads = 32 hadd + 32 hmul, quads.blended = 4 mux + 4 reg | 64
"""


def rows(node_nm: int) -> dict[str, dict[str, float]]:
    """Recommended rows of a node, HP where classes differ."""
    out: dict[str, dict[str, float]] = {}
    for line in csv.DictReader(TABLE.read_text().splitlines()):
        if int(line["node_nm"]) == node_nm and "LSTP" not in line["source"]:
            values = {name: float(line[column] or 0) for name, column in (
                ("read", "read_pJ"), ("write", "write_pJ"), ("search", "search_pJ"), ("leak", "leak_mW"),
                ("area", "area_mm2"))}  # fmt: skip
            out.setdefault(line["structure"], values)
    return out


def work_out(text: str, table: dict[str, dict[str, float]]) -> dict[str, tuple[float, float, dict[str, float], float]]:
    """Leakage, area, prices and operators of each structure."""
    out = {}
    for line in text.strip().splitlines():
        name, made_of, prices, rate = (part.strip() for part in line.split("|"))
        parts, own, side = made_of.split(" + "), None, 1.0
        leak = area = 0.0
        if " x " in parts[0]:
            count, rest = parts.pop(0).split(" x ")
            own, size_text = rest.split(" @ ")
            size, _, banks = size_text.partition(" / ")
            side = (float(size) / float(banks or 1)) ** 0.5
            leak = float(count) * float(size) * table[own]["leak"]
            area = float(count) * float(size) * table[own]["area"]
        for bits, gate in zip(parts, ("gate_full_adder_bit", "gate_register_dff_bit"), strict=False):
            leak += float(bits) * table[gate]["leak"]
            area += float(bits) * table[gate]["area"]
        activity, stage = {}, ""
        if prices[:4] in ("vs: ", "fs: "):
            stage, prices = prices[:2] + ".", prices[4:]
        for price in filter(None, prices.split(", ")):
            counter, terms = price.split(" = ")
            counter = stage + counter if stage and not counter.startswith(stage) else counter
            total = 0.0
            for term in terms.split(" + "):
                number, _, what = term.rpartition(" ")
                pj = table[PARTS[what]]["read"] if what in PARTS else side * table[own or ""][what]
                total += float(number or 1) * pj
            activity[counter] = total
        out[name] = leak, area, activity, float(rate)
    return out


@pytest.mark.parametrize(
    ("preset", "settings", "text", "node_nm", "is_whole"),
    [
        ("mali450-vro", ("memory.mode='paper'",), COMMON + VRO, 32, True),
        ("tbr-fhd", (), COMMON + TBR, 22, True),
        ("mali450-vro", ODD, ODD_BILL, 32, False),
    ],
    ids=["mali450-vro", "tbr-fhd", "odd"],
)
def test_bill(preset: str, settings: tuple[str, ...], text: str, node_nm: int, is_whole: bool) -> None:
    expected = work_out("\n".join(line for line in text.splitlines() if line), rows(node_nm))
    found = {s.name: s for s in bill(load_config(preset, settings))}
    if is_whole:
        assert set(found) == set(expected)
    for name, (leak, area, activity, rate) in expected.items():
        assert found[name].leak_mw == pytest.approx(leak), name
        assert found[name].area_mm2 == pytest.approx(area), name
        assert found[name].activity == pytest.approx(activity), name
        assert found[name].rate == rate, name


def test_a_structure_says_what_it_is_made_of() -> None:
    """Its source names the row, and size, ports and Raster Units only where there is more than the row's one."""
    prices = Prices(load_config("mali450-vro"))
    texts = {
        (size, ports): prices.array("one", "vertex_cache", size, 3, {}, ports=ports).source
        for size in (1, 2) for ports in (1, 2)
    }  # fmt: skip
    assert texts == {
        (1, 1): "3 x vertex_cache",
        (1, 2): "3 x vertex_cache with 2 ports",
        (2, 1): "3 x vertex_cache scaled to 2 times its size",
        (2, 2): "3 x vertex_cache scaled to 2 times its size with 2 ports",
    }
    for units in (1, 2):
        sources = [s.source for s in bill(load_config("mali450-vro", [f"raster.units={units}"]))]
        assert any("Raster Units of" in source for source in sources) == (units > 1)


def test_bytes_that_structures_hold() -> None:
    """Caches and buffers hold what the configuration says; what a technique adds is what its hardware holds."""
    config = load_config("mali450-vro")
    found = {s.name: s.stored_bytes for s in bill(config)}
    caches = config.caches
    assert found["l2.cache"] == caches.l2.size_bytes
    assert found["tile.cache"] == caches.tile.size_bytes
    assert found["texture.cache"] == config.fragment.processors * caches.texture.size_bytes
    assert found["blend.color_buffer"] == config.blend.color_buffers * 256 * 4
    assert found["early_z.valid_bits"] == 64 / 8
    assert found["queue.vertex"] == 136 * (config.queues.vertex_input + config.queues.vertex_output)
    assert found["fragment.register_file"] == 16384 * config.fragment.processors * config.fragment.threads / 16
    assert found["assembly"] == 3 * 32 * 16 / 8
    assert found["memory_controller"] > 0
    two = {s.name: s.stored_bytes for s in bill(load_config("mali450-vro", ["raster.units=2"]))}
    assert two["blend.color_buffer"] == 2 * found["blend.color_buffer"]
    assert two["tile.cache"] == found["tile.cache"]
    plain = Run(config, []).result.stored_bytes
    assert plain == sum(found.values())

    def added(technique: str) -> float:
        return Run(config, [technique]).result.stored_bytes - plain

    # Cache, two buffers and the one ahead of 4 depths of 16 bits, a plane of 24 bits a pixel, a bit an entry.
    assert added("omega-like") == 2048 + 3 * 4 * 2 + 256 * 3 + config.queues.tile / 8
    # In sequence nothing is duplicated but the tags.
    assert 0 < added("dr-seq") < added("dr")
    # Another Raster Unit with all its buffers.
    assert added("ptr") > two["texture.cache"] / 2


def test_a_further_port() -> None:
    """Each further port widens a cell's side by 0.26: energy with the side, area and leakage with its square."""
    from gpumodel.energy.table import row

    one = row("instruction_cache", 32, "HP")
    three = one.with_ports(3)
    assert three.read_pj == pytest.approx(1.52 * one.read_pj)
    assert (three.area_mm2, three.leak_mw) == pytest.approx((1.52**2 * one.area_mm2, 1.52**2 * one.leak_mw))


def test_derived_activities() -> None:
    """Every counter has a value of its own, so that none can stand for another."""
    names = (
        "dram.write_bytes.color", "dram.read_bytes.color", "cache.l2.accesses", "cache.l2.writes",
        "cache.l2.primary_misses", "depth_buffer.transfer_bytes", "vertices.shaded", "binning.attributes",
        "primitives.binned", "tile_fetch.attributes", "tile_fetch.primitives", "cache.command.accesses",
        "dram.read_requests", "dram.write_requests",
    )  # fmt: skip
    values = (6400, 640, 1000, 300, 70, 4800, 11, 13, 17, 19, 23, 29, 31, 37)
    assert derived_activity(dict(zip(names, values, strict=True))) == {
        "l2.line_reads": 700, "l2.line_writes": 370, "color_buffer.transfers": 440, "depth_buffer.transfers": 300,
        "vertices.queued": 11, "queue.triangle.slices": 3 * 13 + 17, "queue.tile.slices": 3 * 19 + 23,
        "tile_fetch.pointers": 23, "command.words": 29 * 16, "dram.lines.color": 110, "dram.requests": 68,
    }  # fmt: skip


@pytest.mark.parametrize("volts", [1.0, 0.8])
def test_leakage_and_memory_of_a_second(volts: float) -> None:
    """A second without activity: each structure's leakage times scale and V cubed; memory at its background power."""
    config = load_config("mali450-vro", (f"tech.voltage_v={volts}", "memory.mode='paper'"))
    expected = work_out("\n".join(line for line in (COMMON + VRO).splitlines() if line), rows(32))
    energy = evaluate(config, 400_000_000, dict.fromkeys(_counters(), 0))
    assert energy.gpu_dynamic == 0
    assert energy.dram_dynamic == 0
    for name, (leak, _, _, _) in expected.items():
        assert energy.structures[name] == pytest.approx((0, leak * 0.25 * volts**3 * 1e9)), name
    assert energy.total == pytest.approx(energy.gpu_static + energy.dram_static)
    assert load_dram_config(config.memory.dram.config).system.channels == 2


def _counters() -> list[str]:
    from gpumodel.counters import COUNTERS

    return list(COUNTERS)


@pytest.mark.parametrize(
    ("key", "name", "limit", "small", "large"),
    [
        ("caches.l2.size_bytes", "l2.cache", 1 << 20, ("l2_256K", 1 << 18), ("l2_2M", 1 << 21)),
        ("caches.tile.size_bytes", "tile.cache", 1 << 16, ("tile_cache_32K", 1 << 15), ("tile_cache_128K", 1 << 17)),
    ],
)
def test_a_cache_is_priced_by_the_nearer_row(
    key: str, name: str, limit: int, small: tuple[str, int], large: tuple[str, int]
) -> None:
    """Up to the middle of both, the middle included, by the smaller one."""
    for size, (row_name, row_bytes) in ((limit, small), (2 * limit, large)):
        config = load_config("mali450-vro", [f"{key}={size}"])
        structure = next(s for s in bill(config) if s.name == name)
        assert structure.leak_mw == pytest.approx(Prices(config).static(row_name).leak_mw * size / row_bytes)


def test_rows_are_of_the_flavours_that_they_say() -> None:
    """Rows of other devices than LSTP and HP are not prices of either."""
    for (_, _, flavor), row in table._rows().items():
        assert "ITRS" not in row.source or flavor in row.source


def test_an_unknown_structure_is_offered_one_of_its_own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict.fromkeys([("cache_32", 32, "HP"), ("cache_3", 22, "HP"), ("cache_31", 32, "LSTP")])
    monkeypatch.setattr(table, "_rows", lambda: known)
    with pytest.raises(ConfigError, match="no structure cache_3 for 32 nm and HP, did you mean cache_32"):
        table.row("cache_3", 32, "HP")
