"""Energy: every structure has a price with a source, sums are totals, and activity is what dynamic energy follows."""

from __future__ import annotations

import csv
from importlib import resources
from pathlib import Path

import pytest
from test_model_oracle import random_scene

from gpumodel import load_config, preset_names
from gpumodel.energy import area_mm2, bill, evaluate
from gpumodel.energy.table import row
from gpumodel.machine import Machine
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.results import FrameResult, frame_result
from gpumodel.silicon import UNMEASURED_DEVICES
from traceformat.errors import ToolWarning

PRESETS = [name for name in preset_names() if name != "handheld-2003"]
MEMORIES = ("paper", "dram")


def result_of(preset: str, memory: str = "paper", seed: int = 3) -> FrameResult:
    config = load_config(preset, (f"memory.mode={memory}",))
    return frame_result(config, Machine(config).run_frame(random_scene(seed).trace()))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_structure_has_a_price_and_a_source(preset: str) -> None:
    structures = bill(load_config(preset))
    assert len({structure.name for structure in structures}) == len(structures)
    for structure in structures:
        assert structure.source, structure.name
        assert structure.leak_mw > 0, structure.name
        assert structure.area_mm2 > 0, structure.name
        assert all(pj > 0 for pj in structure.activity.values()), structure.name
    # The register file's accesses are in its operations' rows.
    assert [s.name for s in structures if not s.activity] == ["fragment.register_file"]


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("preset", PRESETS)
def test_parts_add_up(preset: str, memory: str) -> None:
    energy = result_of(preset, memory).energy
    assert sum(dynamic for dynamic, _ in energy.structures.values()) == pytest.approx(energy.gpu_dynamic)
    assert sum(static for _, static in energy.structures.values()) == pytest.approx(energy.gpu_static)
    parts = (energy.gpu_dynamic, energy.gpu_static, energy.dram_dynamic, energy.dram_static)
    assert sum(parts) == pytest.approx(energy.total)
    assert min(parts) > 0


@pytest.mark.parametrize("memory", MEMORIES)
def test_half_the_activity_is_half_the_dynamic_energy(memory: str) -> None:
    config = load_config("mali450-vro", (f"memory.mode={memory}",))
    result = result_of("mali450-vro", memory)
    full = evaluate(config, result.cycles, result.counters)
    half = evaluate(config, result.cycles, {name: value / 2 for name, value in result.counters.items()})
    assert half.gpu_dynamic == pytest.approx(full.gpu_dynamic / 2)
    assert half.dram_dynamic == pytest.approx(full.dram_dynamic / 2)
    assert half.gpu_static == pytest.approx(full.gpu_static)
    longer = evaluate(config, 2 * result.cycles, result.counters)
    assert longer.gpu_static == pytest.approx(2 * full.gpu_static)
    assert longer.gpu_dynamic == pytest.approx(full.gpu_dynamic)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_activity_is_counted_somewhere(preset: str) -> None:
    """No price waits for a counter that no frame moves: what several different frames leave at 0 is named here."""
    moved: set[str] = set()
    for memory in MEMORIES:
        for seed in range(6):
            energy = result_of(preset, memory, seed).energy
            moved |= {name for name, (dynamic, _) in energy.structures.items() if dynamic > 0}
    names = {structure.name for structure in bill(load_config(preset))}
    assert names - moved <= {"fragment.register_file"}


def test_raster_units_have_hardware_of_their_own() -> None:
    one, two = (load_config("tbr-fhd", (f"raster.units={units}",)) for units in (1, 2))
    first, second = ({s.name: s for s in bill(config)} for config in (one, two))
    twice = {name for name in first if second[name].area_mm2 == pytest.approx(2 * first[name].area_mm2)}
    assert twice >= {"fragment.processor", "texture.cache", "blend.color_buffer", "early_z", "queue.tile", "flush"}
    assert not twice & {"l2.cache", "tile.cache", "vertex.processor", "tile_fetcher", "polygon_list_builder"}
    assert all(first[name].activity == second[name].activity for name in first)
    # PTR's second Raster Unit is 40 % of the thesis's GPU; McPAT's cores and caches are not its, so the order counts.
    assert 0.2 < area_mm2(two) / area_mm2(one) - 1 < 0.6


