"""From counted accesses to a frame's result: cycles, energy, counters.

Time: one 32-bit access to external memory a cycle (§1), clears and the filter pass among them; arithmetic is ASSUMED to
hide behind memory. Energy: accesses off and on the chip, each at its price. Tables of the paper leave clears out ("we
have chosen not to include frame buffer clears in our statistics", §6), so accesses are given with and without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpumodel.energy.evaluate import FrameEnergy
from gpumodel.handheld.config import HandheldConfig
from gpumodel.results import FrameResult
from traceformat.gputrace.accessstream import AccessFrame, AccessKind

__all__ = ["KIND_NAMES", "evaluate_frame", "on_chip_bytes", "total_frame"]

#: Counter of each kind of access.
KIND_NAMES: Final = {
    AccessKind.Z_READ: "z_read",
    AccessKind.Z_WRITE: "z_write",
    AccessKind.COLOR_READ: "color_read",
    AccessKind.COLOR_WRITE: "color_write",
    AccessKind.TEXTURE: "texture",
    AccessKind.TILE_READ: "tile_read",
    AccessKind.TILE_WRITE: "tile_write",
    AccessKind.TILE_UPDATE: "tile_update",
    AccessKind.STENCIL_READ: "stencil_read",
    AccessKind.STENCIL_WRITE: "stencil_write",
    AccessKind.FILTER_READ: "filter_read",
    AccessKind.FILTER_WRITE: "filter_write",
}
_FILTER: Final = ("filter_read", "filter_write")
#: What the totals of several frames are made from, not added up.
_RATIOS: Final = (
    "depth_complexity", "overdraw", "alpha", "beta", "texture.accesses_per_lookup", "mb", "mb_with_filter", "mb_ideal",
)  # fmt: skip
_LARGEST: Final = ("onchip.bytes", "texture.bytes", "pixels")
_WORD_BYTES: Final = 4
_MEGABYTE: Final = 1e6
#: Counters that a frame without any draw has, too.
_ALWAYS: Final = (
    "draws", "fragments.rasterized", "fragments.early_z_killed", "fragments.shaded", "fragments.discarded",
    "fragments.late_z_killed", "fragments.written", "onchip.reads", "onchip.writes", "texture.lookups", "texture.words",
)  # fmt: skip
#: Counters that every machine's results have (DESIGN §8), and that this one has nothing for.
_ABSENT: Final = (
    "vertices.shaded", "tiles.total", "tiles.rendered", "tiles.flushed", "primitive_tile_pairs", "dram.activates",
    "cache.texture.accesses", "cache.texture.hits", "cache.texture.misses", "tile_fetch.cycles_per_primitive",
)  # fmt: skip


def on_chip_bytes(width: int, tile_size: int, techniques: Sequence[str]) -> float:
    """On-chip bytes of the row of tiles: 16 bits a bound, a visited bit, and a flag for each bound (§6.3)."""
    bounds = sum(name in techniques for name in ("zmin", "zmax"))
    if not bounds:
        return 0.0
    # z-max also remembers that a value equal to it was overwritten.
    bits = 16 * bounds + 1 + bounds + (1 if "zmax" in techniques else 0)
    return -(-width // tile_size) * bits / 8


@dataclass(frozen=True, slots=True)
class _Words:
    """32-bit accesses by name under one reading of pairing."""

    by_name: Mapping[str, float]

    @property
    def drawing(self) -> float:
        """Without clears and the filter pass."""
        return sum(count for name, count in self.by_name.items() if name not in _FILTER)

    @property
    def filter(self) -> float:
        """Of the filter pass."""
        return sum(self.by_name[name] for name in _FILTER)


def _ideal(values: Mapping[AccessKind, int]) -> dict[str, float]:
    return {name: values[kind] / (1 if kind == AccessKind.TEXTURE else 2) for kind, name in KIND_NAMES.items()}


def evaluate_frame(
    config: HandheldConfig,
    techniques: Sequence[str],
    frame: AccessFrame,
    values: Mapping[AccessKind, int],
    words: Mapping[AccessKind, int],
) -> FrameResult:
    """Complete a frame.

    Parameters
    ----------
    values, words : accesses by kind, see :class:`gpumodel.handheld.count.AccessCounter`
    """
    order = _Words({name: float(words[kind]) for kind, name in KIND_NAMES.items()})
    ideal = _Words(_ideal(values))
    single = _Words({name: float(values[kind]) for kind, name in KIND_NAMES.items()})
    chosen = {"order": order, "ideal": ideal, "none": single}[config.pairing.model]
    given: dict[str, float] = dict(frame.counters)
    clear = given.pop("clear.values", 0) / 2
    counts: dict[str, float] = dict.fromkeys((*_ABSENT, *_ALWAYS), 0)
    counts |= given
    counts["primitives.in"] = counts["primitives.binned"] = values[AccessKind.TRIANGLE]
    counts["texels"] = given.get("texture.lookups", 0)
    for name, count in chosen.by_name.items():
        counts[f"access.{name}"] = count
        counts[f"access_ideal.{name}"] = ideal.by_name[name]
        counts[f"access_values.{name}"] = single.by_name[name]
    counts["access.clear"] = clear
    counts["access.total"] = chosen.drawing
    counts["access.total_with_filter"] = chosen.drawing + chosen.filter
    counts["access_ideal.total"] = ideal.drawing
    counts["onchip.bytes"] = on_chip_bytes(frame.width, config.culling.tile_size, techniques)
    counts["texture.bytes"] = frame.texture_bytes
    counts["pixels"] = frame.width * frame.height
    for way, names in (("read", ("z_read", "stencil_read", "tile_read", "tile_update")),
                       ("write", ("z_write", "stencil_write", "tile_write"))):  # fmt: skip
        counts[f"dram.{way}_bytes.other"] = _WORD_BYTES * sum(chosen.by_name[name] for name in names)
        color = chosen.by_name[f"color_{way}"] + chosen.by_name[f"filter_{way}"]
        counts[f"dram.{way}_bytes.color"] = _WORD_BYTES * color
        counts[f"dram.{way}_bytes.texture"] = _WORD_BYTES * chosen.by_name["texture"] if way == "read" else 0
    counts["dram.write_bytes.color"] += _WORD_BYTES * clear
    cycles = round(chosen.drawing + chosen.filter + clear)
    _add_ratios(counts, 1)
    return FrameResult(frame.frame, 0, cycles, _energy(config, counts, cycles), counts, {})


def _add_ratios(counts: dict[str, float], frames: int) -> None:
    """Ratios of sums over frames; megabytes a frame."""
    fragments = counts["fragments.rasterized"]
    written = fragments - counts["fragments.early_z_killed"]
    pixels = max(counts["pixels"] * frames, 1)
    counts["depth_complexity"] = round(fragments / pixels, 6)
    counts["overdraw"] = round(written / pixels, 6)
    # Equation 6: alpha + beta = 1, beta is the share of fragments that are not occluded.
    counts["beta"] = round(written / fragments, 6) if fragments else 0.0
    counts["alpha"] = round(1 - counts["beta"], 6) if fragments else 0.0
    lookups = counts.get("texture.lookups", 0)
    counts["texture.accesses_per_lookup"] = round(counts.get("texture.words", 0) / lookups, 6) if lookups else 0.0
    counts["mb"] = round(counts["access.total"] * _WORD_BYTES / _MEGABYTE / frames, 6)
    counts["mb_with_filter"] = round(counts["access.total_with_filter"] * _WORD_BYTES / _MEGABYTE / frames, 6)
    counts["mb_ideal"] = round(counts["access_ideal.total"] * _WORD_BYTES / _MEGABYTE / frames, 6)


def _energy(config: HandheldConfig, counts: Mapping[str, float], cycles: int) -> FrameEnergy:
    off_chip = cycles * config.energy.off_chip_pj
    on_chip = (counts.get("onchip.reads", 0) + counts.get("onchip.writes", 0)) * config.energy.on_chip_pj
    structures = {"external memory": (off_chip, 0.0), "row of tiles": (on_chip, 0.0)}
    return FrameEnergy(on_chip, 0.0, off_chip, 0.0, structures)


def total_frame(frames: Sequence[FrameResult]) -> FrameResult:
    """Sum of frames; ratios are ratios of sums, megabytes are a frame's, and ``frame`` counts the frames."""
    counters: dict[str, float] = {}
    structures: dict[str, tuple[float, float]] = {}
    for frame in frames:
        for name, value in frame.counters.items():
            if name in _LARGEST:
                counters[name] = max(counters.get(name, 0), value)
            elif name not in _RATIOS:
                counters[name] = counters.get(name, 0) + value
        for name, (dynamic, static) in frame.energy.structures.items():
            before = structures.get(name, (0.0, 0.0))
            structures[name] = before[0] + dynamic, before[1] + static
    if frames:
        _add_ratios(counters, len(frames))
    energy = FrameEnergy(
        sum(frame.energy.gpu_dynamic for frame in frames),
        0.0,
        sum(frame.energy.dram_dynamic for frame in frames),
        0.0,
        structures,
    )
    return FrameResult(len(frames), 0, sum(frame.raster_cycles for frame in frames), energy, counters, {})


def as_json(result: FrameResult) -> dict[str, Any]:
    """F of DESIGN §8; whole numbers without a point."""
    document = result.as_json()
    document["counters"] = {
        name: int(value) if float(value).is_integer() else value for name, value in sorted(result.counters.items())
    }
    return document
