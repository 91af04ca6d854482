"""``gpureplay check``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpumodel.cli.options import ConfigSource
from traceformat.cli.door import PARTIAL, Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import TOML, XML, InputFile, OutputFile
from traceformat.errors import FindingError, UsageError
from traceformat.output import leads_to_stdout, write_output

if TYPE_CHECKING:
    from gpumodel.budgets.judge import Verdict
    from gpumodel.budgets.schema import Budgets
    from gpumodel.compare.figures import Side

__all__ = ["check"]

_EXAMPLES = examples(
    "gpureplay check city.gltrace --update budgets.toml --slack 0.05",
    "gpureplay check city.gltrace --budget budgets.toml --junit budgets.xml",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@click.option("--budget", metavar="FILE.toml", type=InputFile(), help="Limits on figures.")
@click.option("--against", type=InputFile(), metavar="BASELINE", help="A result or trace: nothing may cost more.")
@click.option(
    "-c", "--config", type=ConfigSource(), metavar="PRESET|FILE",
    help="The GPU.  [default: those that the budgets name, or mali450-vro]",
)  # fmt: skip
@click.option("--frames", metavar="A-B", help="Frames of traces, both included; all by default.")
@click.option(
    "--tolerance", type=click.FloatRange(0), default=0.02, show_default=True, metavar="SHARE",
    help="With --against: growth up to this share of its own cost is none.",
)  # fmt: skip
@click.option(
    "--smallest", type=click.FloatRange(0), default=0.0005, show_default=True, metavar="SHARE",
    help="With --against: growth of an object up to this share of the frame's cost is none.",
)  # fmt: skip
@click.option(
    "--update",
    "update_path",
    type=OutputFile(TOML),
    metavar="OUT.toml",
    help="Write budgets from the present figures, with slack: those of --budget, or a first set.",
)
@click.option("--slack", type=click.FloatRange(0), default=0.1, show_default=True, metavar="SHARE", help="Of --update.")
@click.option("--junit", "junit_path", type=OutputFile(XML), metavar="OUT.xml", help="Verdicts as JUnit XML.")
@click.option(
    "--annotate/--no-annotate", default=None,
    help="Failures as annotations of GitHub's actions.  [default: where GITHUB_ACTIONS is true]",
)  # fmt: skip
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of replays and runs.")
def check(
    trace: str,
    budget: str | None,
    against: str | None,
    config: str | None,
    frames: str | None,
    tolerance: float,
    smallest: float,
    update_path: str | None,
    slack: float,
    junit_path: str | None,
    annotate: bool | None,
    threads: int,
) -> int:
    """Hold a trace, or a result, against budgets or a baseline: the status is 1 where a limit is not kept.

    Budgets are limits on anything that has a name: time, energy, traffic, counters, of a frame, an object or a program.
    """
    wanted = parse_frames(frames)
    if update_path is not None:
        if against is not None or junit_path is not None:
            raise UsageError("--update checks nothing", hint="leave --against and --junit out")
        return _update(update_path, budget, trace, config, (wanted, threads), slack)
    if (budget is None) == (against is None):
        raise UsageError("check against what?", hint="give --budget FILE.toml, or --against BASELINE")
    verdicts: list[Verdict]
    if budget is not None:
        from gpumodel.budgets.schema import read_budgets

        limits = read_budgets(budget)
        sides = _runs(trace, _wanted_presets(limits, config), wanted, threads)
        verdicts = _judged(limits, sides, config)
    else:
        assert against is not None
        sides, verdicts = _grown(against, trace, config, (wanted, threads), (tolerance, smallest))
    from gpumodel.budgets.layout import annotation_lines, junit_of, text_of

    if junit_path:
        write_output(junit_path, junit_of(verdicts, Path(trace).name))
    if not leads_to_stdout(junit_path):
        click.echo(text_of(verdicts), nl=False)
        if annotate or (annotate is None and os.environ.get("GITHUB_ACTIONS") == "true"):
            click.echo(annotation_lines(verdicts, budget), nl=False)
    failed = [verdict for verdict in verdicts if verdict.failure]
    if failed:
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        raise FindingError(f"{trace}: over: {failed[0].name}{more}")
    if any(side.partial for _, side in sides):
        click.echo(f"{trace}: the trace is damaged; the frames before the damage were checked", err=True)
        return PARTIAL
    return 0


def _wanted_presets(limits: Budgets, config: str | None) -> list[str]:
    return limits.all_presets if config is None else [config]


def _runs(trace: str, presets: list[str], frames: range | None, threads: int) -> list[tuple[str, Side]]:
    """The trace on each GPU, by name; of a result the runs that it has on them."""
    from gpumodel.cli.figures import configurations, is_result, modelled, read_sides

    if not is_result(trace):
        return list(zip(presets, modelled(trace, configurations(presets, ()), frames, threads), strict=True))
    found = [(str(side.config.get("name", "")), side) for side in read_sides(trace)]
    missing = [name for name in presets if name not in [known for known, _ in found]]
    if missing:
        raise UsageError(f"{trace}: the result has no run on {missing[0]}", hint="check a trace, or run it there")
    return found


def _judged(limits: Budgets, sides: list[tuple[str, Side]], config: str | None) -> list[Verdict]:
    """Every limit on every GPU that it holds for."""
    from gpumodel.budgets.judge import judge

    return [
        judge(one, side, line)
        for one, presets, line in zip(limits.limits, limits.presets, limits.lines, strict=True)
        for name, side in sides
        if name in presets or config is not None
    ]


def _grown(
    against: str, trace: str, config: str | None, replay: tuple[range | None, int], limits: tuple[float, float]
) -> tuple[list[tuple[str, Side]], list[Verdict]]:
    """The run, and what of it costs more than in the baseline."""
    from gpumodel.budgets.judge import judge_growth
    from gpumodel.cli.figures import DEFAULT_CONFIG, is_result, read_sides
    from gpumodel.compare.comparison import compare

    if is_result(against):
        baseline = read_sides(against)[0]
        preset = config or str(baseline.config.get("name") or DEFAULT_CONFIG)
    else:
        preset = config or DEFAULT_CONFIG
        ((_, baseline),) = _runs(against, [preset], *replay)
    sides = [pair for pair in _runs(trace, [preset], *replay) if pair[0] == preset][:1]
    found = compare(baseline, sides[0][1])
    if found.config:
        keys = ", ".join(list(found.config)[:5])
        raise UsageError(f"{against}: the baseline is of another configuration: {keys}", hint="make the baseline anew")
    return sides, judge_growth(found, *limits)


def _update(
    target: str, budget: str | None, trace: str, config: str | None, replay: tuple[range | None, int], slack: float
) -> int:
    """Write a file of budgets with limits from present figures."""
    from gpumodel.budgets.schema import read_budgets
    from gpumodel.budgets.update import first_budgets, updated_text
    from gpumodel.cli.figures import DEFAULT_CONFIG

    if budget is not None:
        limits = read_budgets(budget)
        text = updated_text(limits, _runs(trace, limits.all_presets, *replay), slack)
    else:
        text = first_budgets(_runs(trace, [config or DEFAULT_CONFIG], *replay), slack)
    write_output(target, text)
    return 0
