"""Records of native interfaces: declared once, packed by name, read by reference in compiled code."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from traceformat.native.access import array_at, call, record_accessor, stack_words
from traceformat.native.records import Record, address_of, count, inline
from traceformat.native.records import pointer as address

PAIR = Record("a pair", first=count("one"), second=count("another"))
FIELDS = {
    "values": address("float32"),
    "number": count("of them"),
    "pair": inline(PAIR, "what is added"),
    "total": count("out"),
}
ROOT = Path(__file__).parents[2]


def compiled_sum(record):
    """The same kernel over any record that has these fields."""
    at = record_accessor(record.dtype)

    @njit("int64(int64)")
    def add(place):
        r = at(place)
        values = array_at(r.values, r.number, np.float32)
        r.total = r.pair.first * 100 + r.pair.second
        for k in range(r.number):
            r.total += np.int64(values[k])
        return r.total

    return add


@pytest.mark.parametrize("place", [None, 0, 2, 4], ids=["as declared", "in front", "between", "behind"])
def test_a_field_more_changes_nothing_else(place):
    fields = list(FIELDS.items())
    if place is not None:
        fields.insert(place, ("extra", count("new")))
    record = Record("a sum", **dict(fields))
    values = np.arange(5, dtype=np.float32)
    row = record.row(values=address_of(values), number=5)
    PAIR.packer("first", "second").pack_into(row.memory, record.place("pair"), {"second": 7, "first": 3})
    if place is not None:
        row.extra = -1
    assert compiled_sum(record)(row.address) == 317
    assert row.total == 317
    assert row.data["total"][0] == 317
    assert row.data["pair"]["second"][0] == 7
    assert row.number == 5


def test_rows_are_packed_by_name_in_any_order():
    rows = PAIR.rows(3)
    memory = rows.view(np.uint8).data
    PAIR.pack_into(memory, 1, {"second": 5, "first": -4})
    assert rows.tolist() == [(0, 0), (-4, 5), (0, 0)]
    assert address_of(rows) % 64 == 0
    assert PAIR.packer("first", "second").take(memory, PAIR.size) == (-4, 5)
    assert rows.view(np.int64).reshape(3, 2)[1, PAIR.words("second")].tolist() == [5]
    with pytest.raises(KeyError):
        PAIR.pack_into(memory, 0, {"first": 1})
    with pytest.raises(TypeError):
        PAIR.pack_into(memory, 0, {"first": 1, "second": 2, "third": 3})
    with pytest.raises(ValueError, match="do not follow"):
        Record("three", a=count(""), b=count(""), c=count("")).packer("a", "c")


def test_functions_are_called_by_address():
    from numba import cfunc

    @cfunc("int64(int64)")
    def double(x):
        return 2 * x

    @njit("int64(int64, int64)")
    def apply(function, x):
        return call(function, x) + 1

    assert apply(double.address, 21) == 43


@pytest.mark.slow
def test_the_engine_does_not_mind_a_field_more(tmp_path):
    """A field in front of each of its records, in the one place that declares them, and it draws as before."""
    for package in ("replay", "traceformat"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "replay" / "engine" / "kernels" / "records.py"
    # But for those that Python packs whole, which refuse to leave a field out.
    record = r'(: Final = Record\(\n    "(?!an attribute|a draw"|a colour that draws write).*?",\n)'
    source, number = re.subn(record, r'\1    novel=count("new"),\n', path.read_text())
    assert number > 8
    path.write_text(source)
    script = (
        "import sys; sys.path[:0] = [%r, %r]\n"
        "from test_engine_frames import scene\nimport replay, hashlib\n"
        "assert replay.__file__.startswith(%r)\n"
        "print([hashlib.sha256(f.picture.tobytes() + f['quads']['depth'].tobytes()).hexdigest() for f in scene()[1]])"
    )
    found = []
    for root in (ROOT, tmp_path):
        paths = [str(ROOT / "tests" / "engine"), str(ROOT / "tests" / "support")]
        code = script % (*paths, str(root))
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root)!r})\n{code}"],
            capture_output=True, text=True, check=False, timeout=280,
            # What is compiled for this test alone need not be fast.
            env=os.environ if root == ROOT else {**os.environ, "NUMBA_OPT": "0"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.int64], ids=lambda dtype: dtype.__name__)
def test_an_array_at_an_address(dtype):
    @njit("int64(int64, int64, int64, int64)")
    def fill(place, planes, rows, columns):
        values = array_at(place, (planes, rows, columns), dtype)
        for k in range(planes):
            for i in range(rows):
                for j in range(columns):
                    values[k, i, j] += 100 * k + 10 * i + j
        last = array_at(place, planes * rows * columns, dtype)[1:]
        return last.size + np.int64(last[last.size - 1])

    memory = np.ones(26, dtype)
    assert fill(memory[1:].ctypes.data, 2, 3, 4) == 23 + 124
    k, i, j = np.indices((2, 3, 4))
    assert np.array_equal(memory[1:25].reshape(2, 3, 4), 1 + 100 * k + 10 * i + j)
    assert memory[0] == memory[25] == 1


def test_words_on_the_stack_are_a_functions_own():
    @njit("int64(int64)")
    def sums(number):
        found = array_at(stack_words(2), 2, np.int64)
        other = array_at(stack_words(3), (3, 1), np.int64)
        for k in range(3):
            other[k, 0] = 1000 * number
        for k in range(2):
            found[k] = number + k
        return found[0] + found[1] + other[2, 0] + (sums(number - 1) if number else 0)

    assert [sums(number) for number in range(3)] == [1, 1 + 1003, 1 + 1003 + 2005]


def test_how_many_words_of_the_stack_has_to_be_known():
    with pytest.raises(TypingError, match="no constant"):

        @njit("int64(int64)")
        def some(number):
            return stack_words(number)
