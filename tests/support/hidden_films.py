"""Runs of object films under Deferred Rendering and with a Z-prepass, and things of every state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from films import HEIGHT, WIDTH
from object_films import Thing, object_film, random_things

from gpumodel.config.load import load_config
from gpumodel.runs import Run
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["PIXELS", "Played", "covered_film", "one", "random_states", "stack"]

PIXELS = WIDTH * HEIGHT
SCALED = "screen.scale_to_trace=true"


class Played:
    """A run of a film, verified."""

    def __init__(
        self, frames: list[FrameTrace], technique: str = "dr", preset: str = "mali450-vro", settings: Any = (),
        *, every_cycle: bool = False,
    ) -> None:  # fmt: skip
        self.run = Run(
            load_config(preset, [SCALED, *settings]), [technique] if technique else [],
            verify=True, every_cycle=every_cycle,
        )  # fmt: skip
        self.technique = technique
        self.results = [self.run.add(trace)[0] for trace in frames]
        assert self.run.result.verification is not None
        assert self.run.result.verification.pixels
        assert self.run.result.verification.mismatched_pixels == 0

    def counter(self, name: str, frame: int = 0) -> float:
        return self.results[frame].counters[name if "." in name else f"{self.technique}.{name}"]

    @property
    def shaded(self) -> float:
        return self.counter("fragments.shaded")


def one(path: Path, things: list[Thing], size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[FrameTrace]:
    return object_film(path / "a.gltrace", [things], size)


def stack(count: int) -> list[Thing]:
    """Planes, the farthest first."""
    return [Thing.plane(f"p{k}", 0.5 - 0.1 * k) for k in range(count)]


def random_states(rng: np.random.Generator, count: int) -> list[Thing]:
    """Things of every state that a draw can have."""
    functions = [gl.GL_LESS, gl.GL_LEQUAL, gl.GL_GREATER, gl.GL_GEQUAL, gl.GL_ALWAYS, gl.GL_EQUAL, gl.GL_NOTEQUAL]
    out = []
    for thing in random_things(rng, count):
        states: dict[str, Any] = {}
        kind = int(rng.integers(0, 24))
        if kind < 8:
            states = [
                {"stencil": 1}, {"part": True}, {"query": True}, {"clears": True}, {"shader_depth": True},
                {"depth_test": False}, {"func": int(rng.choice(functions))}, {"blend": True},
            ][kind]  # fmt: skip
        out.append(replace(thing, **states))
    return out


def covered_film(path: Path, seed: int, count: int = 9) -> list[FrameTrace]:
    """Frames in which a plane hides what changes behind it, or does no more: things come and go, change places, come
    nearer, have equal depths, blend, discard, write no depth or ignore it; some frames come again.
    """
    rng = np.random.default_rng(seed)
    states = [{}, {}, {"blend": True}, {"foliage": True}, {"writes_depth": False}, {"depth_test": False},
              {"blend": True, "writes_depth": False}, {"func": gl.GL_LEQUAL}, {"func": gl.GL_EQUAL},
              {"func": gl.GL_GREATER, "writes_depth": False}, {"part": True}]  # fmt: skip
    plane = Thing.plane("plane", 0.0, gl.GL_LEQUAL if seed % 3 else gl.GL_LESS)
    flat = replace(plane, name="flat", depth_test=False)
    others = []
    for thing in random_things(rng, 8):
        depth = float(rng.choice([-0.25, 0.0, 0.25, 0.5, 0.5]))
        boxes = tuple((*box[:4], depth, depth) for box in thing.rectangles)
        state = states[int(rng.integers(len(states)))]
        others.append(replace(thing, rectangles=boxes, **{"blend": False, "foliage": False, **state}))
    frames: list[list[Thing]] = []
    for _ in range(count):
        if len(frames) > 2 and rng.random() < 0.35:
            frames.append(frames[-int(rng.integers(1, 4))])
            continue
        chosen = [others[k] for k in np.flatnonzero(rng.random(8) < 0.5)]
        if rng.random() < 0.3:
            rng.shuffle(chosen)
        if rng.random() < 0.85:
            chosen.insert(int(rng.integers(len(chosen) + 1)), plane)
        if rng.random() < 0.4:
            chosen.insert(int(rng.integers(len(chosen) + 1)), flat)
        frames.append(chosen)
    return object_film(path, frames)
