"""Machine code that records calls: the same trace as Python's, every call, in order, and Python where it has to be."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_recording import ARRAY, NAMES, QUERY, SIZES, UNIFORM, Made, random_calls

from capture.marshal import HandleTable, Marshaller
from capture.native import ring
from capture.native.commands import IS_KNOWN, native_command
from capture.native.elf import is_supported_machine
from capture.native.ring import CALLS, DATA_BYTES
from capture.rules import AFTER
from capture.shadow import ContextShadow, ShareShadow, bind_vertex_array
from traceformat.calls import Offset
from traceformat.framing.chunks import CHUNK_BYTES, MAX_RAW_BYTES
from traceformat.gles.entry_points import COMMANDS
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


def taken(made: Made, path: Path) -> list[tuple[Any, ...]]:
    """Names and arguments of what a ring has recorded."""
    with TraceWriter(path) as writer:
        made.trace.use(writer)
        made.ring.settle()
    with open_trace(path) as reader:
        assert not reader.damage
        return [(call.name, *call.args) for call in reader]


def test_a_full_buffer_is_a_chunk_that_readers_accept():
    rows = []
    for command in COMMANDS.values():
        found = native_command(command, Marshaller(command, HandleTable()))
        rows.append(found.row.itemsize if found else 0)
    order, length = 2, 4
    assert max(rows) > 40
    assert CALLS * (max(rows) + order + length) + DATA_BYTES + 2 * CHUNK_BYTES < MAX_RAW_BYTES


def test_a_full_buffer_goes_through_python(tmp_path):
    made = Made("glDepthFunc")
    made.ring.give(made.state)
    for number in range(CALLS + 5):
        made.function(number)
    assert (len(made.real), len(made.python)) == (CALLS, 5)
    assert taken(made, tmp_path / "out.gltrace") == [("glDepthFunc", number) for number in range(CALLS)]
    assert made.trace.num_packed == 1


@pytest.mark.parametrize("count", [3, 300])
def test_calls_without_arguments_are_recorded(count, tmp_path):
    made = Made("glPopDebugGroup")
    other = made.also("glDepthFunc")
    made.ring.give(made.state)
    for number in range(count):
        made.function()
        other(number)
    assert (len(made.real), made.python) == (2 * count, [])
    assert taken(made, tmp_path / "out.gltrace") == [
        call for number in range(count) for call in (("glPopDebugGroup",), ("glDepthFunc", number))
    ]


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


# -- the way into the trace, against its plain twin --------------------------------------------------------------------


def record(calls: list[tuple[Any, ...]], path: Path, seed: int) -> tuple[list[Any], list[Any], int]:
    """Let machine code record calls, and take them at random moments; gives them, what is known then, and draws."""
    dice = np.random.default_rng(seed)
    made = Made(NAMES[0])
    functions = {NAMES[0]: made.function} | {name: made.also(name) for name in NAMES[1:]}
    shadow = made.state.shadow = ContextShadow(ShareShadow())
    shadow.array_flags[:4] = bytes([IS_KNOWN] * 4)
    for name, size in SIZES.items():
        shadow.buffer(name).data = bytes(size)
    with TraceWriter(path) as writer:
        made.trace.use(writer)
        made.ring.give(made.state)
        for name, *args in calls:
            functions[name](*args)
            if dice.random() < 0.004:
                made.ring.settle()
                writer.write("glUniform2fv", (1, 1, bytes(8)), thread=7, context=3)
                writer.save()
                made.ring.give(made.state)
        made.ring.settle()
    assert made.python == []
    with open_trace(path) as reader:
        assert not reader.damage
        found = [(call.name, call.args, call.thread, call.context) for call in reader]
    known = [bytes(shadow.buffer(name).data) for name in SIZES]
    known += [shadow.bound(target) for target in (ARRAY, UNIFORM, QUERY)]
    return (
        found,
        [*known, shadow.bound_array, shadow.vertex_array is shadow.vertex_arrays[shadow.bound_array]],
        len(made.drawn),
    )


@pytest.mark.parametrize("seed", range(6))
def test_calls_taken_together_are_those_taken_one_by_one(seed, tmp_path, monkeypatch):
    calls = random_calls(seed, 1500)
    monkeypatch.setattr(ring, "_FEW", 10**9)
    expected = record(calls, tmp_path / "single.gltrace", seed)
    monkeypatch.setattr(ring, "_FEW", 0)
    assert record(calls, tmp_path / "together.gltrace", seed) == expected
    assert len(expected[0]) > 1500
    assert [args for name, args, *_ in expected[0] if name == "glBufferSubData"] == [
        tuple(args) for name, *args in calls if name == "glBufferSubData"
    ]


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


def test_calls_that_are_lost_on_the_way_leave_no_mark_on_those_that_follow(tmp_path, monkeypatch):
    """What a handler of a signal raises can come between any two lines."""
    monkeypatch.setattr(ring, "_FEW", 0)
    made = Made("glUniform2fv")
    contents = [np.full(2, number, "f4") for number in range(4)]

    def send(*numbers: int) -> None:
        made.ring.give(made.state)
        for number in numbers:
            made.function(number, 1, contents[number].ctypes.data)

    with TraceWriter(tmp_path / "out.gltrace") as writer:
        made.trace.use(writer)
        send(0, 1)
        made.ring.settle()
        made.trace.write_packed = interrupt
        send(2, 3)
        with pytest.raises(KeyboardInterrupt):
            made.ring.settle()
        made.trace.use(writer)
        send(3, 1, 2, 0)
        made.ring.settle()
    with open_trace(tmp_path / "out.gltrace") as reader:
        assert [call.args for call in reader] == [(n, 1, contents[n].tobytes()) for n in (0, 1, 3, 1, 2, 0)]
        assert not reader.damage


def interrupt(calls) -> None:
    raise KeyboardInterrupt
