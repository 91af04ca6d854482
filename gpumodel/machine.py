"""The machine: a configuration's units (:mod:`.construction`) with their state, which runs frames pass by pass.

Caches keep their contents from frame to frame; read-only level-one caches and the Tile Cache are invalidated at the
start of a pass, as drivers do between jobs. Counters only ever grow; a frame's figures are differences.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.ahead import PassOrder
from gpumodel.config.schema import GpuConfig
from gpumodel.construction import LINE_BYTES, construct
from gpumodel.counters import read_counters, subtract
from gpumodel.depth_images import DepthImages
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.overflow import cut_pass
from gpumodel.pass_log import PassLog
from gpumodel.pass_run import PassRun, SlotLog
from gpumodel.quad_maps import quad_map
from gpumodel.streams import COMMAND_ADDRESS, FRAME_ADDRESS_BYTES, PassStreams, PassTables
from gpumodel.techniques.plugs import Plugs
from gpumodel.units import state
from gpumodel.units.cache import invalidate
from gpumodel.units.events import NEVER, STATE_NAMES
from gpumodel.units.loop import run
from gpumodel.units.traffic import OTHER, TICK_FRACTION_BITS
from gpumodel.units.views import bind
from gpumodel.workload import Workload
from traceformat.errors import ConfigError, InternalError
from traceformat.gputrace.frametrace import EventKind, FrameRole, FrameTrace, LoadOp, StoreOp
from traceformat.guards import Budget, exceeded, guards

if TYPE_CHECKING:
    from gpumodel.attribution.costs import FrameCosts

__all__ = ["FiguresAlone", "Machine", "MachineFrame", "PassHandling", "PassRun", "Sample", "SlotLog", "bind_streams"]

Array = NDArray[Any]
#: What the loop says when it reaches the cycle at which a sample is due.
_PAUSED: Final = 2
#: Samples of a frame at most; then every second one goes and the next are twice as far apart.
_MAX_SAMPLES: Final = 800
#: Cycles between two looks at time and memory.
_CYCLES_OF_A_CHECK: Final = 1 << 26
#: Caches that are invalidated between passes, beside those of textures.
_OF_A_PASS: Final = (state.L1_COMMAND, state.L1_VERTEX, state.L1_TILE)
#: From the render targets of one frame to those of the frame that is rendered beside it.
TARGET_BYTES: Final = 1 << 35


@dataclass(frozen=True, slots=True)
class Sample:
    """Where the machine stands at a cycle: sums since it was made."""

    cycle: int
    counters: dict[str, int]
    states: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Figures:
    """What has been counted since the machine was made: counters, and cycles of each unit by state."""

    counters: dict[str, int]
    unit_cycles: dict[str, dict[str, int]]


@dataclass(slots=True)
class MachineFrame:
    """A frame's raw figures.

    Parameters
    ----------
    work : what was given and done
    passes : the log of each pass, where that is kept
    samples : taken from the frame's first to its last cycle, where that was asked for
    costs : what its draws cost, where that was asked for
    """

    frame: int
    width: int
    height: int
    role: FrameRole
    tile_size: tuple[int, int]
    geometry_cycles: int = 0
    raster_cycles: int = 0
    counters: dict[str, int] = field(default_factory=dict)
    unit_cycles: dict[str, dict[str, int]] = field(default_factory=dict)
    work: Workload = field(default_factory=Workload)
    passes: PassLog = field(default_factory=PassLog)
    host_seconds: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    costs: FrameCosts | None = None

    @classmethod
    def of(cls, trace: FrameTrace, config: GpuConfig) -> MachineFrame:
        """One that nothing has been run of."""
        return cls(trace.frame, trace.width, trace.height, trace.role, (config.tile.width, config.tile.height))


class PassHandling:
    """What is done with each pass beside running it; this keeps the logs and does nothing else."""

    def keeps(self, given: FrameTrace, done: PassRun) -> bool:
        """Whether a pass's log stays with the raw frame; it is let go of as soon as it is done where it does not."""
        return True

    def submit(self, given: FrameTrace) -> FrameTrace:
        """Give the pass as it is submitted, such as with its geometry twice."""
        return given

    def finish(self, frame_index: int, given: FrameTrace, runs: list[PassRun]) -> None:
        """Take a pass that has run, in parts where it overflowed; ``frame_index`` tells frames in flight apart."""

    def end_frame(self, frame_index: int, frame: FrameTrace) -> None:
        """Take note that all passes of a frame have run."""


