"""What holds of every attribution: its rows add up to the frame."""

from __future__ import annotations

import pytest

from gpumodel.attribution.columns import NOT_SUMS
from gpumodel.results import FrameResult

__all__ = ["check_sums"]


def check_sums(result: FrameResult) -> None:
    """Every column adds up to the frame's figure: integers exactly, energy within 1e-9."""
    rows = result.attribution
    assert rows is not None
    for name, total in result.counters.items():
        # A technique's half cycles are no count.
        if name not in NOT_SUMS and total == int(total):
            assert rows.count(name).sum() == total, name
    assert rows.cycles.sum() == pytest.approx(result.cycles, rel=1e-12)
    for name, values in rows.energy_pj.items():
        assert values.sum() == pytest.approx(getattr(result.energy, name), rel=1e-9), name
    if rows.textures:
        for name, values in rows.texture_counts.items():
            assert values.sum() == result.counters[name], name
