"""What a draw reads of a context's state, as JSON values."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from traceformat.gles import enums as gl
from traceformat.gles.enum_names import enum_name
from traceformat.gles.gltypes import SAMPLED_TARGETS, TYPES
from traceformat.gles.objects import (
    Attachment,
    Buffer,
    BufferRange,
    Executable,
    Framebuffer,
    Image,
    Sampler,
    Texture,
    UniformSlot,
    VertexAttrib,
)
from traceformat.gles.reflection import ActiveUniform
from traceformat.gles.state import Context

__all__ = ["BoundTexture", "bound_buffers", "bound_state", "bound_textures", "name_of"]

_CODES: Final = {"float": "f", "uint": "I", "bool": "I", "int": "i", "sampler": "i", "image": "i"}
#: Capabilities that have a place of their own.
_PLACED: Final = (gl.GL_BLEND, gl.GL_CULL_FACE, gl.GL_DEPTH_TEST, gl.GL_SCISSOR_TEST, gl.GL_STENCIL_TEST)


@dataclass(frozen=True, slots=True)
class BoundTexture:
    """What an element of a sampler uniform reads.

    Parameters
    ----------
    uniform : its name, with the element of an array
    type : of the uniform
    unit, target : where the texture is bound
    texture, sampler : None where there is none
    """

    uniform: str
    type: int
    unit: int
    target: int
    texture: Texture | None
    sampler: Sampler | None


def bound_state(context: Context) -> dict[str, Any]:
    """Everything that a draw of the context would read, but the vertices themselves.

    Matrices are lists of columns; enums are names; objects are told by name, with their label where they have one.
    """
    program, executable = context.program, _executable(context)
    found: dict[str, Any] = {
        "groups": [group.label for group in context.debug_groups],
        "pipeline": _pipeline(context),
        "framebuffer": _framebuffer(context.draw_framebuffer),
        "program": None,
        "uniforms": [],
        "blocks": [],
        "textures": [_texture(one) for one in bound_textures(context)],
        "vertex_array": _vertex_array(context),
    }
    if program is not None and executable is not None:
        found["program"] = _named(program) | {
            "shaders": [name_of(kind) for kind, _ in executable.inputs.shaders] if executable.inputs else []
        }
        found["uniforms"] = [_uniform(slot, executable) for slot in executable.slots if slot not in executable.samplers]
        found["blocks"] = list(_blocks(context, executable))
    return found


def name_of(value: int) -> str:
    """Name of an enum; small ones, which many share, as numbers."""
    return enum_name(value) or ("GL_NONE" if value == gl.GL_NONE else str(value))


def bound_textures(context: Context) -> list[BoundTexture]:
    """Textures that the program's samplers read, in the order of the uniforms."""
    executable = _executable(context)
    found = []
    for slot in executable.samplers if executable is not None else ():
        assert executable is not None
        for element in range(slot.uniform.size):
            (unit,) = struct.unpack_from("<i", executable.constants, slot.offset + element * slot.element_bytes)
            target = SAMPLED_TARGETS.get(slot.uniform.type, gl.GL_TEXTURE_2D)
            bound = context.units[unit] if 0 <= unit < len(context.units) else None
            texture = bound.textures.get(target) if bound is not None else None
            name = slot.uniform.name.removesuffix("[0]") + (f"[{element}]" if slot.uniform.is_array else "")
            sampler = bound.sampler if bound is not None else None
            found.append(BoundTexture(name, slot.uniform.type, unit, target, texture, sampler))
    return found


def bound_buffers(context: Context) -> list[Buffer]:
    """Buffers that a draw reads: vertices, indices and uniform blocks, each once."""
    executable = _executable(context)
    found: list[Buffer | None] = [attrib.buffer for _, attrib in _read_attributes(context)]
    found.append(context.vertex_array.element_buffer)
    bindings = executable.block_bindings if executable is not None else []
    found += [context.uniform_buffers[k].buffer for k in bindings if k < len(context.uniform_buffers)]
    return list(dict.fromkeys(buffer for buffer in found if buffer is not None))


def _executable(context: Context) -> Executable | None:
    return context.program.executable if context.program is not None else None


def _read_attributes(context: Context) -> Iterator[tuple[int, VertexAttrib]]:
    """Enabled arrays by location, those that the program reads where there is one."""
    executable = _executable(context)
    read: set[int] | None = None
    if executable is not None:
        read = set()
        for attribute in executable.reflection.attributes:
            columns = TYPES[attribute.type].columns * attribute.size
            read.update(range(attribute.location, attribute.location + columns))
    for location, attrib in enumerate(context.vertex_array.attribs):
        if attrib.enabled and (read is None or location in read):
            yield location, attrib


