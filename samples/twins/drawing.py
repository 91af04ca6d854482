"""Draws what the tables leave open for each variant of a twin, from ranges that were measured on other programs.

The ranges (``ranges.toml``) and this rule are what decides; nobody chooses. A number between 0 and 1 that follows from
the twin's alias, the variant and the parameter picks a place between the measured deciles.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from samples.twins.recipe import Open

__all__ = ["draw_open"]

_SIDES = (64, 128, 256, 512, 1024)


@cache
def _ranges() -> dict[str, Any]:
    return tomllib.loads((files("samples.twins") / "ranges.toml").read_text(encoding="utf-8"))


def _chance(*names: str) -> float:
    """A number from 0 to 1 that follows from names."""
    return int.from_bytes(hashlib.sha256(":".join(names).encode()).digest()[:6], "big") / 2**48


def _drawn(alias: str, letter: str, figure: str) -> float:
    """A value between the deciles of a figure."""
    deciles = _ranges()[figure]["deciles"]
    place = _chance(alias, letter, figure) * (len(deciles) - 1)
    low = min(int(place), len(deciles) - 2)
    return float(deciles[low] + (place - low) * (deciles[low + 1] - deciles[low]))


def draw_open(alias: str, letter: str) -> Open:
    """The open parameters of a variant, always the same."""
    side = _drawn(alias, letter, "texture_side")
    kinds = ("rgb8", "rgb565", "rgba4")
    shares = [_drawn(alias, letter, "_".join(("format", kind))) for kind in kinds]
    place = _chance(alias, letter, "format")
    chosen = next((kind for k, kind in enumerate(kinds) if place < sum(shares[: k + 1])), "rgba8")
    # The median program's way stands for the scene's own speed.
    speed = _drawn(alias, letter, "shift") / _ranges()["shift"]["deciles"][5]
    texture: dict[str, Any] = {
        "texture_size": min(_SIDES, key=lambda one: abs(one - side)),
        "texture_format": chosen,
    }
    return Open(
        **texture,
        pictures=min(max(round(_drawn(alias, letter, "textures_a_program")), 1), 16),
        mipmapped=round(min(_drawn(alias, letter, "mipmapped"), 1.0), 3),
        moving=round(min(_drawn(alias, letter, "moving"), 1.0), 3),
        spread=round(min(_drawn(alias, letter, "spread"), 0.55), 3),
        speed=round(min(max(speed, 0.25), 4.0), 3),
    )
