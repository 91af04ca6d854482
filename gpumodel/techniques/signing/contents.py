"""Whether a pass depends on what its depth or stencil buffer held before it."""

from __future__ import annotations

from typing import Final

from traceformat.gputrace.frametrace import FrameTrace, LoadOp

__all__ = ["tests_old_contents"]

#: Format and load operation of a buffer, and the state of a draw that looks at it.
_BUFFERS: Final = (("depth_format", "depth_load", "depth_test"), ("stencil_bits", "stencil_load", "stencil_test"))


def tests_old_contents(trace: FrameTrace, index: int) -> bool:
    """Whether a draw of a pass tests against depth or stencil that the pass did not begin by clearing.

    Contents that are undefined count: what the target held decides then, in the replay as in the model.
    """
    passes, draws = trace["passes"], trace["draws"]
    first = int(passes["draw_first"][index])
    rows = slice(first, first + int(passes["draw_count"][index]))
    return any(
        bool(passes[stored][index]) and passes[load][index] != LoadOp.CLEAR and bool(draws[test][rows].any())
        for stored, load, test in _BUFFERS
    )
