"""How many bytes lie behind a pointer argument.

The registry says it for most parameters (``n``, ``count*16``); the rest is written here by hand: images by format, type
and pixel store, indices by the bound buffer, values by ``pname``, texts.

    input_bytes(COMMANDS["glTexImage2D"], 8, args, lookup)

``lookup`` is the little state that the rules need, asked as ``glGetIntegerv`` would be: pixel store values, buffer
bindings (PIXEL_UNPACK, PIXEL_PACK, ELEMENT_ARRAY, ARRAY, DRAW_INDIRECT) and the lengths of three lists of formats.
``args`` needs the integers only; what stands at pointers is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Command, ParamKind, canonical_name
from traceformat.gles.formats import TYPE_BYTES, pixel_bytes
from traceformat.gles.gltypes import INDEX_BYTES

__all__ = [
    "ELEMENT_BYTES",
    "Extent",
    "Lookup",
    "client_pixel_bytes",
    "image_bytes",
    "input_bytes",
    "output_bytes",
]


class Extent(Enum):
    """What a pointer can be other than a number of bytes."""

    #: NUL-terminated text; for several texts (ParamKind.STRINGS), each of them unless its length is given.
    TEXT = "text"
    #: No pointer: an offset into the bound buffer.
    OFFSET = "offset"
    #: A client-side vertex array: its content follows with the draw that reads it.
    CLIENT_ARRAY = "client array"
    #: An address that means something to the program only.
    IGNORED = "ignored"
    #: The size depends on objects (uniform types, texture levels): ask the tracker.
    BY_OBJECT = "by object"


Lookup: TypeAlias = Callable[[int], int]
Size: TypeAlias = int | Extent
Rule: TypeAlias = Callable[[Sequence[Any], Lookup], Size]

#: Bytes of the element types that pointers point at.
ELEMENT_BYTES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("void", "GLvoid", "GLchar", "GLcharARB", "GLbyte", "GLubyte", "GLboolean", "char"), 1),
    **dict.fromkeys(("GLshort", "GLushort", "GLhalfNV"), 2),
    **dict.fromkeys(("GLint", "GLuint", "GLsizei", "GLenum", "GLbitfield", "GLfloat", "GLfixed", "GLclampf"), 4),
    **dict.fromkeys(("GLhandleARB", "EGLint", "int", "unsigned int", "GLclampx", "EGLBoolean"), 4),
    **dict.fromkeys(("GLdouble", "GLint64", "GLuint64", "GLint64EXT", "GLuint64EXT", "GLintptr", "GLsizeiptr"), 8),
    **dict.fromkeys(("EGLAttrib", "EGLAttribKHR", "EGLConfig", "EGLDeviceEXT", "GLXFBConfig", "unsigned long"), 8),
}

# -- pixels -----------------------------------------------------------------------------------------------------------

#: Formats of desktop GL that the tracker does not take.
_DESKTOP_COMPONENTS: Final[Mapping[int, int]] = {
    **dict.fromkeys((gl.GL_GREEN, gl.GL_BLUE, gl.GL_GREEN_INTEGER, gl.GL_BLUE_INTEGER, gl.GL_COLOR_INDEX), 1),
    gl.GL_SRGB: 3,
    gl.GL_SRGB_ALPHA: 4,
}


def client_pixel_bytes(pixel_format: int, pixel_type: int) -> int:
    """Bytes of a pixel in client memory; 0 for a combination that GL does not have."""
    desktop = _DESKTOP_COMPONENTS.get(pixel_format)
    if desktop is not None:
        return desktop * TYPE_BYTES.get(pixel_type, 0)
    return pixel_bytes(pixel_format, pixel_type)


def image_bytes(
    size: Sequence[int], pixel_format: int, pixel_type: int, lookup: Lookup, *, pack: bool = False, dimensions: int = 2
) -> int:
    """Bytes from the program's pointer to the end of the last row, skipped ones included (GLES 3.2 §8.4.4, §16.1).

    The last row is not padded, so the result never reaches beyond what the program must provide.

    Parameters
    ----------
    size : width, and height and depth where there are any
    pixel_format, pixel_type : GL enums
    lookup : pixel store values
    pack : read-back instead of upload
    dimensions : 3 obeys image height and skipped images
    """
    width, height, depth = (*size, 1, 1)[:3]
    pixel = client_pixel_bytes(pixel_format, pixel_type)
    if min(width, height, depth) <= 0 or not pixel:
        return 0
    if pack:
        alignment, row_length = lookup(gl.GL_PACK_ALIGNMENT), lookup(gl.GL_PACK_ROW_LENGTH)
        skip_pixels, skip_rows = lookup(gl.GL_PACK_SKIP_PIXELS), lookup(gl.GL_PACK_SKIP_ROWS)
        image_height, skip_images = 0, 0
    else:
        alignment, row_length = lookup(gl.GL_UNPACK_ALIGNMENT), lookup(gl.GL_UNPACK_ROW_LENGTH)
        skip_pixels, skip_rows = lookup(gl.GL_UNPACK_SKIP_PIXELS), lookup(gl.GL_UNPACK_SKIP_ROWS)
        image_height = lookup(gl.GL_UNPACK_IMAGE_HEIGHT) if dimensions == 3 else 0
        skip_images = lookup(gl.GL_UNPACK_SKIP_IMAGES) if dimensions == 3 else 0
    alignment = alignment or 1
    stride = -(-(row_length or width) * pixel // alignment) * alignment
    image = stride * (image_height or height)
    start = skip_images * image + skip_rows * stride + skip_pixels * pixel
    return start + (depth - 1) * image + (height - 1) * stride + width * pixel


# -- values by pname --------------------------------------------------------------------------------------------------

#: Values of a state variable, where it is not one.
_STATE_LENGTHS: Final[Mapping[int, int]] = {
    **dict.fromkeys(
        (
            gl.GL_ALIASED_LINE_WIDTH_RANGE, gl.GL_ALIASED_POINT_SIZE_RANGE, gl.GL_DEPTH_RANGE, gl.GL_MAX_VIEWPORT_DIMS,
            gl.GL_SMOOTH_LINE_WIDTH_RANGE, gl.GL_SMOOTH_POINT_SIZE_RANGE, gl.GL_VIEWPORT_BOUNDS_RANGE,
            gl.GL_MULTISAMPLE_LINE_WIDTH_RANGE,
        ),
        2,
    ),
    **dict.fromkeys(
        (gl.GL_BLEND_COLOR, gl.GL_COLOR_CLEAR_VALUE, gl.GL_COLOR_WRITEMASK, gl.GL_SCISSOR_BOX, gl.GL_VIEWPORT,
         gl.GL_CURRENT_COLOR, gl.GL_TEXTURE_BORDER_COLOR, gl.GL_TEXTURE_SWIZZLE_RGBA, gl.GL_FOG_COLOR),
        4,
    ),
    gl.GL_PRIMITIVE_BOUNDING_BOX: 8,
    gl.GL_PATCH_DEFAULT_OUTER_LEVEL: 4,
    gl.GL_PATCH_DEFAULT_INNER_LEVEL: 2,
    **dict.fromkeys((gl.GL_MODELVIEW_MATRIX, gl.GL_PROJECTION_MATRIX, gl.GL_TEXTURE_MATRIX), 16),
    gl.GL_COMPUTE_WORK_GROUP_SIZE: 3,
}  # fmt: skip
_LIST_LENGTHS: Final[Mapping[int, int]] = {
    gl.GL_COMPRESSED_TEXTURE_FORMATS: gl.GL_NUM_COMPRESSED_TEXTURE_FORMATS,
    gl.GL_SHADER_BINARY_FORMATS: gl.GL_NUM_SHADER_BINARY_FORMATS,
    gl.GL_PROGRAM_BINARY_FORMATS: gl.GL_NUM_PROGRAM_BINARY_FORMATS,
}


def _state_length(pname: int, lookup: Lookup) -> int:
    if pname in _LIST_LENGTHS:
        return lookup(_LIST_LENGTHS[pname])
    return _STATE_LENGTHS.get(pname, 1)


def _by_pname(position: int, item_bytes: int) -> Rule:
    return lambda args, lookup: item_bytes * _state_length(args[position], lookup)


# -- rules by command -------------------------------------------------------------------------------------------------


def _indices(count: int, index_type: int) -> Rule:
    def rule(args: Sequence[Any], lookup: Lookup) -> Size:
        if lookup(gl.GL_ELEMENT_ARRAY_BUFFER_BINDING):
            return Extent.OFFSET
        return max(0, int(args[count])) * INDEX_BYTES.get(args[index_type], 0)

    return rule


def _image(size: Sequence[int], pixel_format: int, pixel_type: int, *, pack: bool = False) -> Rule:
    binding = gl.GL_PIXEL_PACK_BUFFER_BINDING if pack else gl.GL_PIXEL_UNPACK_BUFFER_BINDING
    dimensions = len(size)

    def rule(args: Sequence[Any], lookup: Lookup) -> Size:
        if lookup(binding):
            return Extent.OFFSET
        given = [args[position] for position in size]
        return image_bytes(given, args[pixel_format], args[pixel_type], lookup, pack=pack, dimensions=dimensions)

    return rule


def _unless_bound(binding: int, otherwise: Rule) -> Rule:
    return lambda args, lookup: Extent.OFFSET if lookup(binding) else otherwise(args, lookup)


def _argument(position: int) -> Rule:
    return lambda args, lookup: max(0, int(args[position]))


def _constant(size: Size) -> Rule:
    return lambda args, lookup: size


def _records(count: int, stride: int, size: int) -> Rule:
    """Records one behind the other, or some bytes apart."""
    return lambda args, lookup: max(0, int(args[count]) - 1) * (int(args[stride]) or size) + size if args[count] else 0


def _text(length: int, *, zero_is_open: bool = False) -> Rule:
    """Text of a given length, where a negative one (KHR_debug) or zero (EXT_debug_marker) means NUL-terminated."""

    def rule(args: Sequence[Any], lookup: Lookup) -> Size:
        open_ended = args[length] < 0 or (zero_is_open and args[length] == 0)
        return Extent.TEXT if open_ended else int(args[length])

    return rule


def _clear_buffer(buffer: int) -> Rule:
    return lambda args, lookup: 16 if args[buffer] == gl.GL_COLOR else 4


def _pixel(pixel_format: int, pixel_type: int) -> Rule:
    return lambda args, lookup: client_pixel_bytes(args[pixel_format], args[pixel_type])


def _block_parameter(args: Sequence[Any], lookup: Lookup) -> Size:
    return Extent.BY_OBJECT if args[2] == gl.GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES else 4


def _vertex_attribute(item_bytes: int) -> Rule:
    return lambda args, lookup: item_bytes * (4 if args[1] == gl.GL_CURRENT_VERTEX_ATTRIB else 1)


_INDIRECT: Final = gl.GL_DRAW_INDIRECT_BUFFER_BINDING
_ARRAY: Final = gl.GL_ARRAY_BUFFER_BINDING
_UNPACK: Final = gl.GL_PIXEL_UNPACK_BUFFER_BINDING
_CLIENT_ARRAY: Final = _unless_bound(_ARRAY, _constant(Extent.CLIENT_ARRAY))

#: (command, parameter): rule. What stands here goes before what the registry says.
_RULES: Final[Mapping[tuple[str, str], Rule]] = {
    ("glDrawElements", "indices"): _indices(1, 2),
    ("glDrawElementsInstanced", "indices"): _indices(1, 2),
    ("glDrawElementsBaseVertex", "indices"): _indices(1, 2),
    ("glDrawElementsInstancedBaseVertex", "indices"): _indices(1, 2),
    ("glDrawElementsInstancedBaseInstance", "indices"): _indices(1, 2),
    ("glDrawElementsInstancedBaseVertexBaseInstance", "indices"): _indices(1, 2),
    ("glDrawRangeElements", "indices"): _indices(3, 4),
    ("glDrawRangeElementsBaseVertex", "indices"): _indices(3, 4),
    ("glDrawArraysIndirect", "indirect"): _unless_bound(_INDIRECT, _constant(16)),
    ("glDrawElementsIndirect", "indirect"): _unless_bound(_INDIRECT, _constant(20)),
    ("glClearBufferData", "data"): lambda args, lookup: client_pixel_bytes(args[2], args[3]),
    ("glClearBufferSubData", "data"): lambda args, lookup: client_pixel_bytes(args[4], args[5]),
    ("glClearNamedBufferData", "data"): lambda args, lookup: client_pixel_bytes(args[2], args[3]),
    ("glClearNamedBufferSubData", "data"): lambda args, lookup: client_pixel_bytes(args[4], args[5]),
    ("glMultiDrawArraysIndirect", "indirect"): _unless_bound(_INDIRECT, _records(2, 3, 16)),
    ("glMultiDrawElementsIndirect", "indirect"): _unless_bound(_INDIRECT, _records(3, 4, 20)),
    ("glMultiDrawElements", "indices"): _constant(Extent.BY_OBJECT),
    ("glMultiDrawElementsBaseVertex", "indices"): _constant(Extent.BY_OBJECT),
    ("glVertexAttribPointer", "pointer"): _CLIENT_ARRAY,
    ("glVertexAttribIPointer", "pointer"): _CLIENT_ARRAY,
    ("glVertexAttribLPointer", "pointer"): _CLIENT_ARRAY,
    ("glTexImage1D", "pixels"): _image((3,), 5, 6),
    ("glTexImage2D", "pixels"): _image((3, 4), 6, 7),
    ("glTexImage3D", "pixels"): _image((3, 4, 5), 7, 8),
    ("glTexSubImage1D", "pixels"): _image((3,), 4, 5),
    ("glTexSubImage2D", "pixels"): _image((4, 5), 6, 7),
    ("glTexSubImage3D", "pixels"): _image((5, 6, 7), 8, 9),
    ("glTextureSubImage1D", "pixels"): _image((3,), 4, 5),
    ("glTextureSubImage2D", "pixels"): _image((4, 5), 6, 7),
    ("glTextureSubImage3D", "pixels"): _image((5, 6, 7), 8, 9),
    ("glCompressedTexImage1D", "data"): _unless_bound(_UNPACK, _argument(5)),
    ("glCompressedTexImage2D", "data"): _unless_bound(_UNPACK, _argument(6)),
    ("glCompressedTexImage3D", "data"): _unless_bound(_UNPACK, _argument(7)),
    ("glCompressedTexSubImage1D", "data"): _unless_bound(_UNPACK, _argument(5)),
    ("glCompressedTexSubImage2D", "data"): _unless_bound(_UNPACK, _argument(7)),
    ("glCompressedTexSubImage3D", "data"): _unless_bound(_UNPACK, _argument(9)),
    ("glCompressedTextureSubImage1D", "data"): _unless_bound(_UNPACK, _argument(5)),
    ("glCompressedTextureSubImage2D", "data"): _unless_bound(_UNPACK, _argument(7)),
    ("glCompressedTextureSubImage3D", "data"): _unless_bound(_UNPACK, _argument(9)),
    ("glReadPixels", "pixels"): _image((2, 3), 4, 5, pack=True),
    ("glReadnPixels", "data"): _image((2, 3), 4, 5, pack=True),
    ("glGetTexImage", "pixels"): _unless_bound(gl.GL_PIXEL_PACK_BUFFER_BINDING, _constant(Extent.BY_OBJECT)),
    ("glGetTextureImage", "pixels"): _unless_bound(gl.GL_PIXEL_PACK_BUFFER_BINDING, _argument(4)),
    ("glGetCompressedTexImage", "img"): _unless_bound(gl.GL_PIXEL_PACK_BUFFER_BINDING, _constant(Extent.BY_OBJECT)),
    ("glClearTexImage", "data"): _pixel(2, 3),
    ("glClearTexSubImage", "data"): _pixel(8, 9),
    **{(f"glClearBuffer{kind}", "value"): _clear_buffer(0) for kind in ("fv", "iv", "uiv")},
    **{(f"glClearNamedFramebuffer{kind}", "value"): _clear_buffer(1) for kind in ("fv", "iv", "uiv")},
    ("glDebugMessageInsert", "buf"): _text(4),
    ("glPushDebugGroup", "message"): _text(2),
    ("glObjectLabel", "label"): _text(2),
    ("glObjectPtrLabel", "label"): _text(1),
    ("glPushGroupMarkerEXT", "marker"): _text(0, zero_is_open=True),
    ("glInsertEventMarkerEXT", "marker"): _text(0, zero_is_open=True),
    ("glLabelObjectEXT", "label"): _text(2, zero_is_open=True),
    ("glStringMarkerGREMEDY", "string"): _text(0, zero_is_open=True),
    ("glDebugMessageCallback", "userParam"): _constant(Extent.IGNORED),
    ("glObjectPtrLabel", "ptr"): _constant(Extent.IGNORED),
    ("glGetObjectPtrLabel", "ptr"): _constant(Extent.IGNORED),
    ("glGetUniformfv", "params"): _constant(Extent.BY_OBJECT),
    ("glGetUniformiv", "params"): _constant(Extent.BY_OBJECT),
    ("glGetUniformuiv", "params"): _constant(Extent.BY_OBJECT),
    ("glGetUniformdv", "params"): _constant(Extent.BY_OBJECT),
    ("glGetActiveUniformBlockiv", "params"): _block_parameter,
    ("glGetActiveUniformsiv", "params"): lambda args, lookup: 4 * max(0, args[1]),
    ("glGetUniformIndices", "uniformIndices"): lambda args, lookup: 4 * max(0, args[1]),
    ("glGetMultisamplefv", "val"): _constant(8),
    ("glGetVertexAttribfv", "params"): _vertex_attribute(4),
    ("glGetVertexAttribiv", "params"): _vertex_attribute(4),
    ("glGetVertexAttribIiv", "params"): _vertex_attribute(4),
    ("glGetVertexAttribIuiv", "params"): _vertex_attribute(4),
    ("glGetVertexAttribdv", "params"): _vertex_attribute(8),
}


@dataclass(frozen=True, slots=True)
class _Linear:
    """So many bytes for each of as many items as an argument says."""

    item_bytes: int
    count: int

    def __call__(self, args: Sequence[Any], lookup: Lookup) -> Size:
        return _product(self.item_bytes, (args[self.count],))


def _registry_rule(command: Command, position: int) -> Rule:
    """Rule that the registry's ``len`` and types stand for."""
    param = command.params[position]
    if param.kind is ParamKind.STRINGS:
        return _constant(Extent.TEXT)
    if param.kind is ParamKind.STRING and (not param.length or "COMPSIZE" in param.length):
        return _constant(Extent.TEXT)
    if param.c_type.count("*") > 1:
        return _constant(Extent.IGNORED)
    item_bytes = ELEMENT_BYTES.get(param.element)
    if item_bytes is None:
        return _constant(Extent.IGNORED)
    names = [each.name for each in command.params]
    if param.length.startswith("COMPSIZE(") or not param.length:
        for name in ("pname", "target"):
            if name in names and name in param.length:
                return _by_pname(names.index(name), item_bytes)
        return _constant(Extent.BY_OBJECT)
    if param.length == "bufSize/4":
        return lambda args, lookup: max(0, args[names.index("bufSize")]) // 4 * 4
    if not all(factor.isdecimal() or factor in names for factor in param.length.split("*")):
        return _constant(Extent.BY_OBJECT)
    constant = item_bytes
    positions: list[int] = []
    for factor in param.length.split("*"):
        if factor.isdecimal():
            constant *= int(factor)
        else:
            positions.append(names.index(factor))
    if len(positions) == 1:
        return _Linear(constant, positions[0])
    return lambda args, lookup: _product(constant, [args[position] for position in positions])


