"""The technique ids of the handheld rasterizer, and the mode of working that a combination of them asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from gpumodel.handheld.config import HandheldConfig
from traceformat.errors import ConfigError, UsageError
from traceformat.gputrace.accessstream import HandheldMode

__all__ = ["BASELINE", "HANDHELD_TECHNIQUES", "HandheldTechnique", "about_technique", "mode_of", "parse_handheld"]

#: Nearest sampling, one sample a pixel, no culling.
BASELINE: Final = "baseline"


@dataclass(frozen=True, slots=True)
class HandheldTechnique:
    """A technique of the paper: what it is part of, and where the paper has it."""

    part: str
    source: str
    what: str


HANDHELD_TECHNIQUES: Final[dict[str, HandheldTechnique]] = {
    "flipquad": HandheldTechnique("antialiasing", "§4.1", "two samples on the borders of each pixel"),
    "quincunx": HandheldTechnique("antialiasing", "§2", "two samples a pixel, its middle and a corner"),
    "rgss": HandheldTechnique("antialiasing", "§2", "four samples on a rotated grid, each with its own look-up"),
    "ss2x2": HandheldTechnique("antialiasing", "§2", "2x2 samples, each with its own look-up"),
    "bilinear": HandheldTechnique("texturing", "§6.2", "bilinear filter in the nearest mip level"),
    "trilinear": HandheldTechnique("texturing", "§3", "bilinear filters in two mip levels"),
    "bilinear-average": HandheldTechnique("texturing", "§4.2", "bilinear filter and average of the same four texels"),
    "pooma": HandheldTechnique("texturing", "§4.2", "bilinear-average over compressed, overlapping blocks"),
    "zmin": HandheldTechnique("culling", "§4.3", "no depth reads where a triangle is surely visible"),
    "zmax": HandheldTechnique("culling", "§2", "no depth reads where a triangle is surely hidden"),
}
_EXCLUSIVE: Final = ("antialiasing", "texturing")


def parse_handheld(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Runs that ``-t`` asks for, the baseline always first, each once.

    Parameters
    ----------
    texts : such as ``zmin`` or ``pooma+zmin+flipquad``

    Raises
    ------
    UsageError : an id that does not exist, or two of a kind
    """
    names = [BASELINE, *HANDHELD_TECHNIQUES]
    runs: list[tuple[str, ...]] = [()]
    for text in texts:
        ids = [part.strip() for part in text.split("+")]
        for technique in ids:
            if technique not in names:
                near = get_close_matches(technique, names, 1)
                offer = f", did you mean {near[0]}?" if near else ""
                raise UsageError(f"unknown technique '{technique}'{offer}", hint=f"known: {', '.join(names)}")
        for part in _EXCLUSIVE:
            same = [name for name in HANDHELD_TECHNIQUES if name in ids and HANDHELD_TECHNIQUES[name].part == part]
            if len(same) > 1:
                raise UsageError(f"{' and '.join(same)} exclude each other: both are {part}", hint="name one of them")
        chosen = tuple(dict.fromkeys(name for name in ids if name != BASELINE))
        if set(chosen) not in [set(run) for run in runs]:
            runs.append(chosen)
    return runs


def about_technique(technique: str) -> str | None:
    """What messages of other machines say of a technique; None for any other word."""
    known = HANDHELD_TECHNIQUES.get(technique)
    if known is None:
        return None
    return f"{technique} changes the {known.part} of an immediate-mode rasterizer ({known.what})"


def mode_of(config: HandheldConfig, techniques: Sequence[str]) -> HandheldMode:
    """How the machine works with these techniques.

    Raises
    ------
    ConfigError : parts of ``pooma`` that do not go together
    """
    values: dict[str, Any] = {}
    for technique in techniques:
        if HANDHELD_TECHNIQUES[technique].part == "antialiasing":
            values["antialiasing"] = technique
        elif technique == "pooma":
            pooma = config.pooma
            if pooma.overlap and not pooma.compression:
                raise ConfigError(
                    ["pooma.overlap = true: blocks overlap, and pooma.compression = false leaves none"],
                    hint="set pooma.overlap=false",
                )
            values |= {
                "texture_filter": pooma.filter,
                "compression": pooma.compression,
                "overlap": pooma.overlap,
                "compressor": pooma.compressor,
                "dither": pooma.dither,
            }
        elif HANDHELD_TECHNIQUES[technique].part == "texturing":
            values["texture_filter"] = technique
        else:
            values[technique] = True
    culling = config.culling
    return HandheldMode(
        config.screen.width,
        config.screen.height,
        tile_size=culling.tile_size,
        z_triangle=culling.z_triangle,
        tile_entry=culling.tile_entry,
        write_back=culling.write_back,
        **values,
    )
