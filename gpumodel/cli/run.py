"""``gpureplay run``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.options import parse_frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumodel.config import GpuConfig
    from gpumodel.handheld.config import HandheldConfig
    from gpumodel.runs import Run

__all__ = ["run"]

#: Exit statuses: a verification failed; a trace could be used in part only.
FINDING, PARTIAL = 1, 3
_MODES = ("paper", "dram")
#: Mismatched pixels that the terminal shows of a run.
_SHOWN = 8
_EXAMPLES = """\b
Examples:
  gpureplay run city.gltrace --frames 0-9 --json city.json
  gpureplay run city.gltrace -c mali450-vro -c tbr-fhd --memory paper --memory dram
  gpureplay run city.gltrace --verify"""


@click.command(epilog=_EXAMPLES)
@click.argument("trace", type=click.Path())
@click.option(
    "-c",
    "--config",
    "configs",
    multiple=True,
    metavar="PRESET|FILE",
    help="The GPU; several share one replay.  [default: mali450-vro]",
)
@click.option(
    "-t",
    "--technique",
    "techniques",
    multiple=True,
    metavar="ID[+ID]",
    help="Techniques; the baseline always runs too.",
)
@click.option(
    "--memory",
    "memories",
    multiple=True,
    type=click.Choice(_MODES),
    help="Memory model; both may be given.  [default: the configuration's]",
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a value of the configurations.")
@click.option(
    "--json", "json_path", metavar="OUT.json", help="Result file; '-' writes it to stdout in place of the table."
)
@click.option("--csv", "csv_path", metavar="OUT.csv", help="One row a run and frame, every counter.")
@click.option("--images", metavar="DIR", help="Each frame, its overdraw, and its cost and traffic by tile as PNG.")
@click.option("--graphs", metavar="DIR", help="The Visibility Graph of each frame and pass (-t vro) as DOT and JSON.")
@click.option("--verify", is_flag=True, help="Recompose all pixels from what the units did and compare them.")
@click.option(
    "--timeline",
    "timeline_path",
    metavar="OUT.perfetto",
    help="Units, tiles, memory and power over time, for Perfetto.",
)
@click.option("--save-gputrace", metavar="OUT.gputrace", help="Keep the replayed frames: later runs skip the replay.")
@click.option("--host-json", metavar="FILE", help="Host seconds of the model, frame by frame.")
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Of the replay, and runs at work at a time; results are equal.",
)
def run(
    trace: str,
    configs: tuple[str, ...],
    techniques: tuple[str, ...],
    memories: tuple[str, ...],
    frames: str | None,
    settings: tuple[str, ...],
    json_path: str | None,
    csv_path: str | None,
    images: str | None,
    graphs: str | None,
    verify: bool,
    timeline_path: str | None,
    save_gputrace: str | None,
    host_json: str | None,
    threads: int,
) -> int:
    """Run a .gltrace or .gputrace through modelled GPUs and say what bounds it.

    The table shows means a frame; --json has every frame with all counters.
    """
    from contextlib import ExitStack

    from gpumodel.handheld.techniques import refuse_handheld
    from gpumodel.report.files import make_folder, write_file
    from gpumodel.techniques import parse_techniques
    from traceformat.container import PartFile

    wanted = parse_frames(frames)
    handheld = _handheld(configs, memories, settings, save_gputrace)
    if handheld is not None:
        from gpumodel.cli.handheld import run_handheld

        return run_handheld(
            trace, handheld, techniques, wanted,
            json_path=json_path, csv_path=csv_path, images=images, host_json=host_json, verify=verify,
        )  # fmt: skip
    gpus = _configurations(configs or ("mali450-vro",), memories, settings)
    refuse_handheld(techniques, gpus[0].name)
    combinations = parse_techniques(techniques)
    for path in (json_path, csv_path, host_json, timeline_path):
        if path and path != "-":
            # Find out now, not after the work, that it cannot be written.
            PartFile(path).discard()
    folder = make_folder(images) if images else None
    graph_folder = make_folder(graphs) if graphs else None

    from gpumodel.cli.progress import progress
    from gpumodel.cli.sources import open_source
    from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
    from gpumodel.report.labels import run_labels
    from gpumodel.report.pictures import write_maps, write_overshading, write_picture
    from gpumodel.report.timeline import FIRST_SAMPLE_CYCLES, Timeline
    from gpumodel.results import result_json, results_csv
    from gpumodel.runs import Run, run_all
    from gpumodel.techniques.registry import technique_columns
    from traceformat.errors import UsageError
    from traceformat.frametrace import ColumnSet
    from traceformat.gputrace import GpuTraceWriter

    host_seconds: list[dict[str, float]] = []
    width = height = 0
    with ExitStack() as stack:
        extra = technique_columns([name for ids in combinations for name in ids])
        columns = ColumnSet([*(VERIFIED_COLUMNS if verify else REQUIRED_COLUMNS), *sorted(extra)])
        source = stack.enter_context(open_source(trace, wanted, threads, columns))
        writer = stack.enter_context(GpuTraceWriter(save_gputrace, source.properties())) if save_gputrace else None
        samples = FIRST_SAMPLE_CYCLES if timeline_path else 0
        kept = folder is not None or bool(timeline_path)
        runs = [
            Run(gpu, ids, verify=verify, sample_cycles=samples, keep_passes=kept)
            for gpu in gpus
            for ids in combinations
        ]
        labels = run_labels([one.result for one in runs])
        if graph_folder is not None:
            for one in runs:
                one.keep_drawings()
        for one, label in zip(runs, labels, strict=True):
            if timeline_path and one.frames_at_once > 1:
                raise UsageError(f"--timeline shows frames one after the other; {label} renders two in parallel")
        timelines = [
            Timeline(one.machine.config, label, one.result.hardware, number)
            for number, (one, label) in enumerate(zip(runs, labels, strict=True), 1)
        ]
        shown = progress(source.frames, source.wanted, "modelling")
        for place, (frame, raws) in enumerate(run_all(shown, runs, threads=threads)):
            width, height = width or frame.width, height or frame.height
            if writer is not None:
                writer.write(frame)
            if folder is not None:
                write_picture(folder, frame)
            if folder is not None and len(runs) > 1:
                write_overshading(folder, frame, raws, labels)
            for number, raw in enumerate(raws):
                if graph_folder is not None:
                    for name, drawn in runs[number].drawings(frame.frame).items():
                        write_file(make_folder(graph_folder / labels[number]) / name, drawn)
                host_seconds.append({"run": number, "frame": frame.frame, "seconds": raw.host_seconds})
                if timeline_path:
                    timelines[number].add(frame, raw, runs[number].result.frames[place])
                if folder is not None:
                    write_maps(make_folder(folder / labels[number]) if len(runs) > 1 else folder, frame, raw)
        about = {
            "name": source.name,
            "sha256": source.sha256,
            "frames": source.num_frames,
            "width": width,
            "height": height,
        }
        partial = source.partial
    results = [one.result for one in runs]
    text = result_json(about, gpus[0], results, partial=partial)
    if json_path == "-":
        click.echo(text, nl=False)
    elif json_path:
        write_file(json_path, text)
    if csv_path:
        write_file(csv_path, results_csv(results))
    if timeline_path:
        write_file(timeline_path, Timeline.text(timelines))
    if host_json:
        import json

        write_file(host_json, json.dumps(host_seconds, indent=1) + "\n")
    if json_path != "-":
        _print(runs, source.name)
    status = 0
    if partial:
        click.echo(f"{trace}: the trace is damaged; the result covers the frames before the damage", err=True)
        status = PARTIAL
    return FINDING if _report_mismatches(runs, labels) else status


def _handheld(
    names: Sequence[str], memories: Sequence[str], settings: Sequence[str], save_gputrace: str | None
) -> HandheldConfig | None:
    """The handheld rasterizer that is asked for; None for tile-based GPUs."""
    from gpumodel.config import GpuConfig, load_machine
    from gpumodel.config.load import is_handheld
    from traceformat.errors import UsageError

    if not any(is_handheld(name) for name in names):
        return None
    if len(names) > 1:
        raise UsageError(
            f"{', '.join(names)}: a handheld rasterizer draws pixels of its own and shares no replay",
            hint="run one configuration at a time",
        )
    if memories:
        raise UsageError("--memory is for tile-based GPUs: a handheld rasterizer has one access a cycle")
    if save_gputrace:
        raise UsageError("--save-gputrace keeps what tile-based GPUs need: a handheld rasterizer draws other pixels")
    found = load_machine(names[0], settings)
    assert not isinstance(found, GpuConfig)
    return found


def _configurations(names: Sequence[str], memories: Sequence[str], settings: Sequence[str]) -> list[GpuConfig]:
    """Load every configuration with every memory that was asked for."""
    from gpumodel.config import load_config

    modes: list[tuple[str, ...]] = [(f"memory.mode={mode}",) for mode in dict.fromkeys(memories)] or [()]
    return [load_config(name, (*settings, *mode)) for name in dict.fromkeys(names) for mode in modes]


def _report_mismatches(runs: Sequence[Run], labels: Sequence[str]) -> bool:
    """Say on stderr which pixels differ; gives whether any does."""
    found = False
    for one, label in zip(runs, labels, strict=True):
        checked: Any = one.result.verification
        if checked is None:
            continue
        if checked.identical:
            click.echo(f"{label}: verified, all {checked.pixels:,} pixels are identical", err=True)
            continue
        found = True
        click.echo(f"{label}: {checked.mismatched_pixels:,} of {checked.pixels:,} pixels differ", err=True)
        for mismatch in checked.located[:_SHOWN]:
            click.echo(f"  {mismatch}", err=True)
    return found


def _print(runs: Sequence[Run], name: str) -> None:
    from rich.console import Console

    from gpumodel.report.compare import print_comparison
    from gpumodel.report.table import print_summary

    console = Console(soft_wrap=False)
    results = [one.result for one in runs]
    print_summary(console, results, title=name)
    if len(results) > 1:
        print_comparison(console, results)
