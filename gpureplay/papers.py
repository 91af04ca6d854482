"""Running a paper's experiments: a study, or counts of frames; with resume, since studies keep what is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpumodel.papers.description import Experiment
from gpumodel.papers.reading import Bar, bars_of, totals_of
from gpumodel.papers.workloads import games
from gpumodel.study.tables import FRAMES, need_arrow
from gpureplay.sweeping import Stores, UnseenSweep, described, run_study
from gpureplay.twin_workloads import measure_twin
from samples.twins.recipe import aliases, read_recipe
from samples.twins.registry import sample_name
from traceformat.errors import FindingError, UsageError

__all__ = ["Ran", "run_experiment"]

#: A quick run looks at one frame of one variant; a technique that looks back has its warm-up before it.
_QUICK_FRAMES: Final = 4


@dataclass(frozen=True, slots=True)
class Ran:
    """An experiment that was run.

    Parameters
    ----------
    bars : what was found
    workloads : that it ran on
    missing : workloads of the paper without a twin
    """

    experiment: Experiment
    bars: Sequence[Bar]
    workloads: Sequence[str]
    missing: Sequence[str]


def run_experiment(
    experiment: Experiment,
    out: Path,
    *,
    workloads: Sequence[str] = (),
    is_quick: bool = False,
    store: Path | None = None,
    workers: int | None = None,
) -> Ran:
    """Run an experiment on the twins that there are.

    Parameters
    ----------
    out : folder of the study's tables
    workloads : of the paper's; empty = all
    is_quick : one frame of one variant of each
    store : folder of the runs that are done; None = in the cache
    workers : processes of the study; 0 works in this one, None starts one a processor

    Raises
    ------
    UsageError : it cannot be run here, or no workload of it has a twin
    FindingError : a run of its study failed
    """
    if experiment.state in ("waiting", "impossible"):
        what = "cannot be run yet" if experiment.state == "waiting" else "is impossible here"
        raise UsageError(f"{experiment.id} {what}: {experiment.reason}")
    wanted = experiment.workloads or [game.alias for game in games()]
    unknown = [alias for alias in workloads if alias not in wanted]
    if unknown:
        raise UsageError(f"{experiment.id} has no workload {unknown[0]!r}; it has {', '.join(wanted)}")
    wanted = [alias for alias in wanted if not workloads or alias in workloads]
    recipes = {alias: read_recipe(alias) for alias in aliases()}
    known = [alias for alias in wanted if alias in recipes and recipes[alias].variants]
    if not known:
        raise UsageError(f"{experiment.id}: none of its workloads has a twin yet: {', '.join(wanted)}")
    variants = [
        (alias, letter) for alias in known for letter in list(recipes[alias].variants)[: 1 if is_quick else None]
    ]
    bars = _counted(experiment, variants, is_quick) if experiment.state == "workload" else []
    if experiment.state == "study":
        bars = _studied(experiment, variants, out, is_quick=is_quick, store=store, workers=workers)
    return Ran(experiment, bars, known, [alias for alias in wanted if alias not in known])


def _counted(experiment: Experiment, variants: Sequence[tuple[str, str]], is_quick: bool) -> list[Bar]:
    """Columns of the twins at their games' resolutions, beside the games'."""
    by_alias = {game.alias: game for game in games()}
    totals = {}
    for alias, letter in variants:
        found = measure_twin(alias, letter, frames=1 if is_quick else _QUICK_FRAMES)
        totals[alias, letter, "baseline", 0] = {"frames": 1.0, **found}
    out = []
    for bar in bars_of(experiment, totals):
        figure = next(one.figure for one in experiment.series if one.name == bar.series)
        game = by_alias.get(bar.workload)
        if game is not None and bar.paper is None:
            bar = Bar(bar.workload, bar.series, bar.ours, bar.low, bar.high, game.columns[figure], game.source)
        out.append(bar)
    return out


def _studied(
    experiment: Experiment, variants: Sequence[tuple[str, str]], out: Path, *, is_quick: bool, store: Path | None,
    workers: int | None,
) -> list[Bar]:  # fmt: skip
    """Run its study, and read the bars out of the frames' table."""
    plan = experiment.study
    assert plan is not None
    names = {sample_name(alias, letter): (alias, letter) for alias, letter in variants}
    given: dict[str, Any] = {
        "sample": [{"name": list(names), "size": [plan.size], "frames": _QUICK_FRAMES if is_quick else plan.length}],
        "frames": [str(_QUICK_FRAMES - 1)] if is_quick else plan.frames,
        "presets": [plan.preset],
        "techniques": plan.techniques,
    }
    if plan.settings:
        given["settings"] = plan.settings
    outcome = run_study(
        described(given), out, UnseenSweep(), workers=workers, scheduler=None, stores=Stores.of(store), fresh=False
    )
    if outcome.failures:
        raise FindingError("; ".join(f"{name}: {text}" for name, text, _ in outcome.failures))
    rows = need_arrow().parquet.read_table(out / FRAMES).to_pylist()
    order = list(dict.fromkeys(row["config"] for row in rows))
    return bars_of(experiment, totals_of(rows, _variant_of(names), order))


def _variant_of(names: Mapping[str, tuple[str, str]]) -> Callable[[str], tuple[str, str]]:
    """Twin and variant of a trace, whose file is named ``SAMPLE-SIZE-...``."""

    def find(trace: str) -> tuple[str, str]:
        return next(
            variant
            for name, variant in names.items()
            if trace.startswith(f"{name}-") and trace[len(name) + 1].isdigit()
        )

    return find
