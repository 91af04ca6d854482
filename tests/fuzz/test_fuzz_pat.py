"""Damaged PATrace files with a fixed seed: a hundredth of what ``run_pat.py`` is meant for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pat_fuzz import damaged, outcome, small_file

CASES = 200


def test_damaged_files_end_in_a_trace_or_one_clear_error(tmp_path: Path) -> None:
    original = small_file()
    assert outcome(original, tmp_path) == "imported"
    counts = Counter(outcome(damaged(20261122, number, [original]), tmp_path) for number in range(CASES))
    # The cases reach what they are meant to reach.
    assert min(counts["imported"], counts["damage told"], counts["TraceFormatError"]) > CASES // 20, counts
