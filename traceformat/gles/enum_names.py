"""Names of GL enum values: ``enum_name(0x0DE1, "TextureTarget") == "GL_TEXTURE_2D"``."""

from __future__ import annotations

from functools import cache

from traceformat.gles.enums import BY_NAME
from traceformat.gles.enums_table import GROUPS

__all__ = ["bitfield_names", "enum_name"]

#: Values that many enums share: without a group they are shown as numbers.
_AMBIGUOUS_BELOW = 0x100


@cache
def _groups() -> dict[str, dict[int, str]]:
    """Value -> name of each group of the registry; the first name of a value wins."""
    groups: dict[str, dict[int, str]] = {}
    for line in GROUPS.splitlines():
        group, _, names = line.partition(":")
        members = groups[group] = {}
        for name in names.split(" "):
            members.setdefault(BY_NAME["GL_" + name], "GL_" + name)
    return groups


@cache
def _all() -> dict[int, str]:
    """Value -> first name, over all enums that are no bits and no small numbers."""
    names: dict[int, str] = {}
    for name, value in BY_NAME.items():
        if value >= _AMBIGUOUS_BELOW and not name.endswith(("_BIT", "_BITS")):
            names.setdefault(value, name)
    return names


def enum_name(value: int, group: str = "") -> str | None:
    """Name of an enum value, or None.

    Parameters
    ----------
    value : GL value
    group : the registry's group of the parameter; an empty or unknown one looks in all enums, where small
        values (below 0x100) have no name because many share them
    """
    name = _groups().get(group, {}).get(value)
    return name or _all().get(value)


def bitfield_names(value: int, group: str) -> str:
    """Spell a bit field as ``GL_COLOR_BUFFER_BIT|GL_DEPTH_BUFFER_BIT``; bits without a name as one hex number."""
    bits = _groups().get(group, {})
    parts = []
    rest = value
    for bit in sorted(bits):
        if bit and bit & (bit - 1) == 0 and rest & bit:
            parts.append(bits[bit])
            rest &= ~bit
    if rest or not parts:
        parts.append(f"{rest:#x}" if rest else "0")
    return "|".join(parts)
