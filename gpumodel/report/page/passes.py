"""The render passes of a frame: what each draws into, and what is loaded into it and stored from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from traceformat.gles.enum_names import enum_name
from traceformat.gputrace.frametrace import LoadOp, StoreOp

if TYPE_CHECKING:
    from gpumodel.attribution.table import Attribution
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["MAX_PASSES", "pass_rows"]

#: Passes of a frame that a page shows.
MAX_PASSES: Final = 32


def pass_rows(frame: FrameTrace, costs: Attribution, milliseconds: float) -> list[dict[str, Any]]:
    """Rows of the first MAX_PASSES passes.

    Parameters
    ----------
    milliseconds : a cycle
    """
    passes, draws = frame["passes"], costs.num_draws
    cycles = costs.cycles
    out = []
    for index in range(min(passes.num_rows, MAX_PASSES)):
        own = costs.passes == index
        first, count = int(passes["read_first"][index]), int(passes["read_count"][index])
        shared = {
            costs.shared[row]: cycles[row] * milliseconds
            for row in range(draws, costs.num_rows)
            if own[row] and cycles[row]
        }
        out.append(
            {
                "target": f"framebuffer {number}" if (number := int(passes["framebuffer"][index])) else "default",
                "width": int(passes["width"][index]),
                "height": int(passes["height"][index]),
                "samples": int(passes["samples"][index]),
                "draws": int(passes["draw_count"][index]),
                "ms": float(cycles[:draws][own[:draws]].sum()) * milliseconds,
                "shared_ms": shared,
                "attachments": _attachments(frame, index),
                "reads": sorted({int(earlier) for earlier in frame["pass_reads"]["pass"][first : first + count]}),
                "transfer_bytes": int(passes["transfer_read_bytes"][index] + passes["transfer_write_bytes"][index]),
            }
        )
    return out


def _attachments(frame: FrameTrace, index: int) -> list[dict[str, Any]]:
    """Colour attachments, depth and stencil with what a pass does at its begin and end."""
    passes = frame["passes"]
    pixels = int(passes["width"][index]) * int(passes["height"][index]) * int(passes["samples"][index])
    rows = [
        (f"colour {k}", passes["color_format"][index][k], passes["color_bytes"][index][k],
         passes["color_load"][index][k], passes["color_store"][index][k])
        for k in range(int(passes["num_colors"][index]))
        if passes["color_format"][index][k]
    ]  # fmt: skip
    if passes["depth_format"][index]:
        rows.append(
            ("depth", passes["depth_format"][index], passes["depth_bytes"][index], passes["depth_load"][index],
             passes["depth_store"][index])
        )  # fmt: skip
    if passes["stencil_bits"][index]:
        rows.append(("stencil", 0, 0, passes["stencil_load"][index], passes["stencil_store"][index]))
    return [
        {
            "name": name,
            "format": (enum_name(int(kind)) or hex(int(kind))).removeprefix("GL_") if kind else "",
            "bytes": pixels * int(size),
            "load": LoadOp(int(load)).name.lower().replace("_", " "),
            "store": StoreOp(int(store)).name.lower().replace("_", " "),
        }
        for name, kind, size, load, store in rows
    ]
