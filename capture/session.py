"""A session: one program run under capture, from its first import to its exit status."""

from __future__ import annotations

import atexit

# Registers something that the interpreter refuses once its threads are joined, which is when a trace may be cut.
import concurrent.futures.thread  # noqa: F401
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, cast

from capture.adapters import install_adapters
from capture.adapters.base import Capture
from capture.children import Children
from capture.control import publish
from capture.drivers import open_driver
from capture.drivers.base import AnsweringDriver, ForwardingDriver, ReadSource
from capture.frames import FrameCounter
from capture.interrupts import Faults, Interrupts
from capture.isolation import ModuleIsolation
from capture.keeper import Keeper
from capture.native.hooks import LinkerHooks
from capture.native.jumps import Jumps
from capture.native.leaving import ExitWatch
from capture.native.ring import Ring
from capture.native.trampolines import NativeTrampolines
from capture.options import CaptureOptions
from capture.program import Program, status_of
from capture.ranges import CallRange, cut_trace
from capture.recorder import Recorder
from capture.repeatable import Repeatable
from capture.resolver import Resolver
from capture.selection import Selection
from capture.sink import TraceFile
from capture.trampoline import TrampolineFactory
from capture.windowsystem.current import CurrentContext
from traceformat.errors import FindingError, ToolError
from traceformat.gltrace.reader import open_trace
from traceformat.voice import say

__all__ = ["CaptureResult", "Session", "capture_program"]

#: Version of what the properties of a captured trace say.
PROPERTIES_VERSION = 1


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What came of it.

    Parameters
    ----------
    status : exit status of the program
    finding : what is wrong with the capture, None if nothing is
    frames, calls, num_bytes : of the trace
    seconds : that the program ran
    """

    status: int
    finding: ToolError | None
    frames: int
    calls: int
    num_bytes: int
    seconds: float

    @property
    def exit_code(self) -> int:
        """The program's own status; where that is 0, that of the finding."""
        if self.status or self.finding is None:
            return self.status
        return self.finding.exit_code


