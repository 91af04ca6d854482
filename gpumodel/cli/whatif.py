"""``gpureplay whatif``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gpumodel.cli.options import ConfigSource, Setting
from gpumodel.whatif.kinds import KINDS, Change, change_of
from traceformat.cli.door import PARTIAL, Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import JSON, InputFile, OutputFile
from traceformat.errors import UsageError
from traceformat.output import leads_to_stdout, write_output

if TYPE_CHECKING:
    from rich.console import Console

    from gpumodel.whatif.outcome import Answer, Answers

__all__ = ["whatif"]

_EXAMPLES = examples(
    "gpureplay whatif city.gltrace --frames 3 --hollow trees --without sky",
    "gpureplay whatif city.gltrace --frames 3 --order front-to-back --mipmaps 'texture 2' --scale 'texture 2' 0.5",
)


def _changes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for every kind of change."""
    for kind in reversed(list(KINDS.values())):
        words = kind.takes.split(" ")
        option = click.option(
            f"--{kind.name}", kind.name.replace("-", "_"), multiple=True, nargs=len(words), metavar=kind.takes,
            help=kind.help,
        )  # fmt: skip
        function = option(function)
    return function


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@_changes
@click.option(
    "-c", "--config", type=ConfigSource(), default="mali450-vro", show_default=True, metavar="PRESET|FILE",
    help="The GPU.",
)  # fmt: skip
@click.option(
    "--set", "settings", multiple=True, type=Setting(), metavar="KEY=VALUE", help="Change a value of the configuration."
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option("--only-here", is_flag=True, help="Do not try the other presets and memories.")
@click.option("--no-pictures", is_flag=True, help="Do not find out what becomes of the picture.")
@click.option("--json", "json_path", type=OutputFile(JSON), metavar="OUT.json", help="Everything that was found.")
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of the replay.")
def whatif(**given: Any) -> int:
    """Say what changes of a program would save: the changed frames run through the model.

    Each change is tried by itself. DRAWS are an object, a group or a pattern with *, "draw N", "pass N", "program CODE"
    or "texture N", as gpureplay top names them, or "all"; a PASS is a number, "default", "framebuffer N" or "all". An
    answer says what it saves, how sure that is, what becomes of the picture, and whether other presets, with either
    memory, agree on one changed frame.
    """
    from gpumodel.config import load_config
    from gpureplay.changing import whatif as answers_of
    from traceformat.cli.terminal import console

    changes = [_change(name, words) for name in KINDS for words in given[name.replace("-", "_")]]
    if not changes:
        raise UsageError("no change is asked for", hint=f"one of {', '.join(f'--{name}' for name in KINDS)}")
    gpu = load_config(given["config"], given["settings"])
    from gpumodel.cli.missing import tell_what_is_missing

    found = answers_of(
        given["trace"], changes, gpu, frames=parse_frames(given["frames"]), everywhere=not given["only_here"],
        pictures=not given["no_pictures"], threads=given["threads"], progress=True, tell_missing=tell_what_is_missing,
    )  # fmt: skip
    if given["json_path"]:
        write_output(given["json_path"], json.dumps(found.document(), indent=1) + "\n")
    if not leads_to_stdout(given["json_path"]):
        _print(console(), found)
    if found.partial:
        click.echo(f"{given['trace']}: the trace is damaged; this covers the frames before the damage", err=True)
        return PARTIAL
    return 0


def _change(name: str, words: str | tuple[str, ...]) -> Change:
    """A change as it stands on the command line: TARGET, TARGET=VALUE, TARGET VALUE; without a target, everything."""
    if not isinstance(words, str):
        return change_of(name, *words)
    if not KINDS[name].has_value:
        return change_of(name, words)
    target, _, value = words.rpartition("=")
    return change_of(name, target or "all", value)


def _print(console: Console, found: Answers) -> None:
    """A row a change, what saves most first."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    number = max(found.num_frames, 1)
    frames = f"{number} frame{'s' * (number != 1)}"
    console.print(
        Text(f"{found.trace}: {found.config}, {found.memory} memory, mean of {frames}"), style="bold", highlight=False
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("change", overflow="fold")
    for heading in ("saves ms", "time", "mJ", "DRAM KB"):
        table.add_column(heading, justify="right")
    for heading in ("sure", "picture", "elsewhere"):
        table.add_column(heading, overflow="fold")
    milliseconds = 1e3 / (found.mhz * 1e6) / number
    for answer in found.sorted:
        energy = (answer.before.energy_pj - answer.after.energy_pj) / number / 1e9
        traffic = (answer.before.dram_bytes - answer.after.dram_bytes) / number / 1024
        table.add_row(
            Text(answer.change.title), f"{answer.saved_cycles * milliseconds:.3f}", f"{answer.saved_share:.1%}",
            f"{energy:.4f}", f"{traffic:,.1f}", str(answer.change.kind.sure), answer.picture.text, _elsewhere(answer),
        )  # fmt: skip
    console.print(table, highlight=False)


def _elsewhere(answer: Answer) -> str:
    """Whether the other machines agree."""
    if not answer.frames:
        return "nothing to change"
    if not answer.elsewhere:
        return "not asked"
    if answer.sign_holds:
        return f"same sign on {len(answer.elsewhere)}"
    return "not on " + ", ".join(f"{one.config} ({one.memory})" for one in answer.exceptions)
