"""Which calls to keep: those that are wanted, and, walking back, whatever set what they read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final

from traceformat.calls import Call
from traceformat.errors import FindingError, ToolError
from traceformat.gles.tracker import Tracker
from traceformat.tools.trim.effects import Effects
from traceformat.tools.trim.keys import OBJECT_KINDS, WHOLE, Effect, Keys
from traceformat.tools.trim.reachable import identities

__all__ = ["Plan", "Slicer", "find_needed"]

_BLOCK_BYTES: Final = 1 << 14


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
    """Bytes of one buffer whose content is needed: all at first.

    By blocks, so that what a write costs does not grow with the number of writes.
    """

    __slots__ = ("_blocks", "_end")

    def __init__(self) -> None:
        #: For a block of which less than all may be needed, where what is needed begins and ends, by turns.
        self._blocks: dict[int, list[int]] = {}
        #: Nothing from here on is needed.
        self._end = WHOLE

    def remove(self, first: int, end: int) -> bool:
        """Take a range out; tells whether any of it was needed."""
        end = min(end, self._end)
        if first >= end:
            return False
        if end == WHOLE:
            self._end = first
            return True
        hit = False
        for block in range(first // _BLOCK_BYTES, (end - 1) // _BLOCK_BYTES + 1):
            start = block * _BLOCK_BYTES
            low, high = max(first, start), min(end, start + _BLOCK_BYTES)
            bounds = self._blocks.setdefault(block, [start, start + _BLOCK_BYTES])
            behind = bisect_right(bounds, low)
            hit |= behind % 2 == 1 or (behind < len(bounds) and bounds[behind] < high)
            begin, stop = bisect_left(bounds, low), bisect_right(bounds, high)
            bounds[begin:stop] = [low] * (begin % 2) + [high] * (stop % 2)
        return hit


class _Slice:
    """The walk back: ``live`` are the resources that calls kept so far need."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._live: set[int] = set()
        self._bytes: dict[int, _Bytes] = {}

    def need_all(self, resources: set[int], buffers: set[int]) -> None:
        """Begin with everything that can be needed."""
        self._live = resources
        self._bytes = {buffer: _Bytes() for buffer in buffers}

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


class Slicer:
    """Follows the calls of a trace and finds those that others depend on.

    Parameters
    ----------
    tracker : new, with ``remap``; its backend should reflect programs
    """

    def __init__(self, tracker: Tracker) -> None:
        self._tracker = tracker
        self._keys = Keys()
        self._effects = Effects(tracker, self._keys)
        self._found: list[tuple[int, Effect]] = []
        self._groups: dict[int, list[int]] = {}

    def follow(self, call: Call, *, is_kept: bool) -> None:
        """Execute the next call.

        Parameters
        ----------
        call : as read
        is_kept : it is wanted, or stays in any case

        Raises
        ------
        FindingError : nothing is known of it
        """
        try:
            effect = self._effects.execute(call)
        except ToolError as error:
            raise FindingError(f"cannot trim: {error.message}", hint=error.hint) from None
        opens = _follow_groups(self._groups, self._tracker, call)
        if is_kept or effect.changes or opens:
            self._found.append((call.number, effect))

    def open_groups(self) -> set[int]:
        """Calls that opened the debug groups which are open now."""
        return {number for stack in self._groups.values() for number in stack}

    def fold(self) -> list[int]:
        """Forget the calls that no later call can depend on, whatever it is; gives the numbers of the others.

        Everything that can still be read counts as needed: all state, and what objects hold that can be reached.
        """
        reached = identities(self._tracker)
        keys = self._keys
        walk = _Slice(keys)
        walk.need_all(
            {number for number, owner in keys.owners.items() if _is_reached(owner, reached)},
            {number for number, buffer in keys.buffers.items() if buffer in reached},
        )
        is_open = self.open_groups()
        kept = [
            (number, effect)
            for number, effect in reversed(self._found)
            if walk.take(effect, is_wanted=False, is_kept=number in is_open)
        ]
        kept.reverse()
        self._found = kept
        return [number for number, _ in kept]

    def needed(self, wanted: Collection[int], kept: Collection[int]) -> list[int]:
        """Numbers of the followed calls that the wanted ones need, ascending; of those that are kept, all."""
        walk = _Slice(self._keys)
        found = []
        for number, effect in reversed(self._found):
            is_wanted = number in wanted
            if walk.take(effect, is_wanted=is_wanted, is_kept=number in kept) and not is_wanted:
                found.append(number)
        found.reverse()
        return found


def _is_reached(owner: tuple[Hashable, ...], reached: set[tuple[Hashable, ...]]) -> bool:
    """Whether the owner of a resource can be reached: an object by its identity, everything else always."""
    is_object = owner[0] in OBJECT_KINDS and len(owner) >= 3 and owner[1] not in ("in", "of")
    return not is_object or owner[:3] in reached


def find_needed(
    calls: Iterable[Call], tracker: Tracker, wanted: Callable[[Call], bool], always: Callable[[Call], bool]
) -> Plan:
    """Find the calls that a set of calls depends on.

    Parameters
    ----------
    calls : of the trace, from its beginning to the last one that can be wanted; without those that an index of state
        tells to be needed by nobody
    tracker : new, with ``remap``; its backend should reflect programs
    wanted : tells the calls that are asked for
    always : tells calls that are kept although nothing depends on them (the end of the frame before)

    Raises
    ------
    FindingError : the trace holds a call that nothing is known of
    """
    slicer = Slicer(tracker)
    plan = Plan()
    kept: set[int] = set()
    for call in calls:
        plan.num_read += 1
        is_wanted = wanted(call)
        if is_wanted:
            if not plan.wanted:
                # Groups that are open where the wanted calls begin give these their object.
                kept |= slicer.open_groups()
            plan.wanted.append(call.number)
        elif always(call):
            kept.add(call.number)
        slicer.follow(call, is_kept=is_wanted or call.number in kept)
    plan.needed = slicer.needed(set(plan.wanted), kept)
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
