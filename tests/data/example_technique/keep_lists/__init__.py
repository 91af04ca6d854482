"""Keep lists: a replacement policy of the L2, as an example of the hook ``victim``."""

import numpy as np

from gpumodel.energy.bill import Prices
from gpumodel.techniques import Hook, Plugs, Technique, register
from gpumodel.units.counters import Counter, named

COUNTERS = named("keep-lists", Counter("spared", "lines", "of the Parameter Buffer that were the oldest and stayed"))


@register
class KeepLists(Technique):
    """Keep lists: the L2 gives up its oldest line that is none of the Parameter Buffer's."""

    id = "keep-lists"
    source = "an example"
    counters = COUNTERS

    def plugs(self, config):
        from keep_lists import kernels  # compiled when it is imported

        self.record = np.zeros(1, kernels.KEEPER)
        return Plugs(hooks={"victim": Hook(kernels.choose, self.record)})

    def hardware(self, config):
        lines = config.caches.l2.size_bytes // 64
        return [Prices(config).logic("keep_lists.marks", 0, lines, {}, "a bit a line")]
