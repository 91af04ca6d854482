"""Which calls to keep: those that are wanted, and, walking back, whatever set what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from traceformat.calls import Call
from traceformat.errors import FindingError, ToolError
from traceformat.gles.tracker import Tracker
from traceformat.trim.effects import Effects
from traceformat.trim.keys import WHOLE, Effect, Keys

__all__ = ["Plan", "find_needed"]


@dataclass(slots=True)
class Plan:
    """What a trimmed trace consists of.

    Parameters
    ----------
    wanted : numbers of the calls that were asked for, ascending
    needed : numbers of the calls that those depend on, ascending
    num_read : calls that were looked at
    """

    wanted: list[int] = field(default_factory=list)
    needed: list[int] = field(default_factory=list)
    num_read: int = 0


class _Bytes:
    """Ranges of one buffer whose content is needed, as disjoint (first, end), ascending."""

    __slots__ = ("ranges",)

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = [(0, WHOLE)]

    def remove(self, first: int, end: int) -> bool:
        """Take a range out; tells whether any of it was needed."""
        kept: list[tuple[int, int]] = []
        hit = False
        for low, high in self.ranges:
            if high <= first or low >= end:
                kept.append((low, high))
                continue
            hit = True
            if low < first:
                kept.append((low, first))
            if high > end:
                kept.append((end, high))
        self.ranges = kept
        return hit


class _Slice:
    """The walk back: ``live`` are the resources that calls kept so far need."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._live: set[int] = set()
        self._bytes: dict[int, _Bytes] = {}

    def take(self, effect: Effect, *, is_wanted: bool, is_kept: bool) -> bool:
        """Look at the call before; tells whether it is kept.

        Parameters
        ----------
        effect : of the call
        is_wanted : what it changes must be as it was, even if nothing that is wanted looks at it again
        is_kept : it stays in any case
        """
        live = self._live
        hit = is_wanted or not live.isdisjoint(effect.kills) or not live.isdisjoint(effect.updates)
        for buffer, first, end in effect.writes:
            needed = self._bytes.get(buffer)
            if needed is not None and needed.remove(first, end):
                hit = True
        if not hit:
            if is_kept:
                # Nobody looks at what it shows or names: it only has to be possible.
                live.update(effect.reads)
            return is_kept
        live.difference_update(effect.kills)
        live.update(effect.reads)
        if is_wanted:
            live.update(effect.updates)
            live.update(set(effect.shows).difference(effect.kills))
        for group in effect.groups:
            live.update(self._keys.members(group))
        for buffer in effect.buffers:
            self._bytes[buffer] = _Bytes()
        return True


def find_needed(
    calls: Iterable[Call], tracker: Tracker, wanted: Callable[[Call], bool], always: Callable[[Call], bool]
) -> Plan:
    """Find the calls that a set of calls depends on.

    Parameters
    ----------
    calls : of the trace, from its beginning to the last one that can be wanted
    tracker : new, with ``remap``; its backend should reflect programs
    wanted : tells the calls that are asked for
    always : tells calls that are kept although nothing depends on them (the end of the frame before)

    Raises
    ------
    FindingError : the trace holds a call that nothing is known of
    """
    keys = Keys()
    effects = Effects(tracker, keys)
    plan = Plan()
    found: list[tuple[int, Effect]] = []
    groups: dict[int, list[int]] = {}
    kept: set[int] = set()
    for call in calls:
        plan.num_read += 1
        is_wanted = wanted(call)
        if is_wanted:
            if not plan.wanted:
                # Groups that are open where the wanted calls begin give these their object.
                kept.update(number for stack in groups.values() for number in stack)
            plan.wanted.append(call.number)
        elif always(call):
            kept.add(call.number)
        try:
            effect = effects.execute(call)
        except ToolError as error:
            raise FindingError(f"cannot trim: {error.message}", hint=error.hint) from None
        opens = _follow_groups(groups, tracker, call)
        if is_wanted or effect.changes or opens or call.number in kept:
            found.append((call.number, effect))
    walk = _Slice(keys)
    chosen = set(plan.wanted)
    for number, effect in reversed(found):
        is_wanted = number in chosen
        if walk.take(effect, is_wanted=is_wanted, is_kept=number in kept) and not is_wanted:
            plan.needed.append(number)
    plan.needed.reverse()
    return plan


def _follow_groups(groups: dict[int, list[int]], tracker: Tracker, call: Call) -> bool:
    """Keep the stack of the calls that opened debug groups which are still open; tells whether this one does."""
    if not call.name.startswith(("glPush", "glPop")):
        return False
    context = tracker.current.get(call.thread)
    if context is None:
        return False
    stack = groups.setdefault(context.name, [])
    opens = len(context.debug_groups) > len(stack)
    if opens:
        stack.append(call.number)
    del stack[len(context.debug_groups) :]
    return opens
