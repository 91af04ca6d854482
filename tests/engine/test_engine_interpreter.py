"""Settings of the interpreter come back, in whatever order their users end."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from study_films import film

import replay
from replay.engine import engine
from replay.engine.interpreter import FEW_COLLECTIONS, QUICK_SWITCHES, Lent


def test_settings_come_back_when_the_last_user_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = ["as it was"]
    lent = Lent(lambda: setting[0], lambda value: setting.__setitem__(0, value), lambda _: "changed")
    monkeypatch.setattr(engine, "QUICK_SWITCHES", lent)
    first, second = engine.Engine(threads=2), engine.Engine(threads=2)
    first.close()
    first.close()
    assert setting == ["changed"]
    second.close()
    assert setting == ["as it was"]


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
    draw = engine.Engine.draw
    monkeypatch.setattr(engine.Engine, "draw", lambda *given: (drawn.append(gc.get_threshold()), draw(*given))[1])
    for _ in replay.frames(trace):
        assert gc.get_threshold() == before
    assert drawn
    assert before not in drawn
