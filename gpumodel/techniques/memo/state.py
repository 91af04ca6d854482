"""State of the look-up table and its ports; arrays are bound by the technique."""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.memo.counters import COUNTERS
from gpumodel.units.capacity import MAX_FRAMES, MAX_PROCESSORS, MAX_RASTER_UNITS
from gpumodel.units.counters import counter_fields
from gpumodel.units.state import STREAM

__all__ = ["ENTRY", "MEMO"]

_I: Final = np.int64

#: An entry: the hash that is stored, the whole identity (to tell collisions), when it was used last (0 = never).
ENTRY: Final = np.dtype([("hash", _I), ("identity", _I), ("stamp", _I)], align=True)

#: ``table`` has sets x ways entries; ``words``, by draw of the frame, is what the hash unit takes of a fragment, 0 =
#: the draw is left out; ``turn`` is the first turn of a port that is free, counted from cycle 0; ``identity`` and
#: ``excluded`` are columns of the frame's quads. Of each frame in flight: counters.
MEMO: Final = np.dtype(
    [
        ("table", STREAM), ("set_mask", _I), ("ways", _I), ("hash_mask", _I), ("clock", _I),
        ("ports", _I), ("turn", _I), ("hash_cycles", _I),
        ("quad", _I, (MAX_RASTER_UNITS, MAX_PROCESSORS)), ("until", _I, (MAX_RASTER_UNITS, MAX_PROCESSORS)),
        ("active", _I, (MAX_FRAMES,)),
        ("words", STREAM, (MAX_FRAMES,)), ("identity", STREAM, (MAX_FRAMES,)), ("excluded", STREAM, (MAX_FRAMES,)),
        *counter_fields(COUNTERS, (MAX_FRAMES,)),
    ],
    align=True,
)  # fmt: skip
