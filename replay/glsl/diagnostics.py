"""What the compiler has to say about a source: errors and warnings with their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Diagnostic", "Diagnostics", "GlslError", "TooManyErrorsError"]

#: Errors after which a run stops looking.
MAX_ERRORS = 20


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message.

    Parameters
    ----------
    severity : "error" or "warning"
    string, line : place, as ``#line`` and the language's line counting say
    message : one line without full stop
    source_line : text of the line, "" when there is no place
    column : of the token in ``source_line``, from 0; -1 when unknown
    """

    severity: str
    string: int
    line: int
    message: str
    source_line: str = ""
    column: int = -1

    def __str__(self) -> str:
        text = f"{self.string}:{self.line}: {self.severity}: {self.message}"
        if self.source_line:
            text += f"\n    {self.source_line}"
            if self.column >= 0:
                text += (
                    "\n    "
                    + "".join("\t" if letter == "\t" else " " for letter in self.source_line[: self.column])
                    + "^"
                )
        return text


class GlslError(Exception):
    """Unwinds to the place that can go on after an error; the message has been recorded already."""


class TooManyErrorsError(GlslError):
    """Unwinds to the end of the run: there is no point in more messages."""


class HasLines(Protocol):
    """What messages quote."""

    @property
    def lines(self) -> Sequence[str]:
        """Physical lines without their ends."""
        ...


class Diagnostics:
    """Collects messages of one run.

    Parameters
    ----------
    source : has ``lines``, the physical source lines, for the listing below a message
    """

    def __init__(self, source: HasLines) -> None:
        self._source = source
        self.messages: list[Diagnostic] = []
        self.num_errors = 0

    def add(self, severity: str, string: int, line: int, message: str, physical: int = -1, column: int = -1) -> None:
        """Record a message; ``physical`` is the row in ``lines``. Raises TooManyErrorsError when enough were seen."""
        message = "".join(letter if letter.isprintable() else "?" for letter in message[:400])
        text = ""
        lines = self._source.lines if physical >= 0 else ()
        if 0 <= physical < len(lines):
            text = lines[physical]
            if len(text) > 160:
                start = max(0, min(column, len(text)) - 60)
                text, column = text[start : start + 160], column - start if column >= 0 else -1
            text = "".join(letter if letter.isprintable() or letter == "\t" else "?" for letter in text)
        self.messages.append(Diagnostic(severity, string, line, message, text, min(column, len(text))))
        if severity == "error":
            self.num_errors += 1
            if self.num_errors >= MAX_ERRORS:
                raise TooManyErrorsError
