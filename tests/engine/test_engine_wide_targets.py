"""Normalized colours of more than eight bits, and of fewer: every code that is kept and read is Mesa's."""

from __future__ import annotations

import pytest
from gl_twin import compare
from recorded_scenes import recorded_or_skipped
from wide_scenes import SCENES, record

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("name", SCENES)
def test_codes_are_those_of_mesa(name: str) -> None:
    calls = recorded_or_skipped(record, name).calls
    pictures = [call.outputs["pixels"] for call in calls if call.name == "glReadPixels"]
    assert all(len(set(picture)) > 1 for picture in pictures if isinstance(picture, bytes))
    assert compare(calls, 0.0) == []
