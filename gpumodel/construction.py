"""Construction of a machine: the units of a configuration and of techniques, numbered, with their sizes entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gpumodel.config.schema import CacheConfig, GpuConfig
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.memory.dram.state import reset_memory
from gpumodel.techniques.plugs import Hook, PluggedUnit, Plugs
from gpumodel.units import capacity, state
from gpumodel.units.costs import CACHE_NAMES
from gpumodel.units.events import STATE_NAMES
from gpumodel.units.loop import (
    ASSEMBLY,
    BINNER,
    BLEND,
    COMMAND,
    DEPTH,
    FLUSH,
    INSTRUCTION_CACHE,
    MEMORY,
    PIPELINED_FETCHER,
    PLUGGED,
    PROCESSOR,
    RASTER,
    SECOND_LEVEL,
    TEXTURE_CACHE,
    TILE_CONTROL,
    TILE_FETCHER,
    VERTEX_FETCHER,
    VERTEX_PROCESSOR,
)
from gpumodel.units.tile_fetch import ASSIGN_DYNAMIC, ASSIGN_MIXED, ASSIGN_STATIC
from gpumodel.units.traffic import OTHER, PARAMETER, TEXTURE, TICK_FRACTION_BITS, VERTEX
from traceformat.errors import ConfigError

__all__ = ["LINE_BYTES", "Units", "construct"]

LINE_BYTES: Final = 64
_ASSIGNMENTS: Final = {"static": ASSIGN_STATIC, "dynamic": ASSIGN_DYNAMIC, "mixed": ASSIGN_MIXED}
_UNIT_NAMES: Final = {
    MEMORY: "dram",
    SECOND_LEVEL: "l2",
    FLUSH: "flush",
    BLEND: "blend",
    PROCESSOR: "fragment_processor",
    DEPTH: "early_z",
    RASTER: "rasterizer",
    TILE_CONTROL: "tile_control",
    TILE_FETCHER: "tile_fetcher",
    PIPELINED_FETCHER: "tile_fetcher",
    INSTRUCTION_CACHE: "instruction_cache",
    TEXTURE_CACHE: "texture_cache",
    BINNER: "polygon_list_builder",
    ASSEMBLY: "primitive_assembly",
    VERTEX_PROCESSOR: "vertex_processor",
    VERTEX_FETCHER: "vertex_fetcher",
    COMMAND: "command_processor",
}


#: Units that work on one frame after the other.
_GEOMETRY: Final = (BINNER, ASSEMBLY, VERTEX_PROCESSOR, VERTEX_FETCHER, COMMAND)
#: Units that are numbered even where there is one.
_NUMBERED: Final = (_UNIT_NAMES[PROCESSOR], _UNIT_NAMES[VERTEX_PROCESSOR])


@dataclass(frozen=True)
class Units:
    """What a machine has.

    Parameters
    ----------
    names : of the units, by their numbers
    level_one : indices of the level-one caches
    geometry : numbers of the units that work on one frame after the other
    """

    names: tuple[str, ...]
    level_one: tuple[int, ...]
    geometry: list[int]

    def number(self, name: str) -> int:
        """Number of the first unit of a name; raises ConfigError for an unknown one."""
        if name not in self.names:
            raise ConfigError([f"the machine has no unit {name}"])
        return self.names.index(name)

    def titles(self) -> list[str]:
        """Names of the units, numbered where there are several of a kind, or could be."""
        return [
            f"{name}.{self.names[:unit].count(name)}" if self.names.count(name) > 1 or name in _NUMBERED else name
            for unit, name in enumerate(self.names)
        ]


def construct(system: Any, config: GpuConfig, plugs: Plugs, *, attribution: bool = False) -> Units:
    """Enter a configuration, and what techniques plug in, into a machine's record.

    Parameters
    ----------
    system : the record, all zeros
    attribution : costs of draws are counted

    Raises
    ------
    ConfigError : more than fits, or what does not go together
    """
    work = _Construction(system, config, plugs)
    work.configure()
    if config.binning.overlap != "none":
        work.bin_ahead(attribution)
    return work.units()


class _Construction:
    """The work at it."""

    def __init__(self, system: Any, config: GpuConfig, plugs: Plugs) -> None:
        self._system, self._config, self._plugs = system, config, plugs
        self._names: list[str] = []
        self._level_one: list[int] = []
        self._geometry: list[int] = []

    def units(self) -> Units:
        """What there is now."""
        return Units(tuple(self._names), tuple(self._level_one), self._geometry)

    def configure(self) -> None:
        """Number the units, and enter their sizes."""
        system, config = self._system, self._config
        given = system["cfg"]
        given["frames"] = self._plugs.frames
        given["raster_units"] = config.raster.units
        given["assignment"] = _ASSIGNMENTS[config.raster.assignment]
        given["pipelined_tiles"] = config.tile_fetcher.tile_pipelining
        given["table_entries"] = config.tile_fetcher.primitive_table
        given["fetches_ahead"] = config.tile_fetcher.design == "pipelined"
        given["bins_ahead"] = config.binning.overlap != "none"
        given["processors"] = config.fragment.processors
        given["vertex_processors"] = config.vertex.processors
        given["attributes_per_cycle"] = config.raster.attributes_per_cycle
        given["quads_per_cycle"] = config.raster.quads_per_cycle
        given["command_cycles"] = config.command.cycles_per_draw
        given["tile_width"], given["tile_height"] = config.tile.width, config.tile.height
        given["tile_quads_x"] = config.tile.width // 2
        system["flush_owner"] = -1
        self._name_units()
        for name, hook in self._plugs.hooks.items():
            _plug(system["plugs"][name], hook)
        self._configure_caches()
        for k in range(config.raster.units):
            self._configure_raster_unit(k)
        for frame in system["frame"][: self._plugs.frames]:
            frame["input_depth"] = config.queues.vertex_input
            frame["output_depth"] = config.queues.vertex_output
            frame["triangle_depth"] = config.queues.triangle
            frame["num_processors"] = config.vertex.processors
            frame["instruction_cache"] = config.vertex.instruction_cache
            frame["tile_cache"] = state.L1_TILE
            frame["binning"] = frame["attribute_slot"] = -1
        self._configure_memory()

    def bin_ahead(self, attribution: bool) -> None:
        """Let a pass be sorted into tiles beside another one, by the same units."""
        if self._plugs.frames > 1:
            raise ConfigError(["two frames are rendered in parallel: binning.overlap has to be none"])
        if attribution:
            raise ConfigError(["costs of draws are counted where no phases overlap: binning.overlap has to be none"])
        self._system["frame"][capacity.BINNED_AHEAD] = self._system["frame"][0]

    def _configure_caches(self) -> None:
        system, config = self._system, self._config
        caches, frame = config.caches, system["frame"][0]
        # The command stream buffer: four lines, as deep as the vertex cache's request queue.
        buffer = CacheConfig(
            size_bytes=256, ways=4, latency_cycles=1, mshrs=4, request_queue=caches.vertex.request_queue
        )
        self._add_cache(state.L1_COMMAND, buffer, OTHER, int(frame["u_command"]))
        self._add_cache(state.L1_VERTEX, caches.vertex, VERTEX, int(frame["u_vertex"]))
        self._add_cache(state.L1_TILE, caches.tile, PARAMETER, int(frame["u_fetch_tiles"]), int(frame["u_binner"]))
        for number in range(int(system["cfg"]["num_units"])):
            if system["kind"][number] == INSTRUCTION_CACHE:
                assert caches.instruction is not None
                self._add_cache(int(system["member"][number]), caches.instruction, OTHER, number)
            elif system["kind"][number] == TEXTURE_CACHE:
                cache = int(system["member"][number])
                self._add_cache(cache, caches.texture, TEXTURE, number)
                system["l1"][cache]["ports"] = config.fragment.texture_ports
                system["l1"][cache]["port_cycle"] = system["l1"][cache]["denied_cycle"] = -1
                system["l1"][cache]["left_cycle"] = system["l1"][cache]["blocked_cycle"] = -1
        if len(self._plugs.caches) > capacity.MAX_TECHNIQUE_CACHES:
            raise ConfigError(
                [f"techniques have {len(self._plugs.caches)} caches, {capacity.MAX_TECHNIQUE_CACHES} fit"]
            )
        for k, plugged in enumerate(self._plugs.caches):
            owner = self.units().number(plugged.owner)
            self._add_cache(state.L1_TECHNIQUE + k, plugged.config, plugged.traffic, owner)

    def _add_cache(self, index: int, cache: CacheConfig, traffic: int, owner: int, writer: int | None = None) -> None:
        """Make a level-one cache known: its number is its port at the L2."""
        record = self._system["l1"][index]
        record["client"] = index
        record["tag"] = -1
        record["ways"] = cache.ways
        record["set_mask"] = cache.size_bytes // LINE_BYTES // cache.ways - 1
        record["latency"] = cache.latency_cycles
        record["num_mshrs"] = cache.mshrs
        record["request_depth"] = cache.request_queue
        record["traffic"] = traffic
        record["cost_cache"] = CACHE_NAMES.index(_cache_name(index))
        record["owner"] = owner
        record["writer"] = owner if writer is None else writer
        self._level_one.append(index)
        words = index // state.PORT_BITS + 1
        self._system["l2"]["num_words"] = max(int(self._system["l2"]["num_words"]), words)

    def _configure_raster_unit(self, number: int) -> None:
        config, ru = self._config, self._system["ru"][number]
        ru["number"] = number
        caches = config.fragment.instruction_caches
        for k in range(config.fragment.processors):
            processor = ru["processor"][k]
            processor["unit"] = int(ru["u_processor"]) + k
            # The second of two units that share takes the caches of the first, and the upper half of their waiters.
            sharing = int(config.fragment.shared_texture_caches)
            second = number & sharing
            processor["cache"] = state.L1_TEXTURE + (number - second) * config.fragment.processors + k
            processor["waiter_shift"] = capacity.MAX_SHARING_THREADS * second
            processor["instruction_cache"] = state.L1_INSTRUCTION + number * caches + k % caches if caches else -1
            processor["instruction_port"] = 1 << k
            processor["queue"] = k if config.fragment.queues == "per-processor" else 0
            processor["num_threads"] = config.fragment.threads
            processor["texels_per_cycle"] = config.fragment.texels_per_cycle
            processor["running"] = processor["line"] = -1
            if not sharing:
                self._add_cache(int(processor["cache"]), config.caches.texture, TEXTURE, int(processor["unit"]))
        ru["num_processors"] = config.fragment.processors
        ru["num_queues"] = config.fragment.processors if config.fragment.queues == "per-processor" else 1
        ru["queue_depth"] = config.queues.fragment
        ru["pair_depth"] = config.queues.tile
        ru["color_depth"] = config.queues.color
        ru["color_buffers"] = config.blend.color_buffers
        ru["in_flight_depth"] = config.early_z.in_flight_quads
        ru["depth_latency"] = config.early_z.latency_cycles
        ru["post_depth"] = config.queues.post_raster
        ru["u_enter"] = ru["u_depth"] if config.queues.post_raster else ru["u_raster"]
        ru["blending_depth"], ru["blend_latency"] = config.blend.in_flight_quads, config.blend.latency_cycles
        ru["front"] = ru["depth_tile"] = ru["current"] = ru["shading_tile"] = ru["flush_pending"] = -1
        ru["fragment_popped"] = -1

    def _configure_memory(self) -> None:
        system, l2, paper = self._system, self._config.caches.l2, self._config.memory.paper
        cache = system["l2"]
        cache["tag"] = -1
        cache["ways"] = l2.ways
        cache["set_mask"] = l2.size_bytes // LINE_BYTES // l2.ways - 1
        cache["bank_mask"] = l2.banks - 1
        cache["latency"] = l2.latency_cycles
        cache["num_mshrs"] = l2.mshrs
        dram = system["dram"]
        dram["row_hit"], dram["row_miss"] = paper.row_hit_cycles, paper.row_miss_cycles
        dram["bytes_per_cycle"] = paper.bytes_per_cycle
        dram["channel_mask"] = paper.channels - 1
        dram["row_shift"] = (paper.row_bytes // LINE_BYTES * paper.channels).bit_length() - 1
        dram["read_depth"], dram["write_depth"] = paper.read_queue, paper.write_queue
        dram["last_row"] = -1
        if self._config.memory.mode == "dram":
            self._configure_dram()

    def _configure_dram(self) -> None:
        controller, dram = self._system["lpddr"], self._config.memory.dram
        config = load_dram_config(dram.config)
        reset_memory(controller["memory"], config)
        # The controller's commands are not logged.
        controller["memory"]["log_count"] = len(controller["log"])
        ticks = 1000.0 / config.timing.tCK / self._config.tech.clock_mhz
        controller["ticks_per_cycle"] = max(round(ticks * (1 << TICK_FRACTION_BITS)), 1)
        controller["line_bursts"], controller["burst_bytes"] = (
            config.line_bursts,
            min(config.request_bytes, LINE_BYTES),
        )
        controller["width"] = dram.bytes_per_cycle
        controller["input_depth"] = dram.request_queue * config.line_bursts
        slots = capacity.LPDDR_LINES * config.line_bursts
        controller["free_count"] = slots
        controller["free"][:slots] = np.arange(slots)[::-1]
        # Compiled only where it is used.
        from gpumodel.units import memory_dram

        memory = self._system["dram"]
        memory["command_level"] = 1
        for plug, function in (
            (memory["read_plug"], memory_dram.dram_read), (memory["write_plug"], memory_dram.dram_write),
            (memory["end_plug"], memory_dram.end_dram), (self._system["tick"][0], memory_dram.tick_dram),
        ):  # fmt: skip
            plug["function"] = function.address
        self._system["kind"][0] = PLUGGED

    def _name_units(self) -> None:
        """Number the units in the order of a cycle: memory first, then consumers before producers."""
        system, config = self._system, self._config
        units: list[tuple[int, int, int]] = []
        placed: set[str] = set()

        def add(kind: int, parent: int, member: int = 0) -> int:
            name = _UNIT_NAMES[kind]
            for plugged in self._plugs.units:
                if name not in placed and plugged.replaces is None and plugged.before == name:
                    self._plug_unit(plugged, len(units))
                    units.append((PLUGGED, plugged.parent, plugged.member))
            placed.add(name)
            number = len(units)
            units.append((kind, parent, member))
            self._names.append(name)
            for plugged in self._plugs.units:
                if plugged.replaces == name:
                    self._names.pop()
                    self._plug_unit(plugged, number)
                    units[number] = (PLUGGED, parent, member)
            return number

        system["dram"]["unit"], system["l2"]["unit"] = add(MEMORY, 0), add(SECOND_LEVEL, 0)
        # A single Raster Unit that is given one tile at a time needs no control logic: the Tile Fetcher waits for it.
        pipelined = config.tile_fetcher.design == "pipelined"
        controlled = pipelined or config.tile_fetcher.tile_pipelining or config.raster.units > 1
        caches = config.fragment.instruction_caches
        if config.fragment.shared_texture_caches:
            for k in range(0, config.raster.units, 2):
                for cache in range(config.fragment.processors):
                    add(TEXTURE_CACHE, k, state.L1_TEXTURE + k * config.fragment.processors + cache)
        for k in range(config.raster.units):
            ru = system["ru"][k]
            for cache in range(caches):
                add(INSTRUCTION_CACHE, k, state.L1_INSTRUCTION + k * caches + cache)
            ru["u_flush"] = add(FLUSH, k)
            ru["u_blend"] = add(BLEND, k)
            ru["u_processor"] = min([add(PROCESSOR, k, processor) for processor in range(config.fragment.processors)])
            ru["u_depth"] = add(DEPTH, k)
            ru["u_raster"] = add(RASTER, k)
            ru["u_tiles"] = add(TILE_CONTROL, k) if controlled else -1
        frame = system["frame"][0]
        for k in range(self._plugs.frames):
            system["frame"][k]["u_fetch_tiles"] = add(PIPELINED_FETCHER if pipelined else TILE_FETCHER, k)
        if not controlled:
            system["ru"][0]["u_tiles"] = frame["u_fetch_tiles"]
        frame["u_binner"] = add(BINNER, 0)
        frame["u_assembly"] = add(ASSEMBLY, 0)
        if config.vertex.instruction_cache:
            add(INSTRUCTION_CACHE, 0, state.L1_VERTEX_INSTRUCTION)
        frame["u_processor"] = min([add(VERTEX_PROCESSOR, 0, k) for k in range(config.vertex.processors)])
        frame["u_vertex"] = add(VERTEX_FETCHER, 0)
        frame["u_command"] = add(COMMAND, 0)
        # One set of geometry units serves all frames.
        for k in range(1, self._plugs.frames):
            for name in ("u_binner", "u_assembly", "u_processor", "u_vertex", "u_command"):
                system["frame"][k][name] = frame[name]
        if len(units) > capacity.MAX_UNITS:
            raise ConfigError([f"the machine has {len(units)} units, {capacity.MAX_UNITS} are possible"])
        system["cfg"]["num_units"] = len(units)
        self._geometry = [
            number
            for number, (kind, _, member) in enumerate(units)
            if kind in _GEOMETRY or (kind == INSTRUCTION_CACHE and member == state.L1_VERTEX_INSTRUCTION)
        ]
        for number, (kind, parent, member) in enumerate(units):
            system["kind"][number], system["parent"][number], system["member"][number] = kind, parent, member
            system["unit_state"][number] = STATE_NAMES.index("idle")

    def _plug_unit(self, plugged: PluggedUnit, number: int) -> None:
        _plug(self._system["tick"][number], plugged.tick)
        self._names.append(plugged.name)


def _cache_name(index: int) -> str:
    """Name in ``CACHE_NAMES`` of a level-one cache."""
    named = {state.L1_COMMAND: "command", state.L1_VERTEX: "vertex", state.L1_TILE: "tile"}
    if index == state.L1_VERTEX_INSTRUCTION or index >= state.L1_INSTRUCTION:
        return "instruction"
    return named.get(index, "technique" if index < state.L1_TEXTURE else "texture")


def _plug(record: Any, hook: Hook) -> None:
    """Enter a compiled function and the address of its state."""
    record["function"] = hook.function.address
    record["own"] = 0 if hook.own is None else hook.own.ctypes.data
