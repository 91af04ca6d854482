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
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import traceformat.gles.tracker  # noqa: F401  registers every handler
from capture.contexts import ContextRegistry
from capture.frames import FrameCounter
from capture.interrupts import Faults
from capture.markers import Markers
from capture.marshal import HandleTable, Marshaller
from capture.rules import AFTER, BEFORE, DRAWS
from capture.shadow import ContextShadow, ShareShadow
from capture.trampoline import CFunction, prototype
from traceformat.calls import Call, CallFlags, Value
from traceformat.errors import UnsupportedCallError
from traceformat.gles.dispatch import find_handler
from traceformat.gles.entry_points import Command, ParamKind, canonical_name

if TYPE_CHECKING:
    from capture.drivers import AnsweringDriver, ForwardingDriver
    from capture.sink import TraceFile

__all__ = ["Recorder"]

_TEXT_QUERIES: Final = frozenset({"glGetString", "glGetStringi"})
_BOUNDARIES: Final = frozenset({"glFinish", "glReadPixels"})
_MAPPINGS: Final = frozenset({"glMapBufferRange", "glMapBuffer"})
_LABELLED: Final = {"glPushDebugGroup": (1, 3), "glDebugMessageInsert": (2, 5)}

#: For calls without a current context: GL ignores them, nothing needs sizing.
_NO_SHADOW: Final = ContextShadow(ShareShadow())


