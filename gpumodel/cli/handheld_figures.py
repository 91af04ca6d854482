"""``gpureplay handheld-figures``."""

from __future__ import annotations

from pathlib import Path

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import OutputFolder

__all__ = ["handheld_figures"]


@click.command(cls=Command, epilog=examples("gpureplay handheld-figures -o figures"))
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    metavar="DIR",
    default="handheld-figures",
    show_default=True,
    help="Folder to write.",
)
def handheld_figures(output: str) -> None:
    """Draw the figures of "Graphics for the Masses" anew: 1, 7, 8, 9, 10, 11, 12 and 13, as PNG files.

    Four samples are captured with the null driver and replayed on handheld-2003 under each scheme; figure_1.png ...
    hold the pictures side by side, enlarged, each with its scheme and megabytes a frame.
    """
    from gpureplay.handheld_figures import draw_handheld_figures

    draw_handheld_figures(Path(output))
    click.echo(f"{output}/ has figure_1.png, 7, 8, 9, 10, 11, 12 and 13", err=True)
