"""What a worker does: replay a trace once, feed all runs that want its frames, hand back their records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpumodel.run_plan import RunPlan
from gpumodel.shared_passes import share_passes
from gpumodel.study.details import DRAWS, TILES, DetailTable, TileRows, draw_rows
from gpumodel.study.identity import RECORD_SCHEMA, Versions, versions
from gpumodel.study.selection import segments_of
from gpumodel.study.source import StudyTraces
from gpumodel.study.store import packed
from gpumodel.techniques.registry import plugin_at_fault
from traceformat.errors import (
    InternalError,
    MissingEnvironmentError,
    ReplayError,
    StorageError,
    ToolError,
    TraceFormatError,
)
from traceformat.gputrace.frametrace import FrameRole, FrameTrace

if TYPE_CHECKING:
    from gpumodel.runs import Run
    from gpumodel.study.plan import PlannedRun, StudyTrace

__all__ = ["Failure", "Outcome", "Task", "run_task"]


@dataclass(frozen=True, slots=True)
class Task:
    """Runs over one trace.

    Parameters
    ----------
    runs : all of them over the same trace
    warm_up : of the study
    versions : of the process that has planned them
    """

    runs: tuple[PlannedRun, ...]
    warm_up: int | None
    versions: Versions

    @property
    def trace(self) -> StudyTrace:
        """The trace."""
        return self.runs[0].trace

    @property
    def num_frames(self) -> int:
        """Frames to model, of all runs together."""
        return sum(run.num_frames for run in self.runs)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run has no record.

    Parameters
    ----------
    key : of the run
    message, exit_code : of the error
    stops : every other run would fail alike: a full disk, a package that is not there
    """

    key: str
    message: str
    exit_code: int
    stops: bool = False


@dataclass(slots=True)
class Outcome:
    """What became of a task.

    Parameters
    ----------
    records : packed, by the keys of runs and of their tables
    missing : what the replay has left out, a line each
    seconds, processor_seconds : that it took, by the clock and of this process
    """

    records: dict[str, bytes] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    seconds: float = 0.0
    processor_seconds: float = 0.0


def run_task(task: Task, traces: StudyTraces, done: Callable[[int], None]) -> Outcome:
    """Run a task.

    Parameters
    ----------
    traces : opens the trace
    done : called with the number of frames that have been modelled, of all runs together

    Returns
    -------
    with a record or a failure for each run; nothing is raised but what ends the process
    """
    began, worked = time.perf_counter(), time.process_time()
    outcome = Outcome()
    work = _Work(task, outcome, done)
    try:
        work.run(traces)
    except Exception as error:
        # A bug of ours, or of a technique, in one task is told at the end and stops no other.
        work.fail(list(work.open), error)
    outcome.seconds = time.perf_counter() - began
    outcome.processor_seconds = time.process_time() - worked
    return outcome


class _Work:
    def __init__(self, task: Task, outcome: Outcome, done: Callable[[int], None]) -> None:
        self._task, self._outcome, self._done = task, outcome, done
        self._num_done = 0
        #: Runs without an error, with the frames they have so far.
        self.open: dict[str, _Progress] = {run.key: _Progress(run) for run in task.runs}

    def fail(self, keys: list[str], error: Exception) -> None:
        """These runs have no record."""
        stops = isinstance(error, StorageError | MissingEnvironmentError)
        plugin = plugin_at_fault(error)
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, ToolError):
            message, code = str(error), error.exit_code
        elif plugin is not None:
            message = f"technique {plugin.name} of {plugin.package} failed: {text}"
            code = MissingEnvironmentError.exit_code
        else:
            message, code = f"internal error: {text}", InternalError.exit_code
        for key in keys:
            self.open.pop(key)
            self._outcome.failures.append(Failure(key, message, code, stops))

    def run(self, traces: StudyTraces) -> None:
        task = self._task
        if task.versions != versions():
            raise MissingEnvironmentError("a worker has another version of the program", hint="start it from this one")
        if traces.survey(task.trace.path).sha256 != task.trace.sha256:
            raise TraceFormatError(f"{task.trace.path}: here it is another trace than where the study was planned")
        segments = task.trace.segments
        around = segments_of(sorted({frame for run in task.runs for frames in run.around for frame in frames}))
        wanted = [(run.config, run.techniques) for run in task.runs]
        plan = RunPlan(wanted, segments[0], task.warm_up)
        asked = range(segments[0].start, segments[-1].stop)
        with ExitStack() as stack:
            source = stack.enter_context(
                traces.open(task.trace.path, asked, plan.columns, around, self._outcome.missing)
            )
            if source.partial:
                raise ReplayError("the trace is damaged: frames that are asked for cannot be replayed")
            waiting = [_Segment(task, number, self) for number in range(len(segments))]
            for segment in waiting:
                stack.callback(segment.close)
            for frame in source.frames:
                for segment in waiting:
                    segment.feed(frame)
                waiting = [segment for segment in waiting if not segment.is_done]
            for segment in waiting:
                segment.finish()
        for progress in self.open.values():
            self._outcome.records |= {record["key"]: packed(record) for record in progress.records()}

    def count(self) -> None:
        """A frame of a run has been modelled."""
        self._num_done += 1
        self._done(self._num_done)


