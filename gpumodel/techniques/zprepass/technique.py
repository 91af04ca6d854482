"""Z-prepass as a technique: the frame with its opaque geometry twice, the numbers that break ties, counters.

Source: VRO §2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.counters import Counter
from gpumodel.energy.bill import Prices, Structure
from gpumodel.intake import check_frame
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.views import bind
from traceformat.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.streams import PassStreams

__all__ = ["DepthPrepass"]

#: Bits of a primitive's sequence number in a pass.
_NUMBER_BITS: Final = 24
_OWN: Final = ("null_fragments", "null_quads", "tests", "number_writes", "killed", "visible")


@register
class DepthPrepass(Technique):
    """``zprepass``."""

    id = "zprepass"
    source = "VRO §2"
    counters: ClassVar[Mapping[str, Counter]] = {
        "zprepass.draws": Counter("draws", "draws that come twice"),
        "zprepass.null_fragments": Counter("fragments", "of the first half, passed Early-Z; nothing is shaded"),
        "zprepass.null_quads": Counter("quads", "of the first half, through the Fragment Processors"),
        "zprepass.tests": Counter("quads", "tested with sequence numbers in Early-Z"),
        "zprepass.number_writes": Counter("quads", "quad writes of sequence numbers"),
        "zprepass.killed": Counter("fragments", "of the second half, killed because a later fragment covers them"),
        "zprepass.visible": Counter("fragments", "of the second half, those whose depth the first half has left"),
    }

    def __init__(self) -> None:
        self._draws = 0
        self._works = False
        self._bound: list[NDArray[Any]] = []

    def prepare(self, trace: FrameTrace) -> FrameTrace:
        """Double the geometry, as the application would."""
        from gpumodel.techniques.zprepass.doubling import add_prepass

        check_frame(trace)
        doubled, self._original = add_prepass(trace)
        self._draws += doubled["draws"].num_rows - trace["draws"].num_rows
        return doubled

    def plugs(self, config: GpuConfig) -> Plugs:
        """Test with sequence numbers, and shade nothing of the first half."""
        from gpumodel.techniques.zprepass import test

        self._state = np.zeros(1, test.PREPASS)
        self._hooks = {"test": Hook(test.test_prepass, self._state), "shade": Hook(test.shade_nothing, self._state)}
        return Plugs(hooks=self._hooks, before_pass=[self._load])

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

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        own = self._state[0]
        return {"zprepass.draws": self._draws} | {f"zprepass.{name}": int(own[name]) for name in _OWN}

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Bind a pass's copies; without any, tests are the baseline's."""
        q0, q1 = streams.quad_rows
        works = bool((self._original[q0:q1] >= 0).any()) or (streams.part.number > 0 and self._works)
        self._works = works
        for name, hook in self._hooks.items():
            self._system["plugs"][name]["function"] = hook.function.address if works else 0
        if streams.part.number == 0:
            numbers = np.full(streams.width * streams.height, -1, np.int32)
            self._bound = [np.ascontiguousarray(self._original), numbers]
            bind(self._state[0]["original"], self._bound[0])
            bind(self._state[0]["number"], numbers)
