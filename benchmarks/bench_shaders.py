"""Fragments a second of the shader executors, and of Mesa's llvmpipe in the same run where it is installed.

    python benchmarks/bench_shaders.py [--rounds N] [--json FILE]

Every program covers a 1024 x 1024 target with one quad. The executors interpolate their varyings from plane equations,
as the engine has them do; llvmpipe also rasterizes. Measurements alternate, and the best of all rounds counts, so
that other load on the machine hits all alike. One thread each, by its processor time; rows of two
threads are timed by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from replay.glsl.compiler import compile_shader, link_program
from replay.glsl.ir import StageIR
from replay.glsl.llvm.interpolation import interpolate
from replay.glsl.llvm.record_memory import RecordMemory
from replay.glsl.llvm.stage import LlvmStage, StageArguments, StageOptions
from replay.glsl.numpy_executor import NumpyStage
from replay.glsl.numpyops import NumpyOps
from replay.texture.binding import Binding, Rules, bind
from replay.texture.emit import SamplerEmitter
from replay.texture.reference import SamplerReference
from replay.texture.storage import TextureMemory
from traceformat.gles import enums as gl
from traceformat.gles.backend import Pixels
from traceformat.gles.objects import Image, Sampling, Texture

SIZE = 1024
CHUNK_QUADS = 1024
#: Rows of quads that the NumPy executor shades, and how many of them it is given at once (it chunks them itself).
NUMPY_ROWS, NUMPY_CHUNK_ROWS = 64, 64
HEAD = "#version 300 es\nprecision highp float;\nprecision highp int;\nout vec4 color;\n"

#: Varyings by name: value at the centre of the target, and its change to the right and upper border.
VARYINGS: dict[str, dict[str, list[tuple[float, ...]]]] = {
    "phong": {
        "normal": [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
        "position": [(0.0, 0.0, -3.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0)],
        "uv": [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)],
    },
    "noise": {"uv": [(3.0, 5.0), (6.0, 0.0), (0.0, 6.0)]},
    "julia": {"uv": [(0.0, 0.0), (1.5, 0.0), (0.0, 1.5)]},
    "relief": {
        "uv": [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)],
        "toLight": [(0.3, 0.2, 1.0), (1.0, 0.1, 0.0), (0.1, 1.0, 0.0)],
        "toEye": [(0.0, 0.0, 1.0), (-0.5, 0.0, 0.0), (0.0, -0.5, 0.0)],
    },
}

FRAGMENT: dict[str, str] = {
    "phong": """
in vec3 normal; in vec3 position; in vec2 uv;
uniform vec3 light; uniform float shininess; uniform vec4 ambient, diffuse, specular; uniform sampler2D map;
void main() {
    vec3 n = normalize(normal);
    vec3 l = normalize(light - position);
    vec3 v = normalize(-position);
    float facing = dot(n, l);
    vec3 r = 2.0 * facing * n - l;
    float highlight = pow(max(dot(r, v), 0.0), shininess);
    color = texture(map, uv) * (ambient + diffuse * max(facing, 0.0)) + specular * highlight;
}""",
    "noise": """
in vec2 uv; uniform float time;
float hash(vec2 p) { p = fract(p * vec2(123.34, 345.45)); p += dot(p, p + 34.345); return fract(p.x * p.y); }
float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    vec2 u = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), u.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), u.x), u.y);
}
void main() {
    float sum = 0.0, scale = 0.5;
    vec2 p = uv + time;
    for (int i = 0; i < 4; i++) { sum += scale * noise(p); p *= 2.03; scale *= 0.5; }
    color = vec4(mix(vec3(0.1, 0.2, 0.5), vec3(1.0, 0.9, 0.7), smoothstep(0.3, 0.7, sum)), 1.0);
}""",
    "julia": """
