"""Settings of the interpreter come back, in whatever order engines end."""

from __future__ import annotations

import gc
import sys

from replay.engine.engine import Engine


def settings() -> tuple[object, ...]:
    return gc.get_threshold(), sys.getswitchinterval()


def test_settings_come_back_when_the_last_engine_ends() -> None:
    gc.collect()
    before = settings()
    first, second = Engine(threads=2), Engine()
    changed = settings()
    assert changed[0] != before[0]
    assert changed[1] != before[1]
    first.close()
    first.close()
    assert settings() == (changed[0], before[1])
    second.close()
    assert settings() == before


def test_an_engine_that_nobody_closes_keeps_nothing() -> None:
    gc.collect()
    before = settings()
    Engine()
    gc.collect()
    assert settings() == before