def _named(thing: Any) -> dict[str, Any]:
    return {"name": thing.name} | ({"label": thing.label} if thing.label else {})


def _pipeline(context: Context) -> dict[str, Any]:
    enabled = context.enabled
    faces = {
        side: {
            "func": name_of(face.func),
            "ref": face.ref,
            "value_mask": f"{face.value_mask & 0xFFFFFFFF:#x}",
            "write_mask": f"{face.write_mask & 0xFFFFFFFF:#x}",
            "fail": _operation(face.fail),
            "depth_fail": _operation(face.depth_fail),
            "depth_pass": _operation(face.depth_pass),
        }
        for side, face in (("front", context.stencil_front), ("back", context.stencil_back))
    }
    buffers = range(max(len(context.draw_framebuffer.draw_buffers), 1))
    executable = _executable(context)
    has_patches = executable is not None and executable.reflection.tessellation is not None
    return {
        **({"patch_vertices": context.patch_vertices} if has_patches else {}),
        "viewport": list(context.viewport),
        "depth_range": list(context.depth_range),
        "scissor": list(context.scissor) if gl.GL_SCISSOR_TEST in enabled else None,
        "cull_face": name_of(context.cull_mode) if gl.GL_CULL_FACE in enabled else None,
        "front_face": name_of(context.front_face),
        "line_width": context.line_width,
        "polygon_offset": [context.polygon_offset_factor, context.polygon_offset_units],
        "depth_test": name_of(context.depth_func) if gl.GL_DEPTH_TEST in enabled else None,
        "depth_write": context.depth_mask,
        "stencil_test": faces if gl.GL_STENCIL_TEST in enabled else None,
        "blend": [_blend(context, number) for number in buffers],
        "blend_color": list(context.blend_color),
        "color_mask": [
            "".join(channel for channel, on in zip("rgba", context.color_masks[n], strict=True) if on) for n in buffers
        ],
        "enabled": sorted(name_of(cap) for cap in enabled if cap not in _PLACED),
    }


def _operation(value: int) -> str:
    """Name of a stencil operation; zero is one of them."""
    return "GL_ZERO" if value == gl.GL_ZERO else name_of(value)


def _blend(context: Context, number: int) -> dict[str, str] | None:
    if not context.blend_enabled[number]:
        return None
    fields = dataclasses.asdict(context.blend[number])
    return {key: _factor(value) for key, value in fields.items()}


def _factor(value: int) -> str:
    return {gl.GL_ZERO: "GL_ZERO", gl.GL_ONE: "GL_ONE"}.get(value) or name_of(value)


def _framebuffer(framebuffer: Framebuffer) -> dict[str, Any]:
    points = [(f"color{number}", attachment) for number, attachment in enumerate(framebuffer.color)]
    points += [("depth", framebuffer.depth), ("stencil", framebuffer.stencil)]
    return _named(framebuffer) | {
        "status": name_of(framebuffer.status) if framebuffer.status else None,
        "draw_buffers": [name_of(buffer) for buffer in framebuffer.draw_buffers],
        "attachments": [{"point": point} | _attachment(one) for point, one in points if one is not None],
    }


def _attachment(attachment: Attachment) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if attachment.texture is not None:
        found["texture"] = attachment.texture.name
        found |= {"face": attachment.face, "level": attachment.level, "layer": attachment.layer}
    elif attachment.renderbuffer is not None:
        found["renderbuffer"] = attachment.renderbuffer.name
    owner = attachment.texture or attachment.renderbuffer
    if owner is not None and owner.label:
        found["label"] = owner.label
    return found | (_image(attachment.image) if attachment.image is not None else {})


def _image(image: Image) -> dict[str, Any]:
    size = [image.width, image.height] + ([image.depth] if image.depth > 1 else [])
    return {"format": name_of(image.format), "size": size} | ({"samples": image.samples} if image.samples else {})


