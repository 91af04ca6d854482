"""Z-prepass as a technique: the frame with its opaque geometry twice, the numbers that break ties, counters.

Source: VRO §2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.techniques.zprepass.counters import COUNTERS
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.zprepass.doubling import Doubling

__all__ = ["DepthPrepass"]

#: Bits of a primitive's sequence number in a pass.
_NUMBER_BITS: Final = 24


@register
class DepthPrepass(Technique):
    """Z-prepass: opaque geometry is drawn twice, first for its depths alone."""

    id = "zprepass"
    source = "VRO §2"
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        self._works = False
        #: What comes twice in the frame at hand.
        self._plan: tuple[FrameTrace, Doubling] | None = None
        self._bound: list[NDArray[Any]] = []

    def prepare(self, trace: FrameTrace) -> FrameTrace:
        """Double the geometry, as the application would."""
        from gpumodel.techniques.zprepass.doubling import add_prepass, plan_prepass

        if self._plan is None or self._plan[0] is not trace.head:
            plan = plan_prepass(trace)
            self._plan = trace.head, plan
            self.record[0]["draws"] += plan.is_copy.sum()
        doubled, self._original = add_prepass(trace, self._plan[1])
        return doubled

    def plugs(self, config: GpuConfig) -> Plugs:
        """Test with sequence numbers, and shade nothing of the first half."""
        from gpumodel.techniques.zprepass import numbers

        self.record = np.zeros(1, numbers.PREPASS)
        self._hooks = {
            "test": Hook(numbers.decide_numbered, self.record),
            "shade": Hook(numbers.shade_nothing, self.record),
        }
        return Plugs(hooks=self._hooks, before_raster=[self._load])

    def attach(self, machine: Machine) -> None:
        """Remember the record that hooks are plugged into."""
        self._system = machine.system

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Sequence numbers beside the depths, with comparators."""
        p, units = Prices(config), config.raster.units
        pixels = config.tile.width * config.tile.height
        return [
            p.array("zprepass.numbers", "color_depth_buffer_1K", pixels * _NUMBER_BITS / 8192, units,
                    {"zprepass.tests": "read", "zprepass.number_writes": "write"}),
            p.array("zprepass.comparators", "logic_comparator_mag_12b", _NUMBER_BITS / 12, 4 * units,
                    {"zprepass.tests": "read*4"}),
        ]  # fmt: skip

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Bind a pass's copies; without any, tests are the baseline's."""
        q0, q1 = streams.quad_rows
        works = bool((self._original[q0:q1] >= 0).any()) or (streams.part.number > 0 and self._works)
        self._works = works
        for name, hook in self._hooks.items():
            self._system["plugs"][name]["function"] = hook.function.address if works else 0
        if streams.part.number == 0:
            samples = int(trace["passes"]["samples"][streams.index])
            beside = np.full(samples * streams.width * streams.height, -1, np.int32)
            self._bound = [np.ascontiguousarray(self._original), beside]
            bind(self.record[0]["original"], self._bound[0])
            bind(self.record[0]["number"], beside)
