"""Shaders and programs of a GL context, through the project's own GLSL compiler: the adapter between both.

The compiler knows nothing of GL objects, the tracker nothing of the compiler. The null driver and the engine link
through here; what was linked before comes from the cache on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from replay.glsl.program import GRAPHICS_STAGES
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.objects import ProgramObject, Shader
from traceformat.gles.reflection import (
    COMPUTE_STAGE,
    FRAGMENT_STAGE,
    GEOMETRY_STAGE,
    TESS_CONTROL_STAGE,
    TESS_EVALUATION_STAGE,
    VERTEX_STAGE,
    ActiveAttribute,
    ActiveBlock,
    ActiveUniform,
    CompileResult,
    FeedbackVarying,
    FragmentOutput,
    GeometryStage,
    LinkResult,
    Reflection,
    TessellationStage,
)
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from replay.glsl.compiler import Program
    from replay.glsl.program_cache import ProgramCache
    from replay.glsl.reflection import ActiveUniform as CompiledUniform

__all__ = ["ReflectingBackend", "compile_shader", "link_program", "reflect"]

_STAGES: Final = {
    gl.GL_VERTEX_SHADER: "vertex",
    gl.GL_FRAGMENT_SHADER: "fragment",
    gl.GL_COMPUTE_SHADER: "compute",
    gl.GL_GEOMETRY_SHADER: "geometry",
    gl.GL_TESS_CONTROL_SHADER: "tess_control",
    gl.GL_TESS_EVALUATION_SHADER: "tess_evaluation",
}
#: Newest language of contexts of ES 3.0 and of core contexts: whoever asks for those is given the highest version.
_NEWEST_ES, _NEWEST_CORE = 320, 460


def compile_shader(context: Context, shader: Shader) -> CompileResult:
    """Compile a shader object; ``backing`` is the compiler's shader."""
    from replay.glsl import compiler

    # A context takes the languages of its version; desktop contexts those of the GLES that they contain as well.
    version = context.config.version
    newest = max(version * 10, 300 if context.is_gles else 330)
    if version >= (30 if context.is_gles else 32):
        newest = _NEWEST_ES if context.is_gles else _NEWEST_CORE
    options = compiler.CompileOptions(es=context.is_gles, max_version=newest)
    compiled = compiler.compile_shader(shader.source, _STAGES[shader.type], options, cache=_program_cache())
    return CompileResult(compiled.ok, compiled.log, compiled)


def link_program(program: ProgramObject) -> Program:
    """Link a program object's shaders with its bindings; never raises for shaders that do not fit."""
    from replay.glsl import compiler

    if any(not shader.compiled for shader in program.shaders):
        message = "a shader is attached that has not been compiled, or failed to compile"
        return compiler.Program(False, [compiler.Diagnostic("error", 0, 0, message)])
    return compiler.link_program(
        [shader.backing for shader in program.shaders],
        attribute_bindings=program.attribute_bindings,
        frag_data_bindings=program.fragment_bindings,
        transform_feedback=program.feedback_varyings,
        separable=program.separable,
        owners={_STAGES[shader.type]: owner for shader, owner in zip(program.shaders, program.owners, strict=False)},
        cache=_program_cache(),
    )


@cache
def _program_cache() -> ProgramCache:
    from replay.glsl.program_cache import ProgramCache
    from traceformat.kernels import cache_root

    return ProgramCache.of_this_compiler(cache_root())


_STAGE_BITS: Final = {
    "vertex": VERTEX_STAGE,
    "geometry": GEOMETRY_STAGE,
    "fragment": FRAGMENT_STAGE,
    "compute": COMPUTE_STAGE,
    "tess_control": TESS_CONTROL_STAGE,
    "tess_evaluation": TESS_EVALUATION_STAGE,
}


def _geometry(program: Program) -> GeometryStage | None:
    layout = program.geometry.geometry if program.geometry is not None else None
    if layout is None:
        return None
    input_type, output_type = (getattr(gl, f"GL_{name.upper()}") for name in (layout.input, layout.output))
    return GeometryStage(input_type, output_type, layout.max_vertices, layout.invocations)


