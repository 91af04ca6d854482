"""A page from its data: one HTML file without scripts, styles or pictures from elsewhere.

Texts of traces are untrusted. Jinja escapes them, the data block escapes ``<``, ``>`` and ``&``, the script puts text
into the page as text only, and the page's own policy lets nothing run but that script, and nothing be fetched.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gpumodel.compare.quantities import number as short
from gpumodel.report.maps import color_ramp
from gpumodel.report.stats.document import printable

__all__ = ["page"]

#: Colours of the script's ramp.
_RAMP_STEPS: Final = 32


def page(document: Mapping[str, Any]) -> str:
    """The HTML of a document, see :func:`.document.report_document`."""
    script, style = (_asset(name) for name in ("report.js", "report.css"))
    ramp = ["#" + bytes(color).hex() for color in color_ramp(np.linspace(0.02, 1, _RAMP_STEPS), 1.0)]
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script)}'"
    environment = Environment(
        loader=PackageLoader("gpumodel.report.page", "assets"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "count": _count,
        "percent": _percent,
        "fixed": _fixed,
        "figure": _figure,
        "size": _size,
        "short": short,
    }
    environment.filters["printable"] = _printable
    return environment.get_template("report.html.j2").render(
        d=document, script=Markup(script), style=Markup(style), data=_data({**document, "ramp": ramp}), ramp=ramp,
        policy=policy, worst=max(range(len(document["frames"])), key=lambda k: document["frames"][k]["ms"], default=0),
    )  # fmt: skip


def _asset(name: str) -> str:
    return (files("gpumodel.report.page") / "assets" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode("ascii")


def _data(document: Mapping[str, Any]) -> Markup:
    """JSON that ends no element and starts none; broken UTF-8 of traces stays escaped."""
    text = json.dumps(document, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _printable(text: str) -> str:
    """A line of a shader: tabs as blanks, other control characters and broken UTF-8 escaped."""
    return printable(text.expandtabs(4))


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _percent(value: float) -> str:
    return f"{value:.1%}" if 0 < value < 0.1 else f"{value:.0%}"


def _fixed(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}"


def _figure(value: float) -> str:
    """Two digits behind the point, small values three that count."""
    return f"{value:,.2f}" if value >= 1 or value == 0 else f"{value:.3g}"


def _size(value: float) -> str:
    """Bytes as people read them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if value >= factor:
            return f"{value / factor:,.1f} {unit}"
    return f"{value:,.0f} bytes"
