"""gputrace as users run it: output, bad input, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from zlib import crc32

import pytest
from forked import forked_line

from traceformat.calls import Offset
from traceformat.framing.chunks import scan_chunks
from traceformat.gltrace.writer import TraceWriter

ROOT = Path(__file__).parents[2]


def gputrace(*args):
    """Run the command in a process of its own; gives status, stdout, stderr."""
    done = forked_line(["gputrace", *map(str, args)], ROOT)
    return done.status, done.out.decode(), done.err


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "app.gltrace"
    with TraceWriter(path, {"program": "app.py"}) as out:
        out.write("traceContext", (1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0))
        for frame in range(3):
            out.write("glClear", (0x4100,), context=1)
            out.write("glTexParameteri", (0x0DE1, 0x2801, 0x2703), context=1)
            out.write("glUniform2fv", (1, 1, b"\0\0\x80\x3f\0\0\0\xc0"), context=1, source=("app.py", 10 + frame))
            out.write("glDrawElements", (4, 6, 0x1403, Offset(12)), context=1)
            out.write("glBufferData", (0x8892, 400, bytes(400), 0x88E4), context=1)
            out.write("glGenTextures", (2, None), {"textures": b"\1\0\0\0\2\0\0\0"}, context=1)
            out.write("glGetError", result=0, context=1, flags=2)
            out.write("traceSwap", (1, "eglSwapBuffers"), context=1)
    return path


EXPECTED = """\
1 @1 glClear(mask = GL_DEPTH_BUFFER_BIT|GL_COLOR_BUFFER_BIT)
2 @1 glTexParameteri(target = GL_TEXTURE_2D, pname = GL_TEXTURE_MIN_FILTER, param = GL_LINEAR_MIPMAP_LINEAR)
3 @1 glUniform2fv(location = 1, count = 1, value = {1, -2}) // app.py:10
4 @1 glDrawElements(mode = GL_TRIANGLES, count = 6, type = GL_UNSIGNED_SHORT, indices = +12)
5 @1 glBufferData(target = GL_ARRAY_BUFFER, size = 400, data = blob(400: {zeros}...), usage = GL_STATIC_DRAW)
6 @1 glGenTextures(n = 2, textures = {{1, 2}})
7 @1 glGetError() = GL_NO_ERROR [failed]
8 @1 traceSwap(drawable = 1, origin = "eglSwapBuffers")
"""


def test_dump(trace):
    status, out, error = gputrace("dump", trace, "--calls", "1-8")
    assert (status, error) == (0, "")
    zeros = "00" * 32
    expected = EXPECTED.replace("{zeros}", zeros).replace("{{1, 2}}", "{1, 2}")
    assert out.splitlines() == expected.splitlines()


def test_dump_selects(trace):
    def numbers(*args):
        status, out, _ = gputrace("dump", trace, *args)
        assert status == 0
        return [int(line.split()[0]) for line in out.splitlines()]

    assert numbers("--calls", "draw") == [4, 12, 20]
    assert numbers("--calls", "frame") == [8, 16, 24]
    assert numbers("--calls", "0-10/draw,8") == [4, 8]
    assert numbers("--frames", "1") == list(range(9, 17))
    assert numbers("--frames", "1-", "--calls", "*/8") == [16, 24]
    assert numbers("--grep", "UNSIGNED_SHORT") == [4, 12, 20]


def test_dump_json(trace):
    status, out, _ = gputrace("dump", trace, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert len(lines) == 25
    assert lines[4]["args"][0] == {"value": 4, "enum": "GL_TRIANGLES"}
    assert lines[4]["args"][3] == {"offset": 12}
    assert lines[6]["outputs"] == {"textures": {"bytes": 8, "values": [1, 2]}}
    assert lines[7]["flags"] == ["failed"]
    assert lines[9]["frame"] == 1
    assert lines[3]["source"] == {"file": "app.py", "line": 10}


def test_color_only_on_request_or_terminal(trace):
    assert "\x1b[" not in gputrace("dump", trace)[1]
    assert "\x1b[36mGL_TEXTURE_2D\x1b[0m" in gputrace("dump", trace, "--color", "always")[1]


def test_info(trace):
    status, out, _ = gputrace("info", trace, "--json")
    info = json.loads(out)
    assert status == 0
    assert (info["frames"], info["calls"], info["draws"], info["frame_rule"]) == (3, 25, 3, "swap")
    assert info["functions"]["glGenTextures"] == 3
    assert info["properties"] == {"program": "app.py"}
    assert len(info["sha256"]) == 64
    status, out, _ = gputrace("info", trace)
    assert status == 0
    assert "program      app.py" in out


def test_validate(trace, tmp_path):
    assert gputrace("validate", trace, "--skip", "errors")[0] == 0
    status, out, _ = gputrace("validate", trace)
    assert (status, out.splitlines()[0]) == (1, "call 8 traceSwap: drawable 1 does not exist")
    path = tmp_path / "odd.gltrace"
    with TraceWriter(path) as out:
        out.write("glUnheardOf", (1,))
        out.write("glClear", (b"1",))
        out.write("glFlush", (), {"what": b""}, context=3)
    status, out, error = gputrace("validate", path)
    assert status == 1
    assert "4 problems" in error
    assert out.splitlines() == [
        "call 0 glUnheardOf: no such entry point",
        "call 1 glClear: mask is bytes, its type is GLbitfield",
        "call 2 glFlush: context 3 was never created",
        "call 2 glFlush: it has no output named what",
    ]


def test_validate_executes_the_calls(tmp_path):
    path = tmp_path / "faults.gltrace"
    with TraceWriter(path) as out:
        out.write("traceContext", (1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0))
        out.write("traceDrawable", (1, 8, 8, 0))
        out.write("traceMakeCurrent", (1, 1, 1))
        out.write("glGenSamplers", (1, None), {"samplers": b"\5\0\0\0"}, context=1)
        out.write("glSamplerParameteri", (5, 0x2801, 0x2600), context=1)
        out.write("glDeleteSamplers", (1, b"\5\0\0\0"), context=1)
        out.write("glSamplerParameteri", (5, 0x2801, 0x2600), context=1)
        for _ in range(30):
            out.write("glEnable", (0x1234,), context=1)
        out.write("traceSwap", (1, "eglSwapBuffers"), context=1)
    status, out, error = gputrace("validate", path)
    assert status == 1
    lines = out.splitlines()
    assert lines[0] == "call 6 glSamplerParameteri: sampler 5 was never made, or is deleted"
    assert lines[1].startswith("call 7 glEnable: GL_INVALID_ENUM")
    assert lines[-1] == "20 more findings (errors) at calls of glEnable"
    assert "31 problems" in error
    found = json.loads(gputrace("validate", path, "--json", "--skip", "errors")[1])["findings"]
    message = "sampler 5 was never made, or is deleted"
    assert found == [{"check": "lifetimes", "call": 6, "function": "glSamplerParameteri", "message": message}]


def newer(data: bytes) -> bytes:
    start = next(iter(scan_chunks(data, 0, len(data)))).end
    head = bytearray(data[: start - 4])
    head[16] = 2
    return bytes(head) + crc32(head).to_bytes(4, "little") + data[start:]


BAD = {
    "empty": (lambda data: b"", 3, "empty"),
    "text": (lambda data: b"hello world\n" * 100, 3, "not a .gltrace file"),
    "newer": (newer, 3, "version 2.0"),
    "cut": (lambda data: data[: len(data) // 2], 3, "end unknown"),
    "cut in the footer": (lambda data: data[:-1], 3, "damaged"),
    "flipped": (lambda data: data[:300] + bytes([data[300] ^ 8]) + data[301:], 3, "lost: "),
}


@pytest.mark.parametrize("command", ["info", "dump", "validate"])
@pytest.mark.parametrize("case", BAD)
def test_bad_traces(tmp_path, trace, case, command):
    change, expected, words = BAD[case]
    path = tmp_path / "bad.gltrace"
    path.write_bytes(change(trace.read_bytes()))
    status, _, error = gputrace(command, path)
    assert status == expected
    assert words in error
    assert "Traceback" not in error
    if case in ("empty", "text", "newer"):
        assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["dump", "missing.gltrace"], "No such file"),
        (["info", "."], "directory"),
        (["dunp", "x"], "did you mean 'dump'"),
        (["dump"], "Missing argument"),
        (["dump", "TRACE", "--calls", "foo"], "no call set"),
        (["dump", "TRACE", "--calls", "@missing"], "cannot read the call set"),
        (["dump", "TRACE", "--frames", "x"], "no range of frames"),
        (["dump", "TRACE", "--grep", "("], "no regular expression"),
        (["dump", "TRACE", "--colour"], "--color"),
    ],
)
def test_usage_errors(trace, args, words):
    status, out, error = gputrace(*[str(trace) if arg == "TRACE" else arg for arg in args])
    assert (status, out) == (2, "")
    assert words in error
    assert len(error.splitlines()) == 1


def test_reader_that_goes_away(trace):
    code = "from traceformat.cli import main; main()"
    shell = f'"{sys.executable}" -c "{code}" dump "{trace}" | head -n 1'
    done = subprocess.run(
        ["bash", "-c", f"for i in 1 2 3; do {shell}; done"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 3


def test_bugs_are_one_line(monkeypatch, capsys):
    import click

    from traceformat.cli.door import run

    @click.command()
    def broken():
        raise ZeroDivisionError("two\nlines")

    assert run(broken, [], name="gputrace") == 70
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "please report" in error
    monkeypatch.setenv("GPUREPLAY_DEBUG", "1")
    assert run(broken, [], name="gputrace") == 70
    assert "Traceback" in capsys.readouterr().err


def test_help_is_quick_and_imports_nothing_heavy():
    best = 9.0
    for _ in range(5):
        begin = time.perf_counter()
        line = [sys.executable, "-c", "from traceformat.cli import main; main()", "--help"]
        done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
        best = min(best, time.perf_counter() - begin)
        assert "dump" in done.stdout
    assert best < 0.3
    code = (
        "import sys; from traceformat.cli.door import run; from traceformat.cli import cli; run(cli, ['--help']);"
        "bad = {'numpy', 'construct', 'numba', 'zstandard', 'rich'} & set(sys.modules);"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
