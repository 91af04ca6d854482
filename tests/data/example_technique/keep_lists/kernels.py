"""Hook in front of a replacement."""

import numpy as np

from gpumodel.streams import ATTRIBUTE_ADDRESS, LIST_ADDRESS
from gpumodel.units.counters import counter_fields
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.views import state_accessor
from keep_lists import COUNTERS
from traceformat.kernels import callback

FIRST, END = LIST_ADDRESS // 64, (2 * ATTRIBUTE_ADDRESS - LIST_ADDRESS) // 64
KEEPER = np.dtype(counter_fields(COUNTERS), align=True)
own_state = state_accessor(KEEPER)


@callback(PLUG_SIGNATURE)
def choose(s, own, cache, base, ways, line):
    if cache >= 0:
        return -1  # only the L2's
    oldest = best = -1
    for way in range(base, base + ways):
        if oldest < 0 or s.l2.stamp[way] < s.l2.stamp[oldest]:
            oldest = way
        kept = FIRST <= s.l2.tag[way] < END
        if not kept and (best < 0 or s.l2.stamp[way] < s.l2.stamp[best]):
            best = way
    if best >= 0 and best != oldest and s.l2.dirty[best] == 0:
        own_state(own).spared += 1  # a clean line goes in this very cycle; a dirty one may be asked for again
    return best