_MODES: Final = {"": 0, "triangles": gl.GL_TRIANGLES, "quads": gl.GL_QUADS, "isolines": gl.GL_ISOLINES}
_SPACINGS: Final = {
    "fractional_even_spacing": gl.GL_FRACTIONAL_EVEN,
    "fractional_odd_spacing": gl.GL_FRACTIONAL_ODD,
}


def _tessellation(program: Program) -> TessellationStage | None:
    control, evaluation = (
        stage.tessellation if stage is not None else None for stage in (program.tess_control, program.tess_evaluation)
    )
    layout = evaluation or control
    if layout is None:
        return None
    return TessellationStage(
        control.vertices_out if control is not None else 0,
        _MODES[layout.primitive],
        _SPACINGS.get(layout.spacing, gl.GL_EQUAL),
        gl.GL_CW if layout.order == "cw" else gl.GL_CCW,
        layout.point_mode,
    )


def _uniform(uniform: CompiledUniform, blocks: list[ActiveBlock]) -> ActiveUniform:
    if uniform.block >= 0:
        stages = blocks[uniform.block].stages
    elif uniform.is_sampler:
        # The compiler numbers samplers over both stages.
        stages = VERTEX_STAGE | FRAGMENT_STAGE
    else:
        stages = sum(bit for name, bit in _STAGE_BITS.items() if getattr(uniform, f"{name}_offset") >= 0)
    return ActiveUniform(
        uniform.name,
        uniform.gl_type,
        uniform.size,
        uniform.location,
        uniform.block,
        uniform.offset,
        uniform.array_stride,
        uniform.matrix_stride,
        uniform.row_major,
        stages,
        uniform.is_array,
        tuple(float(value) for value in uniform.initial) if uniform.initial is not None else None,
    )


def reflect(program: Program) -> Reflection:
    """Describe a linked program in GL's terms; uniforms and blocks keep the compiler's order."""
    known = program.reflection
    blocks = [
        ActiveBlock(
            block.name,
            block.size,
            tuple(block.uniforms),
            sum(bit for name, bit in _STAGE_BITS.items() if getattr(block, name)),
            block.binding,
        )
        for block in known.blocks
    ]
    outputs = []
    for output in known.fragment_outputs:
        element: Any = getattr(output.type, "element", output.type)
        length = int(getattr(output.type, "length", 1))
        outputs.append(FragmentOutput(output.name, int(element.gl_type), length, output.location))
    stages = [getattr(program, name) for name in GRAPHICS_STAGES]
    drawing = [stage for stage in stages if stage is not None]
    support = program.fragment.blend_support if program.fragment is not None else ()
    return Reflection(
        [ActiveAttribute(found.name, found.gl_type, found.size, found.location) for found in known.attributes],
        [_uniform(uniform, blocks) for uniform in known.uniforms],
        blocks,
        outputs,
        [FeedbackVarying(varying.name, varying.type.gl_type, varying.size) for varying in known.feedback],
        [
            (block.name, block.binding, sum(_STAGE_BITS[name] for name in block.stages.split()))
            for block in known.storage_blocks
        ],
        program.compute.local_size if program.compute is not None else (0, 0, 0),
        _geometry(program),
        _tessellation(program),
        any(stage.reaches_memory for stage in drawing),
        any(stage.writes_memory for stage in drawing),
        list(known.parts),
        frozenset(getattr(gl, f"GL_{name.upper()}") for name in support),
        sum(bit for name, bit in _STAGE_BITS.items() if getattr(program, name) is not None),
    )


class ReflectingBackend(Backend):
    """Draws nothing, but compiles, links and reflects programs.

    Parameters
    ----------
    aside : keeps the program out of the way while our compiler runs, whose cache finds its classes by name
    """

    def __init__(self, aside: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._aside = aside

    def compile_shader(self, context: Context, shader: Shader) -> CompileResult:
        """Compile ``shader.source``."""
        with self._aside():
            return compile_shader(context, shader)

    def link_program(self, context: Context, program: ProgramObject) -> LinkResult:
        """Link the attached shaders."""
        with self._aside():
            linked = link_program(program)
            if not linked.ok:
                return LinkResult(False, linked.log)
            return LinkResult(True, linked.log, reflect(linked), linked)
