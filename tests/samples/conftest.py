"""Captures of the samples, made once a worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sample_goldens


def _has_gl() -> bool:
    import ctypes

    try:
        ctypes.CDLL("libEGL.so.1")
        ctypes.CDLL("libGLESv2.so.2")
    except OSError:
        return False
    return True


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gl") and not _has_gl():
        pytest.skip("no GL driver on this machine: nothing to compare with")


@pytest.fixture(scope="session")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Path of a sample's capture with a driver."""
    folder = tmp_path_factory.mktemp("captures")

    def get(name: str, driver: str = "null") -> Path:
        path = folder / f"{name}-{driver}.gltrace"
        if not path.exists():
            sample_goldens.capture(name, path, driver)
        return path

    return get
