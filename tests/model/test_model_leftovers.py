"""A pass finds the units alike: a pass leaves their queues empty; what it leaves in other fields no later one reads.
Those are spoilt before each pass, and no figure changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest
from test_model_oracle import SETTINGS, random_scene

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine
from gpumodel.units import counters, state

#: What a pass leaves as it was at first, nothing being under way.
EMPTY: Final = frozenset((
    "input_count", "output_count", "code_waits", "triangle_count", "binning", "processor_busy", "beside_works",
    "order_count", "opened", "tested", "depth_tile", "loading", "pair_count", "pair_used", "pair_coming", "current",
    "post_count",
    "in_flight_count", "pending", "queued", "fragment_count", "color_count", "blending_count", "flush_pending",
    "flushing", "load_open", "late_pending", "table_count", "count", "ready", "done", "running", "code_ready",
    "code_wait", "texture_count", "line", "latent_count", "table_ready", "table_done", "pointer_state", "code",
    "attribute_slot", "arrival_count",
))  # fmt: skip
#: What a configuration says, where it says 0; counters that have no name; times, and places in rings that have an end.
STAYS: Final = frozenset((
    "number", "front_only", "post_depth", "blending_depth", "waiter_shift", "queue", "entry_cycles", "raster_next",
    "head", "table_head", "wait_op",
))  # fmt: skip
COUNTERS: Final = frozenset(
    counter.field
    for declared in (counters.GEOMETRY_COUNTERS, counters.RASTER_UNIT_COUNTERS, counters.PROCESSOR_COUNTERS)
    for counter in declared.values()
)


def fields(now: Any, first: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each plain field of a record and of those in it: name, record, what it was at first."""
    for name in now.dtype.names:
        kind = now.dtype[name].base
        if kind.names and kind != state.STREAM:
            yield from fields(now[name], first[name])
        elif not kind.names and name not in COUNTERS:
            yield name, now, first[name]


@pytest.mark.parametrize("settings", ["narrow", "pipelined", "small-queues", "shared-textures"])
def test_a_pass_finds_the_units_alike(settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
    plain, spoilt = Machine(config), Machine(config)
    units = config.raster.units
    parts = [spoilt.system["frame"][:1], spoilt.system["ru"][:units]]
    known = [found for part in parts for found in fields(part, part.copy())]
    rng, prepare = np.random.default_rng(1), spoilt.prepare_geometry

    def spoil_and_prepare(trace: Any, streams: Any) -> None:
        for name, record, first in known:
            if name in EMPTY:
                assert (record[name] == first).all(), name
            elif name not in STAYS:
                record[name] = np.where(first > 0, record[name], rng.integers(0, 4, first.shape))
        prepare(trace, streams)

    spoilt.prepare_geometry = spoil_and_prepare  # type: ignore[method-assign]
    for seed in (100, 101, 106):
        trace = random_scene(seed).trace()
        one, other = plain.run_frame(trace), spoilt.run_frame(trace)
        assert (one.counters, one.unit_cycles) == (other.counters, other.unit_cycles)
