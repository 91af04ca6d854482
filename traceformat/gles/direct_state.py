"""Direct state access (GL 4.5), and calls of several bindings (GL 4.4): those that OpenGL ES has stand for them.

A call that names an object is the one that takes it from a binding point, made while the object is bound there; a call
of several bindings is those of each. :func:`steps_of` says which; whoever follows calls (``tools.trim``) does with each
step, inside of :meth:`Step.bound`, what it does with such a call of the program.
"""

# ruff: noqa: SIM905 - lists of names read best as text
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from traceformat.calls import Offset, Value
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.buffers import get_or_create
from traceformat.gles.dispatch import find_entry, handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.entry_points import COMMANDS, Direction
from traceformat.gles.framebuffers import bind_framebuffer
from traceformat.gles.names import generate
from traceformat.gles.objects import Query, Texture
from traceformat.gles.pixel_transfer import layout_of
from traceformat.gles.queries import TARGETS as QUERY_TARGETS
from traceformat.gles.renderbuffers import bind_renderbuffer
from traceformat.gles.state import Changes, Context
from traceformat.gles.textures import CUBE_FACES, is_target, make_texture
from traceformat.gles.transform_feedback import bind_transform_feedback
from traceformat.gles.values import content, uints
from traceformat.gles.vertex_arrays import bind_vertex_array

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

__all__ = ["DIRECT", "Step", "steps_of"]

#: Where a buffer is bound whose call names it.
PLACE: Final = gl.GL_COPY_WRITE_BUFFER
#: Binding points of one kind that a context may have.
_MOST_BINDINGS: Final = 1024
#: Kind of binding, target (or unit), and the object's name there; None keeps the one that is there.
Bind: TypeAlias = tuple[str, int, int | None]


@dataclass(frozen=True, slots=True)
class Step:
    """A call that binds nothing beyond its own time, but for what it is there to bind.

    Parameters
    ----------
    name, args : of the entry point that it stands for
    binds : what is bound meanwhile
    """

    name: str
    args: tuple[Value, ...]
    binds: tuple[Bind, ...] = ()

    @contextmanager
    def bound(self, tracker: Tracker, context: Context) -> Iterator[None]:
        """Bind what the call needs, and what was bound before in the end."""
        with ExitStack() as stack:
            for kind, target, name in self.binds:
                stack.callback(_keep(context, kind, target))
                if name is not None:
                    _BINDERS[kind](tracker, context, target, name)
            yield

    def execute(self, tracker: Tracker, context: Context) -> Value:
        """Make the call."""
        entry = find_entry(self.name)
        if entry is None:
            raise UnsupportedCallError(f"call {tracker.call.number}: {tracker.call.name} is not supported")
        with self.bound(tracker, context):
            result: Value = entry.handler(tracker, context, *self.args)
            return result


#: Gives the steps that a call stands for, from its arguments.
Steps: TypeAlias = Callable[[Context, Sequence[Any]], list[Step]]


def _keep(context: Context, kind: str, target: int) -> Callable[[], None]:
    """What puts back a binding as it is now."""
    if kind == "buffer":
        return partial(context.buffers.__setitem__, target, context.buffers.get(target))
    if kind == "texture":
        textures = context.units[context.active_unit].textures
        return partial(textures.__setitem__, target, textures[target])
    return partial(setattr, context, kind, getattr(context, kind))


def _texture(context: Context, name: int) -> Texture:
    texture = context.group.textures.get(name)
    if texture is None:
        raise invalid_operation(f"texture {name} does not exist")
    return texture


def _bind_buffer(tracker: Tracker, context: Context, target: int, name: int) -> None:
    context.buffers[target] = get_or_create(tracker, context, name) if name else None


def _bind_texture(tracker: Tracker, context: Context, target: int, name: int) -> None:
    context.units[context.active_unit].textures[target] = _texture(context, name)


def _activate(tracker: Tracker, context: Context, target: int, unit: int) -> None:
    if not 0 <= unit < len(context.units):
        raise invalid_value(f"texture unit {unit}")
    context.active_unit = unit


_BINDERS: Final[dict[str, Callable[[Tracker, Context, int, int], None]]] = {
    "buffer": _bind_buffer,
    "texture": _bind_texture,
    "active_unit": _activate,
    "draw_framebuffer": bind_framebuffer,
    "read_framebuffer": bind_framebuffer,
    "vertex_array": lambda tracker, context, target, name: bind_vertex_array(tracker, context, name),
    "renderbuffer": bind_renderbuffer,
    "transform_feedback": bind_transform_feedback,
}


