"""What draws cost, added up over frames for each thing that has a name, or a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpumodel.compare.draws import match
from gpumodel.compare.figures import COSTS, Draws, Frame

__all__ = ["FACTS", "Thing", "things_of", "things_of_one"]

#: Work that a program asks for, whatever the machine: counters of draws.
FACTS: Final = ("draws", "vertices.in", "primitives.in", "fragments.rasterized")
#: Counters that explanations are made of.
_WORK: Final = (
    "vertices.shaded", "vs.instructions", "fragments.shaded", "fragments.early_z_killed", "fs.alu_instructions",
    "fs.tex_instructions", "texels", "primitive_tile_pairs", "cache.texture.misses", "cache.l2.misses",
)  # fmt: skip


@dataclass(slots=True)
class Thing:
    """An object, or draws that are alike, on both sides.

    Parameters
    ----------
    name : for people
    is_named : the program gave the name
    first, second : sums over the frames, by name: COSTS, FACTS and what explanations need
    appeared, vanished : draws that only the second, only the first has
    recoded : draws that run another program in the second
    """

    name: str
    is_named: bool
    first: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*COSTS, *FACTS, *_WORK), 0.0))
    second: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*COSTS, *FACTS, *_WORK), 0.0))
    appeared: int = 0
    vanished: int = 0
    recoded: int = 0

    def change(self, name: str) -> float:
        """How much more the second has."""
        return self.second[name] - self.first[name]


@dataclass(slots=True)
class _Table:
    things: dict[object, Thing] = field(default_factory=dict)

    def at(self, draws: Draws, row: int) -> Thing:
        """The thing that a draw belongs to."""
        key = draws.name[row] or (draws.program[row], draws.mesh[row], draws.textures[row])
        return self.things.setdefault(key, Thing(draws.text[row], bool(draws.name[row])))


def things_of(
    first: Sequence[Frame], second: Sequence[Frame], pairs: Sequence[tuple[int, int]]
) -> tuple[list[Thing], int]:
    """Match the draws of each pair of frames and add them up.

    Parameters
    ----------
    first, second : frames with draws
    pairs : places in both

    Returns
    -------
    things, and how many draws come in another order
    """
    table, moved = _Table(), 0
    for one, other in pairs:
        a, b = first[one].draws, second[other].draws
        if a is None or b is None:
            continue
        matched = match(a, b)
        moved += matched.num_moved
        place: dict[int, Thing] = {}
        for row, other_row in matched.pairs:
            place[other_row] = _add(table.at(a, row), a, row, is_second=False)
            place[other_row].recoded += a.program[row] != b.program[other_row]
        for row in matched.only_first:
            _add(table.at(a, row), a, row, is_second=False).vanished += 1
        for row in range(len(b)):
            thing = place.get(row)
            _add(thing or table.at(b, row), b, row, is_second=True).appeared += thing is None
    return list(table.things.values()), moved


def things_of_one(frame: Frame) -> Mapping[str, Thing]:
    """Add up the draws of one frame, by name; the second side stays 0."""
    table = _Table()
    draws = frame.draws
    for row in range(len(draws) if draws is not None else 0):
        assert draws is not None
        _add(table.at(draws, row), draws, row, is_second=False)
    return {thing.name: thing for thing in table.things.values()}


def _add(thing: Thing, draws: Draws, row: int, *, is_second: bool) -> Thing:
    sums = thing.second if is_second else thing.first
    for name in sums:
        sums[name] += 1.0 if name == "draws" else float(draws.number(name)[row])
    return thing
