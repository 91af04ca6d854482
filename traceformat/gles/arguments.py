"""Arguments of recorded calls, checked at the door: a file may hold anything, the families want what C would pass."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.calls import Call, Value
from traceformat.errors import ReplayError
from traceformat.gles.entry_points import COMMANDS, Param, ParamKind

__all__ = ["ArgumentCheck"]

_TYPES: Final[dict[ParamKind, tuple[type, ...]]] = {
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
_POINTER: Final = (bytes, int, type(None))
#: Half of the last place above the largest float: what rounds to infinity.
_FLOAT_END: Final = float.fromhex("0x1.ffffffp127")
_INTEGERS: Final = (ParamKind.ENUM, ParamKind.BITFIELD, ParamKind.BOOLEAN, ParamKind.INTEGER, ParamKind.HANDLE)


class _Range(NamedTuple):
    """Values of one argument that need no second look."""

    argument: int
    low: float
    high: float
    bits: int


class ArgumentCheck:
    """Brings arguments to what a C program can have passed; knows the combinations of types that it has seen."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[object, ...], tuple[_Range, ...]] = {}
        #: Columns that have to be looked at, by such combinations in columns; None where calls are never plain.
        self._columns: dict[tuple[object, ...], list[tuple[str, float, float]] | None] = {}

    def checked(self, call: Call) -> tuple[Value, ...]:
        """Arguments of a call, integers of 32 and 64 bits wrapped as C wraps them and floats rounded to infinity.

        Raises
        ------
        ReplayError : number or types of arguments, or an integer wider than the parameter
        """
        args = call.args
        shape = (call.name, *map(type, args))
        ranges = self._shapes.get(shape)
        if ranges is None:
            ranges = self._shapes[shape] = _ranges(call)
        for index, low, high, bits in ranges:
            value = args[index]
            if not low <= value <= high:  # type: ignore[operator]
                args = (*args[:index], _converted(call, index, value, bits), *args[index + 1 :])
        return args

    def are_plain(self, call: Call, rows: NDArray[Any]) -> bool:
        """Whether :meth:`checked` would leave all arguments of like calls as they are.

        Parameters
        ----------
        call : one of them
        rows : structured, argument k in field ``ak`` where it is a number
        """
        key = (call.name, rows.dtype, *map(type, call.args))
        if key not in self._columns:
            self._columns[key] = _columns(call, rows.dtype)
        columns = self._columns[key]
        if columns is None:
            return False
        for name, low, high in columns:
            column = rows[name]
            # What is no number is left as it is.
            if not (np.fmin.reduce(column).item() >= low and np.fmax.reduce(column).item() <= high):
                return False
        return True


def _columns(call: Call, dtype: np.dtype[Any]) -> list[tuple[str, float, float]] | None:
    """Columns of like calls with the least and the greatest value that need no second look, where there may be others;
    None where a number is in no column, or no program can have made such a call.
    """
    try:
        ranges = _ranges(call)
    except ReplayError:
        return None
    found = []
    for index, low, high, _ in ranges:
        name = f"a{index}"
        if dtype.names is None or name not in dtype.names:
            return None
        kind = dtype[name]
        if kind.kind in "iu" and low <= np.iinfo(kind).min and np.iinfo(kind).max <= high:
            continue
        found.append((name, low, high))
    return found


def _ranges(call: Call) -> tuple[_Range, ...]:
    command = COMMANDS.get(call.name)
    if command is None:
        return ()
    if len(call.args) != len(command.params):
        message = f"{len(call.args)} arguments, expected {len(command.params)}"
        raise ReplayError(message, call=call.number, function=call.name)
    ranges = []
    for index, (param, value) in enumerate(zip(command.params, call.args, strict=True)):
        if not isinstance(value, _TYPES.get(param.kind, _POINTER)):
            message = f"argument {param.name} is of type {type(value).__name__}"
            raise ReplayError(message, call=call.number, function=call.name)
        if isinstance(value, int | float):
            ranges.append(_range(index, param, is_float=isinstance(value, float)))
    return tuple(ranges)


def _range(index: int, param: Param, *, is_float: bool) -> _Range:
    if param.kind in (ParamKind.FLOAT, ParamKind.DOUBLE):
        end = _FLOAT_END if param.kind is ParamKind.FLOAT or not is_float else float("inf")
        return _Range(index, -end, end, 0)
    bits = 32 if param.kind in _INTEGERS and not _is_wide(param) else 64
    if param.kind in (ParamKind.ENUM, ParamKind.BITFIELD) or "uint" in param.c_type or "unsigned" in param.c_type:
        return _Range(index, 0, (1 << bits) - 1, bits)
    return _Range(index, -(1 << (bits - 1)), (1 << (bits - 1)) - 1, bits)


def _is_wide(param: Param) -> bool:
    return param.kind is ParamKind.HANDLE or any(part in param.c_type for part in ("64", "ptr", "long", "Time"))


def _converted(call: Call, index: int, value: Value, bits: int) -> Value:
    if not bits:
        assert isinstance(value, int | float)
        return value if value != value else float("inf") if value > 0 else float("-inf")
    assert isinstance(value, int)
    param = COMMANDS[call.name].params[index]
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise ReplayError(f"argument {param.name} is out of range", call=call.number, function=call.name)
    low = _range(index, param, is_float=False).low
    wrapped = value + (1 << bits) if value < low else value - (1 << bits)
    return type(value)(wrapped)
