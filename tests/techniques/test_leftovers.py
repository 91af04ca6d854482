"""A pass finds the hardware alike: what a pass leaves behind in the records of techniques no later one reads, unless it
is meant to stay. All other fields are spoilt before each pass, and no figure changes. And every counter counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray
from object_films import Thing, object_film, random_things
from random_films import random_film

from gpumodel import load_config
from gpumodel.machine import Machine
from gpumodel.runs import Run
from gpumodel.technique_names import OWN_TECHNIQUES
from gpumodel.techniques.memo import FragmentMemoization
from gpumodel.techniques.plugs import Hook
from traceformat.gputrace.frametrace import FrameTrace

Film = Sequence[FrameTrace]
_FRONT: Final = "sequential position_only filters marks"
_PAIRS: Final = "behind last"
#: What stays beside counters and what is above 0 from the start: what a configuration says, clocks of replacement.
STAYS: Final[Mapping[str, str]] = {
    "dr": _FRONT, "dr-seq": _FRONT, "frag-prepass": _FRONT, "re": "single unit free", "evr-like": "single unit free",
    "te": "bytes_per_cycle", "pfr": _PAIRS, "memo": f"{_PAIRS} clock hash_cycles", "ideal-order": "cache unit matcher",
    "lrz": "ahead", "omega-like": "ahead",
}  # fmt: skip
#: Structures so small that they fill up.
SMALL: Final[Mapping[str, Sequence[str]]] = {
    "vro": ("vro.edge_filter=2", "vro.edges_queue=1", "vro.graph_cache.size_bytes=128", "vro.graph_cache.ways=1",
            "vro.children=1", "vro.graph_entries=16", "vro.graph_cache.latency_cycles=3"),
    "memo": ("memo.entries=16", "memo.ways=2", "memo.hash_bits=8", "memo.hash_cycles=2"),
    "lrz": ("lrz.cache_bytes=256",), "omega-like": ("omega_like.cache_bytes=256",),
    "te": ("te.signature_bits=1",), "re": ("re.signature_bits=1", "re.refresh_frames=3"),
    "evr-like": ("re.signature_bits=1", "re.refresh_frames=3"),
    "tcor-like": ("caches.tile.size_bytes=512", "caches.l2.size_bytes=2048"),
}  # fmt: skip
#: Counters that nothing in these films reaches; tests of their own have them.
SILENT: Final = frozenset((
    "afbc.sampled_bytes", "afbc.sampled_stored_bytes",
    "dr.hsr_wasted", "dr-seq.hsr_wasted", "dr-seq.hsr_yields", "frag-prepass.hsr_wasted",
    "evr-like.hidden_by_layer", "evr-like.poisoned", "fpk.kept_effects", "fpk.kept_late",
    "libra-like.sort_wait_cycles", "lrz.lines_evicted", "lrz.lines_fetched", "omega-like.binning_wait_cycles",
    "omega-like.clear_lines", "pfr.alone.copies", "pfr.alone.other_passes", "pfr.alone.read_back",
    "pfr.alone.reads_other_frame", "pfr.alone.storage", "ptr-shared.register_waits", "re.changed.attributes",
    "re.changed.begin", "re.changed.constants", "re.off.copied_contents", "re.off.not_stored",
    "re.off.parameter_overflow", "re.off.reads_framebuffer", "re.off.resized", "re.off.several_draw_buffers",
    "tcor-like.dead_reads", "vro.edges_late", "vro.sort_wait_cycles",
    # Of machines with more Raster Units.
    *(f"{name}.tiles.{unit}" for name in ("libra-like", "ptr", "ptr-shared") for unit in range(2, 8)),
))  # fmt: skip
TECHNIQUES: Final = sorted(name for names in OWN_TECHNIQUES.values() for name in names)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> list[Film]:
    """Objects of which one comes and goes; of all kinds; with several samples; of anything."""
    path, columns = tmp_path_factory.mktemp("film") / "a.gltrace", FragmentMemoization.columns
    things = random_things(np.random.default_rng(21), 9)

    def thing(name: str, size: float, depth: float, **state: Any) -> Thing:
        return Thing(name, ((-size, -size, size, size, depth, depth),), **state)

    kinds = [
        thing("q", 0.5, -0.2, query=True), thing("s", 0.7, -0.3, stencil=1), thing("d", 0.9, 0.1, shader_depth=True),
        thing("c", 0.9, 0.2, clears=True), thing("f", 1, -0.6, foliage=True), thing("g", 1, -0.7),
        thing("h", 1, -0.5, blend=True, writes_depth=False), thing("i", 0.3, 0.5),
    ]  # fmt: skip
    hidden = [thing("g", 1, -0.7), *kinds[5:], *things]
    corner = Thing("z", ((-1, -1, -0.5, -0.5, -0.9, -0.9),))
    return [
        object_film(path, [[*things, corner] if k == 2 else things for k in range(5)], columns=columns),
        object_film(path, [[*things, *kinds], [*things, *kinds, corner], hidden, hidden], columns=columns),
        object_film(path, [things[:3]], columns=columns, samples=4),
        random_film(path, 104),
    ]


class Spoiler:
    """Spoils what a technique's records have in them."""

    def __init__(self, run: Run, technique: str) -> None:
        plugs = run.machine.plugs
        hooks = [*plugs.hooks.values(), *(unit.tick for unit in plugs.units)]
        self._records = {id(own): own for own in _records(hooks)}
        self._first = {number: own.copy() for number, own in self._records.items()}
        counters = {counter.field for one in run._techniques for counter in one.counters.values()}
        self._stays = counters | set(STAYS.get(technique, "").split())
        self._rng = np.random.default_rng(1)

    def spoil(self) -> None:
        for number, own in self._records.items():
            for name in set(own.dtype.names or ()) - self._stays:
                if own.dtype[name].base.fields is None:
                    # Tiles are few, what their samples have is many.
                    other = self._rng.integers(0, 400 if own[name].size > 256 else 4, own[name].shape)
                    own[name] = np.where(self._first[number][name] > 0, own[name], other)


def _records(hooks: Sequence[Hook]) -> Iterator[NDArray[Any]]:
    for hook in hooks:
        if hook.own is not None:
            yield hook.own
        yield from _records(hook.kept)


def play(film: Film, technique: str, *, spoils: bool, settings: Sequence[str] = ()) -> Run:
    one = Run(load_config("mali450-re", ["screen.scale_to_trace=true", *settings]), [technique])
    with pytest.MonkeyPatch.context() as patch:
        if spoils:
            spoiler, prepare = Spoiler(one, technique), Machine.prepare_geometry

            def spoil_and_prepare(machine: Machine, trace: FrameTrace, streams: Any) -> None:
                if streams.frame_index == 0:
                    spoiler.spoil()
                prepare(machine, trace, streams)

            patch.setattr(Machine, "prepare_geometry", spoil_and_prepare)
        for frame in film:
            one.feed(frame)
        one.finish()
    return one


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_pass_finds_the_hardware_alike_and_counters_count(films: list[Film], technique: str) -> None:
    counted: set[str] = set()
    for settings in dict.fromkeys(((), SMALL.get(technique, ()))):
        for film in films:
            plain, spoilt = (play(film, technique, spoils=spoils, settings=settings) for spoils in (False, True))
            for frame, other in zip(plain.result.frames, spoilt.result.frames, strict=True):
                assert (frame.cycles, frame.counters) == (other.cycles, other.counters)
            counted |= {name for frame in plain.result.frames for name, value in frame.counters.items() if value}
    silent = {name for one in plain._techniques for name in one.counters} - counted
    assert silent <= SILENT
