"""Frame reversal as a technique: the order of tiles, its price, its counters.

Hardware: the Tile Scheduler walks through the tiles of every second frame from the last to the first, so that what a
frame reads first is what the frame before has read last, and the L2 still has it.
Modelled: every pass of a frame of odd number; a frame's passes meet those of the frame before the other way round.
Source: Joseph et al., Boustrophedonic Frames (PACT 2023), whose abstract gives the idea and no hardware: a counter that
goes down as well as up is ASSUMED.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.counters import Counter, named
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_run import PassRun

__all__ = ["FrameReverse"]


@register
class FrameReverse(Technique):
    """Frame reversal: every second frame renders its tiles in the reversed order."""

    id = "frame-reverse"
    source = "PACT 2023, abstract"
    counters = named(
        "frame-reverse",
        Counter("passes", "passes", "rendered from the last tile to the first"),
        Counter("tiles", "tiles", "of those passes"),
    )

    def plugs(self, config: GpuConfig) -> Plugs:
        """Turn the order round."""
        return Plugs(tile_order=_turn, observers=[self._count])

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """The counter's way down, and the direction."""
        p = Prices(config)
        price = {"frame-reverse.tiles": p.dynamic("logic_adder_32b").read_pj}
        return [p.logic("frame_reverse.counter", 32, 1, price, "subtractor of the tile counter, a bit of direction")]

    def _count(self, trace: FrameTrace, done: PassRun) -> None:
        """Count the passes that were turned round."""
        if trace.frame % 2:
            self.record["passes"] += done.streams.part.number == 0
            self.record["tiles"] += len(done.streams.tiles)


def _turn(trace: FrameTrace, index: int, order: NDArray[Any], across: int) -> NDArray[Any]:
    """Slot ``tile_order``: from the last tile to the first in every second frame."""
    return order[::-1] if trace.frame % 2 else order
