"""Running studies, and what they give."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumodel.study.description import StudyFile, read_study, study_from
from gpumodel.study.engine import Engine, InProcess, cluster_engine, scheduler_engine
from gpumodel.study.plan import Plan, PlannedRun, joined, make_plan
from gpumodel.study.questions import answer
from gpumodel.study.store import RunStore, default_store
from gpumodel.study.sweep import Observer, SweepOutcome, run_sweep
from gpumodel.study.tables import FRAMES, need_arrow, read_catalogue, write_tables
from gpureplay.study_traces import ReplayedTraces
from gpureplay.tables import Table
from gpureplay.trace_store import TraceStore, as_trace_store
from traceformat.cli.terminal import Progress
from traceformat.errors import ToolError, UsageError
from traceformat.output import make_folder

if TYPE_CHECKING:
    import pandas

__all__ = ["ShownSweep", "Stores", "StudyResult", "UnseenSweep", "described", "run_studies", "run_study", "sweep"]


class StudyResult:
    """The tables of a study.

    Parameters
    ----------
    folder : that they were written into
    failures : traces, or runs on them, without a result: name of the trace, and why
    """

    def __init__(self, folder: Path, failures: Sequence[tuple[str, str]] = ()) -> None:
        self.folder = folder
        self.failures = list(failures)

    @property
    def runs(self) -> Table:
        """A row a run: what it is of, its settings, cycles, ms, energy in pJ, area in mm², hashes."""
        columns = read_catalogue(self.folder).to_pydict()
        return Table({name: np.array(values) for name, values in columns.items()}, "runs")

    def ask(self, question: str, *, area_mm2: float = float("inf")) -> Table:
        """Answer ``speedup``, ``best`` or ``pareto``, as ``gpureplay results --pivot`` does.

        Parameters
        ----------
        area_mm2 : larger configurations are left out
        """
        rows = answer(question, read_catalogue(self.folder).to_pylist(), area_mm2).rows
        names = list(rows[0]) if rows else []
        return Table({name: np.array([row[name] for row in rows]) for name in names}, "configurations")

    def to_pandas(self, table: str = FRAMES) -> pandas.DataFrame:
        """All frames of all runs: a row a frame and run, with every counter.

        Parameters
        ----------
        table : ``draws`` or ``tiles``, where the study has asked for them

        Raises
        ------
        UsageError : the study has no such table
        """
        if not (self.folder / table).is_dir():
            raise UsageError(f"{self.folder}: there is no table {table!r}", hint=f"tables = [{table!r}] asks for it")
        rows: pandas.DataFrame = need_arrow().parquet.read_table(self.folder / table).to_pandas()
        return rows

    def __repr__(self) -> str:
        """Give the runs."""
        failed = f", {len(self.failures)} failures" if self.failures else ""
        return f"{self.folder}{failed}\n{self.runs!r}"

    def _repr_html_(self) -> str:
        """Give the runs as a notebook shows them."""
        return self.runs._repr_html_()


def sweep(
    study: str | os.PathLike[str] | Mapping[str, Any],
    out: str | os.PathLike[str],
    *,
    workers: int = 0,
    scheduler: str | None = None,
    store: str | os.PathLike[str] | None = None,
    trace_store: str | os.PathLike[str] | TraceStore | None = None,
    fresh: bool = False,
    progress: bool = False,
) -> StudyResult:
    """Run a study, as ``gpureplay sweep`` does: what is done is not done again.

    Parameters
    ----------
    study : file, or what such a file holds; paths start from the file's folder, or from the current one
    out : folder of the tables
    workers : processes on this machine; 0 works in this one. A script that asks for some needs the guard
        ``if __name__ == "__main__":``, because they import it
    scheduler : address of a Dask scheduler whose workers do it
    store : folder of the runs that are done, for all studies; None = in the cache
    trace_store : folder or address of fsspec where replayed frames are kept; None keeps none
    fresh : run everything, also what is done
    progress : show how far it is, on standard error

    Raises
    ------
    ConfigError : every mistake in the study
    MissingEnvironmentError : Dask or pyarrow is not installed, or the scheduler does not answer
    """
    file = described(study)
    with ExitStack() as stack:
        watching: Observer = stack.enter_context(ShownSweep()) if progress else UnseenSweep()
        outcome = run_study(
            file, Path(out), watching, workers=None if workers == 0 and scheduler else workers, scheduler=scheduler,
            stores=Stores.of(store, trace_store), fresh=fresh,
        )  # fmt: skip
    return StudyResult(Path(out), [(name, text) for name, text, _ in outcome.failures])


def described(study: str | os.PathLike[str] | Mapping[str, Any]) -> StudyFile:
    """Read a study, or take one from a program.

    Raises
    ------
    ConfigError, UsageError : see :func:`gpumodel.study.description.read_study`
    """
    samples = ReplayedTraces().sample_names()
    if isinstance(study, Mapping):
        return study_from(study, Path(), samples)
    return read_study(os.fspath(study), samples)


def run_study(
    study: StudyFile,
    out: Path,
    observer: Observer,
    *,
    workers: int | None,
    scheduler: str | None,
    stores: Stores,
    fresh: bool,
) -> SweepOutcome:
    """Run what of a study is not done, and write its tables.

    Parameters
    ----------
    workers : processes; 0 works in this one, None starts one a processor
    """
    (outcome,) = run_studies(
        {out: study}, out / "traces", observer, workers=workers, scheduler=scheduler, stores=stores, fresh=fresh
    )
    return outcome


def run_studies(
    studies: Mapping[Path, StudyFile],
    captured: Path,
    observer: Observer,
    *,
    workers: int | None,
    scheduler: str | None,
    stores: Stores,
    fresh: bool,
) -> list[SweepOutcome]:
    """Run several studies as one: what they share is captured, replayed and modelled once.

    Parameters
    ----------
    studies : by the folder of their tables; they warm up alike
    captured : folder of captured samples
    workers : processes; 0 works in this one, None starts one a processor

    Returns
    -------
    what became of each; failures of a study are those of its own runs
    """
    need_arrow()
    if stores.frames is not None:
        # Says now what is wrong with its address.
        stores.frames.place()
    traces = ReplayedTraces(stores.frames)
    kept = _made(list(studies), stores.runs)
    with Progress("looking at the traces", unit=""):
        plans = [make_plan(study, traces, captured, kept) for study in studies.values()]
    plan = joined(plans)
    with ExitStack() as stack:
        engine: Engine = InProcess()
        if fresh or any(key not in kept for run in plan.runs for key in (run.key, *run.detail_keys.values())):
            if scheduler is not None:
                engine = stack.enter_context(scheduler_engine(scheduler))
            elif workers != 0:
                engine = stack.enter_context(cluster_engine(workers or len(os.sched_getaffinity(0))))
        whole = run_sweep(plan, engine, traces, kept, observer, fresh=fresh)
    outcomes = [whole.of(own) for own in plans]
    for out, outcome in zip(studies, outcomes, strict=True):
        write_tables(out, outcome, kept, engine.name)
    return outcomes


@dataclass(frozen=True, slots=True)
class Stores:
    """What outlives a study.

    Parameters
    ----------
    runs : folder of the runs that are done
    frames : replayed frames, None where none are kept
    """

    runs: Path
    frames: TraceStore | None = None

    @classmethod
    def of(
        cls, runs: str | os.PathLike[str] | None, frames: str | os.PathLike[str] | TraceStore | None = None
    ) -> Stores:
        """Stores where somebody wants them; of runs there is always one."""
        return cls(default_store() if runs is None else Path(runs), as_trace_store(frames))


def _made(outs: Sequence[Path], store: Path) -> RunStore:
    """Make all folders before any work, or none."""
    new = [out for out in outs if not out.exists()]
    for out in outs:
        make_folder(out)
    try:
        return RunStore(store)
    except ToolError:
        for out in new:
            out.rmdir()
        raise


class UnseenSweep:
    """Says nothing."""

    def begin(self, plan: Plan, missing: Sequence[PlannedRun], engine: Engine) -> None:
        """Nobody is told what there is to do."""

    def frames_done(self, count: int) -> None:
        """Nobody is told how far it is."""


class ShownSweep(Progress):
    """Says how many runs there are, how far they are, and how long they will take."""

    def __init__(self) -> None:
        super().__init__("preparing the workers", unit="")
        self._has_begun = False
        self._since: tuple[float, int] | None = None
        self._is_told = False

    def begin(self, plan: Plan, missing: Sequence[PlannedRun], engine: Engine) -> None:
        """Say what there is to do."""
        self._has_begun = True
        self.total = sum(run.num_frames for run in missing)
        num_traces = len({run.trace.path for run in missing})
        to_do = f"; {len(missing)} to do on {num_traces} traces, {self.total:,} frames in all, by {engine.name}"
        self.say(f"{len(plan.runs)} runs, {len(plan.runs) - len(missing)} are done{to_do if missing else ''}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, KeyboardInterrupt) and self._has_begun:
            self.say("interrupted; what is done is kept, and the same command goes on")

    def frames_done(self, count: int) -> None:
        """Show how far it is; time is counted from the first frame on, when kernels are compiled or loaded."""
        if self._since is None:
            self.what, self.unit = "sweeping", "frames"
            self._since = time.monotonic(), count
        self.done = count
        seconds, frames = time.monotonic() - self._since[0], count - self._since[1]
        if frames <= 0 or not self.total or seconds < 1:
            return
        left = _duration(seconds / frames * max(self.total - count, 0))
        self.remark = f"about {left} left"
        if not self._is_told and (seconds > 10 or frames * 10 > self.total):
            self._is_told = True
            self.say(f"as the first {count:,} frames go, all will take about {left} more")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
