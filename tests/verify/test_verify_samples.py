"""Frames whose samples are shaded one by one, or masked by the shader: every pixel is the replay's."""

from __future__ import annotations

import pytest
from recorded_scenes import frame_of, recorded_or_skipped
from sample_scenes import record
from verified import counter, verified_run

from gpumodel.columns import VERIFIED_COLUMNS

pytestmark = pytest.mark.gl


@pytest.mark.parametrize(
    ("name", "techniques"), [("minimum", "vro"), ("mask_of_samples", "dr"), ("mask_out", "zprepass")]
)
def test_pixels_are_those_of_the_replay(name: str, techniques: str) -> None:
    frame = frame_of(recorded_or_skipped(record, name, "renderbuffer"), VERIFIED_COLUMNS)
    verified_run([frame], "mali450-vro", techniques)


def test_fragments_are_shaded_for_each_sample() -> None:
    frames = [
        frame_of(recorded_or_skipped(record, name, "renderbuffer"), VERIFIED_COLUMNS)
        for name in ("minimum_of_a_quarter", "minimum")
    ]
    once, each = (verified_run([frame], "mali450-vro", "re") for frame in frames)
    assert 2.5 < sum(counter(each, "fragments.shaded")) / sum(counter(once, "fragments.shaded")) <= 4
