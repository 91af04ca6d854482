"""State of Deferred Rendering's hardware: the HSR front's fetcher, and the tags that it leaves for Early-Z.

Source: VRO §4.2 and Table 2 (queues); tags ASSUMED, see :mod:`.tags`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from gpumodel.units.state import MAX_TILE_PIXELS, STREAM
from gpumodel.units.views import state_accessor

__all__ = ["DR", "DR_T", "HSR_ENTRIES", "NO_TAG", "SETS", "dr"]

_I: Final = np.int64
#: Primitives that the HSR fetcher has under way, at most.
HSR_ENTRIES: Final = 16
#: Sets of tags: one that HSR writes, one that Early-Z reads.
SETS: Final = 2
NO_TAG: Final = -1

#: ``kinds`` is by row of draws, see :mod:`.kinds`. ``tag`` is the quad that shows at a pixel, in list order; ``frozen``
#: the reason why HSR no longer follows it (0 = it does). ``seen`` is the fetchers' count of requests after HSR's last.
DR: Final = np.dtype(
    [
        ("active", _I), ("sequential", _I), ("hsr", _I), ("unit", _I), ("kinds", STREAM),
        # HSR of a tile: which one, since when, and its list entries that were not reserved
        ("phase", _I), ("tile", _I), ("wanted", _I), ("begin", _I), ("pair", _I), ("pair_end", _I),
        # primitives under way, in list order from ``head`` on: next request, attribute and its part, and when it may go
        ("entries", _I), ("position_only", _I), ("head", _I), ("count", _I),
        ("entry_pair", _I, (HSR_ENTRIES,)), ("entry_step", _I, (HSR_ENTRIES,)), ("entry_attribute", _I, (HSR_ENTRIES,)),
        ("entry_part", _I, (HSR_ENTRIES,)), ("entry_ready", _I, (HSR_ENTRIES,)), ("entry_since", _I, (HSR_ENTRIES,)),
        ("seen", _I),
        # tags
        ("set", _I), ("tile_of_set", _I, (SETS,)),
        ("tag", np.int32, (SETS * MAX_TILE_PIXELS,)), ("frozen", np.uint8, (SETS * MAX_TILE_PIXELS,)),
        # counters
        ("tiles", _I), ("hsr_cycles", _I), ("fetch_cycles", _I), ("requests", _I), ("attributes", _I),
        ("wait_since", _I), ("wait_cycles", _I), ("yields", _I),
        ("tag_writes", _I), ("tag_reads", _I), ("killed", _I), ("visible", _I), ("behind_discard", _I),
        ("behind_state", _I), ("other", _I), ("wasted", _I),
    ],
    align=True,
)  # fmt: skip

DR_T: Final = from_dtype(DR)
dr: Final = state_accessor(DR)
