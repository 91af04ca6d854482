"""Cut traces and flipped bits with a fixed seed: a hundredth of what ``run_damage.py`` is meant for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from damage_fuzz import check_cut, check_flipped, flips, load, write_small

SEED = 20261121
FLIPS = 1000


def test_cuts_of_a_small_trace(tmp_path: Path) -> None:
    original = load(write_small(tmp_path / "small.gltrace"))
    counts = Counter(check_cut(original, size) for size in range(0, len(original.data), 5))
    assert counts["refused"] == 4
    assert set(counts) == {"refused", "start lost", "tail named", "index rebuilt"}


def test_flipped_bits(tmp_path: Path) -> None:
    original = load(write_small(tmp_path / "small.gltrace"))
    counts = Counter(check_flipped(original, data) for _, data in flips(original, SEED, FLIPS))
    assert set(counts) >= {"calls named", "tail named", "content named", "start named", "index named"}


def test_the_check_finds_what_it_looks_for(tmp_path: Path) -> None:
    original = load(write_small(tmp_path / "small.gltrace"))
    with pytest.raises(AssertionError, match="no damage is named"):
        check_flipped(original, original.data)
    broken = next(data for _, data in flips(original, SEED, 1))
    original.calls[0].args = (2, *original.calls[0].args[1:])
    original.calls[20].thread = 7
    with pytest.raises(AssertionError, match="is another"):
        check_flipped(original, broken)
    with pytest.raises(AssertionError, match="calls survive"):
        check_cut(original, len(original.data) - 1)