class _Progress:
    """What a run has given so far."""

    def __init__(self, run: PlannedRun) -> None:
        self._run = run
        self._frames: list[dict[str, Any]] = []
        self._about: dict[str, Any] = {}
        self.tables = {table: DetailTable() for table in run.tables}

    def take(self, segment: int, run: Run) -> None:
        """Keep the figures of a segment."""
        if DRAWS in self.tables:
            for frame in run.result.measured:
                draw_rows(self.tables[DRAWS], segment, frame)
            for frame in run.result.frames:
                frame.attribution = None
        entry = run.result.as_json()
        self._frames += [{"segment": segment, **frame} for frame in entry["frames"]]
        self._about = {name: entry[name] for name in ("hardware", "set_by_technique")}

    def records(self) -> Iterator[dict[str, Any]]:
        """What is kept: the tables, then the run itself."""
        run = self._run
        for name, table in self.tables.items():
            yield {"key": run.detail_keys[name], "identity": run.identity, "columns": table.columns}
        yield {"schema": RECORD_SCHEMA, "key": run.key, "identity": run.identity, **self._about,
               "frames": self._frames}  # fmt: skip


class _Segment:
    """Frames that follow each other, and a machine of its own for each run."""

    def __init__(self, task: Task, number: int, work: _Work) -> None:
        self._task, self._number, self._work = task, number, work
        self._asked = task.trace.segments[number]
        self._runs: dict[str, Run] = {}
        self._around = {run.key: run.around[number] for run in task.runs}
        self._began = self.is_done = False

    def feed(self, frame: FrameTrace) -> None:
        """Take a frame, if it is one of its own."""
        keys = [key for key in self._around if key in self._work.open and frame.frame in self._around[key]]
        if keys:
            self._begin()
            role = FrameRole.MEASURED if frame.frame in self._asked else FrameRole.WARM_UP
            seen = frame if frame.role is FrameRole.SET_UP else replace(frame, role=role)
            for key in keys:
                self._each(key, lambda run: run.feed(seen))
                self._work.count()
        if frame.frame + 1 >= max(frames.stop for frames in self._around.values()):
            self.finish()

    def _begin(self) -> None:
        if self._began:
            return
        self._began = True
        for key, run in self._open_runs():
            try:
                plan = RunPlan([(run.config, run.techniques)], self._asked, self._task.warm_up)
                tables = self._work.open[key].tables
                tiles = TileRows(tables[TILES], self._number) if TILES in tables else False
                (self._runs[key],) = plan.runs(self._asked, attribution=DRAWS in tables, keep_passes=tiles)
            except Exception as error:
                self._work.fail([key], error)
        share_passes(list(self._runs.values()))

    def _open_runs(self) -> Iterator[tuple[str, PlannedRun]]:
        return ((run.key, run) for run in self._task.runs if run.key in self._work.open)

    def _each(self, key: str, step: Callable[[Run], object]) -> None:
        """What goes wrong in one run stops no other."""
        if key not in self._runs:
            return
        try:
            step(self._runs[key])
        except Exception as error:
            self._runs.pop(key).close()
            self._work.fail([key], error)

    def finish(self) -> None:
        """No frame of it comes any more."""
        self.is_done = True
        for key in list(self._runs):
            self._each(key, lambda run: run.finish())
        for key, run in self._runs.items():
            self._work.open[key].take(self._number, run)
        self.close()

    def close(self) -> None:
        """Let go of the machines."""
        for run in self._runs.values():
            run.close()
        self._runs.clear()
