"""Variants of one shader: programs whose sources are alike, and the lines in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from gpumodel.report.shader_lines import StageLines

__all__ = ["variants"]

#: Share of lines that two sources have in common from which on they are variants of one shader.
_ALIKE: Final = 0.6
#: Lines of a difference that are shown, and sources that are held against each other.
_LINES: Final = 12
_COMPARED: Final = 40


def variants(stages: Sequence[StageLines]) -> list[dict[str, Any]]:
    """Families of two stages and more, the dearest first; each has its members, the one with the cheapest call first.

    A member has ``program``, ``stage``, ``cycles_a_call`` (issue cycles of a vertex or fragment), ``invocations``,
    and ``more`` and ``less``: lines that the first one has not, and that it has alone.
    """
    ran = sorted((one for one in stages if one.invocations), key=lambda one: -one.cycles)[:_COMPARED]
    lines = {id(one): [line.strip() for line in one.text.splitlines() if line.strip()] for one in ran}
    families: list[list[StageLines]] = []
    for one in ran:
        for family in families:
            if family[0].stage == one.stage and _alike(lines[id(family[0])], lines[id(one)]):
                family.append(one)
                break
        else:
            families.append([one])
    return [_family(family, lines) for family in families if len(family) > 1]


def _alike(first: list[str], second: list[str]) -> bool:
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _family(family: Sequence[StageLines], lines: dict[int, list[str]]) -> dict[str, Any]:
    ordered = sorted(family, key=lambda one: (one.cycles / one.invocations, one.program))
    base = lines[id(ordered[0])]
    return {"stage": family[0].stage, "members": [_member(one, base, lines[id(one)]) for one in ordered]}


def _member(one: StageLines, base: list[str], own: list[str]) -> dict[str, Any]:
    more: list[str] = []
    less: list[str] = []
    for tag, *ends in SequenceMatcher(None, base, own, autojunk=False).get_opcodes():
        if tag != "equal":
            less += base[slice(*ends[:2])]
            more += own[slice(*ends[2:])]
    return {
        "program": one.program,
        "cycles_a_call": one.cycles / one.invocations,
        "invocations": one.invocations,
        "more": more[:_LINES],
        "less": less[:_LINES],
    }
