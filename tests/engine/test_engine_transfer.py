"""Copies of pixels that are made in words and slices against plain twins."""

import numpy as np
import pytest

from replay import formats
from replay.engine.columns import PixelMemory
from replay.engine.transfer import _places, resolve
from traceformat.gles import enums as gl


@pytest.mark.parametrize("samples", [2, 4, 8, 16])
def test_samples_are_resolved_to_the_mean_of_each_octet(samples: int) -> None:
    rng = np.random.default_rng(samples)
    texels = rng.integers(0, 1 << 32, (samples, 5, 7), np.uint32)
    texels[:, 0, 0], texels[:, 0, 1] = 0xFFFFFFFF, 0
    octets = texels.view(np.uint8).reshape(samples, 5, 7, 4)
    means = octets.mean(axis=0)
    found = resolve(formats.format_of(gl.GL_RGBA8), texels).view(np.uint8).reshape(5, 7, 4)
    # Which way a half falls is a matter of binary32; pictures of Mesa say it (test_engine_sample_shading).
    assert (np.abs(found - means) <= 0.5).all()
    assert (found == np.rint(means))[means % 1 != 0.5].all()
    assert found[0, :2].tolist() == [[255] * 4, [0] * 4]


@pytest.mark.parametrize("columns", [[2, 3, 4], [4, 3, 2], [2, 2, 3], [2, 4, 6], [5]])
def test_places_that_follow_each_other_are_a_slice_of_the_same_texels(columns: list[int]) -> None:
    texels = np.arange(64).reshape(8, 8)
    rows = np.array([1, 2, 3])
    places = _places(rows, np.array(columns))
    assert texels[places].tolist() == texels[np.ix_(rows, np.array(columns))].tolist()
    assert isinstance(places[0], slice) == (columns in ([2, 3, 4], [5]))


def test_copies_of_samples_lie_side_by_side() -> None:
    planes = np.random.default_rng(1).integers(0, 1 << 32, (4, 3, 5), np.uint32)
    copied = PixelMemory().copy(planes.transpose(1, 2, 0))
    expected = planes.view(np.uint8).reshape(4, 3, 5, 4).transpose(1, 2, 0, 3).reshape(3, 5, 16)
    assert copied.tolist() == expected.tolist()
