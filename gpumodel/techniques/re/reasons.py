"""When the driver switches Rendering Elimination off for a frame, and why.

Source: RE §III-E (shader and texture loads, several render targets, periodic refresh); the others follow from what a
tile's message leaves out: what is in the target before, and what is copied into it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.signing.contents import tests_old_contents
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace, LoadOp, StoreOp

__all__ = ["REASONS", "reasons_to_render", "screen_pass"]

#: Reason -> meaning, in the order in which they are looked for.
REASONS: Final = {
    "resized": "the screen has another size than in the frame before",
    "reloaded": "a shader or texture was loaded (RE §III-E); this frame and those whose sets it makes invalid",
    "off_screen_pass": "the frame draws into a texture or renderbuffer, or into the screen in several passes",
    "several_draw_buffers": "several colour attachments",
    "loaded_contents": "the pass starts from old colours, depth or stencil",
    "copied_contents": "a blit or copy reads or writes the pass's targets",
    "reads_framebuffer": "a shader reads the frame buffer",
    "side_effects": "an occlusion query counts fragments, or a shader writes memory",
    "not_stored": "the colours are invalidated: the frame buffer does not keep them",
    "parameter_overflow": "the Parameter Buffer is full: the pass is cut in parts",
    "refresh": "periodic refresh",
    "no_signatures": "no valid signatures of the frame that used the same buffer",
}
_COPIES: Final = (EventKind.BLIT, EventKind.RESOLVE, EventKind.COPY)


def screen_pass(trace: FrameTrace) -> int | None:
    """The one pass of a frame, where that is into the screen; else None."""
    passes = trace["passes"]
    return 0 if passes.num_rows == 1 and passes["framebuffer"][0] == 0 else None


def reasons_to_render(trace: FrameTrace, index: int | None) -> list[str]:
    """Reasons of the frame itself; those that depend on earlier frames come from the sets.

    Parameters
    ----------
    index : what :func:`screen_pass` says
    """
    passes, events, draws = trace["passes"], trace["events"], trace["draws"]
    found: list[str] = []
    flags = int(np.bitwise_or.reduce(draws["flags"])) if draws.num_rows else 0
    if flags & DrawFlags.RELOADED:
        found.append("reloaded")
    if index is None:
        found.append("off_screen_pass")
        return found
    if passes["num_colors"][index] != 1:
        found.append("several_draw_buffers")
    first = int(passes["event_first"][index])
    kinds = events["kind"][first : first + int(passes["event_count"][index])]
    loads = [
        int(passes["color_load"][index, 0]),
        int(passes["depth_load"][index]) if passes["depth_format"][index] else LoadOp.CLEAR,
        int(passes["stencil_load"][index]) if passes["stencil_bits"][index] else LoadOp.CLEAR,
    ]
    if loads[0] != LoadOp.CLEAR or LoadOp.LOAD in loads[1:] or tests_old_contents(trace, index):
        found.append("loaded_contents")
    if np.isin(kinds, _COPIES).any():
        found.append("copied_contents")
    if flags & DrawFlags.READS_FRAMEBUFFER:
        found.append("reads_framebuffer")
    if flags & DrawFlags.SIDE_EFFECTS or draws["query_active"].any():
        found.append("side_effects")
    if passes["color_store"][index, 0] != StoreOp.STORE:
        found.append("not_stored")
    return found
