"""What kernels return to those who make room: done, or what is lacking (``needed`` says how much).

The draw at hand goes on with the phase of that number, at most :data:`SHADING`.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "DONE",
    "NEED_ARENA",
    "NEED_ATTRIBUTES",
    "NEED_COLORS",
    "NEED_EMITTED",
    "NEED_HASHES",
    "NEED_QUADS",
    "NEED_RECORD",
    "NEED_SEEN",
    "NEED_TABLES",
    "OVER_BUDGET",
    "RECORD_FULL",
    "SHADING",
    "TABLES_FULL",
]

DONE: Final = 0
NEED_EMITTED: Final = 1
NEED_ATTRIBUTES: Final = 2
NEED_QUADS: Final = 3
NEED_ARENA: Final = 4
NEED_SEEN: Final = 5
NEED_HASHES: Final = 6
NEED_COLORS: Final = 7
SHADING: Final = 8

#: What a draw's fragment stage ends with.
RECORD_FULL: Final = 1
TABLES_FULL: Final = 2
OVER_BUDGET: Final = 3

NEED_RECORD: Final = SHADING + RECORD_FULL
NEED_TABLES: Final = SHADING + TABLES_FULL
