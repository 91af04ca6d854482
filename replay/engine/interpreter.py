"""What the Python interpreter is set to while engines are at work, and set back to by the last that ends."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["FEW_COLLECTIONS", "QUICK_SWITCHES", "Lent"]

T = TypeVar("T")
_SWITCH_SECONDS: Final = 5e-5
#: New objects between two looks of Python's collector. The calls of a chunk are tens of thousands of tuples, none of
#: which is in a ring; to look through them every 700 objects took a sixth of the time of small draws. For the time of
#: such calls alone: a ring may hold gigabytes, and the collector counts objects.
_COLLECTED_OBJECTS: Final = 100_000


class Lent(Generic[T]):
    """A setting that is changed while somebody needs it.

    Parameters
    ----------
    read, write : the setting
    changed : its value meanwhile, given the one before
    """

    def __init__(self, read: Callable[[], T], write: Callable[[T], None], changed: Callable[[T], T]) -> None:
        self._read, self._write, self._changed = read, write, changed
        self._lock = threading.Lock()
        self._users = 0
        self._before: T

    def __enter__(self) -> None:
        """Need it from now on."""
        with self._lock:
            if not self._users:
                self._before = self._read()
                self._write(self._changed(self._before))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        """Need it no more."""
        with self._lock:
            self._users -= 1
            if not self._users:
                self._write(self._before)


#: Python's collector looks seldom.
FEW_COLLECTIONS: Final = Lent(
    gc.get_threshold, lambda values: gc.set_threshold(*values), lambda values: (_COLLECTED_OBJECTS, *values[1:])
)
#: A thread that comes out of compiled code does not wait long for the interpreter.
QUICK_SWITCHES: Final = Lent(sys.getswitchinterval, sys.setswitchinterval, lambda _: _SWITCH_SECONDS)
