"""Object ids: which draws of different frames show the same object (DESIGN §3.3).

Sources in order: the innermost open debug group; the label of the vertex array; what the draw binds. Equal
names within one frame are told apart by a running number (of groups opened, or of draws), so that the same program run
gives the same ids in each frame.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from traceformat.gputrace.frametrace import ObjectRule

__all__ = ["ObjectIds", "ObjectRow"]


@dataclass(slots=True)
class ObjectRow:
    """One row of FrameTrace's ``objects``."""

    id: int
    rule: ObjectRule
    label: str


@dataclass(slots=True)
class ObjectIds:
    """Gives ids in order of first appearance; keep one over the whole trace."""

    _rows: dict[tuple[int, Hashable, int], ObjectRow] = field(default_factory=dict)
    _seen: dict[tuple[int, Hashable], int] = field(default_factory=dict)
    #: Groups of this frame that have drawn: the group itself is kept, so that its identity stays its own.
    _groups: dict[int, tuple[object, ObjectRow]] = field(default_factory=dict)

    def begin_frame(self) -> None:
        """Start the running numbers again."""
        self._seen.clear()
        self._groups.clear()

    def identify(
        self, groups: list[tuple[object, str]], label: str, bindings: Hashable, bindings_text: tuple[Any, ...]
    ) -> ObjectRow:
        """Identify a draw.

        Parameters
        ----------
        groups : open debug groups with their labels, outermost first
        label : of the vertex array or its first buffer, "" if there is none
        bindings : stable identity of what the draw binds
        bindings_text : the same for people: a format and what goes into it
        """
        if groups:
            group = groups[-1][0]
            known = self._groups.get(id(group))
            if known is not None:
                return known[1]
            path = "/".join(text for _, text in groups)
            row = self._number(ObjectRule.DEBUG_GROUP, path, ("{}", path))
            self._groups[id(group)] = (group, row)
            return row
        if label:
            return self._number(ObjectRule.OBJECT_LABEL, label, ("{}", label))
        return self._number(ObjectRule.BINDINGS, bindings, bindings_text)

    def _number(self, rule: ObjectRule, key: Hashable, text: tuple[Any, ...]) -> ObjectRow:
        named = (rule, key)
        repeat = self._seen.get(named, 0)
        self._seen[named] = repeat + 1
        numbered = (rule, key, repeat)
        row = self._rows.get(numbered)
        if row is None:
            label = text[0].format(*text[1:])
            label = label if repeat == 0 else f"{label} #{repeat + 1}"
            row = self._rows[numbered] = ObjectRow(len(self._rows), rule, label)
        return row
