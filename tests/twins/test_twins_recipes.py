"""Recipes: one layout, and a clear line for everything that can be wrong with one."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from gpumodel.cli import cli
from gpumodel.papers.workloads import games
from samples.twins.recipe import RecipeError, aliases, read_recipe, recipe_path
from samples.twins.scenes import LOOKS, SCENES
from samples.twins.writing import recipe_text
from traceformat.cli.door import run


def text_of(alias="bbr"):
    return recipe_path(alias).read_text(encoding="utf-8")


def mistake(tmp_path, text):
    path = tmp_path / "bbr.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        read_recipe("bbr", path)
    return str(caught.value)


@pytest.mark.parametrize("alias", aliases())
def test_a_recipe_is_of_a_game_at_its_resolution(alias):
    recipe = read_recipe(alias)
    game = next(game for game in games() if game.alias == alias)
    assert (recipe.width, recipe.height, recipe.genre) == (game.width, game.height, game.genre)
    for variant in recipe.variants.values():
        assert abs(variant.settings.draws / game.columns["draws_per_frame"] - 1) < 0.05
    assert recipe_text(recipe) == text_of(alias)


@pytest.mark.parametrize("alias", aliases())
def test_any_line_that_is_removed_is_named(tmp_path, alias):
    """One line less: a value is missed by its name; without a head, what is below it stands in a wrong place."""
    lines = text_of(alias).splitlines(keepends=True)
    path = tmp_path / f"{alias}.toml"
    for number, line in enumerate(lines):
        path.write_text("".join(lines[:number] + lines[number + 1 :]), encoding="utf-8")
        if not line.strip():
            assert read_recipe(alias, path) == read_recipe(alias)
            continue
        with pytest.raises(RecipeError) as caught:
            read_recipe(alias, path)
        said = str(caught.value)
        assert f"{alias}.toml: " in said
        assert line.startswith("[") or f"{line.split()[0]}: is missing" in said


def test_scenes_say_what_they_ask_a_recipe_for():
    for name, scene in SCENES.items():
        assert set(re.findall(r'look\["(\w+)"\]', inspect.getsource(inspect.getmodule(scene)))) == set(LOOKS[name])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('alias = "bbr"', 'alias = "ccs"', "alias = 'ccs' in the recipe of 'bbr'"),
        ('scene = "racing"', 'scene = "rowing"', "there is no scene 'rowing'; there are arena, board"),
        ("draws = 2", "draw = 2", "unknown key"),
        ("city = 0.2", "city = 0.2\ntown = 1.0", "look.town: unknown key"),
        ("[look]", "[look", "no TOML"),
        ('sky = "last"', 'sky = "never"', "sky: 'never'"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, before, after, said):
    assert before in text_of()
    assert said in mistake(tmp_path, text_of().replace(before, after))


def test_a_wrong_alias_is_told_with_those_that_there_are(capfd):
    assert run(cli, ["twins", "table", "bbx"], name="gpureplay") == 2
    assert "there is no twin 'bbx'; there are bbr, " in capfd.readouterr().err
    done = subprocess.run(
        [sys.executable, "-m", "samples.twins", "bbx"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"there is no twin 'bbx'; there are {', '.join(aliases())}"]
