"""Twins as programs: small frames are what Mesa draws, change from frame to frame, and null and system see the same."""

from __future__ import annotations

import numpy as np
import pytest
import sample_goldens

import replay
from gpureplay.twin_workloads import capture_twin

SIZE = "192x120"
#: One of each way of drawing; ``run_twins.py`` judges all of them, at their games' sizes.
TWINS = ("bbr", "ccs", "maz")


def wrong_shares(ours, reference):
    """Share of pixels off by more than 2/255, of all and of those unlike the most common colour."""
    off = np.abs(ours.astype(int) - reference.astype(int)).max(axis=2) > 2
    colour = reference.astype(int) @ [65536, 256, 1]
    values, counts = np.unique(colour, return_counts=True)
    return off.mean(), off[colour != values[counts.argmax()]].mean()


@pytest.mark.gl
@pytest.mark.parametrize("alias", TWINS)
def test_a_small_frame_is_what_mesa_draws(alias, tmp_path):
    trace = tmp_path / "twin.gltrace"
    capture_twin(alias, "a", trace, frames=2, step=150, size=SIZE)
    reference = sample_goldens.play(trace, (0, 1))
    ours = {number: picture[::-1, :, :3] for number, picture in replay.pictures(trace)}
    for frame in (0, 1):
        share, foreground = wrong_shares(ours[frame], reference[frame])
        assert (share, foreground) <= (0.005, 0.02)
        assert foreground <= 0.02
        assert len(np.unique(ours[frame].reshape(-1, 3), axis=0)) > 500
    assert (np.abs(ours[0].astype(int) - ours[1]).max(axis=2) > 8).mean() > 0.005
