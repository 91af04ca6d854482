"""The records of the engine's native interface: how a draw travels from Python to compiled code and back.

A draw is a :data:`DRAW`, which refers to what it has in common with others: a :data:`PLAN` (program, textures,
fixed-function state), a :data:`STREAM` of vertices, the :data:`ATTRIBUTE` rows that it fetches. A :data:`BATCH`
executes draws one after the other; for each it fills a :data:`FRONT` (from shaded vertices to quads) and a :data:`JOB`
(from quads to pixels), which any number of threads work on, each with a :data:`THREAD`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from traceformat.native.records import Record, count, inline, pointer

__all__ = [
    "AREA_OFFSET",
    "ATTRIBUTE",
    "BATCH",
    "BLEND_DTYPE",
    "CHUNK_QUADS",
    "COLUMNS",
    "CONSTANTS",
    "CORNER_DTYPE",
    "DRAW",
    "FETCH",
    "FLOAT",
    "FRONT",
    "FRONT_COLUMNS",
    "GATHER",
    "INSTANCE_ID",
    "INT8",
    "INT16",
    "INT32",
    "INTERFACE",
    "JOB",
    "LISTING",
    "MAX_CUTS",
    "MERGE",
    "OUTPUT",
    "PIXELS",
    "PLAN",
    "POLYGON_DTYPE",
    "PROGRESS",
    "RECORD_ADDRESSES",
    "RECORD_COLUMNS",
    "RESULT",
    "SETUP_DTYPE",
    "STREAM",
    "TEST_DTYPE",
    "THREAD",
    "UINT8",
    "UINT16",
    "UINT32",
    "VERTEX_ID",
]

#: Quads that a thread takes at once: what belongs to them stays in the second-level cache.
CHUNK_QUADS: Final = 1024
#: Columns that the front writes, by table.
FRONT_COLUMNS: Final = {
    "vertices": ("index", "index_address", "instance", "path"),
    "primitives": ("draw", "kind", "vertex", "outcome", "front", "emitted_first", "emitted_count"),
    "emitted": (
        "primitive", "draw", "num_vertices", "x", "y", "z", "inv_w", "bounds", "attribute_first", "size",
    ),
    "attributes": ("value",),
    "quads": ("emitted", "x", "y", "coverage", "depth", "sample_coverage", "sample_depth", "raster_samples"),
}  # fmt: skip
#: Columns of the texture record.
RECORD_COLUMNS: Final = {
    "tex_ops": ("line_first", "line_count", "texels", "instruction"),
    "texture_lines": ("line", "lanes"),
}


def _columns(tables: dict[str, tuple[str, ...]]) -> Record:
    fields = {
        f"{table}_{key}": pointer(f"first row of {table}.{key}, 0 if it is not kept")
        for table, keys in tables.items()
        for key in keys
    }
    return Record("where the columns of FrameTrace's tables lie", **fields)


COLUMNS: Final = _columns(FRONT_COLUMNS)
RECORD_ADDRESSES: Final = _columns(RECORD_COLUMNS)

STREAM: Final = Record(
    "the vertices of a draw",
    num_rows=count("fetched vertices"),
    index=pointer("(rows,) uint32 vertex index"),
    instance=pointer("(rows,) uint32"),
    position=pointer("(rows,) int64 place of the index in the index array"),
    lane=pointer("(rows,) uint32 row of the shaded vertices"),
    num_lanes=count("shaded vertices"),
    run_first=pointer("(runs,) int64 first row of what is assembled together"),
    run_count=pointer("(runs,) int64 rows of it"),
    num_runs=count("runs"),
    lane_index=pointer("(lanes,) int64 vertex"),
    lane_instance=pointer("(lanes,) int64 instance"),
)

LISTING: Final = Record(
    "the vertices of a draw that are to be listed: one instance, without restart",
    stream=pointer("STREAM with its rows and memory for as many lanes"),
    indices=pointer("the first index"),
    index_bytes=count("of an index, 0: not indexed"),
    first=count("vertex, where there are no indices"),
    base_vertex=count("added to indices"),
    used=pointer("(used_words,) int32 working memory"),
    used_words=count("largest distance of two vertices, both included"),
)

#: Kinds of attributes.
FLOAT: Final = 0
INT8: Final = 1
UINT8: Final = 2
INT16: Final = 3
UINT16: Final = 4
INT32: Final = 5
UINT32: Final = 6
VERTEX_ID: Final = 7
INSTANCE_ID: Final = 8

ATTRIBUTE: Final = Record(
    "an attribute that a draw fetches",
    address=pointer("element 0"),
    available=count("elements that there are"),
    origin=count("number of element 0 (of client-side arrays)"),
    stride=count("bytes between elements"),
    kind=count("type: FLOAT and following"),
    size=count("components"),
    mode=count("1 normalized, 2 kept as integers"),
    divisor=count("instances an element; -1: all vertices read the same one"),
    row=count("first input row"),
    component=count("first component that it takes"),
    width=count("rows"),
)

FETCH: Final = Record(
    "a fetch of attributes",
    attributes=pointer("ATTRIBUTE rows"),
    num_attributes=count("of them"),
    base_instance=count("added where an attribute has a divisor"),
    lane_index=pointer("(lanes,) int64 vertex"),
    lane_instance=pointer("(lanes,) int64 instance"),
    num_lanes=count("lanes"),
    out=pointer("(num_rows, width) float32 input rows of the vertex stage"),
    num_rows=count("input rows"),
    width=count("lanes with padding"),
)

INTERFACE: Final = Record(
    "what lies between the stages of a program",
    output_rows=count("output rows of the vertex stage"),
    position_row=count("row of gl_Position, -1 if not written"),
    point_row=count("row of gl_PointSize, -1 where it does not count"),
    varying_rows=pointer("(4 * varyings,) int64 row of each component"),
    varying_flat=pointer("(varyings,) uint8 flat ones"),
    num_varyings=count("varyings"),
    plane_attribute=pointer("(planes,) int64 attribute of each plane equation"),
    plane_component=pointer("(planes,) int64 its component"),
    plane_mode=pointer("(planes,) uint8 how it is interpolated"),
    num_planes=count("plane equations of a primitive"),
    plane_words=count("32-bit words of them, header included"),
)

#: State of one draw's primitive set-up.
SETUP_DTYPE: Final = np.dtype(
    [
        ("scale", "<f4", 3),  # viewport: window = ndc * scale + translate
        ("translate", "<f4", 3),
        ("guard", "<f4", 2),  # clip |x| <= guard * w
        ("bounds", "<i4", 4),  # pixels that may be drawn: x0, y0, x1, y1, inclusive
        ("cull", "<i4"),  # bit 0: cull front, bit 1: cull back
        ("front_is_clockwise", "<i4"),
        ("offset", "<i4"),  # polygon offset on
        ("offset_factor", "<f4"),
        ("offset_units", "<f4"),  # units times the smallest resolvable difference of the depth format
        ("offset_exponent", "<i4"),  # 1: float depth, the smallest difference follows the largest z
        ("kind", "<i4"),  # PrimitiveKind
        ("line_width", "<f4"),
        ("discard", "<i4"),  # rasterizer discard
        ("multisample", "<i4"),  # bounds hold every pixel that is touched, not only covered centres
        ("whole_points", "<i4"),  # points are clipped by near and far only (GLES 2.0 §2.13), not by their centre
        ("depth_clamp", "<i4"),  # nothing is clipped by near and far; fragments' depth is clamped
        ("zero_to_one", "<i4"),  # the near plane is z >= 0, not z >= -w
        ("from_top", "<i4"),  # height of a target whose rows Mesa counts from the top (a window), else 0
    ]
)

#: Working memory of the clipper: a corner on the screen. Shaded vertices are such, for points and for triangles that
#: nothing is cut off from.
CORNER_DTYPE: Final = np.dtype(
    [
        ("window", "<f4", 4),  # window x, y, z and 1/w
        ("mesa_y", "<f4"),  # window y as Mesa counts it
        ("x", "<i4"),  # screen position, fixed point
        ("y", "<i4"),
        ("code", "<i4"),  # what it is outside of, see kernels.clip
    ]
)

#: A triangle cut by near, far, w, four guard planes and eight clip distances has at most 3 + 15 corners.
_MAX_CORNERS: Final = 18
#: Each plane makes two cuts at most.
MAX_CUTS: Final = 30
#: Working memory of the clipper: the primitive at hand, before and behind the plane that cuts it, and on the screen.
POLYGON_DTYPE: Final = np.dtype(
    [
        ("placed", CORNER_DTYPE, _MAX_CORNERS),  # comes first: corners that are not shaded vertices
        ("place", "<i8", _MAX_CORNERS),  # address of each corner's CORNER_DTYPE
        ("lane", "<i8", 3),  # shaded vertices
        ("current", "<i8"),  # which of the two is at hand
        ("planes", "<i8"),  # bit p: a vertex is outside of clip plane p
        ("corner", "<f4", (2, _MAX_CORNERS, 4)),  # clip coordinates
        ("weight", "<f4", (2, _MAX_CORNERS, 3)),  # weights of the primitive's vertices
        ("node", "<i8", (2, _MAX_CORNERS)),  # number of each corner: a vertex, or from 3 on a cut
        ("cuts", "<i8"),  # cuts that were made, in order
        ("cut_start", "<i8", MAX_CUTS),  # numbers of the corners that each one lies between
        ("cut_end", "<i8", MAX_CUTS),
        ("cut_part", "<f4", MAX_CUTS),  # how far it is from the one to the other
    ]
)

#: Blend state of one colour attachment; pairs are RGB, alpha.
BLEND_DTYPE: Final = np.dtype(
    [
        ("blend", "<i4"),
        ("equation", "<i4", 2),  # number in traceformat.gles.blend_codes
        ("source", "<i4", 2),  # factor codes, see kernels.blend
        ("destination", "<i4", 2),
        ("constant", "<f4", 4),
        ("write_mask", "<i4"),  # bit c: channel c is written
        ("requantize", "<i4"),  # bytes, and the format has channels of fewer bits
        ("store", "<i4"),  # how texels are kept, see STORE_BYTES and following
        ("bits", "<i4", 4),  # bits of a normalized or integer channel, of the mantissa of a float one; 0: there is none
    ]
)
# What a target keeps: bytes; bytes of which three are non-linear; float32; half; normalized; normalized with sign;
# floats without sign; integers with and without sign. From STORE_FLOAT on a texel is four numbers.
STORE_BYTES: Final = 0
STORE_SRGB: Final = 1
STORE_FLOAT: Final = 2
STORE_HALF: Final = 3
STORE_UNORM: Final = 4
STORE_SNORM: Final = 5
STORE_UFLOAT: Final = 6
STORE_INT: Final = 7
STORE_UINT: Final = 8

#: Depth and stencil state of one draw; pairs are front, back. Functions are GL enumerants minus GL_NEVER.
TEST_DTYPE: Final = np.dtype(
    [
        ("depth_test", "<i4"),
        ("depth_func", "<i4"),
        ("depth_write", "<i4"),
        ("stencil_test", "<i4"),
        ("stencil_func", "<i4", 2),
        ("stencil_ref", "<i4", 2),
        ("stencil_read_mask", "<i4", 2),
        ("stencil_write_mask", "<i4", 2),
        ("stencil_fail", "<i4", 2),  # see _stencil_op of kernels.fragment_tests
        ("stencil_depth_fail", "<i4", 2),
        ("stencil_depth_pass", "<i4", 2),
    ]
)

PIXELS: Final = Record(
    "quads whose pixels are tested or blended",
    num_quads=count("quads; what lies behind an odd number of them has no fragments"),
    x=pointer("(quads,) uint16"),
    y=pointer("(quads,) uint16"),
    mask=pointer("(quads,) uint8 fragments that arrive"),
    # Where to.
    plane=pointer("rows of texels: of depth, or of a colour"),
    plane_height=count("rows"),
    plane_width=count("texels of a row"),
    # Tests.
    test=pointer("row of TEST_DTYPE"),
    depth=pointer("(quads, 4) uint32"),
    stencil=pointer("(height, width) uint8"),
    stencil_height=count("rows"),
    stencil_width=count("texels of a row"),
    emitted=pointer("(quads,) uint32"),
    emitted_first=count("row of emitted that is row 0 of fronts"),
    fronts=pointer("(emitted,) uint8 facing"),
    passed=pointer("(quads,) uint8, out"),
    # Blending.
    blend=pointer("row of BLEND_DTYPE"),
    requantize=pointer("(4, 256) uint8 of narrow formats"),
    outputs=pointer("float32 rows of the fragment stage"),
    output_stride=count("bytes of such a row"),
    rows=pointer("(4,) int64 row of each channel; -1 reads 0, -2 reads 1"),
    color_bytes=count("bytes of a colour that is kept, see traceformat.gles.formats.source_bytes"),
)

OUTPUT: Final = Record(
    "a colour that draws write",
    code=pointer("machine code of blending"),
    rows=pointer("(4,) int64 output row of each channel"),
    blend=pointer("row of BLEND_DTYPE"),
    requantize=pointer("(4, 256) uint8 of narrow formats"),
    plane=pointer("(samples, height, width) texels"),
    plane_height=count("rows of the storage"),
    plane_width=count("texels of a row"),
    sample_bytes=count("from a plane to that of the next sample"),
    color_bytes=count("bytes of each fragment's colour that are kept"),
    color_code=pointer("machine code that keeps them, 0 if they are not wanted"),
)

MERGE: Final = Record(
    "where the pixels of draws go: their target, tests and blending",
    num_samples=count("of a pixel"),
    outputs=pointer("OUTPUT rows"),
    num_outputs=count("of them"),
    depth_row=count("output row of the depth, -1 if the shader writes none"),
    depth_bits=count("see PLAN"),
    alpha_row=count("output row of the alpha that becomes coverage, -1 where none does, -2 where it is 1"),
    mask_row=count("output row of gl_SampleMask, -1 where it does not count"),
    tests=count("whether fragments may fail the tests"),
    test_code=pointer("machine code of the tests"),
    test=pointer("row of TEST_DTYPE"),
    depth=pointer("(samples, height, width) uint32"),
    depth_height=count("rows of the depth's storage"),
    depth_width=count("texels of a row"),
    stencil=pointer("(samples, height, width) uint8"),
    stencil_height=count("rows of the stencil's storage"),
    stencil_width=count("texels of a row"),
)

PLAN: Final = Record(
    "what draws of one program with its textures and fixed-function state have in common",
    vertex_stage=pointer("machine code"),
    fragment_stage=pointer("machine code"),
    input_rows=count("input rows of the vertex stage"),
    interface=pointer("INTERFACE"),
    point_sizes=pointer("(3,) float32 least, largest, and that of points whose shader writes none"),
    depth_bits=count("of the target: 16, 24, 32, or 0 for the bits of a float"),
    merge=pointer("MERGE"),
    raster=pointer("front.raster, multisample.raster_samples; 0 where quads are not made here"),
    multisampled=count("whether the target has several samples a pixel"),
    sample_mask=count("samples that may be covered, bit s"),
    per_sample=count("whether each sample is shaded"),
    has_fragments=count("whether primitives reach the fragment stage"),
    shades=count("whether fragments are shaded and merged here"),
    records=count("whether texture accesses are kept"),
    tests_early=count("whether tests come before shading"),
    has_outputs=count("whether colours are written"),
    color_bytes=count("bytes of a fragment's colours that are kept"),
    straight=pointer("(16,) uint32 path of each coverage; 0 where paths have hashes or nobody wants them"),
    hashed=count("whether paths have hashes"),
    vertex_straight=pointer("the same of the vertex stage, whose coverage is 1"),
)

NUMBERING: Final = Record(
    "numbers of paths that stages without control flow take, given in the order in which they appear",
    next=count("row of paths that the next new one has"),
    is_on=count("whether all paths before have numbers; else new ones are left to Python"),
)

NUMBERED: Final = Record(
    "a path that has been given a number",
    straight=pointer("the paths of its stage, see PLAN"),
    coverage=count("its coverage"),
)

#: Bytes from a table with the address of one area to that area.
AREA_OFFSET: Final = 64

GATHER: Final = Record(
    "how a stage's constant area is filled from the packed constants",
    size=count("words of the area"),
    count=count("words that are filled, the others being zero"),
    area=pointer("(count,) int64 word of the area"),
    source=pointer("(count,) int64 word of the packed constants"),
)

CONSTANTS: Final = Record(
    "a constant area that is to be made",
    packed=pointer("packed constants"),
    packed_words=count("of them"),
    gather=pointer("GATHER"),
    table=pointer("where the area's address goes; the area follows AREA_OFFSET bytes behind"),
)

DRAW: Final = Record(
    "a draw",
    # What draws have in common as long as the state stays.
    plan=pointer("PLAN"),
    descriptors=pointer("addresses of the textures' descriptors"),
    vertex_path=count("row of paths"),
    # What differs.
    stream=pointer("STREAM"),
    attributes=pointer("ATTRIBUTE rows"),
    num_attributes=count("of them"),
    base_instance=count("added where an attribute has a divisor"),
    vertex_areas=pointer("addresses of the vertex stage's constant areas"),
    fragment_areas=pointer("addresses of the fragment stage's constant areas"),
    row=count("of draws"),
    vertex_first=count("first row of vertices"),
    primitive_first=count("first row of primitives"),
    num_primitives=count("that it assembles"),
    index_bytes=count("of an index, 0: not indexed"),
    index_address=count("of the first index in the modelled memory"),
    mode=count("GL's"),
    has_points=count("whether it draws points"),
    setup=pointer("row of SETUP_DTYPE"),
    # Vertices that are shaded already, which few draws have.
    outputs=pointer("(output rows, output_width) float32 of the vertex stage; 0: it is run here"),
    output_width=count("lanes with padding"),
    paths=pointer("(lanes,) uint32 path of each lane; 0: all have vertex_path"),
    distances=pointer("(lanes, num_distances) float32 clip distances"),
    num_distances=count("clip distances"),
    assembled=pointer("(primitives, 3) uint32 rows of the stream; 0: primitives are assembled here"),
    # Of draws whose fragments are identified.
    identity_seed=count("what stands for program, constants and textures"),
)

RESULT: Final = Record(
    "what is known of a draw when it is done",
    emitted_first=count("row of emitted"),
    num_emitted=count("rows"),
    quad_first=count("row of quads"),
    num_quads=count("rows"),
    planes_at=count("offset of its plane equations in the arena"),
    hash_first=count("first of its hashes"),
    path_missing=count("bit of each coverage whose path has no number yet; -1: paths have hashes"),
    num_fragments=count("covered"),
    passed=count("fragments that passed the tests"),
    color_first=count("first byte of its colours"),
)

FRONT: Final = Record(
    "the front of a draw: from shaded vertices to quads and plane equations",
    columns=inline(COLUMNS, "what it writes to"),
    # Room; the caller makes more where the kernel says that it lacks.
    emitted_room=count("rows"),
    attribute_room=count("rows"),
    quad_room=count("rows"),
    arena=pointer("free memory for what outlives the call: planes, then facings"),
    arena_bytes=count("of it"),
    # The draw.
    stream=pointer("STREAM"),
    interface=pointer("INTERFACE"),
    draw_row=count("row of draws"),
    vertex_first=count("first row of vertices"),
    primitive_first=count("first row of primitives"),
    emitted_first=count("first row of emitted"),
    attribute_first=count("first row of attributes"),
    quad_first=count("first row of quads"),
    num_primitives=count("primitives"),
    index_bytes=count("of an index, 0: not indexed"),
    index_address=count("of the first index in the modelled memory"),
    paths=pointer("(lanes,) uint32 path of each lane; 0: all have the same"),
    path=count("that path"),
    outputs=pointer("(output rows, output_width) float32 of the vertex stage"),
    output_width=count("lanes with padding"),
    distances=pointer("(lanes, num_distances) float32 clip distances"),
    num_distances=count("clip distances"),
    is_assembled=count("whether primitives are there already"),
    points=pointer("(lanes,) float32 sizes of points; 0: no points"),
    mode=count("GL's"),
    setup=pointer("row of SETUP_DTYPE"),
    point_sizes=pointer("(3,) float32, see PLAN"),
    multisampled=count("see PLAN"),
    sample_mask=count("see PLAN"),
    per_sample=count("see PLAN"),
    depth_bits=count("see PLAN"),
    has_fragments=count("see PLAN"),
    place_line=pointer("machine code; 0 as long as no lines are drawn"),
    clip_points=pointer("machine code; 0 as long as neither lines nor points are drawn"),
    line_planes=pointer("machine code; 0 as long as neither lines nor points are drawn"),
    # Working memory.
    polygon=pointer("row of POLYGON_DTYPE"),
    corners=pointer("(lanes,) CORNER_DTYPE"),
    window=pointer("(emitted, 3, 4) float32"),
    nodes=pointer("(emitted, 3) uint8 number of each corner, see POLYGON_DTYPE"),
    depth_plane=pointer("(emitted, 3) float64"),
    primitive=pointer("(emitted,) uint32 primitive of the draw"),
    clip=pointer("(lanes, 4) float32 clip coordinates"),
    primitives=pointer("(primitives, 3) uint32 rows of the stream"),
    # Out.
    needed=count("how much room lacks"),
    num_emitted=count("rows written"),
    num_quads=count("rows written"),
    num_fragments=count("covered"),
    planes_at=pointer("(emitted, plane words) float32"),
    fronts_at=pointer("(emitted,) uint8"),
    arena_used=count("bytes"),
)

JOB: Final = Record(
    "the fragments of a draw, for any number of threads",
    stage=pointer("machine code"),
    template=pointer("argument record of the stage, with all that is the same for every chunk"),
    progress=pointer("PROGRESS"),
    merge=pointer("MERGE"),
    pixels=pointer("PIXELS of what is tested or blended at the time"),
    num_quads=count("in all"),
    coverage=pointer("column of the draw's quads"),
    survives=pointer("column of the draw's quads"),
    emitted=pointer("column of the draw's quads"),
    x=pointer("column of the draw's quads"),
    y=pointer("column of the draw's quads"),
    depth=pointer("column of the draw's quads"),
    sample_coverage=pointer("column of the draw's quads; 0: one sample a pixel"),
    sample_depth=pointer("column of the draw's quads; 0: one sample a pixel"),
    raster_samples=pointer("column of the draw's quads; 0: one sample a pixel"),
    shader_depth=pointer("column of the draw's quads; 0: not wanted"),
    identity=pointer("column of the draw's quads; 0: not wanted"),
    colors=pointer("bytes of the colours, an output behind the other"),
    seen=pointer("(quads,) uint8 fragments that passed the tests; 0: these come behind shading"),
    hashes=pointer("(quads,) uint64 of paths; 0: not wanted"),
    tex_first=pointer("column of the draw's quads; 0: no texture record is kept"),
    tex_count=pointer("column of the draw's quads"),
    emitted_first=count("row of emitted that is row 0 of fronts"),
    fronts=pointer("(num_emitted,) uint8 facing"),
    num_emitted=count("primitives"),
    columns=inline(RECORD_ADDRESSES, "the texture record in the frame's tables"),
    ops_room=count("rows of tex_ops in all"),
    lines_room=count("rows of texture_lines in all"),
    # What each thread must have at least.
    record_rows=count("of its texture record"),
    output_rows=count("of its outputs"),
    scratch_bytes=count("of its scratch memory"),
)

PROGRESS: Final = Record(
    "how far the threads of a job are",
    claimed=count("chunks that somebody has taken"),
    done=count("chunks that are finished"),
    ops=count("rows of tex_ops"),
    lines=count("rows of texture_lines"),
    passed=count("fragments that passed the tests"),
    code=count("why they stopped, see kernels.shading; 0: they have not"),
    needed=count("how much lacked"),
    is_open=count("whether further threads may join"),
    num_inside=count("those that have joined"),
    is_running=count("whether a batch has jobs still"),
)

THREAD: Final = Record(
    "what a thread works in",
    job=pointer("JOB that it works on"),
    is_helper=count("how often it looks whether another thread has opened the job; 0: it runs the job itself"),
    arguments=pointer("argument record of a stage"),
    scratch=pointer("memory of stages"),
    scratch_bytes=count("of it"),
    record=pointer("TEXTURE_RECORD of the chunk at hand"),
    own=inline(RECORD_ADDRESSES, "texture record of chunks whose turn has not come"),
    record_rows=count("of ops in it; it has LINES_PER_OP times as many lines"),
    outputs=pointer("(output_rows, output_width) float32 of the fragment stage"),
    output_rows=count("of it"),
    output_width=count("lanes of it"),
    arriving=pointer("(chunk quads,) uint8 fragments that a sample covers"),
    depth=pointer("(chunk quads, 4) uint32 depth of a sample, or that the shader wrote"),
    tested=pointer("(chunk quads,) uint8"),
)

BATCH: Final = Record(
    "draws that are executed one after the other",
    # The draws.
    draws=pointer("DRAW rows"),
    results=pointer("RESULT rows"),
    count=count("draws"),
    front=pointer("FRONT"),
    job=pointer("JOB"),
    thread=pointer("THREAD"),
    keeps=count("whether tables keep the rows of every draw; else each draw's take the place of the last one's"),
    # Where it is.
    at=count("draw at hand"),
    phase=count("of the draw at hand, see kernels.batch"),
    needed=count("how much of what is lacking"),
    emitted_rows=count("rows that there are"),
    attribute_rows=count("rows that there are"),
    quad_rows=count("rows that there are"),
    op_rows=count("rows that there are"),
    line_rows=count("rows that there are"),
    color_rows=count("bytes that there are"),
    hashes_used=count("hashes of the draws so far"),
    arena_used=count("bytes of the arena that are taken"),
    constants=pointer("CONSTANTS of areas to be made before the first draw"),
    num_constants=count("of them"),
    touched_x0=count("first column that primitives of the batch may cover"),
    touched_y0=count("first row"),
    touched_x1=count("column behind the last one"),
    touched_y1=count("row behind the last one"),
    num_numbered=count("NUMBERED that there are"),
    # What there is room for.
    emitted_capacity=count("rows in all"),
    attribute_capacity=count("rows in all"),
    quad_capacity=count("rows in all"),
    color_capacity=count("bytes in all"),
    work_rows=count("emitted primitives that the front has working memory for"),
    points=pointer("sizes of points by lane"),
    primitives=pointer("working memory for primitives"),
    seen=pointer("fragments that passed the tests, a byte a quad"),
    seen_bytes=count("of it"),
    hashes=pointer("hashes of paths"),
    hash_words=count("of them"),
    arena=pointer("plane equations"),
    arena_bytes=count("of it"),
    survives=pointer("column of quads"),
    tex_first=pointer("column of quads, 0 if not kept"),
    tex_count=pointer("column of quads, 0 if not kept"),
    quad_paths=pointer("column of quads, 0 if not kept"),
    shader_depth=pointer("column of quads, 0 if not kept"),
    identity=pointer("column of quads, 0 if not kept"),
    colors=pointer("bytes of color_data, 0 if not kept"),
    # Memory of the vertex stage and arguments of both.
    inputs=pointer("float32 rows"),
    outputs=pointer("float32 rows"),
    coverage=pointer("which lanes there are"),
    stage_scratch=pointer("memory of stages"),
    vertex_arguments=pointer("argument record"),
    template=pointer("argument record of the fragment stage"),
    fetching=pointer("FETCH"),
    loop_iterations=count("guard: of a group"),
    draw_iterations=count("guard: of a draw"),
    numbering=pointer("NUMBERING"),
    numbered=pointer("NUMBERED rows"),
    numbered_rows=count("that there is room for"),
    # Kernels of the other modules, by address.
    fetch=pointer("fetch.fetch_attributes"),
    read_vertices=pointer("front.read_vertices"),
    clip=pointer("front.clip"),
    attributes=pointer("front.attributes"),
    planes=pointer("front.planes"),
    test_early=pointer("shading.test_early"),
    run_job=pointer("shading.run_job"),
)
