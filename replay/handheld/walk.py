"""Working memory of the traversal, which makes fragments and quads of primitives."""

from __future__ import annotations

from typing import Any

import numpy as np

from replay.handheld.kernels.records import WALK
from replay.handheld.patterns import Pattern
from traceformat.native.records import address_of

__all__ = ["Walk"]


class Walk:
    """Working memory of traversal, as large as the largest primitive needs at least.

    Parameters
    ----------
    room : fragments and quads
    pattern : of the samples

    Attributes
    ----------
    record : its WALK
    """

    def __init__(self, room: int, pattern: Pattern) -> None:
        empty = np.empty
        slots, groups = pattern.num_slots, pattern.num_groups
        self.primitive, self.quad, self.mask = empty(room, np.uint32), empty(room, np.uint32), empty(room, np.uint8)
        self.fragment_x, self.fragment_y = empty(room, np.uint16), empty(room, np.uint16)
        self.depth = empty((room, slots), np.uint32)
        self.quad_primitive = empty(room, np.uint32)
        self.quad_x, self.quad_y = empty(room, np.uint16), empty(room, np.uint16)
        self.cover = empty((groups, room), np.uint8)
        self.survives, self.tested = empty(groups * room, np.uint8), empty(groups * room, np.uint8)
        self.passed = empty(slots * room, np.uint8)
        columns = (
            "primitive", "quad", "mask", "fragment_x", "fragment_y", "depth", "quad_primitive", "quad_x", "quad_y",
            "cover",
        )  # fmt: skip
        self.record: Any = WALK.row(room=room, **{name: address_of(getattr(self, name)) for name in columns})
        self._pattern = pattern.positions(), pattern.where(), np.array(pattern.group, np.int64), pattern.storage()
        positions = self._pattern[0]
        own = self.record.data["pattern"]
        for name, array in zip(("positions", "where", "group", "storage"), self._pattern, strict=True):
            own[name] = address_of(array)
        own["num_slots"], own["num_groups"] = slots, groups
        own["num_parities"] = 2 if (positions[0] != positions[1]).any() else 1
