"""Capturing programs through the real command, in a process of their own."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from traceformat.calls import Call
from traceformat.gltrace.reader import open_trace
from traceformat.tools.canonical import canonical

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Captured:
    """One run of gpucapture."""

    status: int
    stdout: str
    stderr: str
    trace: Path

    def calls(self) -> list[Call]:
        with open_trace(self.trace) as reader:
            assert not reader.damage
            return list(reader)

    def names(self) -> list[str]:
        return [call.name for call in self.calls()]

    def canonical(self) -> list[str]:
        return list(canonical(self.calls()))

    def num_frames(self) -> int:
        with open_trace(self.trace) as reader:
            return len(reader.frames)


def run_command(
    arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str] | None = None, prelude: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run gpucapture; ``prelude`` is Python that runs before it in its process."""
    variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    # Mesa's default EGL platform needs a display.
    variables |= {"PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless", **(environment or {})}
    code = f"import sys; sys.path.pop(0)\n{prelude}\nfrom capture.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


Capture = Callable[..., Captured]

#: No GL library of this machine can be loaded through ctypes, and what is mapped when the program ends is printed.
HIDE_GL = """
import atexit, ctypes, re
def _refuse(name, *mode, _open=ctypes._dlopen):
    if name and re.search(r"lib(GL|EGL|OpenGL|GLES|OSMesa|gallium)", str(name)):
        raise OSError(f"{name}: hidden")
    return _open(name, *mode)
ctypes._dlopen = _refuse
def _check():
    mapped = [line.split()[-1] for line in open("/proc/self/maps") if re.search(r"/lib(GL|EGL|OpenGL|OSMesa)", line)]
    print("MAPPED", sorted(set(mapped)))
atexit.register(_check)
"""


@pytest.fixture(scope="session")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    """A program of ``programs/`` captured once for all tests: with hidden GL libraries under the null driver."""
    results: dict[tuple[object, ...], Captured] = {}

    def run(
        program: str, *arguments: str, driver: str = "null", options: Sequence[str] = (), take: int = 1
    ) -> Captured:
        """Another ``take`` is another recording of the same, with another order of sets."""
        key = (program, *arguments, driver, *options, take)
        if key not in results:
            folder = tmp_path_factory.mktemp(program)
            trace = folder / "out.gltrace"
            done = run_command(
                ["run", "-o", str(trace), "--driver", driver, *options, str(PROGRAMS / f"{program}.py"), *arguments],
                cwd=folder,
                environment={"PYTHONHASHSEED": str(take)},
                prelude=HIDE_GL if driver == "null" else "",
            )
            results[key] = Captured(done.returncode, done.stdout, done.stderr, trace)
        return results[key]

    return run


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """Capture a program of ``programs/``, or source text; gives what came of it."""

    def run(
        program: str,
        *arguments: str,
        driver: str = "null",
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        prelude: str = "",
        folder: Path | None = None,
        name: str = "out.gltrace",
    ) -> Captured:
        folder = folder or tmp_path
        if "\n" in program:
            script = folder / "script.py"
            script.write_text(program)
        else:
            script = PROGRAMS / f"{program}.py"
        trace = tmp_path / name
        done = run_command(
            ["run", "-o", str(trace), "--driver", driver, *options, str(script), *arguments],
            cwd=folder,
            environment=environment,
            prelude=prelude,
        )
        return Captured(done.returncode, done.stdout, done.stderr, trace)

    return run


@pytest.fixture
def gpucapture(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command itself in a fresh folder."""

    def run(*arguments: str, prelude: str = "") -> subprocess.CompletedProcess[str]:
        return run_command(arguments, cwd=tmp_path, prelude=prelude)

    return run


@cache
def _gl_loads() -> bool:
    try:
        ctypes.CDLL("libEGL.so.1")
        ctypes.CDLL("libGLESv2.so.2")
    except OSError:
        return False
    return True


@pytest.fixture(autouse=True)
def _needs_gl(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("gl") and not _gl_loads():
        pytest.skip("no GL library: install Mesa to run this test")
