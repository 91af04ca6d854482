"""Changes of frames: each gives the frame as the changed program would have drawn it, or None where it changes nothing.

What a FrameTrace says does not depend on a GPU, so the changed frame runs through any machine like another one. Where
textures or sizes change, the trace is replayed instead (:mod:`replay.rewriting`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.judges import absent, changed, hollow, rearranged
from gpumodel.whatif.joining import joined
from gpumodel.whatif.merging import merged
from gpumodel.whatif.needs import depth_is_read
from gpumodel.whatif.reindexing import reindexed
from gpumodel.whatif.scene import Scene
from gpumodel.whatif.stripping import stripped
from traceformat.errors import UsageError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace, InstructionKind, LoadOp, StoreOp

__all__ = [
    "clear_not_load",
    "front_to_back",
    "hollowed",
    "invalidate_depth",
    "joined",
    "merged",
    "no_discard",
    "opaque",
    "reindexed",
    "shader_length",
    "stripped",
    "without",
]

Array = NDArray[Any]

_NEARER: Final = (gl.GL_LESS, gl.GL_LEQUAL)
_FARTHER: Final = (gl.GL_GREATER, gl.GL_GEQUAL)
#: Instructions of a kind that a path has room for.
_MOST: Final = (1 << 32) - 1
_UNSORTABLE: Final = (
    DrawFlags.WRITES_DEPTH | DrawFlags.READS_FRAMEBUFFER | DrawFlags.SIDE_EFFECTS | DrawFlags.VERTEX_EFFECTS
)


def without(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Leave draws out."""
    draws = scene.draws(target)
    return absent(scene.trace, draws.tolist()) if len(draws) else None


