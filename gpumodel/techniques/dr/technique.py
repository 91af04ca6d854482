"""Deferred Rendering as a technique: which passes it works on, its hardware, its counters.

A pass has HSR when its depth and stencil are not loaded from memory, and a draw of it covers what is behind it.
Everything else is rendered as in the baseline, and counted.
Source: VRO §4.2, Figure 7, Table 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.section import TechniqueConfig
from gpumodel.energy.bill import Prices, Structure, bill
from gpumodel.techniques.dr.config import HSR_ENTRIES, DrConfig
from gpumodel.techniques.dr.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, PluggedUnit, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.counters import Counter, named
from gpumodel.units.views import bind
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace, LoadOp

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.streams import PassStreams

__all__ = ["DeferredRendering", "SequentialRendering"]

#: Bits of a tag: places in a tile's list.
_TAG_BITS: Final = 16
#: Counters that the Raster Unit of the HSR front keeps.
_FRONT: Final = {
    "hsr_primitives": "pairs", "hsr_quads": "quads_rasterized", "hsr_fragments": "rasterized",
    "hsr_depth_reads": "depth_reads", "hsr_depth_writes": "depth_writes",
}  # fmt: skip


class _Deferred(Technique):
    """What both have in common."""

    source = "VRO §4.2"
    Config: ClassVar[type[TechniqueConfig] | None] = DrConfig
    takes = ("the port beside the Tile Fetcher",)
    looks_ahead = True
    sequential: ClassVar[bool]

    def __init__(self) -> None:
        super().__init__()
        self._bound: NDArray[Any] = np.zeros(0, np.uint8)

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the HSR front beside the Raster Unit, and the tags into Early-Z."""
        from gpumodel.techniques.dr import front, state, tags
        from gpumodel.units.capacity import MAX_RASTER_UNITS

        if config.raster.units >= MAX_RASTER_UNITS or config.raster.units > 1:
            raise ConfigError([f"{self.id} works with one Raster Unit, the machine has {config.raster.units}"])
        self.record = np.zeros(1, state.DR)
        own = self.record[0]
        self._front = config.raster.units
        own["hsr"] = self._front
        own["sequential"] = self.sequential
        own["position_only"] = DrConfig.of(config).hsr_attributes == "position"
        own["entries"] = _entries(config)
        self._test = Hook(tags.decide_tagged, self.record)

        def unit(name: str, function: Any) -> PluggedUnit:
            return PluggedUnit(name, Hook(function, self.record), before="tile_fetcher", parent=self._front)

        return Plugs(
            hooks={"test": self._test, "tile_render": Hook(front.schedule_rendering, self.record)},
            units=[
                unit("hsr_early_z", front.tick_hsr_early_z), unit("hsr_rasterizer", front.tick_hsr_rasterizer),
                unit("hsr_fetcher", front.tick_hsr_fetcher),
            ],
            before_raster=[self._load],
        )  # fmt: skip

    def attach(self, machine: Machine) -> None:
        """Configure the Raster Unit that is the HSR front."""
        self._machine, config = machine, machine.config
        s = machine.system
        unit = machine.unit_number("hsr_fetcher")
        self.record[0]["unit"] = s["frame"][0]["u_beside"] = unit
        ru = s["ru"][self._front]
        ru["number"] = self._front
        ru["front_only"] = 1
        ru["u_tiles"] = unit
        ru["u_raster"], ru["u_depth"] = machine.unit_number("hsr_rasterizer"), machine.unit_number("hsr_early_z")
        # Its Rasterizer and Early-Z have no queue between them.
        ru["u_enter"] = ru["u_raster"]
        ru["pair_depth"] = config.queues.tile
        ru["in_flight_depth"], ru["depth_latency"] = config.early_z.in_flight_quads, config.early_z.latency_cycles
        ru["front"] = ru["depth_tile"] = ru["current"] = -1

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """List the tags with their comparators, HSR's activity, and what is duplicated."""
        p = Prices(config)
        sets = 1 if self.sequential else 2
        pixels = config.tile.width * config.tile.height
        here = f"{self.id}."
        activity = {
            "quads.rasterized": f"{here}hsr_quads", "depth_buffer.reads": f"{here}hsr_depth_reads",
            "depth_buffer.writes": f"{here}hsr_depth_writes", "attributes.interpolated": f"{here}hsr_quads",
        }  # fmt: skip
        out = [
            p.array(f"{here}tags", "color_depth_buffer_1K", pixels * _TAG_BITS / 8192, sets,
                    {f"{here}tag_writes": "write", f"{here}tag_reads": "read"}),
            p.array(f"{here}frozen", "color_depth_buffer_1K", pixels / 8192, sets, {f"{here}hsr_quads": "read write"}),
            p.array(f"{here}tag_comparators", "logic_comparator_mag_12b", _TAG_BITS / 12, 4,
                    {f"{here}tag_reads": "read*4"}),
        ]  # fmt: skip
        duplicated = ("rasterizer.", "early_z", "queue.tile", "queue.fragment", "tile_fetcher")
        for structure in bill(config):
            if not structure.name.startswith(duplicated):
                continue
            charged = {activity[name]: pj for name, pj in structure.activity.items() if name in activity}
            if structure.name == "queue.fragment":
                # Between HSR's Rasterizer and Early-Z: every quad passes it.
                charged = {f"{here}hsr_quads": pj for pj in structure.activity.values()}
            # In sequence the units do HSR themselves: only its work is new.
            shared = replace(structure, leak_mw=0.0, area_mm2=0.0, stored_bytes=0.0) if self.sequential else structure
            if self.sequential and structure.name == "queue.fragment":
                charged = {}
            out.append(
                replace(shared, name=f"{here}{structure.name}", activity=charged, source=f"HSR: {structure.source}")
            )
        adder, register = p.dynamic("logic_adder_32b").read_pj, p.dynamic("logic_register_32b").read_pj
        if not self.sequential:
            out.append(
                p.logic(f"{here}arbiter", 8, 64, {f"{here}hsr_requests": adder / 8 + register},
                        "round robin of two request queues, their registers")
            )  # fmt: skip
        return out

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        own, ru = self.record[0], self._machine.system["ru"][self._front]
        for field, column in _FRONT.items():
            own[field] = ru[column]
        return super().read_counters()

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Decide about a pass, and put the front into the state in which a pass finds it."""
        from gpumodel.techniques.dr.kinds import COVERS, draw_kinds

        own, passes, index = self.record[0], trace["passes"], streams.index
        loads = streams.part.number > 0 or LoadOp.LOAD in (passes["depth_load"][index], passes["stencil_load"][index])
        self._bound = draw_kinds(trace, index)
        works = not loads and bool((self._bound & COVERS).any())
        own["passes_off"] += not works
        bind(own["kinds"], self._bound)
        own["active"] = works
        # Without HSR the depth test is the baseline's.
        self._machine.system["plugs"]["test"]["function"] = self._test.function.address if works else 0
        for name in ("phase", "head", "count", "set"):
            own[name] = 0
        for name in ("tile", "wanted", "wait_since", "tile_of_set", "seen"):
            own[name] = -1
        self._machine.system["ru"][self._front]["front"] = -1


def _entries(config: GpuConfig) -> int:
    """Primitives that the HSR fetcher has under way."""
    fetcher = config.tile_fetcher
    own = DrConfig.of(config).hsr_entries or (fetcher.primitive_table if fetcher.design == "pipelined" else 1)
    return min(own, HSR_ENTRIES)


@register
class DeferredRendering(_Deferred):
    """Deferred Rendering: hidden surfaces of the next tile are removed while one is rendered."""

    id = "dr"
    sequential = False
    counters: ClassVar[Mapping[str, Counter]] = named("dr", *COUNTERS)


@register
class SequentialRendering(_Deferred):
    """Deferred Rendering in sequence: hidden surfaces of a tile are removed, then it is rendered."""

    id = "dr-seq"
    sequential = True
    counters = named("dr-seq", *COUNTERS)
