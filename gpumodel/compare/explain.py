"""Why a thing costs more or less: a sentence with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, log
from typing import Final

from gpumodel.compare.quantities import number, time_text
from gpumodel.compare.things import Thing

__all__ = ["draws_text", "sentence"]

#: Differences smaller than this share are called equal in a sentence.
_EQUAL: Final = 0.005
#: Reasons in a sentence.
_REASONS: Final = 3


@dataclass(frozen=True, slots=True)
class _Factor:
    """A figure that cost depends on.

    Parameters
    ----------
    name : plural, in a sentence
    of : from the sums of a side
    is_rate : of the thing, not of its size
    """

    name: str
    of: Callable[[Mapping[str, float]], float]
    is_rate: bool = False


def _rate(above: Callable[[Mapping[str, float]], float], below: str) -> Callable[[Mapping[str, float]], float]:
    return lambda sums: above(sums) / sums[below] if sums[below] else 0.0


def _sum(*names: str) -> Callable[[Mapping[str, float]], float]:
    return lambda sums: sum(sums[name] for name in names)


_INSTRUCTIONS: Final = _sum("fs.alu_instructions", "fs.tex_instructions")
#: From what the program asks for to what the machine makes of it; earlier ones explain later ones.
_WORK: Final = (
    _Factor("draws", _sum("draws")),
    _Factor("primitives", _sum("primitives.in")),
    _Factor("shaded vertices", _sum("vertices.shaded")),
    _Factor("vertex instructions", _rate(_sum("vs.instructions"), "vertices.shaded"), is_rate=True),
    _Factor("shaded fragments", _sum("fragments.shaded")),
    _Factor("instructions", _rate(_INSTRUCTIONS, "fragments.shaded"), is_rate=True),
    _Factor("texture instructions", _rate(_sum("fs.tex_instructions"), "fragments.shaded"), is_rate=True),
    _Factor("texels a fragment", _rate(_sum("texels"), "fragments.shaded"), is_rate=True),
    _Factor("tiles of its primitives", _sum("primitive_tile_pairs")),
)
_MACHINE: Final = (
    _Factor("texture cache misses", _sum("cache.texture.misses")),
    _Factor("L2 misses", _sum("cache.l2.misses")),
    _Factor("bytes of memory traffic", _sum("dram_bytes")),
)


def sentence(thing: Thing, frames: int, clocks: tuple[float, float]) -> str:
    """Say what a thing costs instead, a frame, and why.

    Parameters
    ----------
    frames : that were added up
    clocks : of both sides, MHz, 0 = unknown
    """
    frames = max(frames, 1)
    clocks = clocks if all(clocks) else (0.0, 0.0)
    texts = [time_text(clock)[0](sums["cycles"] / frames) for clock, sums in zip(clocks, _sides(thing), strict=True)]
    unit = time_text(clocks[0])[1]
    if not thing.first["draws"]:
        return f"`{thing.name}` is new: {draws_text(thing.second['draws'] / frames)}, {texts[1]} {unit} a frame"
    if not thing.second["draws"]:
        return f"`{thing.name}` is gone: {draws_text(thing.first['draws'] / frames)}, {texts[0]} {unit} a frame"
    return f"`{thing.name}` costs {texts[1]} {unit} instead of {texts[0]}: {_reasons(thing, frames)}"


def _sides(thing: Thing) -> tuple[Mapping[str, float], Mapping[str, float]]:
    return thing.first, thing.second


def draws_text(count: float) -> str:
    """A number of draws."""
    return "1 draw" if count == 1 else f"{number(count)} draws"


def _distance(factor: _Factor, thing: Thing) -> float:
    one, other = (factor.of(sums) for sums in _sides(thing))
    if one == other:
        return 0.0
    return abs(log(other / one)) if one > 0 and other > 0 else inf


def _reasons(thing: Thing, frames: int) -> str:
    """The evidence: what is equal, and what has changed most."""

    def told(factor: _Factor) -> str:
        one, other = (factor.of(sums) / (1 if factor.is_rate else frames) for sums in _sides(thing))
        return f"{factor.name} {number(other)} instead of {number(one)}"

    changed = [factor for factor in _WORK if _distance(factor, thing) > _EQUAL]
    if not changed:
        machine = [factor for factor in _MACHINE if _distance(factor, thing) > _EQUAL]
        machine.sort(key=lambda factor: -_distance(factor, thing))
        return "; ".join(["the same work", ", ".join(map(told, machine[:_REASONS]))]).rstrip("; ")
    changed = sorted(changed, key=lambda factor: -_distance(factor, thing))[:_REASONS]
    fragments = next(factor for factor in _WORK if factor.name == "shaded fragments")
    basis = [] if fragments in changed or not thing.first["fragments.shaded"] else ["shaded fragments equal"]
    if basis and _distance(fragments, thing) > _EQUAL:
        basis = []
    return ", ".join(basis + [told(factor) for factor in changed])
