"""Runs the example programs that GL libraries ship, with and without capture, and says in a table what came of it.

    python benchmarks/capture_examples.py [--frames 3] [--seconds 8] [--json FILE] [--only TEXT] PROGRAM_OR_FOLDER...

Programs are taken where they lie (an unpacked source archive, say). Each runs four times in its own folder:

* bare: under Xvfb, for some seconds; it "runs" if it has not ended by then
* system: under ``gpucapture run --driver system``, under Xvfb; what the window shows is read before each swap
* null: under ``--driver null`` without a display, every GL library of the machine hidden by empty files in a mount
  namespace of its own (without the right to make one: refused to ctypes), none mapped at the end
* replay: the system run's trace, by the replay engine; each frame against what the window showed

A program passes where it ends (or runs) as without us, three times over, and where no frame has more than 0.5 % of its
pixels off by more than 2/255.
"""

from __future__ import annotations

import argparse
import ctypes
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = re.compile(r"lib(GL|EGL|OpenGL|GLX|GLES|OSMesa|gallium|glapi)[^/]*\.so")
MOST_OFF = 0.005
#: Runs before gpucapture in its process: says at the end which GL libraries are mapped.
REPORT_MAPPED = """
import atexit, re
def report():
    paths = {line.split()[-1] for line in open("/proc/self/maps")}
    mapped = [path for path in sorted(paths) if re.search(r"/lib(GL|EGL|OpenGL|OSMesa|gallium)", path)]
    print("MAPPED", mapped, flush=True)
atexit.register(report)
"""
REFUSE = """
import ctypes
def refuse(name, *mode, _open=ctypes._dlopen):
    if name and re.search(r"lib(GL|EGL|OpenGL|GLES|OSMesa|gallium)", str(name)):
        raise OSError(f"{name}: hidden")
    return _open(name, *mode)
ctypes._dlopen = refuse
"""


def watch(folder: str) -> None:
    """Store the picture of the window before each swap; called in the process of the system run."""
    from capture.adapters.glfw import GlfwAdapter
    from capture.contexts import ContextRegistry
    from capture.drivers.system import SystemDriver
    from capture.windowsystem.egl import EglHooks
    from capture.windowsystem.glx import GlxHooks

    drivers: list[Any] = []
    make_driver = SystemDriver.__init__

    def remember(self: SystemDriver) -> None:
        make_driver(self)
        drivers.append(self)

    SystemDriver.__init__ = remember  # type: ignore[method-assign]
    shown = 0

    def store(registry: ContextRegistry) -> None:
        nonlocal shown
        record = registry._drawables.get(registry.thread().draw or ("", 0))
        if record is None or not drivers:
            return
        call = drivers[0].gl_function
        value = ctypes.c_int()
        names = {0x8CAA: None, 0x88ED: None, 0x0D05: 1, 0x0D02: 0, 0x0D03: 0, 0x0D04: 0}
        before = {}
        for name in names:
            call("glGetIntegerv")(name, ctypes.addressof(value))
            before[name] = value.value
        call("glBindFramebuffer")(0x8CA8, 0)
        call("glGetIntegerv")(0x0C02, ctypes.addressof(value))
        read_buffer = value.value
        call("glReadBuffer")(0x0405)
        call("glBindBuffer")(0x88EB, 0)
        for name, wanted in names.items():
            if wanted is not None:
                call("glPixelStorei")(name, wanted)
        picture = np.zeros((record.height, record.width, 4), np.uint8)
        call("glReadPixels")(0, 0, record.width, record.height, 0x1908, 0x1401, picture.ctypes.data)
        for name, wanted in names.items():
            if wanted is not None:
                call("glPixelStorei")(name, before[name])
        call("glReadBuffer")(read_buffer)
        call("glBindFramebuffer")(0x8CA8, before[0x8CAA])
        call("glBindBuffer")(0x88EB, before[0x88ED])
        while call("glGetError")():
            pass
        np.save(f"{folder}/{shown}.npy", picture)
        shown += 1

    def before_swap(kind: Any, name: str, registry: Callable[[Any], ContextRegistry]) -> None:
        swap = getattr(kind, name)

        def stored(self: Any, *arguments: Any) -> Any:
            store(registry(self))
            return swap(self, *arguments)

        setattr(kind, name, stored)

    before_swap(GlfwAdapter, "_swap_buffers", lambda self: self._capture.registry)
    before_swap(EglHooks, "swap", lambda self: self._registry)
    before_swap(GlxHooks, "swap_buffers", lambda self: self._registry)


def run(command: list[str], folder: Path, seconds: float, **environment: str) -> tuple[str, str, str]:
    """Run a program; gives ``runs`` or ``exit N``, what it printed, and its standard error."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "EGL_PLATFORM")
    variables = {name: value for name, value in os.environ.items() if name not in names}
    with (
        tempfile.TemporaryFile("w+", errors="replace") as output,
        tempfile.TemporaryFile("w+", errors="replace") as errors,
    ):
        process = subprocess.Popen(
            command, cwd=folder, env=variables | environment, stdout=output, stderr=errors, text=True
        )
        try:
            status = f"exit {process.wait(seconds)}"
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            status = "runs"
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                status = "hangs"
        output.seek(0)
        errors.seek(0)
        return status, output.read(), errors.read()


@contextmanager
def x_server() -> Iterator[str]:
    """An X server without a screen; gives its display."""
    display = f":{200 + os.getpid() % 300}"
    server = subprocess.Popen(
        ["Xvfb", display, "-screen", "0", "1280x1024x24", "-noreset"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(1.5)
    try:
        yield display
    finally:
        server.terminate()
        server.wait()


def hiding(command: list[str]) -> list[str]:
    """The command in a mount namespace where every GL library is an empty file; as it is where that is not allowed."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        return command
    folders = ("/usr/lib", "/usr/lib/*", "/usr/lib64", "/lib", "/lib/*", "/usr/local/lib")
    found = sorted({path for folder in folders for path in glob.glob(f"{folder}/lib*.so*") if LIBRARIES.search(path)})
    hide = "; ".join(f"mount --bind /dev/null {os.path.realpath(path)}" for path in found)
    return ["unshare", "-m", "sh", "-c", f'{hide}; exec "$@"', "sh", *command]


