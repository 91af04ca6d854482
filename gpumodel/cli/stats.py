"""``gpureplay stats``."""

from __future__ import annotations

import click

from gpumodel.cli.options import ConfigSource, Setting
from traceformat.cli.door import PARTIAL, Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import CSV, InputFile, OutputFile
from traceformat.cli.terminal import console, followed
from traceformat.output import leads_to_stdout, write_output

__all__ = ["stats"]

_GROUPINGS = ("frame", "draw", "object", "program", "texture")
_EXAMPLES = examples(
    "gpureplay stats city.gltrace --by object",
    "gpureplay stats city.gltrace --frames 0-9 --json > city.json",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@click.option(
    "-c",
    "--config",
    type=ConfigSource(),
    default="mali450-vro",
    show_default=True,
    metavar="PRESET|FILE",
    help="The GPU: its tiles count.",
)
@click.option(
    "--set", "settings", multiple=True, type=Setting(), metavar="KEY=VALUE", help="Change a value of the configuration."
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option(
    "--by",
    "groupings",
    multiple=True,
    type=click.Choice(_GROUPINGS),
    help="Rows beside the total; may be given several times.  [default: frame; with --json all]",
)
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout in place of the tables.")
@click.option(
    "--csv", "csv_path", type=OutputFile(CSV), metavar="OUT.csv", help="One line a row, every count and ratio."
)
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of the replay.")
def stats(
    trace: str,
    config: str,
    settings: tuple[str, ...],
    frames: str | None,
    groupings: tuple[str, ...],
    as_json: bool,
    csv_path: str | None,
    threads: int,
) -> int:
    """Say what a .gltrace or .gputrace consists of: its workload in counts and ratios (of the thesis, chapter 3).

    Columns are read as the thesis's own numbers ask for: one count of primitives, tiles and pixels of the screen (with
    -c tbr-fhd the thesis's tiles), overdraw before and after Early-Z in submission order. A texture's row is about the
    draws that bind it.
    """
    from gpumodel.config import load_config

    gpu = load_config(config, settings)
    wanted = parse_frames(frames)
    from gpumodel.cli.missing import tell_what_is_missing
    from gpumodel.report.stats.document import statistics_csv, statistics_json
    from gpumodel.report.stats.frame import FrameCounter
    from gpumodel.report.stats.groups import By, Statistics
    from gpureplay.sources import open_source
    from traceformat.gputrace.frametrace import FrameRole

    default = _GROUPINGS if as_json else _GROUPINGS[:1]
    statistics = Statistics([By(name) for name in dict.fromkeys(groupings or default)])
    counter = FrameCounter(gpu)
    width = height = 0
    with open_source(trace, wanted, threads, tell_missing=tell_what_is_missing) as source:
        for frame in followed(source.frames, source.wanted, "counting", source.ahead):
            width, height = width or frame.width, height or frame.height
            if frame.role is FrameRole.SET_UP and wanted is None:
                continue
            statistics.add(counter.count(frame))
        about = {
            "name": source.name,
            "sha256": source.sha256,
            "frames": source.num_frames,
            "width": width,
            "height": height,
        }
        partial = source.partial
    if csv_path:
        write_output(csv_path, statistics_csv(statistics))
    if as_json:
        for text in statistics_json(about, gpu, statistics, partial=partial):
            click.echo(text, nl=False)
    elif not leads_to_stdout(csv_path):
        from gpumodel.report.stats.columns import COUNT_INDEX
        from gpumodel.report.stats.table import print_statistics

        number = int(statistics.total.counts[COUNT_INDEX["frames"]])
        title = (
            f"{about['name']}: {number} frame{'s' * (number != 1)}, {about['width']}x{about['height']}, "
            f"tiles of {gpu.tile.width}x{gpu.tile.height} ({gpu.name})"
        )
        print_statistics(console(), statistics, title=title)
    if partial:
        click.echo(f"{trace}: the trace is damaged; the statistics cover the frames before the damage", err=True)
        return PARTIAL
    return 0
