"""The records of the handheld machine's kernels: a walk over primitives, and the order of tests and accesses.

A :data:`WALK` makes fragments and quads of primitives, an :data:`ORDER` tests them and writes the codes of all
accesses, an :data:`EXPANSION` fills in what the shader adds to these, a :data:`FILTER` is the pass over the picture.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from traceformat.native.records import Record, count, inline, pointer

__all__ = [
    "COUNTS",
    "COUNT_NAMES",
    "EXPANSION",
    "FILTER",
    "ORDER",
    "PATTERN",
    "TILE_DTYPE",
    "WALK",
]

PATTERN: Final = Record(
    "where samples lie, and where they are stored",
    positions=pointer("(2, slots, 2) int64 by the parity of x + y, in SAMPLE_UNIT"),
    where=pointer("(slots,) int64 Where: the pixels that make a slot"),
    group=pointer("(slots,) int64 shading group"),
    storage=pointer("(slots, 3) int64 columns to the right, rows down, and sample number where a slot is stored"),
    num_slots=count("slots"),
    num_groups=count("shading groups"),
    num_parities=count("2 if positions differ between them, else 1"),
)

WALK: Final = Record(
    "a walk over primitives, which makes fragments and quads of them",
    # The primitives: columns of FrameTrace's ``emitted``.
    num_vertices=pointer("(E,) uint8"),
    size=pointer("(E,) float32"),
    x=pointer("(E, 3) int32"),
    y=pointer("(E, 3) int32"),
    bounds=pointer("(E, 4) int16"),
    depth_plane=pointer("(E, 3) float64 z at the centre of pixel (0, 0), dz/dx, dz/dy"),
    begin=count("primitive at which the walk begins; out: at which it goes on"),
    end=count("primitive before which it ends"),
    # The machine.
    pattern=inline(PATTERN, "the samples"),
    width=count("pixels of the screen"),
    height=count("rows of it"),
    depth_bits=count("bits of the depth buffer"),
    keeps_outside=count("whether visited pixels without a covered sample become fragments with an empty mask"),
    # Fragments, out.
    primitive=pointer("(F,) uint32"),
    fragment_x=pointer("(F,) uint16"),
    fragment_y=pointer("(F,) uint16 row 0 at the bottom"),
    quad=pointer("(F,) uint32 4 * quad + lane"),
    mask=pointer("(F,) uint8 covered slots"),
    depth=pointer("(F, slots) uint32 depth of each"),
    # Quads, out.
    quad_primitive=pointer("(Q,) uint32"),
    quad_x=pointer("(Q,) uint16"),
    quad_y=pointer("(Q,) uint16"),
    cover=pointer("(groups, room) uint8 covered lanes"),
    room=count("fragments and quads that there is room for"),
    num_fragments=count("so far"),
    num_quads=count("so far"),
    visited=count("pixels"),
    samples=count("covered"),
    # Where the walk is.
    step=count("1 to the right, -1 to the left"),
    at=count("column"),
    quad_base=count("first quad of the row of quads"),
    quad_low=count("its x / 2"),
)

#: A tile of the row that is on-chip.
TILE_DTYPE: Final = np.dtype(
    [
        ("z_low", "<u4"),
        ("z_high", "<u4"),
        ("visited", "u1"),
        ("visible", "u1"),
        ("hidden", "u1"),
        ("changed", "u1"),
        ("stale", "u1"),  # a value equal to z-max was overwritten
        ("uniform", "u1"),  # z-min was z-max: all values of the tile are known without reading them
    ],
    align=True,
)

#: What is counted, by its field.
COUNT_NAMES: Final = {
    name.replace(".", "_"): name
    for name in (
        "fragments.rasterized",
        "fragments.early_z_killed",
        "fragments.discarded",
        "fragments.written",
        "samples.tested",
        "samples.passed",
        "culling.tiles_entered",
        "zmin.tiles_visible",
        "zmax.tiles_hidden",
        "zmin.z_reads_avoided",
        "zmax.z_reads_avoided",
        "onchip.reads",
        "onchip.writes",
        "zmax.updates",
        "fragments.shaded",
        "fragments.late_z_killed",
    )
}
COUNTS: Final = Record("what is counted", **{field: count(name) for field, name in COUNT_NAMES.items()})

ORDER: Final = Record(
    "tests of the fragments of a walk in their order, and the accesses; places count 16-bit values",
    walk=pointer("WALK"),
    test=pointer("row of TEST_DTYPE"),
    front=pointer("(E,) uint8 facing of the primitives"),
    # What a draw does beside the tests.
    emits=count("whether accesses are wanted"),
    reads_color=count("blending or a partial mask"),
    writes_color=count("whether a colour is written"),
    has_lookups=count("whether the shader reads textures"),
    tests_late=count("the shader writes the depth: it comes before the test"),
    stored=count("samples of a stored pixel"),
    pitch=count("stored pixels of a row"),
    z_base=count("place of the depth buffer"),
    color_base=count("place of the colour buffer"),
    stencil_base=count("place of the stencil buffer"),
    tile_base=count("place of the tiles' bounds"),
    zmin=count("whether z-min culling is on"),
    zmax=count("whether z-max culling is on"),
    tile_shift=count("log2 of a tile's side"),
    plane_bound=count("bounds of the triangle's plane in the tile, not of its vertices"),
    enter_visited=count("a tile is entered by the first pixel that is visited, not covered"),
    write_changed=count("z-min is written back where it has changed"),
    max_z=count("greatest value of the depth buffer"),
    # Buffers; each slot has a plane of its own.
    z_buffer=pointer("(slots, H, W) uint32"),
    stencil_buffer=pointer("(slots, H, W) uint8"),
    covered=pointer("(H, W) uint32 counts fragments"),
    z_low=pointer("(tile rows from the top, tile columns) uint32 z-min in memory"),
    z_high=pointer("as z_low: z-max"),
    tile_columns=count("tiles of a row"),
    # Of the shader.
    survives=pointer("(groups, Q) uint8 lanes that it did not discard"),
    tested=pointer("(groups, Q) uint8, out: lanes whose look-ups are needed: that passed what comes before the shader"),
    passed=pointer("(slots, Q) uint8, out: lanes to write"),
    # Out.
    codes=pointer("uint32 accesses"),
    num_codes=count("of them"),
    counts=inline(COUNTS, "added to"),
    # Where it is.
    tiles=pointer("(tile columns,) TILE_DTYPE, all zero"),
    entered=pointer("(tile columns,) int64 columns of the tiles that have been entered"),
    num_entered=count("of them"),
    tile_row=count("row of tiles that is on-chip"),
    tracks=count("whether tiles are looked at"),
    compares=count("whether their bounds say something about the test"),
    needs_z=count("whether the test needs the depth"),
    writes_depth=count("whether depth is written"),
)

EXPANSION: Final = Record(
    "codes of an ORDER with the look-ups and the tiles that are read again filled in",
    order=pointer("ORDER"),
    num_lanes=count("lanes of all groups; 0: nothing was looked up"),
    lane_first=pointer("(lanes,) uint32 first word of each lane's look-ups"),
    lane_count=pointer("(lanes,) uint32 words of them"),
    words=pointer("uint32"),
    out=pointer("uint32 codes, out"),
    room=count("codes that there is room for"),
)

FILTER: Final = Record(
    "accesses of the filter pass over rows of the screen from the top",
    first_row=count("row"),
    last_row=count("row behind the last"),
    width=count("pixels of a row of the screen"),
    pitch=count("stored pixels of a row of the sample buffer"),
    stored=count("samples of a stored pixel"),
    source=count("place of the sample buffer"),
    target=count("place of the frame buffer"),
    taps=pointer("(taps, 3) int64 stored pixel to the right, rows down, sample number"),
    num_taps=count("of them"),
    codes=pointer("uint32, out"),
)
