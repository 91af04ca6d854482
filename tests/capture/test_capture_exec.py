"""Programs that are not Python's: recorded by a recorder that is loaded into them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from native_objects import build

from capture.native.elf import is_supported_machine
from traceformat.gltrace.reader import open_trace

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.skipif(not is_supported_machine(), reason="the linker of this system is not understood"),
    pytest.mark.gl,
]
#: Does what its arguments say, one after the other, and ends with status 3.
_MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int draw(int way, int frames, float red);
int main(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (!strcmp(word, "fork")) {
            if (!fork()) { printf("child %d\n", draw(0, 2, 0.1f)); fflush(stdout); _exit(0); }
            wait(NULL);
        } else if (!strcmp(word, "sleep")) { fflush(stdout); sleep(2); }
        else if (!strcmp(word, "abort")) abort();
        else if (!strcmp(word, "_exit")) { fflush(stdout); _exit(7); }
        else if (!strcmp(word, "say")) printf("%s %s\n", getenv("PYTHONHOME"), setlocale_name());
        else printf("%d\n", draw(atoi(word), 3, 0.2f));
    }
    return 3;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    library = build(folder)
    (folder / "main.c").write_text(
        _MAIN.replace("setlocale_name()", "(setlocale)(0, NULL)").replace(
            "#include <stdio.h>", "#include <locale.h>\n#include <stdio.h>"
        )
    )
    made = folder / "app"
    compiler = shutil.which("gcc") or shutil.which("cc")
    subprocess.run(
        [compiler, str(folder / "main.c"), str(library), f"-Wl,-rpath,{folder}", "-o", str(made)], check=True
    )
    return made


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless"}


@pytest.fixture
def execute(tmp_path):
    def run(*command: str, options: tuple[str, ...] = ("--driver", "system")) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "capture.cli", "exec", *options, "-o", str(tmp_path / "app.gltrace"), *command],
            env=environment(), capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path,
        )  # fmt: skip

    return run


def clears(path: Path) -> int:
    with open_trace(path) as reader:
        assert not reader.damage
        return [call.name for call in reader].count("glClear")


@pytest.mark.parametrize("driver", ["null", "system"])
def test_every_way_to_gl_is_recorded_and_the_program_is_as_it_was(program, execute, tmp_path, driver):
    words = ["0", "1", "2", "3", "say"]
    bare = subprocess.run([program, *words], env=environment(), capture_output=True, text=True, check=False)
    done = execute(str(program), *words, options=("--driver", driver))
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout) == (3, bare.stdout), done.stderr
    assert clears(tmp_path / "app.gltrace") == 12
    assert [path.name for path in tmp_path.iterdir()] == ["app.gltrace"]


def test_a_forked_process_writes_its_own(program, execute, tmp_path):
    done = execute(str(program), "fork", "0")
    assert sorted(done.stdout.splitlines()) == ["51", "child 25"], done.stderr
    (other,) = tmp_path.glob("app.*.gltrace")
    assert (clears(tmp_path / "app.gltrace"), clears(other)) == (3, 2)


def test_a_script_that_starts_it(program, execute, tmp_path):
    script = tmp_path / "start.sh"
    script.write_text(f'#!/bin/sh\n"{program}" 0\nexit 5\n')
    script.chmod(0o755)
    done = execute(str(script))
    assert done.returncode == 5
    assert clears(tmp_path / "app.gltrace") == 3


def test_ends_of_other_kinds(program, execute, tmp_path):
    done = execute(str(program), "0", "_exit")
    assert (done.returncode, clears(tmp_path / "app.gltrace")) == (7, 3)
    done = execute(str(program), "0", "sleep", "abort")
    assert done.returncode == 128 + signal.SIGABRT
    assert "before the end" in done.stderr
    assert clears(tmp_path / "app.gltrace") == 3
    assert not list(tmp_path.glob(".app*"))


def test_a_signal_is_handed_on_and_the_trace_is_kept(program, tmp_path):
    output = tmp_path / "app.gltrace"
    process = subprocess.Popen(
        [sys.executable, "-m", "capture.cli", "exec", "-o", str(output), str(program), "0", *["sleep"] * 40],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "51\n"
    time.sleep(0.5)
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert clears(output) == 3


def test_the_last_frame_ends_it(program, execute, tmp_path):
    done = execute(str(program), *["0"] * 50, options=("--driver", "system", "--frames", "0-4"))
    assert done.returncode == 0, done.stderr
    with open_trace(tmp_path / "app.gltrace") as reader:
        assert len(reader.frames) == 5


def test_what_cannot_be_recorded_is_said(execute, tmp_path, monkeypatch):
    done = execute("true")
    assert done.returncode == 1
    assert "called no GL" in done.stderr
    done = execute("./nothing")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path / "cache"))
    done = execute("/bin/true")
    assert done.returncode == 4
    assert "no C compiler" in done.stderr
    assert "apitrace" in done.stderr
