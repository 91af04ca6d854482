"""Finds a twin's settings from columns of its workload alone: nothing here runs a model of time or a technique.

Each setting moves mostly one column. A round measures four frames at the game's resolution and moves every setting by
what its column is off, along the line through its last two points where there are two; the best round is kept. Start,
steps and rounding are fixed, so that the same recipe gives the same settings, bit by bit.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from gpumodel.papers.workloads import COLUMNS
from gpureplay.twin_workloads import deviations, game_of, is_near, measure_twin, worst
from samples.twins.drawing import draw_open
from samples.twins.recipe import Recipe, Settings, Variant
from samples.twins.writing import recipe_text

__all__ = ["Observer", "calibrate", "calibrated_recipe", "with_settings"]

_ROUNDS: Final = 7
#: Rounds where no earlier one came within the limits of every column.
_MOST_ROUNDS: Final = 14
#: Deviation of what is aimed at that is good enough to stop.
_ENOUGH: Final = 0.08
#: Texels of a look-up that a whole picture can reach: 8 where it is filtered over two levels, 4 where it is enlarged.
_MOST_TEXELS: Final = 7.3
_DIGITS: Final = 4
#: Share of a step that is taken: settings move each other's columns, too.
_DAMPING: Final = 0.8

#: Is told the round, the columns, and the worst deviation so far.
Observer = Callable[[int, Mapping[str, float], float], None]
Columns = Mapping[str, float]
#: Gives the columns of a variant.
Measure = Callable[[Recipe, str], Columns]


def _measured(recipe: Recipe, letter: str) -> Columns:
    """Columns of a variant, of frames at the game's resolution."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{recipe.alias}.toml"
        path.write_text(recipe_text(recipe), encoding="utf-8")
        return measure_twin(recipe.alias, letter, recipe=path)


def _start(wanted: Columns) -> dict[str, float]:
    """Settings as the columns alone suggest them."""
    textures = wanted["fs_instructions_per_fragment"] / (1 + wanted["alu_per_tex_instruction"])
    return {
        "draws": round(wanted["draws_per_frame"]),
        "triangles": wanted["draws_per_frame"] * wanted["primitives_per_draw"],
        "scale": 1.0,
        "disorder": 0.5,
        "vertex_instructions": wanted["vs_instructions_per_vertex"],
        "varyings": wanted["attributes_per_primitive"] - 1,
        "alu": wanted["fs_instructions_per_fragment"] - textures,
        "textures": textures,
        "trilinear": (wanted["texels_per_fragment"] / textures - 4) / 4,
    }


def _aimed(wanted: Columns) -> dict[str, float]:
    """Columns to aim at: the game's; where these ask for more texels a look-up than filters take, three give way alike.

    Instructions, instructions a look-up and texels are then off by the same share d: with T look-ups a fragment,
    T = (1 - d) texels / most and (1 + d) instructions = T (1 + (1 - d) instructions a look-up).
    """
    out = dict(wanted)
    fs, ratio, texels = (
        wanted[name] for name in ("fs_instructions_per_fragment", "alu_per_tex_instruction", "texels_per_fragment")
    )
    low, high = 0.0, 0.5
    if texels * (1 + ratio) / fs <= _MOST_TEXELS:
        return out
    for _ in range(40):
        off = (low + high) / 2
        is_short = (1 - off) * texels / _MOST_TEXELS * (1 + (1 - off) * ratio) > (1 + off) * fs
        low, high = (off, high) if is_short else (low, off)
    out["fs_instructions_per_fragment"] = (1 + high) * fs
    out["alu_per_tex_instruction"] = (1 - high) * ratio
    out["texels_per_fragment"] = (1 - high) * texels
    return out


def _goals(columns: Columns) -> dict[str, float]:
    """What each setting is to move, of columns."""
    textures = columns["fs_instructions_per_fragment"] / (1 + columns["alu_per_tex_instruction"])
    return {
        "triangles": math.log(columns["draws_per_frame"] * columns["primitives_per_draw"]),
        "scale": math.log(columns["overdraw_before_early_z"]),
        "disorder": columns["early_z_killed_share"],
        "vertex_instructions": columns["vs_instructions_per_vertex"],
        "varyings": columns["attributes_per_primitive"],
        "alu": columns["fs_instructions_per_fragment"] - textures,
        "textures": textures,
        "trilinear": columns["texels_per_fragment"] / max(textures, 1e-9),
    }