class Recorder:
    """Makes hooks, and writes what they see.

    Parameters
    ----------
    driver : what answers the calls
    trace : where calls are written
    faults : takes what goes wrong in a callback
    frames : counts frames, and says when to stop
    source_root : folder of the script: calls are recorded with file and line; None records none
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
        self.registry = ContextRegistry(self, driver.describe_context)
        self._trace = trace
        self._source_root = source_root
        self._label_numbers: dict[str, int] = {}
        self._lock = threading.RLock()
        self._answering = cast("AnsweringDriver", driver) if driver.name == "null" else None
        self._forwarding = cast("ForwardingDriver", driver) if driver.name == "system" else None
        self._markers = Markers(self._forwarding, self._context_number) if self._forwarding is not None else None
        # The null driver's opaque objects are small numbers already.
        self._handles = HandleTable(is_identity=self._answering is not None)
        self._strings: dict[str, ctypes.Array[ctypes.c_char]] = {}
        self._unsupported: set[str] = set()
        self.is_recording = True

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
        if not self.is_recording:
            return
        state = self.registry.thread()
        if state.pending:
            for action in state.pending[:]:
                state.pending.remove(action)
                action()
        source = self._find_source() if self._source_root is not None else None
        with self._lock:
            self._trace.writer().write(
                name,
                args,
                outputs,
                result,
                thread=state.number,
                context=state.context_number,
                flags=flags,
                source=source,
            )

    def command(self, name: str, *args: Value) -> None:
        """Write a trace command, and let the null driver execute it."""
        self.note(name, args)
        self._execute(name, args, 0)
        if name in ("traceSwap", "traceFrame"):
            self._boundary(name)

    def synthesize(self, name: str, *args: Value) -> None:
        """Write a call that the program did not make."""
        self.note(name, args, flags=CallFlags.SYNTHETIC)
        self._execute(name, args, CallFlags.SYNTHETIC)

    def stop(self) -> None:
        """End recording: from here on calls only go to the driver."""
        self.is_recording = False

    def _execute(self, name: str, args: tuple[Value, ...], flags: int) -> Call | None:
        if self._answering is None:
            return None
        state = self.registry.thread()
        call = Call(self._trace.num_calls, name, state.number, state.context_number, flags, args)
        self._answering.execute(call)
        return call

    def _boundary(self, name: str) -> None:
        if self.is_recording and self.frames.ends(name):
            self.stop()
            self.frames.leave_program()

    def _find_source(self) -> tuple[str, int] | None:
        """File and line of the program that made the call: the innermost frame below the script's folder."""
        root = self._source_root
        assert root is not None
        frame = sys._getframe(2)
        while frame is not None:
            path = frame.f_code.co_filename
            if path.startswith(root) and "site-packages" not in path:
                return os.path.relpath(path, root).replace(os.sep, "/"), frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None

    # -- hooks ------------------------------------------------------------------------------------------------------

    def real_function(self, command: Command) -> CFunction | None:
        """The driver's own function; None where it has none. An answering driver has a function for every command."""
        if self._answering is not None:
            return self._answer
        assert self._forwarding is not None
        address = self._forwarding.address(command.name)
        return cast("CFunction", prototype(command)(address)) if address else None

    @staticmethod
    def _answer(*raw: Any) -> int:
        """Stand in for a call that the null driver may not see, as it is made inside of another one."""
        return 0

    def hook(self, command: Command, real: CFunction | None) -> tuple[CFunction, CFunction]:
        """Make the hook of a command.

        Parameters
        ----------
        command : entry point
        real : the driver's function; None for those that only the capture layer has

        Returns
        -------
        the hook, and the function to call where nothing is to be recorded
        """
        name = canonical_name(command.name)
        if find_handler(name) is None:
            self._unsupported.add(command.name)
        if self._markers is not None and self._markers.is_own(command):
            real = self._markers.guard(command, real)
        assert real is not None
        special = self._special_hook(name, command, real)
        if special is not None:
            return special, real
        marshaller = Marshaller(command, self._handles)
        if self._answering is not None:
            return self._answering_hook(command, marshaller), real
        if self._is_simple(name, command, marshaller):
            return self._plain_hook(command, real), real
        return self._forwarding_hook(command, marshaller, real), real

    def _is_simple(self, name: str, command: Command, marshaller: Marshaller) -> bool:
        has_rule = name in BEFORE or name in AFTER or name in DRAWS or name in _BOUNDARIES or name in _LABELLED
        result_is_plain = command.result.kind not in (ParamKind.HANDLE, ParamKind.DATA, ParamKind.STRING)
        return marshaller.is_plain and result_is_plain and not has_rule and command.name not in self._unsupported

    def _plain_hook(self, command: Command, real: CFunction) -> CFunction:
        """Fast path: C values are recorded values. Written out for the number of arguments, which is faster."""
        names = "".join(f"a{i}, " for i in range(len(command.params)))
        result = "None" if command.result.kind is ParamKind.VOID else "result"
        source = (
            f"def hook({names}):\n"
            f"    result = real({names})\n"
            f"    note({command.name!r}, ({names}), None, {result})\n"
            f"    return {result}\n"
        )
        scope: dict[str, Any] = {"real": real, "note": self.note}
        exec(compile(source, f"<hook {command.name}>", "exec"), scope)
        return cast("CFunction", scope["hook"])

    def _forwarding_hook(self, command: Command, marshaller: Marshaller, real: CFunction) -> CFunction:
        name = canonical_name(command.name)
        before, after, is_draw = BEFORE.get(name), AFTER.get(name), name in DRAWS
        kind = command.result.kind
        has_outputs = marshaller.has_outputs
        is_boundary = name in _BOUNDARIES
        markers = self._markers
        counts_extensions = markers.count_extensions if markers is not None and name == "glGetIntegerv" else None

        def hook(*raw: Any) -> Any:
            if not self.is_recording:
                return real(*raw)
            shadow = self._shadow()
            values = self._relabel(name, marshaller.inputs(raw, shadow))
            if before is not None:
                before(self, shadow, raw)
            result = real(*raw)
            if after is not None:
                after(shadow, raw, values, result)
            if counts_extensions is not None:
                counts_extensions(raw[0], raw[1])
            recorded = self._recorded_result(kind, result)
            self.note(command.name, values, marshaller.outputs(raw, shadow) if has_outputs else None, recorded)
            self._count(command.name, is_draw)
            if is_boundary:
                self._boundary(name)
            return result

        return hook

    def _answering_hook(self, command: Command, marshaller: Marshaller) -> CFunction:
        name = canonical_name(command.name)
        before, after, is_draw = BEFORE.get(name), AFTER.get(name), name in DRAWS
        is_void = command.result.kind is ParamKind.VOID
        is_mapping, is_boundary = name in _MAPPINGS, name in _BOUNDARIES

        def hook(*raw: Any) -> Any:
            shadow = self._shadow()
            values = self._relabel(name, marshaller.inputs(raw, shadow))
            if before is not None:
                before(self, shadow, raw)
            call = self._execute(command.name, values, 0)
            assert call is not None
            marshaller.store(raw, shadow, call.outputs)
            result: Any = call.result
            if is_mapping:
                result = self._map(shadow, raw, call)
            if after is not None:
                after(shadow, raw, values, result)
            self.note(command.name, values, call.outputs, None if is_mapping else call.result, call.flags)
            self._count(command.name, is_draw)
            if is_boundary:
                self._boundary(name)
            return None if is_void else result or 0

        return hook

    def _map(self, shadow: ContextShadow, raw: Sequence[Any], call: Call) -> int:
        """Give the program memory with the mapped bytes of a null driver."""
        content = call.outputs.pop("result", None)
        buffer = shadow.bound_buffer(raw[0])
        if not isinstance(content, bytes) or buffer is None:
            return 0
        memory = ctypes.create_string_buffer(content, max(len(content), 1))
        buffer.memory = memory
        return ctypes.addressof(memory)

    def _special_hook(self, name: str, command: Command, real: CFunction) -> CFunction | None:
        """Hooks of the queries that describe the driver: not recorded, and extensions of ours stand in the answers."""
        if name == "glGetError":
            return self._get_error(command, real)
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

    def _get_error(self, command: Command, real: CFunction) -> CFunction:
        def hook() -> int:
            call = self._execute(command.name, (), 0)
            error = int(cast("int", call.result) or 0) if call is not None else real()
            if error:
                self.note(command.name, (), None, error)
            return error

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
        return self.registry.thread().context_number

    def _shadow(self) -> ContextShadow:
        context = self.registry.thread().context
        return context.shadow if context is not None else _NO_SHADOW

    def _count(self, name: str, is_draw: bool) -> None:
        if is_draw:
            self.frames.note_draw()
        if name in self._unsupported:
            self.faults.handle(UnsupportedCallError(f"{name} was called, which this version does not support"), name)

    def _recorded_result(self, kind: ParamKind, result: Any) -> Value:
        if kind is ParamKind.VOID or kind is ParamKind.DATA:
            return None
        if kind is ParamKind.HANDLE:
            return self._handles.fresh(result)
        return cast("Value", result)

    def _relabel(self, name: str, values: tuple[Value, ...]) -> tuple[Value, ...]:
        places = _LABELLED.get(name)
        if places is None:
            return values
        number, label = places
        text = values[label]
        with self._lock:
            identity = self._label_numbers.setdefault(str(text), len(self._label_numbers))
        return (*values[:number], identity, *values[number + 1 :])
