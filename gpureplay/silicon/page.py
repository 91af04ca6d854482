"""The one-page report of a validation: counters, times, scatter plots, findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from gpumodel.resultfile import program_version
from gpumodel.silicon import silicon_note
from gpureplay.silicon.validation import CounterRow, Validation

__all__ = ["counter_rows", "time_lines", "validation_page"]

#: Side of a scatter plot, and its margin, in the units of its drawing.
_SIDE: Final = 240
_MARGIN: Final = 14


def _number(value: float | None, form: str) -> str:
    return "-" if value is None or not math.isfinite(value) else format(value, form)


def counter_rows(validation: Validation) -> list[list[str]]:
    """A row a counter: names, relation, benchmarks that agree, median deviation, rank correlation."""
    return [
        [
            row.common.label, " + ".join(row.common.ours), row.common.relation, f"{row.num_equal}/{len(row.values)}",
            _number(row.median_error, ".2%"), _number(row.correlation, ".3f"),
        ]
        for row in validation.counters
    ]  # fmt: skip


def time_lines(validation: Validation) -> list[str]:
    """Times in a few lines: trend and absolute error apart."""
    if not validation.times:
        return ["no times"]
    clock = "at our clock" if validation.clock_scale == 1 else "normalised to the clock that the device counted"
    return [
        f"{len(validation.times)} times, {clock}",
        f"trend: rank correlation {_number(validation.time_correlation, '.3f')},"
        f" slope {_number(validation.time_slope, '.2f')}",
        f"absolute: median deviation {_number(validation.time_error, '.0%')}",
    ]


def _scatter(pairs: Sequence[tuple[str, float, float]]) -> dict[str, Any] | None:
    """Points of a plot, theirs to the right and ours upwards, both logarithmic on the same range."""
    inside = [(name, math.log10(theirs), math.log10(ours)) for name, theirs, ours in pairs if theirs > 0 and ours > 0]
    if not inside:
        return None
    values = [value for _, *both in inside for value in both]
    low, high = math.floor(min(values)), math.ceil(max(values) + 1e-9)
    scale = (_SIDE - 2 * _MARGIN) / max(high - low, 1)

    def place(value: float) -> float:
        return round(_MARGIN + (value - low) * scale, 1)

    points = [{"name": name, "x": place(x), "y": round(_SIDE - place(y), 1)} for name, x, y in inside]
    return {"points": points, "low": low, "high": max(high, low + 1), "side": _SIDE, "margin": _MARGIN}


def _pairs(row: CounterRow) -> list[tuple[str, float, float]]:
    return [(one.benchmark, one.theirs, one.ours) for one in row.values]


def validation_page(validation: Validation) -> str:
    """HTML of a validation, in one file without scripts."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((files("gpureplay.silicon") / "page.html.j2").read_text(encoding="utf-8"))
    cells = counter_rows(validation)
    times = [(one.benchmark, one.theirs_ns, one.ours_ns) for one in validation.times]
    return template.render(
        v=validation,
        counters=[(row, text, _scatter(_pairs(row))) for row, text in zip(validation.counters, cells, strict=True)],
        time_lines=time_lines(validation),
        time_plot=_scatter(times),
        program=program_version(),
        note=silicon_note([validation.preset]),
    )  # fmt: skip
