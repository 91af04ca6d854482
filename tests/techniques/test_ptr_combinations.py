"""Several Raster Units, or doubled ones, together with other techniques: exact pixels, both loops, and what each does
alone.
"""

from __future__ import annotations

import numpy as np
import pytest
from object_films import Thing, object_film, random_things
from verified import counter, verified_run

from gpumodel.config.load import load_config
from gpumodel.energy import Structure
from gpumodel.runs import Run
from traceformat.gputrace.frametrace import FrameTrace

#: A film with still tiles, an object that comes and goes, and objects that swap places.
FRAMES = 5


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    rng = np.random.default_rng(5)
    things = random_things(rng, 8)
    corner = Thing("z", ((-1, -1, -0.5, -0.5, -0.9, -0.9),))
    film = [[*things, corner] if k == 3 else things for k in range(FRAMES)]
    return object_film(tmp_path_factory.mktemp("film") / "a.gltrace", film)


def play(frames: list[FrameTrace], techniques: str, *settings: str, every_cycle: bool = False) -> Run:
    """Tiles of 16x16, so that there are several for each unit."""
    small = ("tile.width=16", "tile.height=16", *settings)
    return verified_run(frames, "tbr-fhd", techniques, *small, every_cycle=every_cycle)


COMBINATIONS = [
    ("ptr+re", ()), ("ptr+te", ("ptr.units=3",)), ("ptr+vro", ()),
    ("ptr+vro", ("ptr.units=4", "ptr.assignment='mixed'")),
    ("double+re+vro", ()), ("ptr-shared+re+te+vro", ("ptr_shared.quad_map='1-quadrant'", "ptr.assignment='dynamic'")),
]  # fmt: skip


@pytest.mark.parametrize(("techniques", "settings"), COMBINATIONS)
def test_pixels_loops_and_what_each_does_alone(
    frames: list[FrameTrace], techniques: str, settings: tuple[str, ...]
) -> None:
    """Pixels stay exact, the wake-up loop is the loop of every cycle; a tile's inputs, colours and comparisons do not
    depend on the unit that renders it.
    """
    small = (*settings, "re.ot_queue=1", "te.bytes_per_cycle=4", "vro.edges_queue=2", "vro.edge_filter=2")
    wake, every = (play(frames, techniques, *small, every_cycle=loop) for loop in (False, True))
    for one, other in zip(wake.result.frames, every.result.frames, strict=True):
        assert one.counters == other.counters
        assert one.stalls == other.stalls
        assert one.cycles == other.cycles
    for technique, name in (("re", "re.tiles_skipped"), ("te", "te.flushes_skipped")):
        if technique in techniques.split("+"):
            alone = play(frames, technique, *small)
            # What ``re`` skips is not there for ``te``.
            if technique == "re" or "re" not in techniques.split("+"):
                assert counter(wake, name) == counter(alone, name)
            assert sum(counter(alone, name)) > 0
    if "vro" in techniques.split("+"):
        alone = play(frames[:1], "vro", *small)
        for name in ("vro.comparisons", "vro.edges"):
            assert counter(wake, name)[0] == counter(alone, name)[0] > 0


def test_each_unit_has_its_edge_filter() -> None:
    def structure(units: int, name: str) -> Structure:
        run = Run(load_config("tbr-fhd", [f"ptr.units={units}"]), ["ptr", "vro"])
        return next(s for s in run.result.hardware if s.name == name)

    for name in ("vro.owners", "vro.edge_filter"):
        assert structure(4, name).area_mm2 == pytest.approx(4 * structure(1, name).area_mm2)
    assert structure(1, "vro.edge_arbiter").area_mm2 == 0
    assert structure(4, "vro.edges_queue").area_mm2 == structure(1, "vro.edges_queue").area_mm2
