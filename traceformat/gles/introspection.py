"""Queries about shaders and programs: status, logs, active variables, locations."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.gltypes import TYPES
from traceformat.gles.objects import Executable, ProgramObject, Shader
from traceformat.gles.programs import program_of, shader_of
from traceformat.gles.reflection import (
    FRAGMENT_STAGE,
    GEOMETRY_STAGE,
    TESS_CONTROL_STAGE,
    TESS_EVALUATION_STAGE,
    VERTEX_STAGE,
    ActiveUniform,
    GeometryStage,
    Reflection,
)
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import floats_out, ints_out, text_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_SUBSCRIPT = re.compile(r"^(.*)\[(\d{1,9})\]$")
_EMPTY = Reflection()


def reflection_of(program: ProgramObject) -> Reflection:
    """Reflection of a linked program, an empty one otherwise."""
    return program.executable.reflection if program.executable is not None and program.linked else _EMPTY


def text_answer(tracker: Tracker, text: str, size: int, text_parameter: str) -> None:
    """Answer with a string and its length."""
    if size < 0:
        raise invalid_value(f"buffer size {size}")
    content, length = text_out(text, size)
    tracker.outputs["length"] = ints_out([length])
    tracker.outputs[text_parameter] = content


def log_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape")) + 1 if text else 0


def _longest(names: list[str]) -> int:
    return max((len(name.encode()) + 1 for name in names), default=0)


@handles("glGetShaderiv", touches=Changes.NOTHING)
def get_shader(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    shader = shader_of(context, name)
    values = {
        gl.GL_SHADER_TYPE: shader.type,
        gl.GL_DELETE_STATUS: int(shader.deleted),
        gl.GL_COMPILE_STATUS: int(shader.compiled),
        gl.GL_INFO_LOG_LENGTH: log_length(shader.log),
        gl.GL_SHADER_SOURCE_LENGTH: log_length("".join(shader.source)),
        gl.GL_COMPLETION_STATUS_KHR: 1,
    }
    if pname not in values:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = ints_out([values[pname]])


@handles("glGetShaderInfoLog", touches=Changes.NOTHING)
def get_shader_info_log(tracker: Tracker, context: Context, name: int, size: int, _: object, __: object) -> None:
    text_answer(tracker, shader_of(context, name).log, size, "infoLog")


@handles("glGetShaderSource", touches=Changes.NOTHING)
def get_shader_source(tracker: Tracker, context: Context, name: int, size: int, _: object, __: object) -> None:
    text_answer(tracker, "".join(shader_of(context, name).source), size, "source")


@handles("glGetProgramInfoLog", touches=Changes.NOTHING)
def get_program_info_log(tracker: Tracker, context: Context, name: int, size: int, _: object, __: object) -> None:
    text_answer(tracker, program_of(context, name).log, size, "infoLog")


_GEOMETRY = (
    gl.GL_GEOMETRY_VERTICES_OUT,
    gl.GL_GEOMETRY_INPUT_TYPE,
    gl.GL_GEOMETRY_OUTPUT_TYPE,
    gl.GL_GEOMETRY_SHADER_INVOCATIONS,
)


_TESSELLATION = (
    gl.GL_TESS_CONTROL_OUTPUT_VERTICES,
    gl.GL_TESS_GEN_MODE,
    gl.GL_TESS_GEN_SPACING,
    gl.GL_TESS_GEN_VERTEX_ORDER,
    gl.GL_TESS_GEN_POINT_MODE,
)


def _tessellation_values(context: Context, found: Reflection) -> dict[int, int]:
    """What glGetProgramiv tells of the tessellation stages that there are."""
    layout = found.tessellation
    values: dict[int, int] = {}
    if layout is not None and layout.vertices_out:
        values[gl.GL_TESS_CONTROL_OUTPUT_VERTICES] = layout.vertices_out
    if layout is not None and layout.mode:
        values[gl.GL_TESS_GEN_MODE], values[gl.GL_TESS_GEN_SPACING] = layout.mode, layout.spacing
        values[gl.GL_TESS_GEN_VERTEX_ORDER] = layout.order
        values[gl.GL_TESS_GEN_POINT_MODE] = int(layout.point_mode)
    if not values:
        raise invalid_operation("the program has no such stage")
    return values


@handles("glGetProgramiv", touches=Changes.NOTHING)
def get_program(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    program = program_of(context, name)
    found = reflection_of(program)
    feedback = program.executable.feedback_mode if program.executable is not None else program.feedback_mode
    values = {
        gl.GL_DELETE_STATUS: int(program.deleted),
        gl.GL_LINK_STATUS: int(program.linked),
        gl.GL_VALIDATE_STATUS: int(program.validated),
        gl.GL_INFO_LOG_LENGTH: log_length(program.log),
        gl.GL_ATTACHED_SHADERS: len(program.shaders),
        gl.GL_ACTIVE_ATTRIBUTES: len(found.attributes),
        gl.GL_ACTIVE_ATTRIBUTE_MAX_LENGTH: _longest([attribute.name for attribute in found.attributes]),
        gl.GL_ACTIVE_UNIFORMS: len(found.uniforms),
        gl.GL_ACTIVE_UNIFORM_MAX_LENGTH: _longest([uniform.name for uniform in found.uniforms]),
        gl.GL_ACTIVE_UNIFORM_BLOCKS: len(found.blocks),
        gl.GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH: _longest([block.name for block in found.blocks]),
        gl.GL_TRANSFORM_FEEDBACK_BUFFER_MODE: feedback,
        gl.GL_TRANSFORM_FEEDBACK_VARYINGS: len(found.feedback),
        gl.GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH: _longest([varying.name for varying in found.feedback]),
        gl.GL_PROGRAM_BINARY_RETRIEVABLE_HINT: int(program.binary_retrievable),
        gl.GL_PROGRAM_BINARY_LENGTH: 0,
        gl.GL_PROGRAM_SEPARABLE: int(program.separable),
        gl.GL_ACTIVE_ATOMIC_COUNTER_BUFFERS: 0,
        gl.GL_COMPLETION_STATUS_KHR: 1,
    }
    geometry = found.geometry
    if geometry is None and not context.is_gles:
        # Asked for in programs without one, too: nothing is emitted there.
        geometry = GeometryStage(gl.GL_TRIANGLES, gl.GL_TRIANGLE_STRIP, 0, 1)
    if pname in _GEOMETRY and geometry is None:
        raise invalid_operation("the program has no geometry stage")
    if geometry is not None:
        values[gl.GL_GEOMETRY_VERTICES_OUT] = geometry.vertices_out
        values[gl.GL_GEOMETRY_INPUT_TYPE] = geometry.input_type
        values[gl.GL_GEOMETRY_OUTPUT_TYPE] = geometry.output_type
        values[gl.GL_GEOMETRY_SHADER_INVOCATIONS] = geometry.invocations
    if pname in _TESSELLATION:
        values |= _tessellation_values(context, found)
    if pname == gl.GL_COMPUTE_WORK_GROUP_SIZE:
        if not any(found.local_size):
            raise invalid_operation("the program has no compute stage")
        tracker.outputs["params"] = ints_out(found.local_size)
        return
    if pname not in values:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = ints_out([values[pname]])


@handles("glGetObjectParameterivARB", touches=Changes.NOTHING)
def get_object_parameter(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    aliases = {
        gl.GL_OBJECT_COMPILE_STATUS_ARB: gl.GL_COMPILE_STATUS,
        gl.GL_OBJECT_LINK_STATUS_ARB: gl.GL_LINK_STATUS,
        gl.GL_OBJECT_INFO_LOG_LENGTH_ARB: gl.GL_INFO_LOG_LENGTH,
    }
    handler = get_program if isinstance(context.group.programs.get(name), ProgramObject) else get_shader
    handler(tracker, context, name, aliases.get(pname, pname), _)


@handles("glGetInfoLogARB", touches=Changes.NOTHING)
def get_info_log(tracker: Tracker, context: Context, name: int, size: int, _: object, __: object) -> None:
    found = context.group.programs.get(name)
    if not isinstance(found, (Shader, ProgramObject)):
        raise invalid_value(f"{name} is neither shader nor program")
    text_answer(tracker, found.log, size, "infoLog")


@handles("glGetAttachedShaders", touches=Changes.NOTHING)
def get_attached_shaders(tracker: Tracker, context: Context, name: int, size: int, _: object, __: object) -> None:
    if size < 0:
        raise invalid_value(f"buffer size {size}")
    names = [shader.name for shader in program_of(context, name).shaders][:size]
    tracker.outputs["count"] = ints_out([len(names)])
    tracker.outputs["shaders"] = ints_out(names)


def _variable_answer(tracker: Tracker, name: str, type: int, size: int, buffer_size: int) -> None:
    text_answer(tracker, name, buffer_size, "name")
    tracker.outputs["size"] = ints_out([size])
    tracker.outputs["type"] = ints_out([type])


@handles("glGetActiveAttrib", touches=Changes.NOTHING)
def get_active_attrib(tracker: Tracker, context: Context, name: int, index: int, buffer_size: int, *_: object) -> None:
    attributes = reflection_of(program_of(context, name)).attributes
    if not 0 <= index < len(attributes):
        raise invalid_value(f"attribute {index}")
    found = attributes[index]
    _variable_answer(tracker, found.name, found.type, found.size, buffer_size)


@handles("glGetActiveUniform", touches=Changes.NOTHING)
def get_active_uniform(tracker: Tracker, context: Context, name: int, index: int, buffer_size: int, *_: object) -> None:
    uniforms = reflection_of(program_of(context, name)).uniforms
    if not 0 <= index < len(uniforms):
        raise invalid_value(f"uniform {index}")
    found = uniforms[index]
    _variable_answer(tracker, found.name, found.type, found.size, buffer_size)


@handles("glGetActiveUniformName", touches=Changes.NOTHING)
def get_active_uniform_name(
    tracker: Tracker, context: Context, name: int, index: int, buffer_size: int, *_: object
) -> None:
    uniforms = reflection_of(program_of(context, name)).uniforms
    if not 0 <= index < len(uniforms):
        raise invalid_value(f"uniform {index}")
    text_answer(tracker, uniforms[index].name, buffer_size, "uniformName")


@handles("glGetTransformFeedbackVarying", touches=Changes.NOTHING)
def get_transform_feedback_varying(
    tracker: Tracker, context: Context, name: int, index: int, buffer_size: int, *_: object
) -> None:
    varyings = reflection_of(program_of(context, name)).feedback
    if not 0 <= index < len(varyings):
        raise invalid_value(f"varying {index}")
    found = varyings[index]
    _variable_answer(tracker, found.name, found.type, found.size, buffer_size)


def _linked(context: Context, name: int) -> Executable:
    program = program_of(context, name)
    if program.executable is None or not program.linked:
        raise invalid_operation(f"program {name} is not linked")
    return program.executable


def _attribute_location(reflection: Reflection, wanted: str) -> int:
    subscript = _SUBSCRIPT.match(wanted)
    for attribute in reflection.attributes:
        if attribute.name == wanted or attribute.name == f"{wanted}[0]":
            return attribute.location
        if subscript and attribute.name in (subscript[1], f"{subscript[1]}[0]"):
            element = int(subscript[2])
            if element < attribute.size:
                return attribute.location + element * TYPES[attribute.type].columns
    return -1


@handles("glGetAttribLocation", touches=Changes.NOTHING)
def get_attrib_location(tracker: Tracker, context: Context, name: int, wanted: str) -> int:
    reflection = _linked(context, name).reflection
    location = _attribute_location(reflection, wanted)
    recorded = tracker.recorded_result()
    if recorded is None or recorded < 0 or location < 0 or recorded == location:
        return location if recorded is None else recorded
    # The driver that recorded the trace chose another location: move the attribute there, and what is there away.
    if recorded < context.limits.max_vertex_attribs:
        _move_attribute(reflection, location, recorded)
    return recorded


def _move_attribute(reflection: Reflection, old: int, new: int) -> None:
    """Exchange the locations of two attributes."""
    for attribute in reflection.attributes:
        if attribute.location == old:
            attribute.location = new
        elif attribute.location == new:
            attribute.location = old


def find_uniform(executable: Executable, wanted: str) -> tuple[int, int]:
    """Index of a uniform and array element that a name stands for; (-1, 0) if there is none."""
    subscript = _SUBSCRIPT.match(wanted)
    element_name, element = (f"{subscript[1]}[0]", int(subscript[2])) if subscript else ("", 0)
    array_name = f"{wanted}[0]"
    for index, uniform in enumerate(executable.reflection.uniforms):
        if uniform.name == wanted or uniform.name == array_name:
            return index, 0
        if uniform.name == element_name and element < uniform.size:
            return index, element
    return -1, 0


def _uniform_location(executable: Executable, wanted: str) -> int:
    index, element = find_uniform(executable, wanted)
    for slot in executable.slots:
        if slot.index == index:
            return slot.location + element
    return -1


@handles("glGetUniformLocation", touches=Changes.NOTHING)
def get_uniform_location(tracker: Tracker, context: Context, name: int, wanted: str) -> int:
    executable = _linked(context, name)
    recorded = tracker.recorded_result()
    if recorded is None:
        return _uniform_location(executable, wanted)
    if recorded >= 0:
        _remember_location(executable, wanted, recorded)
    return recorded


def _remember_location(executable: Executable, wanted: str, recorded: int) -> None:
    """Let the recorded location, and those of the elements behind it, mean our uniform."""
    index, first = find_uniform(executable, wanted)
    slot = next((slot for slot in executable.slots if slot.index == index), None)
    executable.places.clear()
    if slot is None:
        executable.locations[recorded] = None
        return
    executable.locations[recorded] = (slot, first)
    queried = executable.queried
    queried.add(recorded)
    executable.sampler_conflict = None
    # Drivers number the elements of an array consecutively; what was asked for by name has precedence.
    for element in range(first + 1, slot.uniform.size):
        location = recorded + element - first
        if location not in queried:
            executable.locations[location] = (slot, element)


@handles("glGetFragDataLocation", touches=Changes.NOTHING)
def get_frag_data_location(tracker: Tracker, context: Context, name: int, wanted: str) -> int:
    subscript = _SUBSCRIPT.match(wanted)
    for output in _linked(context, name).reflection.outputs:
        if output.name in (wanted, f"{wanted}[0]"):
            return output.location
        if subscript and output.name in (subscript[1], f"{subscript[1]}[0]") and int(subscript[2]) < output.size:
            return output.location + int(subscript[2])
    return -1


@handles("glGetFragDataIndex", touches=Changes.NOTHING)
def get_frag_data_index(tracker: Tracker, context: Context, name: int, wanted: str) -> int:
    if get_frag_data_location(tracker, context, name, wanted) < 0:
        return -1
    return program_of(context, name).fragment_bindings.get(wanted, (0, 0))[1]


@handles("glGetUniformIndices", touches=Changes.NOTHING)
def get_uniform_indices(tracker: Tracker, context: Context, name: int, count: int, names: object, _: object) -> None:
    program = program_of(context, name)
    if count < 0:
        raise invalid_value(f"count {count}")
    wanted = [str(entry) for entry in names][:count] if isinstance(names, tuple) else []
    found = [find_uniform(program.executable, entry) if program.executable else (-1, 0) for entry in wanted]
    indices = [index if index >= 0 and element == 0 else gl.GL_INVALID_INDEX for index, element in found]
    tracker.outputs["uniformIndices"] = ints_out(indices)


def uniform_parameter(uniform: ActiveUniform, pname: int) -> int:
    """Answer of glGetActiveUniformsiv."""
    values = {
        gl.GL_UNIFORM_TYPE: uniform.type,
        gl.GL_UNIFORM_SIZE: uniform.size,
        gl.GL_UNIFORM_NAME_LENGTH: len(uniform.name.encode()) + 1,
        gl.GL_UNIFORM_BLOCK_INDEX: uniform.block,
        gl.GL_UNIFORM_OFFSET: uniform.offset,
        gl.GL_UNIFORM_ARRAY_STRIDE: uniform.array_stride,
        gl.GL_UNIFORM_MATRIX_STRIDE: uniform.matrix_stride,
        gl.GL_UNIFORM_IS_ROW_MAJOR: int(uniform.row_major),
    }
    if pname not in values:
        raise invalid_enum(f"pname {pname:#x}")
    return values[pname]


@handles("glGetActiveUniformsiv", touches=Changes.NOTHING)
def get_active_uniforms(
    tracker: Tracker, context: Context, name: int, count: int, indices: object, pname: int, _: object
) -> None:
    uniforms = reflection_of(program_of(context, name)).uniforms
    if count < 0:
        raise invalid_value(f"count {count}")
    wanted = uints(indices, count)
    if any(index >= len(uniforms) for index in wanted):
        raise invalid_value("a uniform index is too large")
    tracker.outputs["params"] = ints_out([uniform_parameter(uniforms[index], pname) for index in wanted])


@handles("glGetUniformBlockIndex", touches=Changes.NOTHING)
def get_uniform_block_index(tracker: Tracker, context: Context, name: int, wanted: str) -> int:
    executable = program_of(context, name).executable
    blocks = executable.reflection.blocks if executable is not None else []
    names = [block.name for block in blocks]
    ours = next((names.index(name) for name in (wanted, f"{wanted}[0]") if name in names), gl.GL_INVALID_INDEX)
    recorded = tracker.recorded_result()
    if recorded is None or executable is None:
        return ours
    if recorded & 0xFFFFFFFF != gl.GL_INVALID_INDEX:
        executable.recorded_blocks[recorded] = ours if ours != gl.GL_INVALID_INDEX else -1
    return recorded


@handles("glGetActiveUniformBlockiv", touches=Changes.NOTHING)
def get_active_uniform_block(tracker: Tracker, context: Context, name: int, index: int, pname: int, _: object) -> None:
    program = program_of(context, name)
    executable = program.executable
    if executable is None or not 0 <= index < len(executable.reflection.blocks):
        raise invalid_value(f"block {index}")
    block = executable.reflection.blocks[index]
    values = {
        gl.GL_UNIFORM_BLOCK_BINDING: executable.block_bindings[index],
        gl.GL_UNIFORM_BLOCK_DATA_SIZE: block.data_size,
        gl.GL_UNIFORM_BLOCK_NAME_LENGTH: len(block.name.encode()) + 1,
        gl.GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS: len(block.uniforms),
        gl.GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER: int(bool(block.stages & VERTEX_STAGE)),
        gl.GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER: int(bool(block.stages & FRAGMENT_STAGE)),
        gl.GL_UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER: int(bool(block.stages & GEOMETRY_STAGE)),
        gl.GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_CONTROL_SHADER: int(bool(block.stages & TESS_CONTROL_STAGE)),
        gl.GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_EVALUATION_SHADER: int(bool(block.stages & TESS_EVALUATION_STAGE)),
    }
    if pname == gl.GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES:
        tracker.outputs["params"] = ints_out(block.uniforms)
    elif pname in values:
        tracker.outputs["params"] = ints_out([values[pname]])
    else:
        raise invalid_enum(f"pname {pname:#x}")


@handles("glGetActiveUniformBlockName", touches=Changes.NOTHING)
def get_active_uniform_block_name(
    tracker: Tracker, context: Context, name: int, index: int, buffer_size: int, *_: object
) -> None:
    blocks = reflection_of(program_of(context, name)).blocks
    if not 0 <= index < len(blocks):
        raise invalid_value(f"block {index}")
    text_answer(tracker, blocks[index].name, buffer_size, "uniformBlockName")


@handles("glGetShaderPrecisionFormat", touches=Changes.NOTHING)
def get_shader_precision_format(tracker: Tracker, context: Context, stage: int, precision: int, *_: object) -> None:
    if stage not in (gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER):
        raise invalid_enum(f"shader type {stage:#x}")
    if gl.GL_LOW_FLOAT <= precision <= gl.GL_HIGH_FLOAT:
        exponents, bits = (127, 127), 23
    elif gl.GL_LOW_INT <= precision <= gl.GL_HIGH_INT:
        exponents, bits = (31, 30), 0
    else:
        raise invalid_enum(f"precision {precision:#x}")
    tracker.outputs["range"] = ints_out(exponents)
    tracker.outputs["precision"] = ints_out([bits])


@handles("glGetProgramBinary", touches=Changes.NOTHING)
def get_program_binary(tracker: Tracker, context: Context, name: int, size: int, *_: object) -> None:
    _linked(context, name)
    raise invalid_operation("no program binary formats are supported")


@handles("glGetMultisamplefv", touches=Changes.NOTHING)
def get_multisample(tracker: Tracker, context: Context, pname: int, index: int, _: object) -> None:
    if pname != gl.GL_SAMPLE_POSITION:
        raise invalid_enum(f"pname {pname:#x}")
    attachment = context.draw_framebuffer.draw_attachments()[0] if context.draw_framebuffer.draw_buffers else None
    image = attachment.image if attachment is not None else None
    samples = image.samples if image is not None else 0
    if not 0 <= index < samples:
        raise invalid_value(f"sample {index}")
    # The rotated grid that Direct3D standardised for four samples.
    positions = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)]
    x, y = positions[index % len(positions)]
    # Mesa counts the rows of windows from the top.
    tracker.outputs["val"] = floats_out((x, y if context.draw_framebuffer.name else 1.0 - y))
