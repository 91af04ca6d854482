"""Draws an experiment as its paper does: bars a workload, the mean last; a line is what is printed."""

from __future__ import annotations

import io
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
    with matplotlib.rc_context(_SETTINGS):
        inches = max(4.5, 1 + 0.45 * len(workloads) * max(len(names) / 2, 1))
        figure = Figure(figsize=(inches, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for number, name in enumerate(names):
            own = [bar for bar in bars if bar.series == name]
            at = [workloads.index(bar.workload) + (number - (len(names) - 1) / 2) * width for bar in own]
            axes.bar(at, [bar.ours for bar in own], width, label=name)
            # No error bars: a mean may lie beside its interval, by a rounding where all variants are alike.
            axes.vlines(at, [bar.low for bar in own], [bar.high for bar in own], color="black", linewidth=0.7)
            for x, bar in zip(at, own, strict=True):
                if bar.paper is not None:
                    axes.plot([x - width / 2, x + width / 2], [bar.paper] * 2, color="black", linewidth=1.6)
        is_long = max(map(len, workloads), default=0) > _LEVEL_CHARACTERS
        axes.set_xticks(
            range(len(workloads)), workloads, rotation=40 if is_long else 0, ha="right" if is_long else "center"
        )
        axes.set_ylabel(fill(experiment.unit, _LABEL_CHARACTERS))
        title = f"{experiment.id}: {experiment.title}; black: printed"
        axes.set_title(fill(title, int(_TITLE_CHARACTERS * inches)), fontsize=9)
        if len(names) > 1:
            figure.legend(loc="outside lower center", ncols=min(len(names), _LEGEND_COLUMNS), fontsize=7)
        out = io.BytesIO()
        figure.savefig(out, format=suffix[1:], metadata=_METADATA[suffix], dpi=150)
    return out.getvalue()


def _arranged(bars: Sequence[Bar]) -> Sequence[Bar]:
    """What is drawn: all bars, or of many series their means."""
    if len({bar.series for bar in bars}) <= _MOST_SERIES:
        return bars
    return [replace(bar, workload=bar.series, series=MEAN) for bar in bars if bar.workload == MEAN]
