"""Reads an experiment's bars out of what was measured: ours with its spread, the paper's, their ratio."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

import numpy as np

from gpumodel.papers.description import MEAN, Experiment, Series

__all__ = ["Bar", "Ran", "Totals", "bars_csv", "bars_of", "headlines", "headlines_csv", "totals_of"]

#: The interval of a mean: of so many means over workloads drawn again, what lies between these shares.
_DRAWS: Final = 2000
_SHARES: Final = (0.025, 0.975)
#: A headline that is farther off needs a cause.
_NEAR: Final = 0.15

#: Sums of figures over the measured frames of a run: by workload and variant, technique, setting.
Totals = Mapping[tuple[str, str, str, int], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a figure.

    Parameters
    ----------
    workload : alias, or ``mean``
    ours : mean over variants; of the mean, over workloads of these
    low, high : least and largest variant; of the mean, the ends of its interval of 95 % over workloads and variants
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

    @property
    def is_near(self) -> bool:
        """Whether ours is within 15 % of the paper's; where nothing is printed there is nothing to be far from."""
        return self.ratio is None or abs(self.ratio - 1) <= _NEAR


@dataclass(frozen=True, slots=True)
class Ran:
    """An experiment that was run.

    Parameters
    ----------
    bars : what was found; none where it failed
    missing : workloads of the paper without a twin
    traces : hashes of what ran, by name
    failures : runs without a record
    """

    experiment: Experiment
    bars: Sequence[Bar]
    missing: Sequence[str] = ()
    traces: Mapping[str, str] = field(default_factory=dict)
    failures: Sequence[str] = ()


def headlines(done: Sequence[Ran]) -> list[tuple[Experiment, Bar]]:
    """Means that a paper prints, in the order of the experiments."""
    return [(ran.experiment, bar) for ran in done for bar in ran.bars if bar.workload == MEAN and bar.paper is not None]


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
        found: list[list[float]] = []
        for workload in dict.fromkeys(key[0] for key in totals):
            values = [
                value
                for alias, variant, technique, setting in totals
                if alias == workload and (technique, setting) == (series.technique, series.setting)
                and (value := _read(series, totals, (alias, variant))) is not None
            ]  # fmt: skip
            if values:
                found.append(values)
                out.append(_bar(series.name, workload, _mean(values), (min(values), max(values)), printed))
        if found:
            mean = _mean([_mean(values) for values in found])
            out.append(_bar(series.name, MEAN, mean, _interval(found), printed))
    return out


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _interval(found: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Interval of the mean over workloads by the bootstrap: these are drawn again, and a variant of each."""
    random = np.random.default_rng(len(found))
    most = max(map(len, found))
    table = np.array([[values[k % len(values)] for k in range(most)] for values in found])
    rows = random.integers(len(found), size=(_DRAWS, len(found)))
    means = table[rows, random.integers(most, size=rows.shape)].mean(axis=1)
    low, high = np.quantile(means, _SHARES)
    return float(low), float(high)


def _bar(series: str, workload: str, ours: float, spread: tuple[float, float], printed: Mapping[str, Any]) -> Bar:
    paper = printed.get(workload)
    return Bar(workload, series, ours, *spread, paper.value if paper else None, paper.sentence if paper else "")


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
    above = None if sums is None else _sum_of(series.figure, sums)
    if sums is None or above is None:
        return None
    if not series.per:
        return above / max(sums["frames"], 1)
    below = _sum_of(series.per, sums)
    return above / below if below else math.nan


def _sum_of(figure: str, sums: Mapping[str, float]) -> float | None:
    """A figure, or the sum of those that it names; None where there is none."""
    if figure in sums:
        return sums[figure]
    patterns = figure.split(" + ")
    found = [value for name, value in sums.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]
    return sum(found) if found else None


def bars_csv(bars: Sequence[Bar]) -> str:
    """A line a bar."""
    names = ["series", "workload", "ours", "low", "high", "paper", "ours_to_paper", "printed"]
    return _csv(names, [[bar.series, bar.workload, *_figures(bar), bar.sentence] for bar in bars])


def headlines_csv(done: Sequence[Ran]) -> str:
    """A line a mean that a paper prints."""
    names = ["experiment", "title", "series", "ours", "low", "high", "paper", "ours_to_paper", "near"]
    rows = [[one.id, one.title, bar.series, *_figures(bar), int(bar.is_near)] for one, bar in headlines(done)]
    return _csv(names, rows)


def _figures(bar: Bar) -> list[str]:
    return ["" if value is None else f"{value:.6g}" for value in (bar.ours, bar.low, bar.high, bar.paper, bar.ratio)]


def _csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()
