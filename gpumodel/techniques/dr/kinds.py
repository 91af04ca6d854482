"""What Hidden Surface Removal may do with each draw.

A draw *covers* when a fragment of it that passes leaves nothing of what was at its pixel: depth test and write on,
all channels of all attachments written, no blending, stencil, discard, depth from the shader, alpha to coverage, query
or side effect. A draw is *stateful* when its tests change more than depth (stencil), or are looked at (queries).
Source: VRO §4.2 (the paper does not say what becomes of other draws); the classes follow DESIGN §5.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.vro.nodes import covering_draws
from traceformat.gputrace.frametrace import DrawFlags, FrameTrace

__all__ = ["COVERS", "STATEFUL", "draw_kinds"]

COVERS: Final = 1
STATEFUL: Final = 2


def draw_kinds(trace: FrameTrace, index: int) -> NDArray[Any]:
    """Kinds of all draws of a frame, those of pass ``index`` filled in: (draws,) uint8, COVERS and STATEFUL."""
    draws, passes = trace["draws"], trace["passes"]
    out = np.zeros(max(draws.num_rows, 1), np.uint8)
    first = int(passes["draw_first"][index])
    rows = slice(first, first + int(passes["draw_count"][index]))
    stateful = (draws["stencil_test"][rows] != 0) | (draws["query_active"][rows] != 0)
    stateful |= (draws["flags"][rows] & DrawFlags.SIDE_EFFECTS) != 0
    out[rows] = covering_draws(trace, index, rows) * COVERS + stateful * STATEFUL
    return out
