"""What a replay knows of a frame that its cost depends on, without a model: a row of numbers a frame."""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import ColumnSet, FrameTrace, InstructionKind, Outcome

__all__ = ["FEATURES", "FEATURE_COLUMNS", "FeatureCounter"]

#: Columns that features are counted from.
FEATURE_COLUMNS: Final = ColumnSet(
    (
        "passes.width", "passes.height", "passes.transfer_read_bytes", "passes.transfer_write_bytes",
        "draws.num_attributes", "draws.quad_count", "paths.issued", "vertices.path", "primitives.outcome",
        "emitted.draw", "emitted.bounds", "quads.x", "quads.y", "quads.coverage", "quads.path", "tex_ops.texels",
        "texture_lines.line",
    )
)  # fmt: skip

#: Names of what is counted, in the order of a row.
FEATURES: Final = (
    "draws", "vertices", "vertex_instructions", "primitives", "emitted", "attributes", "tile_pairs", "pixels",
    "quads", "fragments", "fragment_instructions", "texels", "texture_lines", "transfer_bytes", "distinct_lines",
    "first_instructions", "changed_tiles", "changed_instructions", "other_tiles", "other_instructions",
)  # fmt: skip
_ONES: Final = np.array([bin(mask).count("1") for mask in range(16)], np.int64)


class FeatureCounter:
    """Counts the frames of a film, one after the other: what changed is against frames before.

    Parameters
    ----------
    tile_size : width and height of a tile, pixels
    frame_buffers : frames back to the picture that a frame is rendered over
    """

    def __init__(self, tile_size: tuple[int, int], frame_buffers: int) -> None:
        self._width, self._height = tile_size
        self._pictures: deque[NDArray[np.uint8] | None] = deque([None] * max(frame_buffers, 1), max(frame_buffers, 1))

    def count(self, trace: FrameTrace) -> NDArray[np.float64]:
        """Count the next frame.

        Returns
        -------
        (len(FEATURES),) float64
        """
        issued = trace["paths"]["issued"].astype(np.int64)
        work = issued.sum(axis=1) - issued[:, InstructionKind.MOVE] if len(issued) else np.zeros(0, np.int64)
        quads, lines, passes, draws = trace["quads"], trace["texture_lines"]["line"], trace["passes"], trace["draws"]
        emitted = trace["emitted"]
        instructions = work[quads["path"]]
        transferred = passes["transfer_read_bytes"] + passes["transfer_write_bytes"]
        counts = {
            "draws": draws.num_rows,
            "vertices": trace["vertices"].num_rows,
            "vertex_instructions": work[trace["vertices"]["path"]].sum(),
            "primitives": trace["primitives"].num_rows,
            "emitted": np.count_nonzero(trace["primitives"]["outcome"] == Outcome.EMITTED),
            "attributes": draws["num_attributes"].astype(np.int64)[emitted["draw"]].sum(),
            "tile_pairs": self._tile_pairs(emitted["bounds"]),
            "pixels": (passes["width"].astype(np.int64) * passes["height"]).sum(),
            "quads": quads.num_rows,
            "fragments": _ONES[quads["coverage"] & 15].sum(),
            "fragment_instructions": instructions.sum(),
            "texels": trace["tex_ops"]["texels"].sum(dtype=np.int64),
            "texture_lines": len(lines),
            "transfer_bytes": transferred.sum(),
            "distinct_lines": len(np.unique(lines)),
            **self._changes(trace, instructions),
        }
        return np.array([counts[name] for name in FEATURES], np.float64)

    def _tile_pairs(self, bounds: NDArray[np.int16]) -> int:
        """Pairs of a piece and a tile that its bounds touch."""
        x0, y0, x1, y1 = bounds.astype(np.int64).T if len(bounds) else np.zeros((4, 0), np.int64)
        across = x1 // self._width - x0 // self._width + 1
        down = y1 // self._height - y0 // self._height + 1
        return int((across * down)[(x1 >= x0) & (y1 >= y0)].sum())

    def _changes(self, trace: FrameTrace, instructions: NDArray[np.int64]) -> dict[str, float]:
        """Tiles, and instructions in the last pass's tiles, whose picture is another one than before."""
        quads = trace["quads"]
        now = trace.picture
        across = -(-trace.width // self._width)
        num_tiles = across * -(-trace.height // self._height)
        x, y = 2 * quads["x"].astype(np.int64), 2 * quads["y"].astype(np.int64)
        inside = (x < trace.width) & (y < trace.height)
        tile = (y // self._height * across + x // self._width)[inside]
        by_tile = np.bincount(tile, weights=instructions[inside], minlength=num_tiles)
        # The first quad of a pixel is shaded whatever is drawn over it.
        _, first = np.unique((y << 16 | x)[inside], return_index=True)
        found = {"first_instructions": float(instructions[inside][first].sum())}
        for name, before in (("changed", self._pictures[0]), ("other", self._pictures[-1])):
            differs = np.ones(num_tiles, bool)
            if now is not None and before is not None and now.shape == before.shape:
                at_y, at_x = np.nonzero((now != before).any(axis=2))
                differs = np.bincount(
                    at_y // self._height * across + at_x // self._width, minlength=num_tiles
                ).astype(bool)  # fmt: skip
            found |= {f"{name}_tiles": float(differs.sum()), f"{name}_instructions": float(by_tile[differs].sum())}
        self._pictures.append(now)
        return found
