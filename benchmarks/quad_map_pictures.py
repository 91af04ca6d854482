"""Draws the quad maps of thesis §6.3 as one SVG: the colours of its lost Figure 6.3 stand for Texture Caches.

python benchmarks/quad_map_pictures.py docs/quad_maps.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from gpumodel import load_config
from gpumodel.quad_maps import MAPPINGS, quad_map

#: Caches 0 to 3: red, green, blue and gray (§6.3).
COLORS = ("#d9534f", "#5cae5c", "#4a7fc1", "#9a9a9a")
QUAD = 6
SIDE = 16
GAP = 2
COLUMNS = 4


def tile(rows: np.ndarray, left: int, top: int) -> str:
    """One tile: runs of quads of one cache as rectangles, a path a colour."""
    paths = [""] * len(COLORS)
    for y, row in enumerate(rows):
        ends = [*np.flatnonzero(np.diff(row)) + 1, len(row)]
        x = 0
        for end in ends:
            paths[row[x]] += f"M{left + QUAD * x} {top + QUAD * y}h{QUAD * (end - x)}v{QUAD}h{-QUAD * (end - x)}z"
            x = end
    return "".join(f'<path d="{path}" fill="{color}"/>' for path, color in zip(paths, COLORS, strict=True) if path)


def picture() -> str:
    """All maps, two tiles each, four of the first."""
    cell = 2 * (QUAD * SIDE + GAP) + 22
    height = QUAD * SIDE + 30
    parts: list[str] = []
    column = line = 0
    for name in MAPPINGS:
        maps = quad_map(load_config("tbr-fhd", [f"fragment.quad_map={name!r}"])).reshape(-1, SIDE, SIDE)
        wide = len(maps) // 2
        if column + wide > COLUMNS:
            column, line = 0, line + 1
        left, top = 10 + column * cell, 24 + line * height
        parts.append(f'<text x="{left}" y="{top - 5}">{name}</text>')
        parts += [tile(rows, left + k * (QUAD * SIDE + GAP), top) for k, rows in enumerate(maps)]
        column += wide
    width, total = 10 + COLUMNS * cell, 10 + (line + 1) * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{total}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture())
