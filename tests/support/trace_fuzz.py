"""Hostile traces: makes them, plays them in processes of their own, judges how it ended.

A case is a function of seed and number. Six kinds: ``calls`` (arguments, order and objects of a small program),
``bytes`` (a written file), ``chunks`` (the payload of a chunk, its check sums made right again), ``shaders`` (GLSL),
``apitrace`` (a foreign trace, imported first) and ``frames`` (a ``.gputrace``, for the model alone).
"""

from __future__ import annotations

import os
import random
import struct
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from fuzz_apitrace import apitrace_case
from fuzz_scenes import SCENES, Step
from fuzz_shaders import hostile_shader
from memory_limit import limit_new_memory

from traceformat.calls import Offset
from traceformat.errors import InternalError, ToolError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import find_entry
from traceformat.gles.entry_points import COMMANDS, Command, Direction, Param, ParamKind
from traceformat.gles.enums_table import GROUPS

KINDS: Final = ("calls", "calls", "calls", "calls", "bytes", "chunks", "shaders", "shaders", "apitrace", "frames")
#: What a case may use; the limits of the replay are set far below them.
MEMORY_BYTES: Final = 4 << 30
#: Processor seconds; a case that takes longer is a finding.
CASE_SECONDS: Final = 5.0
#: Wall-clock seconds until a process counts as hung: the machine may be busy.
HANG_SECONDS: Final = 40.0
LIMITS: Final = (
    "memory=256M,buffer=128M,image=128M,draw_vertices=256K,frame_memory=256M,loop_iterations=64K,draw_iterations=64M"
)
_FRAMES: Final = 3
_T2D: Final = gl.GL_TEXTURE_2D
_ARRAYS: Final = gl.GL_ARRAY_BUFFER
_HOSTILE_INTS: Final = (
    0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 63, 64, 255, 256, 1000, 4095, 4096, 8191, 8192, 8193, 16384, 16385, 32767,
    32768, 65535, 65536, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
    -1, -2, -4, -8, -16, -1000, -32768, -(1 << 31), 1 << 40, (1 << 63) - 1, -(1 << 63), 1 << 64,
)  # fmt: skip
_HOSTILE_FLOATS: Final = (
    0.0, -0.0, 1.0, -1.0, 0.5, 255.0, 1e-45, 1e-38, 65536.0, -65536.0, 2147483648.0, 1e30, -1e30, 3.4e38, 1e300,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One input: a file's content, and how to treat it."""

    number: int
    kind: str
    suffix: str
    data: bytes
    to_model: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case ended: ``frames``, ``gl error``, ``tool error``, or a finding."""

    number: int
    kind: str
    what: str
    detail: str = ""
    seconds: float = 0.0

    @property
    def is_finding(self) -> bool:
        """Whether it ended in a way that must not be."""
        return self.what not in ("frames", "gl error", "tool error")


# ---------------------------------------------------------------------------------------------------------- mutation
def _enum_values() -> tuple[int, ...]:
    return tuple(value for name, value in vars(gl).items() if name.startswith("GL_") and isinstance(value, int))


_ENUMS: Final = _enum_values()


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change, cut, repeat or drop octets."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        if not out:
            break
        at = rng.randrange(len(out))
        match rng.randrange(7):
            case 0:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                out[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
            case 2:
                out[at : at + 4] = struct.pack("<I", rng.choice(_HOSTILE_INTS) & 0xFFFFFFFF)
            case 3:
                out[at : at + 8] = struct.pack("<Q", rng.choice(_HOSTILE_INTS) & (1 << 64) - 1)
            case 4:
                del out[at : at + rng.choice((1, 2, 4, 8, 64))]
            case 5:
                out[at:at] = out[at : at + rng.choice((1, 4, 8, 64))]
            case _:
                del out[at:]
    return bytes(out)


def _mutate_value(value: Any, rng: random.Random) -> Any:
    if rng.random() < 0.03:
        return rng.choice((None, "text", b"", 0, 1.5, Offset(4), ("a", "b")))
    if isinstance(value, Offset):
        return Offset(rng.choice((*_HOSTILE_INTS[:-1], int(value) + rng.randint(-8, 8))))
    if isinstance(value, int):
        match rng.randrange(4):
            case 0:
                return value + rng.choice((-1, 1, -2, 2, 4, 16))
            case 1:
                return rng.choice(_ENUMS)
            case _:
                return rng.choice(_HOSTILE_INTS)
    if isinstance(value, float):
        return rng.choice(_HOSTILE_FLOATS)
    if isinstance(value, bytes):
        if len(value) % 4 == 0 and value and rng.random() < 0.5:
            at = rng.randrange(len(value) // 4) * 4
            word = (
                struct.pack("<f", rng.choice(_HOSTILE_FLOATS[:-4]))
                if rng.random() < 0.5
                else struct.pack("<I", rng.choice(_HOSTILE_INTS) & 0xFFFFFFFF)
            )
            return value[:at] + word + value[at + 4 :]
        return mutate_bytes(value, rng)
    if isinstance(value, str):
        return rng.choice(("", "gl_x", "no", value[:-1], value + "[0]", value + "[99999999999]", "\udc80", "x" * 4000))
    if isinstance(value, tuple):
        return tuple(_mutate_value(v, rng) for v in value)
    return rng.choice((Offset(0), 0, b"", b"\xff" * 16))


@cache
def _commands() -> tuple[tuple[Command, ...], dict[str, tuple[int, ...]]]:
    """Entry points that replay executes, and values by enum group: a few that the scenes use, or all there are."""
    from traceformat.gles import tracker  # registers the handlers

    assert tracker.Tracker
    seen: dict[str, set[int]] = {}
    for scene in SCENES.values():
        for name, args, _, _ in scene():
            for param, value in zip(COMMANDS[name].params, args, strict=True):
                if param.kind is ParamKind.ENUM and isinstance(value, int):
                    seen.setdefault(param.group, set()).add(value)
    groups = {group: tuple(sorted(found)) for group, found in seen.items()}
    for line in GROUPS.splitlines():
        group, _, names = line.partition(":")
        values = (getattr(gl, f"GL_{name}", None) for name in names.split())
        groups.setdefault(group, tuple(value for value in values if isinstance(value, int)) or _ENUMS)
    known = [name for name in sorted(COMMANDS) if name.startswith(("gl", "trace")) and find_entry(name) is not None]
    return tuple(COMMANDS[name] for name in known), groups


def _any_value(param: Param, rng: random.Random, groups: dict[str, tuple[int, ...]]) -> Any:
    pick = rng.choice
    match param.kind:
        case ParamKind.ENUM:
            return pick(groups.get(param.group, _ENUMS) if rng.random() < 0.7 else _ENUMS)
        case ParamKind.BITFIELD:
            return pick((0, gl.GL_COLOR_BUFFER_BIT, 0x4500, 2, 3, 0xFFFFFFFF, rng.getrandbits(32)))
        case ParamKind.BOOLEAN:
            return rng.randrange(2)
        case ParamKind.INTEGER | ParamKind.HANDLE:
            return pick((0, 1, 1, 2, 3, 4, 4, 8, 16, 64)) if rng.random() < 0.85 else pick(_HOSTILE_INTS)
        case ParamKind.FLOAT | ParamKind.DOUBLE:
            return pick((0.0, 0.5, 1.0, 2.0)) if rng.random() < 0.7 else pick(_HOSTILE_FLOATS)
        case ParamKind.STRING:
            return pick(("p", "m", "b.m", "Block", "shift", "tint[1]", "", "none"))
        case ParamKind.STRINGS:
            return pick((("void main() {}",), ("p", "v"), ()))
    if param.direction is Direction.OUT:
        return None
    words = [
        pick((0, 1, 2, 3, 1, 0x3F800000, pick(_ENUMS) & 0xFFFFFFFF, rng.getrandbits(32)))
        for _ in range(pick((1, 4, 16, 64)))
    ]
    return pick((struct.pack(f"<{len(words)}I", *words),) * 3 + (Offset(pick((0, 0, 4, 16, 1 << 20))), None))


def _any_calls(rng: random.Random) -> list[Step]:
    """Calls of entry points taken at random, arguments plausible one by one."""
    commands, groups = _commands()
    calls = [rng.choice(commands) for _ in range(rng.choice((1, 2, 4, 16)))]
    return [(c.name, tuple(_any_value(param, rng, groups) for param in c.params), None, None) for c in calls]


def _extra_steps(rng: random.Random) -> list[Step]:
    """Calls that a program could make but the scenes do not."""
    big = rng.choice(_HOSTILE_INTS)
    name = rng.choice((0, 1, 2, 99, 1 << 31))
    target = rng.choice((gl.GL_TEXTURE_2D, gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY))
    names = struct.pack("<I", name & 0xFFFFFFFF)
    pick = rng.choice
    choices: tuple[list[tuple[str, tuple[Any, ...]]], ...] = (
        [("glDeleteProgram", (1,)), ("glUseProgram", (1,))],
        [("glDeleteBuffers", (1, names))],
        [("glDeleteTextures", (1, names))],
        [("glDeleteFramebuffers", (1, names)), ("glDeleteRenderbuffers", (1, names))],
        [("glDeleteVertexArrays", (1, names))],
        [("traceMakeCurrent", (0, 0, 0))],
        [("traceDestroyContext", (1,))],
        [("traceResize", (1, pick((0, 1, 8, 700, 16384, big)), pick((0, 1, 600, 16384, big))))],
        [
            ("traceContext", (k, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, pick((0, 1))))
            for k in range(2, pick((3, 20, 5000)))
        ],
        [("traceDrawable", (k, 64, 64, 1)) for k in range(2, pick((3, 3000)))] + [("traceMakeCurrent", (1, 2, 2))],
        [("traceContext", (2, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 4, 1)), ("traceMakeCurrent", (2, 1, 1))],
        [("traceFrame", ("x",))],
        [("glViewport", (0, 0, 8192, 8192)), ("traceResize", (1, 4096, 4096))],
        [("glDrawArraysInstanced", (gl.GL_TRIANGLES, 0, pick((3, 300, 1 << 20)), pick((1 << 10, 1 << 20))))],
        [("glPixelStorei", (pick((gl.GL_UNPACK_ROW_LENGTH, gl.GL_UNPACK_SKIP_ROWS, gl.GL_UNPACK_ALIGNMENT)), big))],
        [("glTexStorage2D", (_T2D, pick((1, 4, 15, 99)), gl.GL_RGBA32F, 8192, 8192))],
        [("glTexParameteri", (target, pick(_ENUMS), pick((0, 1, 4, 1000, big, gl.GL_NEAREST, gl.GL_REPEAT))))],
        [("glTexParameteri", (target, parameter, big)) for parameter in (gl.GL_TEXTURE_BASE_LEVEL,
          gl.GL_TEXTURE_MAX_LEVEL)],
        [("glTexParameterf", (target, parameter, pick(_HOSTILE_FLOATS))) for parameter in (gl.GL_TEXTURE_MIN_LOD,
          gl.GL_TEXTURE_MAX_LOD)],
        [("glGenerateMipmap", (target,))],
        [("glCopyTexImage2D", (_T2D, 0, gl.GL_RGBA, big, 0, pick((1, 64, 9000)), 8, 0))],
        [("glTexImage3D", (gl.GL_TEXTURE_3D, 0, gl.GL_RGBA8, 2048, 2048, 2048, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
          b"x"))],
        [("glReadPixels", (big, 0, pick((8, 1 << 14, 1 << 30)), 8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None))],
        [("glEnable", (pick(_ENUMS),)), ("glDisable", (pick(_ENUMS),))],
        [("glGetIntegerv", (pick(_ENUMS), None)), ("glGetFloatv", (pick(_ENUMS), None))],
        [("glVertexAttribPointer", (0, pick((1, 4, 5)), pick((gl.GL_FLOAT, gl.GL_BYTE, 0x8D9F)), 1, big,
          Offset(pick((0, 1, 47, 1 << 40))))),
         ("glEnableVertexAttribArray", (pick((0, 2, 15, 16)),))],
        [("glVertexAttribDivisor", (pick((0, 1, 2)), big))],
        [("glBufferData", (_ARRAYS, big, None, gl.GL_STATIC_DRAW))],
        [("glMapBufferRange", (_ARRAYS, 0, pick((8, big)), 2)),
         ("glBufferData", (_ARRAYS, 8, None, gl.GL_STATIC_DRAW))],
        [("traceMappedWrite", (_ARRAYS, big, b"y" * 64)), ("traceClientArray", (pick((0, 1, 99)), big, b"z" * 32))],
        [("glBlitFramebuffer", (big, 0, 1 << 30, -(1 << 31), 0, 0, pick((8, 1 << 30)), 8, gl.GL_COLOR_BUFFER_BIT,
          gl.GL_LINEAR))],
        [("glFramebufferTexture2D", (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, _T2D, 1, pick((0, 1, 99))))],
        [("glPushDebugGroup", (0x824A, 1, -1, "g"))] * pick((1, 70)),
        [("glPopDebugGroup", ())],
        [("glLinkProgram", (1,)), ("glDetachShader", (1, 2))],
        [("glUniform4fv", (pick((0, 3, 4, 5, -1, big)), pick((1, 3, 1 << 20)), b"\0" * 16))],
        [("glScissor", (big, -5, pick((5, big)), 7)), ("glEnable", (gl.GL_SCISSOR_TEST,))],
        [("glDepthRangef", (pick(_HOSTILE_FLOATS), pick(_HOSTILE_FLOATS)))],
        [("glCompressedTexImage2D", (_T2D, 0, pick((0x8D64, 0x9278, 0x93B0, 0x93BD, 0x83F3, big)), pick((4, 13,
          8192)), 8, 0, 64, bytes(range(64))))],
        [("glTexImage2D", (_T2D, 0, pick(_ENUMS), 8, 8, 0, pick((gl.GL_RGBA, gl.GL_RED, gl.GL_DEPTH_STENCIL,
          0x8D99)), pick((gl.GL_FLOAT, gl.GL_UNSIGNED_BYTE, 0x8363, 0x84FA)), b"\x80" * 1024))],
        [("glRenderbufferStorageMultisample", (gl.GL_RENDERBUFFER, pick((0, 1, 4, 99)), pick((gl.GL_RGBA8,
          gl.GL_DEPTH24_STENCIL8, gl.GL_R8, gl.GL_RGBA32F)), pick((0, 32, 8192)), 24))],
        [("glNoSuchFunction", (1, 2, 3))],
    )  # fmt: skip
    return [(call, args, None, None) for call, args in pick(choices)]


def mutate_steps(steps: list[Step], rng: random.Random) -> list[Step]:
    """Change arguments, order, number and objects of a program's calls."""
    steps = list(steps)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at = rng.randrange(3, len(steps)) if rng.random() < 0.93 else rng.randrange(len(steps))
        name, args, outputs, result = steps[at]
        match rng.randrange(10):
            case 0:
                del steps[at]
            case 1:
                other = rng.randrange(len(steps))
                steps[at], steps[other] = steps[other], steps[at]
            case 2:
                steps[at:at] = [steps[at]] * rng.choice((1, 1, 2, 200))
            case 3:
                steps[at:at] = _extra_steps(rng)
            case 4:
                steps[at:at] = _any_calls(rng)
            case 5 if outputs:
                steps[at] = (name, args, {key: _mutate_value(v, rng) for key, v in outputs.items()}, result)
            case 6 if result is not None:
                steps[at] = (name, args, outputs, rng.choice(_HOSTILE_INTS[:-1]))
            case 7 if rng.random() < 0.2:
                steps[at] = (name, args[:-1] if rng.random() < 0.5 else (*args, 1), outputs, result)
            case _ if args:
                changed = list(args)
                for index in {rng.randrange(len(args)) for _ in range(rng.choice((1, 1, 2)))}:
                    changed[index] = _mutate_value(changed[index], rng)
                steps[at] = (name, tuple(changed), outputs, result)
        if len(steps) < 5:
            break
    return steps


def _mutate_shaders(steps: list[Step], rng: random.Random) -> list[Step]:
    at = rng.choice([i for i, step in enumerate(steps) if step[0] == "glShaderSource"])
    name, args, outputs, result = steps[at]
    steps[at] = (name, (args[0], 1, (hostile_shader(args[2][0], rng),), None), outputs, result)
    return steps


def write_trace(path: Path, steps: Iterable[Step], rng: random.Random | None = None) -> None:
    """Write calls; those that a file cannot hold are left out. With ``rng``, a few on another thread or context."""
    from traceformat.gltrace.writer import TraceWriter

    with TraceWriter(path) as writer:
        for name, args, outputs, result in steps:
            odd = rng is not None and rng.random() < 0.002
            with suppress(TypeError, ValueError, OverflowError, struct.error):
                writer.write(name, args, outputs, result, thread=2 if odd else 1, context=1)


def mutate_chunk(data: bytes, rng: random.Random) -> bytes:
    """Change what a chunk holds, or where it says it stands, and make its check sums right."""
    from traceformat.framing import chunks, codecs

    start = data.index(chunks.SYNC)
    found = [c for c in chunks.scan_chunks(data, start, len(data)) if isinstance(c, chunks.Chunk)]
    chunk = rng.choice(found)
    raw, position = chunk.read(data), chunk.prefix.position
    if rng.random() < 0.8:
        raw = mutate_bytes(raw, rng)
    else:
        position = (mutate_bytes(position, rng) + bytes(len(position)))[: len(position)]
    raw_bytes = len(raw) if rng.random() < 0.9 else rng.choice(_HOSTILE_INTS) & 0xFFFFFFFF
    codec, stored = codecs.compress(raw, 3)
    prefix = chunks.Prefix(
        chunks.SYNC, chunk.prefix.kind, int(codec), len(stored), raw_bytes, chunk.prefix.sequence, position
    )
    packed = chunks._PREFIX.pack(*prefix)
    header = chunks._HEADER.pack(*prefix, crc32(packed), chunks.payload_crc(packed, stored))
    return data[: chunk.offset] + header + stored + data[chunk.end :]


@cache
def recorded(scene: str) -> bytes:
    """A scene's .gputrace."""
    from gpumodel.runs import REQUIRED_COLUMNS
    from replay.player import frames
    from traceformat.gputrace.reader import GpuTraceWriter

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.gltrace"
        write_trace(path, SCENES[scene]())
        with GpuTraceWriter(path.with_suffix(".gputrace")) as writer, frames(path, columns=REQUIRED_COLUMNS) as played:
            for frame in played:
                writer.write(frame)
        return path.with_suffix(".gputrace").read_bytes()


def mutate_frames(data: bytes, rng: random.Random, folder: Path) -> bytes:
    """Change values in the columns of a .gputrace, or drop a column or rows."""
    from traceformat.gputrace.frametrace import Table
    from traceformat.gputrace.reader import GpuTraceWriter, open_gputrace

    path = folder / "case.gputrace"
    path.write_bytes(data)
    with open_gputrace(path) as reader:
        held = list(reader)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        frame = rng.choice(held)
        name = rng.choice([name for name in sorted(frame.tables) if frame.tables[name].num_rows])
        columns = {key: array.copy() for key, array in frame.tables[name].items()}
        key = rng.choice(sorted(columns))
        array = columns[key]
        match rng.randrange(12):
            case 0:
                del columns[key]
            case 1:
                kept = rng.randrange(len(array) + 1)
                columns = {other: values[:kept] for other, values in columns.items()}
            case 2:
                order = list(range(len(array)))
                rng.shuffle(order)
                columns = {other: values[order] for other, values in columns.items()}
            case _:
                flat = array.reshape(-1)
                at = slice(None) if rng.random() < 0.1 else rng.randrange(flat.size)
                if array.dtype.kind == "f":
                    flat[at] = np.float32(rng.choice(_HOSTILE_FLOATS[:-4]))
                elif rng.random() < 0.5:
                    flat[at] ^= flat.dtype.type(1 << rng.randrange(8 * flat.itemsize - 1))
                else:
                    value = rng.choice(_HOSTILE_INTS) & (1 << 8 * flat.itemsize) - 1
                    flat[at] = np.array(value, np.uint64).astype(flat.dtype)
        if columns:
            frame.tables[name] = Table(name, columns)
    if rng.random() < 0.1:
        held[0].width = rng.choice((0, 1, 100, 20000, 1 << 31))
    path.unlink()
    with GpuTraceWriter(path) as writer:
        for frame in held:
            writer.write(frame)
    return path.read_bytes()


def make_case(seed: int, number: int, folder: Path) -> Case:
    """Make a case; ``folder`` is for files in between."""
    rng = random.Random(seed * 1_000_003 + number)
    kind = rng.choice(KINDS)
    to_model = rng.random() < 0.2
    if kind == "apitrace":
        return Case(number, kind, ".trace", apitrace_case(rng, mutate_bytes), to_model)
    if kind == "frames":
        data = recorded(rng.choice(("es2", "es3", "gl33")))
        way = rng.random()
        if way < 0.8:
            data = mutate_frames(data, rng, folder)
        else:
            data = mutate_bytes(data, rng) if way < 0.9 else mutate_chunk(data, rng)
        return Case(number, kind, ".gputrace", data, to_model=True)
    steps: list[Step] = list(SCENES[rng.choice((*SCENES, "es2"))]())
    if kind == "calls":
        steps = mutate_steps(steps, rng)
    elif kind == "shaders":
        steps = _mutate_shaders(steps, rng)
    path = folder / "case.gltrace"
    write_trace(path, steps, rng)
    data = path.read_bytes()
    if kind == "bytes":
        data = mutate_bytes(data, rng)
    elif kind == "chunks":
        data = mutate_chunk(data, rng)
    return Case(number, kind, ".gltrace", data, to_model)


# ----------------------------------------------------------------------------------------------------------- playing
def play(case: Case, folder: Path) -> Outcome:
    """Play one case in this process."""
    from gpumodel import load_config
    from gpumodel.report.stats.frame import FrameCounter
    from gpumodel.runs import REQUIRED_COLUMNS, Run
    from replay.player import frames
    from traceformat.gputrace.reader import open_gputrace

    path = folder / f"input{case.suffix}"
    path.write_bytes(case.data)
    start = time.process_time()
    what, detail = "frames", ""
    errors: list[str] = []
    try:
        if case.suffix == ".trace":
            from capture.importers import import_trace

            target = folder / "imported.gltrace"
            target.unlink(missing_ok=True)
            import_trace(path, target)
            path = target
        opened = (
            open_gputrace(path, REQUIRED_COLUMNS)
            if case.suffix == ".gputrace"
            else frames(path, columns=REQUIRED_COLUMNS)
        )
        with _noted_errors(errors), opened as played:
            model = Run(load_config("mali450-vro")) if case.to_model else None
            counter = FrameCounter(load_config("mali450-vro")) if case.number % 2 else None
            for number, frame in enumerate(played):
                if model is not None:
                    if counter is not None:
                        counter.count(frame)
                    model.add(frame)
                if number + 1 == _FRAMES:
                    break
        if errors:
            what, detail = "gl error", errors[0]
    except InternalError:
        what, detail = "internal error", traceback.format_exc()
    except ToolError as error:
        what, detail = "tool error", f"{type(error).__name__}: {error}"
    except BaseException as error:
        what, detail = type(error).__name__, traceback.format_exc()
    seconds = time.process_time() - start
    if seconds > CASE_SECONDS and what in ("frames", "gl error", "tool error"):
        what, detail = "slow", f"{seconds:.1f} s; {what} {detail}"
    return Outcome(case.number, case.kind, what, detail, seconds)


class _noted_errors:
    """Notes the GL errors that a trace raises."""

    def __init__(self, errors: list[str]) -> None:
        self._errors = errors

    def __enter__(self) -> None:
        from traceformat.gles.state import Context

        self._fail = fail = Context.fail
        errors = self._errors

        def noting(context: Context, error: int, message: str = "") -> None:
            if len(errors) < 1:
                errors.append(message)
            fail(context, error, message)

        Context.fail = noting  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        from traceformat.gles.state import Context

        Context.fail = self._fail  # type: ignore[method-assign]


def _serve(connection: Connection, seed: int, folder: Path) -> None:
    """Play the cases whose numbers arrive."""
    limit_new_memory(MEMORY_BYTES)
    folder.mkdir(exist_ok=True)
    while (number := connection.recv()) is not None:
        try:
            outcome = play(make_case(seed, number, folder), folder)
        except BaseException:
            outcome = Outcome(number, "none", "no case", traceback.format_exc())
        connection.send(outcome)


class _Worker:
    def __init__(self, seed: int, folder: Path) -> None:
        context = get_context("fork")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, seed, folder), daemon=True)
        self._process.start()
        theirs.close()
        self.number = -1
        self.deadline = 0.0

    def give(self, number: int) -> None:
        self.number = number
        self.deadline = time.monotonic() + HANG_SECONDS
        self.connection.send(number)

    def end(self) -> int:
        """End the process at once; gives its exit status (negative: a signal)."""
        self._process.join(0.2)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self.connection.close()
        return self._process.exitcode or 0


