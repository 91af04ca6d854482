"""The commands of README's section "Use it" work as they stand, one after the other."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import sample_goldens
from forked import forked_line
from pat_writer import PatWriter

from traceformat.gles import enums as gl

ROOT = sample_goldens.ROOT
#: A program of one's own, small.
APP = """\
import sys
assert sys.argv[1:] == ["--its-own", "args"]
from samples.cube import main
sys.argv[1:] = ["--frames", "1", "--size", "64x48"]
main()
"""


def documented() -> list[list[str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## Use it\n\n```sh\n(.*?)```", text, re.S)
    assert block is not None
    return [shlex.split(line, comments=True) for line in block[1].splitlines() if line.strip()]


def test_the_environment_has_pip_when_it_is_activated() -> None:
    """Without ensurepip, which Debian leaves out, pip is installed as any package is."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python3 -m venv .*$", text, re.M)
    assert len(commands) == 2
    assert all("--without-pip .venv && python3 -m pip --python .venv install pip " in line for line in commands)


def test_the_commands_work(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    game = PatWriter()
    game.window()
    game.call("glClear", gl.GL_COLOR_BUFFER_BIT)
    game.swap()
    game.write(tmp_path / "game.pat")
    lines = documented()
    assert len(lines) > 8
    for line in lines:
        program, *arguments = line
        if arguments[:1] == ["exec"]:
            continue  # a program has to be compiled: tests/capture/test_capture_exec.py
        if arguments[:1] == ["silicon"]:
            # A driver does not live through a fork, and need not be there.
            arguments += ["--quick", "fill_none"]
        if arguments[:1] == ["compare"]:
            for name in arguments[1:]:
                shutil.copy(tmp_path / "city.gltrace", tmp_path / name)
        if arguments[:1] == ["check"]:
            (tmp_path / "budgets.toml").write_text("[[budget]]\nmetric = 'ms'\nat_most = 1000\n")
        if arguments[:1] == ["sweep"]:
            study = 'traces = ["city.gltrace"]\nframes = "0"\npresets = ["mali450-vro"]\ntechniques = ["te"]\n'
            (tmp_path / "study.toml").write_text(study)
        if arguments[:2] == ["sample", "city"]:
            # The same command on a small screen, and two frames, for the suite's sake.
            arguments += ["--size", "160x96", "--frames", "2"]
        if program != "gpucapture" and arguments[:1] != ["silicon"]:
            done = forked_line([program, *arguments], tmp_path)
            assert done.status == 0, (line, done.err)
            continue
        room = "capture" if program == "gpucapture" else "gpumodel"
        started = subprocess.run(
            [sys.executable, "-c", f"from {room}.cli import main; main()", *arguments],
            capture_output=True, text=True, timeout=240, cwd=tmp_path, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        lacks_driver = arguments[:1] == ["silicon"] and started.returncode == 4
        assert started.returncode == 0 or lacks_driver, (line, started.stderr)
    assert (tmp_path / "app.gltrace").stat().st_size
    assert (tmp_path / "result.json").stat().st_size
    assert list((tmp_path / "frames").glob("frame_*.png"))