def _product(constant: int, counts: Sequence[Any]) -> Size:
    for count in counts:
        # A count behind a pointer (``*length``) is not known here.
        if not isinstance(count, int):
            return Extent.BY_OBJECT
        constant *= max(0, count)
    return constant


@cache
def _rule(name: str, position: int) -> Rule:
    command = COMMANDS[name]
    by_hand = _RULES.get((canonical_name(name), command.params[position].name))
    if by_hand is None and canonical_name(name) in COMMANDS:
        # Vendors may name a parameter differently; its place is the same.
        core = COMMANDS[canonical_name(name)].params
        by_hand = _RULES.get((canonical_name(name), core[position].name)) if position < len(core) else None
    return by_hand or _registry_rule(command, position)


def input_bytes(command: Command, position: int, args: Sequence[Any], lookup: Lookup) -> int | Extent:
    """Bytes that a command reads behind a pointer argument that is not NULL.

    Parameters
    ----------
    command : entry point
    position : of the parameter
    args : of the call; integers must be there, pointers may be anything
    lookup : see the module

    Returns
    -------
    bytes, not negative; or an :class:`Extent`
    """
    return _rule(command.name, position)(args, lookup)


def linear_bytes(command: Command, position: int) -> tuple[int, int] | None:
    """Bytes of an item and the argument that counts them, where :func:`input_bytes` is their product; else None."""
    rule = _rule(command.name, position)
    return (rule.item_bytes, rule.count) if isinstance(rule, _Linear) else None


def output_bytes(command: Command, position: int, args: Sequence[Any], lookup: Lookup) -> int | Extent:
    """Bytes that a command may write behind a pointer argument that is not NULL; see :func:`input_bytes`.

    A text's size is that of the program's buffer.
    """
    return _rule(command.name, position)(args, lookup)