def test_the_voltage_counts_squared_and_cubed() -> None:
    base = result_of("mali450-vro")
    low = load_config("mali450-vro", ("tech.voltage_v=0.5",))
    energy = evaluate(low, base.cycles, base.counters)
    assert energy.gpu_dynamic == pytest.approx(base.energy.gpu_dynamic / 4)
    assert energy.gpu_static == pytest.approx(base.energy.gpu_static / 8)


def test_plausibility_of_areas() -> None:
    """The papers' hardware against our area at 32 nm: VRO below 1 %, RE below 2 %, the buffers of DR below its 6 %."""
    config = load_config("mali450-vro")
    area = area_mm2(config)
    assert 8 < area < 11

    def part(name: str, size: float = 1) -> float:
        return row(name, 32, "HP").scaled(size).area_mm2

    vro = part("edge_filter_cam32") + part("graph_cache") + part("queue_edges") + part("queue_order")
    rendering_elimination = part("signature_buffer_2f") + part("crc_luts_12x1K") + part("constants_bitmap")
    deferred = part("queue_fragment") + part("queue_triangle_tile") + part("color_depth_buffer_1K")
    assert vro / area < 0.01
    assert rendering_elimination / area < 0.02
    assert deferred / area < 0.06


def test_plausibility_of_signing() -> None:
    """RE: signing costs less than 0.5 % of the energy. A primitive of three 48-byte attributes is 18 blocks of 8 bytes,
    each twelve 1 KB tables and their exclusive ors: some 200 pJ; a primitive in a tile reads and writes its signature.
    """
    names = ("crc_luts_12x1K", "signature_buffer_2f", "logic_xor_32b")
    tables, signatures, gate = (row(name, 32, "HP") for name in names)
    primitive = 18 * (tables.read_pj + 12 * gate.read_pj)
    assert 170 < primitive < 240
    base = result_of("mali450-re")
    signing = primitive * base.counters["primitives.binned"]
    signing += (signatures.read_pj + signatures.write_pj) * base.counters["primitive_tile_pairs"]
    assert 0 < signing / base.energy.total < 0.005


@pytest.mark.parametrize("preset", PRESETS)
def test_both_memories_have_the_devices_prices(preset: str) -> None:
    """Bytes of mode paper cost what the bursts of as many bytes cost; standby and refresh are all devices'."""
    config = load_config(preset, ("memory.mode=paper",))
    part = load_dram_config(config.memory.dram.config)
    width = part.system.channels * part.system.bus_width // 8
    assert width == 4
    # The papers' pipe moves as many bytes a cycle as the bus is wide; a device's what the bus moves in a cycle of the
    # GPU, both edges of the memory's clock, down to a power of two.
    moved = 2 * width * 1000 / part.timing.tCK / config.tech.clock_mhz
    wanted = 1 << int(moved).bit_length() - 1 if preset in UNMEASURED_DEVICES else width
    assert config.memory.paper.bytes_per_cycle == wanted
    result = result_of(preset, "paper")
    c = result.counters
    read, write = (sum(v for k, v in c.items() if k.startswith(f"dram.{way}_bytes.")) for way in ("read", "write"))
    assert read > 0
    assert write > 0
    commands = {"dram.read_commands": read / part.request_bytes, "dram.write_commands": write / part.request_bytes}
    cycles = result.cycles * 1e3 / config.tech.clock_mhz / part.timing.tCK * part.ranks * part.system.channels
    commands |= {
        "dram.refreshes": cycles / part.timing.tREFI,
        "dram.rank_cycles": cycles,
        "dram.rank_active_cycles": cycles,
    }
    same = evaluate(load_config(preset, ("memory.mode=dram",)), result.cycles, {**c, **commands})
    assert result.energy.dram_dynamic == pytest.approx(same.dram_dynamic)
    assert result.energy.dram_static == pytest.approx(same.dram_static)
    devices = part.system.channels * part.ranks * part.devices_per_rank
    milliwatts = result.energy.dram_static / (result.cycles / config.tech.clock_mhz * 1e3)
    assert devices == 2
    assert 1 < milliwatts / (devices * part.power.VDD * part.power.IDD3N) < 1.5


