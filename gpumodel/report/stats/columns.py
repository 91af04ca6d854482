"""What ``gpureplay stats`` counts, and the ratios that it makes of the counts: one table for JSON, CSV and tests.

How the columns of the thesis's Tables 3.2 and 3.3 are read follows from its own numbers: draws a frame times primitives
a draw over primitives a tile is the whole number of 32x32 tiles of a usual screen for all its games. So there is one
count of primitives, those that were assembled; "per tile" divides it by the tiles of the screen, "fragments per
primitive" divides the rasterized fragments by it, and these fragments over the pixels of the screen are the overdraw
before Early-Z. The printed overdraw is of the fragments that Early-Z lets through; the share that it kills tells the
order in which a game submits. Each column is a ratio of a frame's sums; means over frames and draws stand beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.workload import KIND_NAMES
from traceformat.gputrace.frametrace import Outcome

__all__ = [
    "COUNTS",
    "COUNT_INDEX",
    "CULLED_COUNTS",
    "FRAME_COUNTS",
    "PER_DRAW_RATIOS",
    "RATIOS",
    "Count",
    "Ratio",
    "ratios_of",
]


@dataclass(frozen=True, slots=True)
class Count:
    """A count: its name, unit and meaning."""

    name: str
    unit: str
    help: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two counts.

    Parameters
    ----------
    name : key in JSON and CSV
    title : short heading
    numerator, denominator : names of counts
    table : of the thesis that has the column or that it follows from; empty for one of our own
    per_draw : a single draw has this ratio by itself, so that a mean over draws makes sense
    """

    name: str
    title: str
    numerator: str
    denominator: str
    table: str
    per_draw: bool


#: Primitives without output, by reason.
CULLED_COUNTS: Final = {
    outcome: f"primitives.culled.{outcome.name.lower().removeprefix('culled_')}"
    for outcome in Outcome
    if outcome is not Outcome.EMITTED
}

#: Counts of a whole frame: every group of a frame has the frame's own, so that ratios of groups add up to the frame's.
FRAME_COUNTS: Final = (
    Count("frames", "frames", "frames that the counts are of"),
    Count("tiles", "tiles", "tiles of the screen, a frame"),
    Count("pixels", "pixels", "pixels of the screen, a frame"),
)

COUNTS: Final = (
    *FRAME_COUNTS,
    Count("draws", "draws", "draw calls that have vertices or not"),
    Count("instances", "instances", "instances of the draws"),
    Count("vertices.in", "vertices", "rows of the index stream"),
    Count("vertices.shaded", "vertices", "of those, not found in the post-transform buffer"),
    Count("primitives.in", "primitives", "assembled points, lines and triangles"),
    *(Count(name, "primitives", "of those, without output for this reason") for name in CULLED_COUNTS.values()),
    Count("primitives.emitted", "primitives", "of those, with output"),
    Count("primitives.pieces", "pieces", "what clipping made of the emitted ones"),
    Count("primitive_tile_pairs", "pairs", "pieces times the tiles that they are binned in"),
    Count("attributes", "attributes", "vec4 attributes (the position is one) of the emitted primitives"),
    Count("quads.rasterized", "quads", "2x2 blocks with a covered fragment"),
    Count("quads.shaded", "quads", "of those, with a fragment left after Early-Z"),
    Count("fragments.rasterized", "fragments", "covered fragments"),
    Count("fragments.early_z_killed", "fragments", "killed by depth or stencil before shading, in submission order"),
    Count("fragments.shaded", "fragments", "the others"),
    Count("fragments.discarded", "fragments", "of those shaded: discarded by the shader"),
    Count("fragments.late_z_killed", "fragments", "of those shaded: killed by a late depth or stencil test"),
    Count("fragments.written", "fragments", "of those shaded: written to the target"),
    Count("vs.instructions", "instructions", "instructions of shaded vertices, without moves"),
    *(Count(f"vs.executed.{kind}", "instructions", f"{kind} instructions of shaded vertices") for kind in KIND_NAMES),
    Count("fs.instructions", "instructions", "instructions of shaded fragments, without moves"),
    Count("fs.alu_instructions", "instructions", "of those, arithmetic (transcendental ones included)"),
    Count("fs.tex_instructions", "instructions", "of those, texture"),
    *(Count(f"fs.executed.{kind}", "instructions", f"{kind} instructions of shaded fragments") for kind in KIND_NAMES),
    Count("texels", "texels", "texels filtered for shaded fragments"),
)

#: Place of each count in a row of counts.
COUNT_INDEX: Final = {count.name: place for place, count in enumerate(COUNTS)}

RATIOS: Final = (
    Ratio("draws_per_frame", "draws / frame", "draws", "frames", "3.2", False),
    Ratio("vs_instructions_per_vertex", "VS insns / vertex", "vs.instructions", "vertices.shaded", "3.2", True),
    Ratio("primitives_per_draw", "primitives / draw", "primitives.in", "draws", "3.2", True),
    Ratio("primitives_per_tile", "primitives / tile", "primitives.in", "tiles", "3.2", False),
    Ratio("fragments_per_primitive", "fragments / primitive", "fragments.rasterized", "primitives.in", "3.3", True),
    Ratio("attributes_per_primitive", "attributes / primitive", "attributes", "primitives.emitted", "3.3", True),
    Ratio("fs_instructions_per_fragment", "FS insns / fragment", "fs.instructions", "fragments.shaded", "3.3", True),
    Ratio("alu_per_tex_instruction", "ALU / TEX insns", "fs.alu_instructions", "fs.tex_instructions", "3.3", True),
    Ratio("texels_per_fragment", "texels / fragment", "texels", "fragments.shaded", "3.3", True),
    Ratio("overdraw_before_early_z", "overdraw before Early-Z", "fragments.rasterized", "pixels", "3.3", False),
    Ratio("overdraw_after_early_z", "overdraw after Early-Z", "fragments.shaded", "pixels", "3.3", False),
    Ratio("early_z_killed_share", "killed by Early-Z", "fragments.early_z_killed", "fragments.rasterized", "3.3", True),
    Ratio("tiles_per_primitive", "tiles / primitive", "primitive_tile_pairs", "primitives.emitted", "", True),
)

#: Which ratios a draw has by itself, (R,) bool.
PER_DRAW_RATIOS: Final = np.array([ratio.per_draw for ratio in RATIOS])
_NUMERATORS: Final = np.array([COUNT_INDEX[ratio.numerator] for ratio in RATIOS])
_DENOMINATORS: Final = np.array([COUNT_INDEX[ratio.denominator] for ratio in RATIOS])


def ratios_of(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Ratios of rows of counts.

    Parameters
    ----------
    counts : (..., C) int64, in the order of COUNTS

    Returns
    -------
    (..., R) float64, in the order of RATIOS; NaN where the denominator is 0
    """
    numerator = counts[..., _NUMERATORS].astype(np.float64)
    denominator = counts[..., _DENOMINATORS].astype(np.float64)
    out = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
