"""Empty entries: culling of list entries, as an example of ``leave_out``."""

import numpy as np

from gpumodel.energy.bill import Prices
from gpumodel.techniques import Plugs, Technique, register
from gpumodel.tile_lists import leave_out
from gpumodel.units.counters import Counter, named

COUNTERS = named("empty-entries", Counter("dropped", "pairs", "of a primitive and a tile in which it covers no sample"))


@register
class EmptyEntries(Technique):
    """Empty entries: a primitive is not put into the list of a tile in which it covers no sample."""

    id = "empty-entries"
    source = "an example"
    counters = COUNTERS

    def plugs(self, config):
        return Plugs(before_pass=[self.drop])

    def hardware(self, config):
        adder = Prices(config).dynamic("logic_adder_32b").read_pj
        price = {"binning.pointer_writes": 4 * adder}
        return [Prices(config).logic("empty_entries", 4 * 32, 0, price, "an edge's value at four places more a tile")]

    def drop(self, trace, streams):
        pairs = streams.pairs[: int(streams.tiles["pair_count"].sum())]
        empty = (pairs["quad_count"] == 0) & (pairs["clear"] < 0)
        self.record["dropped"] += int(empty.sum())
        leave_out(streams, np.zeros(int(pairs["quad_count"].sum()), bool), entries=empty)
