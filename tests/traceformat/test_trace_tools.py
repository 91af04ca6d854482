"""gputrace diff, convert, extract, repack and info on a small program; and the examples of every command's help."""

from __future__ import annotations

import base64
import json
import re
import shlex
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz_scenes import SCENES
from PIL import Image

from traceformat.calls import Call, Offset
from traceformat.cli import cli
from traceformat.cli.door import run
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.tools.apitrace_text import apitrace_lines
from traceformat.tools.diff import CallItem, compare
from traceformat.tools.repack import repack
from traceformat.tools.summary import summarize


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of two frames: GLES 2, off-screen pass, textures, markers."""
    path = tmp_path_factory.mktemp("tools") / "app.gltrace"
    with TraceWriter(path, {"program": "app.py"}) as trace:
        for name, args, outputs, result in SCENES["es2"]():
            if name not in ("glDeleteTextures", "traceDestroyContext"):
                context = 0 if name in ("traceContext", "traceDrawable", "traceMakeCurrent") else 1
                trace.write(name, args, outputs, result, context=context, source=("app.py", 3))
    return path


def gputrace(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = run(cli, [str(arg) for arg in args], name="gputrace")
    said = capsys.readouterr()
    return status, said.out, said.err


def changed(app: Path, path: Path, change: Any) -> Path:
    """Write a trace whose calls a function may change, drop (None) or double."""
    with open_trace(app) as reader, TraceWriter(path, reader.properties) as out:
        for call in reader:
            for each in change(call):
                out.write_call(each)
    return path


# -- diff ------------------------------------------------------------------------------------------


def items(*names: str) -> list[CallItem]:
    calls = (Call(number, name.split(":")[0], 1, 1, 0, (name,)) for number, name in enumerate(names))
    return [CallItem.of(call, answers=False) for call in calls]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("abcdef", "abcdef", []),
        ("abcdef", "abdef", [("c", None)]),
        ("abdef", "abcdef", [(None, "c")]),
        ("abcdef", "abxdef", [("c", None), (None, "x")]),
        ("abc", "abcde", [(None, "d"), (None, "e")]),
        ("abc", "", [("a", None), ("b", None), ("c", None)]),
        ("", "", []),
    ],
)
def test_calls_are_aligned(first: str, second: str, expected: list[tuple[str | None, str | None]]) -> None:
    found = compare(items(*first), items(*second))
    names = [(d.first.call.name if d.first else None, d.second.call.name if d.second else None) for d in found]
    assert sorted(names, key=str) == sorted(expected, key=str)


def test_a_call_put_among_its_like_is_one_difference() -> None:
    plain = [f"u:{i}" for i in range(20)]
    found = list(compare(items(*plain), items(*plain[:7], "u:new", *plain[7:])))
    assert [(d.first, d.second.call.args if d.second else None) for d in found] == [(None, ("u:new",))]
    found = list(compare(items(*plain), items(*plain[:7], "u:other", *plain[8:])))
    assert len(found) == 1
    assert found[0].first is not None
    assert found[0].second is not None


def test_diff(app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gputrace(capsys, "diff", app, app, "--state", "--pictures", "--answers") == (0, "", "")
    with open_trace(app) as reader:
        clear = next(call.number for call in reader if call.name == "glClearColor")
        swap = reader.frames[1].end_call - 1

    def change(call: Call) -> list[Call]:
        if call.number == clear:
            call.args = (1.0, *call.args[1:])
        if call.number == swap:
            return [Call(0, "glEnable", 1, 1, 0, (gl.GL_POLYGON_OFFSET_FILL,)), call]
        return [call]

    other = changed(app, tmp_path / "other.gltrace", change)
    status, out, error = gputrace(capsys, "diff", app, other, "--state", "--pictures")
    lines = out.splitlines()
    assert status == 1
    assert error == f"gputrace: {app} and {other} differ: 2 in calls, 1 in state, 2 in pictures\n"
    assert lines[0].startswith(f"- {clear} @1 glClearColor(red = 0.1,")
    assert lines[2] == "    other: red"
    assert lines[3] == f"+ {swap} @1 glEnable(cap = GL_POLYGON_OFFSET_FILL)"
    assert lines[4].startswith("- frame 0, context 1: clear_color = (0.1")
    assert re.match(r"frame 0: \d+ of 768 pixels differ, by at most \d+", lines[6])
    found = json.loads(gputrace(capsys, "diff", app, other, "--json")[1])
    assert found["counts"] == {"calls": 2}
    assert found["calls"][0] == {"first": clear, "second": clear, "function": "glClearColor", "changed": ["red"]}
    status, out, _ = gputrace(capsys, "diff", app, other, "--canonical")
    assert status == 1
    assert len(out.splitlines()) == 3


# -- convert ---------------------------------------------------------------------------------------


def test_convert_writes_what_apitrace_would(tmp_path: Path) -> None:
    path = tmp_path / "a.gltrace"
    with TraceWriter(path, {"process.name": "app"}) as trace:
        trace.write("traceContext", (1, 0, 3, 2, 0, 8, 8, 8, 8, 24, 8, 0, 0))
        trace.write("traceMakeCurrent", (1, 1, 1))
        trace.write("glGenBuffers", (1, None), {"buffers": struct.pack("<I", 7)}, context=1)
        trace.write("glGenTextures", (2, None), {"textures": struct.pack("<II", 1, 2)}, context=1)
        trace.write("glShaderSource", (2, 1, ('say "hi"\n',), None), context=1)
        trace.write("glBufferData", (0x8892, 300, bytes(300), 0x88E4), context=1)
        trace.write("glVertexAttribPointer", (0, 3, 0x1406, 0, 0, Offset(0)), context=1)
        trace.write("glVertexAttribPointer", (1, 3, 0x1406, 1, 12, Offset(24)), context=1)
        trace.write("glUniform3fv", (4, 1, struct.pack("<3f", 2.082004, -0.90138787, 0.0)), context=1)
        trace.write("glViewport", (0, 0, 3, 4), context=1, flags=1)
        trace.write("glTexParameteri", (0x0DE1, 0x2801, 0x2600), context=1)
        trace.write("glClear", (0x4100,), context=1)
        trace.write("glGetError", (), None, 0, context=1)
        trace.write("traceResize", (1, 3, 4))
        trace.write("traceSwap", (1, "eglSwapBuffers"), context=1)
        trace.write("glFinish", (), context=1)
    with open_trace(path) as reader:
        lines = list(apitrace_lines(reader))
    pointer = "glVertexAttribPointer"
    context = "{EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE}"
    assert lines == [
        '// process.name = "app"',
        f"0 eglCreateContext(dpy = 0x1, config = 0x1, share_context = NULL, attrib_list = {context}) = 0x1",
        "1 eglMakeCurrent(dpy = 0x1, draw = 0x1, read = 0x1, ctx = 0x1) = EGL_TRUE",
        "2 glGenBuffers(n = 1, buffers = &7)",
        "3 glGenTextures(n = 2, textures = {1, 2})",
        '4 glShaderSource(shader = 2, count = 1, string = &"say \\"hi\\"\n", length = NULL)',
        "5 glBufferData(target = GL_ARRAY_BUFFER, size = 300, data = blob(300), usage = GL_STATIC_DRAW)",
        f"6 {pointer}(index = 0, size = 3, type = GL_FLOAT, normalized = GL_FALSE, stride = 0, pointer = NULL)",
        f"7 {pointer}(index = 1, size = 3, type = GL_FLOAT, normalized = GL_TRUE, stride = 12, pointer = 0x18)",
        "8 glUniform3fv(location = 4, count = 1, value = {2.082004, -0.9013879, 0})",
        "9 glViewport(x = 0, y = 0, width = 3, height = 4) // fake",
        "10 glTexParameteri(target = GL_TEXTURE_2D, pname = GL_TEXTURE_MIN_FILTER, param = GL_NEAREST)",
        "11 glClear(mask = GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT)",
        "12 glGetError() = GL_NO_ERROR",
        "// 13 traceResize(drawable = 1, width = 3, height = 4)",
        "14 eglSwapBuffers(dpy = 0x1, surface = 0x1) = EGL_TRUE",
        "",
        "15 glFinish()",
    ]


# -- extract ---------------------------------------------------------------------------------------


def test_extract(app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, error = gputrace(capsys, "extract", app, "-o", tmp_path / "parts", "--json")
    assert (status, error) == (0, "")
    files = json.loads(out)["files"]
    assert {entry["kind"] for entry in files} == {"texture", "shader", "buffer", "mesh", "thumbnail"}
    for entry in files:
        assert (tmp_path / "parts" / entry["file"]).stat().st_size
    # A texture is what was uploaded: level 1 of the second program's texture was never drawn to.
    with open_trace(app) as reader:
        upload = next(call for call in reader if call.name == "glTexImage2D" and call["level"] == 2)
    pixels = np.asarray(Image.open(tmp_path / "parts" / "texture_1_level2.png"))[::-1]
    assert pixels.tobytes() == upload["pixels"]
    source = next(entry for entry in files if entry["file"].endswith(".vert"))
    assert (tmp_path / "parts" / source["file"]).read_text().startswith("attribute vec4 p;")
    assert source["programs"] == "1"
    thumbnail = Image.open(tmp_path / "parts" / "thumbnail_0001.png")
    assert thumbnail.size == (32, 24)


def test_meshes_are_those_of_the_vertex_stage(app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = gputrace(capsys, "extract", app, "-o", tmp_path, "--frame", "0", "--only", "meshes", "--json")
    assert status == 0
    meshes = json.loads(out)["files"]
    document = json.loads((tmp_path / meshes[0]["file"]).read_text())
    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    primitive = document["meshes"][0]["primitives"][0]

    def values(accessor: int, dtype: str, width: int) -> np.ndarray[Any, Any]:
        entry = document["accessors"][accessor]
        view = document["bufferViews"][entry["bufferView"]]
        return np.frombuffer(data, dtype, entry["count"] * width, view["byteOffset"]).reshape(-1, width)

    positions = values(primitive["attributes"]["POSITION"], "<f4", 3)
    clip = values(primitive["attributes"]["_CLIP"], "<f4", 4)
    indices = values(primitive["indices"], "<u4", 1)
    # The program's matrix is the identity: clip coordinates are its attribute.
    with open_trace(app) as reader:
        given = next(call for call in reader if call.name == "glBufferData").array("data").view("<f4").reshape(-1, 6)
    assert np.array_equal(clip, given[:, :4])
    assert np.allclose(positions, clip[:, :3] / clip[:, 3:])
    assert len(indices) == 6
    assert indices.max() == 3
    assert primitive["mode"] == 4
    assert "_V" in primitive["attributes"]
    gputrace(capsys, "extract", app, "-o", tmp_path, "--frame", "0", "--only", "meshes", "--mesh-format", "obj")
    lines = (tmp_path / meshes[0]["file"].replace(".gltf", ".obj")).read_text().splitlines()
    assert sum(line.startswith("v ") for line in lines) == 4
    assert sum(line.startswith("f ") for line in lines) == 2


# -- repack, info ----------------------------------------------------------------------------------


def test_repack_keeps_the_calls(app: Path, tmp_path: Path) -> None:
    with open_trace(app) as reader:
        calls = list(reader)
        for level in (0, 3, 19):
            repack(reader, tmp_path / f"{level}.gltrace", level=level, dedupe=level == 19)
            with open_trace(tmp_path / f"{level}.gltrace") as again:
                assert list(again) == calls
                assert again.content_hash == reader.content_hash
                assert again.properties == reader.properties
        repack(reader, tmp_path / "bare.gltrace", sources=False)
    sizes = {name: (tmp_path / f"{name}.gltrace").stat().st_size for name in ("0", "3", "19", "bare")}
    assert sizes["0"] > sizes["3"] >= sizes["19"]
    with open_trace(tmp_path / "bare.gltrace") as bare:
        assert all(call.source is None for call in bare)
        assert [call.args for call in bare] == [call.args for call in calls]


def test_repack_of_a_damaged_trace(app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.gltrace"
    broken.write_bytes(app.read_bytes()[:-30])
    status, _, error = gputrace(capsys, "repack", broken, "-o", tmp_path / "out.gltrace")
    assert status == 3
    assert "is damaged" in error
    assert not (tmp_path / "out.gltrace").exists()
    status, _, _ = gputrace(capsys, "repack", broken, "-o", tmp_path / "out.gltrace", "--recover")
    assert status == 3
    with open_trace(tmp_path / "out.gltrace") as again, open_trace(app) as reader:
        assert not again.damage
        assert list(again) == list(reader)


def test_recovery_leaves_out_calls_whose_content_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from damage_fuzz import write_small

    from traceformat.calls import CallFlags
    from traceformat.framing.chunks import Chunk, scan_chunks
    from traceformat.framing.headers import ChunkKind

    path = write_small(tmp_path / "small.gltrace")
    data = bytearray(path.read_bytes())
    blob = next(
        piece
        for piece in scan_chunks(bytes(data), 0, len(data))
        if isinstance(piece, Chunk) and piece.prefix.kind == ChunkKind.BLOBS
    )
    data[blob.end - 1] ^= 1
    path.write_bytes(data)
    with open_trace(path) as reader:
        kept = [call for call in reader if not call.flags & CallFlags.LOST]
        assert len(kept) < reader.num_calls
    assert gputrace(capsys, "repack", path, "-o", tmp_path / "out.gltrace", "--recover")[0] == 3
    with open_trace(tmp_path / "out.gltrace") as again:
        assert not again.damage
        assert [(call.name, call.args) for call in again] == [(call.name, call.args) for call in kept]


def test_a_call_whose_content_is_lost_is_not_copied(tmp_path: Path) -> None:
    """A file may name content that it does not have with all its check sums right."""
    from damage_fuzz import write_small

    from traceformat.errors import TraceFormatError
    from traceformat.gltrace.reader import TraceReader
    from traceformat.gltrace.writer import TraceWriter

    class WithoutContent(TraceReader):
        def blob(self, number: int) -> None:
            return None

    writer = TraceWriter(tmp_path / "out.gltrace")
    with WithoutContent(write_small(tmp_path / "small.gltrace")) as reader:
        assert not reader.damage
        lost = list(reader)[5]
        with pytest.raises(TraceFormatError, match=r"call 5 glBufferData: its content is lost") as caught:
            writer.write_call(lost)
    writer.abort()
    assert "repack --recover" in caught.value.hint


def test_a_call_that_does_not_fit_its_entry_point_is_not_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Shapes of a file may say anything with all its check sums right."""
    from damage_fuzz import write_small

    from traceformat.gltrace import callbuilder
    from traceformat.gltrace.reader import open_trace
    from traceformat.gltrace.writer import TraceWriter

    small = write_small(tmp_path / "small.gltrace")
    odd, out = tmp_path / "odd.gltrace", tmp_path / "out.gltrace"
    with open_trace(small) as reader, TraceWriter(odd) as writer, pytest.MonkeyPatch.context() as patch:
        calls = list(reader)
        writer.write_call(calls[0])
        patch.setattr(callbuilder, "plan_of", lambda name: None)
        writer.write("glClear", (1, 2, 3))
        patch.undo()
        writer.write_call(calls[1])
    status, _, said = gputrace(capsys, "repack", odd, "-o", out)
    assert status == 3
    assert "call 1 glClear: glClear takes 1 arguments, not 3" in said
    assert not out.exists()
    assert gputrace(capsys, "repack", "--recover", odd, "-o", out)[0] == 0
    with open_trace(out) as again:
        assert [call.name for call in again] == [calls[0].name, calls[1].name]


