"""Arrays in files without names: the same bytes, memory that does not count, and a full disk that is told."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_passes import write_many_passes

import replay
from replay.engine import columns, pass_store
from traceformat import spill
from traceformat.errors import StorageError
from traceformat.gputrace.frametrace import ALL_COLUMNS, PASS_TABLES
from traceformat.process_memory import process_bytes, resident_bytes
from traceformat.spill import SpillFile, mapped_octets


@pytest.mark.parametrize("count", [0, 5, 1 << 18, (1 << 18) + 3])
def test_what_was_put_is_given(count: int) -> None:
    file, arrays = SpillFile("numbers"), [np.arange(k, k + count) for k in range(3)]
    places = [file.put(array) for array in arrays]
    for array, place in zip(arrays, places, strict=True):
        found = file.read(place, array.dtype, array.shape)
        np.testing.assert_array_equal(found, array)
        found[:] = -1
        np.testing.assert_array_equal(file.read(place, array.dtype, array.shape), array)


def test_mapped_memory_is_no_memory_of_the_process() -> None:
    size, held, resident = 1 << 26, process_bytes(), resident_bytes()
    octets = mapped_octets(size, "numbers")
    octets[:] = 7
    assert process_bytes() - held < size // 4
    assert resident_bytes() - resident > size // 2
    assert int(octets.sum()) == 7 * size


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(StorageError, match=r"rows do not fit: No space left on device \(TMPDIR"):
        mapped_octets(1 << 20, "rows")
    with pytest.raises(StorageError, match=r"rows do not fit: No space left on device \(TMPDIR"):
        SpillFile("rows").put(np.arange(3))


def test_a_pass_larger_than_the_budget_is_the_same_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = tmp_path / "many.gltrace", []
    write_many_passes(path, passes=3, fragments=90_000, frames=2, targets=2)

    def tables() -> list[dict[str, Any]]:
        with replay.frames(path, columns=ALL_COLUMNS) as played:
            return [
                {f"{name}.{key}": np.array(column) for name in PASS_TABLES for key, column in frame[name].items()}
                for frame in played
            ]

    wanted = tables()
    monkeypatch.setattr(columns, "_RESIDENT_BYTES", 0)
    monkeypatch.setattr(columns, "_MAPPED_BLOCK", 1 << 16)
    monkeypatch.setattr(pass_store, "_RESIDENT_BYTES", 0)
    monkeypatch.setattr(spill, "_MAPPED_BYTES", 1 << 12)
    monkeypatch.setattr(columns, "mapped_octets", lambda *given: made.append(given) or mapped_octets(*given))
    found = tables()
    assert len(made) > 3
    for one, other in zip(wanted, found, strict=True):
        assert one.keys() == other.keys()
        for name, column in one.items():
            np.testing.assert_array_equal(column, other[name], err_msg=name)