class FiguresAlone(PassHandling):
    """Lets go of every pass: of frames whose figures alone are wanted."""

    def keeps(self, given: FrameTrace, done: PassRun) -> bool:
        """None."""
        return False


class Machine:
    """One GPU of a configuration.

    Parameters
    ----------
    config : the configuration
    plugs : what techniques put into the slots and gates; the default is the baseline
    every_cycle : tick every unit in every cycle instead of by wake-up times (the oracle; same results, slower)
    sample_cycles : cycles between samples at first, 0 = none are taken; long frames get fewer
    log_slots : log what is filled into and taken from a technique's table, which verification needs
    attribution : count what each draw costs
    """

    def __init__(
        self,
        config: GpuConfig,
        plugs: Plugs | None = None,
        *,
        every_cycle: bool = False,
        sample_cycles: int = 0,
        log_slots: bool = False,
        attribution: bool = False,
    ) -> None:
        self.config = config
        self.plugs = plugs or Plugs()
        self._every = int(every_cycle)
        self._sample_cycles = sample_cycles
        self._log_slots = log_slots
        self._attribution = attribution
        #: Of the frames in flight.
        self._costs: list[FrameCosts] = []
        self._slot_log = np.zeros(0, state.SLOT_ACCESS)
        self._samples: list[Sample] = []
        self._memory = np.zeros(1, state.SYSTEM)
        self.system: Any = self._memory[0]
        self.host_seconds = 0.0
        self.depth_images = DepthImages()
        #: How passes come.
        self.order = PassOrder()
        self._is_stopped = False
        self._budget = Budget()
        self._units = construct(self.system, config, self.plugs, attribution=attribution)
        self._quad_map = (self.plugs.quad_map or quad_map)(config)
        self._unit_titles = self._units.titles()
        self.allow_frames(1)

    @property
    def cycles(self) -> int:
        """GPU cycles since the machine was made."""
        return int(self.system["now"])

    def go_on_from(self, other: Machine) -> None:
        """Stand where another machine of this configuration stands between two frames; neither has techniques, which
        keep what they know elsewhere. This one has run nothing and counts no costs; the other one may.
        """
        self._memory[...] = other._memory
        if other._costs:
            from gpumodel.attribution.costs import end_counting

            # The rows are the other one's.
            end_counting(self.system)
        self.depth_images.take_from(other.depth_images)

    def tables(self, trace: FrameTrace, frame_index: int = 0) -> PassTables:
        """Arrange the tables of a pass that has been checked.

        Parameters
        ----------
        frame_index : which of the frames in flight
        """
        tables = PassTables(trace, self.config, self._quad_map, frame_index, self.plugs.tile_order)
        for change in self.plugs.before_frame:
            change(trace, tables)
        return tables

    def run_frame(self, trace: FrameTrace, handling: PassHandling | None = None) -> MachineFrame:
        """Run a frame, pass by pass; raises TraceFormatError where the trace's tables do not fit together."""
        self.allow_frames(1)
        handling = handling or PassHandling()
        passes = self.order.passes(trace)
        since = self.open_figures()
        raw = MachineFrame.of(trace, self.config)
        raw.passes = PassLog(self.config, [(trace, passes)])
        if not len(passes):
            self.begin_costs((trace,))
        for index in range(len(passes)):
            given, arranged = self.order.take(passes, index)
            submitted = handling.submit(given)
            if index == 0:
                self.begin_costs((submitted,))
            runs = []
            tables, whole = arranged or (self.tables(submitted), None)
            for done in self.run_pass(tables, index, whole):
                raw.geometry_cycles += done.raster_start - done.start
                raw.raster_cycles += done.end - done.raster_start
                for observer in self.plugs.observers:
                    observer(submitted, done)
                raw.work.add(done.tables, done)
                runs.append(done)
            handling.finish(0, given, runs)
            for done in runs:
                if handling.keeps(given, done):
                    raw.passes.add(done, given)
            # The next pass takes the place of this one.
            del given, arranged, submitted, tables, whole, runs, done
        handling.end_frame(0, trace)
        self.close_figures(raw, since)
        raw.costs = self.costs_of(0)
        return raw

    def open_figures(self) -> Figures:
        """Begin a frame's figures: what has been counted before it."""
        self.host_seconds = 0.0
        self._samples = []
        self._sample()
        return Figures(read_counters(self.system), self.unit_cycles())

    def close_figures(self, raw: MachineFrame, since: Figures) -> None:
        """Enter what has been counted since a frame's beginning."""
        self._sample()
        raw.counters = subtract(read_counters(self.system), since.counters)
        raw.unit_cycles = {unit: subtract(now, since.unit_cycles[unit]) for unit, now in self.unit_cycles().items()}
        raw.host_seconds, raw.samples = self.host_seconds, self._samples

    def unit_number(self, name: str) -> int:
        """Number of the first unit of a name, for ``notify`` and ``account``; raises ConfigError for an unknown one."""
        return self._units.number(name)

    def cache_number(self, name: str) -> int:
        """Index in ``SYSTEM.l1`` of a technique's cache; raises ConfigError for an unknown one."""
        names = [cache.name for cache in self.plugs.caches]
        if name not in names:
            raise ConfigError([f"the machine has no cache {name}"])
        return state.L1_TECHNIQUE + names.index(name)

    # ---- running

    def allow_frames(self, count: int) -> None:
        """Let so many frames take the cycles that the guard ``frame_cycles`` allows, from now on."""
        self._last_cycle = self.cycles + count * guards().frame_cycles

    def stop(self) -> None:
        """Give up the frame that another thread runs, soon; nobody asks for it any more."""
        self._is_stopped = True

    def _check(self, what: str, more_cycles: int = 0) -> None:
        """Raise a ReplayError where the work uses more cycles, time or memory than it may."""
        if self._is_stopped:
            raise CancelledError
        cycles = self.cycles + more_cycles
        if cycles > self._last_cycle:
            limit = guards().frame_cycles
            raise exceeded(f"{what}: {cycles - self._last_cycle + limit} GPU cycles", "frame_cycles")
        self._budget.check(what)

    def run_pass(self, tables: PassTables, index: int, arranged: PassStreams | None = None) -> Iterator[PassRun]:
        """Run a pass, part by part where it overflows the Parameter Buffer.

        Parameters
        ----------
        arranged : the whole of it, where that has been arranged ahead
        """
        whole = self.arrange(tables, index, arranged)
        parts = cut_pass(tables, whole, self.config.binning.parameter_buffer_mib)
        if len(parts) == 1:
            yield self._run_part(tables, whole)
            return
        for part in parts:
            yield self._run_part(tables, tables.arrange(index, part))

    def arrange(self, tables: PassTables, index: int, arranged: PassStreams | None = None) -> PassStreams:
        """Arrange a pass, as gates of techniques want it."""
        whole = arranged or tables.arrange(index)
        for gates, column in ((self.plugs.tile_render, "render"), (self.plugs.tile_flush, "flush")):
            for gate in gates:
                whole.tiles[column] &= np.asarray(gate(tables.trace, whole), np.uint8)
        return whole

    def _run_part(self, tables: PassTables, streams: PassStreams) -> PassRun:
        system, trace, index = self.system, tables.trace, streams.index
        self.prepare_geometry(trace, streams)
        self.prepare_raster(trace, streams)
        self.begin_pass(len(streams.quads))
        self.load_pass(tables, streams, self.depth_images.images(trace, index))
        start = self.cycles
        self.run_units(1, f"frame {trace.frame} pass {index}")
        self.end_costs(trace, streams)
        raster_start = int(system["frame"][0]["raster_start"])
        if streams.part.number == streams.part.count - 1:
            self.transfer(trace, index)
        log = streams.log[: int(system["frame"][0]["retired"])]
        return PassRun(tables, streams, log, start, raster_start, self.cycles, self.slot_log([(trace, streams)]))

    def prepare_geometry(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Let techniques prepare for a pass's geometry."""
        for prepare in self.plugs.before_pass:
            prepare(trace, streams)

    def prepare_raster(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Let techniques prepare for a pass's tiles, and order their lists."""
        if self.plugs.primitive_order:
            streams.pairs = self.plugs.primitive_order(trace, streams)
        for prepare in self.plugs.before_raster:
            prepare(trace, streams)

    def count_costs(self, *, wanted: bool) -> None:
        """Count what draws cost from the next frame on, or no more."""
        self._attribution = wanted
        if not wanted and self._costs:
            from gpumodel.attribution.costs import end_counting

            self._costs = []
            end_counting(self.system)

    def begin_costs(self, traces: tuple[FrameTrace, ...]) -> None:
        """Count what the draws of frames cost that are rendered now, where that is wanted."""
        if self._attribution:
            from gpumodel.attribution.costs import begin_counting, frame_costs

            self._costs = frame_costs(traces)
            begin_counting(self.system, self._costs[0])

    def costs_of(self, frame_index: int) -> FrameCosts | None:
        """Give what has been counted of a frame."""
        return self._costs[frame_index] if self._costs else None

    def end_costs(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Count what a pass has done, once its units are."""
        for costs in self._costs:
            if costs.trace.head is trace.head:
                costs.end_pass(self.system, trace, streams)

    def slot_log(self, sides: Sequence[tuple[FrameTrace, PassStreams]]) -> SlotLog | None:
        """Give the log of a technique's table of the passes that have just run; None where it is empty."""
        logged = int(self.system["slots_logged"])
        return SlotLog(self._slot_log[:logged], sides) if logged else None

    def begin_pass(self, quads: int) -> None:
        """Make the units ready: caches of a pass are empty, no frame is in flight.

        Parameters
        ----------
        quads : of all passes that run now
        """
        system = self.system
        self.begin_slot_log(quads)
        tile_caches = {int(frame["tile_cache"]) for frame in system["frame"][: self.plugs.frames]}
        for cache in self._units.level_one:
            if cache in _OF_A_PASS or cache in tile_caches or state.L1_TEXTURE <= cache < state.L1_INSTRUCTION:
                invalidate(system["l1"][cache])
        self.begin_raster_units()
        for frame in system["frame"][: self.plugs.frames]:
            # Nothing to do, until a pass is loaded.
            frame["phase"] = frame["held"] = 1
        system["parent"][self._units.geometry] = 0

    def begin_slot_log(self, quads: int) -> None:
        """Make room for what so many quads fill into a technique's table and take from it, where that is logged."""
        system = self.system
        if self._log_slots and self.plugs.hooks.keys() & {"shade", "shaded"}:
            # A quad takes from the table when it comes, and fills it when it leaves.
            self._slot_log = np.empty(2 * quads, state.SLOT_ACCESS)
            bind(system["slot_log"], self._slot_log)
        system["slots_logged"] = 0

    def begin_raster_units(self) -> None:
        """Let the Raster Units have no tile."""
        for k in range(self.config.raster.units):
            self.system["ru"][k]["front"] = self.system["ru"][k]["shading_tile"] = -1

    def load_pass(
        self, tables: PassTables, streams: PassStreams, kept: tuple[Array, Array], frame_index: int = 0
    ) -> None:
        """Give the units a pass, geometry first.

        Parameters
        ----------
        kept : depth and stencil of the target, see :mod:`.depth_images`
        frame_index : which of the frames in flight
        """
        system, frame, trace, index = self.system, self.system["frame"][frame_index], tables.trace, streams.index
        passes = trace["passes"]
        system["parent"][self._units.geometry] = frame_index
        frame["retired"] = frame["held"] = 0
        for name in (
            "phase", "raster_start", "row", "primitive", "tile", "tiles_begun", "picked_unit", "vertices_taken",
            "vertices_fetched", "piece",
            "fetch_state", "fetch_missing", "fetch_ready", "fetch_line", "input_open", "command_requested",
            "command_waiting", "command_until", "processor_turn", "output_turn", "code_line",
        ):  # fmt: skip
            frame[name] = 0
        d0, d1 = streams.draw_range
        frame["draw"] = frame["draws_ready"] = d0
        frame["draw_end"] = d1
        frame["row_end"] = streams.rows[1] - streams.rows[0]
        if frame["row_end"] == 0:
            frame["draw"] = d1
        frame["primitive_end"] = streams.part.primitives[1] - streams.part.primitives[0]
        frame["tile_end"] = len(streams.tiles)
        frame["command_line"] = (COMMAND_ADDRESS + streams.frame_index * FRAME_ADDRESS_BYTES) // LINE_BYTES
        frame["num_colors"] = int(passes["num_colors"][index])
        for name in ("color_address", "color_bytes", "color_load", "color_store"):
            frame[name] = passes[name][index]
        for name in (
            "depth_address", "depth_bytes", "depth_load", "depth_store", "stencil_load", "stencil_store",
            "clear_depth", "clear_stencil", "width", "height", "samples",
        ):  # fmt: skip
            frame[name] = passes[name][index]
        if self.plugs.frames > 1:
            # The driver gives frames that are rendered in parallel targets of their own.
            frame["color_address"] += frame_index * TARGET_BYTES
            frame["depth_address"] += frame_index * TARGET_BYTES
        # A part behind the first loads what the one before has stored, whatever the pass does.
        colors, part = int(frame["num_colors"]), streams.part
        for what, cut, always in (
            ("load", part.number > 0, LoadOp.LOAD), ("store", part.number < part.count - 1, StoreOp.STORE),
        ):  # fmt: skip
            if cut:
                frame[f"color_{what}"][:colors] = always
                frame[f"depth_{what}"] = frame[f"stencil_{what}"] = always
        frame["loads"] = LoadOp.LOAD in (*frame["color_load"][:colors], frame["depth_load"], frame["stencil_load"])
        frame["stores_depth"] = StoreOp.STORE in (frame["depth_store"], frame["stencil_store"])
        frame["last_raster_unit"] = self.config.raster.units - 1
        bind_streams(frame, tables, streams, kept)
        for costs in self._costs:
            if costs.trace.head is trace.head:
                costs.begin_pass(system, streams)

    def transfer(self, trace: FrameTrace, index: int) -> None:
        """Copies, blits, read-backs and mipmap generation around the pass: over the memory's pipe, nothing beside them.

        Uploads are the CPU's work and happen while the GPU does something else; they are left out.
        """
        system, passes, events = self.system, trace["passes"], trace["events"]
        first = int(passes["event_first"][index])
        rows = slice(first, first + int(passes["event_count"][index]))
        uploads = events["write_bytes"][rows][events["kind"][rows] == EventKind.UPLOAD]
        read = int(passes["transfer_read_bytes"][index])
        write = max(int(passes["transfer_write_bytes"][index]) - int(uploads.sum()), 0)
        system["dram"]["read_bytes"][OTHER] += read
        system["dram"]["write_bytes"][OTHER] += write
        bursts = [0, 0]
        if self.config.memory.mode == "dram":
            bursts, cycles = self._transfer_bursts(read, write)
        else:
            width = self.config.memory.paper.bytes_per_cycle
            cycles = -(-read // width) + -(-write // width)
        self._check(f"frame {trace.frame} pass {index}", cycles)
        system["now"] += cycles
        for costs in self._costs:
            if costs.trace.head is trace.head:
                costs.add_copy(index, (read, write), bursts, cycles * self.config.raster.units)
        units = int(system["cfg"]["num_units"])
        idle = STATE_NAMES.index("idle")
        system["unit_cycles"][1:units, idle] += cycles
        system["unit_cycles"][0, STATE_NAMES.index("busy")] += cycles
        system["unit_since"][:units] = system["now"]

    def _transfer_bursts(self, read: int, write: int) -> tuple[list[int], int]:
        """Charge a copy's bursts to the command-level memory; gives them, and its GPU cycles at the channels' peak."""
        config = load_dram_config(self.config.memory.dram.config)
        controller = self.system["lpddr"]
        bursts = [-(-size // config.request_bytes) for size in (read, write)]
        controller["transfer_reads"] += bursts[0]
        controller["transfer_writes"] += bursts[1]
        ticks = -(-sum(bursts) * config.burst_cycles // config.system.channels)
        cycles = -(-(ticks << TICK_FRACTION_BITS) // int(controller["ticks_per_cycle"]))
        width = int(controller["width"])
        return bursts, max(cycles, -(-(read + write) // width)) if width else cycles

    def run_units(self, done: int, what: str) -> None:
        """Run the units until frames in flight are done.

        Parameters
        ----------
        done : bit k: frame k in flight; a frame that is held is done when its geometry is
        what : is run, for the message of the InternalError when no unit can go on
        """
        system = self.system
        clock = time.thread_time()
        system["done"] = 0
        system["wake"] = NEVER
        system["wake"][: int(system["cfg"]["num_units"])] = system["now"]
        sample_at = self.cycles + self._sample_cycles if self._sample_cycles else NEVER
        while True:
            self._check(what)
            system["pause_at"] = min(sample_at, self.cycles + _CYCLES_OF_A_CHECK, self._last_cycle + 1)
            ended = int(run(system, self._every, done))
            if ended != _PAUSED:
                break
            if self.cycles >= sample_at:
                self._sample()
                sample_at = self.cycles + self._sample_cycles
        self.host_seconds += time.thread_time() - clock
        if ended:
            raise InternalError(
                f"{what}: no unit can go on at cycle {self.cycles}",
                hint="this is a bug, please report it with the trace",
            )

    def _sample(self) -> None:
        """Keep a sample, if samples are wanted; too many of a frame are thinned out, the next ones further apart."""
        if not self._sample_cycles:
            return
        self._samples.append(Sample(self.cycles, read_counters(self.system), self.unit_cycles()))
        if len(self._samples) > _MAX_SAMPLES:
            self._samples[1:-1] = self._samples[2:-1:2]
            self._sample_cycles *= 2

    def unit_cycles(self) -> dict[str, dict[str, int]]:
        """Cycles of each unit by state, since the machine was made; processors of one kind are numbered."""
        system = self.system
        out: dict[str, dict[str, int]] = {}
        for unit, name in enumerate(self._unit_titles):
            out[name] = {state: int(system["unit_cycles"][unit][k]) for k, state in enumerate(STATE_NAMES)}
            # In the middle of a pass: the state that the unit is in has not been closed.
            out[name][STATE_NAMES[int(system["unit_state"][unit])]] += self.cycles - int(system["unit_since"][unit])
        return out


def bind_streams(geometry: Any, tables: PassTables, streams: PassStreams, kept: tuple[Array, Array]) -> None:
    """Let a frame in flight refer to a pass's streams, which the caller keeps alive.

    Parameters
    ----------
    geometry : a row of ``SYSTEM.frame``
    kept : depth and stencil of the target, see :mod:`.depth_images`
    """
    arrays = {
        "draws": tables.draws, "ops": tables.ops, "lines": tables.lines,
        "lanes": tables.lanes, "segments": tables.segments, "shader_depth": tables.shader_depth,
        "vertices": streams.vertices, "vertex_lines": streams.vertex_lines, "primitives": streams.primitives,
        "emitted": streams.emitted, "pointer_lines": streams.pointer_lines, "pairs": streams.pairs,
        "tiles": streams.tiles, "quads": streams.quads, "clears": streams.clears, "early": streams.early,
        "executed": streams.executed,
        "sample_coverage": tables.sample_coverage, "sample_depth": tables.sample_depth,
        "segment_lines": tables.segment_lines, "written_samples": streams.written_samples,
        "written": streams.written, "log": streams.log,
        "depth_image": kept[0], "stencil_image": kept[1],
    }  # fmt: skip
    for name in ("stored", "loaded"):
        pieces = getattr(streams, name)
        geometry[f"is_{name}_in_pieces"] = pieces is not None
        if pieces is not None:
            arrays |= {f"{name}_first": pieces.first, name: pieces.pieces}
    for name, array in arrays.items():
        bind(geometry[name], array)
