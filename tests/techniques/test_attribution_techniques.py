"""Attribution with techniques: sums, and what their own units have a share in."""

from __future__ import annotations

from pathlib import Path

import pytest
from cost_sums import check_sums
from random_films import random_film

from gpumodel.config import load_config
from gpumodel.counters import COUNTERS
from gpumodel.results import FrameResult
from gpumodel.runs import Run

#: Counters of the machine that a technique's own units count beside the draws' work.
SHARED_WITH: dict[str, set[str]] = {
    # The Order Matcher reads the lists through the Tile Cache.
    "vro": {"cache.tile.accesses", "cache.tile.hits", "cache.tile.misses", "cache.tile.primary_misses"},
    # The HSR front fetches the lists, too; its look-ups are the draws'.
    "dr": {"tile_fetch.primitives", "tile_fetch.requests", "tile_fetch.attributes"},
    "frag-prepass": {"tile_fetch.primitives", "tile_fetch.requests", "tile_fetch.attributes"},
    "evr-like": set(), "dtexl-like": set(),
    "re": set(), "te": set(), "fpk": set(), "lrz": set(), "tcor-like": set(), "ptr": set(), "memo": set(), "pfr": set(),
    "afbc": set(),
}  # fmt: skip


def of_kind(result: FrameResult, kind: str) -> dict[str, int]:
    """Counters of the frame's own row of a kind of shared work, those of techniques left out."""
    rows = result.attribution
    assert rows is not None
    where = [k for k, name in enumerate(rows.shared) if name == kind and rows.passes[k] == -1]
    return {name: int(values[where].sum()) for name, values in rows.counts.items() if values[where].any()}


@pytest.mark.parametrize("technique", SHARED_WITH)
def test_rows_add_up_with_a_technique(technique: str, tmp_path: Path) -> None:
    one = Run(load_config("mali450-re"), [technique], attribution=True)
    for frame in random_film(tmp_path / "film.gltrace", 5):
        one.feed(frame)
    one.finish()
    own = set(one.result.frames[0].counters) - set(COUNTERS)
    pair: dict[str, int] = {}
    for result in one.result.frames:
        check_sums(result)
        assert set(of_kind(result, "technique")) - own <= SHARED_WITH[technique]
        for name, value in of_kind(result, "pair").items():
            pair[name] = pair.get(name, 0) + value
    if technique == "re":
        last = one.result.frames[-1].attribution
        assert last is not None
        assert last.texture_counts["cache.texture.primary_misses"].any()
    # What a pair gives to one of its frames it takes from the other.
    assert not any(pair.values())
