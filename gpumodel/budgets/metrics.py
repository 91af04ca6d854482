"""The figures that budgets limit, of a frame or of a thing in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gpumodel.compare.figures import Side

__all__ = ["METRICS", "Metric", "metric_of"]

#: Figures of a frame or thing, by name: COSTS and counters.
Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure that is made of others.

    Parameters
    ----------
    unit, meaning : for people
    of : from the figures of a frame or thing, those of its frame, and the run
    """

    unit: str
    meaning: str
    of: Callable[[Figures, Figures, Side], float]


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _shader(figures: Figures) -> float:
    return figures.get("fs.alu_instructions", 0.0) + figures.get("fs.tex_instructions", 0.0)


METRICS: Final[Mapping[str, Metric]] = {
    "ms": Metric("ms", "GPU time", lambda row, whole, side: _ratio(row["cycles"], side.clock_mhz * 1e3)),
    "cycles": Metric("cycles", "GPU time", lambda row, whole, side: row["cycles"]),
    "mj": Metric("mJ", "energy", lambda row, whole, side: row["energy_pj"] / 1e9),
    "dram_bytes": Metric("bytes", "memory traffic", lambda row, whole, side: row["dram_bytes"]),
    "share": Metric(
        "of 1", "share of the frame's time", lambda row, whole, side: _ratio(row["cycles"], whole["cycles"])
    ),
    "fragments_per_pixel": Metric(
        "fragments",
        "shaded fragments a pixel of the screen",
        lambda row, whole, side: _ratio(row.get("fragments.shaded", 0.0), side.num_pixels),
    ),
    "instructions_per_fragment": Metric(
        "instructions",
        "executed by a shaded fragment",
        lambda row, whole, side: _ratio(_shader(row), row.get("fragments.shaded", 0.0)),
    ),
    "instructions_per_vertex": Metric(
        "instructions",
        "executed by a shaded vertex",
        lambda row, whole, side: _ratio(row.get("vs.instructions", 0.0), row.get("vertices.shaded", 0.0)),
    ),
}


def metric_of(name: str, figures: Figures, whole: Figures, side: Side) -> float:
    """The value of a metric or counter.

    Parameters
    ----------
    figures : of a frame or thing
    whole : of its frame
    side : the run
    """
    known = METRICS.get(name)
    return float(figures.get(name, 0.0)) if known is None else known.of(figures, whole, side)
