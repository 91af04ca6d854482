"""Nothing of ten lines or more is written twice, to the letter or in shape."""

from __future__ import annotations

from house import exceptions, repetitions

NUM_LINES = 10
#: Tables and lists of short calls look alike: a run counts from so many tokens in so many kinds of lines on.
MIN_TOKENS, MIN_SHAPES = 60, 6


def test_nothing_is_written_twice():
    allowed = exceptions("repetitions")
    found = {f"{one.first.split(':')[0]} {one.second.split(':')[0]}": str(one) for one in _found()}
    assert [text for key, text in found.items() if key not in allowed] == []
    assert sorted(set(allowed) - set(found)) == [], "exceptions that nothing needs"


def _found():
    return repetitions(NUM_LINES, min_tokens=MIN_TOKENS, min_shapes=MIN_SHAPES)
