"""Checks of a trace's calls against the table of entry points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from traceformat.calls import Call, Offset, Value
from traceformat.gles.entry_points import COMMANDS, Direction, Param, ParamKind
from traceformat.reader import TraceReader

__all__ = ["check_calls"]

_INTEGERS: Final = frozenset(
    {ParamKind.ENUM, ParamKind.BITFIELD, ParamKind.BOOLEAN, ParamKind.INTEGER, ParamKind.HANDLE}
)


def check_calls(reader: TraceReader) -> Iterator[str]:
    """Give one line for each call whose values do not fit its entry point."""
    contexts: set[int] = {0}
    for call in reader:
        if call.name == "traceContext" and call.args and isinstance(call.args[0], int):
            contexts.add(call.args[0])
        if call.context not in contexts:
            yield f"call {call.number} {call.name}: context {call.context} was never created"
            contexts.add(call.context)
        yield from _check_call(call)


def _check_call(call: Call) -> Iterator[str]:
    command = COMMANDS.get(call.name)
    where = f"call {call.number} {call.name}"
    if command is None:
        yield f"{where}: no such entry point"
        return
    if len(call.args) != len(command.params):
        yield f"{where}: {len(call.args)} arguments, it takes {len(command.params)}"
        return
    for value, param in zip(call.args, command.params, strict=True):
        if not _fits(value, param):
            yield f"{where}: {param.name} is {type(value).__name__}, its type is {param.c_type}"
    for name in call.outputs:
        if name != "result" and not any(
            param.name == name and param.direction is Direction.OUT for param in command.params
        ):
            yield f"{where}: it has no output named {name}"


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
