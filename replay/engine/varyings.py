"""What the stages of a program hand on: attributes in, varyings across, colours out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from replay.engine.programs import LinkedProgram
from replay.glsl.ir import Interpolation, StageIR
from replay.glsl.llvm.stage_layout import COMPUTED
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS

__all__ = ["Varyings", "match_varyings", "output_rows_of"]


@dataclass(slots=True)
class Varyings:
    """How outputs of the vertex stage become inputs of the fragment stage.

    Parameters
    ----------
    rows : (4 S,) output row of each scalar of S attributes, -1 = 0
    flat : (S,) uint8
    attribute, component, mode : of each plane equation, see ``plane_equations``
    """

    rows: NDArray[np.int64]
    flat: NDArray[np.uint8]
    attribute: NDArray[np.int64]
    component: NDArray[np.int64]
    mode: NDArray[np.uint8]

    @property
    def num_attributes(self) -> int:
        """Vec4 attributes of a vertex, the position among them."""
        return len(self.flat) + 1


def match_varyings(vertex: StageIR, output_rows: list[int], fragment: StageIR) -> Varyings:
    """Match outputs and inputs by location; ``output_rows`` has the first row of each output slot."""
    source: dict[tuple[int, int], int] = {}
    for slot, first in zip(vertex.outputs, output_rows, strict=True):
        if slot.location < 0:
            continue
        width = slot.variable.type.width
        for k in range(max(slot.variable.length, 1)):
            for column in range(width):
                source[slot.location + k, slot.component + column] = first + k * width + column
    locations = sorted({slot.location + k for slot in fragment.inputs if slot.location >= 0 for k in range(slot.count)})
    number = {location: at for at, location in enumerate(locations)}
    rows = np.full(4 * len(locations), -1, np.int64)
    for location, at in number.items():
        for column in range(4):
            rows[4 * at + column] = source.get((location, column), -1)
    flat = np.zeros(len(locations), np.uint8)
    attribute: list[int] = []
    component: list[int] = []
    mode: list[int] = []
    for inputs in fragment.inputs:
        if inputs.builtin in COMPUTED:
            continue
        for k in range(inputs.count):
            for column in range(inputs.type.width):
                if inputs.location < 0:
                    attribute.append(0)
                    component.append(column)
                    mode.append(3)
                    continue
                at = number[inputs.location + k]
                attribute.append(1 + at)
                component.append(inputs.component + column)
                if inputs.interpolation is Interpolation.FLAT:
                    flat[at] = 1
                    mode.append(1)
                else:
                    mode.append(2 if inputs.interpolation is Interpolation.NOPERSPECTIVE else 0)
    return Varyings(rows, flat, np.array(attribute, np.int64), np.array(component, np.int64), np.array(mode, np.uint8))


def output_rows_of(linked: LinkedProgram) -> dict[int, NDArray[np.int64]]:
    """Rows of the fragment stage's outputs that each draw buffer gets."""
    known: dict[int, NDArray[np.int64]] | None = linked.stages.get("outputs")
    if known is not None:
        return known
    ir = linked.program.fragment
    rows: dict[int, NDArray[np.int64]] = {}
    if ir is not None:
        layout = linked.facts("fragment").layout
        for slot, first in zip(ir.outputs, layout.output_rows, strict=True):
            if slot.builtin in ("gl_FragDepth", "gl_SampleMask") or slot.index or not slot.static_write:
                continue
            width = slot.variable.type.width
            for k in range(max(slot.variable.length, 1)):
                value = np.full(4, -1, np.int64)  # what is not written is undefined; 0, as Mesa has it
                value[slot.component : slot.component + width] = first + k * width + np.arange(width)
                if slot.builtin == "gl_FragColor":
                    for buffer in range(MAX_COLOR_ATTACHMENTS):
                        rows[buffer] = value
                else:
                    rows[max(slot.location, 0) + k] = value
    linked.stages["outputs"] = rows
    return rows
