"""Forward Pixel Kill: closed forms of the buffer, what is kept, exact pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hidden_films import Played, random_states
from model_scene import Draw, Scene
from object_films import object_film
from test_model_oracle import SETTINGS, random_scene
from verified import verified_run

from gpumodel.config import apply_settings, load_config
from gpumodel.energy.bill import bill
from gpumodel.machine import Machine, MachineFrame
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.gputrace.frametrace import DrawFlags, FrameTrace

#: One thread, whose quad takes long: all others are in the buffer before it is done.
ONE_THREAD = ("fragment.processors=1", "fragment.threads=1")
QUADS = 4


def machine(*settings: str, preset: str = "mali450-vro", **choices: Any) -> tuple[Machine, Any]:
    technique = known_techniques()["fpk"]()
    config = technique.configure(load_config(preset, settings))
    return Machine(config, combine([technique], config), **choices), technique


def run(trace: FrameTrace, *settings: str) -> tuple[MachineFrame, dict[str, float]]:
    one_machine, technique = machine(*ONE_THREAD, *settings)
    return one_machine.run_frame(trace), {name[4:]: value for name, value in technique.read_counters().items()}


def layers(count: int, **states: Any) -> tuple[Scene, list[Draw]]:
    """Layers at one place, each in front of the one before."""
    scene = Scene(16, 16)
    path = scene.path(2000)
    draws = []
    for k in range(count):
        draws.append(scene.draw(depth_test=True, depth_write=True, **states.get(f"layer{k}", {})))
        scene.quad_block(draws[-1], 0, 0, 4, 4, path=path, depth=0.9 - 0.1 * k)
    return scene, draws


@pytest.mark.parametrize("count", [1, 2, 5])
def test_layers_back_to_front(count: int) -> None:
    """The first quad is a thread before anything comes behind it; of the others the last layer is left."""
    frame, own = run(layers(count)[0].trace())
    killed = (count - 1) * QUADS - (count > 1)
    assert own["quads_killed"] == killed
    assert own["fragments_killed"] == 4 * killed
    assert own["searches"] == own["killers"] == count * QUADS
    assert frame.counters["fs.quads"] == frame.counters["quads.blended"] == count * QUADS - killed
    assert frame.counters["fragments.shaded"] == 4 * (count * QUADS - killed)


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_the_buffer_reaches_so_far_back(depth: int) -> None:
    """Quads come one by one and the thread ends never: what has left the buffer is out of reach.

    Of two layers of four quads the first is a thread. A quad of the second layer enters a buffer of ``depth`` entries
    and finds the one four quads before it there where at least five fit.
    """
    scene, _ = layers(2)
    one_machine, technique = machine(*ONE_THREAD, f"fpk.quads={depth}")
    assert one_machine.config.queues.fragment == depth
    one_machine.run_frame(scene.trace())
    assert technique.read_counters()["fpk.quads_killed"] == (QUADS - 1 if depth > QUADS else 0)


def test_fragments_of_several_killers() -> None:
    """Half a quad hides nothing; the other half, by another one, ends it."""
    scene, _ = layers(3)
    trace = scene.trace()
    trace["quads"]["coverage"][QUADS : 2 * QUADS] = 3
    trace["quads"]["survives"][QUADS : 2 * QUADS] = 3
    trace["quads"]["coverage"][2 * QUADS :] = 12
    trace["quads"]["survives"][2 * QUADS :] = 12
    _, own = run(trace)
    assert own["quads_killed"] == QUADS - 1
    assert own["marks"] == 2 * (QUADS - 1)
    assert own["fragments_killed"] == 4 * (QUADS - 1)


@pytest.mark.parametrize(
    ("state", "killed"),
    [
        # The last layer is no killer, or is a late one.
        ({"layer1": {"blend": True}}, 0), ({"layer1": {"flags": DrawFlags.DISCARDS}}, 0),
        ({"layer1": {"flags": DrawFlags.WRITES_DEPTH}}, 0), ({"layer1": {"flags": DrawFlags.READS_FRAMEBUFFER}}, 0),
        # What is behind may do what it likes with colours, but its test and its writes have to come.
        ({"layer0": {"blend": True}}, QUADS - 1), ({"layer0": {"flags": DrawFlags.DISCARDS}}, 0),
        ({"layer0": {"flags": DrawFlags.READS_FRAMEBUFFER}}, QUADS - 1),
    ],
)  # fmt: skip
def test_who_kills_and_who_stays(state: dict[str, Any], killed: int) -> None:
    _, own = run(layers(2, **state)[0].trace())
    assert own["quads_killed"] == killed


def test_tests_that_come_late_and_effects_are_kept() -> None:
    """A killer without a depth test, behind quads whose test is still to come, and behind quads that write memory."""
    scene, draws = layers(2, layer0={"flags": DrawFlags.DISCARDS})
    draws[1].depth_test = draws[1].depth_write = False
    _, own = run(scene.trace())
    assert (own["quads_killed"], own["kept_late"]) == (0, QUADS - 1)
    effects = DrawFlags.SIDE_EFFECTS | DrawFlags.EARLY_TESTS
    _, own = run(layers(2, layer0={"flags": effects})[0].trace())
    assert (own["quads_killed"], own["kept_effects"]) == (0, QUADS - 1)
    # Nothing is killed that somebody between looks at.
    _, own = run(layers(3, layer1={"flags": DrawFlags.READS_FRAMEBUFFER})[0].trace())
    assert own["quads_killed"] == QUADS


@pytest.mark.parametrize("settings", ["vro", "narrow", "pipelined", "units", "thesis-queues", "small-queues"])
def test_loops_agree_and_nothing_is_lost(settings: str) -> None:
    def made(**choices: Any) -> tuple[Machine, Any]:
        technique = known_techniques()["fpk"]()
        config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
        return Machine(config, combine([technique], config), **choices), technique

    (wake, technique), (every, other) = made(), made(every_cycle=True)
    killed = 0.0
    for seed in range(3):
        trace = random_scene(300 + seed).trace()
        a, b = wake.run_frame(trace), every.run_frame(trace)
        assert a.counters == b.counters
        assert a.unit_cycles == b.unit_cycles
        now = technique.read_counters()
        assert now == other.read_counters()
        lost = now["fpk.fragments_killed"] - killed
        killed = now["fpk.fragments_killed"]
        c = a.counters
        assert c["fragments.rasterized"] == c["fragments.early_z_killed"] + c["fragments.shaded"] + lost
        assert c["fragments.shaded"] == sum(c[f"fragments.{k}"] for k in ("discarded", "late_z_killed", "written"))
        assert c["fs.quads"] == c["quads.blended"]


@pytest.mark.parametrize("preset", ["mali450-vro", "tbr-fhd"])
@pytest.mark.parametrize("samples", [0, 4])
def test_pixels_are_exact(tmp_path: Path, preset: str, samples: int) -> None:
    """Things of every state; few threads, so that many quads wait."""
    rng = np.random.default_rng(40 + samples)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 14) for _ in range(2)], samples=samples)
    settings = ("fragment.threads=1", "fragment.texels_per_cycle=1", "fpk.quads=256")
    killed = Played(frames, "fpk", preset, settings)
    plain = Played(frames, "", preset, settings)
    assert killed.counter("quads_killed") > 0
    assert killed.shaded + killed.counter("fragments_killed") == plain.shaded


@pytest.mark.parametrize("techniques", ["fpk+vro", "dr+fpk", "fpk+re+te", "fpk+frame-reverse+te", "fpk+zprepass"])
def test_together(tmp_path: Path, techniques: str) -> None:
    """Exact beside others, and both loops agree."""
    rng = np.random.default_rng(8)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 10)] * 3)
    results = [
        verified_run(frames, "mali450-vro", techniques, "fragment.threads=2", every_cycle=loop).result.frames
        for loop in (False, True)
    ]
    for wake, every in zip(*results, strict=True):
        assert wake.counters == every.counters
        assert wake.cycles == every.cycles


def test_its_price_grows_with_the_buffer() -> None:
    technique = known_techniques()["fpk"]()
    config = load_config("tbr-fhd", ["fpk.quads=64"])
    small, large = (
        technique.hardware(technique.configure(load_config("tbr-fhd", [f"fpk.quads={n}"]))) for n in (64, 128)
    )
    for one_size, other in zip(small, large, strict=True):
        assert other.area_mm2 == pytest.approx(2 * one_size.area_mm2)
    # The queue itself is the machine's.
    queues = [{s.name: s for s in bill(technique.configure(config))}["queue.fragment"], *bill(config)]
    assert queues[0].area_mm2 < next(s for s in queues[1:] if s.name == "queue.fragment").area_mm2
