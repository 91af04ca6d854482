"""What calls that machine code has recorded change of the shadow: by columns, when they are taken into the trace.

Twins of the rules of single calls in ``capture.rules``, which few calls go through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from capture.shadow import bind_vertex_array

if TYPE_CHECKING:
    from capture.shadow import ContextShadow
    from traceformat.gltrace.callbuilder import CallColumns

__all__ = ["EFFECTS", "change_shadow"]

#: By canonical name: places of target and buffer among the arguments of what binds buffers; None for the others.
EFFECTS: Final[dict[str, tuple[int, int] | None]] = {
    "glBindBuffer": (0, 1),
    "glBindBufferBase": (0, 2),
    "glBindBufferRange": (0, 2),
    "glBindVertexArray": None,
    "glBufferSubData": None,
}


def change_shadow(shadow: ContextShadow, groups: Sequence[tuple[str, CallColumns]]) -> None:
    """Apply a batch of calls.

    Parameters
    ----------
    shadow : of the context that they were made in
    groups : like calls, with their keys of :data:`EFFECTS`
    """
    binds, writes = [(np.zeros(0, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.uint32))], []
    for key, group in groups:
        where = EFFECTS[key]
        if where is not None:
            binds.append((group.places, np.asarray(group.values[where[0]]), np.asarray(group.values[where[1]])))
        elif key == "glBufferSubData":
            writes.append(group)
        else:
            # What is bound to a vertex array changes through Python alone, so that the last one is the one that counts.
            bind_vertex_array(shadow, int(np.asarray(group.values[0])[-1]))
    places, targets, names = (np.concatenate(each) for each in zip(*binds, strict=True))
    order = np.argsort(places, kind="stable")
    places, targets, names = places[order], targets[order], names[order]
    owners = [np.zeros(len(group.places), np.int64) for group in writes]
    for target in _distinct(np.concatenate([targets, *(np.asarray(group.values[0]) for group in writes)])):
        chosen = targets == target
        since, bound = places[chosen], np.concatenate([[shadow.bound(target)], names[chosen]])
        for group, its in zip(writes, owners, strict=True):
            rows = np.flatnonzero(np.asarray(group.values[0]) == target)
            its[rows] = bound[np.searchsorted(since, group.places[rows])]
        if len(since):
            shadow.bindings[target] = int(bound[-1])
    _write(shadow, writes, owners)


def _write(shadow: ContextShadow, groups: Sequence[CallColumns], owners: Sequence[NDArray[np.int64]]) -> None:
    """Write into buffers; ``owners`` are their names, 0 for none."""
    several = []
    for group, its in zip(groups, owners, strict=True):
        offsets, contents = np.asarray(group.values[1]), np.asarray(group.values[3])
        if len(groups) > 1:
            calls = zip(group.places.tolist(), its.tolist(), offsets.tolist(), contents, strict=True)
            several += [(place, owner, offset, content.tobytes()) for place, owner, offset, content in calls]
            continue
        for owner in filter(None, _distinct(its)):
            rows = np.flatnonzero(its == owner)
            # Most often all of them: a view costs nothing.
            chosen = slice(None) if len(rows) == len(offsets) else rows
            shadow.buffer(owner).write_rows(offsets[chosen], contents[chosen])
    for _, owner, offset, content in sorted(several):
        if owner:
            shadow.buffer(owner).write(offset, content)


def _distinct(values: NDArray[Any]) -> list[int]:
    """Different values: most often one."""
    if not len(values) or (values == values[0]).all():
        return [int(value) for value in values[:1]]
    ordered = np.sort(values)
    return [int(value) for value in (ordered[0], *ordered[np.flatnonzero(np.diff(ordered)) + 1])]
