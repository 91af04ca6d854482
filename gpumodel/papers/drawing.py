"""Draws an experiment as its paper does: bars a workload, the mean last; a line is what is printed."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill
from typing import Final

from gpumodel.papers.description import MEAN, Experiment
from gpumodel.papers.reading import Bar
from traceformat.errors import MissingEnvironmentError

__all__ = ["picture"]

#: Equal bars are equal files: no date, no chance in the names of elements.
_SETTINGS: Final = {"svg.hashsalt": "gpureplay", "svg.fonttype": "none", "font.size": 9}
#: Of a title, an inch of the figure's width.
_TITLE_CHARACTERS: Final = 12
#: Of a line beside the axis.
_LABEL_CHARACTERS: Final = 36
_LEGEND_COLUMNS: Final = 6
#: Of the bars of a line, at most.
_LINE_INCHES: Final = 14
#: Of more series the means alone are drawn, one bar a series, as the thesis does (Figures 6.4 and 6.6).
_MOST_SERIES: Final = 10
#: Longer names below the bars are turned.
_LEVEL_CHARACTERS: Final = 6
_METADATA: Final = {".svg": {"Date": None}, ".png": {}}


def picture(experiment: Experiment, bars: Sequence[Bar], suffix: str) -> bytes:
    """Draw it.

    Parameters
    ----------
    suffix : ``.svg`` or ``.png``

    Raises
    ------
    MissingEnvironmentError : matplotlib is not installed
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingEnvironmentError("matplotlib is not installed", hint="pip install 'gpureplay[plot]'") from None
    bars = _arranged(bars)
    workloads = list(dict.fromkeys(bar.workload for bar in bars))
    names = list(dict.fromkeys(bar.series for bar in bars))
    width = 0.8 / max(len(names), 1)
    lines = _lines(workloads, 0.45 * max(len(names) / 2, 1))
    with matplotlib.rc_context(_SETTINGS):
        inches = max(4.5, 1 + 0.45 * len(lines[0]) * max(len(names) / 2, 1))
        figure = Figure(figsize=(inches, 0.8 + 2.4 * len(lines)), layout="constrained")
        every = figure.subplots(len(lines), sharey=True, squeeze=False)[:, 0]
        for axes, line in zip(every, lines, strict=True):
            for number, name in enumerate(names):
                own = [bar for bar in bars if bar.series == name and bar.workload in line]
                at = [line.index(bar.workload) + (number - (len(names) - 1) / 2) * width for bar in own]
                axes.bar(at, [bar.ours for bar in own], width, color=f"C{number}", label=name)
                # No error bars: a mean may lie beside its interval, by a rounding where all variants are alike.
                axes.vlines(at, [bar.low for bar in own], [bar.high for bar in own], color="black", linewidth=0.7)
                for x, bar in zip(at, own, strict=True):
                    if bar.paper is not None:
                        axes.plot([x - width / 2, x + width / 2], [bar.paper] * 2, color="black", linewidth=1.6)
            is_long = max(map(len, line)) > _LEVEL_CHARACTERS
            axes.set_xticks(range(len(line)), line, rotation=40 if is_long else 0, ha="right" if is_long else "center")
            # Lines are as wide as the first one.
            axes.set_xlim(-0.6, len(lines[0]) - 0.4)
            axes.set_ylabel(fill(experiment.unit, _LABEL_CHARACTERS))
        title = f"{experiment.id}: {experiment.title}" + "; black: printed" * any(bar.paper is not None for bar in bars)
        every[0].set_title(fill(title, int(_TITLE_CHARACTERS * inches)), fontsize=9)
        if len(names) > 1:
            handles, labels = every[0].get_legend_handles_labels()
            figure.legend(
                handles, labels, loc="outside lower center", ncols=min(len(names), _LEGEND_COLUMNS), fontsize=7
            )
        out = io.BytesIO()
        figure.savefig(out, format=suffix[1:], metadata=_METADATA[suffix], dpi=150)
    return out.getvalue()


def _lines(workloads: list[str], inches: float) -> list[list[str]]:
    """Workloads line by line, about equally many in each, so that none is wider than a page; each takes so much."""
    count = max(math.ceil(inches * len(workloads) / _LINE_INCHES), 1)
    length = max(math.ceil(len(workloads) / count), 1)
    return [workloads[at : at + length] for at in range(0, len(workloads), length)] or [[]]


def _arranged(bars: Sequence[Bar]) -> Sequence[Bar]:
    """What is drawn: all bars, or of many series their means."""
    if len({bar.series for bar in bars}) <= _MOST_SERIES:
        return bars
    return [replace(bar, workload=bar.series, series=MEAN) for bar in bars if bar.workload == MEAN]
