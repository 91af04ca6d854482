"""The bill: nothing that happens is free, and what a technique's text names is priced."""

from __future__ import annotations

import pytest
from bill_peaks import demands, peaks

from gpumodel.config import load_config, preset_names
from gpumodel.energy import Structure, bill
from gpumodel.energy.bill import Prices
from gpumodel.energy.table import row
from gpumodel.techniques import known_techniques
from traceformat.errors import InternalError

#: Hardware that is there once and is charged with nothing of its own: its accesses are in the operations' price.
UNCHARGED = {"fragment.register_file"}


def structures(preset: str, technique: str) -> list[Structure]:
    # Its map of quads is made for four processors.
    config = load_config(preset, ["fragment.processors=4"] if technique == "ptr-shared" else [])
    if not technique:
        return bill(config)
    one = known_techniques()[technique]()
    return list(one.hardware(one.configure(config)))


@pytest.mark.parametrize("technique", ["", *sorted(known_techniques())])
@pytest.mark.parametrize("preset", preset_names())
def test_nothing_is_free(preset: str, technique: str) -> None:
    """Every access costs energy, every structure area; registers were charged with writes that had no price."""
    for structure in structures(preset, technique):
        absent = structure.area_mm2 == 0
        for counter, pj in structure.activity.items():
            assert pj > 0 or absent, f"{structure.name}: {counter} costs nothing"
        assert structure.activity or structure.name in UNCHARGED or technique, structure.name


def test_an_access_without_a_price_is_refused() -> None:
    with pytest.raises(InternalError, match="logic_register_32b has no price for write"):
        Prices(load_config("mali450-vro")).array("x", "logic_register_32b", 1, 1, {"tiles.rendered": "write"})


def test_structures_that_the_papers_name() -> None:
    """TE's CRC tables feed an exclusive-or tree; VRO's Order Matcher keeps where each node's pointers begin, twice."""
    te = {structure.name: structure for structure in structures("mali450-re", "te")}
    assert te["te.crc_xor"].area_mm2 > te["te.comparator"].area_mm2
    assert set(te["te.crc_xor"].activity) == {"te.sub_blocks"}
    vro = {structure.name: structure for structure in structures("mali450-vro", "vro")}
    assert vro["vro.first_pointers"].area_mm2 == pytest.approx(2 * vro["vro.roots_queue"].area_mm2)
    assert set(vro["vro.first_pointers"].activity) == {"vro.list_starts"}


VARIANTS = {
    "as it is": (), "a quad at once": ("fragment.lanes=4",), "eight Raster Units": ("raster.units=8",),
    "many quads": ("raster.quads_per_cycle=8", "raster.attributes_per_cycle=64", "fragment.processors=8"),
    "shared Texture Caches": ("raster.units=2", "fragment.shared_texture_caches=true", "fragment.texture_ports=2"),
    "twice the texels": ("fragment.texels_per_cycle=16", "blend.color_buffers=1", "vertex.processors=8"),
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preset", ["mali450-vro", "mali450-re", "tbr-fhd"])
def test_what_can_work_in_a_cycle_is_priced(preset: str, variant: str) -> None:
    """Of every structure of the bill: operators and ports that the model uses in one cycle at most, against priced
    ones. A Fragment Processor was one FPU that did sixteen multiply-adds a cycle.
    """
    config = load_config(preset, VARIANTS[variant])
    asked = demands(config)
    for structure in bill(config):
        assert structure.rate >= asked[structure.name] > 0, structure.name


def test_a_unit_that_does_more_is_larger() -> None:
    """Area and leakage follow what a cycle holds: lanes, components, quads, attributes, texels, primitives."""
    plain = {one.name: one for one in bill(load_config("tbr-fhd"))}
    for key, value, names in (
        ("fragment.lanes", 4, {"fragment.processor"}),
        ("raster.quads_per_cycle", 8, {"early_z", "rasterizer.edges", "blend"}),
        ("raster.attributes_per_cycle", 32, {"rasterizer.interpolators"}),
        ("fragment.texels_per_cycle", 8, {"texture.filter"}),
        ("vertex.processors", 8, {"vertex.processor"}),
    ):
        larger = {one.name: one for one in bill(load_config("tbr-fhd", (f"{key}={value}",)))}
        for name in names:
            assert larger[name].area_mm2 > 1.01 * plain[name].area_mm2, (key, name)
            assert larger[name].leak_mw > 1.01 * plain[name].leak_mw, (key, name)


def test_a_multiply_add_costs_the_same_in_every_unit() -> None:
    """What the width of an instruction adds to a processor is as large as as many interpolators."""
    one, four = ({s.name: s for s in bill(load_config("tbr-fhd", (f"fragment.lanes={n}",)))} for n in (1, 4))
    adder = row("gate_full_adder_bit", 22, "HP").area_mm2
    register = row("gate_register_dff_bit", 22, "HP").area_mm2
    further = four["fragment.processor"].area_mm2 - one["fragment.processor"].area_mm2
    assert further == pytest.approx(4 * 12 * (800 * adder + 96 * register))
    # Fetch and decoding are of a quad's instruction, however many cycles its fragments take.
    key = "fs.issue_cycles"
    assert four["fragment.processor"].activity[key] == pytest.approx(4 * one["fragment.processor"].activity[key])


def test_peaks_beside_what_arm_publishes() -> None:
    """Mali-450 at 480 MHz with eight cores: 3.8 Gpixel/s; a core: one instruction word of one fragment and one bilinear
    look-up a clock (Arm's Utgard guide). Not further away than 1.5 times. What the papers' tables say of varyings and
    primitives is further away (MODEL.md).
    """
    for preset in ("mali450-vro", "mali450-re"):
        config = load_config(preset)
        mine, cores = peaks(config), config.fragment.processors
        for value, published in (
            (mine.fragments / cores, 3.8e9 / 480e6 / 8), (mine.instructions / cores, 1),
            (mine.bilinear_texels / cores, 1),
        ):  # fmt: skip
            assert 1 / 1.5 <= value / published <= 1.5
