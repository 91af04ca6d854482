"""Exceptions and signals that must not be lost, or land where they would do harm.

Python runs signal handlers between any two bytecodes of the main thread, also of those inside of a trampoline: what
a handler raises there would be dropped by ctypes, or tear a call in two while it is written. So handlers of ours
put themselves off until the program's own code runs, and an exception of the program that was caught in a
trampoline is raised again in it, from the handler of a real-time signal that nobody else sends. When that is, tracing
tells: a signal that is sent again by another thread needs the interpreter's lock for it, and so would arrive, in a
program that does little but wait for GL, in our code each time.
"""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Final, cast

from traceformat.errors import InternalError, ToolError
from traceformat.interrupts import interrupt_later

__all__ = ["TRAMPOLINE_FILE", "Faults", "Interrupts"]

_DELIVERY: Final = signal.SIGRTMAX - 2 if hasattr(signal, "SIGRTMAX") else signal.SIGTERM
#: What stands for a file name in the code of trampolines.
TRAMPOLINE_FILE: Final = "<trampoline>"
_FOLDER: Final = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ROOT: Final = os.path.dirname(os.path.dirname(_FOLDER)) + os.sep
#: What our code runs through: itself, the standard library, installed packages, generated code.
_NOT_THE_PROGRAM: Final = (
    *(_ROOT + name + os.sep for name in ("capture", "traceformat", "replay")),
    *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib")),
    "<",
)
#: Our code that the whole program runs in, and code that runs modules of the program.
_TRANSPARENT: Final = tuple(
    _FOLDER + name for name in ("program.py", "session.py", "isolation.py", f"adapters{os.sep}__init__.py", "cli")
)


def _is_ours(filename: str) -> bool:
    if filename == TRAMPOLINE_FILE:
        return True
    return filename.startswith(_FOLDER) and not filename.startswith(_TRANSPARENT)


def _when_program_runs(frame: FrameType, act: Callable[[FrameType], None]) -> bool:
    """Call something in the program's own code, as soon as any of it goes on or begins in this thread.

    Parameters
    ----------
    frame : runs in our code
    act : given the program's frame; what it raises is raised there

    Returns
    -------
    False where the program has a tracer of its own: nothing is done then
    """
    if sys.gettrace() is not None:
        return False
    caller: FrameType | None = frame
    while caller is not None and is_recording(caller):
        caller = caller.f_back

    def trace(running: FrameType, event: str, arg: object) -> None:
        if not is_recording(running):
            sys.settrace(None)
            if caller is not None:
                caller.f_trace = None
            act(running)

    if caller is not None:
        caller.f_trace = trace
    sys.settrace(trace)
    return True


def is_recording(frame: FrameType | None) -> bool:
    """Tell whether a frame runs in our code, called by the program."""
    while frame is not None:
        if _is_ours(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


class Interrupts:
    """Signals of the main thread."""

    def __init__(self) -> None:
        self._pending: list[BaseException] = []
        self._previous: dict[int, Any] = {}

    def install(self, terminate: Callable[[int], None]) -> None:
        """Take over the signals that end a program, unless somebody else has them already.

        Parameters
        ----------
        terminate : called with the number of SIGTERM or SIGHUP, when no call is being recorded
        """
        if threading.current_thread() is not threading.main_thread():
            return
        self._take(_DELIVERY, self._deliver)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._take(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                self._take(number, lambda number, frame: terminate(number))

    def remove(self) -> None:
        """Give the signals back, and drop what has not reached the program."""
        self._pending.clear()
        if getattr(sys.gettrace(), "__module__", None) == __name__:
            sys.settrace(None)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def raise_in_program(self, error: BaseException) -> None:
        """Raise an exception in the main thread as soon as the program's own code runs there."""
        self._pending.append(error)
        deliver = partial(self._deliver, _DELIVERY)
        is_main = threading.current_thread() is threading.main_thread()
        # A thread that sends a signal may wait for its turn until the program is at its end.
        if not is_main or not _when_program_runs(sys._getframe(), deliver):
            interrupt_later(_DELIVERY)

    def _take(self, number: int, handler: Callable[[int, FrameType | None], Any]) -> None:
        def handle(number: int, frame: FrameType | None) -> None:
            if not is_recording(frame):
                handler(number, frame)
            elif not _when_program_runs(cast("FrameType", frame), partial(handler, number)):
                interrupt_later(number)

        self._previous[number] = signal.signal(number, handle)

    def _deliver(self, number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename.startswith(_TRANSPARENT):
            # The program has ended, and the trace is given its name.
            self._pending.clear()
        if self._pending:
            raise self._pending.pop(0)


class Faults:
    """What went wrong inside of callbacks, kept until the run can end with it.

    Parameters
    ----------
    interrupts : delivers what belongs to the program

    Attributes
    ----------
    first : the first error of ours, None while there is none
    """

    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self.first: ToolError | None = None
        self._previous_hook = sys.unraisablehook

    def install(self) -> None:
        """Catch also what is raised before a callback's own handler is entered: ctypes reports that as unraisable."""
        self._previous_hook = sys.unraisablehook
        sys.unraisablehook = self._unraisable

    def remove(self) -> None:
        """Put the interpreter's hook back."""
        sys.unraisablehook = self._previous_hook

    def handle(self, error: BaseException, where: str) -> None:
        """Take an exception that must not leave a callback.

        Parameters
        ----------
        error : what was raised
        where : entry point in whose callback it was
        """
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        is_programs = isinstance(error, (KeyboardInterrupt, SystemExit)) or self._is_programs(trace)
        if is_programs and not isinstance(error, ToolError):
            self._interrupts.raise_in_program(error)
            return
        if os.environ.get("GPUREPLAY_DEBUG") == "1":
            sys.excepthook(type(error), error, error.__traceback__)
        if self.first is not None:
            return
        if isinstance(error, ToolError):
            self.first = error
            return
        place = f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace is not None else ""
        self.first = InternalError(
            f"recording {where} failed: {type(error).__name__}: {error}{place}", hint="please report this bug"
        )

    @staticmethod
    def _is_programs(trace: Any) -> bool:
        """Raised by a signal handler of the program: by code that is neither ours nor installed."""
        return trace is not None and not trace.tb_frame.f_code.co_filename.startswith(_NOT_THE_PROGRAM)

    def _unraisable(self, unraisable: Any) -> None:
        function = unraisable.object
        code = getattr(function, "__code__", None)
        if code is not None and _is_ours(code.co_filename) and unraisable.exc_value is not None:
            self.handle(unraisable.exc_value, str(function.__globals__.get("name", code.co_name)))
            return
        self._previous_hook(unraisable)
