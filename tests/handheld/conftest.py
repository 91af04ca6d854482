"""Runs of small traces on the handheld machine, and its kernels driven directly."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@dataclass
class Played:
    """What a trace gave: accesses of all frames, the frames, values and words by kind."""

    codes: np.ndarray
    frames: list
    values: dict = field(default_factory=dict)
    words: dict = field(default_factory=dict)

    def total(self, name):
        return sum(frame.counters.get(name, 0) for frame in self.frames)


@pytest.fixture(scope="session")
def play():
    """Play a trace in a mode: ``play(path, antialiasing="flipquad", ...)``."""
    from gpumodel.handheld.count import AccessCounter
    from replay.handheld.player import HandheldFrames
    from traceformat.gputrace.accessstream import HandheldMode

    def run(path, **mode):
        pieces = []
        counter = AccessCounter()

        def sink(codes):
            pieces.append(codes.copy())
            counter(codes)

        with HandheldFrames(path, HandheldMode(**mode), sink) as played:
            frames = list(played)
        values, words = counter.take()
        codes = np.concatenate(pieces) if pieces else np.zeros(0, np.uint32)
        return Played(codes, frames, values, words)

    return run
