"""Import of apitrace files: own small streams in every container, and what becomes of their calls."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import brotli
import pytest
import zstandard
from cramjam import snappy

from capture.importers import import_trace
from capture.importers.apitrace.container import read_stream
from capture.importers.apitrace.stream import EventReader, Opaque
from traceformat.calls import Call, Offset
from traceformat.errors import FindingError, TraceFormatError, UsageError
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace


def uint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value: str) -> bytes:
    data = value.encode()
    return uint(len(data)) + data


class Enum(int):
    pass


def value(item: object) -> bytes:
    """Encode a value; every enum is written with its signature, which is only legal once: one enum id a value."""
    if item is None:
        return b"\x00"
    if isinstance(item, bool):
        return b"\x02" if item else b"\x01"
    if isinstance(item, Opaque):
        return b"\x0d" + uint(item)
    if isinstance(item, Enum):
        sign = uint(item + 7)
        return b"\x09" + sign + uint(1) + text("NAME") + b"\x04" + uint(item) + b"\x04" + uint(item)
    if isinstance(item, int):
        return b"\x03" + uint(-item) if item < 0 else b"\x04" + uint(item)
    if isinstance(item, float):
        return b"\x05" + struct.pack("<f", item)
    if isinstance(item, str):
        return b"\x07" + text(item)
    if isinstance(item, bytes):
        return b"\x08" + uint(len(item)) + item
    assert isinstance(item, list)
    return b"\x0b" + uint(len(item)) + b"".join(value(i) for i in item)


class StreamBuilder:
    """Writes a version 6 stream."""

    def __init__(self) -> None:
        self.data = bytearray(uint(6) + uint(6) + text("process.name") + text("unit") + text(""))
        self._functions: dict[str, int] = {}
        self._calls = 0

    def call(
        self,
        name: str,
        *args: object,
        outputs: dict[int, object] | None = None,
        result: object = None,
        fake: bool = False,
        thread: int = 0,
        returns: bool = True,
    ) -> None:
        signature = b""
        if name not in self._functions:
            self._functions[name] = len(self._functions)
            signature = text(name) + uint(len(args)) + b"".join(text(f"a{i}") for i in range(len(args)))
        self.data += b"\x00" + uint(thread) + uint(self._functions[name]) + signature
        for index, item in enumerate(args):
            self.data += b"\x01" + uint(index) + value(item)
        if fake:
            self.data += b"\x05\x01"
        self.data += b"\x00"
        if returns:
            self.data += b"\x01" + uint(self._calls)
            for index, item in (outputs or {}).items():
                self.data += b"\x01" + uint(index) + value(item)
            if result is not None:
                self.data += b"\x02" + value(result)
            self.data += b"\x00"
        self._calls += 1

    def window(self, width: int = 64, height: int = 48, version: int = 2) -> None:
        self.call("eglBindAPI", 0x30A0, result=True)
        self.call("eglCreateContext", Opaque(1), Opaque(2), None, [0x3098, version, 0x3038], result=Opaque(0x1000))
        self.call("eglCreateWindowSurface", Opaque(1), Opaque(2), Opaque(3), None, result=Opaque(0x2000))
        self.call("eglMakeCurrent", Opaque(1), Opaque(0x2000), Opaque(0x2000), Opaque(0x1000), result=True)
        self.call("glViewport", 0, 0, width, height, fake=True)

    def swap(self) -> None:
        self.call("eglSwapBuffers", Opaque(1), Opaque(0x2000), result=True)


def in_snappy(data: bytes, block: int = 50) -> bytes:
    out = bytearray(b"at")
    for start in range(0, len(data), block):
        packed = bytes(snappy.compress_raw(data[start : start + block]))
        out += struct.pack("<I", len(packed)) + packed
    return bytes(out)


CONTAINERS = {
    "snappy": in_snappy,
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "brotli": brotli.compress,
}


def imported(tmp_path: Path, builder: StreamBuilder, **options: bool) -> list[Call]:
    source, target = tmp_path / "in.trace", tmp_path / "out.gltrace"
    source.write_bytes(in_snappy(bytes(builder.data)))
    import_trace(source, target, **options)
    with open_trace(target) as reader:
        return list(reader.calls())


def named(calls: list[Call], name: str) -> list[Call]:
    return [call for call in calls if call.name == name]


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_calls(tmp_path: Path, container: str) -> None:
    builder = StreamBuilder()
    builder.call("glClearColor", 0.25, 0.5, 0.75, 1.0)
    builder.call("glBufferData", Enum(gl.GL_ARRAY_BUFFER), 100, bytes(range(100)), Enum(gl.GL_STATIC_DRAW))
    path = tmp_path / "t.trace"
    path.write_bytes(CONTAINERS[container](bytes(builder.data)))
    reader = EventReader(read_stream(path))
    calls = list(reader)
    assert [call.name for call in calls] == ["glClearColor", "glBufferData"]
    assert calls[0].inputs == {0: 0.25, 1: 0.5, 2: 0.75, 3: 1.0}
    assert calls[1].inputs == {0: gl.GL_ARRAY_BUFFER, 1: 100, 2: bytes(range(100)), 3: gl.GL_STATIC_DRAW}
    assert reader.properties == {"process.name": "unit"}
    assert not reader.truncated


def test_signatures_learned_on_a_short_window_are_taken_back(tmp_path: Path) -> None:
    # Blocks of one byte: every event is attempted many times before it is whole.
    builder = StreamBuilder()
    for number in range(3):
        builder.call("glUniform4fv", number, 1, [1.0, 2.0, 3.0, float(number)])
    path = tmp_path / "t.trace"
    path.write_bytes(in_snappy(bytes(builder.data), block=1))
    assert [call.inputs[2] for call in EventReader(read_stream(path))] == [[1.0, 2.0, 3.0, float(n)] for n in range(3)]


def test_window_and_frames_become_trace_commands(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window(64, 48)
    builder.call("glClear", 0x4000)
    builder.swap()
    calls = imported(tmp_path, builder)
    assert [call.name for call in calls] == [
        "traceContext",
        "traceDrawable",
        "traceMakeCurrent",
        "glViewport",
        "glClear",
        "traceSwap",
    ]
    assert calls[0].args == (1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)
    assert calls[1].args == (1, 64, 48, 0)
    assert calls[2].args == (1, 1, 1)
    assert calls[5].args == (1, "eglSwapBuffers")
    assert all(call.context == 1 for call in calls[2:])


def test_the_version_that_the_driver_answered_wins(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    builder.call("glGetString", Enum(gl.GL_VERSION), result="OpenGL ES 3.2 Mesa 22.3.6")
    builder.swap()
    assert imported(tmp_path, builder)[0].args[2:4] == (3, 2)


@pytest.mark.parametrize("is_trimmed", [False, True])
def test_a_version_asked_for_in_parts_is_an_answer_too(tmp_path: Path, is_trimmed: bool) -> None:
    builder = StreamBuilder()
    builder.window()
    for pname, answer in ((gl.GL_MAJOR_VERSION, 3), (gl.GL_MINOR_VERSION, 1), (gl.GL_MINOR_VERSION, 0)):
        if is_trimmed:
            builder.call("glGetIntegerv", pname, [answer])
        else:
            builder.call("glGetIntegerv", pname, outputs={1: [answer]})
    builder.swap()
    assert imported(tmp_path, builder)[0].args[2:4] == (3, 1)


@pytest.mark.parametrize(("attributes", "version"), [
    (None, (4, 5)), ([0x3098, 2, 0x30FB, 1, 0x3038], (4, 5)), ([0x3098, 3, 0x30FB, 3, 0x3038], (3, 3)),
])  # fmt: skip
def test_a_desktop_context_of_no_version_has_the_newest(
    tmp_path: Path, attributes: list[int] | None, version: tuple[int, int]
) -> None:
    """Programs that never ask use geometry shaders all the same: pygame's windows."""
    builder = StreamBuilder()
    builder.call("eglBindAPI", 0x30A2, result=True)
    builder.call("eglCreateContext", Opaque(1), Opaque(2), None, attributes, result=Opaque(0x1000))
    builder.call("eglCreateWindowSurface", Opaque(1), Opaque(2), Opaque(3), None, result=Opaque(0x2000))
    builder.call("eglMakeCurrent", Opaque(1), Opaque(0x2000), Opaque(0x2000), Opaque(0x1000), result=True)
    (context,) = named(imported(tmp_path, builder), "traceContext")
    assert context.args[2:4] == version


