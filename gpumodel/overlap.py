"""Geometry of a pass beside the raster phase of the pass before it: two Parameter Buffers, one of each in use.

Hardware: geometry units fill one Parameter Buffer while the tiles of the other one are rendered. A pass begins its
geometry when the geometry of the one before has ended and a buffer is free, its tiles when its geometry and the tiles
of the one before have ended: so both phases of a step begin together, and the longer one ends it.
Modelled: a step is run with the raster phase in frame 0 of the machine's record and the geometry in frame 1; then they
change places. Geometry and raster phase share the Tile Cache (the list builder's writes and the fetcher's reads go to
different banks, ASSUMED), L2 and memory. Dead lines of the buffer that has been rendered are dropped from the Tile
Cache; other level-one caches are invalidated at the start of the phase that reads through them. Copies take memory's
pipe alone, between two steps.
A pass waits for the one before where its geometry may read what that leaves: its vertex or geometry program samples
textures, or the pass before stores to memory from shaders; where the program reads back what was drawn (the CPU's
commands come later then); and where either does not fit in the Parameter Buffer.
Left out: waiting for occlusion queries.

A frame's figures are those of its interval, from the end of the frame before to its own: the geometry of the next
frame's first pass that runs beside it is in them, so that sums over frames are what the machine did. Geometry cycles
are those beside which no tile is rendered.
Source: ASSUMED (drivers of tile-based GPUs work so); the papers have one phase after the other, the presets' default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpumodel.machine import Figures, MachineFrame, PassHandling, bind_streams
from gpumodel.overflow import cut_pass
from gpumodel.pass_log import PassLog
from gpumodel.pass_run import PassRun
from gpumodel.side_effects import writes_storage
from gpumodel.streams import FRAME_ADDRESS_BYTES
from gpumodel.units import state
from gpumodel.units.cache import invalidate
from gpumodel.units.capacity import BINNED_AHEAD
from traceformat.gputrace.frametrace import (
    MODEL_COLUMNS,
    STAGES,
    DrawFlags,
    EventKind,
    FrameTrace,
    MemoryMap,
)
from traceformat.gputrace.passes import passes_of

if TYPE_CHECKING:
    from gpumodel.machine import Machine
    from gpumodel.streams import PassStreams, PassTables

__all__ = ["OverlappedFrames"]

_LINE_BYTES = 64
_NO_DEPTH = np.zeros(0, np.uint32), np.zeros(0, np.uint8)


@dataclass(slots=True)
class _Binned:
    """A pass whose lists lie in a Parameter Buffer.

    Parameters
    ----------
    given, tables, streams : the pass as it came, as it was submitted, and arranged
    raw : of its frame
    start : cycle in which its geometry began
    ends_frame : it is its frame's last
    prepared : techniques have prepared for its tiles
    """

    given: FrameTrace
    tables: PassTables
    streams: PassStreams
    raw: MachineFrame
    frame: FrameTrace
    start: int
    ends_frame: bool
    prepared: bool = False


class OverlappedFrames:
    """Runs frames one after the other with phases that overlap.

    Parameters
    ----------
    machine : with ``binning.overlap`` other than none
    handling : what is done with each pass beside running it
    """

    def __init__(self, machine: Machine, handling: PassHandling) -> None:
        self._machine = machine
        self._handling = handling
        self._over_frames = machine.config.binning.overlap == "frame"
        self._waiting: _Binned | None = None
        self._since: Figures | None = None
        self._done: list[MachineFrame] = []

    def feed(self, frame: FrameTrace) -> list[MachineFrame]:
        """Take the next frame; gives those that are done with it: the last pass of one may wait for the next."""
        machine = self._machine
        machine.allow_frames(2)
        if self._since is None:
            self._since = machine.open_figures()
        raw = MachineFrame.of(frame, machine.config)
        passes = passes_of(frame, MODEL_COLUMNS)
        raw.passes = PassLog(machine.config, [(frame, passes)])
        for index in range(len(passes)):
            self._run_pass(passes[index], index, raw, frame, index == len(passes) - 1)
        if not len(passes):
            self._render()
            self._end_frame(raw, frame)
        if not self._over_frames:
            self._render()
        done, self._done = self._done, []
        return done

    def finish(self) -> list[MachineFrame]:
        """Render what waits."""
        self._render()
        done, self._done = self._done, []
        return done

    def _run_pass(self, given: FrameTrace, index: int, raw: MachineFrame, frame: FrameTrace, ends_frame: bool) -> None:
        """Sort a pass into tiles, beside the tiles of the one before where that may be."""
        machine, waiting = self._machine, self._waiting
        if waiting is not None:
            # Techniques see passes in their order.
            self._prepare_raster(waiting)
        submitted = self._handling.submit(given)
        if waiting is not None and not _may_overlap(waiting.tables.trace, waiting.streams.index, submitted, index):
            self._render()
        # The first Parameter Buffer that is free.
        buffer = 0 if self._waiting is None else 1 - self._waiting.streams.frame_index
        tables = machine.tables(submitted, buffer)
        streams = machine.arrange(tables, index)
        if len(cut_pass(tables, streams, machine.config.binning.parameter_buffer_mib)) > 1:
            self._render()
            self._run_cut(given, tables, index, raw, frame, ends_frame)
            return
        binned = _Binned(given, tables, streams, raw, frame, machine.cycles, ends_frame)
        self._step(binned)
        self._waiting = binned

    def _run_cut(
        self, given: FrameTrace, tables: PassTables, index: int, raw: MachineFrame, frame: FrameTrace, ends_frame: bool
    ) -> None:
        """Run a pass that overflows its Parameter Buffer, part by part and by itself."""
        machine = self._machine
        self._rest(BINNED_AHEAD)
        runs = []
        for done in machine.run_pass(tables, index):
            raw.geometry_cycles += done.raster_start - done.start
            raw.raster_cycles += done.end - done.raster_start
            for observer in machine.plugs.observers:
                observer(tables.trace, done)
            raw.work.add(done.tables, done)
            runs.append(done)
        self._end_pass(given, raw, runs)
        if ends_frame:
            self._end_frame(raw, frame)

    def _render(self) -> None:
        """Render the pass that waits, with nothing beside it."""
        if self._waiting is not None:
            self._prepare_raster(self._waiting)
            self._step(None)

    def _prepare_raster(self, binned: _Binned) -> None:
        """Let techniques prepare for a pass's tiles, once."""
        if not binned.prepared:
            self._machine.prepare_raster(binned.tables.trace, binned.streams)
            binned.prepared = True

    def _step(self, ahead: _Binned | None) -> None:
        """Render the tiles of the pass that waits, if any, and sort another one into tiles, if any."""
        machine, waiting = self._machine, self._waiting
        self._waiting = None
        start, what, wanted = machine.cycles, [], 0
        if waiting is not None:
            self._load_raster(waiting)
            what.append(f"frame {waiting.frame.frame} pass {waiting.streams.index}")
            wanted |= 1
        if ahead is not None:
            # Where nothing is rendered, it has the place that it will be rendered in.
            place = 0 if waiting is None else BINNED_AHEAD
            self._load_geometry(ahead, place)
            what.append(f"geometry of frame {ahead.frame.frame} pass {ahead.streams.index}")
            wanted |= 1 << place
        if ahead is None or waiting is None:
            self._rest(BINNED_AHEAD)
        machine.run_units(wanted, " beside ".join(what))
        end = machine.cycles
        if waiting is not None:
            raster_end = int(machine.system["frame"][0]["raster_end"])
            waiting.raw.raster_cycles += raster_end - start
            # What is left of the step is geometry alone.
            waiting.raw.geometry_cycles += end - raster_end
            self._end_raster(waiting, start, raster_end)
        else:
            assert ahead is not None
            ahead.raw.geometry_cycles += end - start
        if ahead is not None and waiting is not None:
            # Its tiles are next.
            machine.system["frame"][[0, BINNED_AHEAD]] = machine.system["frame"][[BINNED_AHEAD, 0]]

    def _rest(self, frame_index: int) -> None:
        """Let a frame in flight have nothing to do."""
        frame = self._machine.system["frame"][frame_index]
        frame["phase"] = frame["held"] = 1

    def _load_geometry(self, binned: _Binned, frame_index: int) -> None:
        """Give the geometry units a pass; its tiles wait."""
        machine, streams = self._machine, binned.streams
        system = machine.system
        machine.prepare_geometry(binned.tables.trace, streams)
        if frame_index == 0:
            self._prepare_raster(binned)
        for cache in (state.L1_COMMAND, state.L1_VERTEX):
            invalidate(system["l1"][cache])
        frame = system["frame"][frame_index]
        # Techniques name their units once the machine is made.
        frame["u_beside"] = system["frame"][0]["u_beside"]
        machine.load_pass(binned.tables, streams, _NO_DEPTH, frame_index)
        frame["held"] = 1

    def _load_raster(self, binned: _Binned) -> None:
        """Let the tiles of a pass be rendered."""
        machine, streams = self._machine, binned.streams
        system, trace = machine.system, binned.tables.trace
        machine.begin_slot_log(len(streams.quads))
        for cache in range(state.L1_TEXTURE, state.L1_INSTRUCTION):
            invalidate(system["l1"][cache])
        machine.begin_raster_units()
        # Techniques may have put the lists into another order.
        bind_streams(system["frame"][0], binned.tables, streams, machine.depth_images.images(trace, streams.index))
        system["frame"][0]["held"] = 0

    def _end_raster(self, binned: _Binned, raster_start: int, end: int) -> None:
        """Take note that a pass has been rendered."""
        machine, streams, trace = self._machine, binned.streams, binned.tables.trace
        slots = machine.slot_log([(trace, streams)])
        log = streams.log[: int(machine.system["frame"][0]["retired"])]
        _forget_buffer(machine.system["l1"][state.L1_TILE], streams.frame_index)
        before = machine.cycles
        machine.transfer(trace, streams.index)
        binned.raw.raster_cycles += machine.cycles - before
        done = PassRun(binned.tables, streams, log, binned.start, raster_start, end, slots)
        for observer in machine.plugs.observers:
            observer(trace, done)
        binned.raw.work.add(binned.tables, done)
        self._end_pass(binned.given, binned.raw, [done])
        if binned.ends_frame:
            self._end_frame(binned.raw, binned.frame)

    def _end_pass(self, given: FrameTrace, raw: MachineFrame, runs: list[PassRun]) -> None:
        self._handling.finish(0, given, runs)
        for done in runs:
            if self._handling.keeps(given, done):
                raw.passes.add(done, given)

    def _end_frame(self, raw: MachineFrame, frame: FrameTrace) -> None:
        """Close a frame's figures, with which the next one's begin."""
        assert self._since is not None
        self._handling.end_frame(0, frame)
        self._machine.close_figures(raw, self._since)
        self._since = self._machine.open_figures()
        self._done.append(raw)


