"""Linked programs as JSON values and back, for the cache on disk: nothing is executed when one is read."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import Any

from replay.glsl.diagnostics import Diagnostic
from replay.glsl.ir import (
    Block,
    ConstantRef,
    GeometryLayout,
    If,
    InputRef,
    InputSlot,
    Instr,
    Interpolation,
    Jump,
    JumpKind,
    Loop,
    Node,
    OutputSlot,
    Place,
    Region,
    SamplerSlot,
    StageIR,
    StoreRef,
    TessellationLayout,
    TextureRef,
    UniformArea,
    Variable,
)
from replay.glsl.memory import AtomicKind, AtomicRef, MemoryKind, MemoryRef, MemorySlot, TouchRef
from replay.glsl.program import GRAPHICS_STAGES, Program
from replay.glsl.reflection import (
    ActiveAttribute,
    ActiveUniform,
    CounterBuffer,
    FragmentOutput,
    Reflection,
    StorageBlock,
    StorageVariable,
    TransformFeedbackVarying,
    UniformBlock,
)
from replay.glsl.texturing import Dimension, Lookup, LookupKind, ResultKind
from replay.glsl.types import NUMERIC_TYPES, OPAQUE_TYPES, ArrayType, Type, array_of

__all__ = ["decode_program", "encode_program"]

_FLAGS = (
    "discards", "writes_depth", "reads_position", "uses_derivatives", "tests_early", "per_sample", "masks_samples",
)  # fmt: skip


def _type_name(type: Type) -> Any:
    return [_type_name(type.element), type.length] if isinstance(type, ArrayType) else type.name


def _type(name: Any) -> Any:
    if isinstance(name, list):
        return array_of(_type(name[0]), name[1])
    return NUMERIC_TYPES[name] if name in NUMERIC_TYPES else OPAQUE_TYPES[name]


def _row(record: Any) -> list[Any]:
    """Fields of a flat record, types by name."""
    values = (getattr(record, one.name) for one in fields(record))
    return [_type_name(value) if isinstance(value, Type) else value for value in values]


# Stages -----------------------------------------------------------------------------------------------------------
def _encode_attribute(instr: Instr) -> Any:
    attr = instr.attr
    if isinstance(attr, Variable):
        return attr.number
    if isinstance(attr, StoreRef):
        return [attr.variable.number, attr.mask]
    if isinstance(attr, (ConstantRef, InputRef, MemoryRef, TouchRef)):
        return astuple(attr)
    if isinstance(attr, AtomicRef):
        return [attr.slot, attr.kind.value]
    if isinstance(attr, TextureRef):
        lookup = attr.lookup
        head = [
            lookup.instruction,
            lookup.slot,
            lookup.kind.value,
            lookup.dimension.value,
            lookup.is_array,
            lookup.is_shadow,
            int(lookup.result),
        ]
        return [*head, lookup.offset, lookup.is_fragment, lookup.component, attr.roles]
    return attr


def _decode_attribute(op: str, value: Any, variables: list[Variable]) -> Any:
    if op == "load":
        return variables[value]
    if op == "store":
        return StoreRef(variables[value[0]], tuple(value[1]))
    if op == "uniform":
        return ConstantRef(*value)
    if op == "input":
        return InputRef(*value)
    if op in ("mload", "mstore", "msize"):
        return MemoryRef(*value)
    if op == "mtouch":
        return TouchRef(*value)
    if op == "atomic":
        return AtomicRef(value[0], AtomicKind(value[1]))
    if op == "tex":
        instruction, slot, kind, dimension, is_array, is_shadow, result, offset, is_fragment, component, roles = value
        lookup = Lookup(
            instruction,
            slot,
            LookupKind(kind),
            Dimension(dimension),
            is_array,
            is_shadow,
            ResultKind(result),
            tuple(offset),
            is_fragment,
            component=component,
        )
        return TextureRef(lookup, tuple(roles))
    return tuple(value) if isinstance(value, list) else value


def _encode_region(region: Region) -> list[Any]:
    out: list[Any] = []
    for node in region.nodes:
        if isinstance(node, Block):
            out.append(["block", [instr.number for instr in node.instructions], node.number, node.kinds, node.lines])
        elif isinstance(node, If):
            out.append(["if", node.condition.number, _encode_region(node.then), _encode_region(node.orelse)])
        elif isinstance(node, Loop):
            out.append(["loop", _encode_region(node.body), _encode_region(node.step)])
        else:
            out.append(["jump", int(node.kind), -1 if node.condition is None else node.condition.number])
    return out


def _decode_region(rows: list[Any], values: list[Instr], blocks: list[Block]) -> Region:
    region = Region()
    for row in rows:
        kind = row[0]
        node: Node
        if kind == "block":
            node = Block()
            node.instructions = [values[number] for number in row[1]]
            node.number = row[2]
            node.kinds = tuple((k, texture) for k, texture in row[3])
            node.lines = tuple(row[4])
            blocks.append(node)
        elif kind == "if":
            then = _decode_region(row[2], values, blocks)
            node = If(values[row[1]], then, _decode_region(row[3], values, blocks))
        elif kind == "loop":
            body = _decode_region(row[1], values, blocks)
            node = Loop(body, _decode_region(row[2], values, blocks))
        else:
            node = Jump(JumpKind(row[1]), None if row[2] < 0 else values[row[2]])
        region.nodes.append(node)
    return region


def _encode_stage(ir: StageIR | None) -> Any:
    if ir is None:
        return None
    instructions = [
        [
            instr.op,
            None if instr.type is None else instr.type.name,
            [arg.number for arg in instr.args],
            _encode_attribute(instr),
        ]
        for instr in ir.body.instructions()
    ]
    outputs = [[slot.variable.number, *_row_of_output(slot)] for slot in ir.outputs]
    return {
        "stage": ir.stage,
        "variables": [[variable.name, variable.type.name, variable.length] for variable in ir.variables],
        "instructions": instructions,
        "body": _encode_region(ir.body),
        "inputs": [_row(slot) for slot in ir.inputs],
        "outputs": outputs,
        "areas": [_row(area) for area in ir.areas],
        "memories": [[slot.name, slot.kind.value, *_row(slot)[2:]] for slot in ir.memories],
        "local_size": ir.local_size,
        "blend_support": ir.blend_support,
        "geometry": _row(ir.geometry) if ir.geometry is not None else None,
        "tessellation": _row(ir.tessellation) if ir.tessellation is not None else None,
        "flags": [getattr(ir, flag) for flag in _FLAGS],
    }


def _row_of_output(slot: OutputSlot) -> list[Any]:
    return [getattr(slot, one.name) for one in fields(slot) if one.name != "variable"]


def _decode_stage(data: Any) -> StageIR | None:
    if data is None:
        return None
    variables = []
    for number, (name, kind, length) in enumerate(data["variables"]):
        variables.append(Variable(name, _type(kind), length))
        variables[-1].number = number
    values: list[Instr] = []
    for number, (op, kind, args, attr) in enumerate(data["instructions"]):
        operands = tuple(values[k] for k in args)
        values.append(
            Instr(op, None if kind is None else _type(kind), operands, _decode_attribute(op, attr, variables))
        )
        values[-1].number = number
    ir = StageIR(data["stage"], Region(), variables)
    ir.body = _decode_region(data["body"], values, ir.blocks)
    ir.num_values = len(values)
    ir.textures = [instr.attr for instr in values if instr.op == "tex"]
    for name, builtin, kind, location, component, count, interpolation, place, *rest in data["inputs"]:
        how = Interpolation(interpolation), Place(place)
        ir.inputs.append(InputSlot(name, builtin, _type(kind), location, component, count, *how, *rest))
    for number, name, builtin, location, component, index, interpolation, place, *rest in data["outputs"]:
        how = Interpolation(interpolation), Place(place)
        ir.outputs.append(OutputSlot(name, builtin, variables[number], location, component, index, *how, *rest))
    ir.areas = [UniformArea(*row) for row in data["areas"]]
    ir.memories = [MemorySlot(name, MemoryKind(kind), *rest) for name, kind, *rest in data["memories"]]
    ir.local_size = tuple(data["local_size"])
    ir.blend_support = tuple(data["blend_support"])
    ir.geometry = GeometryLayout(*data["geometry"]) if data["geometry"] is not None else None
    ir.tessellation = TessellationLayout(*data["tessellation"]) if data["tessellation"] is not None else None
    for flag, value in zip(_FLAGS, data["flags"], strict=True):
        setattr(ir, flag, value)
    return ir


# Programs ---------------------------------------------------------------------------------------------------------
def encode_program(program: Program) -> dict[str, Any]:
    """Give a linked program as a value that JSON can hold (with its NaN and Infinity)."""
    reflection = program.reflection
    return {
        "diagnostics": [_row(message) for message in program.diagnostics],
        "attributes": [_row(arg) for arg in reflection.attributes],
        "uniforms": [_row(uniform) for uniform in reflection.uniforms],
        "blocks": [_row(block) for block in reflection.blocks],
        "storage_blocks": [_row(storage_block) for storage_block in reflection.storage_blocks],
        "storage_variables": [_row(variable) for variable in reflection.storage_variables],
        "counter_buffers": [_row(counter_buffer) for counter_buffer in reflection.counter_buffers],
        "fragment_outputs": [_row(one) for one in reflection.fragment_outputs],
        "feedback": [_row(one) for one in reflection.feedback],
        "locations": reflection.num_uniform_locations,
        "framebuffer_height": reflection.framebuffer_height,
        "parts": reflection.parts,
        "samplers": [
            [
                slot.name,
                slot.uniform,
                slot.element,
                slot.dimension.value,
                slot.is_array,
                int(slot.result),
                slot.is_shadow,
            ]
            for slot in program.samplers
        ],
        "vertex": _encode_stage(program.vertex),
        "fragment": _encode_stage(program.fragment),
        "compute": _encode_stage(program.compute),
        "geometry": _encode_stage(program.geometry),
        "tess_control": _encode_stage(program.tess_control),
        "tess_evaluation": _encode_stage(program.tess_evaluation),
    }


def _records(kind: Any, rows: list[list[Any]], type_at: int) -> list[Any]:
    out = []
    for row in rows:
        row[type_at] = _type(row[type_at])
        out.append(kind(*[tuple(variable) if isinstance(variable, list) else variable for variable in row]))
    return out


def decode_program(data: dict[str, Any]) -> Program:
    """Give the program back.

    Raises
    ------
    KeyError, IndexError, TypeError, ValueError : the value is none that :func:`encode_program` gave
    """
    reflection = Reflection(
        _records(ActiveAttribute, data["attributes"], 1),
        _records(ActiveUniform, data["uniforms"], 1),
        [UniformBlock(name, size, tuple(rows), *stages) for name, size, rows, *stages in data["blocks"]],
        _records(FragmentOutput, data["fragment_outputs"], 1),
        _records(TransformFeedbackVarying, data["feedback"], 1),
        data["locations"],
        data["framebuffer_height"],
        [StorageBlock(name, size, tuple(rows), *rest) for name, size, rows, *rest in data["storage_blocks"]],
        _records(StorageVariable, data["storage_variables"], 1),
        [CounterBuffer(*row) for row in data["counter_buffers"]],
        [(uniform, block, storage) for uniform, block, storage in data["parts"]],
    )
    samplers = [
        SamplerSlot(name, uniform, element, Dimension(dimension), is_array, ResultKind(result), is_shadow)
        for name, uniform, element, dimension, is_array, result, is_shadow in data["samplers"]
    ]
    diagnostics = [Diagnostic(*row) for row in data["diagnostics"]]
    stages = {stage: _decode_stage(data[stage]) for stage in (*GRAPHICS_STAGES, "compute")}
    program = Program(True, diagnostics, reflection, samplers=samplers)
    for stage, ir in stages.items():
        setattr(program, stage, ir)
    return program