def _on(kind: str, target: int, base: str, *first: int) -> Steps:
    """Of a call whose first argument is the object: the other's are ``first`` and the rest."""
    return lambda context, args: [Step(base, (*first, *args[1:]), ((kind, target, args[0]),))]


def _on_texture(base: str, *, leave_out: int = 99) -> Steps:
    """Of a call whose first argument is a texture; an argument that the other has not."""

    def steps(context: Context, args: Sequence[Any]) -> list[Step]:
        target = _texture(context, args[0]).target
        rest = (*args[1:leave_out], *args[leave_out + 1 :])
        return [Step(base, (target, *rest), (("texture", target, args[0]),))]

    return steps


def _of_faces(base: str, flat: str, part: Callable[[Context, Sequence[Any], int], tuple[Value, ...]]) -> Steps:
    """As :func:`_on_texture`; of a cube map one call a face, whose arguments behind the face ``part`` gives."""
    other = _on_texture(base)

    def steps(context: Context, args: Sequence[Any]) -> list[Step]:
        if _texture(context, args[0]).target != gl.GL_TEXTURE_CUBE_MAP:
            return other(context, args)
        first, count = args[4], 1 if base.startswith("glCopy") else args[7]
        if not 0 <= first <= first + count <= 6:
            raise invalid_value(f"faces {first} to {first + count}")
        binds = (("texture", gl.GL_TEXTURE_CUBE_MAP, args[0]),)
        return [Step(flat, (CUBE_FACES[first + i], *part(context, args, i)), binds) for i in range(count)]

    return steps


def _from(pixels: Value, offset: int) -> Value:
    """A pointer some bytes further on."""
    if isinstance(pixels, Offset):
        return Offset(pixels + offset)
    return pixels[offset:] if isinstance(pixels, bytes) else pixels


def _face_pixels(context: Context, args: Sequence[Any], number: int) -> tuple[Value, ...]:
    _, level, x, y, _, width, height, _, format, type, pixels = args
    store = context.unpack
    layout = layout_of(store, format, type, width, height, 1, volume=True)
    start = number * layout.image_stride + layout.start
    start -= layout_of(store, format, type, width, height, 1, volume=False).start
    return level, x, y, width, height, format, type, _from(pixels, start)


def _face_blocks(context: Context, args: Sequence[Any], number: int) -> tuple[Value, ...]:
    _, level, x, y, _, width, height, depth, format, size, data = args
    return level, x, y, width, height, format, size // depth, _from(data, number * (size // depth))


def _face_copy(context: Context, args: Sequence[Any], number: int) -> tuple[Value, ...]:
    _, level, x, y, _, *source = args
    return (level, x, y, *source)


def _list(data: object, count: int, kind: str) -> list[int]:
    if not 0 <= count <= _MOST_BINDINGS:
        raise invalid_value(f"count {count}")
    if data is None:
        return [0] * count
    found: list[int] = np.frombuffer(content(data, count * np.dtype(kind).itemsize), kind, count).tolist()
    return found


def _texture_units(context: Context, first: int, names: Sequence[int]) -> list[Step]:
    steps = []
    for unit, name in enumerate(names, first):
        every = (target for target in context.default_textures if is_target(context, target))
        targets = [_texture(context, name).target] if name else every
        steps += [Step("glBindTexture", (target, name), (("active_unit", 0, unit),)) for target in targets]
    return steps


def _image_units(context: Context, args: Sequence[Any]) -> list[Step]:
    first, count, names = args
    steps = []
    for unit, name in enumerate(_list(names, count, "<u4"), first):
        image = _texture(context, name).images.get((0, 0)) if name else None
        format = image.format if image is not None else gl.GL_R8
        steps.append(Step("glBindImageTexture", (unit, name, 0, int(name != 0), 0, gl.GL_READ_WRITE, format)))
    return steps


def _buffer_points(context: Context, args: Sequence[Any]) -> list[Step]:
    target, first, count, names, *ranges = args
    columns = [_list(names, count, "<u4"), *(_list(column, count, "<i8") for column in ranges)]
    kept = (("buffer", target, None),)
    steps = []
    for index, (name, *row) in enumerate(zip(*columns, strict=True), first):
        base = "glBindBufferRange" if row and name else "glBindBufferBase"
        steps.append(Step(base, (target, index, name, *(row if name else ())), kept))
    return steps


def _vertex_buffers(context: Context, args: Sequence[Any], binds: tuple[Bind, ...] = ()) -> list[Step]:
    first, count, names, offsets, strides = args
    unset = names is None
    columns = (_list(names, count, "<u4"), _list(offsets, count, "<i8"), _list(strides, count, "<i4"))
    return [
        Step("glBindVertexBuffer", (index, name, offset, 16 if unset else stride), binds)
        for index, (name, offset, stride) in enumerate(zip(*columns, strict=True), first)
    ]


