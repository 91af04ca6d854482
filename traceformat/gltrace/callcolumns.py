"""Like calls as columns: what is to be said of all of them is said without an object for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from traceformat.framing.headers import ValueKind

__all__ = ["CallColumns"]


@dataclass(frozen=True, slots=True)
class CallColumns:
    """Calls of one shape.

    Parameters
    ----------
    table : (N,) structured, argument k in field ``ak`` where it is stored; references are not resolved
    arguments : kinds of the arguments
    resolve : gives the contents that references stand for, None where one is lost
    """

    table: NDArray[Any]
    arguments: tuple[ValueKind, ...]
    resolve: Callable[[list[int]], list[bytes] | None]

    def kind(self, argument: int) -> ValueKind:
        """Of an argument."""
        return self.arguments[argument]

    def numbers(self, argument: int) -> NDArray[np.int64]:
        """(N,) an argument that is a number or an offset; 0 where all are NULL."""
        if self.arguments[argument] is ValueKind.NONE:
            return np.zeros(len(self.table), np.int64)
        return self.table[f"a{argument}"].astype(np.int64)

    def contents(self, argument: int) -> list[bytes] | None:
        """(N,) an argument that is content; None where some is lost."""
        return self.resolve(self.table[f"a{argument}"].tolist())

    def part(self, which: slice) -> CallColumns:
        """Some of the calls."""
        return CallColumns(self.table[which], self.arguments, self.resolve)
