"""The tracker itself, without the handlers of entry points: :mod:`traceformat.gles.tracker` has both."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from traceformat.calls import Call, Value
from traceformat.errors import ReplayError, UnsupportedCallError
from traceformat.gles.arguments import ArgumentCheck
from traceformat.gles.backend import Backend
from traceformat.gles.dispatch import Entry, GLError, Handler, OverGuard, find_entry, only_asks
from traceformat.gles.entry_points import COMMANDS, ParamKind
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, Limits
from traceformat.gles.objects import Drawable, Image
from traceformat.gles.state import Changes, Context

__all__ = ["Tracker"]

_PYTHON_TYPES: dict[ParamKind, tuple[type, ...]] = {
    ParamKind.ENUM: (int,),
    ParamKind.BITFIELD: (int,),
    ParamKind.BOOLEAN: (int,),
    ParamKind.INTEGER: (int,),
    ParamKind.HANDLE: (int, type(None)),
    ParamKind.FLOAT: (int, float),
    ParamKind.DOUBLE: (int, float),
    ParamKind.STRING: (str, type(None)),
    ParamKind.STRINGS: (tuple, type(None)),
}
_BAD_ARGUMENTS = (AttributeError, TypeError, ValueError, IndexError, OverflowError, struct.error, ReplayError)


def _unanswered(tracker: Tracker, context: Context, *_: Value) -> None:
    """A query that only the program wanted to know the answer of."""


class Tracker:
    """Executes calls, one after the other, in the order of the trace.

    Parameters
    ----------
    backend : executes what has pixels
    gles_limits, desktop_limits : implementation limits of the contexts to come
    remap : a trace recorded elsewhere is replayed: names and locations that the recorded driver returned
        (``call.outputs``, ``call.result``) are used, or translated to ours

    Attributes
    ----------
    outputs : outputs of the last call, by parameter name; the content of a mapped range is under ``result``
    failure : GL error of the last call, None if it had none
    changes : what calls may have changed since the backend last looked
    unusable : why programs cannot be used that the trace uses, by their serial number
    refused : the first call that each guard has refused, by the guard's name
    """

    def __init__(
        self,
        backend: Backend,
        *,
        gles_limits: Limits = GLES_LIMITS,
        desktop_limits: Limits = DESKTOP_LIMITS,
        remap: bool = False,
    ) -> None:
        self.backend = backend
        self.gles_limits = gles_limits
        self.desktop_limits = desktop_limits
        self.remap = remap
        self.outputs: dict[str, bytes] = {}
        self.failure: GLError | None = None
        self._call = Call(-1, "", 0, 0, 0, ())
        #: Gives the call of the number at hand, where calls are executed from rows.
        self._find_call: Callable[[int], Call] | None = None
        self._number = -1
        self.contexts: dict[int, Context] = {}
        self.drawables: dict[int, Drawable] = {}
        self.current: dict[int, Context] = {}
        self.num_groups = 0
        #: Counts changes of images and attachments: framebuffer completeness is checked anew after one.
        self.epoch = 0
        #: Number of mapped buffers; draws need not look for one while it is zero.
        self.num_mapped = 0
        self.unusable: dict[int, str] = {}
        self.refused: dict[str, str] = {}
        #: Bytes of buffers and images in use, against ``Limits.max_total_bytes``.
        self.allocated_bytes = 0
        #: EGLImages by handle; None where the trace does not tell what an image is.
        self.egl_images: dict[int, Image | None] = {}
        #: Calls that have raised a GL error.
        self.num_failures = 0
        self._handlers: dict[str, tuple[Handler, bool, int]] = {}
        self.changes = Changes()
        self._arguments = ArgumentCheck()

    def execute(self, call: Call) -> Value:
        """Execute one call.

        Parameters
        ----------
        call : ``outputs`` and ``result`` are read with ``remap`` only, and never written

        Returns
        -------
        what the entry point returns, None for void; outputs are in :attr:`outputs`

        Raises
        ------
        UnsupportedCallError   for an entry point without handler
        ReplayError            for arguments that no program can have passed
        """
        handler, needs_context, touched = self.find_handler(call)
        args = self._arguments.checked(call) if self.remap else call.args
        self._call = call
        self.failure = None
        self.changes.bits |= touched
        if self.outputs:
            self.outputs = {}
        context = self.current.get(call.thread)
        if context is None:
            if needs_context:
                # GL calls without a current context do nothing.
                return None
            try:
                result: Value = handler(self, None, *args)
            except _BAD_ARGUMENTS as error:
                raise self._explain(call, error) from error
            return result
        context.call_number = call.number
        try:
            result = handler(self, context, *args)
        except GLError as error:
            self._fail(context, error)
            return None
        except _BAD_ARGUMENTS as error:
            raise self._explain(call, error) from error
        return result

    def execute_rows(
        self,
        first: int,
        thread: int,
        calls: Sequence[tuple[tuple[Handler, bool, int], tuple[Value, ...]]],
        find_call: Callable[[int], Call],
    ) -> None:
        """Execute calls of one thread that follow each other, as :meth:`execute` does with each.

        Parameters
        ----------
        first : number of the first call
        calls : what :meth:`find_handler` gives, and arguments that are what a C program can have passed
        find_call : gives the call of a number, should anybody ask
        """
        changes, current = self.changes, self.current
        context = current.get(thread)
        number, failed = first - 1, -1
        try:
            for (handler, needs_context, touched), args in calls:
                number += 1
                if context is None:
                    self._find_call = None
                    self.execute(find_call(number))
                    context = current.get(thread)
                    continue
                if self._find_call is None:
                    self._find_call = find_call
                if self.outputs:
                    self.outputs = {}
                if touched:
                    changes.bits |= touched
                self._number = context.call_number = number
                try:
                    handler(self, context, *args)
                except GLError as error:
                    self._fail(context, error)
                    failed = number
                if not needs_context:
                    context = current.get(thread)
        except _BAD_ARGUMENTS as error:
            raise self._explain(find_call(number), error) from error
        finally:
            self._find_call = None
            if failed != number:
                self.failure = None

    @property
    def call(self) -> Call:
        """The call at hand, while it is executed."""
        if self._find_call is not None and self._call.number != self._number:
            self._call = self._find_call(self._number)
        return self._call

    @property
    def arguments(self) -> ArgumentCheck:
        """What checks arguments of recorded calls."""
        return self._arguments

    def _fail(self, context: Context, error: GLError) -> None:
        # Without the frames that it went through, which hold this tracker.
        self.failure = GLError(error.error, error.message)
        self.num_failures += 1
        if isinstance(error, OverGuard):
            call = self.call
            self.refused.setdefault(error.guard, f"call {call.number} {call.name}: {error.message}")
        context.fail(error.error, error.message)
        if self.outputs:
            self.outputs = {}

    def allocate(self, new_bytes: int, freed_bytes: int = 0) -> None:
        """Account for storage; raises GL_OUT_OF_MEMORY beyond the limit, before anything changes."""
        total = self.allocated_bytes + new_bytes - freed_bytes
        if new_bytes and total > self.gles_limits.max_total_bytes:
            raise OverGuard(f"{total} bytes of buffers and images", "memory", self.gles_limits.max_total_bytes)
        self.allocated_bytes = max(total, 0)

    def recorded_names(self, parameter: str, count: int) -> tuple[int, ...] | None:
        """Names that the recorded glGen* returned; None where they are not to be used."""
        if not self.remap:
            return None
        data = self.call.outputs.get(parameter)
        if not isinstance(data, bytes) or len(data) < 4 * count:
            return None
        return struct.unpack(f"<{count}I", data[: 4 * count])

    def recorded_result(self) -> int | None:
        """Integer that the recorded call returned; None where it is not to be used."""
        result = self.call.result if self.remap else None
        return int(result) if isinstance(result, int) else None

    def find_handler(self, call: Call) -> tuple[Handler, bool, int]:
        """What executes the calls of an entry point, whether they need a context, and what they may change.

        Raises
        ------
        UnsupportedCallError   for an entry point without handler
        """
        found = self._handlers.get(call.name)
        if found is not None:
            return found
        entry = find_entry(call.name)
        if entry is None and self.remap and only_asks(call.name):
            entry = Entry(_unanswered, Changes.NOTHING)
        if entry is None:
            command = COMMANDS.get(call.name)
            if command is not None and command.compatibility_only:
                raise UnsupportedCallError(f"call {call.number}: {call.name}: fixed function is not portable to GLES")
            raise UnsupportedCallError(f"call {call.number}: {call.name} is not supported")
        needs_context = not call.name.startswith(("trace", "egl"))
        found = self._handlers[call.name] = (entry.handler, needs_context, entry.touches)
        return found

    def _explain(self, call: Call, error: Exception) -> Exception:
        """Blame the arguments for an exception if they are not what the entry point takes; else it is ours."""
        if isinstance(error, ReplayError):
            if error.call >= 0:
                return error
            return ReplayError(error.message, call=call.number, function=call.name, hint=error.hint)
        command = COMMANDS.get(call.name)
        if command is None:
            return error
        if len(call.args) != len(command.params):
            message = f"{len(call.args)} arguments, expected {len(command.params)}"
            return ReplayError(message, call=call.number, function=call.name)
        for param, value in zip(command.params, call.args, strict=True):
            expected = _PYTHON_TYPES.get(param.kind, (bytes, int, type(None)))
            if not isinstance(value, expected) or (value is None and param.kind is ParamKind.STRING):
                message = f"argument {param.name} is of type {type(value).__name__}"
                return ReplayError(message, call=call.number, function=call.name)
            wide = "64" in param.c_type or "ptr" in param.c_type or param.kind is ParamKind.HANDLE
            if isinstance(value, int) and not (-(1 << 63) if wide else -(1 << 31)) <= value < 1 << (64 if wide else 32):
                return ReplayError(f"argument {param.name} is out of range", call=call.number, function=call.name)
        return error
