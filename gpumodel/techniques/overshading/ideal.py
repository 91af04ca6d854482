"""Perfect front-to-back order of objects, without a price: what sorting objects can give at most.

The order comes from the frame's own final visibility (:mod:`.visibility`), within the same runs and nodes as ``vro``;
ties of depth are broken by the owners of ``vro``'s depth test. The counters have the bound: fragments that stay
visible, and of those that do not, how many another object hides and how many their own.
Left out: what an earlier run hides (no order changes that), and nodes' costs: each counts its fragments.
Source: VRO §1 and Figure 2 (third bar).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Structure
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.counters import Counter, named
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassStreams

__all__ = ["IdealOrder"]

#: No limit of nodes.
_ALL = 1 << 30


@register
class IdealOrder(Technique):
    """The perfect order of objects, without a price: what sorting them can give at most."""

    id = "ideal-order"
    source = "VRO §1, Figure 2"
    counters = named(
        "ideal-order",
        Counter("visible", "fragments", "movable fragments that no other of their run hides: the bound"),
        Counter("inter_object", "fragments", "movable fragments that another object of the run hides"),
        Counter("intra_object", "fragments", "movable fragments that their own object hides"),
    )

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the tile lists into the order; test with owners."""
        from gpumodel.techniques.vro import edges, state

        self._unit = np.zeros(1, state.VRO)
        return Plugs(primitive_order=self._order, hooks={"test": Hook(edges.decide_owned, self._unit)})

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """A bound has none."""
        return []

    def _order(self, trace: FrameTrace, streams: PassStreams) -> NDArray[Any]:
        """Order a pass by what it will look like."""
        from gpumodel.techniques.overshading.visibility import find_visibility, rank_nodes
        from gpumodel.techniques.vro.nodes import find_nodes, order_pairs

        nodes = find_nodes(trace, streams, _ALL)
        seen = find_visibility(trace, streams, nodes)
        for name, value in (("visible", seen.visible), ("inter_object", seen.inter), ("intra_object", seen.intra)):
            self.record[0][name] += value
        rank = rank_nodes(nodes.count, seen)
        # Where nothing moves, program order.
        first = np.flatnonzero(np.diff(nodes.node_of_draw, prepend=-1))
        fixed = np.flatnonzero(~nodes.movable[first]) if nodes.count else first
        rank[fixed] = fixed
        d0, d1 = streams.draw_range
        draws = trace["draws"].num_rows
        node_of_draw = np.zeros(max(draws, 1), np.int32)
        node_of_draw[d0:d1] = nodes.node_of_draw
        # No edges are wanted: for them, nothing moves.
        movable, run_first = np.zeros(max(draws, 1), np.uint8), np.zeros(max(nodes.count, 1), np.int32)
        self._bound: list[NDArray[Any]] = [node_of_draw, movable, run_first]
        own = self._unit[0]
        for name, array in zip(("node_of_draw", "movable", "run_first"), self._bound, strict=True):
            bind(own[name], array)
        own["tile"] = -1
        return order_pairs(trace, streams, nodes, rank)
