"""What the linker does where tessellation stages stand behind the vertex stage."""

from __future__ import annotations

from collections.abc import Mapping

from replay.glsl.declarations import CheckedShader
from replay.glsl.ir import Interpolation, TessellationLayout
from replay.glsl.layout import layout_of
from replay.glsl.linking.geometry import add_output, keep_outputs
from replay.glsl.lowering.patches import PATCH_NUMBER, PatchTable, leaf_words
from replay.glsl.lowering.stage import LoweredStage
from replay.glsl.types import ArrayType, Base, vector

__all__ = ["link_patch", "take_from_patch", "takes_patch"]

_BLOCK = "gl_in."


def takes_patch(shaders: Mapping[str, CheckedShader], fragment: CheckedShader) -> bool:
    """Whether the fragment stage reads gl_PrimitiveID, which is the number of the patch there.

    The specification counts what the tessellator makes; Mesa gives fragments their patch, and so do we.
    """
    symbols = [symbol for symbol in fragment.symbols if symbol.builtin and symbol.name == PATCH_NUMBER]
    return "tess_evaluation" in shaders and any(symbol.used for symbol in symbols)


def take_from_patch(fragment: LoweredStage) -> None:
    """Have the fragment stage take the number of the patch as a varying."""
    for entry in fragment.inputs:
        if entry.builtin == PATCH_NUMBER:
            entry.builtin = ""
            entry.interpolation = Interpolation.FLAT


def link_patch(vertex: LoweredStage, table: PatchTable, layout: TessellationLayout) -> None:
    """Find for what a tessellation stage has of each vertex the outputs of the vertex stage; drop those nobody reads.

    Parameters
    ----------
    table : of the patches that the stage reads
    layout : of the stage; is told its inputs
    """
    rows = {output.name: row for row, output in enumerate(vertex.outputs)}
    found: list[tuple[int, int, int, list[int]]] = []
    wanted: set[str] = set()
    for name, (word, type) in table.rows.items():
        if not isinstance(type, ArrayType):
            continue
        leaves: dict[str, list[list[int]]] = {}
        leaf_words(type.element, name, word, leaves)
        stride = layout_of(type, tight=True).array_stride // 4
        for leaf, elements in leaves.items():
            own = leaf.removeprefix(_BLOCK)
            if own not in rows:
                if own.startswith("gl_"):
                    continue
                # The vertex shader never touches it: its value is not defined.
                rows[own] = add_output(vertex, own, vector(Base.FLOAT, len(elements[0])), len(elements))
            wanted.add(own)
            found.append((rows[own], word, stride, [each for element in elements for each in element]))
    for output in vertex.outputs:
        output.builtin = ""
    new_rows = keep_outputs(vertex, wanted)
    for row, first, stride, words in found:
        variable = vertex.outputs[new_rows[row]].variable
        there = max(variable.length, 1) * variable.type.width
        layout.inputs.append((new_rows[row], first, stride, [word - first for word in words[:there]]))
