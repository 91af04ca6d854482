"""Commands at once on one cache, a few of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import run_processes
from fuzz_scenes import SCENES
from trace_fuzz import write_trace

from traceformat.kernels import cache_root


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "small.gltrace"
    write_trace(path, SCENES["es2"]())
    return path


def test_light_commands_together(trace: Path, tmp_path: Path) -> None:
    wrong, figures = run_processes.together(trace, tmp_path, 0, 6)
    assert wrong == ["0 different results of 0 runs"]
    assert figures["commands"] == 6
    assert 0 < figures["peak_bytes"] < 2 << 30


def test_ctrl_c_ends_commands_without_a_word_whatever_they_are_at(trace: Path, tmp_path: Path) -> None:
    """Ten random moments of two commands: imports, kernels that load, replay, model, writing."""
    commands = run_processes.INTERRUPTED[:2]
    assert run_processes.interrupted(trace, tmp_path, cache_root(), commands, rounds=10, seed=3) == []


def test_what_is_wrong_is_seen(tmp_path: Path) -> None:
    (tmp_path / "no.gltrace").write_bytes(b"no trace")
    started = run_processes.start(f"gputrace info {tmp_path / 'no.gltrace'}", tmp_path, tmp_path / "cache", 0)
    assert "status 3" in started.ended()
