"""The bill: nothing that happens is free, and what a technique's text names is priced."""

from __future__ import annotations

import pytest

from gpumodel.config import load_config, preset_names
from gpumodel.energy import Structure, bill
from gpumodel.energy.bill import Prices
from gpumodel.techniques import known_techniques
from traceformat.errors import InternalError

#: Hardware that is there once and is charged with nothing of its own: its accesses are in the operations' price.
UNCHARGED = {"fragment.register_file"}


def structures(preset: str, technique: str) -> list[Structure]:
    config = load_config(preset)
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
