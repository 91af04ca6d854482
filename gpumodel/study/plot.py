"""Pictures of a study's answers, by matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

from gpumodel.study.questions import QUESTIONS, Answer
from traceformat.errors import MissingEnvironmentError

__all__ = ["picture", "suffix_of"]

#: Equal answers are equal files: no date, no chance in the names of elements.
_SETTINGS: Final = {"svg.hashsalt": "gpureplay", "svg.fonttype": "none", "font.size": 9}
_METADATA: Final = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
_FIGURES: Final = frozenset({"speed_up", "energy_ratio", "area_mm2", "ms", "mJ", "on_front"})


def picture(answer: Answer, suffix: str) -> bytes:
    """Draw an answer.

    Parameters
    ----------
    suffix : ``.svg``, ``.png`` or ``.pdf``

    Raises
    ------
    MissingEnvironmentError : matplotlib is not installed
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingEnvironmentError("matplotlib is not installed", hint="pip install 'gpureplay[plot]'") from None
    with matplotlib.rc_context(_SETTINGS):
        height = 4.5 if answer.question == "pareto" else max(0.9 + 0.26 * len(answer.rows), 2.4)
        figure = Figure(figsize=(7, min(height, 30)), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(QUESTIONS[answer.question].about)
        if answer.question == "pareto":
            _front(axes, answer)
        else:
            _bars(axes, answer)
        out = io.BytesIO()
        figure.savefig(out, format=suffix[1:], metadata=_METADATA[suffix], dpi=150)
    return out.getvalue()


def suffix_of(path: str) -> str:
    """Kind of picture that a path asks for; SVG where it does not say."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in _METADATA else ".svg"


def _name(row: dict[str, Any]) -> str:
    return " ".join(str(value) for name, value in row.items() if name not in _FIGURES)


def _bars(axes: Any, answer: Answer) -> None:
    figure, unit = ("speed_up", "times as fast") if answer.question == "speedup" else ("ms", "ms a frame")
    places = range(len(answer.rows))
    axes.barh(places, [row[figure] for row in answer.rows])
    axes.set_yticks(places, [_name(row) for row in answer.rows])
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    if figure == "speed_up":
        axes.axvline(1, color="black", linewidth=0.8)


def _front(axes: Any, answer: Answer) -> None:
    for is_front in (False, True):
        rows = [row for row in answer.rows if bool(row["on_front"]) is is_front]
        times, energies = [row["ms"] for row in rows], [row["mJ"] for row in rows]
        axes.plot(times, energies, "o-" if is_front else "o", color="tab:blue" if is_front else "lightgrey")
        if is_front:
            for row in rows:
                axes.annotate(_name(row), (row["ms"], row["mJ"]), xytext=(4, 4), textcoords="offset points", fontsize=7)
    axes.set_xlabel("ms a frame")
    axes.set_ylabel("mJ a frame")
