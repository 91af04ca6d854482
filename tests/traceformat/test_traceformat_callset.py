"""The grammar of call sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceformat.errors import UsageError
from traceformat.tools.callset import parse_call_set

NAMES = ["glClear", "glDrawArrays", "traceSwap", "glBindFramebuffer", "glPushGroupMarkerEXT", "glFinish", "glGetError"]


def members(text, count=70):
    chosen = parse_call_set(text)
    return [
        number for number in range(count) if chosen.has(number, NAMES[number % len(NAMES)], number % len(NAMES) == 2)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4", [4]),
        ("4,6 , 9", [4, 6, 9]),
        ("10-13", [10, 11, 12, 13]),
        ("66-", [66, 67, 68, 69]),
        ("0-30/10", [0, 10, 20, 30]),
        ("5-30/10", [5, 15, 25]),
        ("*/20", [0, 20, 40, 60]),
        ("0-16/draw", [1, 8, 15]),
        ("0-16/frame", [2, 9, 16]),
        ("swap", list(range(2, 70, 7))),
        ("0-9/clear", [0, 7]),
        ("0-9/fbo", [3]),
        ("0-9/marker", [4]),
        ("0-9/sync", [5]),
        ("0-9/query", [6]),
        ("3,0-9/draw", [1, 3, 8]),
    ],
)
def test_sets(text, expected):
    assert members(text) == expected


def test_everything():
    assert members("*") == list(range(70))


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), min_size=1, max_size=6))
def test_bounds_hold_the_set(ranges):
    text = ",".join(f"{first}-{first + length}" for first, length in ranges)
    chosen = parse_call_set(text)
    found = members(text)
    assert found[0] == chosen.first
    assert found[-1] == chosen.last
    assert set(found) == {number for first, length in ranges for number in range(first, first + length + 1)}


def test_files(tmp_path):
    (tmp_path / "inner.txt").write_text("7 # seven\n")
    (tmp_path / "outer.txt").write_text(f"# calls\n1-2\n4,\n@{tmp_path / 'inner.txt'}\n")
    assert members(f"@{tmp_path / 'outer.txt'},9") == [1, 2, 4, 7, 9]
    loop = tmp_path / "loop.txt"
    loop.write_text(f"@{loop}")
    with pytest.raises(UsageError, match="each other"):
        parse_call_set(f"@{loop}")


@pytest.mark.parametrize(
    "text", ["", " ", "x", "5-3", "1-2/0", "1-2/nothing", "-4", "1--2", "1/2/3", "draw/2", "@nowhere"]
)
def test_bad_sets(text):
    with pytest.raises(UsageError):
        parse_call_set(text)
