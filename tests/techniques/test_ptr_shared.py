"""Technique ``ptr-shared``: Texture Caches of two Raster Units, their port, their miss registers, and their price."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from model_scene import Scene

from gpumodel import Run, load_config
from gpumodel.energy.bill import bill
from gpumodel.machine import Machine
from gpumodel.quad_maps import MAPPINGS
from gpumodel.techniques.ptr_shared import SharedTextures
from gpumodel.units import capacity
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace


def one_quad_a_tile(lines: list[list[int]], tiles: int = 2) -> FrameTrace:
    """A row of 32x32 tiles with one quad each, which looks up ``lines`` of its tile."""
    scene = Scene(32 * tiles, 32)
    path = scene.path(1, 1)
    draw = scene.draw(attributes=1, vertex_path=scene.path(1))
    for k in range(tiles):
        scene.quad_block(draw, 32 * k, 0, 2, 2, path=path, lines=[lines[k % len(lines)]])
    return scene.trace()


def textured(tiles: int = 9) -> FrameTrace:
    """Tiles of textured quads, some lines shared by neighbours."""
    scene = Scene(32 * tiles, 64)
    paths = [scene.path(2, 3), scene.path(9, 1, 1)]
    draw = scene.draw(attributes=3, vertex_path=scene.path(1))
    rng = np.random.default_rng(7)
    for k in range(2 * tiles):
        path = k % 2
        x, y = 32 * (k % tiles), 32 * (k // tiles)
        scene.quad_block(
            draw, x, y, 32, 32, path=paths[path],
            lines=[rng.integers(40 * k, 40 * k + 90, 3).tolist() for _ in range(path + 1)],
        )  # fmt: skip
    return scene.trace()


# Both quads are shaded by processor 0 in these maps' first two tiles.
SAME = "12-snake"


def end_of(trace: FrameTrace, technique: str, *settings: str) -> tuple[list[int], dict[str, float]]:
    result, raw = Run(load_config("tbr-fhd", [f"ptr_shared.quad_map='{SAME}'", *settings]), [technique]).add(trace)
    return raw.passes[0].streams.tiles["end"].tolist(), result.counters


def test_two_processors_take_turns_at_the_port() -> None:
    """200 look-ups each of a line that is there: both want the port from the cycle in which the second tile's quad is
    in the texture unit. Denied in turn, each goes at half its rate; with two ports neither waits. Each of the second
    quad's waits delays its tile by a cycle, and so each of the first quad's delays that of the first tile.
    """
    trace = one_quad_a_tile([[5] * 200])
    (first_one, second_one), one = end_of(trace, "ptr-shared")
    (first_two, second_two), two = end_of(trace, "ptr-shared", "ptr_shared.ports=2")
    assert two["ptr-shared.port_conflicts"] == 0
    denied = one["ptr-shared.port_conflicts"]
    assert denied > 200
    assert (first_one - first_two) + (second_one - second_two) == denied
    # The port serves 400 look-ups one a cycle; two ports end after the second quad's 200.
    assert abs((first_one - first_two) - (second_one - second_two)) <= 1


@pytest.mark.parametrize(
    ("lines", "share", "misses"),
    [
        ([[5] * 200], True, False),
        ([[32 * k for k in range(200)]], True, True),
        ([[32 * k for k in range(200)], [7] * 200], True, True),
        ([[32 * k for k in range(9)], []], False, True),
    ],
)
@pytest.mark.parametrize("ports", [1, 2])
def test_waits_for_the_port_and_for_a_register_are_told_apart(
    lines: list[list[int]], share: bool, misses: bool, ports: int
) -> None:
    """A wait for the port needs a look-up of the other processor in the same cycle, and with two ports there is none;
    the other waits are for the only miss register. Together they are the cycles in which the texture units stand.
    """
    settings = [f"ptr_shared.quad_map='{SAME}'", f"ptr_shared.ports={ports}", "ptr_shared.mshrs=1"]
    result, _ = Run(load_config("tbr-fhd", settings), ["ptr-shared"]).add(one_quad_a_tile(lines))
    conflicts, waits = (result.counters[f"ptr-shared.{name}"] for name in ("port_conflicts", "register_waits"))
    processors = [states for name, states in result.stalls.items() if name.startswith("fragment_processor")]
    assert conflicts + waits == sum(states["resource"] for states in processors)
    lookups = result.counters["cache.texture.accesses"]
    assert 0 < conflicts <= lookups if share and ports == 1 else conflicts == 0
    # Until the line of a miss is there takes longer than the other one's look-ups.
    assert waits > lookups if misses else waits == 0


def test_without_a_neighbour_a_shared_cache_is_a_private_one() -> None:
    """One tile at a time (the second has nothing to look up): the same cycles and misses as with private caches."""
    trace = one_quad_a_tile([[3, 900, 7, 3, 65], []])
    config = load_config("tbr-fhd", [f"ptr_shared.quad_map='{SAME}'", f"fragment.quad_map='{SAME}'"])
    private, shared = Run(config, ["ptr"]).add(trace)[1], Run(config, ["ptr-shared"]).add(trace)[1]
    assert private.raster_cycles == shared.raster_cycles
    assert private.counters == shared.counters


def test_a_line_that_both_miss_is_fetched_once() -> None:
    trace = one_quad_a_tile([[11, 12, 13, 14]])
    shared, private = end_of(trace, "ptr-shared")[1], end_of(trace, "ptr")[1]
    assert private["cache.texture.primary_misses"] == 8
    assert shared["cache.texture.primary_misses"] == 4
    assert shared["cache.texture.accesses"] == private["cache.texture.accesses"] == 8


@pytest.mark.parametrize("name", MAPPINGS)
def test_quads_are_shaded_where_the_map_says(name: str) -> None:
    config = load_config("tbr-fhd", [f"ptr_shared.quad_map='{name}'"])
    run = Run(config, ["ptr-shared"])
    trace = textured(3)
    result, raw = run.add(trace)
    streams = raw.passes[0].streams
    assert run.machine.config.tile.order == MAPPINGS[name].order
    y, x = np.divmod(np.arange(256), 16)
    for tile in range(len(streams.tiles)):
        quads = streams.quads[: len(streams.quads)][streams.quads["tile"] == tile]
        expected = MAPPINGS[name].caches(x, y, 16, 16, tile)[quads["position"]]
        np.testing.assert_array_equal(quads["processor"], expected)
    assert result.counters["fs.quads"] == len(streams.quads)


@pytest.mark.parametrize("units", [2, 4])
@pytest.mark.parametrize("ports", [1, 2])
def test_both_loops_agree(units: int, ports: int) -> None:
    settings = [f"ptr.units={units}", f"ptr_shared.ports={ports}", "ptr_shared.mshrs=2", "ptr.assignment='mixed'"]
    machine = Run(load_config("tbr-fhd", settings), ["ptr-shared"]).machine
    every = Machine(machine.config, every_cycle=True)
    trace = textured()
    a, b = machine.run_frame(trace), every.run_frame(trace)
    assert (a.counters, a.unit_cycles) == (b.counters, b.unit_cycles)


def test_ports_and_miss_registers_are_parameters() -> None:
    """As many miss registers as a private cache has, unless it is said."""
    shared = SharedTextures().configure(load_config("tbr-fhd"))
    assert (shared.fragment.texture_ports, shared.caches.texture.mshrs) == (1, 8)
    settings = ["ptr_shared.ports=2", "ptr_shared.mshrs=13", "ptr.units=4", "ptr.assignment='mixed'"]
    shared = SharedTextures().configure(load_config("tbr-fhd", settings))
    assert (shared.fragment.texture_ports, shared.caches.texture.mshrs) == (2, 13)
    assert (shared.raster.units, shared.raster.assignment) == (4, "mixed")


def test_half_of_the_caches_are_paid_for() -> None:
    config = load_config("tbr-fhd")
    shared = SharedTextures().configure(config)
    private = Run(config, ["ptr"]).machine.config
    for name in ("texture.cache", "texture.mshr"):
        area = [next(s.area_mm2 for s in bill(c) if s.name == name) for c in (config, private, shared)]
        assert area[1] == pytest.approx(2 * area[0])
        assert area[2] == pytest.approx(area[0])
    both = Run(config, ["ptr", "ptr-shared"]).result.as_json()["hardware"]
    assert both == Run(config, ["ptr-shared"]).result.as_json()["hardware"]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (["ptr.units=3"], r"ptr\.units = 3: ptr-shared needs an even number"),
        (["ptr.units=1"], r"ptr\.units = 1: ptr-shared needs an even number"),
        (["fragment.threads=32"], "more than 31 threads"),
        (["fragment.processors=2"], "made for 4 processors"),
    ],
)
def test_what_is_not_defined_is_refused(settings: list[str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        SharedTextures().configure(load_config("tbr-fhd", settings))


def test_waiters_of_both_processors_fit_in_a_miss_register() -> None:
    load_config("tbr-fhd", ["fragment.shared_texture_caches=true", "raster.units=2", "fragment.threads=31"])
    assert 2 * capacity.MAX_SHARING_THREADS < 63
