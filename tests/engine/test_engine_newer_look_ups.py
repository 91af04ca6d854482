"""Gathers at any offset, blocks with locations: pictures are Mesa's, both executors agree."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import compare
from look_up_scenes import SCENES, record
from recorded_scenes import agree, recorded_or_skipped

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa_bit_by_bit(name: str) -> None:
    calls = recorded_or_skipped(record, name).calls
    for call in calls:
        if call.name == "glReadPixels":
            picture = call.outputs["pixels"]
            assert isinstance(picture, bytes)
            assert len(np.unique(np.frombuffer(picture, np.uint32))) > 15
    assert compare(calls, tolerance=0.0) == []


@pytest.mark.parametrize("name", SCENES)
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded_or_skipped(record, name))