def hollowed(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Shade and sample for nothing."""
    draws = scene.draws(target)
    return hollow(scene.trace, draws.tolist()) if len(draws) else None


def opaque(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Draw without blending, and write the depth that is tested."""
    trace, table = scene.trace, dict(scene.trace["draws"])
    draws = scene.draws(target)
    draws = draws[table["blend"][draws] != 0]
    if not len(draws):
        return None
    for name in ("blend", "depth_write", "output_blend"):
        if name in table:
            table[name] = table[name].copy()
    table["blend"][draws] = 0
    table["depth_write"][draws] = table["depth_test"][draws]
    if "output_blend" in table:
        table["output_blend"][draws, :, 0] = 0
    return changed(trace, {"draws": table})


def no_discard(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Keep the fragments that the shader discards, so that their depth is known before it runs."""
    trace, table = scene.trace, dict(scene.trace["draws"])
    draws = scene.draws(target)
    discards = (table["flags"][draws] & DrawFlags.DISCARDS != 0) | (table["alpha_to_coverage"][draws] != 0)
    draws = draws[discards]
    if not len(draws):
        return None
    for name in ("flags", "alpha_to_coverage"):
        table[name] = table[name].copy()
    table["flags"][draws] &= ~np.uint32(DrawFlags.DISCARDS)
    table["alpha_to_coverage"][draws] = 0
    quads = dict(trace["quads"])
    own = np.isin(trace["emitted"]["draw"][quads["emitted"]], draws)
    quads["survives"] = np.where(own, quads["coverage"], quads["survives"])
    return changed(trace, {"draws": table, "quads": quads})


def clear_not_load(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Begin passes with a clear of what they load."""
    table = dict(scene.trace["passes"])
    chosen = np.isin(np.arange(scene.trace["passes"].num_rows), scene.passes(target))
    found = False
    for name in ("color_load", "depth_load", "stencil_load"):
        loads = (table[name] == LoadOp.LOAD) & (chosen if table[name].ndim == 1 else chosen[:, None])
        found |= bool(loads.any())
        table[name] = np.where(loads, LoadOp.CLEAR, table[name]).astype(table[name].dtype)
    return changed(scene.trace, {"passes": table}) if found else None


def invalidate_depth(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Do not store depth and stencil at the end of passes, where nobody reads them."""
    table = dict(scene.trace["passes"])
    chosen = np.isin(np.arange(scene.trace["passes"].num_rows), scene.passes(target)) & ~depth_is_read(scene.trace)
    found = False
    for name in ("depth_store", "stencil_store"):
        stores = chosen & (table[name] == StoreOp.STORE)
        found |= bool(stores.any())
        table[name] = np.where(stores, StoreOp.DONT_CARE, table[name]).astype(table[name].dtype)
    return changed(scene.trace, {"passes": table}) if found else None


def front_to_back(scene: Scene, target: str, value: str) -> FrameTrace | None:
    """Sort opaque draws of passes by their mean depth, as far as no other draw or event stands between them."""
    if value != "front-to-back":
        raise UsageError(f"no order is called '{value}'", hint="front-to-back")
    trace, draws = scene.trace, scene.trace["draws"]
    depth, far = _mean_depths(trace), np.isin(draws["depth_func"], _FARTHER)
    sortable = (draws["depth_test"] != 0) & (draws["depth_write"] != 0) & (draws["blend"] == 0)
    sortable &= (draws["stencil_test"] == 0) & (draws["flags"] & _UNSORTABLE == 0) & (draws["query_active"] == 0)
    sortable &= far | np.isin(draws["depth_func"], _NEARER)
    order = np.arange(draws.num_rows)
    for index in scene.passes(target):
        for run in _runs(trace, index, sortable, far):
            key = -depth[run] if far[run[0]] else depth[run]
            order[run] = run[np.argsort(key, kind="stable")]
    return rearranged(trace, order) if (order != np.arange(len(order))).any() else None


def _mean_depths(trace: FrameTrace) -> Array:
    """Mean depth of the fragments of each draw, in its target's format, (D,); 0 of a draw without any."""
    quads = trace["quads"]
    count = trace["draws"].num_rows
    draw = trace["emitted"]["draw"][quads["emitted"]]
    covered = quads["coverage"][:, None] >> np.arange(4, dtype=np.uint8) & 1
    total = np.bincount(draw, (quads["depth"] * covered).sum(axis=1, dtype=np.float64), minlength=count)
    return total / np.maximum(np.bincount(draw, covered.sum(axis=1), minlength=count), 1)


def _runs(trace: FrameTrace, index: int, sortable: Array, far: Array) -> list[Array]:
    """Draws of a pass that may change places: consecutive ones, with nothing else between them."""
    events, passes = trace["events"], trace["passes"]
    first = int(passes["event_first"][index])
    runs: list[list[int]] = [[]]
    for row in range(first, first + int(passes["event_count"][index])):
        draw = int(events["draw"][row])
        if int(events["kind"][row]) != EventKind.DRAW or draw < 0 or not sortable[draw]:
            runs.append([])
            continue
        if runs[-1] and far[runs[-1][0]] != far[draw]:
            runs.append([])
        runs[-1].append(draw)
    return [np.array(run, np.int64) for run in runs if len(run) > 1]


def shader_length(scene: Scene, target: str, value: str) -> FrameTrace | None:
    """Fragment shader of ``value`` instructions a fragment, where it has others: as many of each kind fewer or more.

    Texture look-ups become fewer in the same proportion, the first ones stay; there are never more.
    """
    wanted = _number(value, "instructions")
    trace, paths, quads = scene.trace, scene.trace["paths"], dict(scene.trace["quads"])
    draws = scene.draws(f"program {target.removeprefix('program ')}")
    own = np.isin(trace["emitted"]["draw"][quads["emitted"]], draws)
    path = quads["path"].astype(np.int64)
    lengths = paths["issued"].sum(axis=1, dtype=np.int64) - paths["issued"][:, InstructionKind.MOVE]
    total = lengths[path[own]].sum()
    if not total:
        return None
    factor = wanted * int(own.sum()) / total
    used = np.unique(path[own])
    copies = np.zeros(paths.num_rows, np.int64)
    copies[used] = paths.num_rows + np.arange(len(used))
    table = {name: np.concatenate([column, column[used]]) for name, column in paths.items()}
    for name in ("issued", "executed"):
        scaled = np.rint(table[name][paths.num_rows :] * factor)
        scaled[:, InstructionKind.TEXTURE] = np.rint(
            table[name][paths.num_rows :, InstructionKind.TEXTURE] * min(factor, 1.0)
        )
        table[name][paths.num_rows :] = np.minimum(scaled, _MOST)
    # Which blocks a shorter shader would go through nobody knows.
    table["step_count"][paths.num_rows :] = 0
    quads["path"] = np.where(own, copies[path], path).astype(quads["path"].dtype)
    textures = np.rint(quads["tex_count"] * min(factor, 1.0))
    quads["tex_count"] = np.where(own, textures, quads["tex_count"]).astype(quads["tex_count"].dtype)
    return changed(trace, {"paths": table, "quads": quads})


def _number(text: str, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1 << 30:
        raise UsageError(f"'{text}' is no number of {what}", hint="e.g. 40")
    return number
