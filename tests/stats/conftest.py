"""The scenes of this folder as traces, their frames and statistics."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def scene(tmp_path_factory):
    """Path of a scene's trace by name."""
    from stats_scenes import SCENES

    folder = tmp_path_factory.mktemp("scenes")
    paths = {}

    def get(name):
        if name not in paths:
            paths[name] = SCENES[name](folder / f"{name}.gltrace")
        return paths[name]

    return get


@pytest.fixture(scope="session")
def frames(scene):
    """Frames of a scene, held for the whole session."""
    import replay
    from gpumodel.runs import REQUIRED_COLUMNS

    held = {}

    def get(name):
        if name not in held:
            with replay.frames(scene(name), columns=REQUIRED_COLUMNS) as played:
                held[name] = list(played)
        return held[name]

    return get
