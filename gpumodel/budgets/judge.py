"""Whether runs keep their budgets, and whether they got dearer than a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gpumodel.budgets.metrics import metric_of
from gpumodel.budgets.schema import Budget
from gpumodel.compare.comparison import Comparison
from gpumodel.compare.explain import sentence
from gpumodel.compare.figures import COSTS, Draws, Frame, Side
from gpumodel.compare.quantities import TITLES, in_units, number, percent
from gpumodel.compare.things import Thing
from traceformat.errors import UsageError

__all__ = ["ROUNDING", "Verdict", "judge", "judge_growth", "value_of"]

#: Share by which a figure may be over because floating-point numbers are rounded.
ROUNDING: Final = 1e-9
_NEEDS_DRAWS: Final = "a budget on an object or program needs a result with --attribution, or a trace"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit, held against a run.

    Parameters
    ----------
    name : what was limited
    run : on which GPU
    failure : what is over, with its evidence; empty where the limit is kept
    line : of the budget in its file, 0 where there is none
    """

    name: str
    run: str
    failure: str
    line: int = 0


def judge(budget: Budget, side: Side, line: int = 0) -> Verdict:
    """Hold a budget against a run.

    Raises
    ------
    UsageError : the run does not say what draws cost, and the budget is on some
    """
    values = _values(budget, side)
    found, at = _statistic(budget, values)
    failure = ""
    if not values:
        failure = "no frame was measured" if not side.frames else "nothing of this name was drawn in any frame"
    elif found > budget.at_most * (1 + ROUNDING):
        over = percent(budget.at_most, found) if budget.at_most else "over 0"
        where = f" in frame {at}" if at >= 0 else f" ({budget.statistic} of {len(values)} frames)"
        failure = f"{budget.title} is {number(found)}, the budget {number(budget.at_most)} ({over}){where}"
    return Verdict(budget.title, side.run, failure, line)


def value_of(budget: Budget, side: Side) -> float:
    """What a run has of what a budget limits; NaN where it has nothing of it."""
    values = _values(budget, side)
    return _statistic(budget, values)[0] if values else float("nan")


def judge_growth(found: Comparison, tolerance: float, smallest: float) -> list[Verdict]:
    """Hold a run against a baseline: no total and no object may have got dearer.

    Parameters
    ----------
    found : baseline and run
    tolerance : share of its own cost by which a thing may grow
    smallest : share of the frame's cost below which a thing is let be
    """
    run = found.second.run
    out = []
    clocks = found.first.clock_mhz, found.second.clock_mhz
    for name in COSTS:
        a, b = found.totals.get(name, (0.0, 0.0))
        texts = [in_units(name, value, clock) for value, clock in zip((a, b), clocks, strict=True)]
        text = f"{TITLES[name]} {texts[1]} a frame instead of {texts[0]} ({percent(a, b)})"
        out.append(Verdict(f"frame {TITLES[name]}", run, text if b > a * (1 + tolerance) else ""))
    frames = len(found.aligned.pairs)
    limits = tolerance, smallest
    out += [Verdict(thing.name, run, _growth(thing, found, frames, limits)) for thing in found.things]
    missing = len(found.aligned.only_first)
    if missing or not frames:
        out.append(Verdict("frames", run, f"{missing} frames of the baseline are not there"))
    return out


def _growth(thing: Thing, found: Comparison, frames: int, limits: tuple[float, float]) -> str:
    """What of a thing has grown; empty where nothing has."""
    tolerance, smallest = limits
    for name in COSTS:
        grown = thing.second[name] > thing.first[name] * (1 + tolerance)
        if grown and thing.change(name) > smallest * found.totals[name][0] * frames:
            cause = sentence(thing, frames, (found.first.clock_mhz, found.second.clock_mhz))
            return (
                f"{cause} ({TITLES[name]} {percent(thing.first[name], thing.second[name])})"
                if thing.first[name]
                else cause
            )
    return ""


def _values(budget: Budget, side: Side) -> list[tuple[float, int]]:
    """Value and number of each frame that has any."""
    out = []
    for frame in side.frames:
        figures = frame.totals if budget.object is None and budget.program is None else _figures(budget, frame)
        if figures is not None:
            out.append((metric_of(budget.metric, figures, frame.totals, side), frame.number))
    return out


def _figures(budget: Budget, frame: Frame) -> Mapping[str, float] | None:
    """Sums over the draws that a budget is on."""
    if frame.draws is None:
        raise UsageError(_NEEDS_DRAWS)
    rows = [row for row in range(len(frame.draws)) if _is_meant(budget, frame.draws, row)]
    if not rows:
        return None
    sums = {name: float(values[rows].sum()) for name, values in frame.draws.numbers.items()}
    return {**sums, "draws": float(len(rows))}


def _is_meant(budget: Budget, draws: Draws, row: int) -> bool:
    if budget.program is not None:
        return draws.program[row] == budget.program
    name = draws.name[row] or draws.text[row]
    return name == budget.object or name.startswith((f"{budget.object}/", f"{budget.object} #"))


def _statistic(budget: Budget, values: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """The value that the limit is for, and its frame, -1 where it is of several."""
    if not values:
        return 0.0, -1
    if budget.statistic == "each":
        return max(values, key=lambda pair: pair[0])
    numbers = [value for value, _ in values]
    if budget.statistic == "mean":
        return float(np.mean(numbers)), -1
    return float(np.percentile(numbers, int(budget.statistic[1:]))), -1
