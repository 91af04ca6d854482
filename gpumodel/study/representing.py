"""Studies of representative frames: which they are, and what their figures say of the whole film."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import numpy as np

from gpumodel.config.schema import GpuConfig
from gpumodel.sampling.choice import Representatives, choose
from gpumodel.sampling.estimate import Estimate, estimate_ratio, estimate_total
from gpumodel.sampling.features import FEATURE_COLUMNS, FEATURES, FeatureCounter
from gpumodel.study.identity import run_key, versions
from gpumodel.study.source import StudyTraces, TraceFacts
from gpumodel.study.store import RunStore, packed
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.errors import ReplayError
from traceformat.gputrace.frametrace import FrameRole

__all__ = ["estimated_figures", "representatives", "run_figures"]

#: Version of what is kept of a film.
_SCHEMA: Final = 1
#: Whose sources features follow from.
_COUNTING: Final = ("traceformat", "replay", "gpumodel.sampling")
#: Figures that are set against the baseline's.
_RATIOS: Final = ("cycles", "energy_pj")


def representatives(
    traces: StudyTraces, path: str, facts: TraceFacts, machine: GpuConfig, count: int, store: RunStore
) -> Representatives:
    """Choose frames that stand for a film; replays all of it, without a model, unless that has been done before.

    Parameters
    ----------
    machine : whose tiles and frame buffers count
    count : of frames
    store : keeps what was counted of each frame, for studies to come

    Raises
    ------
    ReplayError : the trace cannot be replayed to its end
    """
    identity = {
        "schema": _SCHEMA,
        "trace": facts.sha256,
        "frames": [facts.frames.start, facts.frames.stop],
        "tile": [machine.tile.width, machine.tile.height],
        "frame_buffers": machine.screen.frame_buffers,
        "programs": asdict(versions(_COUNTING)),
    }
    key = run_key(identity)
    kept = store.read(key)
    if kept is None:
        kept = {"key": key, "identity": identity, **_counted(traces, path, facts.frames, machine)}
        store.write(key, packed(kept))
    features = np.array(kept["features"]).reshape(-1, len(FEATURES))
    return choose(kept["numbers"], features, count, first=machine.screen.frame_buffers)


def _counted(traces: StudyTraces, path: str, frames: range, machine: GpuConfig) -> dict[str, list[Any]]:
    """Numbers and features of a film's frames."""
    counter = FeatureCounter((machine.tile.width, machine.tile.height), machine.screen.frame_buffers)
    numbers, rows = [], []
    with traces.open(path, frames, FEATURE_COLUMNS, [frames], []) as source:
        for frame in source.frames:
            row = counter.count(frame)
            if frame.role is not FrameRole.SET_UP:
                numbers.append(frame.frame)
                rows.append(row.tolist())
        if source.partial:
            raise ReplayError(f"{path}: the trace is damaged: its frames cannot be told apart")
    return {"numbers": numbers, "features": rows}


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