def warm_up(folder: Path) -> None:
    """Compile what every process needs, once, before they are made."""
    os.environ["GPUREPLAY_LIMITS"] = LIMITS
    for name in ("es2", "es3", "gl33"):
        recorded(name)
    for name, scene in SCENES.items():
        path = folder / f"{name}.gltrace"
        write_trace(path, scene())
        outcome = play(Case(-1, name, ".gltrace", path.read_bytes(), name != "msaa"), folder)
        if outcome.what != "frames" and outcome.what != "slow":
            raise AssertionError(f"the seed {name} itself ends in {outcome.what}: {outcome.detail}")


def run_cases(seed: int, numbers: Iterable[int], folder: Path, jobs: int = 1) -> Iterator[Outcome]:
    """Play cases in ``jobs`` processes; outcomes as they come."""
    warm_up(folder)
    waiting = iter(numbers)
    workers: list[_Worker] = []

    def start(slot: Path) -> bool:
        number = next(waiting, None)
        if number is None:
            return False
        worker = _Worker(seed, slot)
        folders[worker.connection] = slot
        workers.append(worker)
        worker.give(number)
        return True

    folders: dict[Any, Path] = {}
    for slot in range(jobs):
        start(folder / f"worker{slot}")
    while workers:
        ready = wait([worker.connection for worker in workers], timeout=0.5)
        for worker in list(workers):
            outcome: Outcome | None = None
            is_over = False
            if worker.connection in ready:
                try:
                    outcome = worker.connection.recv()
                except (EOFError, ConnectionError):
                    is_over = True
            elif time.monotonic() > worker.deadline:
                outcome = Outcome(worker.number, "", "hang", f"more than {HANG_SECONDS} s", HANG_SECONDS)
                is_over = True
            if is_over:
                slot, number = folders.pop(worker.connection), worker.number
                status = worker.end()
                workers.remove(worker)
                yield outcome or Outcome(number, "", "crash", f"exit status {status}")
                start(slot)
            elif outcome is not None:
                yield outcome
                number = next(waiting, -1)
                if number >= 0:
                    worker.give(number)
                else:
                    worker.connection.send(None)
                    worker.end()
                    workers.remove(worker)


def save_finding(seed: int, outcome: Outcome, folder: Path) -> Path:
    """Write the input of a finding and what it led to."""
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder / ".scratch"
    scratch.mkdir(exist_ok=True)
    try:
        case = make_case(seed, outcome.number, scratch)
    except Exception:
        case = Case(outcome.number, "none", ".none", b"", to_model=False)
    stem = folder / f"seed{seed}-case{outcome.number}-{case.kind}"
    target = stem.with_suffix(case.suffix)
    target.write_bytes(case.data)
    stem.with_suffix(".txt").write_text(f"{outcome.what}\n{outcome.detail}\n", encoding="utf-8", errors="replace")
    return target


def counts(outcomes: Iterable[Outcome]) -> Counter[str]:
    """Number of cases by outcome."""
    return Counter(outcome.what for outcome in outcomes)
