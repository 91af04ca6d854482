"""Techniques together: shared hooks, exact pixels, and each technique's own figures as when it is alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from object_films import Thing, object_film, random_things
from verified import counter, verified_run

from gpumodel.config.load import load_config
from gpumodel.runs import Run
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

#: A film in which some tiles stay as they are: two objects swap their order, one comes and goes.
FRAMES = 6


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    rng = np.random.default_rng(21)
    things = random_things(rng, 9)
    corner = Thing("z", ((-1, -1, -0.5, -0.5, -0.9, -0.9),))
    film = [[*things, corner] if k in {3, 5} else things for k in range(FRAMES)]
    return object_film(tmp_path_factory.mktemp("film") / "a.gltrace", film)


def play(frames: list[FrameTrace], techniques: str, *settings: str, every_cycle: bool = False) -> Run:
    return verified_run(frames, "mali450-re", techniques, *settings, every_cycle=every_cycle)


COMBINATIONS = ("re+vro", "te+vro", "re+te+vro", "dr+re", "dr+re+te", "dr-seq+re", "re+zprepass")


@pytest.mark.parametrize("techniques", COMBINATIONS)
def test_each_does_what_it_does_alone(frames: list[FrameTrace], techniques: str) -> None:
    """The order of objects changes neither a tile's inputs nor its colours."""
    both = play(frames, techniques)
    if "re" in techniques:
        assert counter(both, "re.tiles_skipped") == counter(play(frames, "re"), "re.tiles_skipped")
        assert sum(counter(both, "re.tiles_skipped")) > 0
    if techniques == "te+vro":
        assert counter(both, "te.flushes_skipped") == counter(play(frames, "te"), "te.flushes_skipped")
        assert sum(counter(both, "te.flushes_skipped")) > 0
    if "vro" in techniques:
        assert sum(counter(both, "vro.edges")) > 0
    if "dr" in techniques:
        alone = counter(play(frames, techniques.split("+")[0]), "fragments.shaded")
        shaded = counter(both, "fragments.shaded")
        assert all(mine <= other for mine, other in zip(shaded, alone, strict=True))
        assert sum(shaded) < sum(alone)


@pytest.mark.parametrize("techniques", COMBINATIONS)
def test_the_loops_agree(frames: list[FrameTrace], techniques: str) -> None:
    small = ("re.ot_queue=1", "te.bytes_per_cycle=4", "caches.tile.size_bytes=256", "caches.tile.ways=2")
    wake, every = (play(frames, techniques, *small, every_cycle=loop) for loop in (False, True))
    for one, other in zip(wake.result.frames, every.result.frames, strict=True):
        assert one.counters == other.counters
        assert one.cycles == other.cycles


def test_the_order_of_names_does_not_matter(frames: list[FrameTrace]) -> None:
    results = [play(frames, "+".join(names)).result.frames for names in itertools.permutations(("re", "te", "vro"))]
    for other in results[1:]:
        assert [frame.counters for frame in other] == [frame.counters for frame in results[0]]


def test_a_hook_that_cannot_be_shared() -> None:
    vro = known_techniques()["vro"]

    class Other(vro):
        id = "other"
        takes = ()

        def plugs(self, config):
            plugs = super().plugs(config)
            plugs.primitive_order = None
            return plugs

    with pytest.raises(ConfigError, match="other and vro both want the hook test"):
        combine([vro(), Other()], load_config("mali450-vro"))
