"""Studies of representative frames: which they are, and what their figures say of the whole film."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gpumodel.config.schema import GpuConfig
from gpumodel.sampling.choice import Representatives, choose
from gpumodel.sampling.estimate import Estimate, estimate_ratio, estimate_total
from gpumodel.sampling.features import FEATURE_COLUMNS, FEATURES, FeatureCounter
from gpumodel.study.source import StudyTraces
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.errors import ReplayError
from traceformat.gputrace.frametrace import FrameRole

__all__ = ["estimated_figures", "representatives", "run_figures"]

#: Figures that are set against the baseline's.
_RATIOS: Final = ("cycles", "energy_pj")


def representatives(traces: StudyTraces, path: str, frames: range, machine: GpuConfig, count: int) -> Representatives:
    """Choose frames that stand for a film; replays all of it, without a model.

    Parameters
    ----------
    machine : whose tiles and frame buffers count
    count : of frames

    Raises
    ------
    ReplayError : the trace cannot be replayed to its end
    """
    counter = FeatureCounter((machine.tile.width, machine.tile.height), machine.screen.frame_buffers)
    numbers, rows = [], []
    with traces.open(path, frames, FEATURE_COLUMNS, frames, []) as source:
        for frame in source.frames:
            row = counter.count(frame)
            if frame.role is not FrameRole.SET_UP:
                numbers.append(frame.frame)
                rows.append(row)
        if source.partial:
            raise ReplayError(f"{path}: the trace is damaged: its frames cannot be told apart")
    features = np.array(rows) if rows else np.zeros((0, len(FEATURES)))
    return choose(numbers, features, count, first=machine.screen.frame_buffers)


def estimated_figures(
    chosen: Representatives, record: dict[str, Any], baseline: dict[str, Any] | None
) -> dict[str, Any]:
    """Figures of a film from its representative frames.

    Parameters
    ----------
    record : of a run of these frames
    baseline : of the run without techniques; None where there is none, and so no ratios

    Returns
    -------
    dict[str, Any] : ``cycles``, ``energy_pj`` and ``dram_bytes`` of the film; ``cycles_ratio`` and ``energy_pj_ratio``
        to the baseline; each with a ``_bound`` in its unit, which the error does not exceed in 95 of 100 films
    """
    own = run_figures(record)
    found: dict[str, Any] = {}
    for name, values in own.items():
        found |= _with_bound(name, estimate_total(chosen, np.array(values)))
    if baseline is not None:
        before = run_figures(baseline)
        for name in _RATIOS:
            found |= _with_bound(f"{name}_ratio", estimate_ratio(chosen, np.array(own[name]), np.array(before[name])))
    return found


def run_figures(record: dict[str, Any]) -> dict[str, list[float]]:
    """Figures of a run's measured frames, in the order of their numbers: cycles, energy in pJ, bytes of DRAM."""
    measured = [frame for frame in record["frames"] if frame["role"] == str(FrameRole.MEASURED)]
    measured.sort(key=lambda frame: frame["frame"])
    ways = [f"dram.{way}_bytes.{kind}" for way in ("read", "write") for kind in TRAFFIC_NAMES]
    return {
        "cycles": [frame["cycles"]["total"] for frame in measured],
        "energy_pj": [frame["energy_pj"]["total"] for frame in measured],
        "dram_bytes": [sum(frame["counters"][name] for name in ways) for frame in measured],
    }


def _with_bound(name: str, found: Estimate) -> dict[str, Any]:
    return {name: found.value, f"{name}_bound": found.bound}
