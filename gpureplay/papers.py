"""Running papers' experiments: studies that share what they can, or counts of frames; with resume, since studies keep
what is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gpumodel.papers.closed import closed_bars
from gpumodel.papers.description import Experiment
from gpumodel.papers.reading import Bar, Measured, Ran, bars_of, frames_of
from gpumodel.papers.workloads import games
from gpumodel.study.description import StudyFile
from gpumodel.study.sweep import SweepOutcome
from gpumodel.study.tables import FRAMES, need_arrow
from gpureplay.handheld_figures import draw_handheld_figures
from gpureplay.handheld_runs import play_handheld
from gpureplay.sweeping import ShownSweep, Stores, described, run_studies
from gpureplay.twin_workloads import balance_of, blocks_of, columns_of, measure_twin
from samples.twins.recipe import aliases, read_recipe
from samples.twins.registry import sample_name
from traceformat.cli.terminal import Progress
from traceformat.errors import UsageError

__all__ = ["Asked", "check_experiments", "run_experiments"]

#: A quick run looks at one frame, of one variant if nobody asks for more, so many times smaller in width and height; a
#: technique that looks back has its warm-up before it.
_QUICK_FRAMES: Final = 4
_QUICK_SHRINK: Final = 2

#: Frames that are counted, as the calibration counts them.
_COUNTED_FRAMES: Final = 4

#: What counts figures by the first part of their names; all others are columns of the workload.
_READERS: Final = {"texture_blocks": blocks_of, "balance": balance_of}

#: A twin and one of its variants.
Variant = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """How experiments are run.

    Parameters
    ----------
    workloads : of the papers'; empty = all
    is_quick : one frame of each, studies at half the width and height with the first of their settings
    letters : variants of the workloads; empty = those of the experiment, of a quick run the first
    settings : values of all GPUs by key, unless an experiment sets them itself
    store : folder of the runs that are done; None = in the cache
    workers : processes; 0 works in this one, None starts one a processor
    """

    workloads: Sequence[str] = ()
    is_quick: bool = False
    letters: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    store: Path | None = None
    workers: int | None = None


def check_experiments(experiments: Sequence[Experiment], asked: Asked) -> None:
    """Say before anything is run or written what cannot be.

    Raises
    ------
    UsageError : one cannot be run here, or no workload of it has a twin
    """
    for one in experiments:
        _variants(one, asked)


def run_experiments(experiments: Sequence[Experiment], out: Path, asked: Asked) -> list[Ran]:
    """Run experiments on the twins that there are; what several of them need is done once.

    Parameters
    ----------
    out : folder; the studies' tables and traces come into ``studies``, what only shows something into ``pictures``

    Raises
    ------
    UsageError : one cannot be run here, or no workload of it has a twin
    """
    variants = {one.id: _variants(one, asked) for one in experiments}
    folders = {one.id: out / "studies" / one.id.replace(":", "-") for one in experiments if one.study is not None}
    studies = {folders[one.id]: _study_of(one, variants[one.id], asked) for one in experiments if one.study is not None}
    outcomes: list[SweepOutcome] = []
    if studies:
        with ShownSweep() as shown:
            outcomes = run_studies(
                studies, out / "studies" / "traces", shown,
                workers=asked.workers, scheduler=None, stores=Stores.of(asked.store), fresh=False,
            )  # fmt: skip
    by_folder = dict(zip(studies, outcomes, strict=True))
    counted = _counted([one for one in experiments if one.state == "workload"], variants, _frames_counted(asked))
    handheld = [one for one in experiments if one.handheld is not None]
    played = play_handheld(handheld, variants, is_quick=asked.is_quick) if handheld else {}
    if any(one.pictures for one in experiments):
        draw_handheld_figures(out / "pictures")
    ran = []
    for one in experiments:
        known = {alias for alias, _ in variants[one.id]}
        missing = [alias for alias in _wanted(one, asked) if alias not in known]
        if one.study is None:
            ran.append(_without_study(one, missing, variants[one.id], counted, played, asked))
            continue
        outcome = by_folder[folders[one.id]]
        failures = [f"{name}: {text}" for name, text, _ in outcome.failures]
        bars = [] if failures else _studied(one, variants[one.id], folders[one.id])
        traces = {run.trace.name: run.trace.sha256 for run in outcome.plan.runs}
        measured = max((sum(map(len, run.trace.segments)) for run in outcome.plan.runs), default=0)
        ran.append(Ran(one, bars, missing, traces, failures, variants[one.id], measured))
    return ran


def _without_study(
    experiment: Experiment,
    missing: Sequence[str],
    variants: Sequence[Variant],
    counted: Mapping[Variant, dict[str, float]],
    played: Mapping[str, Measured],
    asked: Asked,
) -> Ran:
    """What came out of an experiment that is no study."""
    if experiment.state == "workload":
        bars = _beside_games(experiment, counted, variants)
        return Ran(experiment, bars, missing, variants=variants, num_frames=_frames_counted(asked))
    if experiment.id in played:
        measured = played[experiment.id]
        frames = max(map(len, measured.values()))
        return Ran(experiment, bars_of(experiment, measured), missing, variants=variants, num_frames=frames)
    return Ran(experiment, closed_bars(experiment) if experiment.closed is not None else [])


def _wanted(experiment: Experiment, asked: Asked) -> list[str]:
    """Workloads of an experiment that were asked for."""
    if not experiment.has_twins:
        return []
    every = experiment.workloads or [game.alias for game in games()]
    return [alias for alias in every if not asked.workloads or alias in asked.workloads]


def _variants(experiment: Experiment, asked: Asked) -> list[Variant]:
    """Twins that an experiment runs on, each in its first variant before any is in another."""
    if not experiment.can_run:
        raise UsageError(f"{experiment.id} is impossible here: {experiment.reason}")
    if not experiment.has_twins:
        if asked.workloads:
            raise UsageError(f"{experiment.id} does not run on twins")
        return []
    every = _wanted(experiment, Asked())
    unknown = [alias for alias in asked.workloads if alias not in every]
    if unknown:
        raise UsageError(f"{experiment.id} has no workload {unknown[0]!r}; it has {', '.join(every)}")
    wanted = _wanted(experiment, asked)
    letters = {alias: _letters(alias, experiment, asked) for alias in aliases()}
    found: list[Variant] = [(alias, letter) for alias in wanted for letter in letters.get(alias, [])]
    if not found:
        what = f"variant {' or '.join(asked.letters)}" if asked.letters else "twin"
        raise UsageError(f"{experiment.id}: none of its workloads has a {what} yet: {', '.join(wanted)}")
    return sorted(found, key=lambda variant: variant[1])


def _letters(alias: str, experiment: Experiment, asked: Asked) -> Sequence[str]:
    """Variants of a twin that an experiment runs."""
    there: list[str] = list(read_recipe(alias).variants)
    if asked.letters:
        return [letter for letter in there if letter in asked.letters]
    return there[:1] if asked.is_quick or experiment.variants == "first" else there


def _frames_counted(asked: Asked) -> int:
    """Frames of a twin whose columns are counted."""
    return 1 if asked.is_quick else _COUNTED_FRAMES


def _reader(experiment: Experiment) -> Callable[[Path], dict[str, float]]:
    """What counts the figures of an experiment."""
    return _READERS.get(experiment.series[0].figure.partition(".")[0], columns_of)


def _counted(
    experiments: Sequence[Experiment], variants: Mapping[str, Sequence[Variant]], frames: int
) -> dict[Variant, dict[str, float]]:
    """Columns of the twins at their games' resolutions, and what else is counted, at a size that is set."""
    wanted = [(_reader(one), one.size, variant) for one in experiments for variant in variants[one.id]]
    wanted = list(dict.fromkeys(wanted))
    if not wanted:
        return {}
    out: dict[Variant, dict[str, float]] = {}
    with Progress("counting workloads", unit="twins", total=len(wanted)) as shown:
        for number, (read, size, (alias, letter)) in enumerate(wanted):
            found = measure_twin(alias, letter, frames=frames, size=size or None, read=read)
            out.setdefault((alias, letter), {}).update(found)
            shown.done = number + 1
    return out


