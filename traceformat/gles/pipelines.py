"""Program pipelines: stages of several separable programs, executed as one (ES 3.1 §7.4, GL 4.1 §2.11.4).

While no program is in use (glUseProgram), draws execute what the stages of the bound pipeline make together. That is a
program of its own, linked when a draw first asks for it, which follows its programs' uniforms and block bindings: for
everybody behind the tracker ``Context.program`` is a program like others.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.introspection import log_length, text_answer
from traceformat.gles.names import check_bindable, generate
from traceformat.gles.objects import Combination, Executable, LinkInputs, Pipeline, ProgramObject, Shader
from traceformat.gles.programs import (
    create_program,
    lay_out,
    link_program,
    program_of,
    release_program,
)
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import ints_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

__all__ = ["STAGE_BITS", "settle"]

#: Bit of each stage that a pipeline may have, those of draws in their order.
STAGE_BITS: Final = {
    gl.GL_VERTEX_SHADER: gl.GL_VERTEX_SHADER_BIT,
    gl.GL_TESS_CONTROL_SHADER: gl.GL_TESS_CONTROL_SHADER_BIT,
    gl.GL_TESS_EVALUATION_SHADER: gl.GL_TESS_EVALUATION_SHADER_BIT,
    gl.GL_GEOMETRY_SHADER: gl.GL_GEOMETRY_SHADER_BIT,
    gl.GL_FRAGMENT_SHADER: gl.GL_FRAGMENT_SHADER_BIT,
    gl.GL_COMPUTE_SHADER: gl.GL_COMPUTE_SHADER_BIT,
}
#: Stages of draws.
_GRAPHICS: Final = tuple(type for type in STAGE_BITS if type != gl.GL_COMPUTE_SHADER)
_KNOWN_BITS: Final = sum(STAGE_BITS.values())
#: Combinations of programs that a context keeps.
_MAX_COMBINATIONS: Final = 1024


def _pipeline(tracker: Tracker, context: Context, name: int) -> Pipeline:
    """Pipeline of that name, made by its first use; GL_INVALID_OPERATION for a name that was not generated."""
    found = context.pipelines.get(name) if name else None
    if found is None:
        check_bindable(tracker, context, context.pipelines, name, "pipeline", generated_only=True)
        found = context.pipelines.objects[name] = Pipeline(name, context.pipelines.serial())
    return found


def _is_capturing(context: Context) -> bool:
    return context.transform_feedback.active and not context.transform_feedback.paused


@handles("glGenProgramPipelines", "glCreateProgramPipelines", touches=Changes.NOTHING)
def gen_program_pipelines(tracker: Tracker, context: Context, count: int, _: object) -> None:
    names = context.pipelines
    tracker.outputs["pipelines"] = generate(tracker, context.limits.max_names, names, count, "pipelines")


@handles("glBindProgramPipeline", touches=Changes.NOTHING)
def bind_program_pipeline(tracker: Tracker, context: Context, name: int) -> None:
    if _is_capturing(context):
        raise invalid_operation("transform feedback is active")
    pipeline = _pipeline(tracker, context, name) if name else None
    if pipeline is not None:
        pipeline.created = True
    context.pipeline = pipeline
    if context.used_program is None:
        context.program = None  # until a draw asks


@handles("glDeleteProgramPipelines", touches=Changes.NOTHING)
def delete_program_pipelines(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        pipeline = context.pipelines.remove(name) if name else None
        if pipeline is None:
            continue
        if context.pipeline is pipeline:
            bind_program_pipeline(tracker, context, 0)
        for program in {*pipeline.stages.values(), *filter(None, (pipeline.active,))}:
            release_program(context, program)


@handles("glIsProgramPipeline", touches=Changes.NOTHING)
def is_program_pipeline(tracker: Tracker, context: Context, name: int) -> int:
    found = context.pipelines.get(name)
    return int(name != 0 and found is not None and found.created)


def _hold(context: Context, pipeline: Pipeline, stages: dict[int, ProgramObject], active: ProgramObject | None) -> None:
    """Change what a pipeline refers to; each program counts once."""
    before = {*pipeline.stages.values(), *filter(None, (pipeline.active,))}
    after = {*stages.values(), *filter(None, (active,))}
    for program in after - before:
        program.use_count += 1
    pipeline.stages, pipeline.active = stages, active
    for program in sorted(before - after, key=lambda each: each.serial):
        release_program(context, program)


@handles("glUseProgramStages", touches=Changes.NOTHING)
def use_program_stages(tracker: Tracker, context: Context, name: int, stages: int, program_name: int) -> None:
    pipeline = _pipeline(tracker, context, name)
    program = program_of(context, program_name) if program_name else None
    if stages != gl.GL_ALL_SHADER_BITS and stages & ~_KNOWN_BITS:
        raise invalid_value(f"stages {stages:#x}")
    if context.pipeline is pipeline and _is_capturing(context):
        raise invalid_operation("transform feedback is active")
    inputs = program.executable.inputs if program is not None and program.executable is not None else None
    if program is not None and (inputs is None or not program.linked or not inputs.separable):
        raise invalid_operation(f"program {program_name} is no separable program, or not linked")
    pipeline.created = True
    own = {type for type, _ in inputs.shaders} if inputs is not None else set()
    wanted = dict(pipeline.stages)
    for type, bit in STAGE_BITS.items():
        if stages & bit:
            wanted.pop(type, None)
            if program is not None and type in own:
                wanted[type] = program
    _hold(context, pipeline, wanted, pipeline.active)
    pipeline.validated = False


@handles("glActiveShaderProgram", touches=Changes.NOTHING)
def active_shader_program(tracker: Tracker, context: Context, name: int, program_name: int) -> None:
    pipeline = _pipeline(tracker, context, name)
    program = program_of(context, program_name) if program_name else None
    if program is not None and not program.linked:
        raise invalid_operation(f"program {program_name} is not linked")
    pipeline.created = True
    _hold(context, pipeline, pipeline.stages, program)


@handles("glGetProgramPipelineiv", touches=Changes.NOTHING)
def get_program_pipeline(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    pipeline = _pipeline(tracker, context, name)
    pipeline.created = True
    if pname == gl.GL_ACTIVE_PROGRAM:
        value = pipeline.active.name if pipeline.active is not None else 0
    elif pname in STAGE_BITS:
        program = pipeline.stages.get(pname)
        value = program.name if program is not None else 0
    elif pname == gl.GL_VALIDATE_STATUS:
        value = int(pipeline.validated)
    elif pname == gl.GL_INFO_LOG_LENGTH:
        value = log_length(pipeline.log)
    else:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = ints_out([value])


@handles("glGetProgramPipelineInfoLog", touches=Changes.NOTHING)
def get_program_pipeline_info_log(
    tracker: Tracker, context: Context, name: int, size: int, _: object, __: object
) -> None:
    if name not in context.pipelines.objects:
        raise invalid_value(f"{name} is no pipeline")
    text_answer(tracker, _pipeline(tracker, context, name).log, size, "infoLog")


@handles("glValidateProgramPipeline", touches=Changes.NOTHING)
def validate_program_pipeline(tracker: Tracker, context: Context, name: int) -> None:
    pipeline = _pipeline(tracker, context, name)
    pipeline.created = True
    pipeline.log = _combination(tracker, context, pipeline).problem
    pipeline.validated = not pipeline.log and any(type in pipeline.stages for type in _GRAPHICS)


@handles("glCreateShaderProgramv", touches=Changes.NOTHING)
def create_shader_program(tracker: Tracker, context: Context, type: int, count: int, strings: object) -> int:
    if type not in STAGE_BITS:
        raise invalid_enum(f"type {type:#x}")
    if count < 0:
        raise invalid_value(f"count {count}")
    # The program has its recorded name; the shader has none that the trace knows.
    name = create_program(tracker, context)
    program = program_of(context, name)
    shader = Shader(0, context.group.programs.serial(), type)
    shader.source = tuple(str(string) for string in strings)[:count] if isinstance(strings, tuple) else ()
    result = tracker.backend.compile_shader(context, shader)
    shader.compiled_source, shader.compiled = shader.source, result.ok
    shader.log, shader.backing = result.log, result.backing
    program.separable = True
    if result.ok:
        program.shaders = [shader]
        link_program(tracker, context, name)
        program.shaders = []
    program.log = "\n".join(filter(None, (shader.log, program.log)))
    return name


# What draws execute -------------------------------------------------------------------------------------------------
def settle(tracker: Tracker, context: Context, *, is_dispatch: bool = False) -> None:
    """Make ``context.program`` what a draw (or dispatch) executes, where a pipeline decides that.

    Raises
    ------
    GLError : the pipeline's stages do not go together
    """
    pipeline = context.pipeline
    if pipeline is None or context.used_program is not None:
        return
    if is_dispatch:
        context.program = pipeline.stages.get(gl.GL_COMPUTE_SHADER)
        return
    found = _combination(tracker, context, pipeline)
    if found.problem:
        raise invalid_operation(found.problem)
    if found.program is not None and found.members:
        _follow(context, found, found.program)
    context.program = found.program


def _combination(tracker: Tracker, context: Context, pipeline: Pipeline) -> Combination:
    """What the stages of a pipeline make, as it was made before where they are the same."""
    stages = {type: pipeline.stages[type] for type in _GRAPHICS if type in pipeline.stages}
    key = tuple((type, program.executable) for type, program in stages.items())
    found = context.combinations.get(key)
    if found is None:
        if len(context.combinations) >= _MAX_COMBINATIONS:
            context.combinations.clear()
        found = context.combinations[key] = _combined(tracker, context, stages)
    return found


def _inputs(program: ProgramObject) -> LinkInputs:
    assert program.executable is not None
    assert program.executable.inputs is not None
    return program.executable.inputs


def _combined(tracker: Tracker, context: Context, stages: dict[int, ProgramObject]) -> Combination:
    """Link the stages of a pipeline, unless they are all of one program."""
    programs = list(dict.fromkeys(stages.values()))
    for program in programs:
        missing = [type for type, _ in _inputs(program).shaders if type in _GRAPHICS and stages.get(type) != program]
        if missing:
            return Combination(None, problem=f"program {program.name} is not used for all of its stages")
    if gl.GL_VERTEX_SHADER not in stages:
        is_problem = any(type in stages for type in _GRAPHICS[1:-1])
        return Combination(None, problem="the pipeline has no vertex stage" if is_problem else "")
    if len(programs) == 1:
        return Combination(programs[0])
    if gl.GL_TESS_CONTROL_SHADER in stages and gl.GL_TESS_EVALUATION_SHADER not in stages:
        return Combination(None, problem="the pipeline has no tessellation evaluation stage")
    last = next(stages[type] for type in reversed(_GRAPHICS[:-1]) if type in stages)
    colours = stages.get(gl.GL_FRAGMENT_SHADER) or last
    whole = ProgramObject(
        colours.name,
        context.group.programs.serial(),
        attribute_bindings=_inputs(stages[gl.GL_VERTEX_SHADER]).attributes,
        fragment_bindings=_inputs(colours).fragments,
        feedback_varyings=_inputs(last).varyings,
        feedback_mode=_inputs(last).feedback_mode,
        separable=True,
        owners=tuple(programs.index(program) for program in stages.values()),
    )
    for type, program in stages.items():
        inputs = _inputs(program)
        number = [own for own, _ in inputs.shaders].index(type)
        source = inputs.shaders[number][1]
        shader = Shader(0, 0, type, source, source, compiled=True, backing=inputs.compiled[number])
        whole.shaders.append(shader)
    result = tracker.backend.link_program(context, whole)
    if not result.ok:
        return Combination(None, problem=next(iter(result.log.splitlines()), "the stages do not go together"))
    whole.executable, whole.linked, whole.link_count = lay_out(result, whole.feedback_mode), True, 1
    members = tuple(program.executable for program in programs if program.executable is not None)
    return _connected(whole, whole.executable, members)


def _connected(whole: ProgramObject, executable: Executable, members: tuple[Executable, ...]) -> Combination:
    """Find for what the whole program has what its programs have."""
    found = Combination(whole, members)
    reflection = executable.reflection
    ends = (len(reflection.uniforms), len(reflection.blocks), len(reflection.storage_blocks))
    for member, (first, end) in zip(members, pairwise([*reflection.parts, ends]), strict=True):
        theirs = {slot.uniform.name: slot for slot in member.slots if not slot.uniform.name.startswith("gl_")}
        own = [slot for slot in executable.slots if first[0] <= slot.index < end[0]]
        found.slots.append([(slot, theirs[slot.uniform.name]) for slot in own if slot.uniform.name in theirs])
        blocks = {block.name: row for row, block in enumerate(member.reflection.blocks)}
        names = [block.name for block in reflection.blocks[first[1] : end[1]]]
        found.blocks.append([(first[1] + k, blocks[name]) for k, name in enumerate(names) if name in blocks])
        storage = {name: row for row, (name, *_) in enumerate(member.reflection.storage_blocks)}
        names = [name for name, *_ in reflection.storage_blocks[first[2] : end[2]]]
        found.storage.append([(first[2] + k, storage[name]) for k, name in enumerate(names) if name in storage])
        found.seen.append(-1)
    # Where attributes lie under the recorded driver is what the vertex stage's program was told.
    known = {attribute.name: attribute for attribute in members[0].reflection.attributes}
    reflection.attributes = [known.get(attribute.name, attribute) for attribute in reflection.attributes]
    return found


def _follow(context: Context, found: Combination, whole: ProgramObject) -> None:
    """Take over the programs' uniforms that have changed, and what their blocks are bound to."""
    executable = whole.executable
    assert executable is not None
    for number, member in enumerate(found.members):
        for own, theirs in found.blocks[number]:
            executable.block_bindings[own] = member.block_bindings[theirs]
        for own, theirs in found.storage[number]:
            executable.storage_bindings[own] = member.storage_bindings[theirs]
        if found.seen[number] == member.version:
            continue
        found.seen[number] = member.version
        for slot, source in found.slots[number]:
            size = min(slot.uniform.size * slot.element_bytes, source.uniform.size * source.element_bytes)
            data = member.constants[source.offset : source.offset + size]
            if executable.constants[slot.offset : slot.offset + size] != data:
                executable.constants[slot.offset : slot.offset + size] = data
                executable.changed.add(slot.index)
                executable.version += 1
                executable.sampler_conflict = None
                context.changes.bits |= Changes.TEXTURES
