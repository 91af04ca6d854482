"""Reads an experiment's bars out of what was measured: ours with its spread over variants, the paper's, their ratio."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpumodel.papers.description import MEAN, Experiment, Series

__all__ = ["Bar", "Totals", "bars_csv", "bars_of", "totals_of"]

#: Sums of figures over the measured frames of a run: by workload and variant, technique, setting.
Totals = Mapping[tuple[str, str, str, int], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a figure.

    Parameters
    ----------
    workload : alias, or ``mean``
    ours : mean over variants
    low, high : least and largest variant
    paper : what is printed; None where nothing is
    sentence : that prints it
    """

    workload: str
    series: str
    ours: float
    low: float
    high: float
    paper: float | None
    sentence: str

    @property
    def ratio(self) -> float | None:
        """Ours to the paper's."""
        return self.ours / self.paper if self.paper else None


def totals_of(
    rows: Sequence[Mapping[str, Any]], variant_of: Callable[[str], tuple[str, str]], settings: Sequence[str]
) -> Totals:
    """Sums over measured frames, of the frames' table of a study.

    Parameters
    ----------
    rows : of the table, with the trace's name in ``trace``
    variant_of : workload and variant of a trace
    settings : configurations, in the order of the study's variants
    """
    out: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for row in rows:
        if row["role"] != "measured":
            continue
        sums = out.setdefault(
            (*variant_of(row["trace"]), row["technique"], settings.index(row["config"])), {"frames": 0.0}
        )
        sums["frames"] += 1
        for name, value in row.items():
            if isinstance(value, int | float):
                sums[name] = sums.get(name, 0.0) + value
    return out


def bars_of(experiment: Experiment, totals: Totals) -> list[Bar]:
    """All bars, series by series, workloads in their order and the mean of them last."""
    out: list[Bar] = []
    for series in experiment.series:
        printed = {one.of: one for one in series.printed}
        means: dict[str, list[float]] = {}
        for workload in dict.fromkeys(key[0] for key in totals):
            values = {
                variant: value
                for alias, variant, technique, setting in totals
                if alias == workload and (technique, setting) == (series.technique, series.setting)
                and (value := _read(series, totals, (alias, variant))) is not None
            }  # fmt: skip
            if values:
                for variant, value in values.items():
                    means.setdefault(variant, []).append(value)
                out.append(_bar(series.name, workload, list(values.values()), printed))
        of_mean = [sum(values) / len(values) for values in means.values()]
        if of_mean:
            out.append(_bar(series.name, MEAN, of_mean, printed))
    return out


def _bar(series: str, workload: str, values: Sequence[float], printed: Mapping[str, Any]) -> Bar:
    paper = printed.get(workload)
    return Bar(
        workload, series, sum(values) / len(values), min(values), max(values),
        paper.value if paper else None, paper.sentence if paper else "",
    )  # fmt: skip


def _read(series: Series, totals: Totals, variant: tuple[str, str]) -> float | None:
    own = _figure(series, totals.get((*variant, series.technique, series.setting)))
    if own is None or series.reading == "value":
        return own
    # What a technique is held against has the settings of its own run only where these are its own.
    other = _figure(
        series, totals.get((*variant, series.against, series.setting)) or totals.get((*variant, series.against, 0))
    )
    if other is None or own == 0 or other == 0:
        return None
    ratio = own / other
    return {"ratio": ratio, "speed-up": 1 / ratio, "change": ratio - 1}[series.reading]


def _figure(series: Series, sums: Mapping[str, float] | None) -> float | None:
    if sums is None or series.figure not in sums:
        return None
    if not series.per:
        return sums[series.figure] / max(sums["frames"], 1)
    below = sums.get(series.per, 0.0)
    return sums[series.figure] / below if below else math.nan


def bars_csv(bars: Sequence[Bar]) -> str:
    """A line a bar."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["series", "workload", "ours", "least_variant", "largest_variant", "paper", "ours_to_paper", "printed"]
    )
    for bar in bars:
        numbers = [f"{value:.6g}" for value in (bar.ours, bar.low, bar.high)]
        paper = ["" if value is None else f"{value:.6g}" for value in (bar.paper, bar.ratio)]
        writer.writerow([bar.series, bar.workload, *numbers, *paper, bar.sentence])
    return out.getvalue()
