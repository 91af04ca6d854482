"""Two frames in one machine: geometry of the first, of the second, then both raster phases at the same time.

What belongs to a frame alone (its geometry, its Raster Unit with processors and Texture Caches, its Tile Cache) is
counted for it. What both share in the raster phase (L2, memory, Instruction Caches) is halved between them, and so is
time: each frame reports half of what the pair took. Sums over the two frames are what the machine did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpumodel.counters import OWN_COUNTERS, TIME_COUNTERS, read_counters, subtract
from gpumodel.machine import MachineFrame, PassHandling
from gpumodel.overflow import cut_pass
from gpumodel.pass_log import PassLog
from gpumodel.pass_run import PassRun
from gpumodel.units.tile_fetch import ASSIGN_FRAME
from traceformat.gputrace.frametrace import MODEL_COLUMNS
from traceformat.gputrace.passes import passes_of

if TYPE_CHECKING:
    from gpumodel.machine import Machine
    from gpumodel.streams import PassStreams, PassTables
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["run_frames"]

_BOTH = 3


def run_frames(machine: Machine, traces: tuple[FrameTrace, ...], handling: PassHandling) -> list[MachineFrame]:
    """Run one frame, or two in parallel where the technique says that they can be."""
    if len(traces) == 2:
        assert machine.plugs.in_parallel is not None
        if machine.plugs.in_parallel(traces[0], traces[1]):
            return _Pair(machine, traces[0], traces[1], handling).run()
    return [machine.run_frame(trace, handling) for trace in traces]


class _Pair:
    """A pair of frames with the same passes."""

    def __init__(self, machine: Machine, first: FrameTrace, second: FrameTrace, handling: PassHandling) -> None:
        self._machine = machine
        self._handling = handling
        self._frames = first, second
        self._passes = passes_of(first, MODEL_COLUMNS), passes_of(second, MODEL_COLUMNS)
        self._raws = [MachineFrame.of(trace, machine.config) for trace in (first, second)]
        for raw in self._raws:
            raw.passes = PassLog(machine.config, list(zip(self._frames, self._passes, strict=True)))
        #: Counters of the first frame.
        self._first: dict[str, int] = {}
        self._geometry = 0

    def run(self) -> list[MachineFrame]:
        """Run all passes."""
        machine = self._machine
        machine.host_seconds = 0.0
        machine.allow_frames(2)
        if not len(self._passes[0]):
            machine.begin_costs(self._frames)
        begin, counters, states = machine.cycles, read_counters(machine.system), machine.unit_cycles()
        for index in range(len(self._passes[0])):
            self._run_pass(index)
        for frame_index, trace in enumerate(self._frames):
            self._handling.end_frame(frame_index, trace)
        total = subtract(read_counters(machine.system), counters)
        for name in TIME_COUNTERS & set(total):
            self._first[name] = total[name] // 2
        # Frames without a pass have counted nothing.
        second = {name: value - self._first.setdefault(name, 0) for name, value in total.items()}
        first_states, second_states = _halves(
            {unit: subtract(now, states[unit]) for unit, now in machine.unit_cycles().items()}
        )
        cycles = machine.cycles - begin
        geometry = self._geometry // 2, self._geometry - self._geometry // 2
        sums = cycles // 2, cycles - cycles // 2
        for k, raw in enumerate(self._raws):
            raw.geometry_cycles, raw.raster_cycles = geometry[k], sums[k] - geometry[k]
            raw.counters, raw.unit_cycles = (self._first, second)[k], (first_states, second_states)[k]
            raw.host_seconds = machine.host_seconds / 2
            raw.costs = machine.costs_of(k)
        return self._raws

    def _run_pass(self, index: int) -> None:
        """Run a pass of both frames, together where their lists fit in the Parameter Buffer."""
        machine = self._machine
        given = [passes[index] for passes in self._passes]
        submitted = tuple(self._handling.submit(one) for one in given)
        if index == 0:
            machine.begin_costs(submitted)
        tables = tuple(machine.tables(one, frame_index) for frame_index, one in enumerate(submitted))
        arranged = tuple(machine.arrange(one, index) for one in tables)
        budget = machine.config.binning.parameter_buffer_mib
        parts = [cut_pass(one, whole, budget) for one, whole in zip(tables, arranged, strict=True)]
        if max(len(part) for part in parts) > 1:
            runs = self._run_apart(index, (tables[0], tables[1]))
        else:
            runs = self._run_together(index, (tables[0], tables[1]), (arranged[0], arranged[1]))
        for frame_index, (raw, done) in enumerate(zip(self._raws, runs, strict=True)):
            for one in done:
                raw.work.add(one.tables, one)
            self._handling.finish(frame_index, given[frame_index], done)
            for one in done:
                if self._handling.keeps(given[frame_index], one):
                    raw.passes.add(one, given[frame_index], frame_index)

    def _run_together(
        self, index: int, tables: tuple[PassTables, PassTables], arranged: tuple[PassStreams, PassStreams]
    ) -> tuple[list[PassRun], list[PassRun]]:
        """Run a pass of both frames."""
        machine, traces = self._machine, tuple(one.trace for one in tables)
        system = machine.system
        what = f"frames {traces[0].frame} and {traces[1].frame} pass {index}"
        for trace, streams in zip(traces, arranged, strict=True):
            machine.prepare_geometry(trace, streams)
            machine.prepare_raster(trace, streams)
        kept = [machine.depth_images.images(trace, index) for trace in traces]
        if kept[0][0] is kept[1][0]:
            # The second frame loads nothing, and what it leaves is what stays.
            kept[0] = kept[0][0].copy(), kept[0][1].copy()
        assignment = int(system["cfg"]["assignment"])
        system["cfg"]["assignment"] = ASSIGN_FRAME
        start, before = machine.cycles, read_counters(system, 0)
        machine.begin_pass(sum(len(streams.quads) for streams in arranged))
        steps = [before]
        for frame_index in range(2):
            machine.load_pass(tables[frame_index], arranged[frame_index], kept[frame_index], frame_index)
            system["frame"][frame_index]["held"] = 1
            machine.run_units(1 << frame_index, what)
            steps.append(read_counters(system, 0))
        raster_start = machine.cycles
        for frame_index in range(2):
            system["frame"][frame_index]["held"] = 0
        machine.run_units(_BOTH, what)
        for trace, streams in zip(traces, arranged, strict=True):
            machine.end_costs(trace, streams)
        steps.append(read_counters(system, 0))
        system["cfg"]["assignment"] = assignment
        for trace in traces:
            machine.transfer(trace, index)
            steps.append(read_counters(system, 0))
        self._geometry += raster_start - start
        slots = machine.slot_log(list(zip(traces, arranged, strict=True)))
        runs: tuple[list[PassRun], list[PassRun]] = [], []
        for frame_index in range(2):
            log = arranged[frame_index].log[: int(system["frame"][frame_index]["retired"])]
            done = PassRun(tables[frame_index], arranged[frame_index], log, start, raster_start, machine.cycles, slots)
            runs[frame_index].append(done)
            for observer in machine.plugs.observers:
                observer(traces[frame_index], done)
        for name, value in before.items():
            own = steps[3][name] - value
            shared = steps[1][name] - value + (steps[3][name] - steps[2][name]) // 2 + steps[4][name] - steps[3][name]
            self._first[name] = self._first.get(name, 0) + (own if name in OWN_COUNTERS else shared)
        return runs

    def _run_apart(self, index: int, tables: tuple[PassTables, PassTables]) -> tuple[list[PassRun], list[PassRun]]:
        """Run a pass of each frame alone: their lists do not fit in the Parameter Buffer."""
        machine = self._machine
        runs: tuple[list[PassRun], list[PassRun]] = [], []
        for frame_index in range(2):
            before = read_counters(machine.system)
            trace = tables[frame_index].trace
            # As the first in flight, like a frame that is alone.
            for done in machine.run_pass(tables[0] if frame_index == 0 else machine.tables(trace), index):
                self._geometry += done.raster_start - done.start
                runs[frame_index].append(done)
                for observer in machine.plugs.observers:
                    observer(trace, done)
            if frame_index == 0:
                for name, value in subtract(read_counters(machine.system), before).items():
                    self._first[name] = self._first.get(name, 0) + value
        return runs


def _halves(
    states: Mapping[str, Mapping[str, int]],
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Halve the cycles of each unit by state so that both halves add up to half of all cycles."""
    first: dict[str, dict[str, int]] = {}
    second: dict[str, dict[str, int]] = {}
    for unit, cycles in states.items():
        first[unit], second[unit] = {}, {}
        running = 0
        for state, value in cycles.items():
            first[unit][state] = (running + value) // 2 - running // 2
            second[unit][state] = value - first[unit][state]
            running += value
    return first, second
