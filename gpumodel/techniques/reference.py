"""Reference of the techniques, made from what they declare: parameters with range, default and source, counters."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from gpumodel.techniques.registry import Technique

__all__ = ["parameters_of", "reference_page", "summary_of", "technique_document", "technique_reference"]

_HEAD = """# Reference of the techniques

What each declares; made by `gpureplay techniques --markdown`, which also lists those of installed packages.
Parameters are set with `--set SECTION.NAME=VALUE` or in a file under `[SECTION]`; counters are in the results.
"""


def summary_of(technique: type[Technique]) -> str:
    """First line of what the technique says of itself."""
    # Its own: what it inherits says nothing of it.
    text = inspect.cleandoc(vars(technique).get("__doc__") or "")
    return text.partition("\n")[0].rstrip(".")


def reference_page(known: Mapping[str, type[Technique]]) -> str:
    """Markdown page of techniques, by id."""
    return _HEAD + "".join(f"\n{technique_reference(known[name])}" for name in sorted(known))


def technique_reference(technique: type[Technique]) -> str:
    """Markdown section of a technique."""
    said = filter(None, (summary_of(technique), f"Source: {technique.source}."))
    lines = [f"## `{technique.id}`", "", ". ".join(said)]
    if technique.implies:
        lines += ["", f"Contains {', '.join(f'`{name}`' for name in technique.implies)}."]
    if technique.excludes:
        lines += ["", f"Goes with no other technique: {technique.excludes}."]
    if technique.Config is not None:
        lines += ["", "| parameter | default | range | meaning | source |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in parameters_of(technique)]
    if technique.counters:
        lines += ["", "| counter | unit | meaning |", "|---|---|---|"]
        lines += [
            f"| `{name}` | {counter.unit} | {_cell(counter.meaning)} |" for name, counter in technique.counters.items()
        ]
    return "\n".join(lines) + "\n"


def technique_document(technique: type[Technique]) -> dict[str, Any]:
    """What a technique declares, for JSON."""
    keys = ("key", "default", "range", "meaning", "source")
    rows = [dict(zip(keys, (row[0].strip("`"), *row[1:]), strict=True)) for row in parameters_of(technique)]
    return {
        "id": technique.id,
        "summary": summary_of(technique),
        "source": technique.source,
        "contains": list(technique.implies),
        "excludes": technique.excludes,
        "parameters": rows,
        "counters": [
            {"name": name, "unit": one.unit, "meaning": one.meaning} for name, one in technique.counters.items()
        ],
    }


def parameters_of(technique: type[Technique]) -> list[tuple[str, str, str, str, str]]:
    """Rows of a technique's parameters: dotted key, default, range, meaning, source."""
    return [] if technique.Config is None else list(_rows(technique.Config, technique.Config.section))


def _rows(kind: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str, str, str]]:
    properties = kind.model_json_schema()["properties"]
    for name, field in kind.model_fields.items():
        key = f"{prefix}.{name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _rows(field.annotation, key)
            continue
        schema = properties[name]
        yield f"`{key}`", str(field.default), _range(schema), schema.get("description", ""), schema.get("source", "")


def _range(schema: Mapping[str, Any]) -> str:
    """Values that a parameter may have."""
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    return "" if low is None and high is None else f"{low if low is not None else ''} to {high}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
