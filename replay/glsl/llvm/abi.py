"""The one argument of a compiled stage: a record of pointers and numbers, and what they mean.

A compiled stage runs over a chunk of *groups* of 16 lanes (four quads, or 16 vertices). Arrays are owned by the caller;
none is read or written beyond ``num_groups`` groups.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from traceformat.native.records import Record, count, pointer

__all__ = [
    "ARGUMENTS",
    "LANES",
    "LATER_OP_BYTES",
    "PLANE_HEADER_WORDS",
    "QUADS",
    "SPARE_LINES",
    "SPARE_QUADS",
    "STATUS_LOOP_BUDGET",
    "STATUS_OK",
    "TEXTURE_RECORD",
    "VECTOR_BYTES",
    "field_offset",
]

#: Lanes of a group: four quads, a byte each, or sixteen vertices. What one group waits for the next ones can hide.
LANES: Final = 16
#: Of floats or integers, one a lane.
VECTOR_BYTES: Final = 4 * LANES
#: Quads of a group, and how many may lie behind the last one of a draw.
QUADS: Final = LANES // 4
SPARE_QUADS: Final = QUADS - 1
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
            # TEXTURE_RECORD: where texture accesses go (replay.glsl.texturing).
            "record",
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
            # uint16 [quad]: samples that are covered, bit 4f + s.
            "quad_samples",
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

#: What the other quads of the group at hand have accessed waits until the first one's record is complete: rows of first
#: line among the quad's, texels, instruction in the low half and lines in the high half of a word, one word unused.
LATER_OP_BYTES: Final = 16
#: Rows of lines that may be written behind the last one: lines are moved so many at a time.
SPARE_LINES: Final = 16

TEXTURE_RECORD: Final = Record(
    "where the texture accesses of a chunk go, see replay.glsl.texturing",
    line_first=pointer("(ops_room,) uint32 first row of lines"),
    line_count=pointer("(ops_room,) uint8 rows of lines"),
    texels=pointer("(ops_room, 4) uint8"),
    instruction=pointer("(ops_room,) uint16"),
    line=pointer("(lines_room,) uint32"),
    lanes=pointer("(lines_room,) uint8"),
    tex_first=pointer("(quads,) uint32 first op of each quad of the chunk, whole groups"),
    tex_count=pointer("(quads,) uint16 ops of each quad"),
    ops=count("rows of ops that there are; counted on where they do not fit, by the most that may be needed"),
    lines=count("rows of lines, counted alike"),
    ops_room=count("rows of ops in all"),
    lines_room=count("rows of lines in all"),
    later_ops=pointer("rows of LATER_OP_BYTES: ops of the other quads of the group at hand, later_room for each"),
    later_line=pointer("uint32: their lines, alike"),
    later_lanes=pointer("uint8: alike"),
    later_room=count("rows of each of them for a quad"),
    later_used=count("rows that a quad may have taken, 0 between groups"),
    ops_1=count("ops of the second quad that wait, 0 between groups"),
    ops_2=count("of the third quad"),
    ops_3=count("of the fourth quad"),
    lines_1=count("their lines"),
    lines_2=count("their lines"),
    lines_3=count("their lines"),
    most_later=count("most rows of a quad's that a group may have needed"),
    live=count("of the group at hand: bit i for lane i, 0 for helpers"),
    line_1=count("row of lines that the next one of its second quad takes for now"),
    line_2=count("of its third quad"),
    line_3=count("of its fourth quad"),
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
