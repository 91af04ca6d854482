"""Draws a twin in a glfw window, by OpenGL ES 2.0 through PyOpenGL."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import glfw

from samples import app
from samples.twins.recipe import Recipe, RecipeError, read_recipe


def _recipe(arguments: argparse.Namespace) -> Recipe:
    try:
        return read_recipe(arguments.alias, arguments.recipe)
    except RecipeError as error:
        sys.exit(str(error))


def main() -> None:
    """Draw the frames."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("alias", help="which twin")
    parser.add_argument("--variant", choices=("a", "b", "c"), default="a")
    parser.add_argument("--recipe", type=Path, help="another recipe than the twin's own")
    parser.add_argument("--step", type=int, default=1, help="draw every so many frames (1)")
    app.add_options(parser, frames=300, size=None)
    given = parser.parse_args()
    recipe = _recipe(given)
    if given.variant not in recipe.variants:
        sys.exit(f"{recipe.alias} has no variant {given.variant}")
    width, height = given.size or (recipe.width, recipe.height)
    window = app.es_window(recipe.alias, app.Options(given.frames, width, height), major=2)
    from samples.twins.engine import Twin

    twin = Twin(recipe, recipe.variants[given.variant])
    for number in range(given.frames):
        twin.draw(number * given.step, width, height)
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
