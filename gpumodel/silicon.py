"""Which presets have been held against a device: the one place that says so.

A preset gets its entry with its row in the table of docs/SILICON.md; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["UNMEASURED_DEVICES", "VALIDATED", "silicon_note"]

#: Preset: the device that its results are from.
VALIDATED: Final[Mapping[str, str]] = {}

#: Presets of devices, made from public facts alone: too much in them is assumed to ask them for a second opinion.
UNMEASURED_DEVICES: Final = frozenset({"v3d42"}) - VALIDATED.keys()


def silicon_note(presets: Iterable[str]) -> str:
    """A sentence for the foot of tables and pages; empty where all presets have been held against a device."""
    names = [name for name in dict.fromkeys(presets) if name not in VALIDATED]
    return f"No silicon validation of {', '.join(names)}." if names else ""