def _beside_games(
    experiment: Experiment, counted: Mapping[Variant, Mapping[str, float]], variants: Sequence[Variant]
) -> list[Bar]:
    """Bars of columns, with what the games have."""
    by_alias = {game.alias: game for game in games()}
    measured = {(*variant, "baseline", 0): [counted[variant]] for variant in variants}
    out = []
    for bar in bars_of(experiment, measured):
        figure = next(one.figure for one in experiment.series if one.name == bar.series)
        game = by_alias.get(bar.workload)
        if game is not None and bar.paper is None and figure in game.columns:
            bar = Bar(bar.workload, bar.series, bar.ours, bar.low, bar.high, game.columns[figure], game.source)
        out.append(bar)
    return out


def _study_of(experiment: Experiment, variants: Sequence[Variant], asked: Asked) -> StudyFile:
    """The study that an experiment is; its own settings come before those that were asked for."""
    plan = experiment.study
    assert plan is not None
    names = [sample_name(*variant) for variant in variants]
    size, length, frames = plan.size, plan.length, plan.frames
    if asked.is_quick:
        size = "x".join(str(int(side) // _QUICK_SHRINK) for side in plan.size.split("x"))
        length, frames = _QUICK_FRAMES, [str(_QUICK_FRAMES - 1)]
    given: dict[str, Any] = {
        "sample": [{"name": names, "size": [size], "frames": length}],
        "frames": frames,
        "presets": [plan.preset],
        "techniques": plan.techniques,
    }
    given["set"] = dict(asked.settings)
    if asked.is_quick:
        given["set"] |= {"screen.scale_to_trace": True, **(plan.settings or [{}])[0]}
    elif plan.settings:
        given["settings"] = plan.settings
    return described(given)


def _studied(experiment: Experiment, variants: Sequence[Variant], folder: Path) -> list[Bar]:
    """Read the bars out of the table of frames that its study has written."""
    names = {sample_name(*variant): variant for variant in variants}
    rows = need_arrow().parquet.read_table(folder / FRAMES).to_pylist()
    order = list(dict.fromkeys(row["config"] for row in rows))
    return bars_of(experiment, frames_of(rows, _variant_of(names), order))


def _variant_of(names: Mapping[str, Variant]) -> Callable[[str], Variant]:
    """Twin and variant of a trace, whose file is named ``SAMPLE-SIZE-...``."""

    def find(trace: str) -> Variant:
        return next(
            variant
            for name, variant in names.items()
            if trace.startswith(f"{name}-") and trace[len(name) + 1].isdigit()
        )

    return find
