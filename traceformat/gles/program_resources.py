"""Program interface queries of ES 3.1, for what an ES 3.0 program has: uniforms, blocks, inputs, outputs, varyings."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.introspection import (
    get_attrib_location,
    get_frag_data_location,
    get_uniform_location,
    reflection_of,
)
from traceformat.gles.objects import ProgramObject
from traceformat.gles.programs import program_of
from traceformat.gles.reflection import (
    COMPUTE_STAGE,
    FRAGMENT_STAGE,
    GEOMETRY_STAGE,
    TESS_CONTROL_STAGE,
    TESS_EVALUATION_STAGE,
    VERTEX_STAGE,
)
from traceformat.gles.state import Context
from traceformat.gles.values import ints_out, text_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: Interfaces that are told as empty: members of storage blocks and counters have no handles that calls refer to.
_EMPTY = frozenset({gl.GL_BUFFER_VARIABLE, gl.GL_ATOMIC_COUNTER_BUFFER})


def _names(program: ProgramObject, interface: int) -> list[str]:
    """Names of the active resources of an interface."""
    found = reflection_of(program)
    if interface == gl.GL_UNIFORM:
        return [uniform.name for uniform in found.uniforms]
    if interface == gl.GL_UNIFORM_BLOCK:
        return [block.name for block in found.blocks]
    if interface == gl.GL_SHADER_STORAGE_BLOCK:
        return [name for name, _, _ in found.storage_blocks]
    if interface == gl.GL_PROGRAM_INPUT:
        return [attribute.name for attribute in found.attributes]
    if interface == gl.GL_PROGRAM_OUTPUT:
        return [output.name for output in found.outputs]
    if interface == gl.GL_TRANSFORM_FEEDBACK_VARYING:
        return [varying.name for varying in found.feedback]
    if interface in _EMPTY:
        return []
    raise invalid_enum(f"interface {interface:#x}")


@handles("glGetProgramInterfaceiv")
def get_program_interface(tracker: Tracker, context: Context, name: int, interface: int, pname: int, _: object) -> None:
    program = program_of(context, name)
    names = _names(program, interface)
    if pname == gl.GL_ACTIVE_RESOURCES:
        value = len(names)
    elif pname == gl.GL_MAX_NAME_LENGTH:
        if interface == gl.GL_ATOMIC_COUNTER_BUFFER:
            raise invalid_operation("atomic counter buffers have no names")
        value = max((len(entry.encode()) + 1 for entry in names), default=0)
    elif pname == gl.GL_MAX_NUM_ACTIVE_VARIABLES:
        if interface != gl.GL_UNIFORM_BLOCK and interface not in _EMPTY:
            raise invalid_operation("only blocks have variables")
        blocks = reflection_of(program).blocks if interface == gl.GL_UNIFORM_BLOCK else []
        value = max((len(block.uniforms) for block in blocks), default=0)
    else:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = ints_out([value])


@handles("glGetProgramResourceIndex")
def get_program_resource_index(tracker: Tracker, context: Context, name: int, interface: int, wanted: str) -> int:
    names = _names(program_of(context, name), interface)
    for candidate in (wanted, f"{wanted}[0]"):
        if candidate in names:
            return names.index(candidate)
    return gl.GL_INVALID_INDEX


@handles("glGetProgramResourceName")
def get_program_resource_name(
    tracker: Tracker, context: Context, name: int, interface: int, index: int, size: int, *_: object
) -> None:
    names = _names(program_of(context, name), interface)
    if not 0 <= index < len(names) or size < 0:
        raise invalid_value(f"resource {index}, buffer size {size}")
    content, length = text_out(names[index], size)
    tracker.outputs["length"] = ints_out([length])
    tracker.outputs["name"] = content


@handles("glGetProgramResourceLocation")
def get_program_resource_location(tracker: Tracker, context: Context, name: int, interface: int, wanted: str) -> int:
    if interface == gl.GL_UNIFORM:
        return get_uniform_location(tracker, context, name, wanted)
    if interface == gl.GL_PROGRAM_INPUT:
        return get_attrib_location(tracker, context, name, wanted)
    if interface == gl.GL_PROGRAM_OUTPUT:
        return get_frag_data_location(tracker, context, name, wanted)
    raise invalid_enum(f"interface {interface:#x}")


def _properties(program: ProgramObject, interface: int, index: int) -> dict[int, int]:
    """Properties of one resource."""
    found = reflection_of(program)
    executable = program.executable
    values = {gl.GL_NAME_LENGTH: len(_names(program, interface)[index].encode()) + 1}
    stages = VERTEX_STAGE | FRAGMENT_STAGE
    if interface == gl.GL_UNIFORM:
        uniform = found.uniforms[index]
        stages = uniform.stages
        slots = executable.slots if executable is not None else []
        values |= {
            gl.GL_TYPE: uniform.type,
            gl.GL_ARRAY_SIZE: uniform.size,
            gl.GL_OFFSET: uniform.offset,
            gl.GL_BLOCK_INDEX: uniform.block,
            gl.GL_ARRAY_STRIDE: uniform.array_stride,
            gl.GL_MATRIX_STRIDE: uniform.matrix_stride,
            gl.GL_IS_ROW_MAJOR: int(uniform.row_major),
            gl.GL_ATOMIC_COUNTER_BUFFER_INDEX: -1,
            gl.GL_LOCATION: next((slot.location for slot in slots if slot.index == index), -1),
        }
    elif interface == gl.GL_UNIFORM_BLOCK:
        block = found.blocks[index]
        stages = block.stages
        values |= {
            gl.GL_BUFFER_BINDING: executable.block_bindings[index] if executable is not None else 0,
            gl.GL_BUFFER_DATA_SIZE: block.data_size,
            gl.GL_NUM_ACTIVE_VARIABLES: len(block.uniforms),
        }
    elif interface == gl.GL_SHADER_STORAGE_BLOCK:
        stages = found.storage_blocks[index][2]
        values[gl.GL_BUFFER_BINDING] = executable.storage_bindings[index] if executable is not None else 0
    elif interface == gl.GL_PROGRAM_INPUT:
        attribute = found.attributes[index]
        stages = VERTEX_STAGE
        values |= {
            gl.GL_TYPE: attribute.type,
            gl.GL_ARRAY_SIZE: attribute.size,
            gl.GL_LOCATION: attribute.location,
        }
    elif interface == gl.GL_PROGRAM_OUTPUT:
        output = found.outputs[index]
        stages = FRAGMENT_STAGE
        values |= {gl.GL_TYPE: output.type, gl.GL_ARRAY_SIZE: output.size, gl.GL_LOCATION: output.location}
    else:
        varying = found.feedback[index]
        return values | {gl.GL_TYPE: varying.type, gl.GL_ARRAY_SIZE: varying.size}
    values[gl.GL_REFERENCED_BY_VERTEX_SHADER] = int(bool(stages & VERTEX_STAGE))
    values[gl.GL_REFERENCED_BY_FRAGMENT_SHADER] = int(bool(stages & FRAGMENT_STAGE))
    values[gl.GL_REFERENCED_BY_COMPUTE_SHADER] = int(bool(stages & COMPUTE_STAGE))
    values[gl.GL_REFERENCED_BY_GEOMETRY_SHADER] = int(bool(stages & GEOMETRY_STAGE))
    values[gl.GL_REFERENCED_BY_TESS_CONTROL_SHADER] = int(bool(stages & TESS_CONTROL_STAGE))
    values[gl.GL_REFERENCED_BY_TESS_EVALUATION_SHADER] = int(bool(stages & TESS_EVALUATION_STAGE))
    return values


@handles("glGetProgramResourceiv")
def get_program_resource(
    tracker: Tracker,
    context: Context,
    name: int,
    interface: int,
    index: int,
    num_properties: int,
    properties: object,
    size: int,
    *_: object,
) -> None:
    program = program_of(context, name)
    if num_properties <= 0 or size < 0 or not 0 <= index < len(_names(program, interface)):
        raise invalid_value(f"resource {index}, {num_properties} properties, buffer size {size}")
    known = _properties(program, interface, index)
    values: list[int] = []
    for property in uints(properties, num_properties):
        if property == gl.GL_ACTIVE_VARIABLES and interface == gl.GL_UNIFORM_BLOCK:
            values += reflection_of(program).blocks[index].uniforms
        elif property in known:
            values.append(known[property])
        else:
            raise invalid_operation(f"property {property:#x}")
    values = values[:size]
    tracker.outputs["length"] = ints_out([len(values)])
    tracker.outputs["params"] = ints_out(values)
