"""Machine code that records calls: the same trace as Python's, every call, in order, and Python where it has to be."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest

from capture.interrupts import Faults, Interrupts
from capture.marshal import HandleTable, Marshaller
from capture.native.commands import native_command
from capture.native.elf import is_supported_machine
from capture.native.jumps import Jumps
from capture.native.ring import CALLS, Ring
from capture.native.trampolines import NativeTrampolines
from capture.threads import ThreadState
from capture.trampoline import prototype
from traceformat.calls import Offset
from traceformat.gles.entry_points import COMMANDS

pytestmark = pytest.mark.skipif(not is_supported_machine(), reason="no machine code for this machine")

HOT = "import capture.native.trampolines, capture.recorder as r; r.HOT_CALLS = {}"


@pytest.mark.gl
def test_the_trace_is_the_one_of_python(capture):
    hot, cold = (
        capture("often", driver="system", prelude=HOT.format(calls), name=f"{calls}.gltrace") for calls in (20, 10**9)
    )
    assert (hot.status, cold.status) == (0, 0), hot.stderr + cold.stderr
    assert hot.stdout == cold.stdout
    assert hot.stdout.count("error 1280") == 4
    own, expected = hot.calls(), cold.calls()
    assert len(own) == len(expected) > 2000
    assert own == expected


class Trace:
    """Where a ring writes."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.is_open = True
        self.calls: list[tuple[Any, ...]] = []
        self.batches: list[Any] = []

    def write(self, name, args, outputs, result, thread, context) -> None:
        self.calls.append((name, args, thread, context))

    def write_batch(self, batch) -> None:
        self.batches.append(batch)


class Made:
    """Machine code for one entry point, between a trampoline and a driver that remember what they got."""

    def __init__(self, name: str) -> None:
        command = COMMANDS[name]
        found = native_command(command, Marshaller(command, HandleTable()))
        assert found is not None
        self.trace, self.python, self.real, self.drawn = Trace(), [], [], []
        kind = prototype(command)
        self.callbacks = [kind(lambda *raw: self.python.append(raw)), kind(lambda *raw: self.real.append(raw))]
        python, real = (ctypes.cast(each, ctypes.c_void_p).value or 0 for each in self.callbacks)
        self.ring = Ring(self.trace, lambda: self.drawn.append(1))
        jumps = Jumps()
        jump = jumps.make(python, real)
        faults = Faults(Interrupts())
        natives = self.natives = NativeTrampolines(self.ring, jumps, faults)
        natives.place(name, jump, python, real)
        natives.promote(found)
        assert faults.first is None
        self.function = kind(jump)
        self.state = ThreadState(7)
        self.state.context_number = 3


def test_only_the_thread_whose_turn_it_is_is_recorded():
    made = Made("glUniform4f")
    made.function(1, 0.5, 0.25, -1.0, 2.0)
    assert (len(made.python), made.real) == (1, [])
    made.ring.give(made.state)
    made.function(-1, 0.5, 0.25, -1.0, 2.0)
    thread = threading.Thread(target=made.function, args=(2, 0, 0, 0, 0))
    thread.start()
    thread.join()
    assert (len(made.python), len(made.real)) == (2, 1)
    made.ring.settle()
    assert made.trace.calls == [("glUniform4f", (-1, 0.5, 0.25, -1.0, 2.0), 7, 3)]
    made.function(1, 0, 0, 0, 0)
    assert len(made.python) == 3


def test_a_forked_child_does_not_wait_for_a_thread_that_it_has_not():
    made = Made("glUniform4f")
    made.ring.give(made.state)
    made.function(1, 0.5, 0.25, -1.0, 2.0)
    # Where a thread of the parent is, between taking the lock and giving it back.
    ctypes.c_int64.from_address(made.ring.words["lock"]).value = 1
    made.ring.restart_in_child()
    made.ring.settle()
    assert made.trace.calls == []
    made.ring.give(made.state)
    made.function(2, 0, 0, 0, 0)
    made.ring.settle()
    assert [args[0] for _, args, _, _ in made.trace.calls] == [2]


def test_content_is_copied_when_the_call_is_made():
    made = Made("glUniform2fv")
    made.ring.give(made.state)
    content = (ctypes.c_float * 4)(1, 2, 3, 4)
    made.function(5, 2, ctypes.addressof(content))
    content[0] = 9
    for count, address in ((0, ctypes.addressof(content)), (-1, ctypes.addressof(content)), (1, None)):
        made.function(5, count, address)
    made.function(5, 1 << 29, ctypes.addressof(content))
    made.ring.settle()
    assert made.trace.calls == [("glUniform2fv", (5, 2, bytes((ctypes.c_float * 4)(1, 2, 3, 4))), 7, 3)]
    assert len(made.python) == 4


def test_a_full_buffer_goes_through_python():
    made = Made("glDepthFunc")
    made.ring.give(made.state)
    for number in range(CALLS + 5):
        made.function(number)
    assert (len(made.real), len(made.python)) == (CALLS, 5)
    made.ring.settle()
    (batch,) = made.trace.batches
    (group,) = batch.columns
    assert group.values[0].tolist() == list(range(CALLS))
    assert set(batch.threads.tolist()) == {7}


def test_draws_of_client_memory_go_through_python():
    made = Made("glDrawElements")
    array = made.state.shadow.vertex_array
    array.element_buffer = 0
    made.ring.give(made.state)
    made.function(4, 3, 0x1403, 0)
    assert (len(made.python), made.real) == (1, [])
    array.element_buffer = 9
    try:
        made.ring.give(made.state)
        made.function(4, 3, 0x1403, 12)
        array.client.add(0)
        made.ring.give(made.state)
        made.function(4, 3, 0x1403, 12)
    finally:
        array.element_buffer = 0
        array.client.clear()
    assert made.trace.calls == [("glDrawElements", (4, 3, 0x1403, Offset(12)), 7, 3)]
    assert (len(made.drawn), len(made.python), len(made.real)) == (1, 2, 1)


def test_what_python_has_to_judge_is_left_to_it():
    left = ("glBindBuffer", "glVertexAttribPointer", "glGenBuffers", "glFinish", "glTexImage2D", "glMapBufferRange")
    for name in left:
        assert native_command(COMMANDS[name], Marshaller(COMMANDS[name], HandleTable())) is None, name
    made = Made("glEnable")
    made.ring.give(made.state)
    for switch in (0x0BE2, 0x8F9D, 0x8D69):
        made.function(switch)
    assert (made.real, made.python) == ([(0x0BE2,)], [(0x8F9D,), (0x8D69,)])
