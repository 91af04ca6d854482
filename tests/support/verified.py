"""Runs frames through a machine and recomposes them, for tests of verification."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from gpumodel import load_config
from gpumodel.machine import Machine
from gpumodel.pass_run import PassRun
from gpumodel.runs import Run
from gpumodel.verify import Recomposer, Verification
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.gputrace.passes import passes_of

__all__ = ["counter", "recompose", "units_at_work", "verified_run"]


def recompose(
    frames: Iterable[Any],
    preset: str = "mali450-vro",
    *settings: str,
    change: Callable[[int, list[PassRun]], None] | None = None,
) -> Verification:
    """Verify frames; ``change`` may spoil what the machine reports of each."""
    machine, recomposer = Machine(load_config(preset, settings)), Recomposer()
    for number, trace in enumerate(frames):
        passes = list(machine.run_frame(trace).passes)
        if change is not None:
            change(number, passes)
        passes_given = passes_of(trace)
        for index, parts in groupby(passes, key=lambda done: done.streams.index):
            recomposer.add(passes_given[index], list(parts))
        recomposer.end_frame(trace.rule)
    return recomposer.result


def verified_run(
    frames: Iterable[FrameTrace], preset: str, techniques: str, *settings: str, every_cycle: bool = False
) -> Run:
    """Run frames with techniques (``re+te``), every pixel of which must be the replay's."""
    config = load_config(preset, ["screen.scale_to_trace=true", *settings])
    one = Run(config, techniques.split("+"), verify=True, every_cycle=every_cycle)
    for frame in frames:
        one.add(frame)
        assert units_at_work(one.machine) == []
    assert one.result.verification is not None
    assert one.result.verification.pixels
    assert one.result.verification.mismatched_pixels == 0
    return one


def units_at_work(machine: Machine) -> list[str]:
    """Raster Units, those of techniques included, that still hold work of a pass: none between frames."""
    system = machine.system
    rest = {"current": -1, "pair_count": 0, "post_count": 0, "in_flight_count": 0,
            "blending_count": 0, "late_pending": 0, "order_count": 0, "loading": 0}  # fmt: skip
    work = [
        f"ru[{number}].{field} = {int(ru[field])}"
        for number, ru in enumerate(system["ru"])
        if ru["pair_depth"]
        for field, value in rest.items()
        if int(ru[field]) != value
    ]
    return work + [f"frame[{k}] waits for lines" for k, frame in enumerate(system["frame"]) if frame["beside_waits"]]


def counter(run: Run, name: str) -> list[float]:
    """Values of a counter, frame by frame."""
    return [frame.counters[name] for frame in run.result.frames]
