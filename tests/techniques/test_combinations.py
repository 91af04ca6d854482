"""Techniques together: shared hooks, exact pixels, and each technique's own figures as when it is alone."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hidden_films import random_states
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


#: What each technique does once in every frame of a screen of one tile whose objects change.
ONCE = {"te": "te.tiles_hashed", "afbc": "afbc.tiles", "libra-like": "libra-like.learned_tiles"}


# Those that want columns of their own find none in a film.
@pytest.mark.parametrize("technique", sorted(name for name, each in known_techniques().items() if not each.columns))
def test_a_screen_of_one_tile(technique: str, tmp_path: Path) -> None:
    """The tile that begins has the number of the one that has ended: what is kept of a tile ends with its pass."""
    rng = np.random.default_rng(8)
    film = [random_states(rng, 7) for _ in range(3)]
    film += [film[2], film[2][::-1], film[1]]
    frames = object_film(tmp_path / "a.gltrace", film, (16, 16))
    settings = ["screen.scale_to_trace=true", "tile.width=16", "tile.height=16"]
    runs = []
    for loop in (False, True):
        config = load_config("mali450-re", settings)
        one = Run(config, [technique], verify=True, every_cycle=loop)
        for frame in frames:
            one.feed(frame)
        one.finish()
        assert one.result.verification is not None
        assert one.result.verification.identical
        runs.append([(frame.counters, frame.cycles, frame.stalls) for frame in one.result.frames])
    assert runs[0] == runs[1]
    if technique in ONCE:
        assert [counters[ONCE[technique]] for counters, _, _ in runs[0]] == [1] * len(frames)


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
