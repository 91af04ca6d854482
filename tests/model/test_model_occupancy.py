"""Occupancy of the queues: entries times cycles are what a look at every cycle adds up to."""

from __future__ import annotations

import pytest
from test_model_oracle import SETTINGS, random_scene

from gpumodel import machine as machine_module
from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine


@pytest.mark.parametrize("name", ["vro", "thesis-queues", "small-queues", "narrow"])
def test_entry_cycles_are_sums_over_cycles(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[name])
    one = Machine(config, every_cycle=True)
    sums = dict.fromkeys(("tile", "fragment", "color", "post_raster"), 0)

    def look(what: str, more_cycles: int = 0) -> None:
        for ru in one.system["ru"][: config.raster.units]:
            for queue, field in zip(sums, ("pair_used", "queued", "color_count", "post_count"), strict=True):
                sums[queue] += int(ru[field])

    # The loop stops in every cycle, and what is looked at there is what the queues hold since the cycle before.
    monkeypatch.setattr(machine_module, "_CYCLES_OF_A_CHECK", 1)
    monkeypatch.setattr(one, "_check", look)
    counters = one.run_frame(random_scene(3).trace()).counters
    assert {queue: counters[f"queue.{queue}.entry_cycles"] for queue in sums} == sums
    assert sums["color"] > 0
    assert (sums["post_raster"] > 0) == bool(config.queues.post_raster)