def test_info_counts(app: Path) -> None:
    with open_trace(app) as reader:
        info = summarize(reader)
        calls = list(reader)
    assert info["objects"]["texture"] == {"created": 4, "deleted": 0}
    assert info["objects"]["shader"]["created"] == 2
    assert info["contexts"][0]["version"] == "2.0"
    assert info["drawables"] == [{"drawable": 1, "width": 32, "height": 24, "kind": 0}]
    uploads = [call["pixels"] for call in calls if call.name in ("glTexImage2D", "glTexSubImage2D")]
    uploads += [call["data"] for call in calls if call.name.startswith("glCompressedTexImage2D")]
    assert info["bytes_by_kind"]["textures"]["bytes"] == sum(len(each) for each in uploads if isinstance(each, bytes))
    assert info["shaders"]["different_sources"] == 2
    assert [frame["draws"] for frame in info["per_frame"]] == [5, 5]
    assert sum(frame["calls"] for frame in info["per_frame"]) <= len(calls)
    assert info["formats"]["GL_RGBA"] > 3
    assert info["flags"]["with_source"] == len(calls)
    assert info["warnings"] == []


def test_frames_that_are_not_cleared_are_warned_of(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "a.gltrace") as trace:
        for frame in range(4):
            trace.write("glBindFramebuffer", (gl.GL_FRAMEBUFFER, 3), context=1)
            trace.write("glDrawArrays", (4, 0, 3), context=1)
            trace.write("glBindFramebuffer", (gl.GL_READ_FRAMEBUFFER, 0), context=1)
            trace.write("glDrawArrays", (4, 0, 3), context=1)
            trace.write("glBindFramebuffer", (gl.GL_FRAMEBUFFER, 0), context=1)
            if frame != 2:
                trace.write("glClear", (0x4000,), context=1)
            trace.write("glDrawArrays", (4, 0, 3), context=1)
            trace.write("traceSwap", (1, "swap"), context=1)
    with open_trace(tmp_path / "a.gltrace") as reader:
        (warning,) = summarize(reader)["warnings"]
    assert warning.startswith("frame 2 draws into the window's framebuffer without a clear")


def test_losses_are_named(app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut.gltrace").write_bytes(app.read_bytes()[:400])
    status, out, _ = gputrace(capsys, "info", tmp_path / "cut.gltrace", "--recover")
    assert status == 3
    assert "damage       cut: lost from call 0, frame 0; end unknown" in out
    summary = json.loads(gputrace(capsys, "info", tmp_path / "cut.gltrace", "--recover", "--json")[1])
    assert not summary["end_known"]
    assert summary["damage"][-1]["first_call"] == 0
    assert gputrace(capsys, "info", app, "--recover")[0] == 0


# -- help ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", cli.list_commands(None))  # type: ignore[arg-type]
def test_examples_of_the_help_work(
    command: str, app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.gltrace").write_bytes(app.read_bytes())
    monkeypatch.chdir(tmp_path)
    status, out, _ = gputrace(capsys, command, "--help")
    assert status == 0
    examples = re.findall(r"^ +gputrace (.+)$", out.partition("Examples:")[2], re.MULTILINE)
    assert examples
    for example in examples:
        status, _, error = gputrace(capsys, *shlex.split(example))
        assert (status, error) == (0, ""), example
    assert not list(tmp_path.glob(".*"))
