"""The linker: checks that shaders fit, lowers and optimises them together, gives out resources, reflects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from replay.glsl.builder import ProgramTooLargeError
from replay.glsl.counts import number_stage
from replay.glsl.declarations import CheckedShader
from replay.glsl.ir import (
    Jump,
    JumpKind,
    Region,
    SamplerSlot,
    StageIR,
    Variable,
)
from replay.glsl.linking import resources
from replay.glsl.linking.geometry import (
    add_output,
    emitted_names,
    keep_outputs,
    link_inputs,
    note_writes,
    take_from_geometry,
)
from replay.glsl.linking.rules import Report, check_pair, check_stage, check_uniforms
from replay.glsl.lowering.stage import LoweredStage, SamplerTable, lower_stage
from replay.glsl.passes import fuse, optimize
from replay.glsl.reflection import Reflection, TransformFeedbackVarying
from replay.glsl.types import ArrayType, NumericType, StructType, Type

__all__ = ["Linked", "link", "link_compute"]


class Linked:
    """What the linker made; stages are None where a rule was broken."""

    def __init__(self) -> None:
        self.reflection = Reflection()
        self.samplers: list[SamplerSlot] = []
        self.vertex: StageIR | None = None
        self.fragment: StageIR | None = None
        self.compute: StageIR | None = None
        self.geometry: StageIR | None = None


def link_compute(shader: CheckedShader, report: Report) -> Linked:
    """Link a compute shader; problems go to ``report``, which returns."""
    out = Linked()
    problems: list[str] = []

    def note(message: str) -> None:
        problems.append(message)
        report(message)

    check_stage(shader, note)
    if problems:
        return out
    table = SamplerTable()
    try:
        stage = lower_stage(shader, table)
    except ProgramTooLargeError:
        note("the program is too large: too many instructions after inlining and unrolling")
        return out
    _optimize(stage, set())
    resources.prune_inputs(stage)
    resources.prune_memories(stage)
    out.samplers = resources.assign_samplers([stage], table.slots)
    resources.assign_uniforms([stage], out.samplers, out.reflection, note)
    resources.assign_blocks([stage], out.reflection)
    resources.assign_memories([stage], out.reflection, note)
    out.compute = _finish(stage)
    x, y, z = shader.local_size
    out.compute.local_size = (x, y, z)
    return out


def link(
    vertex: CheckedShader | None,
    geometry: CheckedShader | None,
    fragment: CheckedShader | None,
    attribute_bindings: Mapping[str, int],
    frag_data_bindings: Mapping[str, int | tuple[int, int]],
    feedback: Sequence[str],
    report: Report,
) -> Linked:
    """Link checked shaders; problems go to ``report``, which returns."""
    out = Linked()
    problems: list[str] = []

    def note(message: str) -> None:
        problems.append(message)
        report(message)

    shaders = [shader for shader in (vertex, geometry, fragment) if shader is not None]
    for shader in shaders:
        check_stage(shader, note)
    for first, second in pairwise(shaders):
        check_pair(first, second, note)
    if geometry is not None and vertex is not None and fragment is not None:
        check_uniforms(vertex, fragment, note)
    if problems:
        return out
    try:
        front, middle, back = _lower(vertex, geometry, fragment, feedback, out, note)
    except ProgramTooLargeError:
        note("the program is too large: too many instructions after inlining and unrolling")
        return out
    stages = [stage for stage in (front, middle, back) if stage is not None]
    for stage in stages:
        resources.prune_memories(stage)
    out.samplers = resources.assign_samplers(stages, out.samplers)
    resources.assign_uniforms(stages, out.samplers, out.reflection, note)
    resources.assign_blocks(stages, out.reflection)
    resources.assign_memories(stages, out.reflection, note)
    if front is not None:
        resources.assign_attributes(front, attribute_bindings, out.reflection, note)
        out.vertex = _finish(front)
    if middle is not None:
        out.geometry = _finish(middle)
        out.geometry.geometry = replace(middle.shader.geometry)
    if back is not None:
        resources.assign_fragment_outputs(back, frag_data_bindings, out.reflection, note)
        out.fragment = _finish(back)
    return out


def _lower(
    vertex: CheckedShader | None,
    geometry: CheckedShader | None,
    fragment: CheckedShader | None,
    feedback: Sequence[str],
    out: Linked,
    note: Report,
) -> tuple[LoweredStage | None, LoweredStage | None, LoweredStage | None]:
    """Lower the stages, the last one first as far as what it reads says what the others have to give.

    Raises
    ------
    ProgramTooLargeError : inlining gave too many instructions
    """
    table = SamplerTable()
    front = lower_stage(vertex, table) if vertex is not None else None
    back = lower_stage(fragment, table) if fragment is not None else None
    middle: LoweredStage | None = None
    if back is not None:
        _optimize(back, {output.variable for output in back.outputs})
        resources.prune_inputs(back)
    last = front
    if geometry is not None:
        if back is not None:
            take_from_geometry(back)
        last = middle = lower_stage(geometry, table, emitted_names(geometry, back, feedback))
    if last is not None:
        _link_varyings(last, back, feedback, out.reflection, note)
    if middle is not None:
        assert middle.emitted is not None
        note_writes(middle)
        _optimize(middle, {middle.emitted})
        resources.prune_inputs(middle)
        if front is not None:
            link_inputs(front, middle)
    if front is not None:
        _optimize(front, {output.variable for output in front.outputs})
        resources.prune_inputs(front)
    out.samplers = table.slots
    return front, middle, back


def _optimize(stage: LoweredStage, outputs: set[Variable]) -> None:
    stage.body, stage.variables = optimize(stage.body, stage.variables, outputs)
    fuse(stage.body)


# Varyings
# --------------------------------------------------------------------------------------------------------------
def _link_varyings(
    front: LoweredStage, back: LoweredStage | None, feedback: Sequence[str], reflection: Reflection, note: Report
) -> None:
    """Match inputs with outputs, drop outputs that nobody reads, give locations, resolve transform feedback."""
    rows = {output.name: row for row, output in enumerate(front.outputs)}
    location = 0
    wanted: set[str] = set()
    for entry in back.inputs if back is not None else ():
        if entry.builtin:
            wanted.add(entry.name)
            continue
        entry.location = location
        location += entry.count
        wanted.add(entry.name)
        row = rows.get(entry.name)
        if row is None:
            # The shader before never touches it: its value is not defined.
            row = rows[entry.name] = add_output(front, entry.name, entry.type, entry.count)
        output = front.outputs[row]
        output.location = entry.location
        output.interpolation, output.centroid = entry.interpolation, entry.centroid
    captured = _resolve_feedback(front, feedback, reflection, rows, note)
    for name in sorted(captured - wanted):
        output = front.outputs[rows[name]]
        if not output.builtin:
            output.location = location
            location += max(output.variable.length, 1)
    new_rows = keep_outputs(front, wanted | captured)
    for varying in reflection.feedback:
        varying.output = new_rows[varying.output]


_FEEDBACK_NAME = re.compile(r"([A-Za-z_][\w.]*)(?:\[(\d{1,6})\])?")


def _resolve_feedback(
    front: LoweredStage, names: Sequence[str], reflection: Reflection, rows: dict[str, int], note: Report
) -> set[str]:
    """Find the outputs that transform feedback captures; gives their names."""
    captured: set[str] = set()
    symbols = {
        symbol.name if symbol.member else symbol.link_name: symbol
        for symbol in front.shader.symbols
        if symbol.storage == "out"
    }
    for name in names:
        match = _FEEDBACK_NAME.fullmatch(name)
        stem = match.group(1) if match else name
        root, *members = stem.split(".")
        symbol = symbols.get(root)
        found: Type | None = symbol.type if symbol is not None else None
        for member in members:
            found = found.by_name[member].type if isinstance(found, StructType) and member in found.by_name else None
        if match is None or found is None or symbol is None:
            note(f"transform feedback varying '{name}' is no output of the {front.shader.stage} shader")
            continue
        size, element = 1, 0
        if isinstance(found, ArrayType):
            size, found = max(found.length, 1), found.element
            if match.group(2) is not None:
                size, element = 1, int(match.group(2))
        elif match.group(2) is not None:
            note(f"transform feedback varying '{name}' is no array")
            continue
        if not isinstance(found, NumericType) or name in [one.name for one in reflection.feedback]:
            note(f"transform feedback varying '{name}' cannot be captured")
            continue
        if symbol.member:
            stem = symbol.link_name + stem.removeprefix(root)
        row = rows.get(stem)
        if row is None:
            row = rows[stem] = add_output(front, stem, _column(found), size * found.columns)
        captured.add(stem)
        reflection.feedback.append(TransformFeedbackVarying(name, found, size, row, element * found.columns))
    return captured


def _column(type: NumericType) -> NumericType:
    from replay.glsl.lowering.storage import column_type

    return column_type(type)


# Stages
# ----------------------------------------------------------------------------------------------------------------
def _used_variables(body: Region, stage: LoweredStage) -> list[Variable]:
    used = {output.variable for output in stage.outputs}
    for instr in body.instructions():
        if instr.op == "load":
            used.add(instr.attr)
        elif instr.op == "store":
            used.add(instr.attr.variable)
    return [variable for variable in stage.variables if variable in used]


def _finish(stage: LoweredStage) -> StageIR:
    body = stage.body
    ir = StageIR(stage.shader.stage, body)
    ir.variables = _used_variables(body, stage)
    ir.inputs = stage.inputs
    ir.outputs = stage.outputs
    ir.areas = stage.areas
    ir.memories = stage.memories
    number_stage(ir)
    written = {instr.attr.variable for instr in body.instructions() if instr.op == "store"}
    for output in ir.outputs:
        if ir.stage != "geometry":
            output.static_write = output.variable in written
    ir.tests_early = stage.shader.tests_early
    ir.discards = any(isinstance(node, Jump) and node.kind == JumpKind.DISCARD for node in body.walk())
    ir.writes_depth = any(output.builtin == "gl_FragDepth" and output.static_write for output in ir.outputs)
    ir.reads_position = any(entry.builtin in ("gl_FragCoord", "gl_PointCoord") for entry in ir.inputs)
    ir.uses_derivatives = any(instr.op in ("ddx", "ddy") for instr in body.instructions())
    return ir