#: How much a goal moves by one of its setting, before two points tell; and the largest step. Settings that work by
#: factors are taken as logarithms.
_SLOPES: Final = {
    "triangles": (1.0, 0.5), "scale": (0.8, 0.35), "disorder": (-0.5, 0.4), "vertex_instructions": (1.0, 20.0),
    "varyings": (1.0, 1.0), "alu": (1.0, 8.0), "textures": (1.0, 0.8), "trilinear": (4.0, 0.4),
}  # fmt: skip
_FACTORS: Final = ("triangles", "scale")


def _settings(values: Mapping[str, float]) -> Settings:
    """Settings within their limits, rounded."""
    out: dict[str, float] = {}
    for name, field in Settings.model_fields.items():
        least = next((one.ge for one in field.metadata if hasattr(one, "ge")), 1e-3)
        most = next(one.le for one in field.metadata if hasattr(one, "le"))
        value = min(max(values[name], float(least)), float(most))
        out[name] = round(value) if field.annotation is int else float(f"{value:.{_DIGITS}g}")
    return Settings.model_validate(out)


def _slope(name: str, before: tuple[float, float] | None, now: tuple[float, float]) -> float:
    """How a goal moves with its setting: through two points, if they say something believable."""
    expected = _SLOPES[name][0]
    if before is None or abs(now[0] - before[0]) < 1e-4:
        return expected
    found = (now[1] - before[1]) / (now[0] - before[0])
    ratio = found / expected
    return found if 0.25 < ratio < 4 else expected * (0.25 if 0 < ratio <= 0.25 else 4 if ratio >= 4 else 1)


def _moved(
    values: dict[str, float], found: Columns, wanted: Columns, before: dict[str, tuple[float, float]]
) -> dict[str, float]:
    """Settings for the next round; ``before`` keeps each one's last point."""
    now, goal = _goals(found), _goals(wanted)
    out = dict(values)
    for name, (_, largest) in _SLOPES.items():
        at = math.log(values[name]) if name in _FACTORS else values[name]
        point = at, now[name]
        step = (goal[name] - now[name]) / _slope(name, before.get(name), point)
        before[name] = point
        at += min(max(_DAMPING * step, -largest), largest)
        out[name] = math.exp(at) if name in _FACTORS else at
    return out


def calibrate(
    recipe: Recipe, letter: str, observer: Observer | None = None, measure: Measure = _measured
) -> tuple[Settings, dict[str, float]]:
    """Find the settings of a variant.

    Parameters
    ----------
    letter : which of the recipe's variants; its open parameters stay as they are
    measure : columns of a variant of a recipe

    Returns
    -------
    the settings, and the columns that were measured with them
    """
    wanted = game_of(recipe.alias).columns
    aimed = _aimed(wanted)
    values = _start(aimed)
    before: dict[str, tuple[float, float]] = {}
    best: tuple[float, Settings, dict[str, float]] | None = None
    is_found = False
    for number in range(_MOST_ROUNDS):
        if is_found and number >= _ROUNDS:
            break
        settings = _settings(values)
        values = {name: float(value) for name, value in settings.model_dump().items()}
        found = measure(with_settings(recipe, letter, settings), letter)
        off_columns = deviations(found, wanted)
        off = worst(list(off_columns.values()))
        is_found |= all(is_near(name, value) for name, value in off_columns.items())
        if best is None or off < best[0]:
            best = off, settings, dict(found)
        if observer is not None:
            observer(number, found, best[0])
        if worst(list(deviations(found, aimed).values())) < _ENOUGH:
            break
        values = _moved(values, found, aimed, before)
    assert best is not None
    return best[1], {name: best[2][name] for name in COLUMNS}


def calibrated_recipe(recipe: Recipe, letter: str, observer: Observer | None = None) -> tuple[Recipe, float]:
    """A recipe with one variant drawn and calibrated, and the worst deviation of its columns."""
    start = Variant(open=draw_open(recipe.alias, letter), settings=_settings(_start(game_of(recipe.alias).columns)))
    drawn = recipe.model_copy(update={"variants": {**recipe.variants, letter: start}})
    settings, found = calibrate(drawn, letter, observer)
    off = worst(list(deviations(found, game_of(recipe.alias).columns).values()))
    return with_settings(drawn, letter, settings), off


def with_settings(recipe: Recipe, letter: str, settings: Settings) -> Recipe:
    """A recipe with other settings of one variant."""
    variants = {
        name: Variant(open=one.open, settings=settings) if name == letter else one
        for name, one in recipe.variants.items()
    }  # fmt: skip
    return recipe.model_copy(update={"variants": variants})
