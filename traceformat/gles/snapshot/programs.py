"""Snapshot of shaders and programs: sources, links, locations, and the values of uniforms."""

from __future__ import annotations

from traceformat.gles import enums as gl
from traceformat.gles.gltypes import TYPES
from traceformat.gles.objects import Executable, LinkInputs, ProgramObject, Shader, UniformSlot
from traceformat.gles.snapshot.writer import SnapshotWriter
from traceformat.gles.state import Context

__all__ = ["write_programs"]

_CODES = {"float": "f", "uint": "ui"}


def write_programs(writer: SnapshotWriter, context: Context) -> None:
    """Write a share group's shaders and programs; no program is in use afterwards."""
    group = context.group
    found = [each for each in group.programs.objects.values() if each is not None]
    # Both kinds count their serials together.
    found.sort(key=lambda each: each.serial)
    spare = max(group.programs.objects, default=0) + 1
    for each in found:
        if isinstance(each, Shader):
            _write_shader(writer, each)
    for each in found:
        if isinstance(each, ProgramObject):
            _write_program(writer, each, spare)
    for each in found:
        if isinstance(each, Shader):
            if each.source != (each.compiled_source or ()):
                _write_source(writer, each.name, each.source)
            if each.deleted:
                writer.emit("glDeleteShader", each.name)
    writer.emit("glUseProgram", 0)


def _write_source(writer: SnapshotWriter, name: int, source: tuple[str, ...]) -> None:
    writer.emit("glShaderSource", name, len(source), source, None)


def _compile(writer: SnapshotWriter, name: int, type: int, source: tuple[str, ...]) -> None:
    writer.emit("glCreateShader", type, result=name)
    _write_source(writer, name, source)
    writer.emit("glCompileShader", name)


def _write_shader(writer: SnapshotWriter, shader: Shader) -> None:
    if shader.compiled_source is not None:
        _compile(writer, shader.name, shader.type, shader.compiled_source)
    else:
        writer.emit("glCreateShader", shader.type, result=shader.name)
    writer.label(gl.GL_SHADER, shader.name, shader.label)


def _now(program: ProgramObject) -> LinkInputs:
    """What the program would be linked from now."""
    shaders = tuple((shader.type, shader.compiled_source or ()) for shader in program.shaders)
    bindings = (program.attribute_bindings, program.fragment_bindings)
    return LinkInputs(shaders, *bindings, program.feedback_varyings, program.feedback_mode, program.separable)


def _write_program(writer: SnapshotWriter, program: ProgramObject, spare: int) -> None:
    """Write a program; shaders that are gone since it was linked come back under names from ``spare`` on."""
    name, executable = program.name, program.executable
    writer.emit("glCreateProgram", result=name)
    if program.binary_retrievable:
        writer.emit("glProgramParameteri", name, gl.GL_PROGRAM_BINARY_RETRIEVABLE_HINT, 1)
    now = _now(program)
    inputs = executable.inputs if executable is not None else None
    if (inputs or now).separable:
        writer.emit("glProgramParameteri", name, gl.GL_PROGRAM_SEPARABLE, 1)
    if inputs is not None and inputs.shaders != now.shaders:
        gone = list(range(spare, spare + len(inputs.shaders)))
        for shader, (type, source) in zip(gone, inputs.shaders, strict=True):
            _compile(writer, shader, type, source)
            writer.emit("glAttachShader", name, shader)
        _bind(writer, name, inputs)
        writer.emit("glLinkProgram", name)
        for shader in gone:
            writer.emit("glDetachShader", name, shader)
            writer.emit("glDeleteShader", shader)
        for attached in program.shaders:
            writer.emit("glAttachShader", name, attached.name)
    else:
        for attached in program.shaders:
            writer.emit("glAttachShader", name, attached.name)
        _bind(writer, name, inputs or now)
        if program.link_count:
            writer.emit("glLinkProgram", name)
    if inputs is not None and inputs != now:
        _bind(writer, name, now)
        if inputs.separable != now.separable:
            writer.emit("glProgramParameteri", name, gl.GL_PROGRAM_SEPARABLE, int(now.separable))
    if executable is not None and program.linked:
        _write_executable(writer, name, executable)
    writer.label(gl.GL_PROGRAM, name, program.label)


def _bind(writer: SnapshotWriter, name: int, inputs: LinkInputs) -> None:
    for attribute, location in inputs.attributes.items():
        writer.emit("glBindAttribLocation", name, location, attribute)
    for variable, (location, index) in inputs.fragments.items():
        if index:
            writer.emit("glBindFragDataLocationIndexed", name, location, index, variable)
        else:
            writer.emit("glBindFragDataLocation", name, location, variable)
    if inputs.varyings:
        count = len(inputs.varyings)
        writer.emit("glTransformFeedbackVaryings", name, count, inputs.varyings, inputs.feedback_mode)


def _element_name(slot: UniformSlot, element: int) -> str:
    name = slot.uniform.name
    return f"{name.removesuffix('[0]')}[{element}]" if slot.uniform.is_array else name


def _write_executable(writer: SnapshotWriter, name: int, executable: Executable) -> None:
    for attribute in executable.reflection.attributes:
        if attribute.location >= 0:
            writer.emit("glGetAttribLocation", name, attribute.name, result=attribute.location)
    for location in sorted(executable.queried):
        found = executable.locations.get(location)
        if found is not None:
            writer.emit("glGetUniformLocation", name, _element_name(*found), result=location)
    blocks = executable.reflection.blocks
    recorded = {ours: number for number, ours in executable.recorded_blocks.items() if ours >= 0}
    for ours, number in sorted(recorded.items()):
        writer.emit("glGetUniformBlockIndex", name, blocks[ours].name, result=number)
    for ours, (block, binding) in enumerate(zip(blocks, executable.block_bindings, strict=True)):
        if binding != block.binding:
            writer.emit("glUniformBlockBinding", name, recorded.get(ours, ours), binding)
    _write_uniforms(writer, name, executable)


def _write_uniforms(writer: SnapshotWriter, name: int, executable: Executable) -> None:
    """Write the values of uniforms that are not zero, arrays from their first element with a location to their end."""
    places = {(slot.index, element): location for location, (slot, element) in _known(executable)}
    writer.emit("glUseProgram", name)
    for slot in executable.slots:
        first = next((k for k in range(slot.uniform.size) if (slot.index, k) in places), slot.uniform.size)
        start, stop = (slot.offset + element * slot.element_bytes for element in (first, slot.uniform.size))
        data = bytes(executable.constants[start:stop])
        if any(data) or (data and slot.uniform.initial is not None):
            _write_values(writer, slot, places[slot.index, first], slot.uniform.size - first, data)


def _known(executable: Executable) -> list[tuple[int, tuple[UniformSlot, int]]]:
    """Locations that mean a uniform; where several do, one that the program knows comes last."""
    found = [(location, place) for location, place in executable.locations.items() if place is not None]
    return sorted(found, key=lambda entry: (entry[0] in executable.queried, entry[0]))


def _write_values(writer: SnapshotWriter, slot: UniformSlot, location: int, count: int, data: bytes) -> None:
    type = TYPES[slot.uniform.type]
    if type.columns > 1:
        word = f"{type.columns}" if type.columns == type.rows else f"{type.columns}x{type.rows}"
        writer.emit(f"glUniformMatrix{word}fv", location, count, 0, data)
    else:
        writer.emit(f"glUniform{type.rows}{_CODES.get(type.base, 'i')}v", location, count, data)
