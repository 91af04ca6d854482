"""Calls executed from their rows against the same calls one by one: state, errors, what goes to the backend."""

from __future__ import annotations

import random
import struct
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from replay.reflect import ReflectingBackend
from traceformat.calls import Call, Offset, Value
from traceformat.errors import ToolError
from traceformat.framing.headers import ValueKind
from traceformat.gles import enums as gl
from traceformat.gles import runs as call_runs
from traceformat.gles.backend import DrawRun
from traceformat.gles.dispatch import find_entry
from traceformat.gles.objects import ClientArray
from traceformat.gles.playing import TracePlayer
from traceformat.gles.runs import CallRun, RunCalls, find_runs
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.callcolumns import CallColumns
from traceformat.gltrace.reader import TraceReader
from traceformat.gltrace.writer import TraceWriter
from traceformat.tools.statedump import state_of

VERTEX = """attribute vec4 p; attribute vec2 q; uniform mat4 m; uniform vec4 u[3];
void main() { gl_Position = m * p + u[1] + q.xyxy; }"""
FRAGMENT = """precision highp float; uniform vec4 tint; uniform sampler2D t; uniform ivec2 steps; uniform bool is_red;
void main() { gl_FragColor = is_red ? vec4(1, 0, 0, 1) : tint * texture2D(t, tint.xy + vec2(steps)); }"""
ODD_INTEGERS = (-1, 99, 1 << 31, -(1 << 31))
#: What fits every parameter: one value that does not has all calls of its shape executed one by one.
FITTING_INTEGERS = (77, 99)
INDEX_BYTES = {gl.GL_UNSIGNED_BYTE: 1, gl.GL_UNSIGNED_SHORT: 2}
ODD_FLOATS = (float("nan"), float("inf"), 1e39)


class Log(ReflectingBackend):
    """Takes down what it is asked to draw."""

    def __init__(self) -> None:
        super().__init__()
        self.draws: list[Any] = []

    def draw(self, context: Any, call: Any) -> None:
        clients = [a.client.data if a.client is not None else None for a in context.vertex_array.attribs[:3]]
        bits, context.changes.bits = context.changes.bits, 0
        indices = bytes(call.indices) if call.indices is not None else None
        executable = context.program.executable
        uniforms = bytes(executable.constants), sorted(executable.changed), executable.version
        executable.changed.clear()
        self.draws.append(
            (context.name, context.call_number, call.mode, call.first, call.count, indices, clients, bits, uniforms)
        )

    def clear(self, context: Any, mask: int) -> None:
        self.draws.append((context.name, context.call_number, mask))


def set_up(api: int) -> list[tuple[int, str, tuple[Any, ...]]]:
    """Two contexts that share a program and two buffers."""
    calls: list[tuple[int, str, tuple[Any, ...]]] = []
    for thread in (1, 2):
        version = (3, 3, 2) if api else (3, 0, 0)
        calls.append((thread, "traceContext", (thread, api, *version, 8, 8, 8, 8, 24, 8, 0, thread - 1)))
        calls.append((thread, "traceDrawable", (thread, 64, 64, 0)))
        calls.append((thread, "traceMakeCurrent", (thread, thread, thread)))
        calls.append((thread, "glGenVertexArrays", (2, None)))
    head = "#version 120\n" if api else ""
    vertex, fragment = (
        (head + source.replace("precision highp float;", "" if api else "precision highp float;"),)
        for source in (VERTEX, FRAGMENT)
    )
    for name, kind, source in ((1, gl.GL_VERTEX_SHADER, vertex), (2, gl.GL_FRAGMENT_SHADER, fragment)):
        calls += [(1, "glCreateShader", (kind,)), (1, "glShaderSource", (name, 1, source, None))]
        calls.append((1, "glCompileShader", (name,)))
    calls += [(1, "glCreateProgram", ()), (1, "glAttachShader", (3, 1)), (1, "glAttachShader", (3, 2))]
    calls += [(1, "glLinkProgram", (3,)), (1, "glUseProgram", (3,)), (2, "glUseProgram", (3,))]
    for name in (1, 2):
        calls.append((1, "glBindBuffer", (gl.GL_ARRAY_BUFFER, name)))
        calls.append((1, "glBufferData", (gl.GL_ARRAY_BUFFER, 256, bytes(range(256)), gl.GL_STATIC_DRAW)))
    return calls


