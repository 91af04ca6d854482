"""Entry point name to handler, and how a handler reports a GL error.

A handler is a function ``handler(tracker, context, *args)`` with the arguments of its entry point, registered under
one or more core names::

    @handles("glBindBuffer", touches=Changes.NOTHING)
    def bind_buffer(t: Tracker, c: Context, target: int, name: int) -> None: ...

It raises :class:`GLError` *before* it changes anything. What of its checks depends on the arguments alone may be done
for many calls at once: :func:`prepares`. Vendor spellings reach it through the entry-point table's
aliases, and, where vendors gave the same meaning to a name without the registry saying so, by cutting the suffix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from numpy.typing import NDArray

from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, canonical_name
from traceformat.gles.roles import core_name, without_suffix
from traceformat.gles.state import Changes
from traceformat.guards import how_to_raise

__all__ = [
    "Entry",
    "GLError",
    "Handler",
    "Prepared",
    "Preparer",
    "find_entry",
    "handles",
    "invalid_enum",
    "invalid_operation",
    "invalid_value",
    "only_asks",
    "prepares",
]

Handler = Callable[..., Any]
#: What executes prepared calls, and its own arguments for each; None for a call that is left to the other handler.
Prepared = tuple[Handler, Sequence[tuple[Any, ...] | None]]
#: Prepares calls of one shape, given their numbers as columns ``a0, a1 ...`` and their arguments; None where it cannot.
Preparer = Callable[[NDArray[Any], Sequence[tuple[Any, ...]]], Prepared | None]
F = TypeVar("F", bound=Handler)


class Entry(NamedTuple):
    """Handler of an entry point, what its calls may change, and what prepares many of them."""

    handler: Handler
    touches: int
    prepare: Preparer | None = None


_HANDLERS: dict[str, Entry] = {}
_MAY_WRITE: Final = ("Tex", "Image", "BufferObject", "Handle")


class GLError(Exception):
    """The call at hand raises this GL error and has no other effect.

    Parameters
    ----------
    error : GL_INVALID_ENUM ...
    message : what was wrong
    """

    def __init__(self, error: int, message: str) -> None:
        super().__init__(message)
        self.error = error
        self.message = message


class OverGuard(GLError):
    """GL_OUT_OF_MEMORY where a guard (:mod:`traceformat.guards`) has no more.

    Parameters
    ----------
    found : what was asked for
    guard : the guard, and its value
    """

    def __init__(self, found: str, guard: str, limit: int) -> None:
        super().__init__(gl.GL_OUT_OF_MEMORY, f"{found}, more than the limit {guard}={limit} ({how_to_raise(guard)})")
        self.guard = guard


def invalid_enum(message: str) -> GLError:
    """GL_INVALID_ENUM."""
    return GLError(gl.GL_INVALID_ENUM, message)


def invalid_value(message: str) -> GLError:
    """GL_INVALID_VALUE."""
    return GLError(gl.GL_INVALID_VALUE, message)


def invalid_operation(message: str) -> GLError:
    """GL_INVALID_OPERATION."""
    return GLError(gl.GL_INVALID_OPERATION, message)


def handles(*names: str, touches: int = Changes.ALL) -> Callable[[F], F]:
    """Register a function as the handler of these entry points.

    Parameters
    ----------
    names : core names
    touches : what the calls may change, bits of :class:`~traceformat.gles.state.Changes`; what has a version of its own
        (uniforms, programs, contents of buffers) needs no bit
    """

    def register(function: F) -> F:
        for name in names:
            if name in _HANDLERS:
                raise ValueError(f"{name} has two handlers")
            _HANDLERS[name] = Entry(function, touches)
        return function

    return register


def prepares(*names: str) -> Callable[[Preparer], Preparer]:
    """Register what prepares calls of these entry points, which have handlers.

    The arguments that it is given are what C programs can pass. What it gives does what the handler of single calls
    does, errors included; it may leave that to the handler as soon as something is unusual.
    """

    def register(function: Preparer) -> Preparer:
        for name in names:
            _HANDLERS[name] = _HANDLERS[name]._replace(prepare=function)
        return function

    return register


def find_entry(name: str) -> Entry | None:
    """What executes an entry point, None where nothing does."""
    for candidate in (name, canonical_name(name), without_suffix(name), core_name(name)):
        entry = _HANDLERS.get(candidate)
        if entry is not None and (candidate == name or _takes_as_many(name, candidate)):
            return entry
    return None


def only_asks(name: str) -> bool:
    """Whether an entry point tells the program something, and nothing else: who replays a trace, which has the answer,
    need not know it. Not those that give names, or may write into a bound buffer (textures, results of queries).
    """
    return name.startswith(("glGet", "glIs")) and not any(part in name for part in _MAY_WRITE)


def _takes_as_many(name: str, other: str) -> bool:
    """Whether two entry points have as many parameters: EXT_direct_state_access has other ones than GL 4.5."""
    commands = COMMANDS.get(name), COMMANDS.get(other)
    return None in commands or len({len(command.params) for command in commands if command is not None}) == 1