in vec2 uv; uniform vec2 c;
void main() {
    vec2 z = uv;
    int n = 0;
    for (int i = 0; i < 64; i++) {
        if (dot(z, z) > 4.0) break;
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    float t = float(n) / 64.0;
    color = vec4(t, t * t, sqrt(t), 1.0);
}""",
    "relief": """
in vec2 uv; in vec3 toLight; in vec3 toEye;
uniform sampler2D albedo, normals; uniform vec3 tint; uniform float gloss;
void main() {
    vec3 n = normalize(texture(normals, uv).xyz * 2.0 - 1.0);
    vec3 l = normalize(toLight);
    vec3 h = normalize(l + normalize(toEye));
    vec4 base = texture(albedo, uv);
    float lit = max(dot(n, l), 0.0);
    float shine = lit > 0.0 ? exp2(gloss * log2(max(dot(n, h), 1e-4))) : 0.0;
    color = vec4(base.rgb * tint * (0.15 + lit) + base.a * shine, 1.0);
}""",
}
UNIFORMS: dict[str, tuple[float, ...]] = {
    "light": (1.0, 2.0, 3.0),
    "shininess": (20.0,),
    "ambient": (0.1, 0.1, 0.1, 1.0),
    "diffuse": (0.7, 0.7, 0.7, 0.0),
    "specular": (0.3, 0.3, 0.3, 0.0),
    "time": (0.25,),
    "c": (-0.4, 0.6),
    "tint": (1.0, 0.8, 0.6),
    "gloss": (40.0,),
}


def vertex_source(name: str) -> str:
    """Vertex shader whose varyings change linearly over the target."""
    lines = ["#version 300 es", "in vec2 corner;"]
    body = ["gl_Position = vec4(corner, 0.0, 1.0);"]
    for varying, (centre, right, up) in VARYINGS[name].items():
        kind = f"vec{len(centre)}"
        lines.append(f"out {kind} {varying};")
        parts = [f"{kind}({', '.join(map(str, part))})" for part in (centre, right, up)]
        body.append(f"{varying} = {parts[0]} + corner.x * {parts[1]} + corner.y * {parts[2]};")
    return "\n".join([*lines, "void main() {", *body, "}"])


def texels() -> bytes:
    """Content of the one texture: 256 x 256 RGBA8."""
    return np.random.default_rng(0).integers(0, 256, (256, 256, 4), dtype=np.uint8).tobytes()


def link(name: str) -> tuple[Any, StageIR]:
    """The program and its fragment stage."""
    shaders = [compile_shader(vertex_source(name), "vertex"), compile_shader(HEAD + FRAGMENT[name], "fragment")]
    program = link_program(shaders)
    if not program.ok or program.fragment is None:
        raise SystemExit("\n".join([name, *(shader.log for shader in shaders), program.log]))
    return program, program.fragment


def uniform_words(program: Any, stage: StageIR) -> np.ndarray:
    """Constant area 0 of the fragment stage."""
    words = np.zeros(max(stage.areas[0].words, 1), np.float32)
    for uniform in program.reflection.uniforms:
        if uniform.fragment_offset >= 0 and uniform.name in UNIFORMS:
            values = UNIFORMS[uniform.name]
            words[uniform.fragment_offset : uniform.fragment_offset + len(values)] = values
    return words


def texture_binding(memory: TextureMemory) -> Binding:
    """The texture, bilinear and repeated."""
    texture = Texture(1, 1, gl.GL_TEXTURE_2D)
    image = texture.images[0, 0] = Image(256, 256, 1, gl.GL_RGBA8)
    memory.define_image(texture, 0, 0, image, Pixels(gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, memoryview(texels())))
    sampling = Sampling()
    sampling.min_filter = sampling.mag_filter = gl.GL_LINEAR
    return bind(memory, texture, sampling, Rules())


def plane_row(name: str, stage: StageIR, compiled: LlvmStage) -> np.ndarray:
    """Plane equations of the full-screen quad."""
    row = np.zeros((1, compiled.layout.num_plane_words), np.float32)
    row[0, 4] = 1.0
    for slot, first in zip(stage.inputs, compiled.layout.plane_words, strict=True):
        if first < 0:
            continue
        centre, right, up = (np.array(part) for part in VARYINGS[name][slot.name])
        step = 2.0 / SIZE
        for component in range(slot.type.width):
            b, c = right[component] * step, up[component] * step
            a = centre[component] - right[component] - up[component] + 0.5 * (b + c)
            row[0, first + 3 * component : first + 3 * component + 3] = a, b, c
    return row


class NumpyRunner:
    """The reference executor on some of the target's chunks."""

    def __init__(self, name: str, program: Any, stage: StageIR, compiled: LlvmStage, binding: Binding) -> None:
        self.stage = NumpyStage(stage, SamplerReference([binding for _ in program.samplers]))
        self.areas = [uniform_words(program, stage)]
        self.inputs = []
        for first_row in range(0, NUMPY_ROWS, NUMPY_CHUNK_ROWS):
            x = np.tile(np.arange(SIZE // 2, dtype=np.uint16), NUMPY_CHUNK_ROWS)
            y = np.repeat(np.arange(first_row, first_row + NUMPY_CHUNK_ROWS, dtype=np.uint16), SIZE // 2)
            planes = plane_row(name, stage, compiled)
            self.inputs.append(interpolate(NumpyOps(), stage.inputs, planes, np.zeros(len(x), np.uint32), x, y))

    def run(self) -> None:
        """Shade the first rows of quads."""
        for inputs in self.inputs:
            self.stage.run(SIZE * 2 * NUMPY_CHUNK_ROWS, inputs, self.areas)


class Runner:
    """One thread's buffers, and the chunks that it shades."""

    def __init__(self, name: str, program: Any, stage: StageIR, compiled: LlvmStage, binding: Binding) -> None:
        self.compiled = compiled
        quads = CHUNK_QUADS
        self.arguments = StageArguments()
        self.x, self.y = np.zeros(quads, np.uint16), np.zeros(quads, np.uint16)
        self.record = RecordMemory(quads * 50)
        self.outputs = np.zeros((max(compiled.layout.num_output_rows, 1), 4 * quads), np.float32)
        self.arguments.bind(
            outputs=self.outputs,
            planes=plane_row(name, stage, compiled),
            quad_primitive=np.zeros(quads, np.uint32),
            quad_x=self.x,
            quad_y=self.y,
            coverage=np.full(quads, 15, np.uint8),
            survives=np.zeros(quads, np.uint8),
            path_hash=np.zeros(quads, np.uint64),
            record=self.record.row.data,
        )
        self.arguments.bind_areas([uniform_words(program, stage)])
        self.arguments.bind_descriptors([binding.descriptor for _ in program.samplers])

    def run(self, first_row: int, last_row: int) -> None:
        """Shade rows of quads, 512 quads each, in chunks of two rows."""
        self.x[:] = np.arange(CHUNK_QUADS) % (SIZE // 2)
        for row in range(first_row, last_row, 2):
            self.y[: SIZE // 2], self.y[SIZE // 2 :] = row, row + 1
            self.record.begin(CHUNK_QUADS)
            self.compiled.run(self.arguments, CHUNK_QUADS // 2)


def mesa_runs() -> dict[str, Callable[[], None]]:
    """The same programs on llvmpipe, rendering in the calling thread."""
    os.environ.update(EGL_PLATFORM="surfaceless", LIBGL_ALWAYS_SOFTWARE="1", LP_NUM_THREADS="0")
    try:
        import moderngl

        context = moderngl.create_context(standalone=True, backend="egl")
    except Exception as error:
        print(f"no Mesa: {error}")
        return {}
    corners = context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], np.float32).tobytes())
    texture = context.texture((256, 256), 4, texels())
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.use(0)
    target = context.framebuffer([context.texture((SIZE, SIZE), 4, dtype="f4")])
    runs: dict[str, Callable[[], None]] = {}
    for name, fragment in FRAGMENT.items():
        program = context.program(vertex_shader=vertex_source(name), fragment_shader=HEAD + fragment)
        for uniform, values in UNIFORMS.items():
            if uniform in program:
                program[uniform].value = values if len(values) > 1 else values[0]
        vertices = context.vertex_array(program, [(corners, "2f", "corner")])

        def run(vertices: Any = vertices) -> None:
            target.use()
            context.viewport = (0, 0, SIZE, SIZE)
            vertices.render(moderngl.TRIANGLE_STRIP)
            context.finish()

        runs[name] = run
    return runs


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    memory = TextureMemory()
    binding = texture_binding(memory)
    emitter = SamplerEmitter()
    rows = SIZE // 2
    runs: dict[tuple[str, str], Callable[[], None]] = {}
    compile_ms: dict[str, dict[str, float]] = {}
    variants = {
        "llvm": StageOptions(interpolate=True),
        "llvm +paths": StageOptions(interpolate=True, path_hash=True),
        "llvm +paths +lines": StageOptions(interpolate=True, path_hash=True, record_textures=True),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in FRAGMENT:
            start = time.perf_counter()
            program, stage = link(name)
            compile_ms[name] = {"front end": 1e3 * (time.perf_counter() - start)}
            keys = [binding.key] * len(program.samplers)
            for variant, stage_options in variants.items():
                for kind in ("cold", "cached"):
                    start = time.perf_counter()
                    compiled = LlvmStage(stage, keys, stage_options, emitter, Path(folder))
                    if variant == "llvm +paths":
                        compile_ms[name][kind] = 1e3 * (time.perf_counter() - start)
                runners = [Runner(name, program, stage, compiled, binding) for _ in range(2)]
                runs[name, variant] = lambda runner=runners[0]: runner.run(0, rows)  # type: ignore[misc]
                if variant == "llvm +paths":
                    reference = NumpyRunner(name, program, stage, compiled, binding)
                    runs[name, "numpy"] = reference.run
                    runs[name, f"{variant}, 2 threads"] = lambda pair=runners: in_two_threads(pair, rows)  # type: ignore[misc]
    for name, run in mesa_runs().items():
        runs[name, "llvmpipe"] = run
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(options.rounds):
        for key, run in runs.items():
            clock = time.perf_counter if "2 threads" in key[1] else time.thread_time
            start = clock()
            run()
            share = NUMPY_ROWS / rows if key[1] == "numpy" else 1.0
            best[key] = min(best[key], (clock() - start) / share)
    results = {
        name: {
            variant: SIZE * SIZE / seconds / 1e6
            for (program_name, variant), seconds in best.items()
            if program_name == name
        }
        for name in FRAGMENT
    }
    for name, speeds in results.items():
        print(f"\n{name}: " + ", ".join(f"{kind} {ms:.1f} ms" for kind, ms in compile_ms[name].items()))
        for variant, speed in speeds.items():
            ratio = f"  {speed / speeds['llvmpipe']:.2f} x llvmpipe" if "llvmpipe" in speeds else ""
            print(f"    {variant:<24} {speed:8.1f} Mfragments/s{ratio}")
    if options.json:
        options.json.write_text(json.dumps({"mfragments_per_second": results, "compile_ms": compile_ms}, indent=1))


def in_two_threads(runners: list[Runner], rows: int) -> None:
    """Shade half of the target in each of two threads."""
    threads = [
        threading.Thread(target=runner.run, args=(part * rows // 2, (part + 1) * rows // 2))
        for part, runner in enumerate(runners)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
