"""What the tests of techniques share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpumodel.techniques import registry


@pytest.fixture
def clean_registry() -> Iterator[None]:
    before = registry.known_techniques()
    yield
    registry._REGISTERED.clear()
    registry._REGISTERED.update(before)
