"""Parameters that microbenchmarks may identify: each with the observations that depend on it, in the order of the fit.

A parameter is fitted from differences of two benchmarks wherever that is possible: what both have in common, known or
not, falls out. What no observation here can tell is listed with the benchmark that would be needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["NOT_IDENTIFIABLE", "PARAMETERS", "TIME", "Observation", "Parameter", "benchmarks_needed"]

#: An observation of time, in place of a counter of the model.
TIME: Final = "time"


@dataclass(frozen=True, slots=True)
class Observation:
    """A quantity of a benchmark, or what one has more of it than another.

    Parameters
    ----------
    benchmark, less : names; no ``less`` for the benchmark's own
    quantity : ``time``, or a counter of the model that the device's mapping has
    """

    benchmark: str
    less: str = ""
    quantity: str = TIME


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a configuration.

    Parameters
    ----------
    key : as ``--set`` takes it
    values : that are tried, ascending
    observations : that depend on it
    is_fine : what lies between the values is searched, too
    needed : what would tell it where these observations cannot
    """

    key: str
    values: tuple[int, ...]
    observations: tuple[Observation, ...]
    is_fine: bool = False
    needed: str = ""


def _more(benchmark: str, less: str) -> tuple[Observation, ...]:
    return (Observation(benchmark, less),)


def _counted(quantity: str, *benchmarks: str) -> tuple[Observation, ...]:
    return tuple(Observation(benchmark, quantity=quantity) for benchmark in benchmarks)


_SIZES: Final = tuple(1 << k for k in range(10, 18))

PARAMETERS: Final = (
    Parameter(
        "tile.width", (8, 16, 32, 64), _counted("tile_fetch.primitives", "binning_wide"),
        needed="a counter of primitives by tile, or times of targets a pixel wider than a row of tiles",
    ),
    Parameter(
        "tile.height", (8, 16, 32, 64), _counted("tile_fetch.primitives", "binning_tall"),
        needed="as tile.width",
    ),
    Parameter(
        "memory.paper.bytes_per_cycle", (1, 2, 4, 8, 16, 32), _more("load_kept", "load_cleared"),
        needed="copies of large buffers",
    ),
    Parameter(
        "fragment.issue_cycles.alu", (1, 2, 3, 4, 5, 6, 8), _more("alu_mad40", "alu_mad8"),
        needed="arithmetic that takes longer than the rest of the fragment",
    ),
    Parameter(
        "fragment.issue_cycles.transcendental", tuple(range(1, 17)), _more("alu_sin20", "alu_sin4"),
        needed="arithmetic that takes longer than the rest of the fragment",
    ),
    Parameter(
        "fragment.texels_per_cycle", (1, 2, 4, 8, 16), _more("texture_trilinear6", "texture_trilinear"),
        needed="more texels a look-up, as an anisotropic filter has",
    ),
    Parameter(
        "raster.attributes_per_cycle", (1, 2, 4, 8, 16, 32), _more("varying_eight", "varying_one"),
        needed="more varyings than the smallest number that OpenGL ES 3 allows, in fragments that do nothing else",
    ),
    Parameter(
        "raster.quads_per_cycle", (1, 2, 4), _more("fill_more", "fill_none"),
        needed="depth-only layers: with colours other units bound the rate",
    ),
    Parameter(
        "command.cycles_per_draw", (4, 8, 16, 32, 64, 128, 256, 512), _more("draws_many", "draws_few"), is_fine=True,
        needed="draws without vertices",
    ),
    Parameter(
        "vertex.issue_cycles.alu", (1, 2, 3, 4, 5, 6, 8), _more("vertex_work40", "vertex_work8"),
        needed="longer vertex shaders",
    ),
    Parameter(
        "vertex.reuse_entries", (0, 8, 16, 32, 64, 128), (Observation("vertex_indexed"),),
        needed="strips of several lengths, each with every vertex twice",
    ),
    Parameter(
        "caches.texture.size_bytes", _SIZES,
        _counted("cache.texture.primary_misses", *(f"texture_repeat{n}k" for n in (4, 8, 16, 32, 64))),
        needed="a counter of texture cache misses",
    ),
    Parameter(
        "caches.l2.size_bytes", tuple(1 << k for k in range(15, 22)),
        _counted("cache.l2.primary_misses", *(f"texture_repeat{n}k" for n in (32, 64, 128, 256))),
        needed="a counter of L2 misses",
    ),
    Parameter(
        "memory.paper.row_hit_cycles", (10, 20, 40, 60, 80, 100), _more("texture_stride4", "texture_nearest"),
        needed="a chain of dependent reads with one fragment in flight",
    ),
    Parameter(
        "queues.fragment", (16, 32, 64, 128), _more("discard_half", "discard_none"),
        needed="bursts of long and short fragments in turn, of growing length",
    ),
    Parameter(
        "early_z.in_flight_quads", (4, 8, 16, 32, 64), _more("depth_back_to_front", "depth_front_to_back"),
        needed="alternating depth states with one quad each",
    ),
)  # fmt: skip

#: Parameters that only appear together with fitted ones, and what would part them.
NOT_IDENTIFIABLE: Final = {
    "fragment.processors": "a rate alone, processors x lanes / issue_cycles; needed: quads that one processor takes",
    "fragment.lanes": "as fragment.processors",
    "vertex.processors": "a rate alone, processors / issue_cycles; needed: one vertex in flight",
}  # fmt: skip


def benchmarks_needed() -> list[str]:
    """Names of the benchmarks of all observations, each once."""

    def every() -> Iterator[str]:
        for parameter in PARAMETERS:
            for one in parameter.observations:
                yield one.benchmark
                if one.less:
                    yield one.less

    return list(dict.fromkeys(every()))
