"""Elements of arrays, and ranges, in kernels: compiled code does what Python does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import from_dtype

from traceformat.kernels import inner, kernel

FIELDS = [("small", "u1"), ("values", "<f4", (2, 3)), ("numbers", "<i8", 4)]
RECORD = np.dtype(FIELDS)


def cube(a: Any, b: Any, c: Any) -> Any:
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                a[i, j, k] += b[i, j] * c[k]
                total += a[i, j, k]
    return total


def mixed(a: Any, place: Any, value: Any) -> Any:
    a[np.uint32(place), 1] = value
    row = a[place]
    row[2] = row[np.int16(1)] + 1
    return a[place, 2] + row[0]


def from_the_end(a: Any) -> Any:
    a[-1] = a[-2] + a[0]
    return a[len(a) - 1]


def record(rows: Any, at: Any) -> Any:
    one = rows[at]
    one.values[1, 2] = one.numbers[3] + one.small
    one.numbers[at] = np.int64(one.values[1, 2])
    total = 0.0
    for value in one.values[0]:
        total += value
    return total + one.numbers[at] + one.values.shape[1]


def ranges(a: Any, first: Any, last: Any) -> Any:
    count = 0
    for i in range(last):
        a[i] += i
        count += 1
    for i in range(first, last):
        if i == 7:
            break
        a[i] *= 2
        count += 10
    for i in range(last - 1, first, -2):
        a[i] -= 1
        count += 100
    twice = range(first, last)
    for _ in range(2):
        for i in twice:
            count += i
    for i in range(np.uint64(3)):
        count += 1000 * np.int64(i)
    for _ in range(last, first):
        count += 10000
    for _ in range(np.int32(first), np.int32(last)):
        last = 0
        count += 1
    return count + len(range(first, last))


def by_columns(a: Any, i: Any, j: Any) -> Any:
    a[i, j] = a[j, i] + a.T[i, j]
    return a[i, j]


def assert_alike(function: Callable[..., Any], arguments: tuple[Any, ...], **options: Any) -> None:
    """A compiled function gives what it gives as Python, and leaves the same in its arguments."""
    copies = tuple(value.copy() if isinstance(value, np.ndarray) else value for value in arguments)
    kinds = tuple(numba.typeof(value) for value in arguments)
    assert kernel(kinds, **options)(function)(*arguments) == function(*copies)
    for ours, theirs in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_elements_of_several_axes() -> None:
    numbers = np.random.default_rng(7)
    for kind in (np.float64, np.float32):
        a, b, c = (numbers.integers(0, 50, shape).astype(kind) for shape in ((2, 3, 4), (2, 3), 4))
        assert_alike(cube, (a, b, c))


@pytest.mark.parametrize("options", [{}, {"wraparound": False}])
def test_indices_of_any_integer(options: dict[str, Any]) -> None:
    for kind in (np.int16, np.uint8, np.int64):
        assert_alike(mixed, (np.arange(15, dtype=kind).reshape(5, 3), 3, 7), **options)


def test_indices_count_from_the_end_where_they_may() -> None:
    assert_alike(from_the_end, (np.arange(5),))
    assert_alike(from_the_end, (np.arange(10)[::2],))


def test_arrays_within_records() -> None:
    for kind in (RECORD, np.dtype(FIELDS, align=True)):
        rows = np.zeros(3, kind).view(np.recarray)
        for at, row in enumerate(rows):
            row.small, row.numbers[:], row.values[:] = at, [4, 5, 6, 7 + at], np.arange(6).reshape(2, 3)
        assert_alike(record, (rows, 2))


@pytest.mark.parametrize(("first", "last"), [(0, 0), (2, 9), (5, 5), (-3, 4), (6, 2)])
def test_ranges(first: int, last: int) -> None:
    assert_alike(ranges, (np.arange(12), first, last))


def test_arrays_in_other_orders() -> None:
    assert_alike(by_columns, (np.asfortranarray(np.arange(9.0).reshape(3, 3)), 1, 2))
    assert_alike(by_columns, (np.arange(36.0).reshape(6, 6)[::2, ::2], 1, 2))


def test_an_element_takes_few_instructions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba alone writes some sixty for each: half the time in which kernels compile."""
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path))  # where nothing is kept yet
    kind = from_dtype(RECORD)

    @inner(numba.float32(kind, numba.int64))
    def element(one: Any, at: Any) -> Any:
        return one.values[1, at]

    @kernel(numba.float32(numba.types.Array(kind, 1, "C"), numba.int64), wraparound=False)
    def ask(rows: Any, at: Any) -> Any:
        return element(rows[0], at)

    assert ask(np.ones(1, RECORD), 2) == 1.0
    ours = next(iter(element.overloads.values())).library._final_module
    lines = [line for line in str(ours).splitlines() if line.startswith("  ")]
    assert len(lines) < 30, lines
