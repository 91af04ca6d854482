"""The linker: checks that shaders fit, lowers and optimises them together, gives out resources, reflects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

from replay.glsl.builder import ProgramTooLargeError
from replay.glsl.counts import number_stage
from replay.glsl.declarations import CheckedShader
from replay.glsl.ir import (
    Jump,
    JumpKind,
    Place,
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
from replay.glsl.linking.patches import link_patch, take_from_patch, takes_patch
from replay.glsl.linking.rules import Report, check_pair, check_stage, check_uniforms
from replay.glsl.lowering.patches import PATCH_NUMBER, PatchTable
from replay.glsl.lowering.stage import LoweredStage, SamplerTable, lower_stage
from replay.glsl.passes import fuse, optimize
from replay.glsl.passes.touched import mark_lines
from replay.glsl.program import GRAPHICS_STAGES
from replay.glsl.reflection import Reflection, TransformFeedbackVarying
from replay.glsl.types import ArrayType, NumericType, StructType, Type

__all__ = ["LinkRequest", "Linked", "link", "link_compute"]


class Linked:
    """What the linker made; stages are None where a rule was broken."""

    def __init__(self) -> None:
        self.reflection = Reflection()
        self.samplers: list[SamplerSlot] = []
        self.vertex: StageIR | None = None
        self.fragment: StageIR | None = None
        self.compute: StageIR | None = None
        self.geometry: StageIR | None = None
        self.tess_control: StageIR | None = None
        self.tess_evaluation: StageIR | None = None


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """What a link is given beside its shaders.

    Parameters
    ----------
    attribute_bindings, frag_data_bindings : locations that were asked for
    feedback : outputs that transform feedback captures
    separable : stages before and behind may come from other programs, so that all outputs are kept
    owners : program that each stage comes from, by number, where a pipeline has several: their uniforms and blocks are
        apart, those of program 0 listed first
    """

    attribute_bindings: Mapping[str, int] = field(default_factory=dict)
    frag_data_bindings: Mapping[str, int | tuple[int, int]] = field(default_factory=dict)
    feedback: Sequence[str] = ()
    separable: bool = False
    owners: Mapping[str, int] = field(default_factory=dict)

    def owner(self, shader: CheckedShader) -> int:
        """Number of the program that a stage comes from."""
        return self.owners.get(shader.stage, 0)


def _noting(report: Report) -> tuple[list[str], Report]:
    problems: list[str] = []

    def note(message: str) -> None:
        problems.append(message)
        report(message)

    return problems, note


def link_compute(shader: CheckedShader, report: Report) -> Linked:
    """Link a compute shader; problems go to ``report``, which returns."""
    out = Linked()
    problems, note = _noting(report)
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
    _give_resources([stage], table, out, note)
    out.compute = _finish(stage)
    x, y, z = shader.local_size
    out.compute.local_size = (x, y, z)
    return out


def link(shaders: Sequence[CheckedShader], request: LinkRequest, report: Report) -> Linked:
    """Link checked shaders, in the order of their stages; problems go to ``report``, which returns."""
    out = Linked()
    problems, note = _noting(report)
    for shader in shaders:
        check_stage(shader, note)
    for first, second in pairwise(shaders):
        check_pair(first, second, note, are_apart=request.owner(first) != request.owner(second))
    for (a, first), (b, second) in combinations(enumerate(shaders), 2):
        if b - a > 1 and request.owner(first) == request.owner(second):
            check_uniforms(first, second, note)
    if problems:
        return out
    by_stage = {shader.stage: shader for shader in shaders}
    tables: dict[int, SamplerTable] = {}
    for shader in shaders:
        tables.setdefault(request.owner(shader), SamplerTable())
    try:
        lowered = _lower(by_stage, request, tables, out, note)
    except ProgramTooLargeError:
        note("the program is too large: too many instructions after inlining and unrolling")
        return out
    stages = [lowered[stage] for stage in GRAPHICS_STAGES if stage in lowered]
    for owner, table in sorted(tables.items()):
        _give_resources([stage for stage in stages if request.owner(stage.shader) == owner], table, out, note)
    for name, stage in lowered.items():
        if name == "vertex":
            resources.assign_attributes(stage, request.attribute_bindings, out.reflection, note)
        elif name == "fragment":
            resources.assign_fragment_outputs(stage, request.frag_data_bindings, out.reflection, note)
        ir = _finish(stage)
        if name == "geometry":
            ir.geometry = replace(stage.shader.geometry)
        ir.tessellation = stage.tessellation
        setattr(out, name, ir)
    return out


def _give_resources(stages: Sequence[LoweredStage], table: SamplerTable, out: Linked, note: Report) -> None:
    """List uniforms, samplers, blocks and memories of the stages of one program, behind those of others."""
    reflection = out.reflection
    reflection.parts.append((len(reflection.uniforms), len(reflection.blocks), len(reflection.storage_blocks)))
    for stage in stages:
        resources.prune_memories(stage)
    first = len(out.samplers)
    out.samplers += resources.assign_samplers(stages, table.slots, first)
    resources.assign_uniforms(stages, out.samplers, first, reflection, note)
    resources.assign_blocks(stages, reflection)
    resources.assign_memories(stages, reflection, note)


def _lower(
    shaders: Mapping[str, CheckedShader],
    request: LinkRequest,
    tables: Mapping[int, SamplerTable],
    out: Linked,
    note: Report,
) -> dict[str, LoweredStage]:
    """Lower the stages, the last one first as far as what it reads says what the others have to give.

    Raises
    ------
    ProgramTooLargeError : inlining gave too many instructions
    """
    geometry, fragment = shaders.get("geometry"), shaders.get("fragment")
    wants_patch = geometry is None and fragment is not None and takes_patch(shaders, fragment)
    lowered, inputs = _lower_front(shaders, request, tables, wants_patch=wants_patch)
    back = lower_stage(fragment, tables[request.owner(fragment)]) if fragment is not None else None
    middle: LoweredStage | None = None
    if back is not None:
        lowered["fragment"] = back
        if wants_patch:
            take_from_patch(back)
        _optimize(back, {output.variable for output in back.outputs})
        resources.prune_inputs(back)
    #: What gives the vertices that the geometry stage takes, or that are drawn.
    front = lowered.get("tess_evaluation") or (lowered.get("vertex") if "tess_control" not in lowered else None)
    last = front
    if geometry is not None:
        if back is not None:
            take_from_geometry(back)
        wanted = emitted_names(geometry, back, request.feedback)
        last = middle = lowered["geometry"] = lower_stage(geometry, tables[request.owner(geometry)], wanted)
    if last is not None:
        _link_varyings(last, back, request, out.reflection, note)
    if middle is not None:
        assert middle.emitted is not None
        note_writes(middle)
        # Arrays of outputs stay whole: rows of outputs stand for them.
        _optimize(middle, {middle.emitted} | {each.variable for each in middle.outputs if each.variable.length})
        resources.prune_inputs(middle)
        if front is not None:
            link_inputs(front, middle)
    vertex, control = lowered.get("vertex"), lowered.get("tess_control")
    patched = control or lowered.get("tess_evaluation")
    if vertex is not None and patched is not None:
        assert patched.tessellation is not None
        link_patch(vertex, inputs, patched.tessellation)
    for stage in (vertex, control, lowered.get("tess_evaluation")):
        if stage is not None:
            _optimize(stage, {output.variable for output in stage.outputs})
            resources.prune_inputs(stage)
    return lowered


def _lower_front(
    shaders: Mapping[str, CheckedShader],
    request: LinkRequest,
    tables: Mapping[int, SamplerTable],
    *,
    wants_patch: bool,
) -> tuple[dict[str, LoweredStage], PatchTable]:
    """Lower vertex and tessellation stages; gives the patches that vertices of the vertex stage are put into, too.

    Parameters
    ----------
    wants_patch : the fragment stage wants the number of the patch
    """
    inputs, outputs = PatchTable(), PatchTable()
    lowered: dict[str, LoweredStage] = {}
    for name in GRAPHICS_STAGES[:3]:
        shader = shaders.get(name)
        if shader is None:
            continue
        patches: dict[str, PatchTable] = {}
        if name == "tess_control":
            patches = {"in": inputs, "out": outputs}
        elif name == "tess_evaluation":
            patches = {"in": outputs if "tess_control" in shaders else inputs}
        wanted = (PATCH_NUMBER,) if wants_patch and name == "tess_evaluation" else ()
        stage = lowered[name] = lower_stage(shader, tables[request.owner(shader)], wanted, patches)
        if patches:
            stage.tessellation = replace(shader.tessellation, inputs=[])
    for stage in lowered.values():
        if stage.tessellation is not None:
            is_control = stage.shader.stage == "tess_control"
            source = inputs if is_control or "tess_control" not in shaders else outputs
            stage.tessellation.words_in = source.words
            stage.tessellation.words_out = outputs.words if is_control else 0
    return lowered, inputs


def _optimize(stage: LoweredStage, outputs: set[Variable]) -> None:
    stage.body, stage.variables = optimize(stage.body, stage.variables, outputs)
    fuse(stage.body)


# Varyings
# --------------------------------------------------------------------------------------------------------------
def _link_varyings(
    front: LoweredStage, back: LoweredStage | None, request: LinkRequest, reflection: Reflection, note: Report
) -> None:
    """Match inputs with outputs, drop outputs that nobody reads, give locations, resolve transform feedback."""
    rows = {output.name: row for row, output in enumerate(front.outputs)}
    location = 0
    wanted: set[str] = set()
    for entry in back.inputs if back is not None else ():
        if entry.builtin:
            wanted.add(entry.name)
            continue
        if entry.name in wanted:
            # A coefficient of a plane equation that others are of.
            entry.location = front.outputs[rows[entry.name]].location
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
        output.interpolation, output.place = entry.interpolation, entry.place
    captured = _resolve_feedback(front, request.feedback, reflection, rows, note)
    if request.separable and back is None:
        captured |= set(rows)
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
    ir.memories = [*stage.memories, *mark_lines(body, stage.memories)]
    number_stage(ir)
    written = {instr.attr.variable for instr in body.instructions() if instr.op == "store"}
    for output in ir.outputs:
        if ir.stage != "geometry":
            output.static_write = output.variable in written
    ir.tests_early = stage.shader.tests_early
    ir.blend_support = tuple(sorted(stage.shader.blend_support))
    ir.discards = any(isinstance(node, Jump) and node.kind == JumpKind.DISCARD for node in body.walk())
    ir.writes_depth = any(output.builtin == "gl_FragDepth" and output.static_write for output in ir.outputs)
    ir.masks_samples = any(output.builtin == "gl_SampleMask" and output.static_write for output in ir.outputs)
    ir.per_sample = any(
        entry.place is Place.SAMPLE or entry.builtin in ("gl_SampleID", "gl_SamplePosition") for entry in ir.inputs
    )
    ir.reads_position = any(entry.builtin in ("gl_FragCoord", "gl_PointCoord") for entry in ir.inputs)
    ir.uses_derivatives = any(instr.op in ("ddx", "ddy") for instr in body.instructions())
    return ir