def test_a_growing_viewport_resizes_the_window(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window(64, 48)
    builder.swap()
    builder.call("glViewport", 0, 0, 80, 60)
    builder.swap()
    calls = imported(tmp_path, builder)
    assert [call.args for call in named(calls, "traceResize")] == [(1, 80, 60)]


def test_client_arrays_come_before_the_draw(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    builder.call("glVertexAttribPointer", 3, 2, Enum(gl.GL_FLOAT), False, 8, b"\x01" * 24, fake=True)
    builder.call("glDrawArrays", Enum(gl.GL_TRIANGLES), 0, 3)
    calls = imported(tmp_path, builder)
    assert [call.name for call in calls[-3:]] == ["glVertexAttribPointer", "traceClientArray", "glDrawArrays"]
    assert calls[-3].args == (3, 2, gl.GL_FLOAT, 0, 8, None)
    assert calls[-2].args == (3, 0, b"\x01" * 24)


def test_null_is_an_offset_only_where_a_buffer_is_bound(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    image = (Enum(gl.GL_TEXTURE_2D), 0, Enum(gl.GL_RGBA), 4, 4, 0)
    builder.call("glTexImage2D", *image, 0x1908, 0x1401, None)
    builder.call("glBindBuffer", gl.GL_PIXEL_UNPACK_BUFFER, 7)
    builder.call("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, 0x1908, 0x1401, None)
    builder.call("glDrawElements", 4, 6, 0x1403, None)
    calls = imported(tmp_path, builder)
    first, second = named(calls, "glTexImage2D")
    assert first.args[-1] is None
    assert second.args[-1] == 0
    assert isinstance(second.args[-1], Offset)
    assert isinstance(named(calls, "glDrawElements")[0].args[-1], Offset)


def test_a_mapped_write_is_placed_in_its_buffer(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window(version=3)
    builder.call("glMapBufferRange", gl.GL_ARRAY_BUFFER, 64, 32, 2, result=Opaque(0x7000))
    builder.call("memcpy", Opaque(0x7008), b"abcd", 4, fake=True)
    builder.call("glUnmapBuffer", gl.GL_ARRAY_BUFFER, result=True)
    calls = imported(tmp_path, builder)
    assert named(calls, "traceMappedWrite")[0].args == (gl.GL_ARRAY_BUFFER, 72, b"abcd")
    assert named(calls, "glMapBufferRange")[0].result is None


@pytest.mark.parametrize(
    ("attributes", "profile"),
    [
        (None, 2),  # what Kivy asks for: whatever the driver has, which is then the compatibility profile
        ([0x3098, 3, 0x30FB, 0, 0x3038], 2),
        ([0x3098, 3, 0x30FB, 3, 0x3038], 1),
        ([0x3098, 3, 0x30FB, 3, 0x30FD, 2, 0x3038], 2),
    ],
)
def test_the_profile_is_the_one_asked_for(tmp_path: Path, attributes: list[int] | None, profile: int) -> None:
    builder = StreamBuilder()
    builder.call("eglBindAPI", 0x30A2, result=True)
    builder.call("eglCreateContext", Opaque(1), Opaque(2), None, attributes, result=Opaque(0x1000))
    builder.call("eglCreateWindowSurface", Opaque(1), Opaque(2), Opaque(3), None, result=Opaque(0x2000))
    builder.call("eglMakeCurrent", Opaque(1), Opaque(0x2000), Opaque(0x2000), Opaque(0x1000), result=True)
    builder.call("glGetString", gl.GL_VERSION, result="4.5 Mesa")
    (context,) = named(imported(tmp_path, builder), "traceContext")
    assert context.args[1:5] == (1, 4, 5, profile)


@pytest.mark.parametrize("hostile", [float("inf"), float("nan"), -float("inf"), 3e38])
def test_numbers_that_are_no_integers(tmp_path: Path, hostile: float) -> None:
    """Where the importer reads a number itself (names, addresses, sizes), any float of a hostile file is none."""
    builder = StreamBuilder()
    builder.window(version=3)
    builder.call("glBindBuffer", gl.GL_ARRAY_BUFFER, hostile)
    builder.call("glBindVertexArray", hostile)
    builder.call("glMapBufferRange", hostile, hostile, hostile, hostile, result=hostile)
    builder.call("memcpy", Opaque(1), b"abcd", 4, fake=True)
    builder.call("glDeleteBuffers", 1, [hostile])
    builder.call("glViewport", hostile, 0, hostile, 5)
    assert len(named(imported(tmp_path, builder), "glBindBuffer")) == 1


def test_two_buffers_mapped_through_one_target(tmp_path: Path) -> None:
    """As GStreamer does: planes are mapped one after the other and written later."""
    builder = StreamBuilder()
    builder.window(version=3)
    pack = gl.GL_PIXEL_PACK_BUFFER
    for name, address in ((1, 0x7000), (2, 0x8000)):
        builder.call("glBindBuffer", pack, name)
        builder.call("glMapBufferRange", pack, 0, 16, 0x52, result=Opaque(address))
    builder.call("glBindBuffer", pack, 1)
    builder.call("memcpy", Opaque(0x7000), b"abcd", 4, fake=True)
    builder.call("glUnmapBuffer", pack, result=True)
    builder.call("glBindBuffer", pack, 0)
    builder.call("memcpy", Opaque(0x8008), b"0123456789", 10, fake=True)
    calls = imported(tmp_path, builder)
    assert [call.args for call in named(calls, "traceMappedWrite")] == [(pack, 0, b"abcd"), (pack, 8, b"01234567")]
    assert [call.args for call in named(calls, "glBindBuffer")][-3:] == [(pack, 0), (pack, 2), (pack, 0)]


def test_a_buffer_that_is_not_bound_any_more(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window(version=3)
    builder.call("glBindVertexArray", 3)
    builder.call("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, 5)
    builder.call("glMapBufferRange", gl.GL_ELEMENT_ARRAY_BUFFER, 0, 16, 2, result=Opaque(0x7000))
    builder.call("glBindVertexArray", 0)
    builder.call("memcpy", Opaque(0x7004), b"ab", 2, fake=True)
    calls = imported(tmp_path, builder)
    assert named(calls, "traceMappedWrite")[0].args == (gl.GL_ELEMENT_ARRAY_BUFFER, 4, b"ab")
    assert [call.args[1] for call in named(calls, "glBindBuffer")] == [5, 5, 0]


def test_generated_names_and_shader_sources_are_kept(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    builder.call("glGenTextures", 2, outputs={1: [5, 9]})
    builder.call("glGenBuffers", 1, [7])  # apitrace states some outputs with the arguments
    builder.call("glCreateShader", gl.GL_VERTEX_SHADER, result=3)
    builder.call("glShaderSource", 3, 2, ["void ", "main() {}"], [5, 9])
    calls = imported(tmp_path, builder)
    assert named(calls, "glGenTextures")[0].outputs == {"textures": struct.pack("<II", 5, 9)}
    assert named(calls, "glGenBuffers")[0].outputs == {"buffers": struct.pack("<I", 7)}
    assert named(calls, "glCreateShader")[0].result == 3
    assert named(calls, "glShaderSource")[0].args == (3, 2, ("void ", "main() {}"), None)


def test_outputs_among_the_inputs_are_outputs(tmp_path: Path) -> None:
    """Files that apitrace trimmed have them there."""
    builder = StreamBuilder()
    builder.window()
    builder.call("glGenBuffers", 1, [4])
    builder.swap()
    (made,) = named(imported(tmp_path, builder), "glGenBuffers")
    assert (made.args, made.outputs) == ((1, None), {"buffers": struct.pack("<I", 4)})


def test_a_cut_file_is_kept_to_its_last_whole_call(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    builder.call("glClear", 0x4000)
    whole = in_snappy(bytes(builder.data), block=16)
    source, target = tmp_path / "in.trace", tmp_path / "out.gltrace"
    counts = []
    for size in range(6, len(whole)):
        source.write_bytes(whole[:size])
        try:
            report = import_trace(source, target)
        except TraceFormatError:
            continue
        with open_trace(target) as reader:
            counts.append(len(list(reader.calls())))
        assert counts[-1] == report.calls_written
    assert counts == sorted(counts)
    assert counts[-1] >= 4


def test_calls_that_never_return_are_named_as_cut(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    builder.call("glClear", 0x4000, returns=False)
    source = tmp_path / "in.trace"
    source.write_bytes(in_snappy(bytes(builder.data)))
    report = import_trace(source, tmp_path / "out.gltrace")
    assert report.damage
    assert "cut" in report.damage


def test_fixed_function_is_reported_and_strict_refuses_it(tmp_path: Path) -> None:
    builder = StreamBuilder()
    builder.window()
    builder.call("glBegin", gl.GL_TRIANGLES)
    source, target = tmp_path / "in.trace", tmp_path / "out.gltrace"
    source.write_bytes(in_snappy(bytes(builder.data)))
    report = import_trace(source, target)
    assert report.not_portable["glBegin"] == 1
    target.unlink()
    with pytest.raises(FindingError, match="glBegin"):
        import_trace(source, target, strict=True)
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"this is a text file, not a trace at all\n" * 9,
        b"at" + struct.pack("<I", 1 << 31) + b"x" * 64,
        b"at" + struct.pack("<I", 10) + b"\xff\xff\xff\xff\x0f" + b"\0" * 5,
        b"at" + struct.pack("<I", 3) + bytes(snappy.compress_raw(b"\x63"))[:3],
        in_snappy(uint(6) + uint(6) + text("") + b"\x05"),
        in_snappy(uint(6) + uint(6) + text("") + b"\x00\x00\x00" + text("glClear") + uint(1 << 40)),
        in_snappy(
            uint(6) + uint(6) + text("") + b"\x00\x00\x00" + text("f") + uint(0) + b"\x01\x00" + b"\x0b\x01" * 99
        ),
    ],
)
def test_bad_files_end_in_one_clear_error(tmp_path: Path, data: bytes) -> None:
    source, target = tmp_path / "in.trace", tmp_path / "out.gltrace"
    source.write_bytes(data)
    with pytest.raises(TraceFormatError):
        import_trace(source, target)
    assert not target.exists()


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        import_trace(tmp_path / "none.trace", tmp_path / "out.gltrace")
