"""Programs to trim: traces of one context, written call by call."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable
from pathlib import Path

from fuzz_scenes import SCENES, Step

from traceformat.gles import enums as gl
from traceformat.gltrace.writer import TraceWriter


def write(path: Path, steps: Iterable[Step]) -> Path:
    """Write calls of context 1, thread 1."""
    with TraceWriter(path) as trace:
        for name, args, outputs, result in steps:
            context = 0 if name in ("traceContext", "traceDrawable", "traceMakeCurrent") else 1
            trace.write(name, args, outputs, result, context=context)
    return path


def random_frames(scene: str, rng: random.Random) -> list[Step]:
    """A program of several frames: the scene, then pieces of it in any order, some calls left out."""
    steps = list(SCENES[scene]())
    swap: Step = ("traceSwap", (1, "swap"), None, None)
    body = [step for step in steps[3:] if not step[0].startswith(("trace", "glDelete", "glCreate", "glGen"))]
    frames = [*steps, swap]
    for _ in range(4):
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(len(body))
            piece = body[start : start + rng.randint(5, 60)]
            frames += [step for step in piece if rng.random() < 0.85]
        frames.append(swap)
    return frames


def uploads(count: int) -> list[Step]:
    """A program that uploads textures and draws with the last of them."""
    steps = [step for step in SCENES["es2"]() if step[0] != "traceSwap"][:20]
    data = struct.pack("<I", 77)
    steps += [
        ("glGenTextures", (1, None), {"textures": data}, None),
        ("glBindTexture", (gl.GL_TEXTURE_2D, 77), None, None),
    ]
    for shade in range(count):
        pixels = bytes([shade]) * 1024
        image = (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 16, 16, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
        steps += [("glTexImage2D", image, None, None), ("traceSwap", (1, "swap"), None, None)]
    return steps
