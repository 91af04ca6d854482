"""Limits that a user can raise: parsing, and that replays obey them with an error that names them."""

from __future__ import annotations

import numpy as np
import pytest

from traceformat.errors import ReplayError, UsageError
from traceformat.gles.limits import GLES_LIMITS, guarded
from traceformat.guards import VARIABLE, Guards, exceeded, guards


def test_defaults_and_settings(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert guards() == Guards()
    monkeypatch.setenv(VARIABLE, "memory=8G, draw_vertices=3k,names=12")
    found = guards()
    assert (found.memory, found.draw_vertices, found.names) == (8 << 30, 3072, 12)
    assert found.contexts == Guards().contexts
    limits = guarded(GLES_LIMITS)
    assert (limits.max_total_bytes, limits.max_names) == (8 << 30, 12)
    assert limits.max_texture_size == GLES_LIMITS.max_texture_size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("memry=8G", "did you mean 'memory'"),
        ("memory", "is no number"),
        ("memory=-1", "is no number"),
        ("memory=lots", "is no number"),
        ("loop_iterations=4G", "at most"),
        ("=3", "no limit ''"),
    ],
)
def test_wrong_settings_are_named(monkeypatch, text, message):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(UsageError, match=message):
        guards()


def test_errors_name_the_limit(monkeypatch):
    monkeypatch.setenv(VARIABLE, "draw_vertices=10")
    assert "draw_vertices=10" in str(exceeded("a draw of 11 vertices", "draw_vertices"))
    assert VARIABLE in str(exceeded("a draw of 11 vertices", "draw_vertices"))


def test_columns_obey_the_limit(monkeypatch):
    from replay.engine.columns import ColumnPool

    monkeypatch.setenv(VARIABLE, "frame_memory=1M")
    pool = ColumnPool()
    held = pool.take(1 << 18, np.dtype("<u2"))
    with pytest.raises(ReplayError, match="more than the limit frame_memory=1048576"):
        pool.take(1 << 20, np.dtype("<u1"))
    del held
    assert len(pool.take(1 << 20, np.dtype("<u1"))) == 1 << 20
