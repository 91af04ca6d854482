"""Reads an experiment's bars out of what was measured: ours with its spread, the paper's, their ratio."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final

import numpy as np

from gpumodel.papers.description import MEAN, Experiment, Series
from gpumodel.papers.intervals import Floats, interval, mean_of

__all__ = ["Bar", "Measured", "Ran", "bars_csv", "bars_of", "frames_of", "headlines", "headlines_csv"]

#: A headline that is farther off needs a cause.
_NEAR: Final = 0.15

#: Figures of the measured frames of a run: by workload and variant, technique, setting.
Measured = Mapping[tuple[str, str, str, int], Sequence[Mapping[str, float]]]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a figure.

    Parameters
    ----------
    workload : alias, or ``mean``
    ours : mean over variants; of the mean, over workloads of these, in the kind of mean that the paper takes
    low, high : least and largest variant; of the mean, the ends of its interval of 95 % over workloads and frames
    paper : what is printed; None where nothing is
    sentence : that prints it
    geometric : of the mean of ratios: the geometric one
    """

    workload: str
    series: str
    ours: float
    low: float
    high: float
    paper: float | None
    sentence: str
    geometric: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours to the paper's."""
        return self.ours / self.paper if self.paper else None

    @property
    def is_near(self) -> bool:
        """Whether ours is within 15 % of the paper's; where nothing is printed there is nothing to be far from."""
        return self.paper is None or abs(self.ours - self.paper) <= _NEAR * abs(self.paper)


@dataclass(frozen=True, slots=True)
class Ran:
    """An experiment that was run.

    Parameters
    ----------
    bars : what was found; none where it failed
    missing : workloads of the paper without a twin
    traces : hashes of what ran, by name
    variants : what it ran on: twins, each with the letter of a variant
    num_frames : of each of them that count
    failures : runs without a record
    """

    experiment: Experiment
    bars: Sequence[Bar]
    missing: Sequence[str] = ()
    traces: Mapping[str, str] = field(default_factory=dict)
    failures: Sequence[str] = ()
    variants: Sequence[tuple[str, str]] = ()
    num_frames: int = 0


def headlines(done: Sequence[Ran]) -> list[tuple[Experiment, Bar]]:
    """Means that a paper prints, in the order of the experiments."""
    return [(ran.experiment, bar) for ran in done for bar in ran.bars if bar.workload == MEAN and bar.paper is not None]


def frames_of(
    rows: Sequence[Mapping[str, Any]], variant_of: Callable[[str], tuple[str, str]], settings: Sequence[str]
) -> Measured:
    """Figures of the measured frames, of the frames' table of a study.

    Parameters
    ----------
    rows : of the table, with the trace's name in ``trace``
    variant_of : workload and variant of a trace
    settings : configurations, in the order of the study's variants
    """
    out: dict[tuple[str, str, str, int], list[dict[str, float]]] = {}
    for row in rows:
        if row["role"] != "measured":
            continue
        figures = {name: float(value) for name, value in row.items() if isinstance(value, int | float)}
        key = (*variant_of(row["trace"]), row["technique"], settings.index(row["config"]))
        out.setdefault(key, []).append(figures)
    return out


def bars_of(experiment: Experiment, measured: Measured) -> list[Bar]:
    """All bars, series by series, workloads in their order and the mean of them last."""
    out: list[Bar] = []
    for series in experiment.series:
        printed = {one.of: one for one in series.printed}
        read = _READINGS[series.reading]
        found: list[list[Floats]] = []
        means: list[float] = []
        for workload in dict.fromkeys(key[0] for key in measured):
            parts = [
                own
                for alias, variant, technique, setting in measured
                if alias == workload and (technique, setting) == (series.technique, series.setting)
                and (own := _parts(series, measured, (alias, variant))) is not None
            ]  # fmt: skip
            if parts:
                values = [float(read(own.sum(axis=0))) for own in parts]
                found.append(parts)
                means.append(sum(values) / len(values))
                out.append(_bar(series.name, workload, means[-1], (min(values), max(values)), printed))
        if found:
            own_mean = float(mean_of(means, series.mean))
            spread = interval(found, read, series.mean)
            bar = _bar(series.name, MEAN, own_mean, (spread.low, spread.high), printed)
            out.append(replace(bar, geometric=_geometric(series, means)))
    return out