class Session:
    """Captures one program; a process can have one session.

    Parameters
    ----------
    options : how to capture
    program : what runs, or what this process is
    leave : ends the program after the last frame that is wanted; None for a program of Python

    Raises
    ------
    MissingEnvironmentError : there is no such driver
    UsageError : the output cannot be written
    """

    def __init__(self, options: CaptureOptions, program: Program, leave: Callable[[], None] | None = None) -> None:
        self.options = options
        self._program = program
        self._driver: ForwardingDriver | AnsweringDriver
        self._driver, reason = open_driver(options.driver, options.device, is_tried=leave is None)
        self._interrupts = Interrupts()
        self._faults = Faults(self._interrupts)
        self._repeatable = Repeatable(options.clock_step, options.seed, with_secrets=options.with_secrets)
        self._clock = self._repeatable.clock
        self._frames = FrameCounter(
            options.last_frame, leave or self._leave, options.progress, self._clock.end_frame if self._clock else None
        )
        about: dict[str, str | int] = {
            "capture": PROPERTIES_VERSION,
            "driver": self._driver.name,
            "program": program.path.name,
        }
        self._trace = TraceFile(options.output, about | self._repeatable.properties, lambda: self._keeper.wake())
        if reason:
            # Said when nothing else can go wrong before the program starts: a usage error is one line.
            say(f"gpucapture: using the null driver: {reason}")
        self._isolation = ModuleIsolation(program.folder, keep=program.own_packages)
        if self._driver.name == "null":
            reads = ReadSource(self._trace.recorded, self._readback_failed) if options.readback == "engine" else None
            cast("AnsweringDriver", self._driver).prepare(self._isolation.set_aside, reads)
        root = str(program.folder.resolve()) if options.with_source else None
        self._recorder = Recorder(self._driver, self._trace, self._faults, self._frames, root)
        self._ring: Ring | None = None
        jumps = Jumps() if LinkerHooks.are_available() else None
        if jumps is not None and self._driver.name == "system":
            self._ring = self._recorder.ring = Ring(self._trace, self._frames.note_draw)
            self._recorder.natives = NativeTrampolines(self._ring, jumps, self._faults)
        factory = TrampolineFactory(self._recorder.threads, self._faults, self._ring)
        self._resolver = Resolver(self._driver, self._recorder, self._recorder.registry, factory, jumps)
        is_null = self._driver.name == "null"
        self._hooks = LinkerHooks(self._resolver, jumps, self._faults, is_null=is_null) if jumps is not None else None
        self._jumps = jumps
        self._exit_watch: ExitWatch | None = None
        frames = (options.first_frame, options.last_frame)
        self._keeper = Keeper(self._save, self._may_rest, self._faults)
        self._selection = Selection(self._trace, self._recorder, frames, is_paused=options.is_paused)
        self._children = Children(options)
        self._process = os.getpid()
        self._is_kept = False
        self._current = self._recorder.current = CurrentContext(
            self._recorder.registry, self._resolver, self._resolver.egl, self._resolver.glx
        )
        self._started = 0.0
        self._result: CaptureResult | None = None

    @property
    def path(self) -> Path:
        """File of this process."""
        return self._trace.path

    def run(self) -> CaptureResult:
        """Run the program to its end, write the trace, and say what came of it."""
        install_adapters(
            Capture(
                self._driver,
                self._resolver,
                self._recorder.registry,
                self._recorder,
                self._current,
                self._faults,
                self._clock,
                self._hooks is not None,
            )
        )
        exit_now = os._exit

        def leave_at_once(status: int) -> NoReturn:
            result = self.finish(status)
            exit_now(result.exit_code)

        os._exit = leave_at_once
        if self._jumps is not None:
            self._exit_watch = ExitWatch(self._jumps, self._finish_by_c)
        self._interrupts.install(self._terminate)
        self._isolation.install()
        self._children.install()
        self._repeatable.install()
        self.begin()
        publish(self._selection)
        try:
            status = self._run_program()
            status = status or status_of(self._wait_for_the_rest)
        except BaseException:
            # Not the program's: what it raises has become its status.
            self._keeper.stop()
            self._trace.abort()
            self._drop_ring()
            raise
        finally:
            self._stop_hooks()
            self._repeatable.remove()
            self._isolation.remove()
            self._children.remove()
            os._exit = exit_now
            self._interrupts.remove()
        return self.finish(status)

    def _run_program(self) -> int:
        """Run the program; where the interpreter ends below it, as PyQt has it when a method raises SystemExit, the
        trace ends with it.
        """
        atexit.register(self._finish_by_interpreter)
        try:
            return self._program.run()
        finally:
            atexit.unregister(self._finish_by_interpreter)

    def begin(self) -> None:
        """Record what native code of this process calls, whoever runs it, until :meth:`finish`."""
        os.register_at_fork(
            before=self._before_fork, after_in_parent=self._go_on_in_parent, after_in_child=self._restart_in_child
        )
        self._faults.install()
        self._started = time.monotonic()
        if self._hooks is not None:
            self._hooks.look()
        self._keeper.start()

    def _stop_hooks(self) -> None:
        if self._hooks is not None:
            self._hooks.remove()
        self._faults.remove()

    def finish(self, status: int) -> CaptureResult:
        """End recording and give the file its name; further calls give the same result."""
        if self._result is not None:
            return self._result
        self._keeper.stop()
        self._recorder.settle()
        self._trace.stop()
        publish(None)
        calls, frames = self._trace.num_calls, self._frames.num_frames
        finding = self._faults.first
        num_bytes = 0
        try:
            self._trace.close()
            path = self._trace.path
            if path.exists():
                num_bytes = path.stat().st_size
                parts = self._selection.parts(path)
                if parts is not None:
                    calls, frames = self._cut(path, parts)
                    num_bytes = path.stat().st_size
        except ToolError as error:
            finding = finding or error
        finally:
            self._drop_ring()
        if finding is None and self._frames.num_draws == 0 and os.getpid() == self._process:
            finding = FindingError("the program drew nothing", hint="no call that draws or clears was made")
        seconds = time.monotonic() - self._started
        self._result = CaptureResult(status, finding, frames, calls, num_bytes, seconds)
        return self._result

    def _drop_ring(self) -> None:
        if self._ring is not None:
            self._ring.drop()

    def _save(self) -> None:
        """Let what was recorded survive a sudden end."""
        self._trace.save(self._ring.settle_in_time if self._ring is not None else _nothing)

    def _may_rest(self) -> bool:
        """Whether what machine code records survives by itself."""
        return self._ring is None or self._ring.is_kept

    def _finish_by_c(self) -> None:
        self.finish(0)

    def _finish_by_interpreter(self) -> None:
        self._stop_hooks()
        self.finish(0)

    def _readback_failed(self, error: ToolError) -> None:
        """From now on what the program reads is zero: that is worth knowing."""
        self._faults.handle(error, "read-back")

    def _cut(self, path: Path, parts: Sequence[CallRange]) -> tuple[int, int]:
        """Keep the parts of the trace that are wanted; gives the numbers of calls and frames that it has then."""
        first = parts[0].start
        if first:
            say(f"gpucapture: replaying {first:,} calls for the state before them")
        with self._isolation.set_aside():
            calls = cut_trace(path, parts)
        with open_trace(path) as reader:
            return calls, len(reader.frames)

    @staticmethod
    def _wait_for_the_rest() -> None:
        """Do what the interpreter does when the main program has ended, while calls are still recorded."""
        # Joins threads, and ends those of thread pools, which wait for work until they are told.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()

    def _terminate(self, number: int) -> None:
        """End by a signal as the program would, but with a whole trace."""
        result = self.finish(128 + number)
        say(f"gpucapture: ended by {signal.Signals(number).name}; {result.calls} calls recorded")
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    def _before_fork(self) -> None:
        # Also so that Python finds no more threads than the program has.
        self._is_kept = self._keeper.stop()
        self._recorder.settle()
        self._trace.flush()

    def _go_on_in_parent(self) -> None:
        if self._is_kept:
            self._keeper.start()

    def _restart_in_child(self) -> None:
        """A forked child writes a trace of its own."""
        if self._exit_watch is not None:
            self._exit_watch.restart_in_child()
        if self._ring is not None:
            self._ring.restart_in_child()
        self._selection.restart_in_child()
        begin = self._recorder.registry.restart_in_child()

        def begin_and_keep() -> None:
            begin()
            if self._ring is not None:
                self._ring.keep()
            if self._is_kept:
                self._keeper.start()

        self._trace.restart_in_child(begin_and_keep)

    def _leave(self) -> None:
        """End the program after the last frame that is wanted."""
        self._interrupts.raise_in_program(SystemExit(0))


def _nothing() -> None:
    """Nothing waits where no machine code records."""


def capture_program(options: CaptureOptions, script: Path, arguments: Sequence[str] = ()) -> CaptureResult:
    """Run a script under capture in this process.

    Parameters
    ----------
    options : how to capture
    script : file to run as ``__main__``
    arguments : its ``sys.argv[1:]``

    Raises
    ------
    UsageError : no such script, or the output cannot be written
    MissingEnvironmentError : there is no such driver
    """
    return Session(options, Program.from_script(script, arguments)).run()
