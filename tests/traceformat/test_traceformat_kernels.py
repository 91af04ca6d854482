"""Kernels on disk: what their keys follow from, several threads and processes, damaged and unwritable folders."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

from traceformat.kernels import compiling_many, kernel

_ROOT = Path(__file__).resolve().parents[2]
_MODULES = {
    "constants": (
        "from enum import IntEnum\nimport numpy as np\nSCALE = 3\nSHIFT = 10\nTABLE = np.array([1, 2, 4])\n"
        "class Mode(IntEnum):\n    FAST = 6\n"
    ),
    "callee": (
        "from traceformat.kernels import inner\nfrom kernel_room.constants import SCALE\n"
        "@inner('int64(int64)')\ndef scaled(x):\n    '''Scaled.'''\n    return x * SCALE\n"
    ),
    "user": (
        "from traceformat.kernels import callback, kernel\nfrom kernel_room import constants\n"
        "from kernel_room.callee import scaled\nfrom kernel_room.constants import TABLE, Mode\n"
        "@kernel('int64(int64)')\ndef work(x):\n"
        "    return scaled(x) + TABLE[1] + constants.SHIFT * (x == Mode.FAST) + constants.SHIFT\n"
        "@kernel('int64(int64)')\ndef apart(x):\n    return x + 1\n"
        "@callback('int64(int64)')\ndef called(x):\n    return scaled(x)\n"
    ),
}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Imports a package of kernels as a new process would, with edits."""
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "kernel_room").mkdir()

    def load(module: str = "constants", old: str = "", new: str = "") -> ModuleType:
        for name, text in _MODULES.items():
            path = tmp_path / "kernel_room" / f"{name}.py"
            path.write_text(text.replace(old, new) if name == module else text)
        for name in [name for name in sys.modules if name.startswith("kernel_room")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module("kernel_room.user")

    return load


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "kernels").glob("*.kernel"))


def test_a_kernel_is_compiled_once(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    assert load().work(5) == 5 * 3 + 2 + 10
    before = [(path, path.stat().st_mtime_ns) for path in files(tmp_path)]
    assert len(before) == 3
    again = load()
    assert again.work(5) == 27
    assert again.called.cache_hits == 1
    assert [(path, path.stat().st_mtime_ns) for path in files(tmp_path)] == before


@pytest.mark.parametrize(
    ("module", "old", "new", "value"),
    [
        ("constants", "SCALE = 3", "SCALE = 4", 5 * 4 + 2 + 10),
        ("constants", "[1, 2, 4]", "[1, 9, 4]", 5 * 3 + 9 + 10),
        ("constants", "SHIFT = 10", "SHIFT = 11", 5 * 3 + 2 + 11),
        ("constants", "FAST = 6", "FAST = 5", 5 * 3 + 2 + 10 + 10),
        ("callee", "x * SCALE", "x - SCALE", 5 - 3 + 2 + 10),
        ("user", "scaled(x) + TABLE", "scaled(x) - TABLE", 5 * 3 - 2 + 10),
    ],
)
def test_a_stale_kernel_is_refused(
    load: Callable[..., ModuleType], tmp_path: Path, module: str, old: str, new: str, value: int
) -> None:
    load()
    before = files(tmp_path)
    assert load(module, old, new).work(5) == value
    added = [path.name.split("-")[0] for path in files(tmp_path) if path not in before]
    assert "kernel_room.user.work" in added
    assert "kernel_room.user.apart" not in added
    assert load().work(5) == 27


def test_words_do_not_make_a_kernel_stale(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    load()
    before = files(tmp_path)
    load("callee", "'''Scaled.'''", "'''Scaled by a constant.'''\n    # see there\n")
    assert files(tmp_path) == before


def test_old_versions_are_removed(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    for scale in range(3, 10):
        load("constants", "SCALE = 3", f"SCALE = {scale}")
    assert len([path for path in files(tmp_path) if path.name.startswith("kernel_room.user.work-")]) == 4


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: b"", lambda data: data[:99] + b"?" + data[100:]]
)
def test_a_damaged_file_is_the_same_as_none(
    load: Callable[..., ModuleType], tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    load()
    whole = {path: path.read_bytes() for path in files(tmp_path)}
    for path, data in whole.items():
        path.write_bytes(damage(data))
    assert load().work(5) == 27
    # Machine code compressed again may differ by a byte or two.
    assert set(files(tmp_path)) == set(whole)
    assert all(path.stat().st_size > 0.9 * len(data) for path, data in whole.items())
    assert all(path.read_bytes() != damage(data) for path, data in whole.items())


def test_a_folder_that_cannot_be_written(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "kernels").write_text("in the way")
    assert load().work(5) == 27


#: Imports every module that has kernels and compiles none of them: only the keys are asked for.
_KEYS_OF_ALL = """
import importlib, sys
from pathlib import Path
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
keys = []
def note(one, signature):
    keys.append((one.__qualname__, one._cache._path(signature)))
Dispatcher.compile = note
Dispatcher.disable_compile = lambda one: None
CFunc.compile = lambda one: note(one, one._sig)
root = Path(sys.argv[1])
for path in sorted(path for room in ("gpumodel", "replay") for path in (root / room).rglob("*.py")):
    if "kernels import" in path.read_text():
        importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"))
print(len(keys), *[name for name, path in keys if path is None])
"""


def test_every_kernel_of_ours_has_a_key() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KEYS_OF_ALL, str(_ROOT)], capture_output=True, text=True, cwd=_ROOT, check=False
    )
    count, *without = done.stdout.split()
    assert int(count) > 100, done.stderr
    assert without == []