def _may_overlap(before: FrameTrace, rendered: int, after: FrameTrace, binned: int) -> bool:
    """Tell whether the geometry of a frame's pass needs nothing that the pass before it leaves."""
    stores = before["draws"]["flags"][_rows(before, rendered, "draw")] & DrawFlags.SIDE_EFFECTS
    # What a dispatch or vertices write, tiles before them may still read, and vertices behind them wait for.
    writes = any(
        writes_storage(one["events"], _rows(one, k, "event")) for one, k in ((before, rendered), (after, binned))
    )
    reads_back = before["events"]["kind"][_rows(before, rendered, "event")] == EventKind.READBACK
    programs = after["programs"]
    samples = (programs["num_tex"] > 0) & (programs["stage"] != STAGES.index("fragment"))
    # A geometry program belongs to no column of draws: any of the frame counts.
    others = samples & (programs["stage"] != STAGES.index("vertex"))
    own = samples[after["draws"]["vertex_program"][_rows(after, binned, "draw")]]
    return not (writes or stores.any() or reads_back.any() or others.any() or own.any())


def _rows(trace: FrameTrace, index: int, table: str) -> slice:
    """Rows of a pass."""
    passes = trace["passes"]
    first = int(passes[f"{table}_first"][index])
    return slice(first, first + int(passes[f"{table}_count"][index]))


def _forget_buffer(cache: np.void, buffer: int) -> None:
    """Drop the lines of a Parameter Buffer, which are dead, from the Tile Cache."""
    own = (cache["tag"] * _LINE_BYTES - MemoryMap.MODEL) // FRAME_ADDRESS_BYTES == buffer
    for name, value in (("tag", -1), ("stamp", 0), ("dirty", 0)):
        cache[name][own] = value
