"""Attribution: every counter's rows add up to the frame's figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cost_sums import check_sums
from test_model_multisample import multisampled
from test_model_oracle import SETTINGS, random_scene
from test_model_overflow import long_pass

from gpumodel.config import apply_settings, load_config
from gpumodel.results import FrameResult
from gpumodel.runs import Run
from traceformat.gputrace.frametrace import FrameRole


def json_of(result: FrameResult) -> dict[str, Any]:
    assert result.attribution is not None
    return result.attribution.as_json()


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


@pytest.mark.parametrize("memory", ["paper", "dram"])
def test_the_first_measured_frame_is_counted_alone_and_no_figure_changes(memory: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), (f"memory.mode='{memory}'",))
    one, plain, whole = Run(config), Run(config), Run(config, attribution=True)
    one.count_first()
    for k in range(4):
        trace = random_scene(30 + k).trace()
        trace.role = FrameRole.WARM_UP if k == 0 else FrameRole.MEASURED
        for run in (one, plain, whole):
            run.feed(trace)
    assert [frame.as_json() for frame in one.result.frames] == [frame.as_json() for frame in plain.result.frames]
    costs, same = one.result.first_costs, whole.result.frames[1].attribution
    assert costs is not None
    assert same is not None
    # Who wrote a line in the frame before is not known here: that frame was not counted.
    assert costs.cycles.tolist() == same.cycles.tolist()
    assert plain.result.first_costs is None


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
@pytest.mark.parametrize("memory", ["paper", "dram"])
def test_both_loops_attribute_alike(memory: str, settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), (*SETTINGS[settings], f"memory.mode='{memory}'"))
    wake, every = Run(config, attribution=True), Run(config, attribution=True, every_cycle=True)
    for seed in (7, 8):
        trace = random_scene(seed).trace()
        (a, raw), (b, other) = wake.add(trace), every.add(trace)
        check_sums(a)
        assert json_of(a) == json_of(b)
        for one, two in zip(raw.passes, other.passes, strict=True):
            np.testing.assert_array_equal(one.streams.op_waits, two.streams.op_waits)
            np.testing.assert_array_equal(one.streams.op_misses, two.streams.op_misses)
        misses = sum(int(one.streams.op_misses.sum()) for one in raw.passes)
        assert misses == a.counters["cache.texture.misses"] > 0


def test_rows_add_up_where_a_pass_is_cut() -> None:
    settings = ("binning.parameter_buffer_mib=1", "binning.test='bounding-box'", "memory.mode='dram'")
    result, _ = Run(apply_settings(load_config("mali450-vro").model_dump(), settings), attribution=True).add(
        long_pass(1800)
    )
    assert result.counters["parameter_buffer.overflows"] == 1
    check_sums(result)
    rows = result.attribution
    assert rows is not None
    # The rest of the pass loads what the first part has stored.
    assert rows.count("dram.read_bytes.color")[rows.shared.index("load")] == 32 * 32 * 4


@pytest.mark.parametrize("seed", range(3))
def test_rows_add_up_with_samples(seed: int) -> None:
    result, _ = Run(load_config("tbr-fhd"), attribution=True).add(multisampled(random_scene(seed).trace(), seed))
    check_sums(result)