def _check_status(context: Context, args: Sequence[Any]) -> list[Step]:
    kind = "read_framebuffer" if args[1] == gl.GL_READ_FRAMEBUFFER else "draw_framebuffer"
    target = gl.GL_READ_FRAMEBUFFER if kind == "read_framebuffer" else gl.GL_DRAW_FRAMEBUFFER
    return [Step("glCheckFramebufferStatus", (args[1],), ((kind, target, args[0]),))]


def _feedback_buffer(base: str, context: Context, args: Sequence[Any]) -> list[Step]:
    target = gl.GL_TRANSFORM_FEEDBACK_BUFFER
    binds = (("transform_feedback", gl.GL_TRANSFORM_FEEDBACK, args[0]), ("buffer", target, None))
    return [Step(base, (target, *args[1:]), binds)]


_DRAW: Final = ("draw_framebuffer", gl.GL_DRAW_FRAMEBUFFER)
_READ: Final = ("read_framebuffer", gl.GL_READ_FRAMEBUFFER)

#: Entry points, and what gives the steps of their calls.
DIRECT: Final[dict[str, Steps]] = {
    **{
        name: _on("buffer", PLACE, name.replace("Named", ""), PLACE)
        for name in (
            "glNamedBufferData glNamedBufferStorage glNamedBufferSubData glClearNamedBufferData "
            "glClearNamedBufferSubData glMapNamedBuffer glMapNamedBufferRange glUnmapNamedBuffer "
            "glFlushMappedNamedBufferRange glGetNamedBufferSubData glGetNamedBufferParameteriv "
            "glGetNamedBufferParameteri64v glGetNamedBufferPointerv"
        ).split()
    },
    "glCopyNamedBufferSubData": lambda context, args: [
        Step(
            "glCopyBufferSubData",
            (gl.GL_COPY_READ_BUFFER, PLACE, *args[2:]),
            (("buffer", gl.GL_COPY_READ_BUFFER, args[0]), ("buffer", PLACE, args[1])),
        )
    ],
    "glBindBuffersBase": _buffer_points,
    "glBindBuffersRange": _buffer_points,
    **{
        name: _on_texture(name.replace("Texture", "Tex"))
        for name in (
            "glTextureStorage1D glTextureStorage2D glTextureStorage3D glTextureStorage2DMultisample "
            "glTextureStorage3DMultisample glTextureSubImage1D glTextureSubImage2D glCompressedTextureSubImage2D "
            "glCopyTextureSubImage2D glTextureParameteri glTextureParameterf glTextureParameteriv "
            "glTextureParameterfv glTextureParameterIiv glTextureParameterIuiv glTextureBuffer glTextureBufferRange "
            "glGetTextureParameteriv glGetTextureParameterfv glGetTextureParameterIiv glGetTextureParameterIuiv "
            "glGetTextureLevelParameteriv glGetTextureLevelParameterfv"
        ).split()
    },
    "glGenerateTextureMipmap": _on_texture("glGenerateMipmap"),
    "glGetTextureImage": _on_texture("glGetTexImage", leave_out=4),
    "glTextureSubImage3D": _of_faces("glTexSubImage3D", "glTexSubImage2D", _face_pixels),
    "glCompressedTextureSubImage3D": _of_faces("glCompressedTexSubImage3D", "glCompressedTexSubImage2D", _face_blocks),
    "glCopyTextureSubImage3D": _of_faces("glCopyTexSubImage3D", "glCopyTexSubImage2D", _face_copy),
    "glBindTextureUnit": lambda context, args: _texture_units(context, args[0], [args[1]]),
    "glBindTextures": lambda context, args: _texture_units(context, args[0], _list(args[2], args[1], "<u4")),
    "glBindImageTextures": _image_units,
    "glBindSamplers": lambda context, args: [
        Step("glBindSampler", (unit, name)) for unit, name in enumerate(_list(args[2], args[1], "<u4"), args[0])
    ],
    "glNamedFramebufferTexture": _on(*_DRAW, "glFramebufferTexture", _DRAW[1]),
    "glNamedFramebufferTextureLayer": _on(*_DRAW, "glFramebufferTextureLayer", _DRAW[1]),
    "glNamedFramebufferRenderbuffer": _on(*_DRAW, "glFramebufferRenderbuffer", _DRAW[1]),
    "glNamedFramebufferDrawBuffer": _on(*_DRAW, "glDrawBuffer"),
    "glNamedFramebufferDrawBuffers": _on(*_DRAW, "glDrawBuffers"),
    "glNamedFramebufferReadBuffer": _on(*_READ, "glReadBuffer"),
    **{f"glClearNamedFramebuffer{kind}": _on(*_DRAW, f"glClearBuffer{kind}") for kind in ("fv", "iv", "uiv", "fi")},
    "glInvalidateNamedFramebufferData": _on(*_DRAW, "glInvalidateFramebuffer", _DRAW[1]),
    "glInvalidateNamedFramebufferSubData": _on(*_DRAW, "glInvalidateSubFramebuffer", _DRAW[1]),
    "glGetNamedFramebufferAttachmentParameteriv": _on(*_DRAW, "glGetFramebufferAttachmentParameteriv", _DRAW[1]),
    "glNamedFramebufferParameteri": _on(*_DRAW, "glFramebufferParameteri", _DRAW[1]),
    "glGetNamedFramebufferParameteriv": _on(*_DRAW, "glGetFramebufferParameteriv", _DRAW[1]),
    "glCheckNamedFramebufferStatus": _check_status,
    "glBlitNamedFramebuffer": lambda context, args: [
        Step("glBlitFramebuffer", tuple(args[2:]), ((*_READ, args[0]), (*_DRAW, args[1])))
    ],
    **{
        name: _on("renderbuffer", gl.GL_RENDERBUFFER, name.replace("Named", ""), gl.GL_RENDERBUFFER)
        for name in (
            "glNamedRenderbufferStorage", "glNamedRenderbufferStorageMultisample", "glGetNamedRenderbufferParameteriv",
        )
    },
    **{
        f"glVertexArray{part}": _on("vertex_array", 0, base)
        for part, base in (
            ("AttribFormat", "glVertexAttribFormat"), ("AttribIFormat", "glVertexAttribIFormat"),
            ("AttribBinding", "glVertexAttribBinding"), ("BindingDivisor", "glVertexBindingDivisor"),
            ("VertexBuffer", "glBindVertexBuffer"),
        )
    },
    "glEnableVertexArrayAttrib": _on("vertex_array", 0, "glEnableVertexAttribArray"),
    "glDisableVertexArrayAttrib": _on("vertex_array", 0, "glDisableVertexAttribArray"),
    "glVertexArrayElementBuffer": _on("vertex_array", 0, "glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER),
    "glBindVertexBuffers": _vertex_buffers,
    "glVertexArrayVertexBuffers": lambda context, args: _vertex_buffers(
        context, args[1:], (("vertex_array", 0, args[0]),)
    ),
    "glTransformFeedbackBufferBase": partial(_feedback_buffer, "glBindBufferBase"),
    "glTransformFeedbackBufferRange": partial(_feedback_buffer, "glBindBufferRange"),
}  # fmt: skip


def steps_of(context: Context, name: str, args: Sequence[Any]) -> list[Step]:
    """Calls that one of :data:`DIRECT` stands for, one after the other."""
    return DIRECT[name](context, args)


def _register(name: str) -> None:
    def handle(tracker: Tracker, context: Context, *args: Any) -> Value:
        result: Value = None
        for step in DIRECT[name](context, args):
            result = step.execute(tracker, context)
        if tracker.outputs and "result" not in tracker.outputs:
            # One of them, called as this entry point calls it.
            output = next(param.name for param in COMMANDS[name].params if param.direction is Direction.OUT)
            tracker.outputs = dict.fromkeys([output], *tracker.outputs.values())
        return result

    handles(name, touches=Changes.ALL)(handle)


for _name in DIRECT:
    _register(_name)


@handles("glCreateTextures", touches=Changes.IMAGES)
def create_textures(tracker: Tracker, context: Context, target: int, count: int, _: object) -> None:
    """Make textures of a target: names and objects at once."""
    if not is_target(context, target):
        raise invalid_enum(f"target {target:#x}")
    names = context.group.textures
    tracker.outputs["textures"] = generate(tracker, context.limits.max_names, names, count, "textures")
    for name in uints(tracker.outputs["textures"], count):
        make_texture(context, name, target)


@handles("glCreateQueries", touches=Changes.NOTHING)
def create_queries(tracker: Tracker, context: Context, target: int, count: int, _: object) -> None:
    """Make queries of a target."""
    if target not in QUERY_TARGETS and target != gl.GL_TIMESTAMP:
        raise invalid_enum(f"target {target:#x}")
    tracker.outputs["ids"] = generate(tracker, context.limits.max_names, context.queries, count, "ids")
    for name in uints(tracker.outputs["ids"], count):
        context.queries.objects[name] = Query(name, context.queries.serial(), target)
