"""What the linker does where a geometry stage stands between vertices and fragments."""

from __future__ import annotations

from collections.abc import Container, Sequence

from replay.glsl.declarations import CheckedShader
from replay.glsl.ir import Interpolation, OutputSlot, Variable
from replay.glsl.lowering.stage import LoweredStage
from replay.glsl.types import NumericType

__all__ = ["add_output", "emitted_names", "keep_outputs", "link_inputs", "note_writes", "take_from_geometry"]

_BLOCK = "gl_in."


class _Everything(Container[str]):
    def __contains__(self, name: object) -> bool:
        return True


def take_from_geometry(fragment: LoweredStage) -> None:
    """Built-in inputs of the fragment stage that a geometry stage gives are varyings like others."""
    for entry in fragment.inputs:
        if entry.builtin in ("gl_PrimitiveID", "gl_Layer"):
            entry.builtin = ""
            entry.interpolation = Interpolation.FLAT


def emitted_names(geometry: CheckedShader, fragment: LoweredStage | None, feedback: Sequence[str]) -> Container[str]:
    """Outputs that emitted vertices need, beside the built-in ones."""
    if feedback or fragment is None:
        return _Everything()
    return {entry.name for entry in fragment.inputs if not entry.builtin}


def note_writes(geometry: LoweredStage) -> None:
    """Say which outputs the stage writes, before what it writes goes straight to the vertices."""
    written = {instr.attr.variable for instr in geometry.body.instructions() if instr.op == "store"}
    for output in geometry.outputs:
        output.static_write = output.variable in written


def link_inputs(vertex: LoweredStage, geometry: LoweredStage) -> None:
    """Find for each input of the geometry stage the output of the vertex stage; drop outputs that nobody reads."""
    rows = {output.name: row for row, output in enumerate(vertex.outputs)}
    sources: dict[str, int] = {}
    for entry in geometry.inputs:
        if entry.builtin and not entry.name.startswith(_BLOCK):
            continue
        name = entry.name.removeprefix(_BLOCK)
        entry.builtin = ""
        row = rows.get(name)
        if row is None:
            # The vertex shader never touches it: its value is not defined.
            count = entry.count // geometry.shader.geometry.vertices_in
            row = rows[name] = add_output(vertex, name, entry.type, count)
        sources[entry.name] = row
    # Of the built-in outputs only those count that the geometry stage hands on.
    wanted = {name.removeprefix(_BLOCK) for name in sources}
    for output in vertex.outputs:
        output.builtin = ""
    new_rows = keep_outputs(vertex, wanted)
    for entry in geometry.inputs:
        if entry.name in sources:
            entry.source = new_rows[sources[entry.name]]


def keep_outputs(stage: LoweredStage, wanted: Container[str]) -> dict[int, int]:
    """Drop outputs that nobody wants, built-in ones stay; gives the new row of each one kept."""
    kept: list[OutputSlot] = []
    new_rows: dict[int, int] = {}
    for row, output in enumerate(stage.outputs):
        if output.builtin or output.name in wanted:
            new_rows[row] = len(kept)
            kept.append(output)
    stage.outputs = kept
    return new_rows


def add_output(stage: LoweredStage, name: str, type: NumericType, count: int) -> int:
    """Append an output that the stage never writes; gives its row."""
    variable = Variable(name, type, count if count > 1 else 0)
    stage.variables.append(variable)
    stage.outputs.append(OutputSlot(name, "", variable, -1, static_write=False))
    return len(stage.outputs) - 1
