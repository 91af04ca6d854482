"""Machine code that records calls: the same trace as Python's, every call, in order, and Python where it has to be."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest

from capture.interrupts import Faults, Interrupts
from capture.marshal import HandleTable, Marshaller
from capture.native.commands import native_command
from capture.native.effects import change_shadow
from capture.native.elf import is_supported_machine
from capture.native.jumps import Jumps
from capture.native.ring import CALLS, Ring
from capture.native.trampolines import NativeTrampolines
from capture.rules import AFTER
from capture.shadow import ContextShadow, ShareShadow, bind_vertex_array
from capture.threads import ThreadState
from capture.trampoline import prototype
from traceformat.calls import Offset
from traceformat.framing.headers import ValueKind
from traceformat.gles.entry_points import COMMANDS
from traceformat.gltrace.callbuilder import CallBatch, CallColumns
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

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
        self.trace, self.python, self.real, self.drawn = Trace(), [], [], []
        self.callbacks = []
        self.ring = Ring(self.trace, lambda: self.drawn.append(1))
        self.jumps, self.faults = Jumps(), Faults(Interrupts())
        self.natives = NativeTrampolines(self.ring, self.jumps, self.faults)
        self.function = self.also(name)
        self.state = ThreadState(7)
        self.state.context_number = 3

    def also(self, name: str) -> Any:
        """Give another entry point."""
        command = COMMANDS[name]
        found = native_command(command, Marshaller(command, HandleTable()))
        assert found is not None
        kind = prototype(command)
        ours = [kind(lambda *raw: self.python.append(raw)), kind(lambda *raw: self.real.append(raw))]
        self.callbacks += ours
        python, real = (ctypes.cast(each, ctypes.c_void_p).value or 0 for each in ours)
        jump = self.jumps.make(python, real)
        self.natives.place(name, jump, python, real)
        self.natives.promote(found)
        assert self.faults.first is None
        return kind(jump)


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


@pytest.mark.parametrize("count", [3, 300])
def test_calls_without_arguments_are_recorded(count, tmp_path):
    made = Made("glPopDebugGroup")
    other = made.also("glDepthFunc")
    made.ring.give(made.state)
    for number in range(count):
        made.function()
        other(number)
    assert (len(made.real), made.python) == (2 * count, [])
    with TraceWriter(tmp_path / "out.gltrace") as writer:
        made.trace.write, made.trace.write_batch = writer.append, writer.append_batch
        made.ring.settle()
    with open_trace(tmp_path / "out.gltrace") as reader:
        found = [(call.name, *call.args) for call in reader]
    assert found == [call for number in range(count) for call in (("glPopDebugGroup",), ("glDepthFunc", number))]


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
    left = ("glBufferData", "glVertexAttribPointer", "glGenBuffers", "glFinish", "glTexImage2D", "glMapBufferRange")
    for name in left:
        assert native_command(COMMANDS[name], Marshaller(COMMANDS[name], HandleTable())) is None, name
    made = Made("glEnable")
    made.ring.give(made.state)
    for switch in (0x0BE2, 0x8F9D, 0x8D69):
        made.function(switch)
    assert (made.real, made.python) == ([(0x0BE2,)], [(0x8F9D,), (0x8D69,)])


def test_contents_of_any_size_are_written_as_they_were():
    made = Made("glUniform4fv")
    made.ring.give(made.state)
    dice = np.random.default_rng(3)
    sent = []
    for number in range(300):
        content = (
            dice.standard_normal((int(dice.integers(1, 3)), 4)).astype("f4") if number % 3 else np.ones((1, 4), "f4")
        )
        made.function(number, len(content), content.ctypes.data)
        sent.append((number, len(content), content.tobytes()))
    made.ring.settle()
    (batch,) = made.trace.batches
    found = {}
    for group in batch.columns:
        for place, *values in zip(group.places.tolist(), *group.values, strict=True):
            found[place] = tuple(value.tobytes() if value.ndim else value.item() for value in values)
    assert [found[place] for place in range(300)] == sent


@pytest.mark.parametrize("size", [1, 3, 4, 6, 24, 64, 300])
def test_contents_by_rows_are_read_back_as_the_same(size, tmp_path):
    """Few different ones, many, and some that are alike."""
    dice = np.random.default_rng(size)
    few, many = dice.integers(0, 2, (40, size), np.uint8), dice.integers(0, 256, (500, size), np.uint8)
    many[::7] = many[3]
    path = tmp_path / "out.gltrace"
    kinds = (ValueKind.I32, ValueKind.I32, ValueKind.BYTES)
    sent = [few, np.repeat(few[:2], 30, axis=0), many, many]
    with TraceWriter(path) as trace:
        for rows in sent:
            count = len(rows)
            columns = [np.arange(count), np.full(count, size), rows]
            group = CallColumns("glUniform1fv", 0, kinds, ValueKind.NONE, np.arange(count), columns)
            trace.append_batch(CallBatch([group], [], *np.ones((2, count), np.uint32)))
            trace.write("glUniform1fv", (1, size, rows[-1].tobytes()), context=1)
            trace.save()
    with open_trace(path) as reader:
        contents = [call.args[2] for call in reader]
        assert not reader.damage
    assert contents == [row.tobytes() for rows in sent for row in (*rows, rows[-1])]


# -- what they change of the shadow ------------------------------------------------------------------------------------

ARRAY, UNIFORM = 0x8892, 0x8A11


def shadow_of(buffers):
    shadow = ContextShadow(ShareShadow())
    for name, size in buffers.items():
        shadow.buffer(name).data = bytes(size)
    return shadow


@pytest.mark.parametrize("seed", range(12))
def test_a_batch_changes_the_shadow_as_single_calls_do(seed):
    dice = np.random.default_rng(seed)
    sizes = {1: 64, 2: 40, 3: 7}
    single, batch = shadow_of(sizes), shadow_of(sizes)
    widths = [[16], [8, 12], [64]][seed % 3]
    rows = {}
    for place in range(80):
        name = ("glBindBuffer", "glBindBufferBase", "glBindVertexArray", "glBufferSubData")[dice.integers(0, 4)]
        target, buffer = (ARRAY, UNIFORM)[dice.integers(0, 2)], int(dice.integers(0, 4))
        key, values = name, (target, buffer)
        if name == "glBindBufferBase":
            values = (target, 1, buffer)
        elif name == "glBindVertexArray":
            values = (buffer,)
        elif name == "glBufferSubData":
            width = widths[dice.integers(0, len(widths))]
            offset = int(dice.integers(-1, 6)) * (width if seed % 2 else 4)
            key, values = (name, width), (target, offset, width, dice.bytes(width))
        AFTER[name](single, values, values, None)
        rows.setdefault(key, []).append((place, values))
    groups = []
    for key, calls in rows.items():
        name = key if isinstance(key, str) else key[0]
        columns = [np.array(column) for column in zip(*(values for _, values in calls), strict=True)]
        if name == "glBufferSubData":
            columns[3] = np.array([list(values[3]) for _, values in calls], np.uint8)
        places = np.array([place for place, _ in calls])
        groups.append((name, CallColumns(name, 0, (), ValueKind.NONE, places, columns)))
    change_shadow(batch, groups)
    assert {name: bytes(batch.buffer(name).data) for name in sizes} == {
        name: bytes(single.buffer(name).data) for name in sizes
    }
    assert {target: batch.bound(target) for target in (ARRAY, UNIFORM)} == {
        target: single.bound(target) for target in (ARRAY, UNIFORM)
    }
    assert batch.bound_array == single.bound_array
    assert batch.vertex_array is batch.vertex_arrays[batch.bound_array]


def test_buffer_writes_are_recorded_and_known():
    made = Made("glBufferSubData")
    shadow = made.state.shadow
    shadow.bindings[ARRAY] = 5
    shadow.buffer(5).data = bytes(16)
    content = (ctypes.c_ubyte * 4)(1, 2, 3, 4)
    made.ring.give(made.state)
    made.function(ARRAY, 8, 4, ctypes.addressof(content))
    # Indices' buffers, whose contents draws of client memory ask for, and what is too large or nothing.
    for target, size in ((0x8893, 4), (ARRAY, 0), (ARRAY, 1 << 40), (ARRAY, -4)):
        made.function(target, 0, size, ctypes.addressof(content))
    assert (len(made.real), len(made.python)) == (1, 4)
    made.ring.settle()
    assert made.trace.calls == [("glBufferSubData", (ARRAY, 8, 4, b"\1\2\3\4"), 7, 3)]
    assert bytes(shadow.buffer(5).data) == bytes(8) + b"\1\2\3\4" + bytes(4)
    shadow.share.persistent[5] = bytearray(16)
    try:
        made.ring.give(made.state)
        made.function(ARRAY, 8, 4, ctypes.addressof(content))
    finally:
        shadow.share.persistent.clear()
    assert len(made.python) == 5


def test_a_vertex_array_brings_what_is_known_of_it():
    made = Made("glBindVertexArray")
    draw = made.also("glDrawElements")
    shadow = made.state.shadow
    made.ring.give(made.state)
    # The first time it is bound it is not known: Python looks.
    made.function(4)
    bind_vertex_array(shadow, 4)
    shadow.vertex_array.element_buffer = 9
    made.ring.give(made.state)
    for name in (0, 4, 0):
        made.function(name)
        draw(4, 3, 0x1403, 12)
    made.function(2000)
    assert made.python == [(4,), *[(4, 3, 0x1403, 12)] * 2, (2000,)]
    made.ring.settle()
    assert [(name, *args) for name, args, *_ in made.trace.calls] == [
        ("glBindVertexArray", 0), ("glBindVertexArray", 4), ("glDrawElements", 4, 3, 0x1403, Offset(12)),
        ("glBindVertexArray", 0),
    ]  # fmt: skip
    assert (shadow.bound_array, shadow.vertex_array.element_buffer) == (0, 0)
    AFTER["glDeleteVertexArrays"](shadow, (1, 0), (1, b"\4\0\0\0"), None)
    made.ring.give(made.state)
    made.function(4)
    assert made.python[-1] == (4,)
