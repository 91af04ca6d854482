"""Which two frames can be rendered in parallel: the second one must not need what the first one leaves.

The driver gives each frame render targets of its own, so that targets of one name do not meet.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.side_effects import writes_storage
from gpumodel.techniques.signing.contents import tests_old_contents
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameRule, FrameTrace, LoadOp

__all__ = ["REASONS", "reason_to_wait"]

#: Reason -> meaning, in the order in which they are looked for.
REASONS: Final = {
    "read_back": "the program waits for the first frame (glFinish, glReadPixels) before it goes on",
    "other_passes": "the frames differ in number, size or format of their passes",
    "old_contents": "a pass starts from old colours, or tests old depth or stencil",
    "copies": "a blit or copy",
    "reads_other_frame": "the second frame samples what the first one renders",
    "storage": "a draw or dispatch writes storage, images or counters, which the other frame may read",
}
_COPIES: Final = (EventKind.BLIT, EventKind.RESOLVE, EventKind.COPY)
_SHAPE: Final = ("framebuffer", "width", "height", "samples", "num_colors", "color_format", "depth_format")


def reason_to_wait(first: FrameTrace, second: FrameTrace) -> str | None:
    """Tell why the second frame cannot begin before the first one has ended; None when it can."""
    if first.rule not in (FrameRule.SWAP, FrameRule.MARKER):
        return "read_back"
    passes = first["passes"], second["passes"]
    if passes[0].num_rows != passes[1].num_rows or any(
        not np.array_equal(passes[0][name], passes[1][name]) for name in _SHAPE
    ):
        return "other_passes"
    if any(_keeps_contents(trace) for trace in (first, second)):
        return "old_contents"
    if any(np.isin(trace["events"]["kind"], _COPIES).any() for trace in (first, second)):
        return "copies"
    if _samples(first, second):
        return "reads_other_frame"
    return "storage" if any(writes_storage(trace["events"]) for trace in (first, second)) else None


def _keeps_contents(trace: FrameTrace) -> bool:
    """Whether a pass looks at what its buffers held before it."""
    passes = trace["passes"]
    for index in range(passes.num_rows):
        colors = passes["color_load"][index][: int(passes["num_colors"][index])]
        if (colors == LoadOp.LOAD).any() or tests_old_contents(trace, index):
            return True
    return bool((trace["draws"]["flags"] & DrawFlags.READS_FRAMEBUFFER).any())


def _targets(trace: FrameTrace, index: int) -> set[int]:
    """Addresses that a pass writes."""
    passes = trace["passes"]
    colors = passes["color_address"][index][: int(passes["num_colors"][index])]
    return {int(address) for address in (*colors, passes["depth_address"][index])}


def _samples(first: FrameTrace, second: FrameTrace) -> bool:
    """Whether the second frame samples a target of the first one that it has not drawn itself."""
    passes, draws, bindings = second["passes"], second["draws"], second["texture_bindings"]
    rendered: set[int] = set()
    for index in range(first["passes"].num_rows):
        rendered |= _targets(first, index)
    for index in range(passes.num_rows):
        begin = int(passes["draw_first"][index])
        for draw in range(begin, begin + int(passes["draw_count"][index])):
            bound = int(draws["texture_first"][draw])
            addresses = bindings["address"][bound : bound + int(draws["texture_count"][draw])]
            if any(int(address) in rendered for address in addresses):
                return True
        rendered -= _targets(second, index)
    return False
