"""Calls as text and as JSON: names of enums, contents shortened."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any, Final

from traceformat.calls import Call, CallFlags, Offset, Value
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Command, Param, ParamKind
from traceformat.gles.enum_names import bitfield_names, enum_name

__all__ = ["Style", "call_to_dict", "format_call"]

#: Bytes of content that the text shows before it shortens.
SHOWN_BYTES: Final = 32
SHOWN_NUMBERS: Final = 16
SHOWN_TEXT: Final = 200
_FORMATS: Final = {
    "GLfloat": "f",
    "GLint": "i",
    "GLuint": "I",
    "GLsizei": "i",
    "GLenum": "I",
    "GLdouble": "d",
    "GLfixed": "i",
    "GLint64": "q",
    "GLuint64": "Q",
    "GLshort": "h",
    "GLushort": "H",
    "GLboolean": "B",
    "GLintptr": "q",
    "GLsizeiptr": "q",
}

_CHARACTERS: Final = ("GLchar", "GLcharARB")
#: Names of texture and sampler parameters whose integer is an enum.
_ENUM_PARAMETERS: Final = frozenset(
    {
        gl.GL_TEXTURE_MIN_FILTER,
        gl.GL_TEXTURE_MAG_FILTER,
        gl.GL_TEXTURE_WRAP_S,
        gl.GL_TEXTURE_WRAP_T,
        gl.GL_TEXTURE_WRAP_R,
        gl.GL_TEXTURE_COMPARE_MODE,
        gl.GL_TEXTURE_COMPARE_FUNC,
        gl.GL_TEXTURE_SWIZZLE_R,
        gl.GL_TEXTURE_SWIZZLE_G,
        gl.GL_TEXTURE_SWIZZLE_B,
        gl.GL_TEXTURE_SWIZZLE_A,
    }
)


class Style:
    """Marks parts of a line; this one adds nothing, :class:`ColorStyle` colours them for a terminal."""

    def number(self, text: str) -> str:
        """Mark a call's number."""
        return text

    def name(self, text: str) -> str:
        """Mark an entry point's name."""
        return text

    def enum(self, text: str) -> str:
        """Mark an enum's name."""
        return text

    def text(self, text: str) -> str:
        """Mark a string or blob."""
        return text


class ColorStyle(Style):
    """ANSI colours."""

    def number(self, text: str) -> str:
        """Dim."""
        return f"\x1b[2m{text}\x1b[0m"

    def name(self, text: str) -> str:
        """Bold."""
        return f"\x1b[1m{text}\x1b[0m"

    def enum(self, text: str) -> str:
        """Cyan."""
        return f"\x1b[36m{text}\x1b[0m"

    def text(self, text: str) -> str:
        """Green."""
        return f"\x1b[32m{text}\x1b[0m"


PLAIN: Final = Style()


def format_call(call: Call, style: Style = PLAIN) -> str:
    """Spell a call on one line: ``12 @1 glClear(mask = GL_COLOR_BUFFER_BIT)``.

    Parameters
    ----------
    call : as read
    style : marks for a terminal
    """
    command = COMMANDS.get(call.name)
    parts = []
    for position, value in enumerate(call.args):
        param = command.params[position] if command and position < len(command.params) else None
        name = f"{param.name} = " if param else ""
        output = call.outputs.get(param.name) if param else None
        if _is_enum_parameter(call, param):
            parts.append(name + _spell_named(value, style))
        else:
            parts.append(name + _spell(value if output is None else output, param, style))
    line = f"{style.number(str(call.number))} @{call.thread} {style.name(call.name)}({', '.join(parts)})"
    names = {param.name for param in command.params} if command else set()
    for key, value in call.outputs.items():
        if key not in names:
            line += f" {key}: {_spell(value, None, style)}"
    if call.result is not None:
        line += f" = {_spell(call.result, command.result if command else None, style)}"
    notes = [flag.name.lower() for flag in CallFlags if call.flags & flag and flag.name]
    if notes:
        line += f" [{', '.join(notes)}]"
    if call.source is not None:
        file = call.source.file if call.source.file.isprintable() else _quote(call.source.file)
        line += f" // {file}:{call.source.line}"
    return line


def _is_enum_parameter(call: Call, param: Param | None) -> bool:
    """Tell whether an argument is the value of glTexParameteri and its like, and an enum."""
    if param is None or param.name not in ("param", "params") or len(call.args) < 2:
        return False
    return "Parameter" in call.name and call.args[-2] in _ENUM_PARAMETERS


def _spell_named(value: Value, style: Style) -> str:
    if isinstance(value, bytes):
        names = [enum_name(int(number)) or str(number) for number in _numbers(value, "GLint") or ()]
        return style.enum("{" + ", ".join(names) + "}")
    name = enum_name(int(value)) if isinstance(value, (int, float)) and value == int(value) else None
    return style.enum(name) if name else repr(value)


def _spell_float(value: float) -> str:
    """Spell a float32 with as few digits as tell it from its neighbours."""
    for digits in range(1, 9):
        text = f"{value:.{digits}g}"
        try:
            if struct.pack("<f", float(text)) == struct.pack("<f", value):
                return text
        except OverflowError:
            continue
    return f"{value:.9g}"


def _spell(value: Value, param: Param | None, style: Style) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, Offset):
        return f"+{int(value)}"
    if isinstance(value, int) and param is not None:
        return _spell_int(value, param, style)
    if isinstance(value, str):
        return style.text(_quote(value))
    if isinstance(value, tuple):
        return style.text("{" + ", ".join(map(_quote, value)) + "}")
    if isinstance(value, bytes):
        return style.text(_spell_bytes(value, param))
    if isinstance(value, float) and param is not None and param.kind is ParamKind.FLOAT:
        return _spell_float(value)
    return repr(value)


