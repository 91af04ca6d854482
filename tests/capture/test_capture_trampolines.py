"""Trampolines: one for every entry point, guarded, and calling through with exact C types."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

import capture.interrupts
from capture.codegen import Steps, forwarding_body
from capture.interrupts import TRAMPOLINE_FILE, Faults, Interrupts
from capture.marshal import HandleTable, Marshaller
from capture.threads import Threads
from capture.trampoline import TrampolineFactory, prototype
from traceformat.errors import InternalError, UnsupportedCallError
from traceformat.gles.entry_points import COMMANDS


class Trace:
    is_recording = True

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.calls: list[tuple[Any, ...]] = []

    def write(self, name, args, outputs, result, thread, context) -> None:
        self.calls.append((name, args, outputs, result))


class Made:
    """A trampoline for one command, and a driver that remembers what it got."""

    def __init__(self, name: str, result: Any = None, steps: Steps | None = None) -> None:
        self.command = COMMANDS[name]
        self.threads, self.trace, self.got = Threads(), Trace(), []
        self.threads.state().context_number = 1
        self.faults = Faults(Interrupts())

        def real(*values: Any) -> Any:
            self.got.append(values)
            return result

        handles = HandleTable()
        body, scope = forwarding_body(
            self.command,
            Marshaller(self.command, handles),
            steps or Steps(),
            {"trace": self.trace, "real": real, "recorder": None, "fresh": handles.fresh},
        )
        factory = TrampolineFactory(self.threads, self.faults)
        self.function = prototype(self.command)(factory.make_written(self.command, body, scope))


def test_every_entry_point_can_have_one():
    names = [name for name in COMMANDS if not name.startswith("trace")]
    assert len(names) > 2000
    handles = HandleTable()
    factory = TrampolineFactory(Threads(), Faults(Interrupts()))
    scope = {"trace": None, "real": None, "recorder": None, "fresh": handles.fresh}
    for name in names:
        command = COMMANDS[name]
        body, used = forwarding_body(command, Marshaller(command, handles), Steps(), scope)
        assert factory.make_written(command, body, used), name


def test_values_keep_their_types():
    made = Made("glUniform4f")
    made.function(-1, 0.5, 0.25, 1e9, -0.0)
    assert made.got == [(-1, 0.5, 0.25, 1e9, -0.0)]
    assert made.trace.calls == [("glUniform4f", made.got[0], None, None)]
    made = Made("glStencilMask")
    made.function(0xFFFFFFFF)
    assert made.got == [(0xFFFFFFFF,)]
    made = Made("glBufferData")
    content = (ctypes.c_float * 2)(1, 2)
    made.function(0x8892, 8, ctypes.addressof(content), 0x88E4)
    assert made.trace.calls[0][1] == (0x8892, 8, bytes(content), 0x88E4)


def test_results_come_back():
    made = Made("glGetUniformLocation", result=-1)
    text = ctypes.create_string_buffer(b"color")
    assert made.function(3, ctypes.addressof(text)) == -1
    assert made.trace.calls == [("glGetUniformLocation", (3, "color"), None, -1)]
    made = Made("glFenceSync", result=0x7F0012345678)
    assert made.function(0x9117, 0) == 0x7F0012345678
    assert made.trace.calls[0][3] == 1


def test_a_call_from_within_a_call_is_not_the_programs():
    made = Made("glFinish")
    made.threads.state().inside = True
    made.function()
    assert made.got == [()]
    assert made.trace.calls == []


def test_nothing_is_read_after_the_end():
    made = Made("glBufferData")
    made.trace.is_recording = False
    made.function(0x8892, 8, 0xDEAD0000, 0x88E4)
    assert len(made.got) == 1
    assert made.trace.calls == []


def test_an_error_of_ours_is_kept():
    made = Made("glFinish", steps=Steps(finish=(partial(int, "odd"),)))
    made.function()
    assert isinstance(made.faults.first, InternalError)
    assert "glFinish" in str(made.faults.first)
    assert "odd" in str(made.faults.first)
    assert not made.threads.state().inside


def test_what_is_not_supported_is_kept():
    def finish() -> None:
        raise UnsupportedCallError("no glX")

    made = Made("glFinish", steps=Steps(finish=(finish,)))
    made.function()
    assert str(made.faults.first) == "no glX"
    assert made.faults.first.exit_code == 1


def test_an_error_before_the_guard_is_kept_too(monkeypatch):
    made = Made("glFinish")
    made.faults.install()
    try:
        monkeypatch.setattr(made.threads, "local", None)
        monkeypatch.setattr(made.threads, "state", partial(divmod, 1, 0))
        made.function()
    finally:
        made.faults.remove()
    assert "ZeroDivisionError" in str(made.faults.first)


def test_what_is_raised_later_reaches_a_program_that_waits_for_gl_all_the_time():
    interrupts = Interrupts()
    interrupts.install(lambda number: None)
    scope = {"sleep": time.sleep}
    exec(compile("def wait():\n    sleep(0.003)", TRAMPOLINE_FILE, "exec"), scope)
    wait = cast("Callable[[], None]", scope["wait"])
    # Another thread's; the main one need not send a signal. Not while the main one still starts it.
    begun = threading.Event()
    threading.Thread(target=lambda: begun.wait() and interrupts.raise_in_program(SystemExit(7))).start()
    try:
        with pytest.raises(SystemExit, match="7"):
            [(begun.set(), wait()) for _ in range(200)]
    finally:
        interrupts.remove()
    assert sys.gettrace() is None


def test_what_comes_behind_the_programs_end_is_dropped():
    """Raised where the trace is given its name, it would take the trace with it."""
    ours = str(Path(capture.interrupts.__file__).with_name("session.py"))
    scope: dict[str, Any] = {"sleep": time.sleep}
    exec(compile("def end(call):\n    call()\n    for _ in range(20): sleep(0.001)", ours, "exec"), scope)
    interrupts = Interrupts()
    interrupts.install(lambda number: None)
    try:
        scope["end"](partial(interrupts.raise_in_program, SystemExit(7)))
        begun: list[int] = []

        def later() -> None:
            # What begins it has no frame of its own, where it could be raised.
            while not begun:
                time.sleep(0.001)
            interrupts.raise_in_program(SystemExit(7))

        thread = threading.Thread(target=later)
        thread.start()
        scope["end"](partial(begun.append, 1))
        thread.join()
    finally:
        interrupts.remove()
    assert sys.gettrace() is None
