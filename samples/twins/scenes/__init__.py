"""Scenes by name: what builds each of what a recipe says of its look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from samples.twins.scenes.arena import arena
from samples.twins.scenes.board import board
from samples.twins.scenes.course import course
from samples.twins.scenes.forest import forest
from samples.twins.scenes.isle import isle
from samples.twins.scenes.maze import maze
from samples.twins.scenes.orbit import orbit
from samples.twins.scenes.racing import racing
from samples.twins.scenes.ring import ring
from samples.twins.scenes.runner import runner
from samples.twins.scenes.sideways import sideways
from samples.twins.scenes.slope import slope
from samples.twins.scenes.town import town
from samples.twins.world import Scene

__all__ = ["LOOKS", "SCENES"]

SCENES: Final[dict[str, Callable[[Mapping[str, float]], Scene]]] = {
    "arena": arena,
    "board": board,
    "course": course,
    "forest": forest,
    "isle": isle,
    "maze": maze,
    "orbit": orbit,
    "racing": racing,
    "ring": ring,
    "runner": runner,
    "sideways": sideways,
    "slope": slope,
    "town": town,
}
#: What of its look each of them asks a recipe for.
LOOKS: Final = {
    "arena": ("cars",),
    "board": ("kinds",),
    "course": ("players",),
    "forest": ("people",),
    "isle": ("batch", "houses", "fields"),
    "maze": ("hedges", "people", "figures", "eye", "scope", "weapon", "puffs", "down", "view"),
    "orbit": ("planet",),
    "racing": ("rivals", "city"),
    "ring": ("reach", "lights"),
    "runner": ("town",),
    "sideways": ("race", "figures"),
    "slope": ("riders",),
    "town": ("cars", "people"),
}
