"""A trace as text in the style of ``apitrace dump``, for tools and eyes that know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from traceformat.calls import Call, CallFlags, Offset, Value
from traceformat.gles.entry_points import COMMANDS, Param, ParamKind
from traceformat.gles.enum_names import bitfield_names, enum_name
from traceformat.gles.parameters import content_array, parameters_of

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader

__all__ = ["apitrace_lines"]

#: Contexts are asked for with these attributes.
_MAJOR, _MINOR = "EGL_CONTEXT_MAJOR_VERSION", "EGL_CONTEXT_MINOR_VERSION"
#: Untyped content that apitrace writes as blobs rather than arrays.
_BLOBS: Final = frozenset({"void", "GLvoid", ""})
_TEXTURE_PARAMETERS: Final = ("glTexParameter", "glSamplerParameter")


def apitrace_lines(reader: TraceReader) -> Iterator[str]:
    """Give the lines of a trace; an empty one behind each frame, as apitrace does.

    Calls of the window system are those that stand for our trace commands (``eglCreateContext``, ``eglMakeCurrent``,
    ``eglSwapBuffers``), with the numbers of contexts and drawables as addresses. What apitrace has no call for
    is a comment.

    Parameters
    ----------
    reader : open trace
    """
    for name, value in reader.properties.items():
        if isinstance(value, (str, int, float)):
            yield f"// {name} = {_text(str(value))}"
    ends = (frame.end_call for frame in reader.frames)
    end = next(ends, None)
    for call in reader:
        yield f"{call.number} {_call(call)}" if not _is_comment(call) else f"// {call.number} {_call(call)}"
        if end is not None and call.number + 1 >= end:
            yield ""
            end = next(ends, None)


def _is_comment(call: Call) -> bool:
    return call.name in ("traceResize", "traceFrame", "traceDestroyContext") or call.name not in COMMANDS


def _call(call: Call) -> str:
    own = _WINDOW_SYSTEM.get(call.name)
    if own is not None:
        return str(own(*call.args))
    command = COMMANDS.get(call.name)
    parts = []
    for place, value in enumerate(call.args):
        param = command.params[place] if command and place < len(command.params) else None
        output = call.outputs.get(param.name) if param else None
        text = _value(call, value if output is None else output, param)
        parts.append(f"{param.name if param else f'arg{place}'} = {text}")
    line = f"{call.name}({', '.join(parts)})"
    if call.result is not None:
        line += f" = {_value(call, call.result, command.result if command else None)}"
    return line + (" // fake" if call.flags & CallFlags.SYNTHETIC else "")


def _value(call: Call, value: Value, param: Param | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, Offset):
        return f"{int(value):#x}" if value else "NULL"
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, int):
        return _integer(call, value, param)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, tuple):
        return _array([_text(each) for each in value])
    return _content(call, value, param)


def _integer(call: Call, value: int, param: Param | None) -> str:
    if param is None:
        return str(value)
    if param.kind is ParamKind.BOOLEAN:
        return ("GL_FALSE", "GL_TRUE")[value] if value in (0, 1) else str(value)
    if param.kind is ParamKind.BITFIELD:
        return bitfield_names(value, param.group).replace("|", " | ") if value else "0"
    if param.kind is ParamKind.HANDLE:
        return f"{value:#x}" if value else "NULL"
    if param.kind is ParamKind.ENUM:
        return enum_name(value, param.group) or f"{value:#x}"
    if (param.name == "param" and call.name.startswith(_TEXTURE_PARAMETERS)) or param.group:
        return (enum_name(value) if value >= 0x100 else None) or str(value)
    return str(value)


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _array(parts: list[str]) -> str:
    return f"&{parts[0]}" if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def _content(call: Call, data: bytes, param: Param | None) -> str:
    element = param.element if param is not None else ""
    if param is None or element in _BLOBS:
        return f"blob({len(data)})"
    if element in ("GLchar", "GLcharARB"):
        return _text(data.split(b"\0")[0].decode("utf-8", "replace"))
    values: list[Any] = content_array(parameters_of(call.name), param.name, data).tolist()
    if element == "GLboolean":
        return _array([("GL_FALSE", "GL_TRUE")[value] if value < 2 else str(value) for value in values])
    if element == "GLenum":
        return _array([enum_name(value, param.group) or str(value) for value in values])
    return _array([f"{value:.7g}" if isinstance(value, float) else str(value) for value in values])


def _context(number: int, api: int, major: int, minor: int, *rest: int) -> str:
    share = f"{rest[-1]:#x}" if rest and rest[-1] else "NULL"
    attributes = f"{{{_MAJOR}, {major}, {_MINOR}, {minor}, EGL_NONE}}"
    return (
        f"eglCreateContext(dpy = 0x1, config = 0x1, share_context = {share}, attrib_list = {attributes}) = {number:#x}"
    )


def _drawable(number: int, width: int, height: int, kind: int) -> str:
    attributes = f"{{EGL_WIDTH, {width}, EGL_HEIGHT, {height}, EGL_NONE}}"
    if kind == 0:
        return f"eglCreateWindowSurface(dpy = 0x1, config = 0x1, win = {number:#x}, attrib_list = {{}}) = {number:#x}"
    return f"eglCreatePbufferSurface(dpy = 0x1, config = 0x1, attrib_list = {attributes}) = {number:#x}"


def _make_current(context: int, draw: int, read: int) -> str:
    names = [f"{number:#x}" if number else "NULL" for number in (draw, read, context)]
    return f"eglMakeCurrent(dpy = 0x1, draw = {names[0]}, read = {names[1]}, ctx = {names[2]}) = EGL_TRUE"


def _swap(drawable: int, origin: str) -> str:
    return f"eglSwapBuffers(dpy = 0x1, surface = {drawable:#x}) = EGL_TRUE"


def _mapped_write(target: int, offset: int, data: bytes | None) -> str:
    size = len(data or b"")
    return f"memcpy(dest = {offset:#x}, src = blob({size}), n = {size}) // fake"


_WINDOW_SYSTEM: Final[dict[str, Any]] = {
    "traceContext": _context,
    "traceDrawable": _drawable,
    "traceMakeCurrent": _make_current,
    "traceSwap": _swap,
    "traceMappedWrite": _mapped_write,
}
