"""Programs that end by C's ``exit`` in native code, as those of Rust do: Python never hears of it.

What is registered with C is a jump that answers nothing once recording has ended. Until then it leads to machine code:
a child that native code has forked must not ask for an interpreter whose holder it does not have.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from capture.native.code import load_code
from capture.native.libc import LIBC

if TYPE_CHECKING:
    from capture.native.jumps import Jumps

__all__ = ["ExitWatch"]

_CODE: Final = """
define void @leave() {{
  %own = load i32, ptr inttoptr (i64 {process} to ptr)
  %now = call i32 inttoptr (i64 {getpid} to ptr)()
  %same = icmp eq i32 %own, %now
  br i1 %same, label %finish, label %done
finish:
  call void inttoptr (i64 {finish} to ptr)()
  br label %done
done:
  ret void
}}
"""


class ExitWatch:
    """Ends a trace where native code ends the process.

    Parameters
    ----------
    jumps : through which C reaches it; where they lead at the end this does nothing
    finish : ends the trace
    """

    def __init__(self, jumps: Jumps, finish: Callable[[], None]) -> None:
        self._process = ctypes.c_int(os.getpid())
        self._finish = ctypes.CFUNCTYPE(None)(finish)
        getpid, ours = (ctypes.cast(each, ctypes.c_void_p).value for each in (LIBC.getpid, self._finish))
        text = _CODE.format(process=ctypes.addressof(self._process), getpid=getpid, finish=ours)
        self._code = load_code(text, "leave")
        LIBC["__cxa_atexit"](ctypes.c_void_p(jumps.make(self._code.address, 0)), None, None)

    def restart_in_child(self) -> None:
        """After a fork that Python knows of."""
        self._process.value = os.getpid()