class Arguments:
    """Arguments of calls, usual ones mostly; one in a thousand is what no C program can pass, of every other stream."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.fits = seed // 2 % 2 == 1

    def number(self, *usual: int) -> int:
        rolled = self.rng.random()
        if self.fits:
            return self.rng.choice(FITTING_INTEGERS if rolled < 0.03 else usual)
        return 1 << 40 if rolled < 0.0002 else self.rng.choice(ODD_INTEGERS if rolled < 0.05 else usual)

    def real(self) -> float:
        usual = (0.0, 0.5, -2.0, 1e-40)
        return self.rng.choice(usual if self.fits or self.rng.random() < 0.95 else ODD_FLOATS)

    def pointer(self) -> Any:
        return self.rng.choice((None, Offset(0), Offset(8), Offset(-4), Offset(1 << 33)))

    def content(self, size: int) -> Any:
        usual = self.rng.random() < (0.9999 if self.fits else 0.999)
        return self.rng.randbytes(size) if usual else self.rng.choice((b"", None, Offset(3)))

    def call(self) -> tuple[str, tuple[Any, ...]]:
        """One of the commonest calls, or one that asks for itself."""
        n, r, data = self.number, self.real, self.content
        kinds = (n(gl.GL_FLOAT, gl.GL_SHORT), n(0, 1), n(0, 16, 16, -4))
        indices = self.rng.choice((Offset(0), Offset(2), data(12)))
        capability = n(gl.GL_BLEND, gl.GL_DEPTH_TEST, gl.GL_SCISSOR_TEST)
        calls: list[tuple[str, tuple[Any, ...]]] = [
            ("glUniform4f", (n(0, 1, 2, 3, 4, 5, -1), r(), r(), r(), r())),
            ("glUniform1i", (n(4, 5, 6), n(0, 1, 2, 40))),
            ("glUniform4fv", (n(1, 2, 3, 4), n(1, 1, 2, 3, -1), data(48))),
            ("glUniformMatrix4fv", (n(0, 1), n(1), n(0, 1), data(64))),
            ("glUniform2i", (n(5, 6, 7, 8), n(0, 5), n(-3, 70000))),
            ("glUniform1f", (n(5, 6, 7, 8), r())),
            ("glUniform4f", (n(1, 2, 4, -1), 0.25, -0.0, 3.0, 1e-40)),
            ("glUniformMatrix4fv", (n(0, 1), 1, 0, self.rng.randbytes(self.rng.choice((64, 80))))),
            ("glProgramUniform4f", (n(3, 3, 1, 99), n(1, 2, 4, -1), r(), r(), r(), r())),
            ("glProgramUniform4fv", (n(3), n(1, 2, 4), 1, self.rng.randbytes(16))),
            ("glProgramUniformMatrix4fv", (n(3), n(0, 1), 1, 0, data(64))),
            ("glVertexAttribPointer", (n(0, 1, 2), n(1, 2, 4, 5, -1), *kinds, self.pointer())),
            ("glEnableVertexAttribArray", (n(0, 1, 2),)),
            ("glDisableVertexAttribArray", (n(0, 1, 2),)),
            ("glBindBuffer", (n(gl.GL_ARRAY_BUFFER, gl.GL_ELEMENT_ARRAY_BUFFER), n(0, 1, 2, 7))),
            ("glBufferSubData", (gl.GL_ARRAY_BUFFER, n(0, 8), self.rng.choice((8, 16)), data(16))),
            ("glBindTexture", (n(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_CUBE_MAP), n(0, 1, 2))),
            ("glActiveTexture", (n(gl.GL_TEXTURE0, gl.GL_TEXTURE1),)),
            ("glEnable", (capability,)),
            ("glDisable", (capability,)),
            ("glBlendFunc", (n(gl.GL_ONE, gl.GL_ZERO), n(gl.GL_ONE, gl.GL_ZERO))),
            ("glDrawArrays", (n(gl.GL_TRIANGLES, gl.GL_LINES, 77), n(0, 3, 3, -1), n(3, 6, 6, 0, -1))),
            ("glDrawElements", (n(gl.GL_TRIANGLES), self.rng.choice((3, 6)), gl.GL_UNSIGNED_SHORT, indices)),
            ("traceClientArray", (self.rng.choice((0, 1)), n(0, 2), data(64))),
            ("glGetIntegerv", (n(gl.GL_TEXTURE_BINDING_2D, gl.GL_VIEWPORT), None)),
            ("glUseProgram", (n(0, 3, 3, 3),)),
            ("glBindVertexArray", (n(0, 0, 1, 2),)),
            ("glClear", (n(gl.GL_COLOR_BUFFER_BIT),)),
            ("glGetError", ()),
            ("glBindVertexBuffer", (n(0, 1), n(1, 2), 4, 16)),
            ("glGenTextures", (n(1, 2), None)),
            ("glGetUniformLocation", (3, self.rng.choice(("tint", "m", "nothing")))),
            ("traceMakeCurrent", (n(0, 1, 2), *self.rng.choices((1, 2), k=2))),
            ("glUnheardOf", ()),
        ]
        unusual: list[float] = [2, 2, 0, 0] if self.fits else [2, 2, 1, 0.01]
        return self.rng.choices(calls, [*[8] * 29, 2, *unusual])[0]


def record(path: Any, seed: int, count: int = 1500) -> None:
    arguments = Arguments(seed)
    rng = arguments.rng
    calls = set_up(seed % 2)
    thread = 1
    for _ in range(count):
        if rng.random() < 0.05:
            thread = rng.choice((1, 2, 3))
        name, args = arguments.call()
        if name == "traceClientArray" and thread == 3:
            continue  # without a context it ends the replay
        calls.append((thread, name, args))
        if name == "traceMakeCurrent" and thread < 3:
            calls.append((thread, name, (thread, thread, thread)))
    with TraceWriter(path) as writer:
        written = 0
        for thread, name, args in calls:
            outputs: dict[str, Value] = {}
            if name == "glGenTextures":
                outputs["textures"] = struct.pack("<2I", 5 + written, 9 + written)
            elif name == "glGenVertexArrays":
                outputs["arrays"] = struct.pack("<2I", 1, 2)
            elif name == "glGetIntegerv":
                outputs["data"] = bytes(4)
            try:
                writer.write_call(Call(written, name, thread, 0 if thread == 3 else thread, 0, args, outputs))
            except (TypeError, ValueError):
                continue  # what no writer can hold
            written += 1


def outcome(tracker: Tracker, backend: Log) -> Any:
    pending = [(c.error, c.error_message, c.call_number) for _, c in sorted(tracker.contexts.items())]
    failure = None if tracker.failure is None else (tracker.failure.error, tracker.failure.message)
    # What glGetIntegerv answers nobody reads where calls are played from rows.
    outputs = {name: value for name, value in tracker.outputs.items() if name != "data"}
    return state_of(tracker), pending, failure, outputs, tracker.changes.bits, backend.draws


@pytest.mark.parametrize("seed", range(8))
def test_rows_do_what_calls_do(tmp_path: Any, seed: int) -> None:
    path = tmp_path / "random.gltrace"
    record(path, seed)
    backends = [Log(), Log()]
    one, rows = (Tracker(backend, remap=True) for backend in backends)
    with TraceReader(path) as reader:
        player = TracePlayer(rows, reader, 0, reader.num_calls)
        stops = [*range(37, reader.num_calls, 97), reader.num_calls]
        errors: list[list[str]] = [[], []]
        calls = list(reader)
        at = 0
        for stop in stops:
            seen: list[int] = []
            try:
                while at < stop:
                    at += 1
                    one.execute(calls[at - 1])
            except ToolError as error:
                errors[0].append(f"{type(error).__name__} {error}")
            try:
                player.play(stop, 64, seen.append)
            except ToolError as error:
                errors[1].append(f"{type(error).__name__} {error}")
            assert outcome(one, backends[0]) == outcome(rows, backends[1])
            assert errors[0] == errors[1]
            if errors[0]:
                break
        assert backends[0].draws or errors[0]


def test_every_64th_call_is_looked_at(tmp_path: Any) -> None:
    path = tmp_path / "random.gltrace"
    with TraceWriter(path) as writer:
        for number in range(300):
            writer.write_call(Call(number, "glGetError", 1, 0, 0, (), {}, 0))
    seen: list[int] = []
    with TraceReader(path) as reader:
        player = TracePlayer(Tracker(Log(), remap=True), reader, 10, 290)
        player.play(100, 64, seen.append)
        player.play(290, 64, seen.append)
    assert seen == [64, 128, 192, 256]


class RunLog(Log):
    """Takes down what each draw reads; runs draw by draw, or none of them."""

    def __init__(self, *, takes: bool) -> None:
        super().__init__()
        self.takes_runs, self.num_taken = takes, 0

    def draw(self, context: Any, call: Any) -> None:
        context.changes.bits = 0
        buffer = call.index_buffer
        drawn = (
            context.call_number,
            call.mode,
            call.index_offset if buffer is not None else call.first,
            call.count,
            bytes(call.indices) if call.indices is not None else None,
            buffer.serial if buffer is not None else 0,
        )
        arrays = [self.array(a, a.buffer, a.offset, a.client) for a in context.vertex_array.attribs[:3]]
        executable = context.program.executable
        self.draws.append((drawn, arrays, bytes(executable.constants), sorted(executable.changed)))
        executable.changed.clear()

    @staticmethod
    def array(attrib: Any, buffer: Any, offset: int, client: Any) -> Any:
        layout = (attrib.size, attrib.type, attrib.normalized, attrib.stride)
        if not attrib.enabled:
            return None
        return (
            (layout, buffer.serial, offset) if buffer is not None else (layout, client and (client.first, client.data))
        )

    def draw_run(self, context: Any, run: DrawRun) -> bool:
        constants = bytearray(context.program.executable.constants)
        for number, call in enumerate(run.calls):
            changed = set()
            for start, end, index, data in run.uniforms:
                size = end - start
                constants[start:end] = data[number * size : (number + 1) * size]
                changed.add(index)
            first, count, buffer, indices = int(run.firsts[number]), int(run.counts[number]), None, None
            if run.index_type:
                buffer = run.index_buffers[number]
                indices = bytes(buffer.store[first : first + count * INDEX_BYTES[run.index_type]])
            arrays = []
            for location, attrib in enumerate(context.vertex_array.attribs[:3]):
                own = run.arrays.get(location)
                found = (attrib.buffer, attrib.offset, attrib.client)
                if own is not None:
                    client = None if len(own.offsets) else attrib.client
                    if own.contents:
                        client = ClientArray(int(own.client_firsts[number]), own.contents[number])
                    place = (attrib.buffer, attrib.offset)
                    if len(own.offsets):
                        place = (own.buffers[number] if own.buffers is not None else None, int(own.offsets[number]))
                    found = (*place, client)
                arrays.append(self.array(attrib, *found))
            drawn = (call, run.mode, first, count, indices, buffer.serial if buffer is not None else 0)
            self.draws.append((drawn, arrays, bytes(constants), sorted(changed)))
        self.num_taken += len(run.calls)
        return True


class Pattern:
    """Calls between draws that are said again and again with other values; now and then one that is an error."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.has_errors = rng.random() < 0.2
        r = rng.random
        self.makers: list[Any] = [
            lambda: ("glUniform4f", (1, r(), r(), 0.5, 1.0)),
            lambda: ("glUniformMatrix4fv", (0, 1, 0, rng.randbytes(64))),
            lambda: ("glProgramUniform4f", (3, 2, r(), 0.0, 0.0, 1.0)),
            lambda: ("glUniform4f", (self.odd(3, 99), r(), r(), 0.5, 1.0)),
            lambda: ("glBindBuffer", (gl.GL_ARRAY_BUFFER, self.odd(rng.choice((1, 2)), rng.choice((0, 9))))),
            lambda: ("glBindBuffer", (gl.GL_ELEMENT_ARRAY_BUFFER, rng.choice((1, 2)))),
            lambda: ("glBindTexture", (gl.GL_TEXTURE_2D, self.odd(1, 2))),
            lambda: ("glGetIntegerv", (gl.GL_ACTIVE_TEXTURE, None)),
            lambda: ("glVertexAttribPointer", (0, 2, gl.GL_FLOAT, 0, 16, Offset(self.odd(rng.choice((0, 8)), -4)))),
            lambda: ("glVertexAttribPointer", (1, self.odd(4, 5), gl.GL_UNSIGNED_BYTE, 1, 0, Offset(4))),
            lambda: ("glVertexAttribPointer", (1, 3, gl.GL_FLOAT, 0, 0, None)),
            lambda: ("traceClientArray", (rng.choice((0, 1)) if self.has_errors else 1, 0, rng.randbytes(24))),
            lambda: ("glEnableVertexAttribArray", (2,)),
        ]
        mode, count = rng.choice((gl.GL_TRIANGLES, gl.GL_LINES)), rng.choice((3, 6))
        draws: list[Any] = [
            lambda: ("glDrawArrays", (mode, rng.choice((0, 3)), self.odd(count, -1))),
            lambda: ("glDrawElements", (mode, self.odd(count, 200), 0x1403, Offset(rng.choice((0, 6))))),
        ]
        usual = range(len(self.makers) - (rng.random() < 0.9))
        self.calls = [self.makers[number] for number in sorted(rng.sample(usual, rng.randint(0, 6)))]
        if rng.random() < 0.2:
            rng.shuffle(self.calls)
        self.calls.append(rng.choice(draws))

    def odd(self, usual: Any, odd: Any) -> Any:
        return odd if self.has_errors and self.rng.random() < 0.02 else usual


