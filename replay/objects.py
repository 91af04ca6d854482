"""Object ids: which draws of different frames show the same object (DESIGN §3.3).

Sources in order: the innermost open debug group; the label of the vertex array; what the draw binds. Equal
names within one frame are told apart by a running number (of groups opened, or of draws), so that the same program run
gives the same ids in each frame.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from traceformat.gputrace.frametrace import ObjectRule

__all__ = ["ObjectIds", "ObjectName", "ObjectRow"]

#: What a name is of; enumeration members are slow to look up.
_GROUP: Final = 0
_LABEL: Final = 1
_BINDINGS: Final = 2


@dataclass(slots=True)
class ObjectRow:
    """One row of FrameTrace's ``objects``."""

    id: int
    rule: ObjectRule
    label: str


@dataclass(slots=True, eq=False)
class ObjectName:
    """What has one name: its rows, one a repeat within a frame, and how many the frame at hand has had."""

    rule: ObjectRule
    frame: int = -1
    count: int = 0
    rows: list[ObjectRow] = field(default_factory=list)

    def next_row(self, frame: int) -> ObjectRow | None:
        """The row of the next draw of this name, None if it is a new one; ``frame`` of :class:`ObjectIds`."""
        if self.frame != frame:
            self.frame, self.count = frame, 0
        repeat = self.count
        if repeat == len(self.rows):
            return None
        self.count = repeat + 1
        return self.rows[repeat]


@dataclass(slots=True)
class ObjectIds:
    """Gives ids in order of first appearance; keep one over the whole trace."""

    _num_rows: int = 0
    _names: dict[Hashable, ObjectName] = field(default_factory=dict)
    #: Names with their texts by what draws of runs bind, packed; names follow from it for ever.
    of_runs: dict[bytes, tuple[ObjectName, tuple[Any, ...]]] = field(default_factory=dict)
    frame: int = 0
    #: Groups of this frame that have drawn: the group itself is kept, so that its identity stays its own.
    _groups: dict[int, tuple[object, ObjectRow]] = field(default_factory=dict)
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def begin_frame(self) -> None:
        """Start the running numbers again."""
        self.frame += 1
        self._groups.clear()

    def number(self, identity: Hashable) -> int:
        """A number that stands for an identity, in ``bindings`` for instance: equal ones have the same."""
        return self._numbers.setdefault(identity, len(self._numbers))

    def numbers(self, identities: Iterable[Hashable]) -> list[int]:
        """As :meth:`number`, of many."""
        known = self._numbers
        return [known.setdefault(identity, len(known)) for identity in identities]

    def identify(
        self, groups: Sequence[tuple[object, str]], label: str, bindings: Hashable, bindings_text: tuple[Any, ...]
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
            row = self.repeat(self._named(ObjectRule.DEBUG_GROUP, (_GROUP, path)), ("{}", path))
            self._groups[id(group)] = (group, row)
            return row
        return self.repeat(self.name(label, bindings), ("{}", label) if label else bindings_text)

    def name(self, label: str, bindings: Hashable) -> ObjectName:
        """The name of draws outside of debug groups, see :meth:`identify`."""
        if label:
            return self._named(ObjectRule.OBJECT_LABEL, (_LABEL, label))
        return self._named(ObjectRule.BINDINGS, (_BINDINGS, bindings))

    def names(self, bindings: Iterable[Hashable]) -> list[ObjectName]:
        """As :meth:`name`, of many without labels."""
        known, found = self._names, []
        for each in bindings:
            key = (_BINDINGS, each)
            name = known.get(key)
            if name is None:
                name = known[key] = ObjectName(ObjectRule.BINDINGS)
            found.append(name)
        return found

    def _named(self, rule: ObjectRule, key: Hashable) -> ObjectName:
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = ObjectName(rule)
        return found

    def repeat(self, named: ObjectName, text: tuple[Any, ...]) -> ObjectRow:
        """The row of the next draw of this name; ``text`` for people, a format and what goes into it."""
        known = named.next_row(self.frame)
        if known is not None:
            return known
        named.count += 1
        return self._new_row(named, text, named.count - 1)

    def next_rows(self, draws: Sequence[tuple[ObjectName, tuple[Any, ...]]]) -> list[ObjectRow]:
        """As :meth:`repeat`, of many: their names and texts."""
        frame = self.frame
        names = [name for name, _ in draws]
        if frame not in [name.frame for name in names] and len(set(names)) == len(names):
            # Each is the first one of its name in this frame.
            for name in names:
                name.frame, name.count = frame, 1
            return [name.rows[0] if name.rows else self._new_row(name, text, 0) for name, text in draws]
        rows = []
        for name, text in draws:
            # As ObjectName.next_row, for many.
            repeat = name.count if name.frame == frame else 0
            if repeat < len(name.rows):
                name.frame, name.count = frame, repeat + 1
                rows.append(name.rows[repeat])
            else:
                rows.append(self.repeat(name, text))
        return rows

    def _new_row(self, name: ObjectName, text: tuple[Any, ...], repeat: int) -> ObjectRow:
        label = text[0].format(*text[1:])
        row = ObjectRow(self._num_rows, name.rule, label if repeat == 0 else f"{label} #{repeat + 1}")
        self._num_rows += 1
        name.rows.append(row)
        return row
