"""What a plane still holds of the value that a clear filled it with.

A program clears its window, draws into a part of it and shows it, frame after frame. Most of the plane then holds what
the next clear writes again, and what the last copy of it holds, too. A plane knows outside of which rectangle that is
so; whatever may write to it otherwise makes it forget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["NOTHING", "Area", "Filled", "joined"]

#: Columns and rows, half open: x0, y0, x1, y1; nothing where x1 <= x0.
Area: TypeAlias = tuple[int, int, int, int]
NOTHING: Final[Area] = (1 << 15, 1 << 15, 0, 0)


@dataclass(slots=True)
class Filled:
    """Most of a plane holds one value.

    Parameters
    ----------
    value : which; equal ones leave equal texels
    area : where something else may lie
    """

    value: object
    area: Area = NOTHING

    def touch(self, area: Area) -> None:
        """Something may have been written inside an area."""
        self.area = joined(self.area, area)


def joined(one: Area, other: Area) -> Area:
    """The smallest area that has both."""
    if one[2] <= one[0]:
        return other
    if other[2] <= other[0]:
        return one
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
