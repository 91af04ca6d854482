"""Figures as people read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["TITLES", "in_units", "number", "percent", "time_text"]

#: What people call COSTS.
TITLES: Final = {"cycles": "time", "energy_pj": "energy", "dram_bytes": "memory traffic"}
_UNITS: Final[dict[str, tuple[float, str]]] = {"energy_pj": (1e-9, "mJ"), "dram_bytes": (1e-6, "MB")}


def number(value: float) -> str:
    """At most three digits behind which nothing is seen; whole numbers whole."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    return f"{value:,.0f}" if size >= 1000 else f"{value:.3g}"


def percent(first: float, second: float) -> str:
    """How much more the second is."""
    if first == second:
        return "equal"
    return f"{second / first - 1:+.1%}" if first else "new"


def time_text(clock_mhz: float) -> tuple[Callable[[float], str], str]:
    """How cycles are written, and their unit: ms where the clock is known."""
    if clock_mhz > 0:
        return (lambda cycles: number(cycles / clock_mhz / 1e3)), "ms"
    return (lambda cycles: number(cycles / 1e6)), "Mcycles"


def in_units(name: str, value: float, clock_mhz: float) -> str:
    """A figure with its unit."""
    if name == "cycles":
        text, unit = time_text(clock_mhz)
        return f"{text(value)} {unit}"
    factor, unit = _UNITS.get(name, (1.0, ""))
    return f"{number(value * factor)} {unit}".rstrip()
