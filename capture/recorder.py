"""The recorder: from C-level calls to calls in the trace.

For each entry point it makes one hook, which reads the inputs, lets the driver act, reads the outputs and writes
the call. What is recorded and what is not:

* Dropped are answers that describe the driver and not the program: glGetString and glGetStringi always, glGetError
  where it answers GL_NO_ERROR. Every other call is recorded, queries with their answers.
* Labels of debug groups are kept; ids of glPushDebugGroup and glDebugMessageInsert are replaced by the number of the
  label in order of appearance, for moderngl makes ids from ``hash()``, which differs from process to process.
* Addresses never enter the trace: content behind pointers does, and opaque objects are numbered.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final, cast

import traceformat.gles.tracker  # noqa: F401  registers every handler
from capture.binaries import hide_formats, refuse_binaries
from capture.codegen import Steps, forwarding_body
from capture.contexts import ContextRegistry
from capture.equivalents import EQUIVALENTS, Equivalent
from capture.frames import FrameCounter
from capture.interrupts import Faults
from capture.markers import Markers
from capture.marshal import HandleTable, Marshaller
from capture.native.commands import native_command
from capture.native.trampolines import HOT_CALLS
from capture.rules import AFTER, BEFORE
from capture.shadow import BufferShadow
from capture.threads import Threads
from capture.trampoline import CFunction, TrampolineFactory, prototype
from traceformat.calls import Call, CallFlags, Value
from traceformat.errors import UnsupportedCallError
from traceformat.gles.dispatch import find_entry, only_asks
from traceformat.gles.entry_points import COMMANDS, Command, ParamKind, canonical_name
from traceformat.gles.roles import boundary_of, is_drawing, shows_frame

if TYPE_CHECKING:
    from capture.drivers.base import AnsweringDriver, ForwardingDriver
    from capture.native.ring import Ring
    from capture.native.trampolines import NativeTrampolines
    from capture.sink import TraceFile
    from capture.windowsystem.current import CurrentContext

__all__ = ["Recorder"]

_TEXT_QUERIES: Final = frozenset({"glGetString", "glGetStringi"})
_MAPPINGS: Final = frozenset({"glMapBufferRange", "glMapBuffer"})
_NAMED_MAPPINGS: Final = frozenset({"glMapNamedBufferRange", "glMapNamedBuffer"})
_LABELLED: Final = {"glPushDebugGroup": (1, 3), "glDebugMessageInsert": (2, 5)}


class Recorder:
    """Makes hooks, and writes what they see.

    Parameters
    ----------
    driver : what answers the calls
    trace : where calls are written
    faults : takes what goes wrong in a callback
    frames : counts frames, and says when to stop
    source_root : folder of the script: calls are recorded with file and line; None records none

    Attributes
    ----------
    current : asks EGL and GLX what is current
    ring : has what machine code has recorded; None where there is none
    natives : makes machine code of what is called often; None where there is none
    """

    def __init__(
        self,
        driver: ForwardingDriver | AnsweringDriver,
        trace: TraceFile,
        faults: Faults,
        frames: FrameCounter,
        source_root: str | None = None,
    ) -> None:
        self.driver = driver
        self.faults = faults
        self.frames = frames
        self.threads = Threads()
        self.registry = ContextRegistry(self, self.threads, driver.describe_context)
        self.current: CurrentContext | None = None
        self.natives: NativeTrampolines | None = None
        self.ring: Ring | None = None
        self._trace = trace
        self._source_root = source_root
        self._label_numbers: dict[str, int] = {}
        self._answering = cast("AnsweringDriver", driver) if driver.name == "null" else None
        self._forwarding = cast("ForwardingDriver", driver) if driver.name == "system" else None
        self._markers = Markers(self._forwarding, self._context_number) if self._forwarding is not None else None
        # The null driver's opaque objects are small numbers already.
        self._handles = HandleTable(is_identity=self._answering is not None)
        self._strings: dict[str, ctypes.Array[ctypes.c_char]] = {}
        self._unsupported: set[str] = set()

    # -- writing ----------------------------------------------------------------------------------------------------

    def note(
        self,
        name: str,
        args: tuple[Value, ...],
        outputs: Mapping[str, Value] | None = None,
        result: Value = None,
        flags: int = 0,
    ) -> None:
        """Write one call of this thread, unless recording has ended."""
        trace = self._trace
        self.settle()
        if not trace.is_recording:
            return
        state = self.threads.state()
        source = self._find_source() if self._source_root is not None else None
        with trace.lock:
            trace.write(name, args, outputs, result, state.number, state.context_number, flags, source)

    def settle(self) -> None:
        """Take what machine code has recorded into the trace."""
        if self.ring is not None:
            self.ring.settle()

    def command(self, name: str, *args: Value) -> None:
        """Write a trace command, and let the null driver execute it."""
        self._execute(name, args, 0)
        self.note(name, args)
        if shows_frame(name):
            self._boundary(name)

    def say(self, name: str, *args: Value) -> None:
        """Write a GL call that the program makes through us and not through GL."""
        if not self.threads.state().context_number:
            self.adopt_context()
        self._execute(name, args, 0)
        self.note(name, args)

    def adopt_context(self) -> None:
        """Look for a context that C code made where no hook could see it, in a thread that seems to have none."""
        if self.current is not None and self.current.handle() is not None:
            self.current.note()

    def synthesize(self, name: str, *args: Value) -> None:
        """Write a call that the program did not make."""
        self._execute(name, args, CallFlags.SYNTHETIC)
        self.note(name, args, flags=CallFlags.SYNTHETIC)

    def _execute(self, name: str, args: tuple[Value, ...], flags: int) -> Call | None:
        """Let the null driver execute a call; one that it does not support is recorded as it is."""
        if self._answering is None:
            return None
        state = self.threads.state()
        call = Call(self._trace.num_calls, name, state.number, state.context_number, flags, args)
        if name not in self._unsupported:
            self._answering.execute(call)
        return call

    def _boundary(self, name: str) -> None:
        if self._trace.is_recording and self.frames.ends(name):
            self._trace.stop()
            self.frames.leave_program()

    def _find_source(self) -> tuple[str, int] | None:
        """File and line of the program that made the call: the innermost frame below the script's folder."""
        root = self._source_root
        assert root is not None
        frame = sys._getframe(2)
        while frame is not None:
            path = frame.f_code.co_filename
            if path.startswith(root + os.sep) and "site-packages" not in path:
                return os.path.relpath(path, root).replace(os.sep, "/"), frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None

    # -- hooks ------------------------------------------------------------------------------------------------------

    def _real_function(self, command: Command) -> CFunction | None:
        """The driver's own function; None where it has none. An answering driver has a function for every command."""
        if self._answering is not None:
            return self._answer
        assert self._forwarding is not None
        address = self._forwarding.address(command.name)
        return cast("CFunction", prototype(command)(address)) if address else None

    def real_address(self, name: str) -> int:
        """Address of the driver's function for a name that the table does not have; 0 where there is none."""
        return self._forwarding.address(name) if self._forwarding is not None else 0

    @staticmethod
    def _answer(*raw: Any) -> int:
        """Stand in for a call that the null driver may not see, as it is made inside of another one."""
        return 0

    def trampoline(self, command: Command, factory: TrampolineFactory) -> int:
        """Make the trampoline of a GL command.

        Parameters
        ----------
        command : entry point
        factory : makes it

        Returns
        -------
        its address; 0 where the driver does not have the command
        """
        name = canonical_name(command.name)
        real = self._real_function(command)
        if self._markers is not None and self._markers.is_own(command):
            real = self._markers.guard(command, real)
        if real is None:
            return 0
        equivalent = EQUIVALENTS.get(name)
        names = equivalent.names if equivalent is not None else (name,)
        if any(find_entry(each) is None and not only_asks(each) for each in names):
            self._unsupported.add(command.name)
        special = self._special_hook(name, command, real, factory)
        if special is not None:
            return factory.make(command, special, real)
        marshaller = Marshaller(command, self._handles)
        if self._answering is not None:
            return factory.make(command, self._answering_hook(command, marshaller), real)
        steps = self._steps(name, command)
        body, scope = forwarding_body(
            command,
            marshaller,
            steps,
            {"trace": self._trace, "real": real, "recorder": self, "fresh": self._handles.fresh},
        )
        natives = self.natives
        hot = None
        if natives is not None and steps.is_plain and command.name not in self._unsupported:
            hot = native_command(command, marshaller)
        if natives is not None and hot is not None:
            body = ["heat[0] += 1", f"if heat[0] == {HOT_CALLS}:", "    promote()", *body]
            scope |= {"heat": [0], "promote": partial(natives.promote, hot)}
        return factory.make_written(command, body, scope)

    def _steps(self, name: str, command: Command) -> Steps:
        """What happens around a call, besides recording it."""
        finish: list[Callable[[], None]] = []
        # A program that makes no such call has drawn nothing.
        if is_drawing(name):
            finish.append(self.frames.note_draw)
        if command.name in self._unsupported:
            finish.append(partial(self._report_unsupported, command.name))
        if boundary_of(name) is not None:
            finish.append(partial(self._boundary, name))
        markers = self._markers
        return Steps(
            before=BEFORE.get(name),
            after=AFTER.get(name),
            relabel=partial(self._relabel, _LABELLED[name]) if name in _LABELLED else None,
            correct=self._correct_integer if markers is not None and name == "glGetIntegerv" else None,
            finish=tuple(finish),
            note=self.note if self._source_root is not None else None,
        )

    def _answering_hook(self, command: Command, marshaller: Marshaller) -> CFunction:
        """What happens at a call under the null driver: it executes the very call that is recorded."""
        name = canonical_name(command.name)
        steps = self._steps(name, command)
        is_void = command.result.kind is ParamKind.VOID
        is_named = name in _NAMED_MAPPINGS
        is_mapping = is_named or name in _MAPPINGS

        def hook(*raw: Any) -> Any:
            shadow = self.threads.state().shadow
            values = marshaller.inputs(raw, shadow)
            if steps.relabel is not None:
                values = steps.relabel(values)
            if steps.before is not None:
                steps.before(self, shadow, raw)
            call = self._execute(command.name, values, 0)
            assert call is not None
            marshaller.store(raw, shadow, call.outputs)
            result: Any = call.result
            if is_mapping:
                result = self._map(shadow.buffer(raw[0]) if is_named else shadow.bound_buffer(raw[0]), call)
            if steps.after is not None:
                steps.after(shadow, raw, values, result)
            self.note(command.name, values, call.outputs, None if is_mapping else call.result, call.flags)
            if self._trace.is_recording:
                for finish in steps.finish:
                    finish()
            return None if is_void else result or 0

        return hook

    @staticmethod
    def _map(buffer: BufferShadow | None, call: Call) -> int:
        """Give the program memory with the mapped bytes of a null driver."""
        content = call.outputs.pop("result", None)
        if not isinstance(content, bytes) or buffer is None:
            return 0
        memory = ctypes.create_string_buffer(content, max(len(content), 1))
        buffer.memory = memory
        return ctypes.addressof(memory)

    def _special_hook(
        self, name: str, command: Command, real: CFunction, factory: TrampolineFactory
    ) -> CFunction | None:
        """Hooks of the queries that describe the driver: not recorded, and extensions of ours stand in the answers."""
        if name == "glGetError":
            return self._get_error(command, real, factory)
        if name in EQUIVALENTS:
            return self._replaced(EQUIVALENTS[name], real)
        if name == "glProgramBinary" and self._forwarding is not None:
            return refuse_binaries(real)
        markers = self._markers
        if name in _TEXT_QUERIES and markers is None:
            return lambda *raw: self._answer_text(command, raw)
        if markers is None:
            return None
        if name == "glGetString":
            return lambda which: markers.get_string(which, real(which))
        if name == "glGetStringi":
            return lambda which, index: markers.get_string_at(which, index, real)
        return None

    def _get_error(self, command: Command, real: CFunction, factory: TrampolineFactory) -> CFunction:
        heat = count(1)

        def noted(error: int) -> None:
            state = self.threads.state()
            if not state.inside:
                self.note(command.name, (), None, error)

        def hook() -> int:
            if next(heat) == HOT_CALLS and self.natives is not None:
                self.natives.promote_error(factory.make_raw(ctypes.CFUNCTYPE(None, ctypes.c_uint), noted))
            call = self._execute(command.name, (), 0)
            error = int(cast("int", call.result) or 0) if call is not None else real()
            if error:
                self.note(command.name, (), None, error)
            return error

        return hook

    def _replaced(self, equivalent: Equivalent, real: CFunction) -> CFunction:
        """Record others in place of a call."""
        ways = {
            name: (Marshaller(COMMANDS[name], self._handles), self._steps(name, COMMANDS[name]))
            for name in equivalent.names
        }

        def function(name: str) -> CFunction:
            return self._real_function(COMMANDS[name]) or self._answer

        def record(raw: Sequence[Any]) -> None:
            shadow = self.threads.state().shadow
            for name, each in equivalent.calls(raw, function):
                marshaller, steps = ways[name]
                values = marshaller.inputs(each, shadow)
                if steps.before is not None:
                    steps.before(self, shadow, each)
                call = self._execute(name, values, 0)
                self.note(name, values, flags=call.flags if call is not None else 0)
                for finish in steps.finish:
                    finish()

        def hook(*raw: Any) -> None:
            if not self.threads.state().context_number:
                self.adopt_context()
            try:
                record(raw)
            finally:
                real(*raw)

        return hook

    def _answer_text(self, command: Command, raw: tuple[int, ...]) -> int:
        """The null driver's answer as a C string that lives as long as the process, as GL promises."""
        call = self._execute(command.name, raw, 0)
        if call is None or not isinstance(call.result, str):
            return 0
        buffer = self._strings.get(call.result)
        if buffer is None:
            buffer = ctypes.create_string_buffer(call.result.encode("utf-8", "surrogateescape"))
            self._strings[call.result] = buffer
        return ctypes.addressof(buffer)

    # -- details ----------------------------------------------------------------------------------------------------

    def _context_number(self) -> int:
        return self.threads.state().context_number

    def _correct_integer(self, name: int, values: int | None) -> None:
        """Correct what glGetIntegerv says of the driver."""
        assert self._markers is not None
        self._markers.count_extensions(name, values)
        hide_formats(name, values)

    def _report_unsupported(self, name: str) -> None:
        raise UnsupportedCallError(f"{name} was called, which this version does not support")

    def _relabel(self, places: tuple[int, int], values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Replace the id of a debug group by the number of its label."""
        number, label = places
        with self._trace.lock:
            identity = self._label_numbers.setdefault(str(values[label]), len(self._label_numbers))
        return (*values[:number], identity, *values[number + 1 :])
