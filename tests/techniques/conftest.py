"""What the tests of techniques share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpumodel.techniques import registry

# Scenes made by hand, and the random ones.
sys.path.insert(0, str(Path(__file__).parents[1] / "model"))


@pytest.fixture
def clean_registry() -> Iterator[None]:
    before = registry.known_techniques()
    yield
    registry._REGISTERED.clear()
    registry._REGISTERED.update(before)