def record_runs(path: Any, seed: int) -> None:
    rng = random.Random(seed)
    calls = set_up(seed % 2)
    for name in (1, 2):
        calls.append((1, "glBindTexture", (gl.GL_TEXTURE_2D, name)))
    for location in (0, 1):
        calls.append((1, "glEnableVertexAttribArray", (location,)))
    for _ in range(20):
        pattern = Pattern(rng)
        calls += [
            (1, "glBindBuffer", (gl.GL_ELEMENT_ARRAY_BUFFER, 1)),
            (1, "glBindTexture", (gl.GL_TEXTURE_2D, 1)),
            (1, "glBindBuffer", (gl.GL_ARRAY_BUFFER, rng.choice((0, 1)))),
            (1, "glVertexAttribPointer", (0, 2, gl.GL_FLOAT, 0, 8, None)),
            (1, "glVertexAttribPointer", (1, 2, gl.GL_FLOAT, 0, 8, None)),
            (1, "traceClientArray", (0, 0, bytes(48))),
            (1, "traceClientArray", (1, 0, bytes(48))),
        ]
        for _ in range(rng.randint(5, 40)):
            calls += [(1, *make()) for make in pattern.calls]
    with TraceWriter(path) as writer:
        for number, (thread, name, args) in enumerate(calls):
            outputs: dict[str, Any] = {"arrays": struct.pack("<2I", 1, 2)} if name == "glGenVertexArrays" else {}
            outputs |= {"data": bytes(4)} if name == "glGetIntegerv" else {}
            writer.write_call(Call(number, name, thread, thread, 0, args, outputs))


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(call_runs, "MIN_REPEATS", 8)
    return 8


