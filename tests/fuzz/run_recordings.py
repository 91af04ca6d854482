"""Recordings that are to be equal, and one that is not: held against each other by the commands' own code.

usage: python tests/fuzz/run_recordings.py [--samples N] [--recaptures N] [--checks N] [--driver null|system]

``--samples``: so many samples, each recorded by the null driver and by the system's GL. ``--recaptures``: one program,
so many times with other threads, lines of source and object names. ``--checks``: a program with a wall clock and random
numbers recorded so many times under a fixed clock and a seed, each checked by a shell script of five lines against
the first, then once with 5 % more work in one of its objects. Exit status 1 where one is not as it should be.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = '''
import random, sys, threading, time
import glfw, moderngl
from OpenGL import GL
import numpy as np
import capture

VERTEX = """#version 330
in vec2 p; uniform vec4 box; out vec2 at;
void main() { at = p * 0.5 + 0.5; gl_Position = vec4(box.xy + p * box.zw, 0.0, 1.0); }"""
FRAGMENT = """#version 330
in vec2 at; uniform sampler2D image; uniform int reads; out vec4 color;
void main() {
    vec4 sum = vec4(0.0);
    for (int k = 0; k < reads; k++) sum += texture(image, at + float(k) * 0.002);
    color = sum / float(reads);
}"""


def draw_all(window, reads, unused):
    glfw.make_context_current(window)
    context = moderngl.create_context()
    for generate in (GL.glGenTextures, GL.glGenBuffers):
        generate(unused) if unused else None
    program = context.program(VERTEX, FRAGMENT)
    corners = context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], "f4").tobytes())
    quad = context.vertex_array(program, [(corners, "2f", "p")])
    context.texture((64, 64), 4, np.random.default_rng().integers(0, 255, 1 << 14, np.uint8).tobytes()).use()
    for _ in range(3):
        context.clear(time.time() % 1, random.random(), 0.2)
        for number in range(4):
            with capture.group("scene"), capture.group(f"tile {number}"):
                program["reads"] = 1 + number
                program["box"] = random.uniform(-0.5, 0.5), (time.time() * 3) % 1 - 0.5, 0.3, 0.4
                quad.render(moderngl.TRIANGLE_STRIP)
        with capture.group("post"), capture.group("glow"):
            program["reads"] = reads
            program["box"] = 0, 0, 0.8, 0.8
            quad.render(moderngl.TRIANGLE_STRIP)
        # One that has no name.
        program["reads"] = 1
        program["box"] = -0.9, 0.9, 0.05, 0.05
        quad.render(moderngl.TRIANGLE_STRIP)
        glfw.swap_buffers(window)
    glfw.make_context_current(None)


reads, unused, is_threaded = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "threaded"
glfw.init()
window = glfw.create_window(160, 120, "", None, None)
if is_threaded:
    glfw.make_context_current(window)
    glfw.make_context_current(None)
    thread = threading.Thread(target=draw_all, args=(window, reads, unused))
    thread.start()
    thread.join()
else:
    draw_all(window, reads, unused)
'''
#: Reads of the glow; 5 % more work in it are the regression.
READS: Final = 20
CHECK: Final = """#!/bin/sh
set -e
gpucapture run --clock fixed --seed 7 --driver null -o now.gltrace rain.py $1 0 plain
test -e baseline.json || gpureplay run now.gltrace --attribution --json baseline.json > run.txt
gpureplay check now.gltrace --against baseline.json
"""


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run one of the project's commands as the user does, without a display."""
    variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    variables |= {"EGL_PLATFORM": "surfaceless", "PATH": f"{Path(sys.executable).parent}:{variables.get('PATH', '')}"}
    return subprocess.run(arguments, cwd=cwd, env=variables, capture_output=True, text=True, check=False, timeout=600)


def record(folder: Path, name: str, *arguments: str) -> Path:
    """Record something into a trace."""
    trace = folder / f"{name}.gltrace"
    done = command("gpucapture", *arguments[:1], "-o", str(trace), *arguments[1:], cwd=folder)
    if done.returncode:
        raise SystemExit(done.stderr)
    return trace


def difference(first: Path, second: Path) -> str:
    """What ``gpureplay compare`` finds between two traces: draws, counters, pixels; empty where they are equal."""
    from gpumodel.cli.figures import DEFAULT_CONFIG, configurations, modelled
    from gpumodel.compare.comparison import compare

    machines = configurations([DEFAULT_CONFIG], ())
    one, other = (modelled(str(path), machines)[0] for path in (first, second))
    found = compare(one, other)
    assert found.things
    assert found.aligned.pairs
    assert found.pictures is not None
    return "; ".join(each.text for each in found.differences[:5])


def samples(count: int, folder: Path) -> Iterator[tuple[str, str]]:
    """Each sample by both drivers: its name, and what differs."""
    from samples import SAMPLES

    for name in list(SAMPLES)[:count]:
        both = [
            record(folder, f"{name}-{driver}", "sample", "--driver", driver, "--frames", "2", "--size", "96x64", name)
            for driver in ("null", "system")
        ]
        yield f"sample {name}, null and system", difference(*both)


def recaptures(count: int, folder: Path, driver: str) -> Iterator[tuple[str, str]]:
    """One program with other threads, lines and names: what was changed, and what differs."""
    options = ("--driver", driver, "--clock", "fixed", "--seed", "7", "--source")
    (folder / "first.py").write_text(PROGRAM)
    first = record(folder, "first", "run", *options, "first.py", str(READS), "0", "plain")
    rng = random.Random(1)
    for number in range(count):
        unused, how = rng.randrange(1, 40), "threaded" if number % 2 else "plain"
        lines = PROGRAM.splitlines()
        # Not inside of a text: there is none before the shaders, nor between functions.
        for place in (lines.index("import capture"), lines.index("glfw.init()")):
            lines[place:place] = ["#"] * rng.randrange(1, 30)
        (folder / "again.py").write_text("\n".join(lines) + "\n")
        again = record(folder, "again", "run", *options, "again.py", str(READS), str(unused), how)
        yield f"recapture {number}: {how}, {unused} unused names", difference(first, again)


def checks(count: int, folder: Path) -> Iterator[tuple[str, str]]:
    """The shell script over re-recordings, then over a regression: what was checked, and what is wrong."""
    (folder / "rain.py").write_text(PROGRAM)
    (folder / "check.sh").write_text(CHECK)
    for number in range(count + 1):
        done = command("sh", "check.sh", str(READS), cwd=folder)
        yield f"re-recording {number}", "" if done.returncode == 0 else done.stdout + done.stderr
    done = command("sh", "check.sh", str(READS + READS // 20), cwd=folder)
    named = "`post/glow` costs" in done.stdout
    over = [line for line in done.stdout.splitlines() if line.startswith("over")]
    print("\n".join(over), flush=True)
    yield "5 % more work in one object", "" if done.returncode == 1 and named else done.stdout + done.stderr


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--recaptures", type=int, default=0)
    parser.add_argument("--checks", type=int, default=0)
    parser.add_argument("--driver", choices=("null", "system"), default="null")
    given = parser.parse_args(arguments)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [samples(given.samples, folder)] if given.samples else []
        parts += [recaptures(given.recaptures, folder, given.driver)] if given.recaptures else []
        parts += [checks(given.checks, folder)] if given.checks else []
        for part in parts:
            for what, wrong in part:
                bad += bool(wrong)
                print(f"{what}: {wrong or 'as it should be'}", flush=True)
    print(f"{bad} not as they should be")
    return int(bad > 0)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
