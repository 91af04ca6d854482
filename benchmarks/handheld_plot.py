"""Plot of image quality over memory traffic as SVG, a column a scene, a row a measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Final

__all__ = ["quality_plot"]

#: What is plotted: key, title, least and most that an axis shows beyond the values.
_MEASURES: Final = (("psnr_db", "PSNR, dB", 0.6), ("vssim", "VSSIM", 0.006))
_WIDTH, _HEIGHT = 300, 230
_LEFT, _TOP, _RIGHT, _BOTTOM = 46, 28, 12, 34
_TICKS: Final = 4
#: Where the logarithmic axis of MB a frame may have ticks.
_MEGABYTES: Final = tuple(round(m * 10.0**e, 6) for e in range(-3, 4) for m in (1, 2, 5))
#: Fill of a marker by what the scheme does for edges.
_FILLS: Final = {"flipquad": "#d95f02", "quincunx": "#7570b3", "rgss": "#1b9e77", "ss2x2": "#66a61e"}
_PLAIN: Final = "#4878a8"
_LEGEND_COLUMNS: Final = 3
_LEGEND_ROW: Final = 18


def _fill(scheme: str) -> str:
    return next((color for name, color in _FILLS.items() if scheme.endswith(name)), _PLAIN)


def _text(x: float, y: float, text: str, anchor: str = "middle", size: int = 11, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{extra}>{escape(text)}</text>'


def _marker(x: float, y: float, number: int, scheme: str) -> str:
    label = _text(x, y + 3.2, str(number), size=9, extra=' fill="white"')
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="{_fill(scheme)}" stroke="white"/>{label}'


def _panel(
    left: float, top: float, title: str, schemes: Mapping[str, Mapping[str, float]], key: str, margin: float
) -> list[str]:
    """One scene under one measure: a numbered marker at MB a frame, a whisker to MB with the filter pass."""
    x0, y0 = left + _LEFT, top + _TOP
    width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    least = min(found["mb"] for found in schemes.values()) * 0.8
    span = math.log(max(found["mb_with_filter"] for found in schemes.values()) * 1.15 / least)

    def across(megabytes: float) -> float:
        return x0 + width * math.log(megabytes / least) / span

    values = [found[key] for found in schemes.values()]
    low, high = min(values) - margin, max(values) + margin
    out = [
        f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#888"/>',
        _text(x0 + width / 2, top + 18, title, size=12),
        _text(x0 + width / 2, y0 + height + 29, "MB a frame"),
    ]
    for k in range(_TICKS + 1):
        y = y0 + height - height * k / _TICKS
        value = low + (high - low) * k / _TICKS
        out.append(f'<line x1="{x0}" x2="{x0 + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(_text(x0 - 4, y + 3.5, f"{value:.1f}" if margin > 0.1 else f"{value:.3f}", "end", 10))
    for megabytes in _MEGABYTES:
        x = across(megabytes)
        if x0 <= x <= x0 + width:
            out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y0}" y2="{y0 + height}" stroke="#ddd"/>')
            out.append(_text(x, y0 + height + 14, f"{megabytes:g}", size=10))
    places = {
        name: (across(found["mb"]), y0 + height - height * (found[key] - low) / (high - low))
        for name, found in schemes.items()
    }
    for name, (x, y) in places.items():
        reach = across(schemes[name]["mb_with_filter"])
        if reach > x:
            out.append(f'<line x1="{x:.1f}" x2="{reach:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_fill(name)}"/>')
            tip = f'y1="{y - 3:.1f}" y2="{y + 3:.1f}" stroke="{_fill(name)}"'
            out.append(f'<line x1="{reach:.1f}" x2="{reach:.1f}" {tip}/>')
    out += [_marker(x, y, number, name) for number, (name, (x, y)) in enumerate(places.items(), 1)]
    return out


def quality_plot(document: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Draw the plot.

    Parameters
    ----------
    document : for each scene and scheme ``mb``, ``mb_with_filter``, ``psnr_db`` and ``vssim``

    Returns
    -------
    SVG text; whiskers lead to the traffic with the filter pass.
    """
    names = list(next(iter(document.values())))
    width = max(_WIDTH * len(document), 700)
    legend_rows = -(-len(names) // _LEGEND_COLUMNS)
    below = _HEIGHT * len(_MEASURES)
    height = below + 16 + _LEGEND_ROW * legend_rows
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for column, (scene, schemes) in enumerate(document.items()):
        for row, (key, title, margin) in enumerate(_MEASURES):
            out += _panel(column * _WIDTH, row * _HEIGHT, f"{scene}: {title}", schemes, key, margin)
    for number, name in enumerate(names, 1):
        column, row = divmod(number - 1, legend_rows)
        x, y = 24 + column * (width - 24) / _LEGEND_COLUMNS, below + 14 + _LEGEND_ROW * row
        out += [_marker(x, y, number, name), _text(x + 12, y + 4, name, "start")]
    return "\n".join([*out, "</svg>"]) + "\n"
