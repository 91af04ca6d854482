"""Makes the twin and the reference runs of this folder available to its tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# The scene builder of the model's tests.
sys.path.insert(0, str(Path(__file__).parents[1] / "model"))


@pytest.fixture(scope="session")
def reference() -> Path:
    shared = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).parents[3] / "shared")
    folder = shared / "facts" / "dram_reference"
    if not folder.is_dir():
        pytest.skip("no DRAM reference runs here (GPUREPLAY_SHARED)")
    return folder
