"""Figures that follow from parameters alone: keys of a preset, and closed forms over the points of an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log2
from operator import attrgetter
from typing import Final

from gpumodel.config import load_config
from gpumodel.papers.description import Experiment
from gpumodel.papers.reading import Bar

__all__ = ["closed_bars", "graph_buffer_bytes"]


def graph_buffer_bytes(entries: int, children: int) -> float:
    """Size of VRO's Graph Buffer, VRO Figure 9: an entry has a valid bit, in-degree, length of the list, next entry
    and children; entries are not padded (the paper pads those of 36 children, 501 bits, to 64 bytes).
    """
    node = ceil(log2(entries))
    return entries * (1 + node + ceil(log2(children + 1)) + node + node * children) / 8


#: Closed forms of a point of the axis and the number behind their name.
_FORMS: Final[Mapping[str, Callable[[int, int], float]]] = {"graph_buffer_bytes": graph_buffer_bytes}


def closed_bars(experiment: Experiment) -> list[Bar]:
    """Bars of an experiment; the axis has its points, or the preset alone.

    Raises
    ------
    AttributeError : the preset has no such key
    """
    plan = experiment.closed
    assert plan is not None
    config = load_config(plan.preset, ())
    out = []
    for series in experiment.series:
        printed = {one.of: one for one in series.printed}
        form, _, number = series.figure.partition(" ")
        axis: Sequence[int | str] = plan.points or [plan.preset]
        for point in axis:
            if isinstance(point, int):
                value = _FORMS[form](point, int(number))
            else:
                value = float(attrgetter(series.figure)(config))
            paper = printed.get(str(point))
            found = (paper.value, paper.sentence) if paper else (None, "")
            out.append(Bar(str(point), series.name, value, value, value, *found))
    return out
