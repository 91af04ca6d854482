"""``gpureplay run``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gpumodel.cli.options import ConfigSource, Setting, TechniqueName, trace_store_options
from gpumodel.cli.representative import asks_for_representatives, run_representative
from gpumodel.cli.run_options import RunOptions
from gpumodel.cli.techniques import TechniqueOption
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import CSV, GPUTRACE, JSON, TIMELINE, InputFile, OutputFile, OutputFolder
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumodel.machines import MachineKind

__all__ = ["run"]

_MODES = ("paper", "dram")
_EXAMPLES = examples(
    "gpureplay run city.gltrace --frames 0-9 --json city.json",
    "gpureplay run city.gltrace -c mali450-vro -c tbr-fhd --memory paper --memory dram",
    "gpureplay run city.gltrace --verify",
    "gpureplay run city.gltrace -t vro --frames 'representative 12'",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@click.option(
    "-c",
    "--config",
    "configs",
    type=ConfigSource(),
    multiple=True,
    metavar="PRESET|FILE",
    help="The GPU; several share one replay.  [default: mali450-vro]",
)
@click.option(
    "-t",
    "--technique",
    "techniques",
    cls=TechniqueOption,
    type=TechniqueName(),
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
@click.option(
    "--frames",
    metavar="A-B",
    help="Frames, both included, or representative [N]: totals of all from N, with their error.",
)
@click.option(
    "--warmup",
    "warm_up",
    type=click.IntRange(0),
    metavar="N",
    help="Frames modelled before --frames and left out of means.  [default: what each technique looks back on]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    type=Setting(),
    metavar="KEY=VALUE",
    help="Change a value of the configurations.",
)
@click.option(
    "--json",
    "json_path",
    type=OutputFile(JSON),
    metavar="OUT.json",
    help="Result file; '-' writes it to stdout in place of the table.",
)
@click.option(
    "--csv", "csv_path", type=OutputFile(CSV), metavar="OUT.csv", help="One row a run and frame, every counter."
)
@click.option(
    "--images",
    type=OutputFolder(),
    metavar="DIR",
    help="Each frame, its overdraw, and its cost and traffic by tile as PNG.",
)
@click.option(
    "--graphs",
    type=OutputFolder(),
    metavar="DIR",
    help="The Visibility Graph of each frame and pass (-t vro) as DOT and JSON.",
)
@click.option("--verify", is_flag=True, help="Recompose all pixels from what the units did and compare them.")
@click.option(
    "--timeline",
    "timeline_path",
    type=OutputFile(TIMELINE),
    metavar="OUT.pftrace",
    help="Frames, draws, tiles, units, memory and power over time, for ui.perfetto.dev; JSON if called .json.",
)
@click.option(
    "--save-gputrace",
    type=OutputFile(GPUTRACE),
    metavar="OUT.gputrace",
    help="Keep the replayed frames: later runs skip the replay.",
)
@trace_store_options
@click.option("--host-json", type=OutputFile(JSON), metavar="FILE", help="Host seconds of the model, frame by frame.")
@click.option(
    "--attribution", is_flag=True, help="Count what each draw costs: --json has it, `gpureplay top` shows it."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Of the replay, and runs at work at a time; results are equal.",
)
@click.option("-v", "--verbose", is_flag=True, help="What each run did, and what its units waited for.")
def run(**given: Any) -> int:
    """Run a .gltrace or .gputrace through modelled GPUs and say what bounds it.

    Several runs are shown side by side, one is shown with what it did; all are means a frame. --json has every frame
    with all counters; gpureplay counters explains them.
    """
    options = RunOptions(**given | {"configs": given["configs"] or ("mali450-vro",)})
    kind = _kind_of(options.configs)
    if asks_for_representatives(options.frames):
        if not kind.shares_replay:
            raise UsageError(f"{options.configs[0]}: {kind.what} has no representative frames")
        return run_representative(options)
    status: int = kind.runner()(options)
    return status


def _kind_of(configs: Sequence[str]) -> MachineKind:
    """The kind of machine that all configurations are of."""
    from gpumodel.config.load import kind_of

    kinds = [kind_of(name) for name in configs]
    alone = next((kind for kind in kinds if not kind.shares_replay), None)
    if alone is not None and len(kinds) > 1:
        raise UsageError(
            f"{', '.join(configs)}: {alone.what} draws pixels of its own and shares no replay",
            hint="run one configuration at a time",
        )
    return kinds[0]
