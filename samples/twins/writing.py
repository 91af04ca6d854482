"""Recipes as text: the one layout that files have, so that equal recipes are equal files."""

from __future__ import annotations

import json
from typing import Any

from samples.twins.recipe import Recipe

__all__ = ["recipe_text"]


def recipe_text(recipe: Recipe) -> str:
    """A recipe as TOML."""
    values = recipe.model_dump()
    variants = values.pop("variants")
    look = values.pop("look")
    lines = [_line(name, value) for name, value in values.items()]
    lines += _table("look", look)
    for letter, parts in sorted(variants.items()):
        for part, table in parts.items():
            lines += _table(f"variants.{letter}.{part}", table)
    return "\n".join(lines) + "\n"


def _table(name: str, values: dict[str, Any]) -> list[str]:
    return ["", f"[{name}]", *(_line(key, value) for key, value in values.items())]


def _line(name: str, value: Any) -> str:
    # JSON's strings, numbers and truth values are TOML's.
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"
