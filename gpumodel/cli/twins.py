"""``gpureplay twins``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import CSV, PNG, TOML, OutputFile
from traceformat.cli.terminal import listing
from traceformat.output import leads_to_stdout, write_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samples.twins.recipe import Recipe

__all__ = ["twins"]

_VARIANTS = ("a", "b", "c")
_variant = click.option(
    "--variant", "letters", multiple=True, type=click.Choice(_VARIANTS), help="Which; all by default."
)


@click.group()
def twins() -> None:
    """Programs of our own with the statistics of the thesis's games: list, hold against the games, calibrate."""


def _recipes(aliases: Sequence[str]) -> list[Recipe]:
    """Recipes of twins; all where none is named."""
    from samples.twins.recipe import RecipeError, read_recipe
    from samples.twins.recipe import aliases as known
    from traceformat.errors import UsageError

    try:
        return [read_recipe(alias) for alias in (aliases or known())]
    except RecipeError as error:
        raise UsageError(str(error).replace("\n", "; ")) from None


@twins.command("list", cls=Command, epilog=examples("gpureplay twins list"))
def list_twins() -> None:
    """List the thesis's games, with the twins that there are."""
    from gpumodel.papers.workloads import games
    from samples.twins.recipe import aliases

    known = {recipe.alias: recipe for recipe in _recipes(aliases())}
    rows = []
    for game in games():
        recipe = known.get(game.alias)
        about = recipe.about if recipe else "no twin yet"
        variants = "".join(recipe.variants) if recipe else ""
        rows.append([game.alias, game.genre, game.view, f"{game.width}x{game.height}", variants, about])
    listing(rows, ["twin", "genre", "view", "size", "variants", "what is seen"])


@twins.command(cls=Command, epilog=examples("gpureplay twins table bbr", "gpureplay twins table --csv twins.csv"))
@click.argument("aliases", nargs=-1, metavar="[TWIN...]")
@_variant
@click.option("--csv", "csv_path", type=OutputFile(CSV), metavar="OUT.csv", help="A line a twin, variant and column.")
def table(aliases: tuple[str, ...], letters: tuple[str, ...], csv_path: str | None) -> int:
    """Hold twins against their games in every column; exit status 1 where one is off by over 20 %, draws by 5 %."""
    import csv
    import io

    from gpureplay.twin_workloads import deviations, game_of, is_near, measure_twin

    rows: list[list[Any]] = []
    for recipe in _recipes(aliases):
        wanted = game_of(recipe.alias).columns
        for letter in recipe.variants:
            if letters and letter not in letters:
                continue
            found = measure_twin(recipe.alias, letter)
            for name, off in deviations(found, wanted).items():
                rows.append([recipe.alias, letter, name, found[name], wanted[name], off, is_near(name, off)])
    if csv_path is not None:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["twin", "variant", "column", "ours", "game", "deviation", "near"])
        writer.writerows([*row[:3], *(f"{value:.4f}" for value in row[3:6]), int(row[6])] for row in rows)
        write_output(csv_path, out.getvalue())
    if not leads_to_stdout(csv_path):
        listing(
            [[*row[:3], f"{row[3]:.2f}", f"{row[4]:.2f}", f"{row[5]:+.1%}", "" if row[6] else "far"] for row in rows],
            ["twin", "variant", "column", "ours", "game", "deviation", ""],
        )
    return int(not all(row[6] for row in rows))


@twins.command(
    cls=Command, epilog=examples("gpureplay twins calibrate bbr", "gpureplay twins calibrate ccs -o ccs.toml")
)
@click.argument("alias", metavar="TWIN")
@_variant
@click.option(
    "-o", "--output", type=OutputFile(TOML), metavar="OUT.toml", help="The recipe.  [default: the twin's own]"
)
def calibrate(alias: str, letters: tuple[str, ...], output: str | None) -> None:
    """Find the settings of a twin from columns of the workload alone, and write its recipe.

    What the tables leave open is drawn anew from the measured ranges, always the same.
    """
    from gpureplay.twin_calibration import calibrated_recipe
    from samples.twins.recipe import recipe_path
    from samples.twins.writing import recipe_text

    (recipe,) = _recipes([alias])
    for letter in letters or _VARIANTS:
        recipe, off = calibrated_recipe(recipe, letter)
        click.echo(f"{alias} {letter}: the worst column is off by {off:.1%}", err=True)
    write_output(output or recipe_path(alias), recipe_text(recipe))


@twins.command(cls=Command, epilog=examples("gpureplay twins sheet -o twins.png"))
@click.argument("aliases", nargs=-1, metavar="[TWIN...]")
@click.option("-o", "--output", type=OutputFile(PNG), metavar="OUT.png", required=True, help="The picture.")
@click.option("--variant", type=click.Choice(_VARIANTS), default="a", show_default=True, help="Which.")
def sheet(aliases: tuple[str, ...], output: str, variant: str) -> None:
    """Put frames 0, 100, 200 and 300 of twins side by side."""
    from gpureplay.twin_sheet import contact_sheet

    write_output(Path(output), contact_sheet([recipe.alias for recipe in _recipes(aliases)], variant))