def test_a_configuration_of_before_still_loads(tmp_path: Path) -> None:
    old = tmp_path / "old.toml"
    old.write_text('base = "tbr-fhd"\n[energy]\ndram_pj_per_byte = 48.8\n')
    with pytest.warns(ToolWarning, match="dram_pj_per_byte means nothing any more"):
        assert load_config(str(old)).memory == load_config("tbr-fhd").memory


def test_rows_of_the_table() -> None:
    """A structure's first row is its price, for the devices that it names, or for all; what it leaves empty is 0."""
    text = (resources.files("gpumodel") / "energy" / "table.csv").read_text(encoding="utf-8")
    seen: set[tuple[str, ...]] = set()
    empty = 0
    for line in csv.DictReader(text.splitlines()):
        named = [device for device in ("LSTP", "HP") if device in line["source"].replace("-", " ").split()]
        for device in named or ([] if "ITRS" in line["source"] else ["LSTP", "HP"]):
            if (place := (line["structure"], line["node_nm"], device)) in seen:
                continue
            seen.add(place)
            found = row(place[0], int(place[1]), device)
            prices = [found.read_pj, found.write_pj, found.search_pj, found.leak_mw, found.area_mm2]
            columns = [line[name] for name in ("read_pJ", "write_pJ", "search_pJ", "leak_mW", "area_mm2")]
            assert prices == [float(column) if column else 0.0 for column in columns], place
            empty += columns.count("")
    assert empty > 20


@pytest.mark.parametrize("count", [0, 0.5, 3])
def test_several_of_a_memory(count: float) -> None:
    """So many leak, take area and hold so much; an access goes to one."""
    one = row("texture_cache", 32, "LSTP")
    other = one.times(count)
    assert (other.read_pj, other.write_pj, other.search_pj) == (one.read_pj, one.write_pj, one.search_pj)
    for name in ("leak_mw", "area_mm2", "stored_bytes"):
        assert getattr(other, name) == pytest.approx(getattr(one, name) * count)


def test_bytes_of_the_rows() -> None:
    """What a structure holds is what its name and organisation say; logic holds nothing."""
    expected = {
        "l2_2M": 2 << 20, "l2_256K": 256 << 10, "color_depth_buffer_1K": 1024, "regfile_16K": 16 << 10,
        "queue_order": 64 * 2, "queue_vertex": 16 * 136, "primitive_table": 256 * 48, "signature_buffer_1f": 4096 * 4,
        "edge_filter_cam32": 32 * 4, "mshr_8": 8 * 8, "fm_lut_512": 512 * 4, "fm_lut_2048": 2048 * 4,
        "crc_lut_1K": 1024, "crc_luts_12x1K": 12 << 10, "logic_register_32b": 32 / 8, "gate_register_dff_bit": 1 / 8,
        "gate_nand2": 0, "gate_full_adder_bit": 0, "logic_adder_32b": 0, "logic_mux2_32b": 0,
        "logic_comparator_mag_12b": 0, "op_fp32_mad_horowitz": 0,
    }  # fmt: skip
    assert {name: row(name, 32, "LSTP").stored_bytes for name in expected} == expected


@pytest.mark.parametrize("size", [0, 0.25, 1, 9])
def test_a_memory_of_another_size(size: float) -> None:
    """Energy goes with a side, leakage, area and bytes with the capacity: none has none."""
    one = row("texture_cache", 32, "LSTP")
    other = one.scaled(size)
    for name in ("read_pj", "write_pj", "search_pj"):
        assert getattr(other, name) == pytest.approx(getattr(one, name) * size**0.5)
    for name in ("leak_mw", "area_mm2", "stored_bytes"):
        assert getattr(other, name) == pytest.approx(getattr(one, name) * size)
