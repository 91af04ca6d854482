"""Which objects of a tracker calls can still reach; what the others held, nobody can read any more."""

from __future__ import annotations

import gc
from collections.abc import Hashable
from typing import Any, Final

from traceformat.gles.tracker import Tracker
from traceformat.tools.trim.keys import OBJECTS, identity

__all__ = ["identities"]

_CONTAINERS: Final = (dict, list, tuple, set, frozenset)


def identities(tracker: Tracker) -> set[tuple[Hashable, ...]]:
    """Give the identity of every object that a name, a binding or an attachment leads to.

    Deleted objects live on while something holds them; every reference is followed, whatever field it is in.
    """
    found: set[tuple[Hashable, ...]] = set()
    for context in {id(each): each for each in (*tracker.contexts.values(), *tracker.current.values())}.values():
        for thing in _reachable(context):
            if isinstance(thing, OBJECTS):
                found.add(identity(context, thing))
    return found


def _reachable(root: object) -> list[Any]:
    """Objects of the tracker that are reached from one of them, by any field; not the contexts beside it."""
    seen = {id(root)}
    found: list[Any] = [root]
    for thing in found:
        for inner in gc.get_referents(thing):
            kind = type(inner)
            if id(inner) in seen or not (kind in _CONTAINERS or kind.__module__.startswith("traceformat.gles.")):
                continue
            if kind is not type(root):
                seen.add(id(inner))
                found.append(inner)
    return found