def _geometric(series: Series, means: Sequence[float]) -> float | None:
    """Geometric mean over workloads, where they are ratios."""
    if series.reading in ("value", "difference"):
        return None
    offset = 1.0 if series.reading == "change" else 0.0
    return float(mean_of([offset + value for value in means], "geometric")) - offset


def _bar(series: str, workload: str, ours: float, spread: tuple[float, float], printed: Mapping[str, Any]) -> Bar:
    paper = printed.get(workload)
    return Bar(workload, series, ours, *spread, paper.value if paper else None, paper.sentence if paper else "")


def _parts(series: Series, measured: Measured, variant: tuple[str, str]) -> Floats | None:
    """Figures of the frames of one variant, from whose totals the value is read: (frames, 2 or 4)."""
    own = _figures_of(series, measured.get((*variant, series.technique, series.setting)))
    if own is None or series.reading == "value":
        return own
    # What a technique is held against has the settings of its own run only where these are its own.
    other = _figures_of(
        series, measured.get((*variant, series.against, series.setting)) or measured.get((*variant, series.against, 0))
    )
    if other is None:
        return None
    if series.reading != "difference" and not (own[:, 0].sum() and other[:, 0].sum()):
        return None
    return np.hstack([own, other])


def _value(totals: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals[..., 1] != 0, totals[..., 0] / totals[..., 1], np.nan)


def _ratio(totals: Floats) -> Floats:
    return _value(totals[..., :2]) / _value(totals[..., 2:])


_READINGS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "value": _value,
    "ratio": _ratio,
    "speed-up": lambda totals: 1 / _ratio(totals),
    "change": lambda totals: _ratio(totals) - 1,
    "difference": lambda totals: _value(totals[..., :2]) - _value(totals[..., 2:]),
}


def _figures_of(series: Series, frames: Sequence[Mapping[str, float]] | None) -> Floats | None:
    """A figure of each frame, and what divides it: (frames, 2)."""
    if not frames:
        return None
    above = [_sum_of(series.figure, frame) for frame in frames]
    below = [_sum_of(series.per, frame) if series.per else 1.0 for frame in frames]
    if any(value is None for value in above):
        return None
    return np.array([above, [value or 0.0 for value in below]], np.float64).T


def _sum_of(figure: str, frame: Mapping[str, float]) -> float | None:
    """A figure of a frame, or the sum of those that it names; None where there is none."""
    if figure in frame:
        return frame[figure]
    patterns = figure.split(" + ")
    found = [value for name, value in frame.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]
    return sum(found) if found else None


def bars_csv(bars: Sequence[Bar]) -> str:
    """A line a bar."""
    names = ["series", "workload", "ours", "low", "high", "paper", "ours_to_paper", "geometric", "printed"]
    return _csv(names, [[bar.series, bar.workload, *_figures(bar), bar.sentence] for bar in bars])


def headlines_csv(done: Sequence[Ran]) -> str:
    """A line a mean that a paper prints."""
    names = ["experiment", "title", "series", "ours", "low", "high", "paper", "ours_to_paper", "geometric", "near"]
    rows = [[one.id, one.title, bar.series, *_figures(bar), int(bar.is_near)] for one, bar in headlines(done)]
    return _csv(names, rows)


def _figures(bar: Bar) -> list[str]:
    values = (bar.ours, bar.low, bar.high, bar.paper, bar.ratio, bar.geometric)
    return ["" if value is None else f"{value:.6g}" for value in values]


def _csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()
