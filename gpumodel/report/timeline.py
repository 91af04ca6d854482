"""A run over time, for Perfetto (ui.perfetto.dev) and Chrome's tracing: units, tiles, memory and power as tracks.

The file is the JSON trace-event format: complete events (``X``) for frames, passes and tiles, counters (``C``) for the
samples that the machine took. Time is in microseconds of the modelled GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpumodel.config.schema import GpuConfig
from gpumodel.counters import subtract
from gpumodel.energy import Structure, evaluate
from gpumodel.machine import MachineFrame, Sample
from gpumodel.pass_run import PassRun
from gpumodel.results import FrameResult
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["FIRST_SAMPLE_CYCLES", "Timeline"]

#: Cycles between the machine's samples to begin with; it takes fewer of long frames.
FIRST_SAMPLE_CYCLES: Final = 1000
_FRAMES, _PASSES, _TILES = 1, 2, 100
_QUEUES: Final = ("tile", "fragment", "color")


class Timeline:
    """Collects the events of one run.

    Parameters
    ----------
    config : the GPU
    name : of the run, the process in the viewer
    extra : structures of techniques, for the power
    number : process number, one a run
    """

    def __init__(self, config: GpuConfig, name: str, extra: Sequence[Structure] = (), number: int = 1) -> None:
        self._config = config
        self._extra = extra
        self._number = number
        self._events: list[dict[str, Any]] = [self._named("process_name", 0, name)]
        self._named_tracks: set[int] = set()

    def add(self, trace: FrameTrace, raw: MachineFrame, result: FrameResult) -> None:
        """Add the next frame, with what became of it."""
        if raw.passes:
            first, last = raw.passes[0].start, raw.passes[-1].end
            self._slice(_FRAMES, "frames", f"frame {trace.frame}", first, last)
        for done in raw.passes:
            self._add_pass(trace, done)
        for before, after in zip(raw.samples, raw.samples[1:], strict=False):
            if after.cycle > before.cycle:
                self._events.extend(self._counters(before, after, result))

    def _add_pass(self, trace: FrameTrace, done: PassRun) -> None:
        index = done.streams.index
        target = int(trace["passes"]["framebuffer"][index])
        where = "default framebuffer" if target == 0 else f"framebuffer {target}"
        size = f"{done.streams.width}x{done.streams.height}"
        self._slice(_PASSES, "passes", f"pass {index}: geometry", done.start, done.raster_start, target=where)
        self._slice(_PASSES, "passes", f"pass {index}: raster", done.raster_start, done.end, target=where, size=size)
        tiles = done.streams.tiles
        # Tiles of one unit may overlap in time (pipelining): each goes to the first track that is free.
        free: dict[int, list[int]] = {}
        for tile in sorted((t for t in tiles if t["end"] >= 0), key=lambda t: (int(t["start"]), int(t["end"]))):
            start, end, unit = int(tile["start"]), int(tile["end"]), int(tile["raster_unit"])
            lanes = free.setdefault(unit, [])
            lane = next((k for k, until in enumerate(lanes) if until <= start), len(lanes))
            lanes[lane : lane + 1] = [end]
            about = {"quads": int(tile["quads"]), "shaded": int(tile["shaded"]), "primitives": int(tile["pair_count"])}
            self._slice(
                _TILES + 10 * unit + lane,
                f"tiles of Raster Unit {unit}" + (f" ({lane + 1})" if lane else ""),
                f"tile {int(tile['x0']) // self._config.tile.width},{int(tile['y0']) // self._config.tile.height}",
                start, end, **about,
            )  # fmt: skip

    def _counters(self, before: Sample, after: Sample, result: FrameResult) -> Iterator[dict[str, Any]]:
        """Counter events of the time between two samples."""
        cycles = after.cycle - before.cycle
        time = self._microseconds(before.cycle)
        counters = subtract(after.counters, before.counters)

        def event(name: str, values: Mapping[str, float]) -> dict[str, Any]:
            rounded = {key: round(value, 4) for key, value in values.items()}
            return {"ph": "C", "pid": self._number, "tid": 0, "ts": time, "name": name, "args": rounded}

        for unit, states in after.states.items():
            spent = subtract(states, before.states[unit])
            yield event(
                f"{unit} (% of cycles)", {state: 100 * n / cycles for state, n in spent.items() if state != "idle"}
            )
        for way in ("read", "write"):
            yield event(
                f"memory {way} (bytes a cycle)",
                {kind: counters[f"dram.{way}_bytes.{kind}"] / cycles for kind in TRAFFIC_NAMES},
            )
        yield event("queues (entries)", {name: counters[f"queue.{name}.entry_cycles"] / cycles for name in _QUEUES})
        accesses = {cache: counters[f"cache.{cache}.accesses"] for cache in ("vertex", "tile", "texture", "l2")}
        yield event(
            "cache hits (%)",
            {cache: 100 * counters[f"cache.{cache}.hits"] / n if n else 100.0 for cache, n in accesses.items()},
        )
        energy = evaluate(self._config, cycles, _completed(counters, result, cycles), self._extra)
        seconds = cycles / (self._config.tech.clock_mhz * 1e6)
        yield event(
            "power (mW)",
            {
                "GPU dynamic": energy.gpu_dynamic * 1e-9 / seconds,
                "GPU static": energy.gpu_static * 1e-9 / seconds,
                "memory dynamic": energy.dram_dynamic * 1e-9 / seconds,
                "memory static": energy.dram_static * 1e-9 / seconds,
            },
        )

    def _microseconds(self, cycle: int) -> float:
        return round(cycle / self._config.tech.clock_mhz, 4)

    def _slice(self, track: int, title: str, name: str, start: int, end: int, **about: Any) -> None:
        if track not in self._named_tracks:
            self._named_tracks.add(track)
            self._events.append(self._named("thread_name", track, title))
            order = {"ph": "M", "pid": self._number, "tid": track, "name": "thread_sort_index"}
            self._events.append(order | {"args": {"sort_index": track}})
        begin = self._microseconds(start)
        about["cycles"] = end - start
        event = {"ph": "X", "pid": self._number, "tid": track, "ts": begin, "name": name, "args": about}
        self._events.append(event | {"dur": round(self._microseconds(end) - begin, 4)})

    def _named(self, kind: str, track: int, name: str) -> dict[str, Any]:
        return {"ph": "M", "pid": self._number, "tid": track, "name": kind, "args": {"name": name}}

    def events(self) -> list[dict[str, Any]]:
        """Everything so far, in the order of its making."""
        return self._events

    @staticmethod
    def text(timelines: list[Timeline]) -> str:
        """File of several runs, each a process."""
        events = [event for timeline in timelines for event in timeline.events()]
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}, separators=(",", ":")) + "\n"


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
