"""Frames that a trace does not have: every command that takes ``--frames`` says the same."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from command_trees import ALL, PROGRAMS
from gl_recorder import Recorder

from traceformat.cli.door import run

#: A command line for each command that takes frames of a trace, and its status.
LINES = {
    "gputrace dump": "a.gltrace", "gputrace diff": "a.gltrace a.gltrace", "gputrace trim": "a.gltrace -o b.gltrace",
    "gpureplay run": "a.gltrace", "gpureplay images": "a.gltrace -o made", "gpureplay stats": "a.gltrace",
    "gpureplay top": "a.gltrace", "gpureplay compare": "a.gltrace a.gltrace",
    "gpureplay report": "a.gltrace --json b.json", "gpureplay check": "a.gltrace --budget budgets.toml",
    "gpureplay whatif": "a.gltrace --invalidate-depth all --only-here", "gpureplay shader": "a.gltrace",
    "gpureplay quality": "a.gltrace a.gltrace",
}  # fmt: skip
#: More lines of some: other machines, other traces.
MORE = ["gpureplay run a.gltrace -c handheld-2003", "gpureplay images a.gltrace -o made --attachment depth",
        "gpureplay run a.gputrace", "gputrace diff a.gltrace a.gltrace --pictures"]  # fmt: skip
#: These say how many frames they have made, or give them to a program.
OTHERS = {"gpucapture run", "gpucapture exec", "gpucapture sample", "gpucapture import"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    one = Recorder(size=(16, 16))
    one.program("attribute vec4 p; void main() { gl_Position = p; }", "void main() {}")
    for _ in range(3):
        one.clear()
        one.swap()
    one.write(folder / "a.gltrace")
    (folder / "budgets.toml").write_text("[[budget]]\nmetric = 'ms'\nat_most = 9\n")
    line = ["run", str(folder / "a.gltrace"), "--save-gputrace", str(folder / "a.gputrace")]
    assert run(PROGRAMS["gpureplay"], line, name="gpureplay") == 0
    return folder


def call(line: str, frames: str) -> int:
    program, *words = shlex.split(line)
    return run(PROGRAMS[program], [*words, "--frames", frames], name=program)


def test_no_command_is_forgotten() -> None:
    takes = {name for name, command in ALL if any("--frames" in param.opts for param in command.params)}
    assert takes == {*LINES, *OTHERS}


@pytest.mark.parametrize("line", [*(f"{name} {words}" for name, words in LINES.items()), *MORE])
def test_frames_behind_the_last_one(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert call(line, "1-7") == 0
    said = [text for text in capsys.readouterr().err.splitlines() if "frame" in text]
    name = "a.gputrace" if "a.gputrace" in line else "a.gltrace"
    assert said == [f"{line.split()[0]}: warning: {name}: its last frame is 2; there is no frame 7"]
    assert call(line, "1-") == 0
    assert "last frame" not in capsys.readouterr().err
    assert call(line, "5-7") == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "there is no frame 5" in said[0] or "none of its 3 frames" in said[0]


def test_frames_before_the_first_stored_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert call("gpureplay run a.gltrace --warmup 0 --save-gputrace late.gputrace", "1-2") == 0
    capsys.readouterr()
    assert call("gpureplay run late.gputrace", "0-1") == 0
    assert "late.gputrace: its first frame is 1; there is no frame 0" in capsys.readouterr().err
