"""What machine code has recorded survives its process without anybody's work: it lies in a file beside the trace."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_recording import NAMES, SIZES, Made, random_calls

from capture.interrupts import Faults, Interrupts
from capture.keeper import Keeper
from capture.native import ring
from capture.native.commands import IS_KNOWN
from capture.native.elf import is_supported_machine
from capture.native.libc import LIBC
from capture.native.ring import CALLS
from capture.shadow import ContextShadow, ShareShadow
from capture.sink import TraceFile
from traceformat.errors import ToolError
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.ringfile import COMMANDS_AT, CONTENTS_AT, INDEX_AT, ROWS_AT, ring_path
from traceformat.tools.repack import repack

PROGRAMS, ROOT = Path(__file__).parent / "programs", Path(__file__).parents[2]

native = pytest.mark.skipif(not is_supported_machine(), reason="no machine code for this machine")


class Recording:
    """A trace that machine code writes into, and what a reader finds if the process ends now."""

    def __init__(self, folder: Path, names: tuple[str, ...] = ("glUniform4f",)) -> None:
        self.trace = TraceFile(folder / "out.gltrace", {})
        self.made = Made(names[0], self.trace)
        self.functions = {names[0]: self.made.function} | {name: self.made.also(name) for name in names[1:]}
        self.folder = folder
        self.trace.flush()
        assert self.made.ring.is_kept

    def give(self) -> None:
        self.made.ring.give(self.made.state)

    def write(self, number: int) -> None:
        """Write a call as Python does."""
        self.made.ring.settle()
        self.trace.write("glDepthFunc", (number,), None, None, 7, 3)

    def found(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Calls of the files as they are, read elsewhere."""
        (part,) = self.folder.glob(".out.gltrace.*.part")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        for path in (part, ring_path(part)):
            shutil.copy(path, elsewhere)
        with open_trace(elsewhere / part.name) as reader:
            calls = list(reader)
        assert [call.number for call in calls] == list(range(len(calls)))
        assert all((call.thread, call.context) == (7, 3) for call in calls)
        return [(call.name, call.args) for call in calls]


@pytest.fixture
def recording(tmp_path):
    return Recording(tmp_path)


@native
@pytest.mark.parametrize("few", [0, 24])
@pytest.mark.parametrize("seed", range(3))
def test_every_moment_of_random_calls(seed, few, tmp_path, monkeypatch):
    """Also those at which calls are being taken into the trace, when rows are changed and contents are numbered."""
    monkeypatch.setattr(ring, "_FEW", few)
    recording = Recording(tmp_path, NAMES)
    trace, shadow = recording.trace, ContextShadow(ShareShadow())
    recording.made.state.shadow = shadow
    shadow.array_flags[:4] = bytes([IS_KNOWN] * 4)
    for name, size in SIZES.items():
        shadow.buffer(name).data = bytes(size)
    expected: list[tuple[str, tuple[Any, ...]]] = []

    def look() -> None:
        assert recording.found() == expected

    def looking(function: Any, *, is_sparse: bool) -> Any:
        def call(*arguments: Any) -> None:
            if not is_sparse or dice.random() < 0.1:
                look()
            function(*arguments)
            trace.save_now()
            if not is_sparse or dice.random() < 0.1:
                look()

        return call

    dice = np.random.default_rng(seed)
    monkeypatch.setattr(trace, "write_packed", looking(trace.write_packed, is_sparse=False))
    monkeypatch.setattr(trace, "write", looking(trace.write, is_sparse=True))
    recording.give()
    for name, *args in random_calls(seed, 600):
        recording.functions[name](*args)
        # What the entry point gets of a float.
        expected.append((name, tuple(float(np.float32(each)) if type(each) is float else each for each in args)))
        if dice.random() < 0.02:
            look()
        if dice.random() < 0.02:
            recording.made.ring.settle()
            look()
            recording.give()
    look()
    assert len(expected) == 600
    assert recording.made.python == []


@native
def test_nothing_comes_behind_a_call_that_is_lost(recording):
    recording.write(0)
    recording.trace.save_now()
    recording.give()
    recording.made.function(1, 0, 0, 0, 0)
    assert [name for name, _ in recording.found()] == ["glDepthFunc", "glUniform4f"]
    # Not saved: what machine code records behind it has no place yet.
    recording.write(1)
    recording.give()
    recording.made.function(2, 0, 0, 0, 0)
    assert [name for name, _ in recording.found()] in (["glDepthFunc"], ["glDepthFunc", "glUniform4f"])
    recording.trace.save_now()
    assert [args[0] for _, args in recording.found()] == [0, 1, 1, 2]


@native
def test_what_is_old_is_saved_when_it_is_taken_in(recording, monkeypatch):
    """Whenever the trace was saved last, it does not wait twice as long."""
    now = [0.0]
    for place in ("traceformat.gltrace.writer.monotonic", "capture.native.ring.monotonic"):
        monkeypatch.setattr(place, lambda: now[0])
    recording.write(0)
    recording.give()
    recording.made.function(1, 0, 0, 0, 0)
    now[0] = 0.004
    recording.trace.save_now()
    now[0] = 0.006
    recording.made.ring.settle()
    assert [args[0] for _, args in recording.found()] == [0, 1]


@native
def test_a_full_buffer(recording):
    recording.give()
    for number in range(CALLS + 5):
        recording.made.function(number, 0, 0, 0, 0)
    assert [args[0] for _, args in recording.found()] == list(range(CALLS))
    assert len(recording.made.python) == 5


