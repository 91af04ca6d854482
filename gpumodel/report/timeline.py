"""A run over time, for Perfetto (ui.perfetto.dev): frames, passes, objects and draws, tiles, units, memory, power.

Time is that of the modelled GPU, from the first cycle of the machine on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.table import GEOMETRY_CYCLES, RASTER_CYCLES, Attribution
from gpumodel.config.schema import GpuConfig
from gpumodel.counters import QUEUES, subtract
from gpumodel.energy import Structure, evaluate
from gpumodel.machine import MachineFrame, PassRun, Sample
from gpumodel.report.timeline_files import TimelineWriter
from gpumodel.results import FrameResult
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["FIRST_SAMPLE_CYCLES", "Timeline"]

#: Cycles between the machine's samples to begin with; it takes fewer of long frames.
FIRST_SAMPLE_CYCLES: Final = 1000
#: Tiles that the arrow of a draw leads through.
FLOW_TILES: Final = 16
#: Flows of a run; a flow's number tells all of a file apart.
_FLOWS_OF_A_RUN: Final = 1 << 40

Values = tuple[str, str, Mapping[str, float]]


class Timeline:
    """Writes one run.

    Parameters
    ----------
    writer : of the file, which may have several runs
    config : the GPU
    name : of the run, the process in the viewer
    extra : structures of techniques, for the power
    """

    def __init__(self, writer: TimelineWriter, config: GpuConfig, name: str, extra: Sequence[Structure] = ()) -> None:
        self._writer = writer
        self._config = config
        self._extra = extra
        self._process = writer.process(name)
        self._tracks: dict[str, int] = {}
        self._flows = self._process * _FLOWS_OF_A_RUN
        for title in ("frames", "passes", "objects and draws"):
            self._track(title)

    def add(self, trace: FrameTrace, raw: MachineFrame, result: FrameResult) -> None:
        """Add the next frame, with what became of it; draws are added where the result has their costs."""
        if raw.passes:
            first, last = raw.passes[0].start, raw.passes[-1].end
            self._slice("frames", f"frame {trace.frame}", first, last)
        # Costs tell how long a draw took, and not in which part of its pass.
        parts = Counter(done.streams.index for done in raw.passes)
        for done in raw.passes:
            self._add_pass(trace, done, parts[done.streams.index] == 1, result.attribution)
        for before, after in zip(raw.samples, raw.samples[1:], strict=False):
            if after.cycle > before.cycle:
                for title, unit, values in self._counters(before, after, result):
                    self._writer.counters(self._process, title, unit, self._time(before.cycle), values)

    def _add_pass(self, trace: FrameTrace, done: PassRun, is_whole: bool, costs: Attribution | None) -> None:
        index = done.streams.index
        target = int(trace["passes"]["framebuffer"][index])
        where = "default framebuffer" if target == 0 else f"framebuffer {target}"
        size = f"{done.streams.width}x{done.streams.height}"
        self._slice("passes", f"pass {index}: geometry", done.start, done.raster_start, target=where)
        self._slice("passes", f"pass {index}: raster", done.raster_start, done.end, target=where, size=size)
        tiles = done.streams.tiles
        rendered = np.flatnonzero(tiles["end"] >= 0)
        rendered = rendered[np.lexsort((tiles["end"][rendered], tiles["start"][rendered]))]
        flows: dict[int, list[int]] = {}
        if costs is not None and is_whole:
            flows = self._add_draws(done, costs, rendered)
        # Tiles of one unit may overlap in time (pipelining): each goes to the first track that is free.
        free: dict[int, list[int]] = {}
        for number, tile in zip(rendered.tolist(), tiles[rendered], strict=True):
            start, end, unit = int(tile["start"]), int(tile["end"]), int(tile["raster_unit"])
            lanes = free.setdefault(unit, [])
            lane = next((k for k, until in enumerate(lanes) if until <= start), len(lanes))
            lanes[lane : lane + 1] = [end]
            about = {"quads": int(tile["quads"]), "shaded": int(tile["shaded"]), "primitives": int(tile["pair_count"])}
            self._slice(
                f"tiles of Raster Unit {unit}" + (f" ({lane + 1})" if lane else ""),
                f"tile {int(tile['x0']) // self._config.tile.width},{int(tile['y0']) // self._config.tile.height}",
                start, end, flows.get(number, ()), **about,
            )  # fmt: skip

    def _add_draws(self, done: PassRun, costs: Attribution, rendered: NDArray[Any]) -> dict[int, list[int]]:
        """Add the draws of a pass, each in the cycles of the geometry phase that it was the oldest one in.

        Parameters
        ----------
        rendered : tiles in the order of time

        Returns
        -------
        arrows that come through each tile
        """
        first, last = done.streams.draw_range
        cycles = costs.count(GEOMETRY_CYCLES)
        columns = {
            "vertices shaded": costs.count("vertices.shaded"),
            "fragments shaded": costs.count("fragments.shaded"),
            "raster cycles of all units": costs.count(RASTER_CYCLES),
            "bytes read": np.sum([costs.count(f"dram.read_bytes.{kind}") for kind in TRAFFIC_NAMES], axis=0),
        }
        tiles_of = _tiles_of_draws(done, rendered, first, last)
        track = self._track("objects and draws")
        flows: dict[int, list[int]] = {}
        now, last_name = done.start, None
        for draw in range(first, last):
            name = costs.names.object[draw]
            if name != last_name:
                if last_name is not None:
                    self._writer.end_outer(track, self._time(now))
                self._writer.begin_outer(track, name, self._time(now))
                last_name = name
            self._flows += 1
            for tile in tiles_of.get(draw, ()):
                flows.setdefault(tile, []).append(self._flows)
            about: dict[str, int | str] = {key: int(column[draw]) for key, column in columns.items()}
            about |= {"call": int(costs.calls[draw]), "program": costs.names.program[draw]}
            self._slice(
                "objects and draws", f"draw {draw}", now, now + int(cycles[draw]),
                [self._flows] if draw in tiles_of else (), **about,
            )  # fmt: skip
            now += int(cycles[draw])
        if last_name is not None:
            self._writer.end_outer(track, self._time(now))
        return flows

    def _counters(self, before: Sample, after: Sample, result: FrameResult) -> Iterator[Values]:
        """Title, unit and values of what is counted between two samples."""
        cycles = after.cycle - before.cycle
        counters = subtract(after.counters, before.counters)

        for unit, states in after.states.items():
            spent = subtract(states, before.states[unit])
            yield unit, "% of cycles", {state: 100 * n / cycles for state, n in spent.items() if state != "idle"}
        for way in ("read", "write"):
            moved = {kind: counters[f"dram.{way}_bytes.{kind}"] / cycles for kind in TRAFFIC_NAMES}
            yield f"memory {way}", "bytes a cycle", moved
        yield "queues", "entries", {name: counters[f"queue.{name}.entry_cycles"] / cycles for name in QUEUES}
        accesses = {cache: counters[f"cache.{cache}.accesses"] for cache in ("vertex", "tile", "texture", "l2")}
        hits = {cache: 100 * counters[f"cache.{cache}.hits"] / n if n else 100.0 for cache, n in accesses.items()}
        yield "cache hits", "%", hits
        energy = evaluate(self._config, cycles, _completed(counters, result, cycles), self._extra)
        seconds = cycles / (self._config.tech.clock_mhz * 1e6)
        yield (
            "power",
            "mW",
            {
                "GPU dynamic": energy.gpu_dynamic * 1e-9 / seconds,
                "GPU static": energy.gpu_static * 1e-9 / seconds,
                "memory dynamic": energy.dram_dynamic * 1e-9 / seconds,
                "memory static": energy.dram_static * 1e-9 / seconds,
            },
        )

    def _time(self, cycle: int) -> float:
        """Nanoseconds."""
        return cycle * 1000 / self._config.tech.clock_mhz

    def _track(self, title: str) -> int:
        track = self._tracks.get(title)
        if track is None:
            track = self._tracks[title] = self._writer.track(self._process, title)
        return track

    def _slice(
        self, title: str, name: str, start: int, end: int, flows: Sequence[int] = (), **about: int | str
    ) -> None:
        about["cycles"] = end - start
        self._writer.slice(self._track(title), name, self._time(start), self._time(end), about, flows)


def _tiles_of_draws(done: PassRun, rendered: NDArray[Any], first: int, last: int) -> dict[int, list[int]]:
    """The first tiles that each draw of a range is rendered in, in the order of time."""
    pairs = done.streams.pairs
    place = np.full(len(done.streams.tiles), -1, np.int64)
    place[rendered] = np.arange(len(rendered))
    kept = (pairs["draw"] >= first) & (pairs["draw"] < last)
    draws, places = pairs["draw"][kept].astype(np.int64), place[pairs["tile"][kept]]
    keys = np.unique(draws[places >= 0] * len(place) + places[places >= 0])
    found: dict[int, list[int]] = {}
    for key in keys.tolist():
        draw, at = divmod(key, len(place))
        tiles = found.setdefault(draw, [])
        if len(tiles) < FLOW_TILES:
            tiles.append(int(rendered[at]))
    return found


def _completed(counters: Mapping[str, int], result: FrameResult, cycles: int) -> dict[str, float]:
    """Counters of an interval with those that are known of the whole frame only: their share goes with the activity.

    Instructions of a stage go with its issue cycles or vertices, everything else with time; the intervals of a frame
    add up to the frame.
    """
    out: dict[str, float] = dict(counters)
    leaders = {"fs": "fs.issue_cycles", "vs": "vertices.shaded"}
    for name, value in result.counters.items():
        if name in out:
            continue
        leader = leaders.get(name.partition(".")[0])
        whole = result.counters[leader] if leader else result.cycles
        part = counters[leader] if leader else cycles
        out[name] = value * part / whole if whole else 0.0
    return out
