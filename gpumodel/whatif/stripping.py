"""Varyings that say nothing: the same at every vertex of a draw, or of fragments whose colours nobody keeps."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.judges import changed
from gpumodel.whatif.scene import Scene
from traceformat.gputrace.frametrace import SCHEMA, DrawFlags, FrameTrace

__all__ = ["stripped"]

Array = NDArray[Any]

#: Vertices that an emitted primitive has room for.
_CORNERS: Final = 3
#: What fragments do beside their colour.
_NEEDED: Final = DrawFlags.DISCARDS | DrawFlags.WRITES_DEPTH | DrawFlags.SIDE_EFFECTS


def stripped(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Hand on as uniforms what is the same at every vertex of a draw, and nothing where no colour is written."""
    trace, draws = scene.trace, scene.trace["draws"]
    numbers = draws["num_attributes"].copy()
    firsts = trace["emitted"]["attribute_first"].astype(np.int64)
    blocks: list[Array] = []
    written = 0
    chosen = set(scene.draws(target).tolist())
    for draw in range(draws.num_rows):
        own = _emitted(draws, draw)
        each = _CORNERS * int(numbers[draw])
        rows = firsts[own, None] + np.arange(each)
        if draw in chosen and len(rows):
            kept = _kept(trace, draw, rows.reshape(len(rows), -1, _CORNERS))
            numbers[draw] = len(kept)
            rows = rows.reshape(len(rows), -1, _CORNERS)[:, kept].reshape(len(rows), -1)
        firsts[own] = written + rows.shape[1] * np.arange(len(rows))
        blocks.append(rows.ravel())
        written += rows.size
    if (numbers == draws["num_attributes"]).all():
        return None
    dtype = SCHEMA["emitted"]["attribute_first"].dtype
    return changed(
        trace,
        {
            "draws": {**draws, "num_attributes": numbers},
            "emitted": {**trace["emitted"], "attribute_first": firsts.astype(dtype)},
            "attributes": {"value": trace["attributes"]["value"][np.concatenate(blocks)]},
        },
    )


def _kept(trace: FrameTrace, draw: int, rows: Array) -> Array:
    """Attributes that a draw cannot do without, the position first; ``rows`` are (emitted, attribute, vertex)."""
    draws = trace["draws"]
    needed = int(draws["flags"][draw]) & _NEEDED or draws["alpha_to_coverage"][draw]
    colors = trace["passes"]["num_colors"][draws["pass"][draw]] and draws["draw_buffers"][draw]
    if not needed and not (colors and draws["color_mask"][draw]):
        return np.zeros(1, np.int64)
    values = trace["attributes"]["value"][rows].view(np.uint32)
    used = np.arange(_CORNERS) < trace["emitted"]["num_vertices"][_emitted(draws, draw), None]
    differs = ((values != values[:1, :, :1]).any(axis=3) & used[:, None, :]).any(axis=(0, 2))
    differs[0] = True
    return np.flatnonzero(differs)


def _emitted(draws: Any, draw: int) -> slice:
    first = int(draws["emitted_first"][draw])
    return slice(first, first + int(draws["emitted_count"][draw]))