def test_threads_that_meet_a_type_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba gave a type two numbers when two threads met it at once: "No matching definition for argument type(s)"."""
    from numba.core.types import abstract

    kernel()  # makes ready what all kernels need
    record = numba.from_dtype(np.dtype([("first_met_by_threads", "<i4"), ("second", "<i4", 2)]))
    number = abstract._autoincr
    # The other threads have their turn where the number is given.
    monkeypatch.setattr(abstract, "_autoincr", lambda: time.sleep(0.02) or number())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: numba.types.Array(record, 1, "C"), range(4)))
    assert len({type_._code for type_ in found}) == 1
    assert all(type_ is found[0] for type_ in found)


def _work(folder: str, delay: float) -> None:
    time.sleep(delay)
    os.environ["GPUREPLAY_CACHE"] = folder
    module = importlib.import_module("kernel_room.user")
    os._exit(0 if module.work(5) == 27 and module.apart(1) == 2 else 1)


def test_what_was_frozen_stays_frozen() -> None:
    """An engine freezes what is loaded; a kernel that is compiled later may not give it back to the collector."""
    before = gc.get_freeze_count()
    with compiling_many():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() == before == 0
    gc.freeze()
    try:
        with compiling_many(), compiling_many():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_processes_on_a_cold_cache_killed_at_random(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    """Eight start at once, half of them are killed at random; those that are left, and new ones, are right."""
    load()
    for name in [name for name in sys.modules if name.startswith("kernel_room")]:
        del sys.modules[name]
    context = multiprocessing.get_context("fork")
    rng = random.Random(1)
    for attempt in range(3):
        cache = str(tmp_path / f"cold{attempt}")
        for killed in (4, 0):
            processes = [context.Process(target=_work, args=(cache, rng.random() * 0.02)) for _ in range(8)]
            for process in processes:
                process.start()
            for process in processes[:killed]:
                time.sleep(rng.random() * 0.15)
                process.kill()
            for process in processes:
                process.join(60)
            assert [process.exitcode for process in processes[killed:]] == [0] * (8 - killed)
        assert len(list((Path(cache) / "kernels").glob("*.kernel"))) == 3