def capture(prelude: str, options: list[str], program: Path, python: str = sys.executable) -> list[str]:
    """The command that runs gpucapture on a program, and Python before it in its process."""
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'benchmarks')!r}]\n{prelude}\n"
    return [python, "-c", code + "from capture.cli import main; main()", "run", *options, str(program)]


def compare(trace: Path, pictures: Path) -> tuple[str, float]:
    """Replay a trace, compare each frame with what was shown; gives the result and the largest share of pixels off."""
    code = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
import numpy as np, replay, os
worst = -1.0
for number, picture in replay.pictures({str(trace)!r}):
    path = f"{pictures}/{{number}}.npy"
    if not os.path.exists(path): continue
    shown = np.load(path).astype(int)[..., :3]
    ours = picture.astype(int)[..., :3]
    if shown.shape != ours.shape: print("RESULT size", ours.shape, "for", shown.shape); sys.exit()
    worst = max(worst, float((abs(shown - ours).max(2) > 2).mean()))
print("RESULT", worst)
"""
    status, output, errors = run([sys.executable, "-c", code], ROOT, 300)
    found = re.search(r"^RESULT (.*)$", output, re.M)
    if status != "exit 0" or found is None:
        return (errors.strip().splitlines() or ["?"])[-1][:110], -1.0
    try:
        share = float(found[1])
    except ValueError:
        return found[1], -1.0
    if share < 0:
        return "nothing shown", share
    return ("same" if share <= MOST_OFF else "differs"), share


def message(output: str) -> str:
    """The line of a program's standard error that says what went wrong."""
    lines = [line for line in output.strip().splitlines() if line]
    ours = [
        line
        for line in lines
        if line.startswith("gpucapture:") and " calls, " not in line and "program ended" not in line
    ]
    return (ours or [line for line in lines if "Error" in line] or lines or [""])[-1][:140]


def examine(program: Path, frames: int, seconds: float, display: str, scratch: Path) -> dict[str, Any]:
    """Run one program all four ways."""
    folder = program.parent
    result: dict[str, Any] = {"program": program.name}
    bare, _, errors = run([sys.executable, program.name], folder, seconds, DISPLAY=display)
    result["bare"] = bare
    if bare not in ("runs", "exit 0"):
        result["why"] = message(errors)
        return result
    trace, pictures = scratch / "system.gltrace", scratch / "pictures"
    for path in (trace, *pictures.glob("*.npy"), scratch / "null.gltrace"):
        path.unlink(missing_ok=True)
    pictures.mkdir(exist_ok=True)
    wanted = ["--frames", f"0-{frames - 1}"]
    prelude = f"import capture_examples; capture_examples.watch({str(pictures)!r})"
    command = capture(prelude, [*wanted, "--driver", "system", "-o", str(trace)], Path(program.name))
    result["system"], _, errors = run(command, folder, 3 * seconds, DISPLAY=display)
    if result["system"] not in ("exit 0", "runs"):
        result["why"] = message(errors)
    prelude = REPORT_MAPPED
    options = [*wanted, "--driver", "null", "-o", str(scratch / "null.gltrace")]
    command = capture(prelude, options, Path(program.name))
    hidden = hiding(command)
    if hidden is command:
        hidden = capture(prelude + REFUSE, options, Path(program.name))
    result["null"], output, errors = run(hidden, folder, 6 * seconds)
    mapped = re.search(r"^MAPPED (.*)$", output, re.M)
    result["mapped"] = mapped[1] if mapped else ""
    if result["null"] not in ("exit 0", "runs"):
        result["why null"] = message(errors)
    if trace.exists():
        result["replay"], result["share"] = compare(trace, pictures)
    return result


def passes(result: dict[str, Any]) -> bool:
    """Whether a program does as it does without us, and replays to what was shown."""
    fine = ("exit 0", "runs")
    return (
        all(result.get(each) in fine for each in ("bare", "system", "null"))
        and result.get("mapped", "[]") in ("[]", "")
        and result.get("replay") in ("same", "nothing shown")
    )


def programs(paths: list[Path], only: str) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        yield from (each.resolve() for each in found if only in str(each) and not each.name.startswith("__"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = []
    with x_server() as display, tempfile.TemporaryDirectory() as scratch:
        for program in programs(arguments.paths, arguments.only):
            result = examine(program, arguments.frames, arguments.seconds, display, Path(scratch))
            result["path"] = str(program)
            results.append(result)
            share = f"{100 * result['share']:.2f} %" if result.get("share", -1) >= 0 else ""
            columns = [result.get(each, "-") for each in ("bare", "system", "null", "replay")]
            why = "; ".join(str(result[each]) for each in ("why", "why null") if each in result)
            mark = "ok" if passes(result) else "--"
            print(f"{mark} | {program.name:<28} | {' | '.join(columns)} | {share} | {why}", flush=True)
            if arguments.json is not None:
                arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{sum(map(passes, results))} of {len(results)} pass")


if __name__ == "__main__":
    main()
