"""Laws of counters, each configuration once: what a frame has done is what its streams say."""

from __future__ import annotations

import pytest
from model_laws import check_conservation
from model_scene import Scene
from test_model_oracle import SETTINGS, random_scene

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
def test_counters_are_what_streams_say(settings: str) -> None:
    machine = Machine(apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings]))
    for seed in (2, 8):
        trace = random_scene(seed).trace()
        check_conservation(machine.run_frame(trace), trace)


@pytest.mark.parametrize("texels", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("rate", [1, 2, 4, 8])
def test_texels_at_the_filter_s_rate(texels: int, rate: int) -> None:
    """One thread: each look-up of four times so many texels keeps it for as many cycles as they take, rounded up."""

    def cycles(count: int) -> int:
        scene = Scene(16, 16)
        path = scene.path(*[1] * (count + 1))
        draw = scene.draw(attributes=1, vertex_path=scene.path(1))
        scene.quad_block(draw, 0, 0, 2, 2, path=path, lines=[[5]] * count, texels=texels)
        settings = [f"fragment.texels_per_cycle={rate}", "fragment.lanes=4"]
        return (
            Machine(apply_settings(load_config("mali450-vro").model_dump(), settings))
            .run_frame(scene.trace())
            .raster_cycles
        )

    # The look-up, its latency of a cycle, and the instruction behind it.
    assert cycles(12) - cycles(4) == 8 * (-(-4 * texels // rate) + 1 + 1)
