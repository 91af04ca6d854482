"""Dropped triangles as a bound: whatever shows nowhere in this very frame is left out of the Parameter Buffer.

Hardware: none. The idea is to foresee by the last frame which primitives will be hidden, and to drop them behind the
geometry pipeline; what is foreseen wrongly shows. This knows, so the picture is exact, and no prediction does better.
Modelled: a primitive is dropped when each of its fragments lies behind the depth that the pass leaves at its pixel, by
the rules for draws of ``lrz`` (:mod:`gpumodel.techniques.lrz.rules`). Passes with several samples go without.
Source: the idea of Corbalan-Navarro et al., Triangle Dropping (TACO 2022), of which the abstract was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.tile_lists import leave_out
from gpumodel.units.counters import Counter, named
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.energy import Structure
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.lrz.rules import Rules

__all__ = ["DroppedTriangles"]

_NOTHING = 1 << 40


@register
class DroppedTriangles(Technique):
    """Dropped triangles (reconstructed, a bound): what shows nowhere in this frame is not sorted into the tiles."""

    id = "triangle-dropping-like"
    source = "TACO 2022, abstract"
    cuts = True
    counters = named(
        "triangle-dropping-like",
        Counter("primitives", "primitives", "with fragments, of passes with a direction"),
        Counter("dropped", "primitives", "of those, hidden everywhere"),
        Counter("entries_dropped", "pairs", "of primitive and tile that were not put into a list"),
        Counter("off", "passes", "without: multisampled, or no draw gives a direction"),
    )

    def plugs(self, config: GpuConfig) -> Plugs:
        """Leave them out."""
        if config.binning.overlap != "none":
            raise ConfigError(["triangle-dropping-like knows one pass: binning.overlap has to be none"])
        return Plugs(before_pass=[self._drop])

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """None: a bound."""
        return []

    def _drop(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Leave the entries of hidden primitives out of a pass's lists."""
        from gpumodel.techniques.lrz.rules import find_rules

        own = self.record[0]
        single = int(trace["passes"]["samples"][streams.index]) <= 1
        rules = find_rules(trace, streams) if single else None
        if rules is None:
            own["off"] += 1
            return
        shows, hidden = _visible(trace, streams, rules)
        pairs = streams.pairs[: int(streams.tiles["pair_count"].sum())]
        drawn = pairs["clear"] < 0
        dropped = np.zeros(len(pairs), bool)
        dropped[drawn] = hidden[pairs["emitted"][drawn] - streams.part.emitted[0]]
        own["primitives"] += int((shows | hidden).sum())
        own["dropped"] += int(hidden.sum())
        own["entries_dropped"] += int(dropped.sum())
        leave_out(streams, np.repeat(dropped, pairs["quad_count"]), entries=dropped)


def _visible(trace: FrameTrace, streams: PassStreams, rules: Rules) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(emitted primitives of the part,) whether one may show, and whether one with fragments cannot."""
    from gpumodel.techniques.lrz.rules import FINAL, WRITES

    (q0, q1), (e0, e1) = streams.quad_rows, streams.part.emitted
    table, lane = trace["quads"], np.arange(4)
    emitted = table["emitted"][q0:q1].astype(np.int64)
    kind = rules.of_draw[trace["emitted"]["draw"][emitted]][:, np.newaxis]
    depth = table["depth"][q0:q1].astype(np.int64) * (1 if rules.nearer_is_less else -1)
    covered = (table["coverage"][q0:q1, np.newaxis] >> lane & 1) != 0
    x = 2 * table["x"][q0:q1].astype(np.int64)[:, np.newaxis] + (lane & 1)
    y = 2 * table["y"][q0:q1].astype(np.int64)[:, np.newaxis] + (lane >> 1)
    pixel = y * (streams.width + 1) + x
    nearest = np.full((streams.height + 1) * (streams.width + 1), _NOTHING, np.int64)
    writes = covered & (kind & WRITES != 0)
    np.minimum.at(nearest, pixel[writes], depth[writes])
    may_show = covered.copy()
    may_show[covered] &= ((depth <= nearest[pixel]) | (kind & FINAL == 0))[covered]
    owner, count = emitted - e0, e1 - e0
    shows = np.bincount(owner[may_show.any(axis=1)], minlength=count) > 0
    return shows, ~shows & (np.bincount(owner[covered.any(axis=1)], minlength=count) > 0)
