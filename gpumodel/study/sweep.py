"""A sweep: plan, find out what is done, run the rest, keep each run as it ends, write the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gpumodel.study.engine import Engine
from gpumodel.study.identity import versions
from gpumodel.study.plan import Plan, PlannedRun
from gpumodel.study.source import StudyTraces
from gpumodel.study.store import RunStore
from gpumodel.study.work import Outcome, Task
from traceformat.errors import StorageError

__all__ = ["Observer", "SweepOutcome", "run_sweep", "tasks_of"]

#: Tasks for each worker at the least, so that none waits long for the last one.
_TASKS_A_WORKER = 3


class Observer(Protocol):
    """Who is told what happens."""

    def begin(self, plan: Plan, missing: Sequence[PlannedRun], engine: Engine) -> None:
        """So many runs are to be done, by this engine."""

    def frames_done(self, count: int) -> None:
        """So many frames have been modelled so far."""


@dataclass(slots=True)
class SweepOutcome:
    """What became of a sweep.

    Parameters
    ----------
    plan : what was to be done
    kept : keys of runs that had been done before
    failed : keys of runs that have no record
    failures : traces and runs without a record: name of the trace, message, exit status
    missing : what replays have left out, by trace
    host : facts of this machine and this time, of each task
    """

    plan: Plan
    kept: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    failures: list[tuple[str, str, int]] = field(default_factory=list)
    missing: dict[str, list[str]] = field(default_factory=dict)
    host: list[dict[str, Any]] = field(default_factory=list)

    @property
    def num_recorded(self) -> int:
        """Runs that have a record in the end."""
        return sum(run.key not in self.failed for run in self.plan.runs)

    def of(self, plan: Plan) -> SweepOutcome:
        """What became of one of the plans that were joined."""
        keys = {run.key for run in plan.runs}
        names = {run.trace.name for run in plan.runs}
        failed = {run.trace.name for run in plan.runs if run.key in self.failed} | {one.name for one in plan.unreadable}
        return SweepOutcome(
            plan, self.kept & keys, self.failed & keys, [failure for failure in self.failures if failure[0] in failed],
            {name: lines for name, lines in self.missing.items() if name in names},
            [entry for entry in self.host if entry["trace"] in names],
        )  # fmt: skip


def run_sweep(
    plan: Plan, engine: Engine, traces: StudyTraces, store: RunStore, observer: Observer, *, fresh: bool = False
) -> SweepOutcome:
    """Run what a plan has and the store has not.

    Parameters
    ----------
    fresh : run everything

    Raises
    ------
    StorageError : a disk is full
    MissingEnvironmentError : the scheduler has gone
    """
    runs = {run.key: run for run in plan.runs}.values()
    missing = [run for run in runs if fresh or not store.has([run.key, *run.detail_keys.values()])]
    outcome = SweepOutcome(plan, {run.key for run in runs} - {run.key for run in missing})
    outcome.failures += [(one.name, str(one.error), one.error.exit_code) for one in plan.unreadable]
    observer.begin(plan, missing, engine)
    tasks = tasks_of(missing, engine, plan.warm_up)
    by_task: dict[int, int] = {}

    def watch(number: int, done: int) -> None:
        by_task[number] = done
        observer.frames_done(sum(by_task.values()))

    for task, done in engine.outcomes(tasks, traces, watch) if tasks else ():
        for run in task.runs:
            records = {key: done.records[key] for key in (*run.detail_keys.values(), run.key) if key in done.records}
            for key, record in records.items():
                store.write(key, record)
        _take(outcome, task, done)
    return outcome


def _take(outcome: SweepOutcome, task: Task, done: Outcome) -> None:
    """Note what a task says beside its records."""
    name = task.trace.name
    runs = {run.key: run for run in task.runs}
    is_trace = len(done.failures) == len(runs) and len({failure.message for failure in done.failures}) == 1
    outcome.failed |= set(runs) & {failure.key for failure in done.failures}
    for failure in done.failures[:1] if is_trace else done.failures:
        run = runs[failure.key]
        which = "" if is_trace else f"{run.technique} on {run.config.name}: "
        if failure.stops:
            raise StorageError(f"{name}: {which}{failure.message}")
        outcome.failures.append((name, f"{which}{failure.message}", failure.exit_code))
    if done.missing:
        outcome.missing[name] = done.missing
    seconds = {"seconds": round(done.seconds, 3), "processor_seconds": round(done.processor_seconds, 3)}
    outcome.host.append({"trace": name, "runs": len(task.runs), "frames": task.num_frames, **seconds})


def tasks_of(runs: Sequence[PlannedRun], engine: Engine, warm_up: int | None) -> list[Task]:
    """Runs of one trace together, as many as a worker's memory takes, and not so many that workers have nothing to do;
    the longest tasks first.
    """
    # Plans that are run together may want different frames of a trace.
    by_trace: dict[tuple[str, tuple[range, ...]], list[PlannedRun]] = {}
    for run in runs:
        by_trace.setdefault((run.trace.path, run.trace.segments), []).append(run)
    if not runs:
        return []
    parts = 1 if engine.workers == 1 else -(-_TASKS_A_WORKER * engine.workers // len(by_trace))
    tasks = []
    for own in by_trace.values():
        size = min(engine.runs_at_once, max(1, -(-len(own) // parts)))
        tasks += [Task(tuple(own[at : at + size]), warm_up, versions()) for at in range(0, len(own), size)]
    return sorted(tasks, key=lambda task: -task.num_frames)
