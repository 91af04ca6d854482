"""Entry point name to handler, and how a handler reports a GL error.

A handler is a function ``handler(tracker, context, *args)`` with the arguments of its entry point, registered under
one or more core names::

    @handles("glBindBuffer")
    def bind_buffer(t: Tracker, c: Context, target: int, name: int) -> None: ...

It raises :class:`GLError` *before* it changes anything. Vendor spellings reach it through the entry-point table's
aliases, and, where vendors gave the same meaning to a name without the registry saying so, by cutting the suffix.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from traceformat.gles import enums as gl
from traceformat.gles.entry_points import canonical_name

__all__ = [
    "GLError",
    "Handler",
    "find_handler",
    "handles",
    "invalid_enum",
    "invalid_operation",
    "invalid_value",
]

Handler = Callable[..., Any]
F = TypeVar("F", bound=Handler)

_HANDLERS: dict[str, Handler] = {}
_SUFFIX = re.compile(r"(OES|EXT|KHR|ARB|ANGLE|APPLE|NV|IMG|MESA|INTEL|QCOM)$")


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


def invalid_enum(message: str) -> GLError:
    """GL_INVALID_ENUM."""
    return GLError(gl.GL_INVALID_ENUM, message)


def invalid_value(message: str) -> GLError:
    """GL_INVALID_VALUE."""
    return GLError(gl.GL_INVALID_VALUE, message)


def invalid_operation(message: str) -> GLError:
    """GL_INVALID_OPERATION."""
    return GLError(gl.GL_INVALID_OPERATION, message)


def handles(*names: str) -> Callable[[F], F]:
    """Register a function as the handler of these entry points."""

    def register(function: F) -> F:
        for name in names:
            if name in _HANDLERS:
                raise ValueError(f"{name} has two handlers")
            _HANDLERS[name] = function
        return function

    return register


def find_handler(name: str) -> Handler | None:
    """Handler of an entry point, None where there is none."""
    for candidate in (name, canonical_name(name), _SUFFIX.sub("", name), _SUFFIX.sub("", canonical_name(name))):
        handler = _HANDLERS.get(candidate)
        if handler is not None:
            return handler
    return None