@pytest.mark.parametrize("seed", range(8))
def test_runs_do_what_calls_do(tmp_path: Any, seed: int, short_runs: int) -> None:
    path = tmp_path / "runs.gltrace"
    record_runs(path, seed)
    backends = [RunLog(takes=takes) for takes in (False, True)]
    one, runs = (Tracker(backend, remap=True) for backend in backends)
    with TraceReader(path) as reader:
        player = TracePlayer(runs, reader, 0, reader.num_calls)
        calls = list(reader)
        stops = [0, *range(211, reader.num_calls, 977), reader.num_calls]
        for begin, stop in pairwise(stops):
            for call in calls[begin:stop]:
                one.execute(call)
            player.play(stop, 64, lambda number: None)
            expected, found = outcome(one, backends[0]), outcome(runs, backends[1])
            assert expected == found
    assert backends[1].num_taken > 20


def test_find_runs(short_runs: int) -> None:
    a, b, c, draw, other = 1, 2, 3, 10, 11
    marks = [a, draw] * 20 + [b, c, draw] * 5 + [b, draw] + [c, other] * short_runs
    marks += [mark for at in range(9) for mark in (-1 - at, other)]
    places = np.array([mark in (draw, other) for mark in marks])
    found = find_runs(np.array(marks), places)
    assert found == [CallRun(0, 2, 20), CallRun(57, 2, short_runs)]
    # What no pattern has is like nothing else, the same draw again and again is a pattern of one call.
    unlike = np.array([draw if mark == draw else -1 - at for at, mark in enumerate([a, draw] * 20)])
    assert find_runs(unlike, unlike == draw) == []
    assert find_runs(np.full(30, draw), np.ones(30, bool)) == [CallRun(0, 1, 30)]


