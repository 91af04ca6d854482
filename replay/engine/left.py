"""What a replay leaves to the next one of the same process.

Whoever asks what-if questions, sweeps configurations or works in a notebook replays one trace again and again, and a
first frame takes two or three times as long as the next: fresh memory has its page faults, tables that grow are copied,
and what is rasterized is so twice where they lack room. So an engine that ends leaves memory, up to a limit, what its
threads worked in, how many rows the passes of its last frame had, and its programs with their compiled stages, with
what follows from states that they were drawn with, and with the paths that they have taken. What is taken belongs to
one engine alone until it ends; nothing of it changes what a replay gives. Engines that end amid a frame leave no
programs.
"""

from __future__ import annotations

import threading
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from traceformat.guards import guards

__all__ = [
    "Leavable",
    "drop_blocks",
    "leave_blocks",
    "leave_program",
    "leave_rows",
    "leave_working",
    "rows_before",
    "take_block",
    "take_program",
    "take_working",
]

#: Memory that is left, in bytes, and as a part of what the process may hold.
_MOST_BYTES: Final = 1 << 28
_MOST_SHARE: Final = 16
#: Programs that are left, and steps of the paths that they have learnt.
_MOST_PROGRAMS: Final = 64
_MOST_STEPS: Final = 1 << 23


#: Pieces of working memory of a kind.
_MOST_WORKING: Final = 2


class Working(Protocol):
    """Working memory that refers to no replay any more."""

    @property
    def num_bytes(self) -> int:
        """How much of it."""


_WorkingT = TypeVar("_WorkingT", bound=Working)


class Leavable(Protocol):
    """A program that has let go of whatever belonged to its replay."""

    @property
    def num_steps(self) -> int:
        """Steps of the paths that it knows."""


_lock: Final = threading.Lock()
_blocks: Final[dict[int, list[NDArray[np.uint8]]]] = {}
_rows: Final[dict[tuple[str, ...], list[tuple[int, ...]]]] = {}
_programs: Final[dict[object, Leavable]] = {}
_working: Final[dict[type, list[Any]]] = {}


def take_block(num_bytes: int) -> NDArray[np.uint8] | None:
    """A block of so many bytes, content undefined; None where there is none."""
    with _lock:
        blocks = _blocks.get(num_bytes)
        return blocks.pop() if blocks else None


def leave_blocks(blocks: list[NDArray[np.uint8]]) -> None:
    """Leave blocks that nobody else refers to, the largest first, as far as there is room."""
    with _lock:
        room = _room()
        for block in sorted(blocks, key=len, reverse=True):
            if len(block) <= room:
                _blocks.setdefault(len(block), []).append(block)
                room -= len(block)


def _room() -> int:
    """Bytes that may still be left."""
    held = sum([size * len(own) for size, own in _blocks.items()])
    held += sum([int(memory.num_bytes) for own in _working.values() for memory in own])
    return min(_MOST_BYTES, guards().process_memory // _MOST_SHARE) - held


def drop_blocks() -> None:
    """Give all memory back."""
    with _lock:
        _blocks.clear()
        _working.clear()


def take_working(kind: type[_WorkingT]) -> _WorkingT | None:
    """Working memory of a kind; None where there is none."""
    with _lock:
        left = _working.get(kind)
        return left.pop() if left else None


def leave_working(memory: Working) -> None:
    """Leave working memory, as far as there is room."""
    with _lock:
        left = _working.setdefault(type(memory), [])
        if len(left) < _MOST_WORKING and memory.num_bytes <= _room():
            left.append(memory)


def rows_before(tables: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Rows that these tables had in the passes of a last frame."""
    return _rows.get(tables, [])


def leave_rows(tables: tuple[str, ...], rows: list[tuple[int, ...]]) -> None:
    """Leave how many rows tables had in the passes of the last frame."""
    _rows[tables] = rows


def take_program(key: object) -> Leavable | None:
    """A program that was left under a key; None where there is none."""
    with _lock:
        return _programs.pop(key, None)


def leave_program(key: object, program: Leavable) -> None:
    """Leave a program; those that were left first go if there are too many, or they hold too much."""
    with _lock:
        _programs[key] = program
        while len(_programs) > _MOST_PROGRAMS or sum([one.num_steps for one in _programs.values()]) > _MOST_STEPS:
            del _programs[next(iter(_programs))]
