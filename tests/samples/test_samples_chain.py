"""The whole chain on every sample: capture, replay, model; against golden frames and itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sample_goldens
from PIL import Image

import replay
from samples import SAMPLES
from traceformat.gltrace.reader import open_trace
from traceformat.tools.canonical import canonical

Captured = Callable[..., Path]


def wrong_share(ours: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """Share of pixels off by more than 2/255, of all and of those unlike the most common colour."""
    assert ours.shape == reference.shape
    off = np.abs(ours.astype(int) - reference.astype(int)).max(axis=2) > 2
    colour = reference.astype(int) @ [65536, 256, 1]
    values, counts = np.unique(colour, return_counts=True)
    foreground = colour != values[counts.argmax()]
    return float(off.mean()), float(off[foreground].mean()) if foreground.any() else 0.0


def check(ours: np.ndarray, reference: np.ndarray) -> None:
    share, foreground = wrong_share(ours, reference)
    assert share <= 0.005
    assert foreground <= 0.02


@cache
def pictures(trace: Path, threads: int = 1) -> dict[int, np.ndarray]:
    """Replayed frames, ``(height, width, 3)``, top row first."""
    return {number: picture[::-1, :, :3].copy() for number, picture in replay.pictures(trace, threads=threads)}


@pytest.mark.gl
@pytest.mark.parametrize("name", list(SAMPLES)[::3])
def test_null_and_system_say_the_same(captured: Captured, name: str) -> None:
    """What the program asked of the null driver is what it asked of the system's GL; ``tests/fuzz/run_recordings.py
    --samples 16`` looks at all of them.
    """
    lines = []
    for driver in ("null", "system"):
        with open_trace(captured(name, driver)) as reader:
            assert len(reader.frames) == sample_goldens.FRAMES
            lines.append(list(canonical(reader)))
    assert lines[0] == lines[1]
    assert sum("Debug" in line for line in lines[0]) > 0


@pytest.mark.parametrize("name", SAMPLES)
def test_frames_are_those_that_mesa_drew(captured: Captured, name: str) -> None:
    ours = pictures(captured(name))
    assert sorted(ours) == list(range(sample_goldens.FRAMES))
    for frame in sample_goldens.GOLDEN_FRAMES:
        golden = np.asarray(Image.open(sample_goldens.FOLDER / f"{name}_{frame}.png").convert("RGB"))
        assert len(np.unique(golden.reshape(-1, 3), axis=0)) > 100, "a golden frame of one colour proves nothing"
        check(ours[frame], golden)


@pytest.mark.parametrize("name", SAMPLES)
def test_threads_do_not_change_pictures(captured: Captured, name: str) -> None:
    one, two = pictures(captured(name), 1), pictures(captured(name), 2)
    assert one.keys() == two.keys()
    for frame, picture in one.items():
        np.testing.assert_array_equal(picture, two[frame])


@pytest.mark.parametrize("name", ["cube", "particles", "materials"])
def test_a_second_capture_is_the_same_file(captured: Captured, name: str, tmp_path: Path) -> None:
    again = tmp_path / "elsewhere" / "again.gltrace"
    again.parent.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    sample_goldens.capture(name, again, "null", cwd=again.parent, env=environment)
    assert again.read_bytes() == captured(name).read_bytes()


@pytest.mark.gl
@pytest.mark.parametrize("name", SAMPLES)
def test_every_frame_against_the_driver_on_this_machine(captured: Captured, name: str) -> None:
    wanted = tuple(range(sample_goldens.FRAMES))
    reference, ours = sample_goldens.play(captured(name), wanted), pictures(captured(name))
    for frame in wanted:
        check(ours[frame], reference[frame])
