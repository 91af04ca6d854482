"""Signals that Python would lose, or let land where they do harm.

Python calls signal handlers between any two bytecodes of the main thread. What they raise inside of a callback of C,
of the collector or of a thread that ends is reported as "Exception ignored in ..." and gone; native code that called
Python goes on without what it asked for: LLVM without the machine code, whose address is 0 then.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any, Final

__all__ = ["RETRY_SECONDS", "EndingSignals", "interrupt_later"]

#: Seconds until a signal that came at a bad time comes again.
RETRY_SECONDS: Final = 0.002
#: What must come to its end: LLVM's objects as they are made and given away, and its questions to us.
_LLVM: Final = f"{os.sep}llvmlite{os.sep}binding{os.sep}"
#: Native modules import others of theirs, and make errors of their own of what befalls these.
_NATIVE_MODULES: Final = ("ExtensionFileLoader.create_module", "ExtensionFileLoader.exec_module")


def interrupt_later(number: int) -> None:
    """Let a signal come again, a little later."""
    # Not a Timer: starting one takes locks of the threading module, which the interrupted code may hold.
    _thread.start_new_thread(_interrupt_later, (number,))


def _interrupt_later(number: int) -> None:
    time.sleep(RETRY_SECONDS)
    # As long as somebody handles it; a real signal, which wakes what sleeps.
    if callable(signal.getsignal(number)):
        signal.pthread_kill(threading.main_thread().ident or 0, number)


def _is_at_native_work(frame: FrameType | None) -> bool:
    """Whether code that must not see an exception here has called what is running."""
    while frame is not None:
        if _LLVM in frame.f_code.co_filename or frame.f_code.co_qualname in _NATIVE_MODULES:
            return True
        frame = frame.f_back
    return False


class EndingSignals:
    """SIGINT and SIGTERM while a command runs: it cleans up and ends, whatever it is at.

    As a context: takes the signals that nobody else has, and gives them back.

    Attributes
    ----------
    came : the signal that ends the command, 0 for none
    """

    def __init__(self) -> None:
        self.came = 0
        self._lost = False
        self._owner = os.getpid()
        self._before: dict[int, Any] = {}
        self._hook = sys.unraisablehook

    def __enter__(self) -> EndingSignals:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                self._before[number] = signal.signal(number, self._handle)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._hook

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._owner:
            # Forked children have nothing to clean up.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        if number == self.came == signal.SIGTERM and not self._lost:
            return
        if _is_at_native_work(frame):
            interrupt_later(number)
            return
        self.came, self._lost = number, False
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    def _unraisable(self, what: Any) -> None:
        """Raise again, where it is heard, what a callback has swallowed."""
        if self.came and issubclass(what.exc_type, KeyboardInterrupt | SystemExit):
            self._lost = True
            interrupt_later(self.came)
        else:
            self._hook(what)