@native
def test_it_is_written_down_anew(recording, tmp_path):
    recording.give()
    recording.made.function(1, 0.5, 0.25, -1.0, 2.0)
    recording.found()
    (part,) = (tmp_path / "elsewhere").glob("*.part")
    with open_trace(part) as reader:
        assert repack(reader, tmp_path / "whole.gltrace", recover=True) == 1
    with open_trace(tmp_path / "whole.gltrace") as reader:
        assert [call.args for call in reader] == [(1, 0.5, 0.25, -1.0, 2.0)]


@native
@pytest.mark.parametrize("seed", range(4))
def test_damage_takes_no_call_of_the_trace(seed, tmp_path):
    dice = np.random.default_rng(seed)
    recording = Recording(tmp_path, ("glUniform4f", "glUniform2fv", "glPopDebugGroup"))
    recording.write(5)
    recording.trace.save_now()
    recording.give()
    for number in range(40):
        content = np.full(2, number, "f4")
        recording.functions["glUniform2fv"](number, 1, content.ctypes.data)
        recording.functions["glPopDebugGroup"]()
        recording.made.function(number, 0, 0, 0, 0)
    whole = recording.found()
    assert len(whole) == 121
    (part,) = (tmp_path / "elsewhere").glob("*.part")
    path = ring_path(part)
    data = path.read_bytes()
    regions = [(0, 88), (INDEX_AT, 240), (CONTENTS_AT, 320), (COMMANDS_AT, 336), (ROWS_AT, len(data) - ROWS_AT)]
    for _ in range(60):
        changed = bytearray(data[: len(data) if dice.random() < 0.8 else dice.integers(0, len(data))])
        for _ in range(int(dice.integers(1, 5))):
            start, size = regions[dice.integers(0, len(regions))]
            at = start + int(dice.integers(0, size))
            if at < len(changed):
                changed[at] = int(dice.integers(0, 256))
        path.write_bytes(changed)
        try:
            with open_trace(part) as reader:
                calls = [(call.name, call.args) for call in reader]
        except ToolError as error:
            pytest.fail(str(error))
        assert calls[:1] == whole[:1]
    path.unlink()
    with open_trace(part) as reader:
        assert len(list(reader)) == 1


@native
@pytest.mark.parametrize("fork", [os.fork, LIBC.fork], ids=["by Python", "by native code"])
def test_a_child_leaves_the_parents_memory_alone(fork, recording):
    recording.give()
    recording.made.function(1, 0, 0, 0, 0)
    child = fork()
    if not child:
        word = ctypes.c_int64.from_address(recording.made.ring.words["count"])
        was_empty = word.value == 0
        word.value = 17
        os._exit(0 if was_empty else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    recording.made.function(2, 0, 0, 0, 0)
    assert [args[0] for _, args in recording.found()] == [1, 2]


@native
def test_where_there_is_no_room_calls_are_taken_as_before(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "posix_fallocate", no_room)
    trace = TraceFile(tmp_path / "out.gltrace", {})
    made = Made("glUniform4f", trace)
    assert not made.ring.is_kept
    assert not list(tmp_path.glob("*.ring"))
    made.ring.give(made.state)
    made.function(1, 0, 0, 0, 0)
    trace.save(made.ring.settle_in_time)
    (part,) = tmp_path.glob(".out.gltrace.*.part")
    with open_trace(part) as reader:
        assert [call.args[0] for call in reader] == [1]


@native
def test_an_entry_point_without_room_stays_with_python(recording, monkeypatch):
    monkeypatch.setattr(os, "posix_fallocate", no_room)
    other = recording.made.also("glUniform1f")
    recording.give()
    other(1, 0.5)
    recording.made.function(1, 0, 0, 0, 0)
    assert recording.made.python == [(1, 0.5)]
    assert [name for name, _ in recording.found()] == ["glUniform4f"]


def no_room(*arguments: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_keeper_rests_until_it_is_called():
    saved, is_resting = list[float](), [True]
    keeper = Keeper(lambda: saved.append(time.monotonic()), lambda: is_resting[0], Faults(Interrupts()))
    keeper.start()
    try:
        time.sleep(0.2)
        assert len(saved) <= 2
        called, before = time.monotonic(), len(saved)
        keeper.wake()
        deadline = called + 5
        while len(saved) == before and time.monotonic() < deadline:
            time.sleep(0.001)
        assert saved[-1] > called
        is_resting[0] = False
        keeper.wake()
        before = len(saved)
        time.sleep(0.3)
        assert len(saved) > before + 5
    finally:
        assert keeper.stop()
    assert not keeper.is_running


def test_a_resting_keeper_ends_at_once():
    keeper = Keeper(lambda: None, lambda: True, Faults(Interrupts()))
    keeper.start()
    time.sleep(0.05)
    began = time.monotonic()
    assert keeper.stop()
    assert time.monotonic() - began < 0.2


@pytest.mark.gl
def test_a_program_that_is_killed_while_machine_code_alone_records(tmp_path):
    progress, trace = tmp_path / "progress", tmp_path / "out.gltrace"
    process = subprocess.Popen(
        [sys.executable, "-c", "from capture.cli import main; main()", "run", "--driver", "system", "-o", str(trace),
         str(PROGRAMS / "uniforms_until_killed.py"), str(progress)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless"},
    )  # fmt: skip

    def made() -> int:
        return progress.stat().st_size if progress.exists() else 0

    deadline = time.monotonic() + 60
    while made() < 5000 and time.monotonic() < deadline:
        time.sleep(0.01)
    sure = made()
    time.sleep(0.1)
    process.kill()
    process.wait()
    assert sure >= 5000
    (part,) = tmp_path.glob(".out.gltrace.*.part")
    assert ring_path(part).exists() == is_supported_machine()
    with open_trace(part) as reader:
        sent = [call.array("value")[0] for call in reader if call.name.startswith("glUniform1f")]
    assert sent == list(range(len(sent)))
    assert made() + 1 >= len(sent) >= sure
