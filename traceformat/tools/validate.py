"""Checks of a trace's calls: against the table of entry points, the lifetimes of objects, and the rules of GL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from traceformat.calls import Call, Offset, Value
from traceformat.errors import ReplayError, UnsupportedCallError
from traceformat.gles.entry_points import COMMANDS, Direction, Param, ParamKind
from traceformat.gles.values import uints
from traceformat.gltrace.reader import TraceReader

if TYPE_CHECKING:
    from traceformat.gles.backend import Backend
    from traceformat.gles.state import Context
    from traceformat.gles.tracker import Tracker

__all__ = ["CHECKS", "Finding", "check_calls"]

#: What is checked: values against their parameters' types; objects that are used without being there; GL errors that
#: the tracker raises when it executes the calls.
CHECKS: Final = ("arguments", "lifetimes", "errors")
_INTEGERS: Final = frozenset(
    {ParamKind.ENUM, ParamKind.BITFIELD, ParamKind.BOOLEAN, ParamKind.INTEGER, ParamKind.HANDLE}
)
#: Queries whose answers, and errors, are those of the device that the trace was captured on.
_OF_DEVICE: Final = ("glGetString", "glGetInternalformat", "glGetInteger", "glGetFloatv", "glGetBoolean")
#: Namespaces of a context and of its share group, by class of object.
_OWN: Final = {
    "vertex array": "vertex_arrays",
    "framebuffer": "framebuffers",
    "query": "queries",
    "transform feedback": "transform_feedbacks",
}
_SHARED: Final = {
    "buffer": "buffers",
    "texture": "textures",
    "sampler": "samplers",
    "renderbuffer": "renderbuffers",
    "program": "programs",
    "shader": "programs",
}


class Finding(NamedTuple):
    """Something that is wrong with a call.

    Parameters
    ----------
    check : one of CHECKS
    call, function : its number and name
    message : what is wrong, one line
    """

    check: str
    call: int
    function: str
    message: str

    def __str__(self) -> str:
        return f"call {self.call} {self.function}: {self.message}"


def check_calls(
    reader: TraceReader, checks: Collection[str] = CHECKS, backend: Backend | None = None
) -> Iterator[Finding]:
    """Give what is wrong with a trace's calls, in their order.

    Parameters
    ----------
    reader : open trace
    checks : what to look for, of CHECKS
    backend : of the tracker; one that reflects programs knows which uniforms exist
    """
    executing = "errors" in checks or "lifetimes" in checks
    watcher = _Watcher(checks, backend) if executing else None
    contexts: set[int] = {0}
    for call in reader:
        if call.name == "traceContext" and call.args and isinstance(call.args[0], int):
            contexts.add(call.args[0])
        bad = list(_check_call(call))
        if call.context not in contexts:
            bad.insert(0, f"context {call.context} was never created")
            contexts.add(call.context)
        if "arguments" in checks:
            yield from (Finding("arguments", call.number, call.name, message) for message in bad)
        if watcher is not None and not bad:
            yield from watcher.check(call)


class _Watcher:
    """Executes the calls and watches what happens."""

    def __init__(self, checks: Collection[str], backend: Backend | None) -> None:
        from traceformat.gles.backend import Backend
        from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, guarded
        from traceformat.gles.tracker import Tracker

        self._tracker: Tracker = Tracker(
            backend or Backend(),
            gles_limits=guarded(GLES_LIMITS),
            desktop_limits=guarded(DESKTOP_LIMITS),
            remap=True,
        )
        self._checks = checks
        self._unsupported: set[str] = set()
        #: Classes of objects whose names the trace does not tell.
        self._untold: set[str] = set()

    def check(self, call: Call) -> Iterator[Finding]:
        context = self._tracker.current.get(call.thread)
        if "lifetimes" in self._checks and context is not None:
            if call.name.startswith(("glGen", "glCreate")) and not call.outputs and call.result is None:
                self._untold.update(param.object_class for param in COMMANDS[call.name].params)
            for kind, name in _dead_names(call, context):
                if kind not in self._untold:
                    message = f"{kind} {name} was never made, or is deleted"
                    yield Finding("lifetimes", call.number, call.name, message)
        try:
            self._tracker.execute(call)
        except UnsupportedCallError:
            if "errors" in self._checks and call.name not in self._unsupported:
                self._unsupported.add(call.name)
                yield Finding("errors", call.number, call.name, "the replay does not support it")
            return
        except ReplayError as error:
            if "errors" in self._checks:
                where = f"call {call.number} {call.name}: "
                yield Finding("errors", call.number, call.name, error.message.removeprefix(where))
            return
        failure = self._tracker.failure
        if failure is not None and "errors" in self._checks and not call.name.startswith(_OF_DEVICE):
            from traceformat.gles.enum_names import enum_name

            error_name = enum_name(failure.error, "ErrorCode") or f"{failure.error:#x}"
            yield Finding("errors", call.number, call.name, f"{error_name}: {failure.message}")


def _dead_names(call: Call, context: Context) -> Iterator[tuple[str, int]]:
    """Objects that a call names, and that are not there: class and name."""
    # A bind may make an object of any name, glIs* asks, and glDelete* ignores what is not there.
    if call.name.startswith(("glBind", "glIs", "glDelete", "glGen", "glCreate")) and not call.name.startswith(
        "glBindAttrib"
    ):
        return
    command = COMMANDS[call.name]
    for param, value in zip(command.params, call.args, strict=True):
        if param.direction is Direction.OUT or not param.object_class:
            continue
        kind = param.object_class
        owner, space = (context, _OWN.get(kind)) if kind in _OWN else (context.group, _SHARED.get(kind))
        if space is None:
            continue
        objects = getattr(owner, space).objects
        names = uints(value, len(value) // 4) if isinstance(value, bytes) else (value,)
        for name in names:
            if isinstance(name, int) and name and name not in objects:
                yield kind, name


def _check_call(call: Call) -> Iterator[str]:
    command = COMMANDS.get(call.name)
    if command is None:
        yield "no such entry point"
        return
    if len(call.args) != len(command.params):
        yield f"{len(call.args)} arguments, it takes {len(command.params)}"
        return
    for value, param in zip(call.args, command.params, strict=True):
        if not _fits(value, param):
            yield f"{param.name} is {type(value).__name__}, its type is {param.c_type}"
    for name in call.outputs:
        if name != "result" and not any(
            param.name == name and param.direction is Direction.OUT for param in command.params
        ):
            yield f"it has no output named {name}"


def _fits(value: Value, param: Param) -> bool:
    if param.kind in _INTEGERS:
        return isinstance(value, int) and not isinstance(value, Offset)
    if param.kind in (ParamKind.FLOAT, ParamKind.DOUBLE):
        return isinstance(value, float)
    if value is None:
        return True
    if param.kind is ParamKind.STRING:
        return isinstance(value, str)
    if param.kind is ParamKind.STRINGS:
        return isinstance(value, tuple)
    return param.kind is ParamKind.DATA and isinstance(value, (bytes, Offset))
