"""From a description to runs: traces, configurations, techniques, and what each run is known by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from itertools import product
from pathlib import Path
from typing import Any

from gpumodel.config.change import setting_texts
from gpumodel.config.load import config_sha256
from gpumodel.config.origin import Origin, load_with_origin
from gpumodel.config.schema import GpuConfig
from gpumodel.sampling.choice import Representatives
from gpumodel.study.description import Study, StudyFile
from gpumodel.study.details import detail_key
from gpumodel.study.identity import run_identity, run_key
from gpumodel.study.representing import representatives
from gpumodel.study.selection import FrameChoice, segments_of
from gpumodel.study.source import StudyTraces
from gpumodel.study.store import RunStore
from gpumodel.techniques.registry import BASELINE, parse_techniques
from gpumodel.warm_up import modelled_frames
from traceformat.errors import ConfigError, ReplayError, ToolError, TraceFormatError, UsageError
from traceformat.output import make_folder

__all__ = ["Plan", "PlannedRun", "StudyTrace", "Unreadable", "joined", "make_plan"]


@dataclass(frozen=True, slots=True)
class StudyTrace:
    """A trace of a study.

    Parameters
    ----------
    name : in tables, its own within the study
    path : that workers open
    sha256 : of its content
    frames : all that it has
    segments : measured frames that follow each other
    chosen : where the measured ones stand for all, how they do
    """

    name: str
    path: str
    sha256: str
    frames: range
    segments: tuple[range, ...]
    chosen: Representatives | None = None


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One configuration with one combination of techniques on one trace.

    Parameters
    ----------
    key : what it is known by
    identity : what the key is made of
    config : resolved
    origin : where its values come from
    techniques : ids
    around : frames that are modelled for each segment of the trace
    tables : to keep beside its frames, see :mod:`.details`
    """

    key: str
    identity: dict[str, Any]
    trace: StudyTrace
    config: GpuConfig
    origin: Origin
    techniques: tuple[str, ...]
    around: tuple[range, ...]
    tables: tuple[str, ...] = ()

    @property
    def detail_keys(self) -> dict[str, str]:
        """What its tables are known by."""
        return {table: detail_key(self.identity, table) for table in self.tables}

    @property
    def technique(self) -> str:
        """What results call its techniques."""
        return "+".join(self.techniques) or BASELINE

    @property
    def base(self) -> tuple[str, str]:
        """What a run shares with the one without techniques."""
        return self.trace.path, config_sha256(self.config)

    @property
    def num_frames(self) -> int:
        """Frames to model, those that warm up among them."""
        there = self.trace.frames
        return sum(min(frames.stop, there.stop) - max(frames.start, there.start) for frames in self.around)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A trace that cannot be used, and why."""

    name: str
    error: ToolError


@dataclass(frozen=True, slots=True)
class Plan:
    """All runs of a study.

    Parameters
    ----------
    runs : by trace, configuration and techniques; those that differ in nothing that they read have one key
    unreadable : traces that have none
    warm_up : of the study
    """

    study: StudyFile
    runs: tuple[PlannedRun, ...]
    unreadable: tuple[Unreadable, ...]

    @property
    def warm_up(self) -> int | None:
        """Frames that every run warms up for; None = what its techniques need."""
        return self.study.study.warm_up


def make_plan(study: StudyFile, traces: StudyTraces, captured: Path, store: RunStore) -> Plan:
    """Put the runs together; samples are captured.

    Parameters
    ----------
    captured : folder of captured samples
    store : keeps what frames that stand for others are chosen by

    Raises
    ------
    ConfigError : values that do not go together, frames that no trace has: all of them, with their lines
    """
    machines = _machines(study)
    combinations = parse_techniques(study.study.techniques)
    named = [*_files(study), *_samples(study.study, traces, captured)]
    found, unreadable = _traces(study, named, traces, machines[0][0], store)
    runs = [
        _planned(trace, gpu, origin, ids, study.study)
        for trace in found
        for gpu, origin in machines
        for ids in combinations
    ]
    return Plan(study, tuple({(run.key, run.base): run for run in runs}.values()), tuple(unreadable))


def joined(plans: Sequence[Plan]) -> Plan:
    """All runs of several plans, each once: what they share is replayed and modelled for all of them."""
    runs = {run.key: run for plan in plans for run in plan.runs}
    unreadable = {one.name: one for plan in plans for one in plan.unreadable}
    return Plan(plans[0].study, tuple(runs.values()), tuple(unreadable.values()))


def _planned(trace: StudyTrace, gpu: GpuConfig, origin: Origin, ids: tuple[str, ...], study: Study) -> PlannedRun:
    around = tuple(modelled_frames(gpu, ids, frames, study.warm_up) for frames in trace.segments)
    identity = run_identity(trace.sha256, list(zip(trace.segments, around, strict=True)), gpu, ids)
    tables = tuple(sorted(set(study.tables)))
    return PlannedRun(run_key(identity), identity, trace, gpu, origin, ids, around, tables)


def _machines(study: StudyFile) -> list[tuple[GpuConfig, Origin]]:
    """All configurations; equal ones once."""
    found: dict[str, tuple[GpuConfig, Origin]] = {}
    mistakes: dict[str, None] = {}
    for preset, values in product(study.study.presets, _points(study.study)):
        try:
            config, origin = load_with_origin(preset, setting_texts(values))
        except ConfigError as error:
            place, value = _cause(study.study, error.problems[0])
            given = ", ".join(f"{key} = {value}" for key, value in values.items())
            for problem in error.problems:
                mistakes[study.mistake(place, f"{preset} with {given}: {problem}", value)] = None
            continue
        assert isinstance(config, GpuConfig)
        found.setdefault(config_sha256(config), (config, origin))
    if mistakes:
        raise ConfigError(list(mistakes))
    return list(found.values())


def _points(study: Study) -> Iterator[dict[str, Any]]:
    """Values of each variant of a GPU."""
    for variant, point in product(study.settings or [{}], product(*study.grid.values())):
        yield {**study.set, **variant, **dict(zip(study.grid, point, strict=True))}


def _cause(study: Study, problem: str) -> tuple[tuple[str | int, ...], Any]:
    """Place of the value that a problem names first, and the value; of the grid where it names none."""
    for key in study.grid:
        if key in problem:
            return ("grid", key), None
    for number, variant in enumerate(study.settings):
        if any(key in problem for key in variant):
            return ("settings", number), None
    return next((("set", key) for key in study.set if key in problem), ("grid",)), None


def _traces(
    study: StudyFile, named: Iterable[tuple[str, str]], traces: StudyTraces, machine: GpuConfig, store: RunStore
) -> tuple[list[StudyTrace], list[Unreadable]]:
    """All traces, and those that cannot be used; frames that stand for others are chosen by a machine's tiles."""
    choice = FrameChoice.parse(study.study.frames)
    found: list[StudyTrace] = []
    unreadable, mistakes = [], []
    taken: set[str] = set()
    for name, path in named:
        while name in taken:
            name += "+"
        taken.add(name)
        try:
            facts = traces.survey(path)
        except (TraceFormatError, UsageError) as error:
            unreadable.append(Unreadable(name, error))
            continue
        try:
            segments = choice.segments(path, facts.frames)
        except UsageError as error:
            mistakes.append(study.mistake(("frames",), f"{path}: {error}"))
            continue
        if not segments:
            mistakes.append(study.mistake(("frames",), f"{path}: none of its {len(facts.frames)} frames is asked for"))
            continue
        chosen = None
        if choice.representatives is not None:
            try:
                chosen = representatives(traces, path, facts, machine, choice.representatives, store)
            except (TraceFormatError, ReplayError) as error:
                unreadable.append(Unreadable(name, error))
                continue
            segments = segments_of(chosen.frames.tolist())
        found.append(StudyTrace(name, path, facts.sha256, facts.frames, tuple(segments), chosen))
    if mistakes:
        raise ConfigError(mistakes)
    return found, unreadable


def _files(study: StudyFile) -> Iterator[tuple[str, str]]:
    """Names and paths of the traces that are files; each file once."""
    seen: dict[str, None] = {}
    for pattern in study.study.traces:
        path = str(study.folder / pattern)
        for one in sorted(glob(path, recursive=True)) if has_magic(pattern) else [path]:
            seen[str(Path(one).resolve())] = None
    for path in seen:
        yield Path(path).stem, path


def _samples(study: Study, traces: StudyTraces, captured: Path) -> Iterator[tuple[str, str]]:
    for sample in study.sample:
        for name, size in product(sample.name, sample.size):
            folder = make_folder(captured)
            trace = traces.capture(name, folder, frames=sample.frames, size=size).resolve()
            yield f"{name}-{size}", str(trace)
