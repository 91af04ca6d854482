"""``gpureplay report``."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpumodel.cli.options import ConfigSource, Setting, TechniqueName
from gpumodel.cli.techniques import TechniqueOption
from traceformat.cli.door import PARTIAL, Command, command_line
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import HTML, JSON, InputFile, OutputFile
from traceformat.cli.terminal import Progress, followed
from traceformat.errors import UsageError
from traceformat.output import write_output

if TYPE_CHECKING:
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import Origin
    from gpumodel.results import RunResult
    from gpumodel.whatif.keeping import KeptFrames

__all__ = ["report"]

_EXAMPLES = examples(
    "gpureplay report city.gltrace -o city.html",
    "gpureplay report city.gltrace -c mali450-re -t re -t te -o techniques.html",
    "gpureplay report before.gltrace after.gltrace -o difference.html",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@click.argument("other", type=InputFile(), required=False)
@click.option("-o", "--output", type=OutputFile(HTML), metavar="OUT.html", help="The page: one file, no network.")
@click.option(
    "-c", "--config", "configs", type=ConfigSource(), multiple=True, metavar="PRESET|FILE",
    help="The GPU; others are shown beside the first one.  [default: mali450-vro]",
)  # fmt: skip
@click.option(
    "-t", "--technique", "techniques", cls=TechniqueOption, type=TechniqueName(), multiple=True, metavar="ID[+ID]",
    help="Techniques beside the baseline.",
)  # fmt: skip
@click.option(
    "--set",
    "settings",
    multiple=True,
    type=Setting(),
    metavar="KEY=VALUE",
    help="Change a value of the configurations.",
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option("--what-if", is_flag=True, help="Run the changes that stand out through the model, on the dearest frame.")
@click.option("--only-here", is_flag=True, help="Do not try what --what-if finds on the other presets.")
@click.option("--both-memories", is_flag=True, help="Try it there with either memory, not with that of the GPU alone.")
@click.option(
    "--frame", "pictured", type=click.IntRange(0), multiple=True, metavar="N",
    help="Show what the dearest draws of this frame leave, beside those of the dearest and the median frame.",
)  # fmt: skip
@click.option("--all-pictures", is_flag=True, help="Show that of all frames.")
@click.option("--json", "json_path", type=OutputFile(JSON), metavar="OUT.json", help="The data of the page.")
@click.option(
    "--threads", type=click.IntRange(1, 64), default=2, show_default=True, help="Of the replay, and runs at a time."
)
def report(**given: Any) -> int:
    """Make a page of a .gltrace or .gputrace: verdict, frames, costs by draw, object, program, texture and pass, tile
    maps, shaders by line, units, traffic and energy.

    It is one file that any browser opens from the disk. With a second trace the page says what differs; with --what-if
    it begins with what to change, and what that would save.
    """
    from gpumodel.cli.figures import DEFAULT_CONFIG, configurations

    if not (given["output"] or given["json_path"]):
        raise UsageError("nothing is asked for", hint="-o OUT.html makes a page, --json OUT.json its data")
    machines = configurations(given["configs"] or (DEFAULT_CONFIG,), given["settings"])
    if given["other"] and (len(machines) > 1 or given["techniques"]):
        raise UsageError("two traces are compared on one GPU, without techniques")
    with ExitStack() as stack:
        document, partial = _document(stack, given, machines)
    if given["output"]:
        with Progress("writing the page", unit=""):
            from gpumodel.report.page.render import page

            write_output(given["output"], page(document))
    if given["json_path"]:
        write_output(given["json_path"], json.dumps(document, indent=1) + "\n")
    if partial:
        click.echo(f"{given['trace']}: the trace is damaged; the page covers the frames before the damage", err=True)
        return PARTIAL
    return 0


def _document(
    stack: ExitStack, given: dict[str, Any], machines: list[tuple[GpuConfig, Origin]]
) -> tuple[dict[str, Any], bool]:
    """Model the trace; gives the data of the page, and whether the trace is damaged."""
    from gpumodel.techniques import parse_techniques

    frames = parse_frames(given["frames"])
    with Progress("preparing the model", unit=""):
        from gpumodel.cli.draw_pictures import add_draw_pictures, frames_with_pictures, waits_of
        from gpumodel.cli.missing import tell_what_is_missing
        from gpumodel.report.page.document import report_document
        from gpumodel.report.page.watch import Watch
        from gpumodel.resultfile import Subject
        from gpumodel.run_plan import RunPlan
        from gpumodel.runs import run_all
        from gpumodel.whatif.keeping import KeptFrames
        from gpureplay.sources import open_source
        from traceformat.gputrace.frametrace import SOURCE_COLUMNS, ColumnSet, FrameRole

    wanted = [(gpu, ids, origin) for gpu, origin in machines for ids in parse_techniques(given["techniques"])]
    plan = RunPlan([(gpu, ids) for gpu, ids, _ in wanted], frames)
    # Changes are made in the frame that there is, whose pixels are compared.
    keeps = given["what_if"] and _is_one_frame(given["trace"], frames)
    columns = ColumnSet([*replace(plan, verify=keeps).columns, *SOURCE_COLUMNS])
    threads = given["threads"]
    with open_source(given["trace"], frames, threads, columns, plan.around, tell_what_is_missing) as source:
        # The page shows the first one in detail: only its passes are looked at, and none that warms up.
        runs = replace(plan, wanted=plan.wanted[:1]).runs(
            source.asked, attribution=True, keep_passes=lambda given, _: given.role is FrameRole.MEASURED
        )
        runs += replace(plan, wanted=plan.wanted[1:]).runs(source.asked, attribution=True)
        for run in runs:
            stack.callback(run.close)
        watch = Watch(runs[0])
        kept = KeptFrames(plan.wanted[0][0], runs[0]) if keeps else None
        passing = source.frames if kept is None else kept.passing(source.frames)
        shown = followed(passing, source.wanted, "modelling", source.ahead)
        for frame, raws in run_all(shown, runs, threads=threads):
            watch.add(frame, raws[0])
        trace = {
            "name": source.name, "sha256": source.sha256, "frames": source.num_frames,
            "width": watch.size[0], "height": watch.size[1],
        }  # fmt: skip
        subject = Subject(trace, command_line(), [origin for *_, origin in wanted], source.partial)
    results = [run.result for run in runs]
    compared = _compared(given, machines, subject, results)
    document = report_document(subject, results, watch.keeper, watch.facts, watch.meshes, watch.lines.stages, compared)
    document["waits"] = waits_of(given["trace"], document["frames"], watch.facts.first_sampled)
    places = frames_with_pictures(document["frames"], given["pictured"], everywhere=given["all_pictures"])
    add_draw_pictures(given["trace"], [document["frames"][place] for place in places], threads)
    if given["what_if"]:
        _add_what_if(given, machines[0][0], document, results[0], kept)
    return document, subject.partial


def _is_one_frame(path: str, frames: range | None) -> bool:
    """Whether one frame of a command trace is asked for: it is small enough to be kept."""
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.reader import is_gputrace

    if is_gputrace(path):
        return False
    if frames is not None:
        return len(frames) == 1
    with open_trace(path) as reader:
        return len(reader.frames) - reader.set_up_frames == 1


def _add_what_if(
    given: dict[str, Any], gpu: GpuConfig, document: dict[str, Any], result: RunResult, kept: KeptFrames | None
) -> None:
    """Add what the changes that stand out would bring, and order the findings by it; where there are any."""
    from gpumodel.cli.missing import tell_what_is_missing
    from gpumodel.report.page.advice import advice_document, changes_to_try, findings_by_saving, ranked
    from gpureplay.changing import whatif
    from traceformat.gputrace.reader import is_gputrace

    dearest = max(result.measured, key=lambda frame: frame.cycles, default=None)
    if dearest is None or dearest.attribution is None:
        return
    trace, found = given["trace"], document["findings"]
    repairs, bounds = changes_to_try(found, dearest.attribution, is_stored=is_gputrace(trace))
    if not repairs and not bounds:
        return
    if kept is not None:
        kept.results = result.frames
    answers = whatif(
        trace, [*repairs, *bounds], gpu, frames=range(dearest.frame, dearest.frame + 1),
        everywhere=not given["only_here"], both_memories=given["both_memories"], advice=repairs,
        threads=given["threads"], progress=True, tell_missing=tell_what_is_missing, kept=kept,
    )  # fmt: skip
    ranking = ranked(found, answers.answers, dearest.attribution)
    document["findings"] = findings_by_saving(found, ranking)
    document["what_if"] = advice_document(answers, ranking, dearest.attribution, dearest.frame)


def _compared(
    given: dict[str, Any], machines: list[tuple[GpuConfig, Origin]], subject: Any, results: list[Any]
) -> dict[str, Any] | None:
    """What differs from another trace, or between two GPUs; None where there is one of each."""
    from gpumodel.cli.figures import modelled
    from gpumodel.compare.comparison import compare
    from gpumodel.compare.figures import side_of
    from gpumodel.compare.layout import json_of
    from gpumodel.resultfile import result_document

    if given["other"] is None and not (len(machines) == 2 and len(results) == 2):
        return None
    made = result_document(subject, results)
    if given["other"] is None:
        return json_of(compare(*(side_of(made, k, label=results[k].config.name) for k in range(2))))
    (second,) = modelled(given["other"], machines, parse_frames(given["frames"]), given["threads"])
    name = Path(given["trace"]).name
    if name == second.label:
        # Only their folders tell them apart.
        name, second = given["trace"], replace(second, label=given["other"])
    return json_of(compare(side_of(made, 0, label=name), second))
