"""State of Deferred Rendering's hardware: the HSR front's fetcher, and the tags that it leaves for Early-Z.

Source: VRO §4.2 and Table 2 (queues); tags ASSUMED, see :mod:`.tags`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from gpumodel.techniques.dr.config import HSR_ENTRIES
from gpumodel.techniques.dr.counters import COUNTERS
from gpumodel.units.capacity import MAX_SAMPLES, MAX_TILE_PIXELS
from gpumodel.units.counters import counter_fields, named
from gpumodel.units.state import STREAM
from gpumodel.units.views import state_accessor

__all__ = ["DR", "DR_T", "NO_TAG", "SETS", "TAGS", "dr"]

_I: Final = np.int64
#: Sets of tags: one that HSR writes, one that Early-Z reads.
SETS: Final = 2
#: Places of a set, a sample each.
TAGS: Final = MAX_TILE_PIXELS * MAX_SAMPLES
NO_TAG: Final = -1

#: ``kinds`` is by row of draws, see :mod:`.kinds`. With ``filters``, tiles in ``skips`` go without HSR; with ``marks``,
#: a quad is noted in ``noted`` that leaves no tag and may show. ``tag`` is the quad that shows at a sample, in list
#: order; ``frozen`` the reason why HSR no longer follows it (0 = it does). ``seen`` is the fetchers' count of requests
#: after HSR's last.
DR: Final = np.dtype(
    [
        ("active", _I), ("sequential", _I), ("hsr", _I), ("unit", _I), ("kinds", STREAM),
        ("filters", _I), ("skips", STREAM), ("marks", _I), ("noted", STREAM),
        # HSR of a tile: which one, since when, and its list entries that were not reserved
        ("phase", _I), ("tile", _I), ("wanted", _I), ("begin", _I), ("pair", _I), ("pair_end", _I),
        # primitives under way, in list order from ``head`` on: next request, attribute and its line, and when it may go
        ("entries", _I), ("position_only", _I), ("head", _I), ("count", _I),
        ("entry_pair", _I, (HSR_ENTRIES,)), ("entry_step", _I, (HSR_ENTRIES,)), ("entry_attribute", _I, (HSR_ENTRIES,)),
        ("entry_attribute_line", _I, (HSR_ENTRIES,)), ("entry_ready", _I, (HSR_ENTRIES,)),
        ("entry_since", _I, (HSR_ENTRIES,)),
        ("seen", _I),
        # tags
        ("set", _I), ("tile_of_set", _I, (SETS,)),
        ("tag", np.int32, (SETS * TAGS,)), ("frozen", np.uint8, (SETS * TAGS,)),
        # of the quad at hand: where its tile's set begins, whether it left a tag, and a depth
        ("first", _I), ("left", _I), ("wrote", _I),
        ("wait_since", _I),
        *counter_fields(named("dr", *COUNTERS)),
    ],
    align=True,
)  # fmt: skip

DR_T: Final = from_dtype(DR)
dr: Final = state_accessor(DR)
