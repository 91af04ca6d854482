"""Budgets from present figures: a first file, and an old one with new limits."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Sequence
from typing import Final

from gpumodel.budgets.judge import ROUNDING, value_of
from gpumodel.budgets.schema import Budget, Budgets
from gpumodel.compare.figures import Side
from gpumodel.compare.things import things_of_one
from traceformat.errors import UsageError

__all__ = ["first_budgets", "updated_text"]

_LIMIT: Final = re.compile(r"^(\s*at_most\s*=\s*)([^\s#]+)", re.M)
_HEADING: Final = re.compile(r"^\s*\[\[\s*budget\s*\]\]", re.M)
#: Metrics of a frame, and objects, in a first file.
_FRAME: Final = ("ms", "mj", "dram_bytes", "fragments_per_pixel")
_OBJECTS: Final = 5


def updated_text(budgets: Budgets, sides: Sequence[tuple[str, Side]], slack: float) -> str:
    """The file with each limit set to what the runs have, and slack; everything else stays as it is.

    Parameters
    ----------
    sides : name of the GPU, and the run on it; of a limit for several GPUs the largest counts
    slack : share that is added

    Raises
    ------
    UsageError : a limit does not stand in a line of its own
    """
    pieces = [match.start() for match in _HEADING.finditer(budgets.text)]
    if len(pieces) != len(budgets.limits):
        raise UsageError(f"{budgets.path}: --update needs each budget under a line [[budget]]")
    out = budgets.text[: pieces[0]]
    wanted = []
    for place, (budget, presets) in enumerate(zip(budgets.limits, budgets.presets, strict=True)):
        values = [value_of(budget, side) for preset, side in sides if preset in presets]
        known = [value for value in values if not math.isnan(value)]
        wanted.append(_rounded_up(max(known) * (1 + slack)) if known else budget.at_most)
        text = budgets.text[pieces[place] : (*pieces[1:], len(budgets.text))[place]]
        out += _LIMIT.sub(lambda match, limit=wanted[-1]: match[1] + _number(limit), text, count=1)  # type: ignore[misc]
    found = [budget["at_most"] for budget in tomllib.loads(out)["budget"]]
    if found != wanted:
        raise UsageError(f"{budgets.path}: --update needs each at_most in a line of its own, as a number")
    return out


def first_budgets(sides: Sequence[tuple[str, Side]], slack: float) -> str:
    """A file with limits on the dearest frame and on the objects that cost most, for each GPU."""
    lines = [f"version = 1\npresets = {json.dumps([name for name, _ in sides])}\n"]
    for preset, side in sides:
        mine = {"presets": [preset]} if len(sides) > 1 else {}
        limits = [Budget(metric=metric, at_most=0.0) for metric in _FRAME]
        limits += [Budget(metric="ms", at_most=0.0, object=name) for name in _dearest(side)]
        for budget in limits:
            value = value_of(budget, side)
            if math.isnan(value):
                continue
            keys = {"object": budget.object} if budget.object is not None else {}
            entries = {**keys, "metric": budget.metric, **mine}
            body = "".join(f"{key} = {json.dumps(entry, ensure_ascii=False)}\n" for key, entry in entries.items())
            lines.append(f"[[budget]]\n{body}at_most = {_number(_rounded_up(value * (1 + slack)))}\n")
    return "\n".join(lines)


def _dearest(side: Side) -> list[str]:
    """Named objects and groups of them, those that cost most in any frame first."""
    cost: dict[str, float] = {}
    for frame in side.frames if side.has_draws else ():
        here: dict[str, float] = {}
        for name, thing in things_of_one(frame).items():
            if thing.is_named and name.isprintable():
                parts = name.split("/")
                for length in range(1, len(parts) + 1):
                    path = "/".join(parts[:length])
                    here[path] = here.get(path, 0.0) + thing.first["cycles"]
        cost = {path: max(cost.get(path, 0.0), here.get(path, 0.0)) for path in {**cost, **here}}
    return sorted(cost, key=lambda name: (-cost[name], name))[:_OBJECTS]


def _rounded_up(value: float) -> float:
    """Four digits, less than the value by no more than rounding."""
    if value <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - 3)
    return float(f"{math.ceil(value / step * (1 - ROUNDING)) * step:.4g}")


def _number(value: float) -> str:
    return f"{value:.1f}" if value < 1e15 and value == round(value, 1) else repr(value)
