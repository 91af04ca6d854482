"""``gpureplay top``."""

from __future__ import annotations

import json
from typing import Any

import click

from gpumodel.cli.options import ConfigSource, Setting, TechniqueName
from gpumodel.cli.techniques import TechniqueOption
from traceformat.cli.door import PARTIAL, Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import InputFile
from traceformat.cli.terminal import Progress, console, followed
from traceformat.errors import UsageError

__all__ = ["top"]

_GROUPINGS = ("draw", "object", "program", "texture", "pass")
_JUDGES = ("hollow", "absent")
_EXAMPLES = examples(
    "gpureplay top city.gltrace",
    "gpureplay top city.gltrace --by program --metric energy -n 5",
    "gpureplay top city.gltrace --frames 3-3 --judge hollow --judge absent",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@click.option(
    "-c", "--config", type=ConfigSource(), default="mali450-vro", show_default=True, metavar="PRESET|FILE",
    help="The GPU.",
)  # fmt: skip
@click.option(
    "-t",
    "--technique",
    "techniques",
    cls=TechniqueOption,
    type=TechniqueName(),
    multiple=True,
    metavar="ID[+ID]",
    help="Techniques, one combination.",
)
@click.option(
    "--set", "settings", multiple=True, type=Setting(), metavar="KEY=VALUE", help="Change a value of the configuration."
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option("--by", type=click.Choice(_GROUPINGS), default="object", show_default=True, help="What rows stand for.")
@click.option("-n", "count", type=click.IntRange(1), default=20, show_default=True, help="Rows.")
@click.option(
    "--metric", default="time", show_default=True, metavar="NAME",
    help="What rows are sorted by: time, energy, dram, texture, parameter, instructions, fragments, quads, texels, "
    "vertices, primitives, or any counter.",
)  # fmt: skip
@click.option(
    "--judge", "judges", multiple=True, type=click.Choice(_JUDGES),
    help="Model the frames again without what each row shades (hollow) or does (absent), and show what that saves.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout in place of the table.")
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of the replay.")
def top(**given: Any) -> int:
    """Say what costs most in a .gltrace or .gputrace: draws, objects, programs, textures, render passes.

    A row has what its draws cost, and its share of what draws share (docs/ATTRIBUTION.md). A judge models each frame
    again for every row, from an empty machine.
    """
    from gpumodel.config import load_config
    from gpumodel.techniques import parse_techniques

    gpu = load_config(given["config"], given["settings"])
    combinations = parse_techniques(given["techniques"])
    if len(combinations) > 2:
        raise UsageError("top is about one run: give one -t, such as -t vro+re")
    if combinations[-1] and given["judges"]:
        raise UsageError("--judge is about the baseline: leave -t out")
    with Progress("preparing the model", unit=""):
        from gpumodel.attribution.judging import Judge
        from gpumodel.attribution.rollup import METRICS, By, roll_up
        from gpumodel.cli.missing import tell_what_is_missing
        from gpumodel.counters import COUNTERS
        from gpumodel.report.costs import cost_document, print_costs, sorted_groups
        from gpumodel.run_plan import RunPlan
        from gpureplay.sources import open_source

    metric, by = given["metric"], By(given["by"])
    known = {*METRICS, *COUNTERS}
    if metric not in known:
        raise UsageError(f"unknown metric '{metric}'", hint=f"known: {', '.join(METRICS)}, and every counter")
    asked = parse_frames(given["frames"])
    plan = RunPlan([(gpu, combinations[-1])], asked)
    judge = Judge(gpu, by, given["judges"])
    with open_source(
        given["trace"], asked, given["threads"], plan.columns, plan.around, tell_what_is_missing
    ) as source:
        (run,) = plan.runs(source.asked, attribution=True)
        try:
            for frame in followed(source.frames, source.wanted, "modelling", source.ahead):
                run.feed(frame)
                judge.keep(frame)
            run.finish()
        finally:
            run.close()
        name, partial = source.name, source.partial
    rows = [frame.attribution for frame in run.result.measured if frame.attribution is not None]
    groups = sorted_groups(roll_up(rows, by, tuple(dict.fromkeys([*METRICS, metric]))), metric)[: given["count"]]
    judged = judge.savings(rows, [group.name for group in groups])
    if given["as_json"]:
        document = cost_document(rows, groups, by=by, metric=metric, judged=judged)
        click.echo(json.dumps({"trace": name, "config": gpu.name, **document}, indent=1))
    else:
        title = f"{name}: {run.result.technique} on {gpu.name}, mean of {len(rows)} frame{'s' * (len(rows) != 1)}"
        print_costs(console(), rows, groups, title=title, metric=metric, mhz=gpu.tech.clock_mhz, judged=judged)
    if partial:
        click.echo(f"{given['trace']}: the trace is damaged; this covers the frames before the damage", err=True)
        return PARTIAL
    return 0
