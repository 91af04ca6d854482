"""Size of traces: what gpucapture writes against what apitrace writes, for the same programs and frames.

    python benchmarks/bench_capture_size.py [--frames 20] [--json]

The programs are the samples, under Xvfb, and those of tests/capture that end by themselves. apitrace has to be told
whether a program uses EGL or GLX; the larger of its two files counts. Needs a GL driver, Xvfb and apitrace.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ("city", "cockpit", "cube", "materials", "particles", "shadows", "sprites", "terrain", "warehouse")
PROGRAMS = ("gles3_egl", "moderngl_standalone", "raw_ctypes", "threads", "reads_back")
RUN_SAMPLE = "import runpy, sys; sys.path.insert(0, {root!r}); sys.argv = ['', '--frames', '{frames}']; "
RUN_SAMPLE += "runpy.run_module('samples.{name}', run_name='__main__')"


def size_of(command: list[str], trace: Path, display: str) -> int:
    """Run a command that writes a trace; gives its bytes, 0 where there is none."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "EGL_PLATFORM")}
    environment |= {"DISPLAY": display} if display else {"EGL_PLATFORM": "surfaceless"}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    if not trace.exists():
        print(f"no {trace.name}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return 0
    return trace.stat().st_size


def measure(frames: int, screen: str, table: dict[str, tuple[int, int]]) -> None:
    """Fill the table: bytes of ours and of apitrace's file."""
    ours = [sys.executable, "-c", "from capture.cli import main; main()"]
    for name in (*SAMPLES, *PROGRAMS):
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "ours.gltrace"
            if name in SAMPLES:
                end = ["sample", name, "--frames", str(frames), "--driver", "system", "-o", str(trace)]
                program = ["-c", RUN_SAMPLE.format(root=str(ROOT), frames=frames, name=name)]
            else:
                program = [str(ROOT / "tests" / "capture" / "programs" / f"{name}.py")]
                end = ["run", "--driver", "system", "-o", str(trace), *program]
            display = screen if name in SAMPLES else ""
            theirs = 0
            for api in ("egl", "gl") if display else ("egl",):
                other = Path(folder) / f"{api}.trace"
                command = ["apitrace", "trace", "-a", api, "-o", str(other), sys.executable, *program]
                theirs = max(theirs, size_of(command, other, display))
            table[name] = size_of([*ours, *end], trace, display), theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=20, help="frames of each sample")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    table: dict[str, tuple[int, int]] = {}
    screen = f":{500 + os.getpid() % 300}"
    server = subprocess.Popen(["Xvfb", screen, "-screen", "0", "1280x1024x24"], stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    try:
        measure(options.frames, screen, table)
    finally:
        server.terminate()
    if options.json:
        print(json.dumps(table, indent=2))
        return
    print(f"{'program':<22} {'gpucapture':>12} {'apitrace':>12} {'ratio':>6}")
    for name, (mine, other) in table.items():
        print(f"{name:<22} {mine:>12,} {other:>12,} {mine / other if other else 0:>6.2f}")
    both = [(mine, other) for mine, other in table.values() if mine and other]
    ratios = [mine / other for mine, other in both] or [0.0]
    print(f"{len(both)} programs: mean ratio {sum(ratios) / len(ratios):.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
