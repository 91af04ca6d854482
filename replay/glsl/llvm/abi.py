"""The one argument of a compiled stage: a record of pointers and numbers, and what they mean.

A compiled stage runs over a chunk of *groups* of 8 lanes (two quads, or 8 vertices). Arrays are owned by the caller;
none is read or written beyond ``num_groups`` groups.
"""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["ARGUMENTS", "PLANE_HEADER_WORDS", "STATUS_LOOP_BUDGET", "STATUS_OK", "field_offset"]

#: All fields are 64 bits wide: pointers, byte strides, counts.
ARGUMENTS: Final = np.dtype(
    [
        (name, "<u8")
        for name in (
            # Groups to run.
            "num_groups",
            # float32/int32 [row][lane], rows ``input_stride`` bytes apart; see LlvmStage.input_rows.
            "inputs",
            "input_stride",
            # float32/int32 [row][lane], rows ``output_stride`` bytes apart; see LlvmStage.output_rows.
            "outputs",
            "output_stride",
            # Pointer to each constant area (StageIR.areas), with at least ``words`` words behind it.
            "areas",
            # Pointer to the engine's descriptor of each sampler slot.
            "descriptors",
            # uint8 [quad]: bit f = fragment f is covered (vertices: lane f exists).
            "coverage",
            # uint8 [quad]: bit f = somebody looks at the outputs of fragment f.
            "seen",
            # uint8 [quad], written: fragments that are covered and not discarded.
            "survives",
            # uint64 [quad] (vertices: [lane]), written: hash of the path, see replay.glsl.llvm.paths.
            "path_hash",
            # uint32 words: texture access record (replay.glsl.texturing); words used are counted on, fit or not.
            "record",
            "record_capacity",
            "record_used",
            # uint32 [quad or lane][log_capacity], uint32 [quad or lane]: steps of the path, and how many there were.
            "log",
            "log_capacity",
            "log_counts",
            # uint64 [lane], written: identity of each fragment; the seed stands for program, constants and textures.
            "identity",
            "identity_seed",
            # Interpolation (replay.glsl.llvm.interpolation): per primitive plane equations, rows ``plane_stride`` bytes
            # apart; uint32 [quad] row of the quad's primitive; uint16 [quad] x / 2 and y / 2.
            "planes",
            "plane_stride",
            "quad_primitive",
            "quad_x",
            "quad_y",
            # Iterations that a group may spend in all loops of one execution (lanes that iterate together count once).
            "loop_budget",
            # STATUS_OK; written: why the run ended early.
            "status",
            # Pointer to the words of each memory (StageIR.memories; at least one word), and int64 how many there are.
            "memories",
            "memory_words",
            # Scratch memory of LlvmStage.scratch_bytes bytes, 64-byte aligned; one per running thread.
            "scratch",
        )
    ]
)

STATUS_OK: Final = 0
STATUS_LOOP_BUDGET: Final = 1

#: Words before the plane equations of a primitive: x, y of the origin (int32 pixels), front facing (int32 0 or 1),
#: primitive id (int32), three coefficients of 1/w, three of depth, two unused.
PLANE_HEADER_WORDS: Final = 12


def field_offset(name: str) -> int:
    """Offset in bytes of a field of :data:`ARGUMENTS`."""
    fields = ARGUMENTS.fields
    assert fields is not None
    return int(fields[name][1])
