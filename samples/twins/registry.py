"""Twins as samples: a name for each variant."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["sample_name", "twin_names"]

_VARIANTS = ("a", "b", "c")


def sample_name(alias: str, letter: str) -> str:
    """Name of a variant among the samples: the first one's is the alias alone."""
    return alias if letter == "a" else f"{alias}-{letter}"


def twin_names() -> dict[str, tuple[str, str]]:
    """Alias and variant of each twin, by its name among the samples; reads no recipe."""
    folder = Path(str(files("samples.twins"))) / "recipes"
    stems = sorted(path.stem for path in folder.glob("*.toml"))
    return {sample_name(alias, letter): (alias, letter) for alias in stems for letter in _VARIANTS}