def _texture(one: BoundTexture) -> dict[str, Any]:
    found: dict[str, Any] = {
        "uniform": one.uniform,
        "type": name_of(one.type),
        "unit": one.unit,
        "target": name_of(one.target),
        "texture": None,
    }
    texture = one.texture
    if texture is None or not (texture.images or texture.texels):
        return found
    found["texture"] = texture.name
    if texture.label:
        found["label"] = texture.label
    if texture.texels is not None:
        texels = texture.texels
        found |= {"format": name_of(texels.format), "buffer": texels.buffer.name, "offset": texels.offset}
        return found | {"bytes": len(texels.bytes), "version": texels.buffer.version}
    base = texture.images.get((0, texture.base_level)) or next(iter(texture.images.values()))
    sampling = one.sampler.state if one.sampler is not None else texture.sampling
    found |= _image(base) | {
        "levels": len({level for _, level in texture.images}),
        "faces": len({face for face, _ in texture.images}),
        "base_level": texture.base_level,
        "max_level": texture.max_level,
        "swizzle": [_factor(channel) for channel in texture.swizzle],
        "version": texture.version,
        "sampler": one.sampler.name if one.sampler is not None else None,
    }
    fields = ((key, getattr(sampling, key)) for key in (field.name for field in dataclasses.fields(sampling)))
    found["sampling"] = {
        key: list(value) if isinstance(value, tuple) else value if isinstance(value, float) else name_of(value)
        for key, value in fields
    }
    return found


def _uniform(slot: UniformSlot, executable: Executable) -> dict[str, Any]:
    uniform = slot.uniform
    type = TYPES[uniform.type]
    code = f"<{type.components}{_CODES[type.base]}"
    values = [
        _shaped(uniform, struct.unpack_from(code, executable.constants, slot.offset + element * slot.element_bytes))
        for element in range(uniform.size)
    ]
    return _value(uniform, values) | {"location": slot.location}


def _value(uniform: ActiveUniform, values: list[Any]) -> dict[str, Any]:
    name = uniform.name.removesuffix("[0]") if uniform.is_array else uniform.name
    return {"name": name, "type": name_of(uniform.type), "value": values if uniform.is_array else values[0]}


def _shaped(uniform: ActiveUniform, numbers: tuple[Any, ...]) -> Any:
    """A number, a vector, or a matrix as a list of columns."""
    type = TYPES[uniform.type]
    if type.base == "bool":
        numbers = tuple(map(bool, numbers))
    if type.columns > 1:
        return [list(numbers[k : k + type.rows]) for k in range(0, len(numbers), type.rows)]
    return list(numbers) if type.rows > 1 else numbers[0]


def _blocks(context: Context, executable: Executable) -> Iterator[dict[str, Any]]:
    uniforms = executable.reflection.uniforms
    for number, block in enumerate(executable.reflection.blocks):
        binding = executable.block_bindings[number]
        bound = context.uniform_buffers[binding] if binding < len(context.uniform_buffers) else BufferRange()
        yield {
            "name": block.name,
            "binding": binding,
            "buffer": bound.buffer.name if bound.buffer is not None else None,
            "offset": bound.offset,
            "size": bound.size,
            "uniforms": [
                _value(uniform, [_from_block(uniform, bound, element) for element in range(uniform.size)])
                for uniform in uniforms
                if uniform.block == number
            ],
        }


def _from_block(uniform: ActiveUniform, bound: BufferRange, element: int) -> Any:
    """Value of a uniform of a block; None where its buffer ends before it."""
    type = TYPES[uniform.type]
    store = bound.buffer.store if bound.buffer is not None else b""
    start = bound.offset + uniform.offset + element * max(uniform.array_stride, 0)
    outer, inner = (type.rows, type.columns) if uniform.row_major else (type.columns, type.rows)
    lines = []
    for line in range(outer):
        place = start + line * max(uniform.matrix_stride, 0)
        if place + 4 * inner > len(store):
            return None
        lines.append(struct.unpack_from(f"<{inner}{_CODES[type.base]}", store, place))
    if uniform.row_major:
        lines = list(zip(*lines, strict=True))
    return _shaped(uniform, tuple(number for line in lines for number in line))


def _vertex_array(context: Context) -> dict[str, Any]:
    array = context.vertex_array
    indices = array.element_buffer
    return _named(array) | {
        "element_buffer": _named(indices) | {"bytes": len(indices.store)} if indices is not None else None,
        "arrays": [
            {
                "location": location,
                "buffer": attrib.buffer.name if attrib.buffer is not None else None,
                "offset": attrib.offset,
                "stride": attrib.effective_stride,
                "size": 4 if attrib.size == gl.GL_BGRA else attrib.size,
                "type": name_of(attrib.type),
                "normalized": attrib.normalized,
                "integer": attrib.integer,
                "divisor": attrib.divisor,
            }
            for location, attrib in _read_attributes(context)
        ],
    }
