"""Estimating a long film from representative frames, from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from gpumodel.sampling.choice import Representatives
from gpumodel.study.description import study_from
from gpumodel.study.engine import InProcess
from gpumodel.study.plan import make_plan
from gpumodel.study.store import RunStore, default_store
from gpumodel.study.sweep import Observer, run_sweep
from gpumodel.study.tables import catalogue_rows
from gpureplay.study_traces import ReplayedTraces
from gpureplay.sweeping import UnseenSweep
from gpureplay.tables import Table
from traceformat.errors import ToolError

__all__ = ["FilmEstimate", "estimate"]

_FIGURES: Final = ("cycles", "energy_pj", "dram_bytes", "cycles_ratio", "energy_pj_ratio")
#: Columns of the catalogue that are shown.
_COLUMNS: Final = (
    "config", "technique", "memory", "frames", "frames_modelled",
    *(f"{name}{suffix}" for name in _FIGURES for suffix in ("", "_bound")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FilmEstimate:
    """What representative frames say of their film.

    Parameters
    ----------
    table : a row a configuration and combination of techniques: ``cycles``, ``energy_pj``, ``dram_bytes`` of the whole
        film, ``cycles_ratio`` and ``energy_pj_ratio`` to the baseline, each with its ``_bound`` (95 %); ``frames`` of
        the film, ``frames_modelled`` with those that warm up
    chosen : the frames, how many each stands for, features of all
    """

    table: Table
    chosen: Representatives

    def __repr__(self) -> str:
        """Give the table."""
        return repr(self.table)

    def _repr_html_(self) -> str:
        """Give the table as a notebook shows it."""
        return self.table._repr_html_()


def estimate(
    trace: str | os.PathLike[str],
    config: str | Sequence[str] = "mali450-vro",
    *,
    techniques: Sequence[str] = (),
    frames: int = 12,
    set: Mapping[str, Any] | None = None,
    warm_up: int | None = None,
    store: str | os.PathLike[str] | None = None,
    observer: Observer | None = None,
) -> FilmEstimate:
    """Estimate cycles, energy and traffic of a whole film from some of its frames, each with a 95 % bound.

    The film is replayed once to find out what each frame consists of; frames that stand for all are run through the
    model, each warmed up with what the techniques look back on.

    Parameters
    ----------
    trace : path of a ``.gltrace`` or ``.gputrace``
    config : preset or TOML file, or several
    techniques : ids, several in one run joined by ``+``; the baseline always runs too
    frames : to choose, 6 at the least
    set : values of the configuration by key
    warm_up : frames modelled before each; None = what each technique looks back on
    store : folder of the runs that are done, see :func:`.sweep`; None = in the cache
    observer : is told how far it is

    Raises
    ------
    ConfigError : no such trace, configuration or technique, too few frames: all of it at once
    TraceFormatError, ReplayError : the trace is damaged
    """
    given = {
        "traces": [os.path.abspath(trace)], "presets": [config] if isinstance(config, str) else list(config),
        "techniques": list(techniques), "frames": f"representative {frames}", "set": dict(set or {}),
        **({} if warm_up is None else {"warm_up": warm_up}),
    }  # fmt: skip
    traces = ReplayedTraces()
    kept = RunStore(default_store() if store is None else Path(store))
    plan = make_plan(study_from(given, Path(), traces.sample_names()), traces, Path(), kept)
    for unreadable in plan.unreadable:
        raise unreadable.error
    outcome = run_sweep(plan, InProcess(), traces, kept, observer or UnseenSweep())
    for _, text, code in outcome.failures:
        raise _Failed(text, code)
    chosen = plan.runs[0].trace.chosen
    assert chosen is not None
    rows = catalogue_rows(plan, kept)
    columns = {name: np.array([row[name] for row in rows]) for name in _COLUMNS if name in rows[0]}
    return FilmEstimate(Table(columns, "runs"), chosen)


class _Failed(ToolError):
    """A run has failed."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code
