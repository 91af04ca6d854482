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
