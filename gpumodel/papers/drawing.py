"""Draws an experiment as its paper does: bars a workload, the mean last; a line is what is printed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import fill
from typing import Final

from gpumodel.papers.description import Experiment
from gpumodel.papers.reading import Bar
from traceformat.errors import MissingEnvironmentError

__all__ = ["picture"]

#: Equal bars are equal files: no date, no chance in the names of elements.
_SETTINGS: Final = {"svg.hashsalt": "gpureplay", "svg.fonttype": "none", "font.size": 9}
#: Of a title, an inch of the figure's width.
_TITLE_CHARACTERS: Final = 12
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
        axes.set_xticks(range(len(workloads)), workloads)
        axes.set_ylabel(experiment.unit)
        title = f"{experiment.id}: {experiment.title}; black: printed"
        axes.set_title(fill(title, int(_TITLE_CHARACTERS * inches)), fontsize=9)
        if len(names) > 1:
            axes.legend(fontsize=7)
        out = io.BytesIO()
        figure.savefig(out, format=suffix[1:], metadata=_METADATA[suffix], dpi=150)
    return out.getvalue()
