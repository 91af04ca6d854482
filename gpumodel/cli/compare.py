"""``gpureplay compare``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gpumodel.cli.options import ConfigSource
from traceformat.cli.door import PARTIAL, Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import JSON, MARKDOWN, InputFile, OutputFile
from traceformat.errors import FindingError, UsageError
from traceformat.output import leads_to_stdout, write_output

if TYPE_CHECKING:
    from gpumodel.compare.figures import Side

__all__ = ["compare"]

_EXAMPLES = examples(
    "gpureplay compare city.gltrace city.gltrace",
    "gpureplay compare city.gltrace -c mali450-vro -c tbr-fhd --frames 0 --threshold 1000",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("first", type=InputFile())
@click.argument("second", type=InputFile(), required=False)
@click.option(
    "-c",
    "--config",
    "configs",
    type=ConfigSource(),
    multiple=True,
    metavar="PRESET|FILE",
    help="The GPU that traces run on; two compare one trace on both.  [default: mali450-vro]",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a value of the configurations.")
@click.option("--frames", metavar="A-B", help="Frames of traces, both included; all by default.")
@click.option(
    "--threshold",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Differences up to this share are none: 0.02 = 2 %.",
)
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="Differences to show of a part.")
@click.option("--json", "json_path", type=OutputFile(JSON), metavar="OUT.json", help="Everything that was found.")
@click.option(
    "--markdown", "markdown_path", type=OutputFile(MARKDOWN), metavar="OUT.md", help="A summary for a pull request."
)
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of replays and runs.")
def compare(
    first: str,
    second: str | None,
    configs: tuple[str, ...],
    settings: tuple[str, ...],
    frames: str | None,
    threshold: float,
    limit: int,
    json_path: str | None,
    markdown_path: str | None,
    threads: int,
) -> int:
    """Compare two traces, two results of gpureplay run, or one trace on two GPUs: what differs, and why.

    Frames are aligned, draws matched by name, then program and geometry, then order. Differences are those of content
    (what is drawn), timing (in which frame) and cost (what the GPU spends). The status is 1 where any is larger than
    --threshold.
    """
    sides = _told_apart(_sides(first, second, configs, settings, frames, threads), (first, second or first))
    from gpumodel.compare.comparison import compare as compare_sides
    from gpumodel.compare.layout import json_of, markdown_of, text_of

    found = compare_sides(*sides)
    if json_path:
        write_output(json_path, json.dumps(json_of(found, threshold=threshold), indent=1) + "\n")
    if markdown_path:
        write_output(markdown_path, markdown_of(found, threshold=threshold, limit=limit))
    if not any(map(leads_to_stdout, (json_path, markdown_path))):
        click.echo(text_of(found, threshold=threshold, limit=limit), nl=False)
    beyond = found.beyond(threshold)
    if any(side.partial for side in sides):
        click.echo("a trace is damaged; the comparison covers the frames before the damage", err=True)
        return PARTIAL
    if beyond:
        raise FindingError(f"{sides[0].label} and {sides[1].label} differ: {found.headline}")
    return 0


def _sides(
    first: str,
    second: str | None,
    configs: tuple[str, ...],
    settings: tuple[str, ...],
    frames: str | None,
    threads: int,
) -> tuple[Side, Side]:
    """The two runs that are meant."""
    from gpumodel.cli.figures import DEFAULT_CONFIG, configurations, is_result, modelled, read_sides

    wanted = parse_frames(frames)
    paths = [first] if second is None else [first, second]
    results = [is_result(path) for path in paths]
    if all(results) and (configs or settings or frames):
        raise UsageError("-c, --set and --frames are for traces: results have been made")
    if second is None and not results[0] and len(configs) != 2:
        raise UsageError(f"{first} is one trace", hint="name another one, or two GPUs with -c")
    if second is not None and len(configs) > 1:
        raise UsageError("two traces are compared on one GPU", hint="name one -c")
    machines = configurations(configs or (DEFAULT_CONFIG,), settings)
    if second is None:
        runs = read_sides(first) if results[0] else modelled(first, machines, wanted, threads)
        if len(runs) != 2:
            raise UsageError(f"{first} has {len(runs)} runs", hint="a result alone is compared if it has two")
        return runs[0], runs[1]
    both = [
        (read_sides(path) if known else modelled(path, machines, wanted, threads))[0]
        for path, known in zip(paths, results, strict=True)
    ]
    return both[0], both[1]


def _told_apart(sides: tuple[Side, Side], paths: tuple[str, str]) -> tuple[Side, Side]:
    """Call them by what differs: files, else runs."""
    from dataclasses import replace

    one, other = sides
    if one.label != other.label:
        return sides
    names = paths if paths[0] != paths[1] else (one.run, other.run)
    return replace(one, label=names[0]), replace(other, label=names[1])
