"""Programs in a driver's binary form, which Qt and others keep from run to run: no other driver can replay them.

So the driver seems to have no such form, and what is loaded all the same fails as GL lets it fail at any time: the
program is not linked, and is made from its source.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from traceformat.gles import enums as gl

if TYPE_CHECKING:
    from capture.trampoline import CFunction

__all__ = ["hide_formats", "refuse_binaries"]


def hide_formats(name: int, values: int | None) -> None:
    """Correct the answer of glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS), at the address ``values``."""
    if name == gl.GL_NUM_PROGRAM_BINARY_FORMATS and values:
        ctypes.c_int.from_address(values).value = 0


def refuse_binaries(real: CFunction) -> CFunction:
    """Give a glProgramBinary that loads nothing; it is not recorded."""

    def refuse(program: int, form: int, binary: int | None, length: int) -> Any:
        return real(program, form, binary, 0)

    return refuse
