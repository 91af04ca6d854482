"""Our traces in apitrace's format: read back they are what they were, and apitrace's own tools take them."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from apitrace_tools import display, dumped, missing, replayed
from PIL import Image

from capture.importers import import_trace
from capture.importers.apitrace.export import Exporter
from capture.importers.apitrace.writer import EventWriter
from traceformat.calls import Call, Offset
from traceformat.cli import cli
from traceformat.cli.door import run
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def exported(source: Path, target: Path) -> Exporter:
    exporter = Exporter()
    with open_trace(source) as reader, target.open("wb") as file:
        writer = EventWriter(file, {"process.name": "app"})
        for event in exporter.events(reader):
            writer.write(event)
        writer.close()
    return exporter


def again(tmp_path: Path, source: Path) -> list[Call]:
    """Calls of a trace that went to apitrace's format and back."""
    exported(source, tmp_path / "out.trace")
    report = import_trace(tmp_path / "out.trace", tmp_path / "again.gltrace")
    assert (report.warnings(), report.damage) == ([], "")
    with open_trace(tmp_path / "again.gltrace") as reader:
        return list(reader)


def said(calls: list[Call]) -> list[tuple[object, ...]]:
    return [(call.name, call.thread, call.context, call.args, call.outputs, call.result) for call in calls]


def write(path: Path, *calls: tuple[str, tuple[object, ...]], **options: object) -> Path:
    with TraceWriter(path) as trace:
        trace.write("traceContext", (1, 0, 3, 2, 0, 5, 6, 5, 0, 16, 0, 4, 0))
        trace.write("traceDrawable", (1, 64, 48, 0), context=1)
        trace.write("traceMakeCurrent", (1, 1, 1), context=1)
        for name in ("glViewport", "glScissor"):
            trace.write(name, (0, 0, 64, 48), context=1, flags=1)
        for name, args in calls:
            outputs, result = options.get(name, (None, None))  # type: ignore[misc]
            synthetic = name in ("traceClientArray", "traceMappedWrite")
            trace.write(name, args, outputs, result, context=1, flags=int(synthetic))  # type: ignore[arg-type]
    return path


def test_values_of_every_kind_come_back(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in.gltrace",
        ("glGenBuffers", (2, None)),
        ("glBindBuffer", (gl.GL_PIXEL_UNPACK_BUFFER, 7)),
        ("glTexImage2D", (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, Offset(64))),
        ("glBindBuffer", (gl.GL_PIXEL_UNPACK_BUFFER, 0)),
        ("glTexImage2D", (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)),
        ("glBufferData", (gl.GL_ARRAY_BUFFER, 300, bytes(range(256)) + bytes(44), gl.GL_STATIC_DRAW)),
        ("glShaderSource", (2, 2, ('say "hi"\n', "\u00e4"), None)),
        ("glUniform3fv", (-1, 1, struct.pack("<3f", 0.1, -0.0, 1e-40))),
        ("glUniform2iv", (3, 1, struct.pack("<2i", -7, 2**31 - 1))),
        ("glTexParameteri", (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)),
        ("glTexParameteri", (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAX_LEVEL, 5)),
        ("glClear", (0x4100,)),
        ("glClear", (0,)),
        ("glEnable", (0x12345678,)),
        ("glColorMask", (1, 0, 1, 1)),
        ("glDrawBuffers", (2, struct.pack("<2I", gl.GL_COLOR_ATTACHMENT0, 0))),
        ("glClientWaitSync", (1, 1, 2**64 - 1)),
        ("glGetError", ()),
        ("traceSwap", (1, "eglSwapBuffers")),
        glGenBuffers=({"buffers": struct.pack("<II", 7, 9)}, None),
        glClientWaitSync=(None, 0x911A),
        glGetError=(None, 0),
    )
    with open_trace(source) as reader:
        assert said(again(tmp_path, source)) == said(list(reader))


