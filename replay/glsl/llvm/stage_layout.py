"""Where a stage's inputs and outputs lie: what its callers need to know, whether or not it has to be compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from replay.glsl.ir import InputSlot, StageIR, Variable
from replay.glsl.llvm.abi import PLANE_HEADER_WORDS, VECTOR_BYTES
from replay.glsl.passes.phases import has_barrier

if TYPE_CHECKING:
    from replay.glsl.llvm.phases import FrameLayout

__all__ = ["COMPUTED", "StageLayout", "plane_words"]

#: Variables beyond this many bytes lie in scratch memory of the caller: threads have small stacks.
_STACK_BYTES: Final = 32 << 10
#: Inputs that need no plane equations of their own.
COMPUTED: Final = frozenset(
    ("gl_FragCoord", "gl_FrontFacing", "gl_PrimitiveID", "gl_SampleID", "gl_SamplePosition", "gl_NumSamples",
     "gl_SampleMaskIn", "gl_CentroidOffset", "gl_PlaneOffset", "gl_PlaneOverW", "gl_RowsFromTop")
)  # fmt: skip


def plane_words(inputs: Sequence[InputSlot]) -> tuple[list[int], int]:
    """First word of each input's plane equations (-1: computed), and words of a row (a multiple of four)."""
    words, used = [], PLANE_HEADER_WORDS
    for slot in inputs:
        if slot.builtin in COMPUTED:
            words.append(-1)
        else:
            words.append(used)
            used += 3 * slot.count * slot.type.width
    return words, -(-used // 4) * 4


class StageLayout:
    """Where a stage's inputs and outputs lie in the arrays of its caller.

    Attributes
    ----------
    input_rows : first row of each input slot in ``inputs`` (elements one after the other, a row a component)
    num_input_rows : rows in all
    plane_words : first word of each input slot in a row of ``planes``, -1 where it is computed
    num_plane_words : words of a row of ``planes``
    output_rows : first row of each output slot in ``outputs``
    num_output_rows : rows in all
    scratch_bytes : memory that each running thread provides
    """

    def __init__(self, stage: StageIR) -> None:
        self.input_rows: list[int] = []
        rows = 0
        for slot in stage.inputs:
            self.input_rows.append(rows)
            rows += slot.count * slot.type.width
        self.num_input_rows = rows
        self.plane_words, self.num_plane_words = plane_words(stage.inputs)
        self.output_rows: list[int] = []
        rows = 0
        for output in stage.outputs:
            self.output_rows.append(rows)
            rows += max(output.variable.length, 1) * output.variable.type.width
        self.num_output_rows = rows
        self.scratch_offsets: dict[Variable, int] = {}
        used = 0
        for variable in stage.variables:
            size = max(variable.length, 1) * variable.type.width * VECTOR_BYTES
            if size > _STACK_BYTES // 4:
                self.scratch_offsets[variable] = used
                used += size
        self.frames: FrameLayout | None = None
        if has_barrier(stage):
            from replay.glsl.llvm.phases import FrameLayout

            self.frames = FrameLayout(stage)
            used = max(used, self.frames.frame_bytes * self.frames.num_groups)
        self.scratch_bytes = used
