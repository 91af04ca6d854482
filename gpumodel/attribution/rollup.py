"""Costs rolled up: by draw, object, program, texture or render pass, over any number of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.table import Attribution
from gpumodel.units.traffic import TRAFFIC_NAMES

__all__ = ["METRICS", "By", "Group", "members", "metric", "roll_up", "shared_costs"]

#: Metrics with a name of their own, and what they are sums of; beside them every counter is one.
METRICS: Final[Mapping[str, tuple[str, ...]]] = {
    "time": (),
    "energy": (),
    "dram": tuple(f"dram.{way}_bytes.{kind}" for way in ("read", "write") for kind in TRAFFIC_NAMES),
    "texture": ("dram.read_bytes.texture",),
    "parameter": ("dram.read_bytes.parameter", "dram.write_bytes.parameter"),
    "instructions": ("fs.issue_cycles", "vs.issue_cycles"),
    "fragments": ("fragments.shaded",),
    "quads": ("quads.rasterized",),
    "texels": ("texels",),
    "vertices": ("vertices.shaded",),
    "primitives": ("primitives.in",),
}


class By(StrEnum):
    """What costs are rolled up by."""

    DRAW = "draw"
    OBJECT = "object"
    PROGRAM = "program"
    TEXTURE = "texture"
    PASS = "pass"


@dataclass(slots=True)
class Group:
    """What a group of draws costs in some frames.

    Parameters
    ----------
    name : of the draw, object, program, texture or pass
    frames, draws : in which it is, and how many draws of them
    own : sum of each metric over its draws
    shared_time, shared_energy : its share of shared work, by the rule of :meth:`.table.Attribution.shares`
    """

    name: str
    frames: int = 0
    draws: int = 0
    own: dict[str, float] = field(default_factory=lambda: dict.fromkeys(METRICS, 0.0))
    shared_time: float = 0.0
    shared_energy: float = 0.0

    @property
    def time(self) -> float:
        """GPU cycles, own and shared."""
        return self.own["time"] + self.shared_time

    @property
    def energy(self) -> float:
        """Energy, own and shared, pJ."""
        return self.own["energy"] + self.shared_energy


def metric(rows: Attribution, name: str) -> NDArray[Any]:
    """Values of a metric or counter, (R,): GPU cycles, pJ, bytes, counts."""
    if name == "time":
        return rows.cycles
    if name == "energy":
        return rows.total_energy_pj
    return sum((rows.count(counter) for counter in METRICS.get(name, (name,))), np.zeros(rows.num_rows, np.int64))


def members(rows: Attribution, by: By) -> Iterator[tuple[str, list[int]]]:
    """Groups of a frame with their draws."""
    return _MEMBERS[by](rows)


def roll_up(frames: Iterable[Attribution], by: By, metrics: Sequence[str] = tuple(METRICS)) -> list[Group]:
    """Groups in the order in which they first occur.

    A texture's group is that of the draws that bind it, so that those with several are in several groups; but misses of
    the Texture Caches and bytes that the memory reads for them are the texture's own.
    """
    groups: dict[str, Group] = {}
    for rows in frames:
        values = {name: metric(rows, name) for name in metrics}
        shares = {name: rows.shares(metric(rows, name)) for name in ("time", "energy")}
        for name, draws in members(rows, by):
            group = groups.setdefault(name, Group(name))
            group.frames += 1
            group.draws += len(draws)
            for key, column in values.items():
                group.own[key] = group.own.get(key, 0) + column[draws].sum().item()
            if by is By.TEXTURE and rows.textures:
                _own_misses(rows, group, draws)
            group.shared_time += shares["time"][draws].sum().item()
            group.shared_energy += shares["energy"][draws].sum().item()
    return list(groups.values())


def _own_misses(rows: Attribution, group: Group, draws: list[int]) -> None:
    """Put what a frame has read of a texture in the place of what the draws have read that bind it."""
    places = [k for k, name in enumerate(rows.textures) if name == group.name]
    for name in ("texture", *rows.texture_counts):
        if name in group.own:
            counter = METRICS.get(name, (name,))[0]
            own = rows.texture_counts[counter][places].sum() - rows.count(counter)[draws].sum()
            group.own[name] += own.item()


def shared_costs(frames: Iterable[Attribution], name: str) -> dict[str, float]:
    """Sum of a metric over the rows of each kind of shared work."""
    out: dict[str, float] = {}
    for rows in frames:
        values = metric(rows, name)
        for row in range(rows.num_draws, rows.num_rows):
            out[rows.shared[row]] = out.get(rows.shared[row], 0) + values[row].item()
    return out


_Member = Iterator[tuple[str, list[int]]]


def _draws(rows: Attribution) -> _Member:
    for draw, name in enumerate(rows.names.object):
        yield f"frame {rows.frame} draw {draw} {name}", [draw]


def _by_name(names: Sequence[Sequence[str]]) -> _Member:
    """Draws by the names that each has."""
    found: dict[str, list[int]] = {}
    for draw, own in enumerate(names):
        for name in own:
            found.setdefault(name, []).append(draw)
    yield from found.items()


def _programs(rows: Attribution) -> _Member:
    return _by_name([(f"{code} (program {number})",) for code, number in zip(
        rows.names.program, rows.names.program_id, strict=True
    )])  # fmt: skip


def _passes(rows: Attribution) -> _Member:
    return _by_name([(f"pass {number} to {target}",) for number, target in zip(
        rows.passes.tolist(), rows.names.framebuffer, strict=False
    )])  # fmt: skip


_MEMBERS: Final[Mapping[By, Callable[[Attribution], _Member]]] = {
    By.DRAW: _draws,
    By.OBJECT: lambda rows: _by_name([(name,) for name in rows.names.object]),
    By.PROGRAM: _programs,
    By.TEXTURE: lambda rows: _by_name(rows.names.textures),
    By.PASS: _passes,
}