def test_marks_tell_calls_apart_that_differ_in_what_they_have_in_common() -> None:
    rng = np.random.default_rng(5)
    names = ("a0", "a1", "a2", "a3", "a4")
    for spans in ((1, 3, 2, 1, 2), (5, 1 << 31, 2, 1 << 30, 3), (1 << 31, 1 << 31, 1 << 31, 1, 1 << 31)):
        table = np.zeros(300, [(name, np.int64) for name in names])
        for name, span in zip(names, spans, strict=True):
            table[name] = rng.choice(rng.integers(-span // 2, span - span // 2, 2), 300)
        calls = RunCalls(names, lambda columns: True, lambda run, columns: None)
        marks = calls.marks(table, 7)
        assert (marks >> 32 == 7).all()
        assert (
            len({*zip(marks.tolist(), table.tolist(), strict=True)})
            == len({*marks.tolist()})
            == len(set(table.tolist()))
        )


@pytest.mark.parametrize("bad", [-1, 0, 299])
@pytest.mark.parametrize("layouts", [1, 2, 40])
def test_pointers_are_usual_where_all_their_layouts_are(layouts: int, bad: int) -> None:
    """However many layouts there are, and wherever the one is that is not."""
    table = np.zeros(300, [(f"a{argument}", np.int32) for argument in range(5)])
    table["a1"], table["a2"], table["a4"] = 4, gl.GL_FLOAT, 16 * (np.arange(300) % layouts)
    if bad >= 0:
        table["a2"][bad] = gl.GL_TEXTURE_2D
    calls = CallColumns(table, (ValueKind.I32,) * 5 + (ValueKind.NONE,), lambda references: None)
    taken = call_runs.calls_of(find_entry("glVertexAttribPointer"))
    assert taken is not None
    assert taken.are_usual(calls) is (bad < 0)
