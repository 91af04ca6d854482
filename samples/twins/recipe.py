"""Recipes of the twins: what a twin is made of, and what was set so that its frames have a game's statistics."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

__all__ = ["Open", "Recipe", "RecipeError", "Settings", "Variant", "aliases", "read_recipe", "recipe_path"]


class RecipeError(Exception):
    """A recipe that cannot be used: every mistake in it, a line each."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Settings(_Table):
    """What the calibration sets, from columns of the workload alone.

    Parameters
    ----------
    draws : draw calls a frame
    triangles : a frame
    scale : size of the things that fill the scene; overdraw grows with it
    disorder : 0 is front to back, 1 the scene's own order, 2 back to front
    vertex_instructions : of a vertex
    varyings : behind the position, mean over things
    alu : arithmetic instructions of a fragment
    textures : looked up for a fragment
    trilinear : share of things whose pictures are filtered over two levels
    """

    draws: int = Field(ge=4, le=4000)
    triangles: int = Field(ge=64, le=1_000_000)
    scale: float = Field(gt=0, le=20)
    disorder: float = Field(ge=0, le=2)
    vertex_instructions: float = Field(ge=4, le=120)
    varyings: float = Field(ge=0, le=6)
    alu: float = Field(ge=0, le=80)
    textures: float = Field(ge=0, le=3)
    trilinear: float = Field(ge=0, le=1)


class Open(_Table):
    """What the tables leave open and techniques depend on: drawn from what was measured on other programs.

    Parameters
    ----------
    texture_size : side of a picture, texels
    texture_format : of the pictures
    pictures : different ones of a group
    mipmapped : share of pictures without trilinear filter that have mipmaps nevertheless
    moving : share of things that move by themselves
    spread : of sizes of like things, standard deviation over mean
    speed : of the camera, 1 is the scene's own
    """

    texture_size: Literal[64, 128, 256, 512, 1024]
    texture_format: Literal["rgba8", "rgb8", "rgb565", "rgba4"]
    pictures: int = Field(ge=1, le=16)
    mipmapped: float = Field(ge=0, le=1)
    moving: float = Field(ge=0, le=1)
    spread: float = Field(ge=0, le=1)
    speed: float = Field(ge=0, le=8)


class Variant(_Table):
    """One of a twin's ensemble."""

    open: Open
    settings: Settings


class Recipe(_Table):
    """A twin.

    Parameters
    ----------
    alias, genre : of the game, as the thesis calls it
    about : what is to be seen
    scene : who builds it, a name of :data:`.scenes.SCENES`
    width, height : of the game's picture
    depth : things hide each other; without, what comes later lies above
    sky : drawn before or after what stands in front of it
    order : what disorder moves towards: groups one after the other, or things as they were placed
    tiling : repetitions of pictures to the scene's own, for pictures of 256 texels
    look : numbers that the scene takes
    variants : by letter; none before it is calibrated
    """

    alias: Annotated[str, Field(pattern=r"^[a-z0-9]{3}$")]
    genre: str
    about: str
    scene: str
    width: int = Field(ge=16, le=4096)
    height: int = Field(ge=16, le=4096)
    depth: bool
    sky: Literal["first", "last"]
    order: Literal["material", "placed"]
    tiling: float = Field(gt=0, le=64)
    look: dict[str, float]
    variants: dict[Literal["a", "b", "c"], Variant] = Field(default_factory=dict)


def _folder() -> Path:
    return Path(str(files("samples.twins"))) / "recipes"


def aliases() -> list[str]:
    """Twins that there are."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def recipe_path(alias: str) -> Path:
    """File of a twin's recipe."""
    return _folder() / f"{alias}.toml"


def read_recipe(alias: str, path: Path | None = None) -> Recipe:
    """Read the recipe of a twin.

    Parameters
    ----------
    path : of another file than the twin's own

    Raises
    ------
    RecipeError : there is no such twin, or its recipe has mistakes
    """
    if path is None:
        path = recipe_path(alias)
        if not path.is_file():
            raise RecipeError(f"there is no twin {alias!r}; there are {', '.join(aliases())}")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeError(f"{path}: cannot read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: no TOML: {error}") from None
    recipe = checked(given, path.name)
    if recipe.alias != alias:
        raise RecipeError(f"{path.name}: alias = {recipe.alias!r} in the recipe of {alias!r}")
    return recipe


def checked(given: dict[str, Any], name: str) -> Recipe:
    """A recipe of values as a file has them.

    Raises
    ------
    RecipeError : every mistake in them
    """
    try:
        recipe = Recipe.model_validate(given)
    except ValidationError as error:
        lines = [f"{name}: {'.'.join(map(str, one['loc']))}: {_said(one)}" for one in error.errors(include_url=False)]
        raise RecipeError("\n".join(lines)) from None
    from samples.twins.scenes import LOOKS, SCENES

    if recipe.scene not in SCENES:
        raise RecipeError(f"{name}: scene: there is no scene {recipe.scene!r}; there are {', '.join(sorted(SCENES))}")
    asked = LOOKS[recipe.scene]
    lines = [f"{name}: look.{key}: is missing" for key in asked if key not in recipe.look]
    lines += [f"{name}: look.{key}: unknown key" for key in recipe.look if key not in asked]
    if lines:
        raise RecipeError("\n".join(lines))
    return recipe


def _said(one: Any) -> str:
    if one["type"] == "missing":
        return "is missing"
    if one["type"] == "extra_forbidden":
        return "unknown key"
    return f"{one['input']!r}: {one['msg'][0].lower()}{one['msg'][1:]}"
