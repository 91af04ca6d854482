"""Runs frames through a machine and recomposes them, for tests of verification."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpumodel import load_config
from gpumodel.machine import Machine, PassRun
from gpumodel.verify import Recomposer, Verification

__all__ = ["recompose"]


def recompose(
    frames: Iterable[Any],
    preset: str = "mali450-vro",
    *settings: str,
    change: Callable[[int, list[PassRun]], None] | None = None,
) -> Verification:
    """Verify frames; ``change`` may spoil what the machine reports of each."""
    machine, recomposer = Machine(load_config(preset, settings)), Recomposer()
    for number, trace in enumerate(frames):
        passes = machine.run_frame(trace).passes
        if change is not None:
            change(number, passes)
        recomposer.add(trace, passes)
    return recomposer.result
