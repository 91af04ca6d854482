"""What commands say beside their data: help, progress, hints."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
import sample_goldens
from click.testing import CliRunner
from command_trees import ALL, PROGRAMS
from forked import forked_line
from gl_recorder import Recorder

from traceformat.calls import Call
from traceformat.cli import terminal
from traceformat.cli.door import run
from traceformat.kernels import compiling
from traceformat.tools.dump import call_to_dict, format_call

ROOT = sample_goldens.ROOT
VERTEX = "attribute vec4 p; void main() { gl_Position = p; }"
SHOWN = {**os.environ, terminal.VARIABLE: "1"}
FRAGMENT = "void main() { gl_FragColor = vec4(1); }"


@pytest.mark.parametrize("program", ["gpucapture", "gputrace", "gpureplay"])
def test_without_arguments_the_help_is_shown_as_it_is(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(PROGRAMS[program], [], name=program) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert lines[0].startswith(f"Usage: {program}")
    assert len(lines) > 8
    assert run(PROGRAMS["gpureplay"], ["config"], name="gpureplay") == 2
    assert len(capsys.readouterr().err.splitlines()) > 5


@pytest.mark.parametrize(("name", "command"), ALL, ids=[name for name, _ in ALL])
def test_help_is_for_people(name: str, command: click.Command) -> None:
    text = CliRunner().invoke(command, ["--help"]).output
    assert "\\b" not in text
    assert "\b" not in text
    assert "``" not in text.replace("``apitrace dump``", "")
    if name != "dram_check":
        lines = text.partition("Examples:")[2].splitlines()
        assert len([line for line in lines if line.strip()]) >= 1, name


@pytest.fixture
def film(tmp_path: Path) -> Path:
    one = Recorder(size=(16, 16))
    one.program(VERTEX, FRAGMENT)
    for _ in range(3):
        one.clear()
        one.swap()
    return one.write(tmp_path / "film.gltrace")


def lines_of(film: Path, *line: str, slow: str, terminal: bool = False) -> str:
    """What a command says on standard error while something takes its time and ten seconds are one tenth."""
    code = (
        f"import sys, time; sys.path.insert(0, {str(ROOT)!r})\n"
        "from traceformat.cli import terminal\nfrom traceformat.cli.door import run\n"
        "terminal.LINE_SECONDS = terminal.TERMINAL_SECONDS = 0.1; terminal.LOOK_SECONDS = 0.02\n"
        f"{slow}\n"
        f"from {'traceformat' if line[0] == 'gputrace' else 'gpumodel'}.cli import cli\n"
        f"sys.exit(run(cli, sys.argv[1:], name={line[0]!r}))"
    )
    words = [sys.executable, "-c", code, *line[1:]]
    if not terminal:
        done = subprocess.run(
            words, cwd=film.parent, env=SHOWN, capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stderr
    master, slave = os.openpty()
    with subprocess.Popen(words, cwd=film.parent, env=SHOWN, stdout=subprocess.DEVNULL, stderr=slave) as child:
        os.close(slave)
        said = b""
        try:
            while block := os.read(master, 4096):
                said += block
        except OSError:
            pass
        assert child.wait() == 0, said
    os.close(master)
    return said.decode()


SLOW_REPLAY = (
    "from replay.engine.engine import Engine\n"
    "end, ahead = Engine.end_frame, Engine.end_frame_ahead\n"
    "Engine.end_frame = lambda *a: (time.sleep(0.3), end(*a))[1]\n"
    "Engine.end_frame_ahead = lambda *a: (time.sleep(0.3), ahead(*a))[1]"
)
SLOW_CALLS = (
    "from traceformat.gltrace.reader import TraceReader\n"
    "calls = TraceReader.calls\n"
    "def slow(self, **given):\n"
    "    for call in calls(self, **given):\n"
    "        time.sleep(0.01)\n"
    "        yield call\n"
    "TraceReader.calls = slow"
)


def test_a_line_now_and_then_where_there_is_no_terminal(film: Path) -> None:
    said = lines_of(film, "gpureplay", "run", "film.gltrace", slow=SLOW_REPLAY)
    assert re.search(r"^gpureplay: modelling: [12] of 3 frames, \d+ s$", said, re.M), said
    assert "\x1b" not in said


def test_frames_before_the_range_are_counted(film: Path) -> None:
    said = lines_of(film, "gpureplay", "run", "film.gltrace", "--frames", "2", "--warmup", "0", slow=SLOW_REPLAY)
    assert re.search(r"^gpureplay: replaying what comes before frame 2: 1 of 2 frames", said, re.M), said
    said = lines_of(film, "gpureplay", "images", "film.gltrace", "-o", "o", "--frames", "2", slow=SLOW_REPLAY)
    assert re.search(r"^gpureplay: replaying what comes before frame 2: 1 of 2 frames", said, re.M), said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["trim", "film.gltrace", "--frames", "1"], "trimming"),
        (["validate", "film.gltrace"], "checking"),
        (["diff", "film.gltrace", "film.gltrace"], "comparing calls"),
        (["repack", "film.gltrace"], "writing"),
    ],
)
def test_tools_say_how_far_they_are(film: Path, line: list[str], words: str) -> None:
    said = lines_of(film, "gputrace", *line, slow=SLOW_CALLS)
    assert re.search(rf"^gputrace: {words}: 0 of \d+ calls, 0 s$", said, re.M), said


def test_a_terminal_gets_one_line_that_goes_away(film: Path) -> None:
    said = lines_of(film, "gpureplay", "run", "film.gltrace", slow=SLOW_REPLAY, terminal=True)
    assert "modelling: 1 of 3 frames" in said
    assert said.endswith("\r\x1b[2K")
    assert "\n" not in said


def test_kernels_that_are_being_compiled_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from traceformat import kernels

    assert compiling() == ("", 0.0)
    progress = terminal.Progress("modelling", 2)
    assert progress.text() == "modelling: 0 of 2 frames"
    monkeypatch.setattr(kernels, "_at_work", [("run_machine", time.monotonic() - 3)])
    assert "compiling the kernels" in progress.text()
    assert "run_machine" in progress.text()


def test_progress_goes_on_where_nobody_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        monkeypatch.setattr(terminal, "LINE_SECONDS", 0.0)
        monkeypatch.setenv(terminal.VARIABLE, "1")
        assert list(terminal.followed(range(3), 3, "counting")) == [0, 1, 2]
        with pytest.raises(OSError, match="No space"):
            full.write("x" * 10_000)
        monkeypatch.undo()
        full.close = lambda: None  # type: ignore[method-assign]


def test_other_tools_traces_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = {
        "game.trace": b"at" + bytes(40), "game.bin": gzip.compress(b"x" * 100), "brotli.trace": b"\x0b" * 40,
        "game.pat": bytes(4) + b"\x12\x20\x12\x20" + bytes(40),
    }  # fmt: skip
    for name, content in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        for program, command in (("gputrace", "info"), ("gpureplay", "run")):
            assert run(PROGRAMS[program], [command, str(path)], name=program) == 3
            assert f"gpucapture import {path}" in capsys.readouterr().err
    path = tmp_path / "song.mp3"
    path.write_bytes(b"ID3" + bytes(40))
    assert run(PROGRAMS["gputrace"], ["info", str(path)], name="gputrace") == 3
    assert "gpucapture import" not in capsys.readouterr().err


def test_dump_decodes_arrays_in_text_and_json() -> None:
    buffers = (0x8CE0).to_bytes(4, "little") + (0).to_bytes(4, "little")
    call = Call(1, "glDrawBuffers", 1, 1, 0, (2, buffers))
    assert format_call(call) == "1 @1 glDrawBuffers(n = 2, bufs = {GL_COLOR_ATTACHMENT0, GL_NONE})"
    value = call_to_dict(call, 0)["args"][1]
    assert value == {"bytes": 8, "values": [0x8CE0, 0], "enums": ["GL_COLOR_ATTACHMENT0", "GL_NONE"]}
    floats = Call(2, "glUniform4fv", 1, 1, 0, (0, 1, b"\0\0\x80\x3f" * 4))
    assert call_to_dict(floats, 0)["args"][2] == {"bytes": 16, "values": [1.0] * 4}
    long = Call(3, "glUniform4fv", 1, 1, 0, (0, 8, b"\0\0\x80\x3f" * 32))
    short, whole = (call_to_dict(long, 0, contents=contents)["args"][2] for contents in (False, True))
    assert (len(short["values"]), len(short["sha256"])) == (16, 64)
    assert (len(whole["values"]), "sha256" in whole) == (32, False)
    wrap = Call(4, "glTexParameteriv", 1, 1, 0, (0x0DE1, 0x2802, (0x812F).to_bytes(4, "little")))
    assert format_call(wrap).endswith("params = {GL_CLAMP_TO_EDGE})")
    plain = Call(5, "glTexParameteri", 1, 1, 0, (0x0DE1, 0x2802, 0x812F))
    assert call_to_dict(plain, 0)["args"][2] == {"value": 0x812F, "enum": "GL_CLAMP_TO_EDGE"}
    name = Call(6, "glGetUniformLocation", 1, 1, 0, (1, b"color\0"))
    json.dumps(call_to_dict(name, 0))


def test_extract_knows_shaders_that_were_let_go_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = Recorder(size=(16, 16))
    program = one.program(VERTEX, FRAGMENT)
    detached, deleted = 2, 3
    one("glDetachShader", program, detached)
    one("glDetachShader", program, deleted)
    one("glDeleteShader", deleted)
    one.clear()
    one.swap()
    path = one.write(tmp_path / "a.gltrace")
    assert (
        run(PROGRAMS["gputrace"], ["extract", str(path), "-o", str(tmp_path / "o"), "--only", "shaders", "--json"]) == 0
    )
    files = json.loads(capsys.readouterr().out)["files"]
    assert [entry["programs"] for entry in files] == [str(program)] * 2
    assert {(tmp_path / "o" / entry["file"]).read_text() for entry in files} == {VERTEX, FRAGMENT}


def test_a_module_is_captured(tmp_path: Path) -> None:
    package = tmp_path / "game"
    package.mkdir()
    (package / "__init__.py").write_text("NAME = 'game'\n")
    (package / "scene.py").write_text("import moderngl\ndef draw(): moderngl.create_standalone_context().clear()\n")
    (package / "__main__.py").write_text(
        "import sys\nfrom . import NAME\nfrom game.scene import draw\n"
        "assert (NAME, sys.argv[1:], __name__) == ('game', ['--fast', '-m'], '__main__'), sys.argv\n"
        "assert __package__ == 'game'\ndraw()\n"
    )
    code = f"import sys; sys.path[:1] = ['', {str(ROOT)!r}]; from capture.cli import main; main()"

    def gpucapture(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, "run", "--driver", "null", *arguments],
            cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip

    done = gpucapture("-m", "game", "--fast", "-m")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "game.gltrace").exists()
    for missing in ("gaem", "game.nothing", "numpy.core.nothing"):
        done = gpucapture("-m", missing)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert missing.partition(".")[0] in done.stderr


LINE = ["gpureplay", "run", "film.gltrace", "-t", "re"]


def shown(film: Path, line: list[str], columns: int | None) -> list[str]:
    """Lines that a command prints into a pipe; ``columns`` is what the environment says of their width."""
    done = forked_line(line, film.parent, COLUMNS=str(columns) if columns else None)
    assert done.out
    return done.out.decode().splitlines()


def test_tables_in_pipes_are_as_wide_as_they_need_to_be(film: Path) -> None:
    lines = shown(film, LINE, None)
    assert [line for line in lines if line != line.rstrip()] == []
    assert len([line for line in lines if line.startswith("baseline, re: ")]) == 1
    (row,) = [line for line in lines if line.startswith(" re ")]
    assert len(row.split()) == len(lines[3].split()) == 9
    assert max(map(len, shown(film, [*LINE, "-v"], None))) > 120


@pytest.mark.parametrize("columns", [80, 120, 200])
@pytest.mark.parametrize(
    "line",
    [
        [*LINE, "-v"],
        ["gpureplay", "stats", "film.gltrace"],
        ["gpureplay", "counters"],
        ["gpureplay", "presets", "tbr-fhd"],
    ],
)
def test_tables_fit_a_terminal(film: Path, line: list[str], columns: int) -> None:
    lines = shown(film, line, columns)
    assert max(map(len, lines)) <= columns
    assert "…" not in "".join(lines)


def test_several_runs_are_compared_first_and_told_apart_on_request(film: Path) -> None:
    brief, long = ("\n".join(shown(film, line, 120)) for line in (LINE, [*LINE, "--verbose"]))
    assert long.startswith(brief.rstrip())
    assert "polygon_list_builder" in long
    assert "polygon_list_builder" not in brief
    headings = brief.partition("──")[0]
    assert [word for word in ("speedup", "energy", "traffic", "area") if word not in headings] == []
    assert " of " not in headings.splitlines()[-1]
    assert "pixels" not in headings
    assert "identical" in "\n".join(shown(film, [*LINE, "--verify"], 120))
