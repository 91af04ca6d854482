"""Shader and program objects: creation, source, compilation, attachment, linking, use, deletion."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import OverGuard, handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.gltypes import TYPES
from traceformat.gles.objects import Executable, LinkInputs, ProgramObject, Shader, UniformSlot
from traceformat.gles.reflection import LinkResult
from traceformat.gles.state import Changes, Context

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def shader_of(context: Context, name: int) -> Shader:
    """Shader of that name: GL_INVALID_VALUE for no object, GL_INVALID_OPERATION for a program."""
    found = context.group.programs.objects.get(name)
    if isinstance(found, Shader):
        return found
    raise (invalid_value if found is None else invalid_operation)(f"{name} is no shader")


def program_of(context: Context, name: int) -> ProgramObject:
    """Program of that name: GL_INVALID_VALUE for no object, GL_INVALID_OPERATION for a shader."""
    found = context.group.programs.objects.get(name)
    if isinstance(found, ProgramObject):
        return found
    raise (invalid_value if found is None else invalid_operation)(f"{name} is no program")


def _new_name(tracker: Tracker, context: Context) -> int:
    names = context.group.programs
    if len(names.objects) >= context.limits.max_names:
        raise OverGuard(f"{len(names.objects) + 1} shaders and programs", "names", context.limits.max_names)
    return tracker.recorded_result() or names.generate(1)[0]


@handles("glCreateShader", touches=Changes.NOTHING)
def create_shader(tracker: Tracker, context: Context, type: int) -> int:
    stages = [gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER]
    if context.config.version >= (30 if context.is_gles else 32):
        stages += [gl.GL_COMPUTE_SHADER, gl.GL_GEOMETRY_SHADER]
        stages += [gl.GL_TESS_CONTROL_SHADER, gl.GL_TESS_EVALUATION_SHADER]
    if type not in stages:
        raise invalid_enum(f"type {type:#x}")
    name = _new_name(tracker, context)
    context.group.programs.objects[name] = Shader(name, context.group.programs.serial(), type)
    return name


@handles("glCreateProgram", touches=Changes.NOTHING)
def create_program(tracker: Tracker, context: Context) -> int:
    name = _new_name(tracker, context)
    context.group.programs.objects[name] = ProgramObject(name, context.group.programs.serial())
    return name


@handles("glShaderSource", touches=Changes.NOTHING)
def shader_source(tracker: Tracker, context: Context, name: int, count: int, strings: object, lengths: object) -> None:
    shader = shader_of(context, name)
    if count < 0:
        raise invalid_value(f"count {count}")
    if isinstance(strings, tuple):
        shader.source = tuple(str(string) for string in strings)


@handles("glCompileShader", touches=Changes.NOTHING)
def compile_shader(tracker: Tracker, context: Context, name: int) -> None:
    shader = shader_of(context, name)
    result = tracker.backend.compile_shader(context, shader)
    shader.compiled_source = shader.source
    shader.compiled = result.ok
    shader.log = result.log
    shader.backing = result.backing


@handles("glShaderBinary", touches=Changes.NOTHING)
def shader_binary(
    tracker: Tracker, context: Context, count: int, shaders: object, format: int, binary: object, length: int
) -> None:
    raise invalid_enum("no shader binary formats are supported")


@handles("glProgramBinary", touches=Changes.NOTHING)
def program_binary(tracker: Tracker, context: Context, name: int, format: int, binary: object, length: int) -> None:
    """No formats are supported: the program is left unlinked, so that the application compiles from source."""
    program = program_of(context, name)
    program.linked = False
    program.failure = ""
    program.log = "it is the code of one driver (glProgramBinary), which no other can run"
    raise invalid_enum(f"program binary format {format:#x}")


@handles("glAttachShader", touches=Changes.NOTHING)
def attach_shader(tracker: Tracker, context: Context, program_name: int, shader_name: int) -> None:
    program = program_of(context, program_name)
    shader = shader_of(context, shader_name)
    if shader in program.shaders:
        raise invalid_operation(f"shader {shader_name} is attached already")
    if context.is_gles and any(other.type == shader.type for other in program.shaders):
        raise invalid_operation("a shader of that stage is attached already")
    program.shaders.append(shader)
    shader.attached += 1


@handles("glDetachShader", touches=Changes.NOTHING)
def detach_shader(tracker: Tracker, context: Context, program_name: int, shader_name: int) -> None:
    program = program_of(context, program_name)
    shader = shader_of(context, shader_name)
    if shader not in program.shaders:
        raise invalid_operation(f"shader {shader_name} is not attached")
    program.shaders.remove(shader)
    _release_shader(context, shader)


def _release_shader(context: Context, shader: Shader) -> None:
    shader.attached -= 1
    if shader.deleted and not shader.attached:
        context.group.programs.remove(shader.name)


@handles("glDeleteShader", touches=Changes.NOTHING)
def delete_shader(tracker: Tracker, context: Context, name: int) -> None:
    if not name:
        return
    shader = shader_of(context, name)
    shader.deleted = True
    if not shader.attached:
        context.group.programs.remove(name)


@handles("glDeleteProgram", touches=Changes.NOTHING)
def delete_program(tracker: Tracker, context: Context, name: int) -> None:
    if not name:
        return
    program = program_of(context, name)
    program.deleted = True
    if not program.use_count:
        _destroy_program(context, program)


def release_program(context: Context, program: ProgramObject) -> None:
    """A context or pipeline has used a program, and does so no more."""
    program.use_count -= 1
    if program.deleted and not program.use_count:
        _destroy_program(context, program)


def _destroy_program(context: Context, program: ProgramObject) -> None:
    context.group.programs.remove(program.name)
    for shader in program.shaders:
        _release_shader(context, shader)
    program.shaders = []


@handles("glIsShader", touches=Changes.NOTHING)
def is_shader(tracker: Tracker, context: Context, name: int) -> int:
    return int(isinstance(context.group.programs.get(name), Shader))


@handles("glIsProgram", touches=Changes.NOTHING)
def is_program(tracker: Tracker, context: Context, name: int) -> int:
    return int(isinstance(context.group.programs.get(name), ProgramObject))


@handles("glBindAttribLocation", touches=Changes.NOTHING)
def bind_attrib_location(tracker: Tracker, context: Context, name: int, index: int, attribute: str) -> None:
    program = program_of(context, name)
    if not 0 <= index < context.limits.max_vertex_attribs:
        raise invalid_value(f"attribute {index}")
    if attribute.startswith("gl_"):
        raise invalid_operation("built-in attributes have no location")
    program.attribute_bindings[attribute] = index


@handles("glBindFragDataLocationIndexed", touches=Changes.NOTHING)
def bind_frag_data_location_indexed(
    tracker: Tracker, context: Context, name: int, location: int, index: int, variable: str
) -> None:
    program = program_of(context, name)
    most = context.limits.max_dual_source_draw_buffers if index else context.limits.max_draw_buffers
    if index not in (0, 1) or not 0 <= location < most:
        raise invalid_value(f"location {location}, index {index}")
    if variable.startswith("gl_"):
        raise invalid_operation("built-in outputs have no location")
    program.fragment_bindings[variable] = (location, index)


@handles("glBindFragDataLocation", touches=Changes.NOTHING)
def bind_frag_data_location(tracker: Tracker, context: Context, name: int, location: int, variable: str) -> None:
    bind_frag_data_location_indexed(tracker, context, name, location, 0, variable)


@handles("glTransformFeedbackVaryings", touches=Changes.NOTHING)
def transform_feedback_varyings(
    tracker: Tracker, context: Context, name: int, count: int, varyings: object, mode: int
) -> None:
    program = program_of(context, name)
    if mode not in (gl.GL_INTERLEAVED_ATTRIBS, gl.GL_SEPARATE_ATTRIBS):
        raise invalid_enum(f"mode {mode:#x}")
    if count < 0:
        raise invalid_value(f"count {count}")
    if mode == gl.GL_SEPARATE_ATTRIBS and count > context.limits.max_transform_feedback_separate_attribs:
        raise invalid_value(f"{count} varyings in separate buffers")
    names = tuple(str(varying) for varying in varyings) if isinstance(varyings, tuple) else ()
    program.feedback_varyings = names[:count]
    program.feedback_mode = mode


@handles("glProgramParameteri", touches=Changes.NOTHING)
def program_parameter(tracker: Tracker, context: Context, name: int, pname: int, value: int) -> None:
    program = program_of(context, name)
    if pname == gl.GL_PROGRAM_BINARY_RETRIEVABLE_HINT:
        if value not in (0, 1):
            raise invalid_value(f"value {value}")
        program.binary_retrievable = bool(value)
    elif pname == gl.GL_PROGRAM_SEPARABLE:
        if value not in (0, 1):
            raise invalid_value(f"value {value}")
        program.separable = bool(value)
    else:
        raise invalid_enum(f"pname {pname:#x}")


def lay_out(result: LinkResult, feedback_mode: int) -> Executable:
    """Give every default-block uniform its place in the constants and its locations."""
    reflection = result.reflection
    slots: list[UniformSlot] = []
    locations: dict[int, tuple[UniformSlot, int] | None] = {}
    offset = 0
    taken = {
        uniform.location + element
        for uniform in reflection.uniforms
        if uniform.block < 0 and uniform.location >= 0
        for element in range(uniform.size)
    }
    next_location = 0
    for index, uniform in enumerate(reflection.uniforms):
        if uniform.block >= 0 or uniform.type == gl.GL_UNSIGNED_INT_ATOMIC_COUNTER:
            continue
        element_bytes = 4 * TYPES[uniform.type].components
        location = uniform.location
        if location < 0:
            while any(next_location + element in taken for element in range(uniform.size)):
                next_location += 1
            location = next_location
            next_location += uniform.size
        slot = UniformSlot(index, uniform, location, offset, element_bytes)
        for element in range(uniform.size):
            locations[location + element] = (slot, element)
        slots.append(slot)
        offset += element_bytes * uniform.size
    constants = bytearray(offset)
    for slot in slots:
        initial = slot.uniform.initial
        if initial is not None:
            code = {"float": "f", "uint": "I"}.get(TYPES[slot.uniform.type].base, "i")
            values = [float(value) if code == "f" else int(value) for value in initial]
            struct.pack_into(f"<{len(values)}{code}", constants, slot.offset, *values)
    return Executable(
        reflection,
        result.backing,
        slots,
        locations,
        constants,
        [block.binding for block in reflection.blocks],
        [binding for _, binding, _ in reflection.storage_blocks],
        [slot for slot in slots if TYPES[slot.uniform.type].base == "sampler"],
        feedback_mode=feedback_mode,
    )


@handles("glLinkProgram", touches=Changes.NOTHING)
def link_program(tracker: Tracker, context: Context, name: int) -> None:
    program = program_of(context, name)
    for other in (context, *tracker.contexts.values()):
        feedback = other.transform_feedback
        if feedback.active and feedback.program is program:
            raise invalid_operation("the program is used by transform feedback")
    result = tracker.backend.link_program(context, program)
    program.link_count += 1
    program.linked = result.ok
    program.log = result.log
    program.validated = False
    if result.ok:
        program.executable = lay_out(result, program.feedback_mode)
        program.executable.inputs = LinkInputs(
            tuple((shader.type, shader.compiled_source or ()) for shader in program.shaders),
            dict(program.attribute_bindings),
            dict(program.fragment_bindings),
            program.feedback_varyings,
            program.feedback_mode,
            program.separable,
            tuple(shader.backing for shader in program.shaders) if program.separable else (),
        )
        return
    # Programs detach and delete their shaders once they are linked: the reason would go with them.
    logs = [shader.log for shader in program.shaders if not shader.compiled]
    program.failure = next((log for log in [*logs, result.log] if log), "")
    if not program.use_count:
        program.executable = None


@handles("glValidateProgram", touches=Changes.NOTHING)
def validate_program(tracker: Tracker, context: Context, name: int) -> None:
    program = program_of(context, name)
    program.validated, program.log = tracker.backend.validate_program(context, program)


def why_not_linked(program: ProgramObject) -> str:
    """Say in one line why a program cannot be used: the first message of a shader that failed, else the program's."""
    logs = [program.failure, *(shader.log for shader in program.shaders if not shader.compiled), program.log]
    reason = next((log.splitlines()[0] for log in logs if log), "glLinkProgram was not called")
    return f"program {program.name} is not linked: {reason}"


@handles("glUseProgram", touches=Changes.NOTHING)
def use_program(tracker: Tracker, context: Context, name: int) -> None:
    program: ProgramObject | None = None
    if name:
        found = context.group.programs.objects.get(name)
        program = found if isinstance(found, ProgramObject) else program_of(context, name)
        if not program.linked:
            reason = why_not_linked(program)
            tracker.unusable[program.serial] = reason
            raise invalid_operation(reason)
    if context.transform_feedback.active and not context.transform_feedback.paused:
        raise invalid_operation("transform feedback is active")
    old = context.used_program
    context.program = program
    if old is program:
        return
    if program is not None:
        program.use_count += 1
    context.used_program = program
    if old is not None:
        release_program(context, old)


@handles("glDeleteObjectARB", touches=Changes.NOTHING)
def delete_object(tracker: Tracker, context: Context, name: int) -> None:
    if isinstance(context.group.programs.get(name), ProgramObject):
        delete_program(tracker, context, name)
    else:
        delete_shader(tracker, context, name)
