"""Settings of the interpreter come back, in whatever order their users end."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest
from study_films import film

import replay
from replay.engine.engine import Engine
from replay.engine.interpreter import FEW_COLLECTIONS, QUICK_SWITCHES


def settings() -> tuple[object, ...]:
    return gc.get_threshold(), sys.getswitchinterval()


def test_settings_come_back_when_the_last_user_ends() -> None:
    before = settings()
    first, second = Engine(threads=2), Engine(threads=2)
    changed = settings()
    assert changed[1] != before[1]
    first.close()
    first.close()
    assert settings() == changed
    second.close()
    assert settings() == before


def test_users_in_one_another() -> None:
    before = gc.get_threshold()
    with FEW_COLLECTIONS:
        inside = gc.get_threshold()
        with FEW_COLLECTIONS, QUICK_SWITCHES:
            assert gc.get_threshold() == inside
        assert gc.get_threshold() == inside != before
    assert gc.get_threshold() == before


def test_who_looks_at_a_frame_has_the_collector_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if nobody closes anything: rings that hold gigabytes are to be found."""
    before = gc.get_threshold()
    trace = film(tmp_path / "film.gltrace", frames=2)
    drawn = []
    draw = Engine.draw
    monkeypatch.setattr(Engine, "draw", lambda *given: (drawn.append(gc.get_threshold()), draw(*given))[1])
    for _ in replay.frames(trace):
        assert gc.get_threshold() == before
    assert drawn
    assert before not in drawn
