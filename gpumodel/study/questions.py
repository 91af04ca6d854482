"""The usual questions to a study's catalogue: which technique is how much faster, what is best for an area, what costs
least time and energy.

A figure of a configuration is a geometric mean over traces, so that no trace counts more than another; only traces that
every configuration has run count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpumodel.techniques.registry import BASELINE

__all__ = ["QUESTIONS", "Answer", "Question", "answer"]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Point:
    """A configuration with techniques.

    Parameters
    ----------
    names : what tells it from others: GPU, settings, memory, technique
    ms, mj : time and energy of a frame, geometric means over traces
    speed_up, energy_ratio : to the baseline of its configuration
    """

    names: dict[str, Any]
    technique: str
    area_mm2: float
    ms: float
    mj: float
    speed_up: float
    energy_ratio: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A table.

    Parameters
    ----------
    rows : in the order in which they answer
    left_out : traces that some configuration has not run
    """

    question: str
    rows: list[dict[str, Any]]
    left_out: tuple[str, ...]


def _speed_ups(points: Sequence[Point], area_mm2: float) -> list[dict[str, Any]]:
    return [
        {**one.names, "speed_up": one.speed_up, "energy_ratio": one.energy_ratio, "area_mm2": one.area_mm2}
        for one in sorted(points, key=lambda one: -one.speed_up)
        if one.technique != BASELINE and one.area_mm2 <= area_mm2
    ]


def _best(points: Sequence[Point], area_mm2: float) -> list[dict[str, Any]]:
    fitting = sorted((one for one in points if one.area_mm2 <= area_mm2), key=lambda one: (one.ms, one.mj))
    return [{**one.names, "ms": one.ms, "mJ": one.mj, "area_mm2": one.area_mm2} for one in fitting]


def _pareto(points: Sequence[Point], area_mm2: float) -> list[dict[str, Any]]:
    rows = []
    least = math.inf
    for one in sorted(points, key=lambda one: (one.ms, one.mj)):
        if one.area_mm2 <= area_mm2:
            on_front = one.mj < least
            least = min(least, one.mj)
            rows.append({**one.names, "ms": one.ms, "mJ": one.mj, "on_front": "yes" if on_front else ""})
    return rows


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a study answers.

    Parameters
    ----------
    about : what it asks
    rows : gives the answer, from the points and the largest area
    """

    about: str
    rows: Callable[[Sequence[Point], float], list[dict[str, Any]]]


QUESTIONS: Final = {
    "speedup": Question("speed-up of each technique over its baseline", _speed_ups),
    "best": Question("the fastest configurations", _best),
    "pareto": Question("time and energy, and which configurations nothing beats in both", _pareto),
}


def answer(question: str, catalogue: Sequence[Row], area_mm2: float = math.inf) -> Answer:
    """Answer a question.

    Parameters
    ----------
    question : of :data:`QUESTIONS`
    catalogue : rows of the catalogue
    area_mm2 : larger configurations are left out
    """
    names = _telling(catalogue)
    by_point: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in catalogue:
        by_point.setdefault(tuple(row[name] for name in names), {})[row["trace"]] = row
    traces = {row["trace"]: None for row in catalogue}
    common = [trace for trace in traces if all(trace in runs for runs in by_point.values())]
    points = []
    for key, runs in by_point.items():
        named = dict(zip(names, key, strict=True))
        base = by_point.get(tuple((named | {"technique": BASELINE})[name] for name in names))
        if common:
            points.append(_point(_shown(named, catalogue), runs, base, common))
    left_out = tuple(trace for trace in traces if trace not in common)
    return Answer(question, QUESTIONS[question].rows(points, area_mm2), left_out)


def _telling(catalogue: Sequence[Row]) -> list[str]:
    """Columns that tell configurations apart, techniques last."""
    settings = [name for name in (catalogue[0] if catalogue else {}) if name.startswith("config.")]
    varied = [name for name in settings if len({row[name] for row in catalogue}) > 1]
    return ["config", *varied, "memory", "technique"]


def _shown(named: dict[str, Any], catalogue: Sequence[Row]) -> dict[str, Any]:
    """Names for people: settings in place of hashes, and only what differs."""
    out = {name.removeprefix("config."): value for name, value in named.items()}
    has_settings = len(out) > 3
    if has_settings:
        out["config"] = str(out["config"]).partition("@")[0]
    if len({row["memory"] for row in catalogue}) == 1 or "memory.mode" in out:
        del out["memory"]
    return out


def _point(
    names: dict[str, Any], runs: Mapping[str, Row], base: Mapping[str, Row] | None, common: Sequence[str]
) -> Point:
    def mean(value: Callable[[Row], float], of: Mapping[str, Row] = runs) -> float:
        values = [value(of[trace]) for trace in common]
        return math.exp(sum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0

    def ms(row: Row) -> float:
        return float(row["ms"] / max(row["frames"], 1))

    def mj(row: Row) -> float:
        return float(1e-9 * row["energy_pj"] / max(row["frames"], 1))

    first = next(iter(runs.values()))
    own_ms, own_mj = mean(ms), mean(mj)
    before = (math.nan, math.nan) if base is None else (mean(ms, base), mean(mj, base))
    return Point(
        names, str(first["technique"]), float(first["area_mm2"]), own_ms, own_mj,
        before[0] / own_ms if own_ms else math.nan, own_mj / before[1] if before[1] else math.nan,
    )  # fmt: skip
