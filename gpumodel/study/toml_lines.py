"""Lines of a TOML text by key: the standard parser does not say where it has found what."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["TomlLines"]

#: What may hold an end of line or a bracket that is none, and what is one.
_TOKEN: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n]', re.S
)


class TomlLines:
    """Where the values of a text stand.

    Parameters
    ----------
    text : TOML without mistakes
    """

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        #: First and last line of each value, from 1.
        self._places: dict[tuple[str | int, ...], tuple[int, int]] = {}
        #: Number of the last table of each array of tables.
        self._last: dict[tuple[str | int, ...], int] = {}
        table: tuple[str | int, ...] = ()
        for first, last, statement in _statements(text):
            parsed = tomllib.loads(statement)
            if statement.lstrip().startswith("["):
                table = self._open(parsed)
                for length in range(1, len(table) + 1):
                    self._places.setdefault(table[:length], (first, last))
            else:
                self._keep(table, parsed, (first, last))

    def _open(self, heading: dict[str, Any]) -> tuple[str | int, ...]:
        """Place of the table that a heading opens."""
        place: tuple[str | int, ...] = ()
        inner: Any = heading
        while inner:
            if isinstance(inner, list):
                self._last[place] = self._last.get(place, -1) + 1
                inner = inner[0]
            else:
                ((name, inner),) = inner.items()
                place = (*self._within(place), name)
        return self._within(place)

    def _within(self, place: tuple[str | int, ...]) -> tuple[str | int, ...]:
        return (*place, self._last[place]) if place in self._last else place

    def _keep(self, place: tuple[str | int, ...], value: Any, lines: tuple[int, int]) -> None:
        self._places.setdefault(place, lines)
        if isinstance(value, dict):
            for name, inner in value.items():
                self._keep((*place, *name.split(".")), inner, lines)

    def line(self, place: Sequence[str | int], value: object = None) -> int:
        """Line of a value, from 1.

        Parameters
        ----------
        place : its keys, dotted or one by one, and numbers in lists; what is not there is looked for around it
        value : text or number that the line holds, to find it among several lines
        """
        wanted = [part for key in place for part in (key.split(".") if isinstance(key, str) else (key,))]
        while wanted and tuple(wanted) not in self._places:
            wanted.pop()
        first, last = self._places.get(tuple(wanted), (1, len(self._lines)))
        found = (number for number in range(first, last + 1) if str(value) in self._lines[number - 1])
        return next(found, first) if value is not None else first


def _statements(text: str) -> Iterator[tuple[int, int, str]]:
    """Headings and values with their first and last lines."""
    start = depth = 0
    line = first = 1
    for token in _TOKEN.finditer(text + "\n"):
        sign = token[0]
        depth += (sign in ("[", "{")) - (sign in ("]", "}"))
        if sign == "\n" and depth == 0:
            statement = text[start : token.start()]
            if statement.strip() and not statement.lstrip().startswith("#"):
                yield first, line, statement
            start, first = token.end(), line + 1
        line += sign.count("\n")
