"""Bloom: each level of chains of float targets is Mesa's, texel by texel."""

from __future__ import annotations

import numpy as np
import pytest
from bloom_scenes import SCENES, record
from gl_twin import compare
from recorded_scenes import recorded_or_skipped

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("name", SCENES)
def test_chains_are_those_of_mesa_texel_by_texel(name: str) -> None:
    calls = recorded_or_skipped(record, name).calls
    pictures = [call.outputs["pixels"] for call in calls if call.name == "glReadPixels"]
    assert len(pictures) == 10
    assert isinstance(pictures[-1], bytes)
    assert len(np.unique(np.frombuffer(pictures[-1], np.uint32))) > 500
    assert compare(calls, tolerance=0.0) == []
