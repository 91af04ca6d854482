"""What recording costs a call: loops of PyOpenGL, moderngl and C, bare, under ``gpucapture`` and under apitrace.

    python benchmarks/bench_capture.py [--json] [--rounds N]

Every round runs all loops in a process of its own for each way, bare and recorded in turn, after 1,500 turns that are
not counted; the best of three runs of 200,000 turns in any round counts (what a loop costs by itself differs between
processes by more than recording adds), in processor time of the process, the writing into the trace included.
``overhead`` is what one recorded GL call costs more than the bare one, in microseconds: PyOpenGL makes two a
loop (it polls glGetError), moderngl's uniform two (it uses the program), its draw three, the loops in C one; what these
send differs from turn to turn. Needs a GL driver; apitrace and C are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

NATIVE = """
void glUniform4f(int, float, float, float, float);
void glUniformMatrix4fv(int, int, unsigned char, const float *);
void glBufferSubData(unsigned, long, long, const void *);
void glEnable(unsigned);
void colors(int where, int count)
{ for (int i = 0; i < count; i++) glUniform4f(where, (float)i, 0.0f, 0.5f, 1.0f); }
void matrices(int where, int count)
{ float m[16] = {1}; for (int i = 0; i < count; i++) { m[3] = (float)i; glUniformMatrix4fv(where, 1, 0, m); } }
void buffers(int where, int count)
{ float m[16] = {1};
  for (int i = 0; i < count; i++) { m[3] = (float)i; glBufferSubData(0x8892, 64 * (i & 1023), 64, m); } }
void switches(int where, int count)
{ for (int i = 0; i < count; i++) glEnable(0x0BE2); }
"""

LOOPS = """
import ctypes, json, sys, time
import moderngl, numpy as np
from OpenGL import GL

# A run is long enough for several buffers of recorded calls, which are 32,768 or less: what becomes of them counts.
def best(body, count=200000, runs=3, warm=1500):
    result = 1e9
    for _ in range(warm):
        body()
    for _ in range(runs):
        started = time.process_time()
        for _ in range(count):
            body()
        result = min(result, (time.process_time() - started) / count * 1e6)
    return result

context = moderngl.create_standalone_context(backend="egl")
program = context.program(
    vertex_shader="#version 330\\nin vec2 a; uniform mat4 m; void main() { gl_Position = m * vec4(a, 0.0, 1.0); }",
    fragment_shader="#version 330\\nuniform vec4 c; out vec4 o; void main() { o = c; }",
)
target = context.simple_framebuffer((16, 16))
target.use()
context.clear()
buffer, content = context.buffer(reserve=65536), bytes(64)
array = context.vertex_array(program, [(context.buffer(bytes(24)), "2f", "a")])
matrix, matrix_bytes = np.eye(4, dtype="f4"), np.eye(4, dtype="f4").tobytes()
color, transform = program["c"], program["m"]
GL.glUseProgram(program.glo)
where, where_matrix = (GL.glGetUniformLocation(program.glo, name) for name in "cm")
def set_color(): color.value = (1, 0, 0, 1)
results = {
    "moderngl uniform": (best(set_color), 2),
    "moderngl matrix": (best(lambda: transform.write(matrix_bytes)), 2),
    "moderngl buffer": (best(lambda: buffer.write(content)), 2),
    "moderngl draw": (best(lambda: array.render(vertices=3)), 3),
    "pyopengl glUniform4f": (best(lambda: GL.glUniform4f(where, 1, 0, 0, 1)), 2),
    "pyopengl glUniformMatrix4fv": (best(lambda: GL.glUniformMatrix4fv(where_matrix, 1, False, matrix)), 2),
    "pyopengl glEnable": (best(lambda: GL.glEnable(GL.GL_BLEND)), 2),
}
if len(sys.argv) > 1:
    native = ctypes.CDLL(sys.argv[1])
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer.glo)
    for name, place in {"colors": where, "matrices": where_matrix, "buffers": 0, "switches": 0}.items():
        function = getattr(native, name)
        took = best(lambda: function(place, 10000), count=20, warm=1) / 10000
        results["c " + name] = (took, 1)
print(json.dumps(results))
"""


def build(folder: Path) -> list[str]:
    """Compile the loops in C; gives the program's argument, none without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    (folder / "loops.c").write_text(NATIVE)
    command = [str(compiler), "-shared", "-fPIC", "-O2", "loops.c", "-o", "loops.so", "-lGL"]
    if compiler is None or subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
        return []
    return [str(folder / "loops.so")]


def measure(prefix: list[str], program: list[str]) -> dict[str, tuple[float, int]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYOPENGL_PLATFORM": "egl", "EGL_PLATFORM": "surfaceless"}
    done = subprocess.run([*prefix, *program], env=environment, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{' '.join(prefix)} failed:\n{done.stderr}")
    return json.loads(lines[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=3, help="processes for each way")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "loops.py"
        script.write_text(LOOPS)
        # The trace is thrown away: it needs no index.
        code = "import capture.cli.options as o; o.add_index = id; from capture.cli import main; main()"
        ours = [sys.executable, "-c", code, "run", "--driver", "system", "-o", str(Path(folder) / "out.gltrace")]
        ways = {"bare": [sys.executable], "gpucapture": ours}
        if shutil.which("apitrace"):
            trace = ["apitrace", "trace", "-a", "egl", "-o", str(Path(folder) / "out.trace")]
            ways["apitrace"] = [*trace, sys.executable]
        program = [str(script), *build(Path(folder))]
        results = {way: measure(prefix, program) for way, prefix in ways.items()}
        for _ in range(options.rounds - 1):
            for way, prefix in ways.items():
                again = measure(prefix, program)
                results[way] = {name: min(row, again[name]) for name, row in results[way].items()}
    table = {}
    for name, (bare, calls) in results["bare"].items():
        row = {"bare_us": bare}
        for way in list(ways)[1:]:
            row[f"{way}_us"] = results[way][name][0]
            row[f"{way}_overhead_us_per_call"] = (results[way][name][0] - bare) / calls
        table[name] = row
    if options.json:
        print(json.dumps(table, indent=2))
        return
    others = list(ways)[1:]
    print(f"{'us a loop':<28} {'bare':>7}" + "".join(f" {way:>11} {'overhead':>9}" for way in others))
    for name, row in table.items():
        cells = "".join(f" {row[f'{way}_us']:>11.2f} {row[f'{way}_overhead_us_per_call']:>9.2f}" for way in others)
        print(f"{name:<28} {row['bare_us']:>7.2f}{cells}")


if __name__ == "__main__":
    main()
