"""``gpureplay run``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from traceformat.cli.options import parse_frames

if TYPE_CHECKING:
    from gpumodel.run import Run

__all__ = ["run"]

#: Exit status of a trace that could be used in part only.
PARTIAL = 3


@click.command()
@click.argument("trace", type=click.Path())
@click.option("-c", "--config", default="mali450-vro", show_default=True, metavar="PRESET|FILE", help="The GPU.")
@click.option(
    "-t",
    "--technique",
    "techniques",
    multiple=True,
    metavar="ID[+ID]",
    help="Techniques; the baseline always runs too.",
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a value of the configuration.")
@click.option(
    "--json", "json_path", metavar="OUT.json", help="Result file; '-' writes it to stdout in place of the table."
)
@click.option("--csv", "csv_path", metavar="OUT.csv", help="One row a frame, every counter.")
@click.option("--images", metavar="DIR", help="Each frame, its overdraw and its cost by tile as PNG.")
@click.option("--save-gputrace", metavar="OUT.gputrace", help="Keep the replayed frames: later runs skip the replay.")
@click.option("--host-json", metavar="FILE", help="Host seconds of the model, frame by frame.")
@click.option(
    "--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of the replay; results are equal."
)
def run(
    trace: str,
    config: str,
    techniques: tuple[str, ...],
    frames: str | None,
    settings: tuple[str, ...],
    json_path: str | None,
    csv_path: str | None,
    images: str | None,
    save_gputrace: str | None,
    host_json: str | None,
    threads: int,
) -> int:
    """Run a .gltrace or .gputrace through a modelled GPU and say what bounds it.

    The table shows means a frame; --json has every frame with all counters.
    """
    from contextlib import ExitStack

    from gpumodel.config import GpuConfig, load_machine
    from gpumodel.handheld.techniques import refuse_handheld
    from gpumodel.report.files import make_folder, write_file
    from gpumodel.techniques import parse_techniques
    from traceformat.container import PartFile
    from traceformat.errors import UsageError

    gpu = load_machine(config, settings)
    wanted = parse_frames(frames)
    if not isinstance(gpu, GpuConfig):
        from gpumodel.cli.handheld import run_handheld

        if save_gputrace:
            raise UsageError(f"{gpu.name} draws other pixels than a .gputrace is for", hint="leave --save-gputrace out")
        return run_handheld(
            trace, gpu, techniques, wanted,
            json_path=json_path, csv_path=csv_path, images=images, host_json=host_json,
        )  # fmt: skip
    refuse_handheld(techniques, gpu.name)
    combinations = parse_techniques(techniques)
    for path in (json_path, csv_path, host_json):
        if path and path != "-":
            # Find out now, not after the work, that it cannot be written.
            PartFile(path).discard()
    folder = make_folder(images) if images else None

    from gpumodel.cli.progress import progress
    from gpumodel.cli.sources import open_source
    from gpumodel.report.pictures import write_pictures
    from gpumodel.results import result_json, results_csv
    from gpumodel.run import Run
    from traceformat.gputrace import GpuTraceWriter

    host_seconds: list[dict[str, float]] = []
    width = height = 0
    with ExitStack() as stack:
        source = stack.enter_context(open_source(trace, wanted, threads))
        writer = stack.enter_context(GpuTraceWriter(save_gputrace, source.properties())) if save_gputrace else None
        runs = [Run(gpu, ids) for ids in combinations]
        for frame in progress(source.frames, source.wanted, "modelling"):
            width, height = width or frame.width, height or frame.height
            if writer is not None:
                writer.write(frame)
            for number, one in enumerate(runs):
                _, raw = one.add(frame)
                host_seconds.append({"run": number, "frame": frame.frame, "seconds": raw.host_seconds})
                if folder is not None and number == 0:
                    write_pictures(folder, frame, raw)
        about = {
            "name": source.name,
            "sha256": source.sha256,
            "frames": source.num_frames,
            "width": width,
            "height": height,
        }
        partial = source.partial
    text = result_json(about, gpu, [one.result for one in runs], partial=partial)
    if json_path == "-":
        click.echo(text, nl=False)
    elif json_path:
        write_file(json_path, text)
    if csv_path:
        write_file(csv_path, results_csv([one.result for one in runs]))
    if host_json:
        import json

        write_file(host_json, json.dumps(host_seconds, indent=1) + "\n")
    if json_path != "-":
        _print(runs, source.name)
    if partial:
        click.echo(f"{trace}: the trace is damaged; the result covers the frames before the damage", err=True)
        return PARTIAL
    return 0


def _print(runs: list[Run], name: str) -> None:
    from rich.console import Console

    from gpumodel.report.table import print_summary

    print_summary(Console(soft_wrap=False), [one.result for one in runs], title=name)
