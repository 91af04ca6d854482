"""Twins as samples: a name for each variant."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Final

__all__ = ["sample_name", "twin_names"]

_VARIANT: Final = re.compile(r"^\[variants\.(\w)\.settings\]$", re.MULTILINE)


def sample_name(alias: str, letter: str) -> str:
    """Name of a variant among the samples: the first one's is the alias alone."""
    return alias if letter == "a" else f"{alias}-{letter}"


def twin_names() -> dict[str, tuple[str, str]]:
    """Alias and variant of each calibrated twin, by its name among the samples; recipes are not checked here."""
    out = {}
    for path in sorted((Path(str(files("samples.twins"))) / "recipes").glob("*.toml")):
        for letter in _VARIANT.findall(path.read_text(encoding="utf-8")):
            out[sample_name(path.stem, letter)] = (path.stem, letter)
    return out
