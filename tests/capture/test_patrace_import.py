"""Import of PATrace files: own small ones, call by call, and what becomes of damaged ones."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest
from pat_writer import CONTEXT, DISPLAY, SURFACE, Client, PatWriter

from capture.importers import import_trace
from capture.importers.patrace.clientbuffers import ClientBuffers
from capture.importers.patrace.source import PatSource
from capture.importers.report import ImportReport
from replay.player import pictures
from traceformat.calls import Call, CallFlags, Offset
from traceformat.errors import FindingError, TraceFormatError, UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

VERTEX = "attribute vec2 a; void main() { gl_Position = vec4(a, 0.0, 1.0); }"
FRAGMENT = "precision mediump float; uniform vec4 c; void main() { gl_FragColor = c; }"


def imported(tmp_path: Path, writer: PatWriter, *, warnings: tuple[str, ...] = ()) -> list[Call]:
    """Calls of the trace, which both ways of the importer agree about."""
    source = writer.write(tmp_path / "in.pat")
    report = import_trace(source, tmp_path / "out.gltrace")
    assert report.calls_read == writer.num_calls
    assert tuple(report.warnings()) == warnings
    with open_trace(tmp_path / "out.gltrace") as reader:
        assert not reader.damage
        calls = list(reader)
        frames = list(reader.frames)
    with TraceWriter(tmp_path / "twin.gltrace") as twin:
        for _ in PatSource(source, ImportReport(), by_columns=False).write(twin):
            pass
    with open_trace(tmp_path / "twin.gltrace") as reader:
        assert list(reader) == calls
        assert list(reader.frames) == frames
    return calls


def named(calls: list[Call], name: str) -> list[Call]:
    return [call for call in calls if call.name == name]


def test_window_and_frames_become_trace_commands(tmp_path: Path) -> None:
    pat = PatWriter(capture_device_version="OpenGL ES 3.2 v1.r38p1")
    pat.window(80, 60)
    pat.call("glClear", 0x4000)
    pat.swap()
    calls = imported(tmp_path, pat)
    assert [(call.name, call.args) for call in calls] == [
        ("traceContext", (1, 0, 3, 2, 0, 8, 8, 8, 8, 24, 8, 0, 0)),
        ("traceDrawable", (1, 80, 60, 0)),
        ("traceMakeCurrent", (1, 1, 1)),
        ("glClear", (0x4000,)),
        ("traceSwap", (1, "eglSwapBuffers")),
    ]
    assert [call.context for call in calls] == [0, 1, 1, 1, 1]


def test_numbers_keep_their_sign_and_width(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glStencilFunc", gl.GL_ALWAYS, -3, 0xFFFFFFFF)
    pat.call("glBufferSubData", gl.GL_ARRAY_BUFFER, -1, 4, b"abcd")
    pat.call("glColorMask", 1, 0, 1, 0)
    pat.call("glClearColor", 0.1, -0.0, float("inf"), 1e-40)
    pat.call("glGetAttribLocation", 3, "none", result=0xFFFFFFFF)
    pat.call("glDrawRangeElements", gl.GL_TRIANGLES, 0, 0xFFFFFFFF, 3, gl.GL_UNSIGNED_SHORT, Offset(0x80000000))
    pat.call("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, -5)
    pat.call("glInvalidateFramebuffer", gl.GL_FRAMEBUFFER, 1, [-1 & 0xFFFFFFFF])
    stencil, data, mask, color, attribute, draw, parameter, invalid = imported(tmp_path, pat)[3:]
    assert stencil.args == (gl.GL_ALWAYS, -3, 0xFFFFFFFF)
    assert data.args == (gl.GL_ARRAY_BUFFER, -1, 4, b"abcd")
    assert mask.args == (1, 0, 1, 0)
    assert color.args == (float(np.float32(0.1)), 0.0, float("inf"), float(np.float32(1e-40)))
    assert attribute.result == -1
    assert draw.args[2:] == (0xFFFFFFFF, 3, gl.GL_UNSIGNED_SHORT, Offset(0x80000000))
    assert parameter.args[-1] == -5
    assert invalid.args[-1] == b"\xff" * 4


def test_null_and_offsets_and_content(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    image = (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 2, 1, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    for pixels in (b"01234567", None, Offset(16), b""):
        pat.call("glTexImage2D", *image, pixels)
    pat.call("glBufferData", gl.GL_ARRAY_BUFFER, 8, None, gl.GL_STATIC_DRAW)
    pat.call("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    pat.call("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, Offset(0))
    calls = imported(tmp_path, pat)
    assert [call.args[-1] for call in named(calls, "glTexImage2D")] == [b"01234567", None, 16, None]
    assert isinstance(named(calls, "glTexImage2D")[2].args[-1], Offset)
    assert named(calls, "glBufferData")[0].args[2] is None
    assert [type(call.args[-1]) for call in named(calls, "glReadPixels")] == [type(None), Offset]


def test_old_files_store_texels_without_a_word_before_them(tmp_path: Path) -> None:
    pat = PatWriter(version=5)
    pat.window()
    image = (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 2, 1, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    pat.call("glTexImage2D", *image, b"01234567")
    pat.call("glTexImage2D", *image, None)
    pat.call("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    calls = imported(tmp_path, pat)
    assert [call.args[-1] for call in calls[3:]] == [b"01234567", None, None]


@pytest.mark.parametrize(("version", "first_chunk"), [(3, 64), (4, 228)])
def test_binary_headers_of_the_oldest_files(tmp_path: Path, version: int, first_chunk: int) -> None:
    pat = PatWriter(version=5)
    pat.window()
    pat.swap()
    data = pat.data()
    begin = struct.unpack_from("<q", data, 24)[0]
    head = struct.pack("<7IQ7I", 64, 0x20122012, version, 2, 64, 48, 1, 5, 5, 6, 5, 0, 16, 0, 0)
    (tmp_path / "in.pat").write_bytes(head.ljust(first_chunk, b"\0") + data[begin:])
    report = import_trace(tmp_path / "in.pat", tmp_path / "out.gltrace")
    assert (report.version, report.frames) == (version, 1)
    with open_trace(tmp_path / "out.gltrace") as reader:
        assert reader[0].args[5:11] == (5, 6, 5, 0, 16, 0)


def test_sources_are_cut_to_their_lengths(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glShaderSource", 1, 2, ["void main()abc", "{}\u00e4 x"], [11, -1])
    pat.call("glShaderSource", 1, 1, ["void main() {}"], None)
    first, second = imported(tmp_path, pat)[3:]
    assert first.args == (1, 2, ("void main()", "{}\u00e4 x"), None)
    assert second.args == (1, 1, ("void main() {}",), None)


def test_what_the_driver_wrote_is_output(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glGenTextures", 2, [5, 9])
    pat.call("glGetShaderiv", 1, gl.GL_COMPILE_STATUS, [1])
    pat.call("glGetShaderInfoLog", 1, 9, 2, "no")
    pat.call("glGetString", gl.GL_VERSION, result="OpenGL ES 3.1")
    made, status, log, version = imported(tmp_path, pat)[3:]
    assert (made.args, made.outputs) == ((2, None), {"textures": struct.pack("<II", 5, 9)})
    assert status.outputs == {"params": struct.pack("<i", 1)}
    assert log.outputs == {"length": struct.pack("<i", 2), "infoLog": b"no\0"}
    assert version.result == "OpenGL ES 3.1"


def test_flags_and_locations(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glEnable", 7, error=1)
    pat.call("glBindAttribLocation", 1, 0, "a", injected=True)
    pat.call("glLinkProgram2", 1, 1)
    pat.call("glGetUniformLocation", 1, "light[1]", result=-1, injected=True)
    failed, bound, link, location = imported(tmp_path, pat)[3:]
    assert failed.flags == CallFlags.FAILED
    assert bound.flags == location.flags == CallFlags.SYNTHETIC
    assert (link.name, link.args, link.flags) == ("glLinkProgram", (1,), 0)
    assert location.result == -1


def test_handles_are_numbered(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glFenceSync", 0x9117, 0, result=0x7F00_0000_1234)
    pat.call("glClientWaitSync", 0x7F00_0000_1234, 1, 2**64 - 1, result=0x911A)
    pat.call("eglCreateImageKHR", DISPLAY, CONTEXT, 0x30B1, 7, [0x30D2, 1, 0x3038], result=-77)
    pat.call("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, -77)
    fence, wait, image, target = imported(tmp_path, pat)[3:]
    assert (fence.result, wait.args) == (1, (1, 1, 2**64 - 1))
    assert (image.args[3], image.result) == (7, target.args[1])


def test_no_address_of_the_program_gets_into_the_trace(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glDebugMessageCallback", Offset(0x7F123456), Offset(0x7F654321))
    pat.call("glMapBufferOES", gl.GL_ARRAY_BUFFER, 0x88B9, result=Offset(0x7F000000))
    callback, mapped = imported(tmp_path, pat)[3:]
    assert callback.args == (None, None)
    assert mapped.result is None


def client_quad(pat: PatWriter, *, data: bytes | None = None, name: int = 2) -> None:
    if data is not None:
        pat.call("glCreateClientSideBuffer", result=name, injected=True)
        pat.call("glClientSideBufferData", name, len(data), data, injected=True)
    pointer = (0, 2, gl.GL_FLOAT, 0, 0)
    pat.call("glVertexAttribPointer", *pointer, Client((name, 0)), injected=True)


QUAD = struct.pack("<8f", -1, -1, 1, -1, -1, 1, 1, 1)


def test_client_arrays_and_indices_come_before_their_draw(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.program(VERTEX, FRAGMENT)
    pat.call("glEnableVertexAttribArray", 0)
    client_quad(pat, data=QUAD)
    pat.call("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
    client_quad(pat)  # the same content: only its name comes again
    pat.call("glCreateClientSideBuffer", result=3, injected=True)
    pat.call("glClientSideBufferData", 3, 10, bytes([9, 0, 0, 1, 2, 3, 7, 7, 7, 7]), injected=True)
    pat.call("glDrawElements", gl.GL_TRIANGLE_STRIP, 4, gl.GL_UNSIGNED_BYTE, Client((3, 2)))
    pat.call("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 3)
    calls = imported(tmp_path, pat)
    at = next(n for n, call in enumerate(calls) if call.name == "glVertexAttribPointer")
    pointer, array, draw, _, again, indexed, last = calls[at:]
    assert pointer.args == (0, 2, gl.GL_FLOAT, 0, 0, None)
    assert (array.name, array.args, array.flags) == ("traceClientArray", (0, 0, QUAD), CallFlags.SYNTHETIC)
    assert draw.name == last.name == "glDrawArrays"
    assert again.args == (0, 0, QUAD)
    assert indexed.args[-1] == bytes([0, 1, 2, 3])


def test_mapped_writes_and_patches_are_placed_in_their_buffer(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glBindBuffer", gl.GL_UNIFORM_BUFFER, 4)
    pat.call("glMapBufferRange", gl.GL_UNIFORM_BUFFER, 64, 8, 2, result=Offset(1234))
    pat.call("glCreateClientSideBuffer", result=2, injected=True)
    pat.call("glClientSideBufferData", 2, 12, b"0123456789ab", injected=True)
    pat.call("glCopyClientSideBuffer", gl.GL_UNIFORM_BUFFER, 2, injected=True)
    pat.call("glUnmapBuffer", gl.GL_UNIFORM_BUFFER, result=1)
    pat.call("glBindBuffer", gl.GL_ARRAY_BUFFER, 5)
    pat.call("glMapBufferOES", gl.GL_ARRAY_BUFFER, 0x88B9, result=Offset(99))
    patch = struct.pack("<III2s", 2, 16, 2, b"xy") + struct.pack("<II1s", 40, 1, b"z") + b"unused"
    pat.call("glPatchClientSideBuffer", gl.GL_ARRAY_BUFFER, 100, patch, injected=True)
    pat.call("glUnmapBufferOES", gl.GL_ARRAY_BUFFER, result=1)
    calls = imported(tmp_path, pat)
    assert [call.args for call in named(calls, "traceMappedWrite")] == [
        (gl.GL_UNIFORM_BUFFER, 64, b"01234567"),
        (gl.GL_ARRAY_BUFFER, 16, b"xy"),
        (gl.GL_ARRAY_BUFFER, 40, b"z"),
    ]
    assert named(calls, "glMapBufferRange")[0].result is None


def test_threads_have_contexts_and_client_memory_of_their_own(tmp_path: Path) -> None:
    pat = PatWriter(multiThread=True)
    pat.window(thread=1)
    pat.window(32, 32, thread=0, share=CONTEXT, number=1)
    for thread in (0, 1):
        content = struct.pack("<8f", *[thread] * 8)
        pat.call("glClientSideBufferData", 2, 32, content, injected=True, thread=thread)
    for thread in (0, 1):
        pointer = (0, 2, gl.GL_FLOAT, 0, 0, Client((2, 0)))
        pat.call("glVertexAttribPointer", *pointer, injected=True, thread=thread)
    for thread in (1, 0):
        pat.call("glDrawArrays", gl.GL_POINTS, 0, 4, thread=thread)
        pat.swap(thread=thread, number=1 - thread)
    calls = imported(tmp_path, pat)
    arrays = named(calls, "traceClientArray")
    assert [(call.thread, call.context) for call in arrays] == [(1, 1), (2, 2)]
    assert [struct.unpack("<8f", call.args[2])[0] for call in arrays] == [1.0, 0.0]
    assert [call.args for call in named(calls, "traceSwap")] == [(1, "eglSwapBuffers"), (2, "eglSwapBuffers")]
    assert named(calls, "traceContext")[1].args[-1] == 1


def test_a_pbuffer_swap_ends_no_frame(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("eglCreatePbufferSurface", DISPLAY, 0, [0x3057, 16, 0x3056, 8, 0x3038], result=-9)
    pat.call("eglMakeCurrent", DISPLAY, -9, -9, CONTEXT, result=1)
    pat.call("glClear", 0x4000)
    pat.call("eglSwapBuffers", DISPLAY, -9, result=1)
    pat.current()
    pat.swap()
    pat.call("eglDestroySurface", DISPLAY, SURFACE, result=1)
    calls = imported(tmp_path, pat)
    assert named(calls, "traceDrawable")[1].args == (2, 16, 8, 1)
    assert len(named(calls, "traceSwap")) == 1


def test_names_that_are_not_known_and_calls_without_context_are_told(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.call("glClear", 0x4000)
    pat.call("glGetString", gl.GL_VERSION, result="x")
    pat.window()
    pat.call("glColor4x", 1, 2, 3, 4)
    pat.call("paTimestamp", 5)
    pat.swap()
    lines = tuple(
        f"{text} (1 times)"
        for text in (
            "glGetString without a current context",
            "unknown entry point glColor4x",
            "glClear without a current context",
        )
    )
    source = pat.write(tmp_path / "in.pat")
    report = import_trace(source, tmp_path / "out.gltrace")
    assert sorted(report.warnings()) == sorted(lines)
    with pytest.raises(FindingError):
        import_trace(source, tmp_path / "strict.gltrace", strict=True)
    assert not (tmp_path / "strict.gltrace").exists()


def drawing(frames: int, *, chunk_frames: int = 1, clears: bool = False) -> PatWriter:
    """Frames that are told apart by colour; the second uniform stays from the frame before."""
    pat = PatWriter()
    pat.window(16, 16)
    pat.program(VERTEX, FRAGMENT)
    pat.call("glGetUniformLocation", 3, "c", result=0)
    pat.call("glEnableVertexAttribArray", 0)
    pat.call("glGenBuffers", 1, [7])
    pat.call("glBindBuffer", gl.GL_ARRAY_BUFFER, 7)
    pat.call("glBufferData", gl.GL_ARRAY_BUFFER, 32, QUAD, gl.GL_STATIC_DRAW)
    pat.call("glVertexAttribPointer", 0, 2, gl.GL_FLOAT, 0, 0, Offset(0))
    for frame in range(frames):
        if clears:
            pat.call("glClear", gl.GL_COLOR_BUFFER_BIT)
        pat.call("glUniform4fv", 0, 1, [frame / 255, 1.0, 0.5, 1.0])
        pat.call("glScissor", frame % 8, 0, 8, 16)
        pat.call("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
        pat.swap()
        if frame % chunk_frames == 0:
            pat.end_chunk()
    return pat


def test_pictures_of_an_imported_file(tmp_path: Path) -> None:
    source = drawing(3).write(tmp_path / "in.pat")
    import_trace(source, tmp_path / "out.gltrace")
    found = dict(pictures(tmp_path / "out.gltrace", frames=(0, 2)))
    assert [found[frame][8, 8].tolist()[:3] for frame in range(3)] == [[frame, 255, 128] for frame in range(3)]


@pytest.mark.parametrize("wanted", [(2, 3), (0, 1), (4, None)])
def test_frames_have_the_pictures_that_they_have_in_all(tmp_path: Path, wanted: tuple[int, int | None]) -> None:
    source = drawing(6).write(tmp_path / "in.pat")
    import_trace(source, tmp_path / "all.gltrace")
    report = import_trace(source, tmp_path / "some.gltrace", frames=wanted)
    last = 5 if wanted[1] is None else wanted[1]
    every = dict(pictures(tmp_path / "all.gltrace", frames=(wanted[0], last)))
    with open_trace(tmp_path / "some.gltrace") as reader:
        before = reader.set_up_frames
        assert (reader.num_calls, len(reader.frames) - before) == (report.calls_written, report.frames)
        assert report.frames == last - wanted[0] + 1
    some = dict(pictures(tmp_path / "some.gltrace", frames=(before, before + last - wanted[0])))
    assert [some[before + frame - wanted[0]].tolist() for frame in every] == [every[frame].tolist() for frame in every]


def test_frames_are_cut_out_without_executing_what_is_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def executed(*_: object, **__: object) -> None:
        raise AssertionError("the engine was asked")

    monkeypatch.setattr("replay.engine.engine.Engine.__init__", executed)
    source = drawing(60, clears=True).write(tmp_path / "in.pat")
    report = import_trace(source, tmp_path / "some.gltrace", frames=(50, 51))
    # What the two frames draw with, and two frames: nothing of the 50 before them.
    assert report.frames == 2
    assert report.calls_written < 60


def test_nothing_behind_the_last_wanted_frame_is_read(tmp_path: Path) -> None:
    data = drawing(400).data()
    (tmp_path / "in.pat").write_bytes(data[: len(data) * 3 // 4])
    report = import_trace(tmp_path / "in.pat", tmp_path / "out.gltrace", frames=(0, 1))
    assert not report.damage
    with pytest.raises(FindingError, match="before frame 1000"):
        import_trace(tmp_path / "in.pat", tmp_path / "out.gltrace", frames=(1000, None))


def test_chunks_of_any_size_give_the_same_calls(tmp_path: Path) -> None:
    every = [list(imported(tmp_path, drawing(40, chunk_frames=size))) for size in (1, 7, 40)]
    assert every[0] == every[1] == every[2]


def test_long_batches_and_many_patches(tmp_path: Path) -> None:
    pat = PatWriter()
    pat.window()
    pat.call("glBindBuffer", gl.GL_ARRAY_BUFFER, 5)
    pat.call("glMapBufferOES", gl.GL_ARRAY_BUFFER, 0x88B9, result=Offset(99))
    # Parts follow each other without padding.
    parts = b"".join(struct.pack("<IIB", 8 * n, 1, n & 255) for n in range(40_000))
    patch = struct.pack("<I", 40_000) + parts
    pat.call("glPatchClientSideBuffer", gl.GL_ARRAY_BUFFER, 1 << 20, patch, injected=True)
    for _ in range(40_000):
        pat.call("glFlush")
    calls = imported(tmp_path, pat)
    assert len(named(calls, "traceMappedWrite")) == len(named(calls, "glFlush")) == 40_000


def test_a_cut_file_keeps_its_whole_chunks_and_says_what_is_lost(tmp_path: Path) -> None:
    pat = drawing(6)
    data = pat.data()
    counts = []
    for size in range(len(data) - 200, len(data), 3):
        (tmp_path / "in.pat").write_bytes(data[:size])
        report = import_trace(tmp_path / "in.pat", tmp_path / "out.gltrace")
        lost = f"lost: calls {report.calls_read} to {pat.num_calls - 1}"
        assert report.calls_read == pat.num_calls or lost in report.damage
        with open_trace(tmp_path / "out.gltrace") as reader:
            counts.append(reader.num_calls)
    assert counts == sorted(counts)
    assert len(set(counts)) > 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({8: 9}, "header version 9 (format version 7) is unknown"),
        ({12: 0xFFFFFFFF}, "offsets contradict"),
        ({24: 0x7FFFFFFF}, "offsets contradict"),
        ({32: 0}, "JSON header cannot be read"),
    ],
)
def test_bad_headers_end_in_one_clear_error(tmp_path: Path, change: dict[int, int], message: str) -> None:
    data = bytearray(drawing(1).data())
    for at, value in change.items():
        struct.pack_into("<I", data, at, value)
    (tmp_path / "in.pat").write_bytes(data)
    with pytest.raises(TraceFormatError, match=re.escape(message)):
        import_trace(tmp_path / "in.pat", tmp_path / "out.gltrace")
    assert not (tmp_path / "out.gltrace").exists()


def test_gles_1_is_refused_by_name(tmp_path: Path) -> None:
    source = PatWriter(glesVersion=1).write(tmp_path / "in.pat")
    with pytest.raises(UnsupportedCallError, match="OpenGL ES 1"):
        import_trace(source, tmp_path / "out.gltrace")


def test_client_memory_beyond_the_limit_lies_in_a_file() -> None:
    memory = ClientBuffers(memory_bytes=100)
    contents = {(0, name): bytes([name]) * 30 for name in range(20)}
    for key, data in contents.items():
        memory[key] = data
    del memory[0, 3]
    memory[0, 4] = b"new"
    assert [memory[key] for key in contents] == [
        b"" if key == (0, 3) else b"new" if key == (0, 4) else data for key, data in contents.items()
    ]
