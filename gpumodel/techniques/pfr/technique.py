"""Parallel Frame Rendering as a technique: split and duplicated units, pairs of frames, what they cost in lag.

Hardware: the Fragment Processors with their Texture Caches are split between two Raster Units, one a frame, and so is
the Tile Cache; Tile Fetcher, Tile Queue, Rasterizer, Early-Z, fragment queues, Blending, Colour and Depth Buffers are
there twice. Geometry units, L2 and memory are shared (ASSUMED).
Modelled: geometry of the first frame, then of the second, then both raster phases, tiles in step. A frame that has no
partner, or whose successor needs what it leaves (:mod:`.pairing`), is rendered alone: its tiles go to the two Raster
Units in turn (ASSUMED).
Left out: a second frame buffer's memory; geometry of the next pair beside this pair's raster phase.
Source: RE §I and §V-A, which describe PFR (Arnau et al., PACT 2013).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from gpumodel.config.change import changed
from gpumodel.config.section import TechniqueConfig
from gpumodel.energy.bill import Structure, bill
from gpumodel.techniques.pfr.config import PfrConfig
from gpumodel.techniques.pfr.counters import COUNTERS
from gpumodel.techniques.pfr.pairing import reason_to_wait
from gpumodel.techniques.plugs import Hook, PluggedCache, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.capacity import MAX_FRAMES
from gpumodel.units.counters import Counter, counter_fields
from gpumodel.units.traffic import PARAMETER
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.pass_run import PassRun

__all__ = ["ParallelFrameRendering", "split"]

_CACHE: Final = "second_tile"
#: Structures of a tile fetcher, of which each frame has its own.
_FETCHER: Final = ("tile.cache", "tile.mshr", "tile_fetcher")


def split(config: GpuConfig, technique: str) -> GpuConfig:
    """Configuration with two Raster Units that share the Fragment Processors and halves of the Tile Cache.

    Raises
    ------
    ConfigError : there is nothing to split
    """
    if config.raster.units != 1 or config.fragment.processors % 2:
        raise ConfigError(
            [
                f"{technique} splits one Raster Unit with an even number of Fragment Processors:"
                f" raster.units is {config.raster.units}, fragment.processors is {config.fragment.processors}"
            ]
        )
    return changed(
        config,
        {
            "raster.units": 2,
            "raster.assignment": "static",
            "fragment.processors": config.fragment.processors // 2,
            "fragment.instruction_caches": -(-config.fragment.instruction_caches // 2),
            "caches.tile.size_bytes": config.caches.tile.size_bytes // 2,
        },
    )


@register
class ParallelFrameRendering(Technique):
    """Parallel Frame Rendering: two consecutive frames at a time, tiles in step."""

    id = "pfr"
    source = "RE §I, §V-A (PFR: PACT 2013)"
    Config: ClassVar[type[TechniqueConfig] | None] = PfrConfig
    counters: ClassVar[Mapping[str, Counter]] = COUNTERS
    excludes = "two frames are in flight, and its rivals keep what the frame before has left"

    def __init__(self) -> None:
        self.record = np.zeros(1, counter_fields(self.counters, (MAX_FRAMES,)))
        self._pair: tuple[FrameTrace, FrameTrace] | None = None

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Split what is split, double what belongs to a tile."""
        return split(config, self.id)

    def needed_frames(self, config: GpuConfig, asked: range) -> range:
        """Whole pairs, those of a run from the first frame on."""
        first = asked.start - asked.start % 2 - self.history(config)
        return range(first - first % 2, asked.stop + asked.stop % 2)

    def plugs(self, config: GpuConfig) -> Plugs:
        """Two frames in flight, with tiles in step."""
        from gpumodel.techniques.pfr import step

        self._step = np.zeros(1, step.STEP)
        self._step["behind"] = PfrConfig.of(config).tiles_behind
        return Plugs(
            hooks={"tile_render": Hook(step.in_step, self._step)},
            caches=[PluggedCache(_CACHE, config.caches.tile, "tile_fetcher", PARAMETER)],
            frames=2,
            in_parallel=self._in_parallel,
            before_pass=[self._begin_pass],
            observers=[self._end_pass],
        )

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """The second Tile Fetcher with its Tile Cache; what a Raster Unit has is in the bill of the configuration."""
        return [
            replace(structure, name=f"pfr.{structure.name}", activity={})
            for structure in bill(config)
            if structure.name.startswith(_FETCHER)
        ]

    def attach(self, machine: Machine) -> None:
        """Give the second frame its Tile Cache, which its own fetcher reads and the one list builder writes."""
        number, frame = machine.cache_number(_CACHE), machine.system["frame"][1]
        frame["tile_cache"] = number
        machine.system["l1"][number]["owner"] = frame["u_fetch_tiles"]
        machine.system["l1"][number]["writer"] = frame["u_binner"]

    def read_frame_counters(self, frame_index: int) -> Mapping[str, float]:
        """Values of one of the frames in flight."""
        row = self.record[0]
        return {name: row[counter.field][frame_index].item() for name, counter in self.counters.items()}

    def _in_parallel(self, first: FrameTrace, second: FrameTrace) -> bool:
        """Decide for a pair."""
        reason = reason_to_wait(first, second)
        if reason is not None:
            self.record[0][f"alone.{reason}"][0] += 1
            return False
        self._pair = first, second
        self.record[0]["side_by_side"] += 1
        return True

    def _begin_pass(self, trace: FrameTrace, streams: Any) -> None:
        """Begin with the first tile."""
        self._step["tile"] = -1
        self._step["last"] = len(streams.tiles) - 1

    def _end_pass(self, trace: FrameTrace, done: PassRun) -> None:
        """Add up the lag: a period of half of the pair's time more in rendering, and another one of waiting."""
        if self._pair is None or not any(trace.head is one for one in self._pair):
            return
        frame_index = 0 if trace.head is self._pair[0] else 1
        self.record[0]["lag_cycles"][frame_index] += (done.end - done.start) / (1 if frame_index == 0 else 2)
