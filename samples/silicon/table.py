"""The benchmarks: one table. A name says family and variant; what it identifies is what a change of it would show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["BENCHMARKS", "Benchmark", "twin_benchmarks"]


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    Parameters
    ----------
    name : of its family and variant
    family : function of ``families`` that draws it
    identifies : which part of a GPU its time or counters depend on
    parameters : of the family's function
    """

    name: str
    family: str
    identifies: str
    parameters: Mapping[str, Any]


def _variants(family: str, identifies: str, **variants: Mapping[str, Any]) -> list[Benchmark]:
    return [Benchmark(f"{family}_{name}", family, identifies, given) for name, given in variants.items()]


_ALL: Final = (
    *_variants(
        "fill", "colour writes and blending by format",
        none={"layers": 4}, more={"layers": 12}, alpha={"layers": 4, "blend": "alpha"},
        add={"layers": 4, "blend": "add"}, rgb565={"layers": 4, "pixels": "RGB565"},
        rgb10={"layers": 4, "pixels": "RGB10_A2"}, r8={"layers": 4, "pixels": "R8"},
    ),
    *_variants(
        "alu", "issue rate of fragment instructions by operation and length",
        mad8={"operation": "mad", "count": 8}, mad40={"operation": "mad", "count": 40},
        sin4={"operation": "sin", "count": 4}, sin20={"operation": "sin", "count": 20},
        sqrt4={"operation": "sqrt", "count": 4}, sqrt20={"operation": "sqrt", "count": 20},
    ),
    *_variants(
        "texture", "texture rate by format, filter, footprint and stride; texture and L2 caches",
        nearest={}, bilinear={"filtered": "bilinear"}, bilinear6={"filtered": "bilinear", "lookups": 6},
        trilinear={"filtered": "trilinear", "stride": 1.5},
        trilinear6={"filtered": "trilinear", "stride": 1.5, "lookups": 6},
        r8={"filtered": "bilinear", "texels": "R8"}, etc2={"filtered": "bilinear", "texels": "ETC2"}, tiny={"side": 16},
        repeat4k={"side": 32}, repeat8k={"side": 45}, repeat16k={"side": 64}, repeat32k={"side": 90},
        repeat64k={"side": 128}, repeat128k={"side": 181, "target": 512}, repeat256k={"side": 256, "target": 512},
        stride4={"side": 1024, "stride": 4}, stream={"side": 1024, "target": 1024},
    ),
    *_variants(
        "varying", "interpolation of varyings", one={"count": 1}, four={"count": 4}, eight={"count": 8},
    ),
    *_variants(
        "vertex", "vertex rate by attributes, instructions and reuse",
        attributes1={"attributes": 1}, attributes8={"attributes": 8}, work8={"work": 8}, work40={"work": 40},
        indexed={"is_indexed": True, "work": 8},
    ),
    *_variants(
        "binning", "tile lists by number and size of triangles",
        tiny={"side": 2, "count": 4096}, small={"side": 8, "count": 2048}, medium={"side": 32, "count": 256},
        huge={"side": 256, "count": 8}, wide={"side": 256, "height": 2, "count": 128},
        tall={"side": 2, "height": 256, "count": 128},
    ),
    *_variants("clip", "clipping and culling", none={"share": 0.0}, some={"share": 0.2}, most={"share": 0.8}),
    *_variants(
        "depth", "early depth test by order of submission",
        front_to_back={"order": "front"}, back_to_front={"order": "back"}, shuffled={"order": "random"},
    ),
    *_variants("discard", "discard and late depth", none={"share": 0.0}, half={"share": 0.5}, most={"share": 0.9}),
    *_variants(
        "load", "loads and stores of framebuffers",
        cleared={"begin": "clear"}, kept={"begin": "load"}, invalidated={"begin": "invalidate"},
    ),
    *_variants("switch", "switching targets", two={"switches": 2}, sixteen={"switches": 16}),
    *_variants("chain", "render to texture and read it next", eight={"links": 8}),
    *_variants(
        "draws", "cost of a draw with a uniform update", few={"count": 16}, many={"count": 256},
    ),
    *_variants(
        "resolution", "size of tiles, by edges of the picture",
        s128={"side": 128}, s132={"side": 132}, s144={"side": 144}, s160={"side": 160}, s192={"side": 192},
    ),
)  # fmt: skip

#: The microbenchmarks by name.
BENCHMARKS: Final[Mapping[str, Benchmark]] = {one.name: one for one in _ALL}


def twin_benchmarks() -> dict[str, Benchmark]:
    """A frame of each calibrated twin that stands beside the kit: none where the folder was copied alone."""
    recipes = Path(__file__).resolve().parents[1] / "twins" / "recipes"
    aliases = [path.stem for path in sorted(recipes.glob("*.toml")) if "[variants.a.settings]" in path.read_text()]
    found = _variants("twin", "frames with the statistics of games", **{name: {"alias": name} for name in aliases})
    return {one.name: one for one in found}
