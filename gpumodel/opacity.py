"""Which draws leave nothing of the colours that were at a pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import DrawFlags, FrameTrace

__all__ = ["replacing_draws"]


def replacing_draws(trace: FrameTrace, index: int, rows: slice) -> NDArray[np.bool_]:
    """Tell which draws of a pass leave nothing of the colours that were at a pixel where they write: all channels of
    all attachments, and no blending, alpha to coverage, or look at what was there. They may discard.

    Parameters
    ----------
    rows : of draws, all of pass ``index``
    """
    draws = trace["draws"]
    colors = int(trace["passes"]["num_colors"][index])
    written = (1 << colors) - 1
    partial = (draws["flags"][rows] & DrawFlags.READS_FRAMEBUFFER) != 0
    for name in ("blend", "alpha_to_coverage"):
        partial |= draws[name][rows] != 0
    partial |= (draws["draw_buffers"][rows] & written) != written
    if colors:
        partial |= (draws["color_mask"][rows] & 15) != 15
    if "output_blend" in draws and "output_mask" in draws:
        partial |= (draws["output_blend"][rows, :colors, 0] != 0).any(axis=1)
        partial |= ((draws["output_mask"][rows, :colors] & 15) != 15).any(axis=1)
    replacing: NDArray[np.bool_] = ~partial
    return replacing
