"""Attribution: every counter's rows add up to the frame's figure."""

from __future__ import annotations

import pytest
from test_model_oracle import SETTINGS, random_scene

from gpumodel.attribution.columns import NOT_SUMS
from gpumodel.config import apply_settings, load_config
from gpumodel.results import FrameResult
from gpumodel.runs import Run


def check_sums(result: FrameResult) -> None:
    """Every column adds up to the frame's figure: integers exactly, energy within 1e-9."""
    rows = result.attribution
    assert rows is not None
    for name, total in result.counters.items():
        if name not in NOT_SUMS:
            assert rows.count(name).sum() == total, name
    assert rows.cycles.sum() == pytest.approx(result.cycles, rel=1e-12)
    for name, values in rows.energy_pj.items():
        assert values.sum() == pytest.approx(getattr(result.energy, name), rel=1e-9), name


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
@pytest.mark.parametrize("seed", range(4))
def test_rows_add_up_to_the_frame(seed: int, settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
    one, plain = Run(config, attribution=True), Run(config)
    for k in range(2):
        trace = random_scene(100 * seed + k).trace()
        result, _ = one.add(trace)
        check_sums(result)
        without, _ = plain.add(trace)
        assert (without.cycles, without.counters, without.stalls) == (result.cycles, result.counters, result.stalls)


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
@pytest.mark.parametrize("memory", ["paper", "dram"])
def test_both_loops_attribute_alike(memory: str, settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), (*SETTINGS[settings], f"memory.mode='{memory}'"))
    wake, every = Run(config, attribution=True), Run(config, attribution=True, every_cycle=True)
    for seed in (7, 8):
        trace = random_scene(seed).trace()
        a, b = wake.add(trace)[0], every.add(trace)[0]
        check_sums(a)
        assert a.attribution is not None and b.attribution is not None
        assert a.attribution.as_json() == b.attribution.as_json()


#: Counters of the machine that a technique's own units count, too.
TECHNIQUES: dict[str, set[str]] = {
    "vro": set(), "re": set(), "te": set(), "ptr": set(), "memo": set(), "pfr": set(),
    "dr": {"tile_fetch.primitives", "tile_fetch.requests", "tile_fetch.attributes"},
}  # fmt: skip


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_rows_add_up_with_a_technique(technique: str) -> None:
    one = Run(load_config("mali450-re"), (technique,), attribution=True)
    for seed in range(4):
        one.feed(random_scene(seed).trace())
    one.finish()
    allowed = TECHNIQUES[technique]
    for result in one.result.frames:
        check_sums(result)
        assert result.attribution is not None
        print(
            result.frame,
            {
                n: v[k]
                for n, v in result.attribution.counts.items()
                for k, kind in enumerate(result.attribution.shared)
                if kind in ("technique", "pair") and v[k]
            },
        )