def test_client_arrays_and_mapped_writes_come_back(tmp_path: Path) -> None:
    pointer = (0, 2, gl.GL_FLOAT, 0, 0)
    source = write(
        tmp_path / "in.gltrace",
        ("glBindBuffer", (gl.GL_ARRAY_BUFFER, 3)),
        ("glMapBufferRange", (gl.GL_ARRAY_BUFFER, 64, 32, 2)),
        ("traceMappedWrite", (gl.GL_ARRAY_BUFFER, 72, b"abcd")),
        ("glUnmapBuffer", (gl.GL_ARRAY_BUFFER,)),
        ("glBindBuffer", (gl.GL_ARRAY_BUFFER, 0)),
        ("glVertexAttribPointer", (*pointer, None)),
        ("glEnableVertexAttribArray", (0,)),
        ("glBindBuffer", (gl.GL_ARRAY_BUFFER, 3)),
        ("traceClientArray", (0, 2, b"0123456789abcdef")),
        ("glDrawArrays", (gl.GL_TRIANGLES, 2, 2)),
        ("traceClientArray", (0, 0, b"01234567")),
        ("glDrawElements", (gl.GL_POINTS, 1, gl.GL_UNSIGNED_BYTE, b"\0")),
        glUnmapBuffer=(None, 1),
    )
    calls = again(tmp_path, source)
    assert [call.args for call in calls if call.name == "traceMappedWrite"] == [(gl.GL_ARRAY_BUFFER, 72, b"abcd")]
    arrays = [call.args for call in calls if call.name == "traceClientArray"]
    # Vertices in front of the first are nothing that a draw reads.
    assert arrays == [(0, 0, bytes(16) + b"0123456789abcdef"), (0, 0, b"01234567")]
    draws = [n for n, call in enumerate(calls) if call.name.startswith("glDraw")]
    for draw in draws:
        names = [call.name for call in calls[draw - 4 : draw]]
        assert names == ["glBindBuffer", "glVertexAttribPointer", "glBindBuffer", "traceClientArray"]
        assert [calls[draw - 4].args[1], calls[draw - 2].args[1]] == [0, 3]


def test_what_apitrace_has_no_call_for_is_counted(tmp_path: Path) -> None:
    source = write(tmp_path / "in.gltrace", ("traceFrame", ("label",)), ("traceResize", (1, 80, 60)), ("glFlush", ()))
    assert exported(source, tmp_path / "out.trace").lost == {"traceFrame": 1}
    calls = again(tmp_path, source)
    assert [call.args for call in calls if call.name == "traceResize"] == [(1, 80, 60)]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--to", "apitrace", "-o", "out.trace"], 0, ""),
        (["--to", "apitrace", "-o", "out.txt"], 2, "out.txt: apitrace's binary format would be written"),
        (["--to", "apitrace", "-o", "out.gltrace"], 2, ".gltrace promises something else"),
        (["-o", "out.trace"], 2, "out.trace: text would be written, and .trace promises something else"),
        (["-o", "out.txt"], 0, ""),
        ([], 0, ""),
    ],
)
def test_suffix_and_style_have_to_agree(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.gltrace", ("glClear", (0x4000,)))
    assert run(cli, ["convert", "in.gltrace", *arguments], name="gputrace") == status
    printed = capsys.readouterr()
    assert message in printed.err
    assert bool(printed.out) == (not arguments)
    wanted = [arguments[-1]] if status == 0 and arguments else []
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["in.gltrace", *wanted])


@pytest.mark.parametrize("name", ["sdl_testgles2", "glm_buffer_map", "sdl_testrendertarget"])
def test_apitrace_prints_the_export_as_it_prints_the_original(name: str, tmp_path: Path) -> None:
    source = SHARED / "corpus" / f"{name}.trace"
    if problem := missing("apitrace") or ("" if source.exists() else f"no corpus at {SHARED}"):
        pytest.skip(problem)
    import_trace(source, tmp_path / "in.gltrace")
    exported(tmp_path / "in.gltrace", tmp_path / "out.trace")
    assert dumped(tmp_path / "out.trace") == dumped(source)


def test_eglretrace_draws_the_reference_pictures(tmp_path: Path) -> None:
    """One trace; all of a corpus: run_apitrace_tools.py."""
    name = "sdl_testgles2"
    source = SHARED / "corpus" / f"{name}.trace"
    problem = missing("eglretrace", "Xvfb") or ("" if source.exists() else f"no corpus at {SHARED}")
    if problem:
        pytest.skip(problem)
    (entry,) = [
        each for each in json.loads((SHARED / "corpus" / "manifest.json").read_text())["traces"] if each["name"] == name
    ]
    import_trace(source, tmp_path / "in.gltrace")
    exported(tmp_path / "in.gltrace", tmp_path / "out.trace")
    with display() as environment:
        shots = replayed(tmp_path / "out.trace", tmp_path / "shots", environment)
    for frame in entry["reference_frames"]:
        wanted = np.asarray(Image.open(SHARED / "corpus" / frame["llvmpipe"]).convert("RGB")).astype(int)
        assert np.abs(shots[frame["frame"]].astype(int) - wanted).max() <= 2
