"""The exception tree of the whole toolchain.

    ToolError                      exit  what the user sees: one line, what, where, what to do
    ├── UsageError                  2    a wrong argument, a file that cannot be written
    ├── ConfigError                 2    a GPU configuration with one or more problems
    ├── FindingError                1    the tool worked and found something: differs, nothing drawn, verify failed
    │   └── UnsupportedCallError    1    an entry point that this version does not support, by name
    ├── TraceFormatError            3    a trace that is damaged, cut, too new, or no trace
    ├── ReplayError                 3    a trace that decodes but cannot be replayed
    ├── MissingEnvironmentError     4    no GL library, no display, an extra that is not installed
    ├── StorageError                4    a full disk, a full quota, an I/O error
    └── InternalError              70    a bug of ours

Every command turns a ToolError into its one line on stderr and its exit status, and everything else into
an InternalError; nothing else decides exit statuses.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ConfigError",
    "FindingError",
    "InternalError",
    "MissingEnvironmentError",
    "ReplayError",
    "StorageError",
    "ToolError",
    "ToolWarning",
    "TraceFormatError",
    "UnsupportedCallError",
    "UsageError",
]


class ToolWarning(UserWarning):
    """Something that a person should know and that stops nothing; commands say it in one line on stderr."""


class ToolError(Exception):
    """An error that a person can act on.

    Parameters
    ----------
    message : what was found, where, and what was expected; one line, no trailing full stop
    hint : the next step, if there is one; printed behind the message
    """

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(ToolError):
    """A wrong argument, or a path that cannot be read or written."""


class ConfigError(ToolError):
    """A configuration with problems, all of them reported at once.

    Parameters
    ----------
    problems : one text a problem, each with its path, the value found and the nearest valid name
    """

    def __init__(self, problems: Sequence[str], *, hint: str = "") -> None:
        super().__init__("; ".join(problems), hint=hint)
        self.problems = tuple(problems)


class FindingError(ToolError):
    """The tool did its work and found what it was asked to look for."""

    exit_code = 1


class UnsupportedCallError(FindingError):
    """A GL entry point or feature that this version does not support; the message names it."""


class TraceFormatError(ToolError):
    """A file that is damaged, cut, too new, or not a trace at all."""

    exit_code = 3


class ReplayError(ToolError):
    """A trace that decodes but cannot be replayed.

    Parameters
    ----------
    call : number of the call at fault, -1 when no single call is
    function : name of its entry point
    """

    exit_code = 3

    def __init__(self, message: str, *, call: int = -1, function: str = "", hint: str = "") -> None:
        where = f"call {call} {function}: " if call >= 0 else ""
        super().__init__(where + message, hint=hint)
        self.call = call
        self.function = function


class MissingEnvironmentError(ToolError):
    """Something outside the program is missing: a GL library, a display, an optional package."""

    exit_code = 4


class StorageError(ToolError):
    """The disk is full, over quota or broken, or the reader of a pipe has gone."""

    exit_code = 4


class InternalError(ToolError):
    """A bug of ours."""

    exit_code = 70
