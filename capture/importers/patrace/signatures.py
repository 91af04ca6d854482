"""How the records of a function are laid out.

A record is one word (function id, thread, flags), for functions of variable length a second one (bytes of the record),
then the arguments and the result, each padded to words. Kinds, one letter each, behind ``A`` (array: u32 bytes, then
they) or ``*`` (pointer: u32 1 and the value, or u32 0) where there are several:
``b B h H i I f`` numbers of up to 32 bits, ``q Q d`` of 64, ``n`` an intptr_t of the captured machine,
``s`` string, ``S`` strings, ``o`` pointer with several meanings, ``?`` a native pointer, ``-`` nothing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from capture.importers.patrace.signature_table import TABLE

__all__ = ["OLD_TEXTURES", "WORD_NUMBERS", "Signature", "signature_of"]

#: Kinds of numbers that take one word.
WORD_NUMBERS: Final = frozenset("bBhHiIf")
_LONG_NUMBERS: Final = frozenset("qQd")
OLD_TEXTURES: Final = re.compile(r"gl(Compressed)?Tex(Sub)?Image[23]D(OES)?$")


class Signature(NamedTuple):
    """Layout of a function's records.

    Parameters
    ----------
    result, arguments : kinds
    words : length of a record of fixed length, 0 for variable length
    """

    result: str
    arguments: tuple[str, ...]
    words: int

    @property
    def first_argument(self) -> int:
        """Words in front of the arguments."""
        return 1 if self.words else 2


@cache
def _table() -> dict[str, Signature]:
    table: dict[str, Signature] = {}
    for line in TABLE.replace("\n    ", " ").splitlines():
        kinds, _, names = line.partition("|")
        result, _, arguments = kinds.partition(":")
        stored = arguments.split()
        lengths = [1 if kind in WORD_NUMBERS else 2 if kind in _LONG_NUMBERS else 0 for kind in stored]
        if result != "-":
            lengths.append(1 if result in WORD_NUMBERS else 2 if result in _LONG_NUMBERS else 0)
        words = 1 + sum(lengths) if all(lengths) else 0
        table.update(dict.fromkeys(names.split(), Signature(result, tuple(stored), words)))
    return table


def signature_of(name: str, *, plain_textures: bool = False) -> Signature | None:
    """Layout of a function's records; None for a function that is not known.

    Parameters
    ----------
    name : of the function
    plain_textures : of a file whose texture uploads hold plain content, and glReadPixels nothing at all
    """
    found = _table().get(name)
    if found is None or not plain_textures:
        return found
    if OLD_TEXTURES.match(name):
        return found._replace(arguments=(*found.arguments[:-1], "AB"))
    return found._replace(arguments=(*found.arguments[:-1], "-")) if name == "glReadPixels" else found