def _spell_int(value: int, param: Param, style: Style) -> str:
    if param.kind is ParamKind.BOOLEAN and value in (0, 1):
        return style.enum("GL_TRUE" if value else "GL_FALSE")
    if param.kind is ParamKind.BITFIELD:
        return style.enum(bitfield_names(value, param.group))
    name = _enum_of(value, param)
    if name is not None:
        return style.enum(name)
    return f"{value:#x}" if param.kind is ParamKind.ENUM and value > 9 else str(value)


def _enum_of(value: int, param: Param) -> str | None:
    """Name of an enum; one in an integer parameter (glTexImage2D internalformat) is no small number."""
    if param.kind is ParamKind.ENUM:
        return enum_name(value, param.group)
    return enum_name(value, param.group) if param.group and value >= 0x100 else None


def _quote(text: str) -> str:
    shown = text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT]
    rest = f"... ({len(text)} characters)" if len(text) > SHOWN_TEXT else ""
    return json.dumps(shown) + rest


def _spell_bytes(data: bytes, param: Param | None) -> str:
    """Numbers where the type is known and they are few, else length and the first bytes."""
    if param is not None and param.element in _CHARACTERS:
        return _quote(_text_of(data))
    numbers = _numbers(data, param.element) if param is not None else None
    if param is not None and numbers:
        spelled = [_spell_element(number, param) for number in numbers[:SHOWN_NUMBERS]]
        rest = f", ... ({len(numbers)} values)" if len(numbers) > SHOWN_NUMBERS else ""
        return "{" + ", ".join(spelled) + rest + "}"
    if len(data) <= SHOWN_BYTES:
        return f"blob({len(data)}: {data.hex()})"
    return f"blob({len(data)}: {data[:SHOWN_BYTES].hex()}...)"


def _numbers(data: bytes, element: str) -> tuple[float, ...] | None:
    """Values of an array; None where its type is not known or does not fit."""
    letter = _FORMATS.get(element)
    if not letter or not data or len(data) % struct.calcsize(letter):
        return None
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def _spell_element(number: float, param: Param) -> str:
    if param.element == "GLenum":
        return enum_name(int(number), param.group) or str(number)
    return _spell_float(number) if param.element == "GLfloat" else str(number)


def _text_of(data: bytes) -> str:
    return data.rstrip(b"\0").decode("utf-8", "backslashreplace")


def call_to_dict(call: Call, frame: int, *, contents: bool = False) -> dict[str, Any]:
    """Give a call as JSON values; enums by name beside their number.

    Parameters
    ----------
    call : as read
    frame : its frame
    contents : give blobs as hex in full, not as length and digest
    """
    command = COMMANDS.get(call.name)
    line: dict[str, Any] = {
        "call": call.number,
        "frame": frame,
        "thread": call.thread,
        "context": call.context,
        "name": call.name,
        "args": [],
    }
    for position, value in enumerate(call.args):
        param = _param(command, position)
        is_enum = _is_enum_parameter(call, param) and isinstance(value, (int, float))
        name = enum_name(int(value)) if is_enum and isinstance(value, (int, float)) else None
        line["args"].append({"value": value, "enum": name} if name else _json(value, param, contents))
    if command is not None:
        line["params"] = [param.name for param in command.params[: len(call.args)]]
    if call.outputs:
        known = {param.name: param for param in command.params} if command else {}
        line["outputs"] = {key: _json(value, known.get(key), contents) for key, value in call.outputs.items()}
    if call.result is not None:
        line["result"] = _json(call.result, command.result if command else None, contents)
    flags = [flag.name.lower() for flag in CallFlags if call.flags & flag and flag.name]
    if flags:
        line["flags"] = flags
    if call.source is not None:
        line["source"] = {"file": call.source.file, "line": call.source.line}
    return line


def _param(command: Command | None, position: int) -> Param | None:
    return command.params[position] if command and position < len(command.params) else None


def _json_content(data: bytes, param: Param | None, contents: bool) -> dict[str, Any]:
    """Text, or numbers and their enums, where the type is known; else octets. What is long is shortened to a digest
    unless its contents are wanted.
    """
    if param is not None and param.element in _CHARACTERS:
        return {"text": _text_of(data)}
    numbers = _numbers(data, param.element) if param is not None else None
    shown = len(data) if contents else SHOWN_NUMBERS if numbers else SHOWN_BYTES
    content: dict[str, Any] = {}
    if param is not None and numbers:
        content["values"] = [repr(n) if n - n != 0.0 else n for n in numbers[:shown]]
        if param.element == "GLenum":
            content["enums"] = [enum_name(int(n), param.group) for n in numbers[:shown]]
    elif len(data) <= shown:
        content["hex"] = data.hex()
    if len(numbers or data) > shown:
        content["sha256"] = hashlib.sha256(data).hexdigest()
    return content


def _json(value: Value, param: Param | None, contents: bool) -> Any:
    if isinstance(value, Offset):
        return {"offset": int(value)}
    if isinstance(value, bytes):
        return {"bytes": len(value), **_json_content(value, param, contents)}
    if isinstance(value, tuple):
        return [_json(text, None, contents) for text in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float) and value - value != 0.0:
        return repr(value)
    if isinstance(value, int) and param is not None:
        name = bitfield_names(value, param.group) if param.kind is ParamKind.BITFIELD else _enum_of(value, param)
        return {"value": value, "enum": name} if name else value
    return value
