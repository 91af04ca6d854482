"""Twins with larger pictures: what their tiles share, what their texture caches miss, and what PTR gains.

usage: python benchmarks/larger_pictures.py [--texels 4] [TWIN...]

Of variant a of each twin, as it is and with pictures of so many times as many texels a side, 1024 at most, repeated as
often: the shares of ``thesis:5.12`` on frames 0, 100, 200, 300 at 1920x1080; on frame 300 at half the width and height
the misses of ``thesis:5.9``, the bytes of ``thesis:5.11`` and PTR's speed-up of ``thesis:5.3``. Prints Markdown.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

_COLUMNS = ("shared", "next", "second", "farther", "L1 misses", "MB of textures", "PTR")


def with_larger_pictures(alias: str, times: int) -> Any:
    """The recipe of a twin whose pictures have so many times as many texels a side in variant a; they are repeated as
    often as before, for which a recipe gives texels.
    """
    from samples.twins.recipe import read_recipe

    recipe = read_recipe(alias)
    variant = recipe.variants["a"]
    side = min(variant.open.texture_size * times, 1024)
    larger = variant.model_copy(update={"open": variant.open.model_copy(update={"texture_size": side})})
    tiling = recipe.tiling * side / variant.open.texture_size
    return recipe.model_copy(update={"tiling": tiling, "variants": {**recipe.variants, "a": larger}})


def measure(alias: str, times: int, folder: Path) -> list[float]:
    """The columns of a twin."""
    import replay
    from gpumodel import Run, load_config, run_all
    from gpumodel.columns import REQUIRED_COLUMNS
    from gpumodel.techniques.registry import technique_columns
    from gpureplay.twin_workloads import FRAMES, blocks_of, capture_twin
    from samples.twins.writing import recipe_text
    from traceformat.gputrace.frametrace import ColumnSet

    trace, recipe = folder / "twin.gltrace", folder / f"{alias}.toml"
    recipe.write_text(recipe_text(with_larger_pictures(alias, times)), encoding="utf-8")
    capture_twin(alias, "a", trace, recipe=recipe, size="1920x1080")
    out = list(blocks_of(trace).values())
    capture_twin(alias, "a", trace, recipe=recipe, size="960x540")
    runs = [Run(load_config("tbr-fhd", ["screen.scale_to_trace=true"]), names) for names in ((), ("ptr",))]
    columns = ColumnSet([*REQUIRED_COLUMNS, *technique_columns(["ptr"])])
    with replay.frames(trace, columns=columns, frames=(FRAMES - 1, FRAMES - 1)) as played:
        for _ in run_all(played, runs):
            pass
    base, ptr = (run.result.frames[-1] for run in runs)
    for run in runs:
        run.close()
    megabytes = base.counters["dram.read_bytes.texture"] / 1e6
    return [*out, ptr.counters["cache.texture.mpki"], megabytes, base.raster_cycles / ptr.raster_cycles]


def main() -> None:
    """Run the command."""
    from samples.twins.recipe import aliases

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("aliases", nargs="*", help="all by default")
    parser.add_argument("--texels", type=int, default=4)
    given = parser.parse_args()
    names = given.aliases or aliases()
    found = []
    for alias in names:
        with tempfile.TemporaryDirectory() as folder:
            found.append([measure(alias, times, Path(folder)) for times in (1, given.texels)])
        print(f"{alias} is done", flush=True)
    print("| twin | " + " | ".join(f"{name}: as it is; larger" for name in _COLUMNS) + " |")
    print("|---" + "|--:" * len(_COLUMNS) + "|")
    for name, own in zip((*names, "mean"), (*found, np.mean(found, axis=0)), strict=True):
        cells = [f"{before:.3g}; {after:.3g}" for before, after in zip(*own, strict=True)]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
