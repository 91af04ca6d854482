"""FrameTrace: the contract between function and time (GPU trace, schema 2).

One FrameTrace holds everything about one frame that a timing model needs and nothing that depends on a GPU
configuration: no tiles, no rendering order, no depth-test outcome. It is a set of *tables*; each table is a
set of equally long numpy columns, declared in :data:`SCHEMA` with their meaning. Index columns named
``X_first``/``X_count`` refer to a range of rows of table ``X``. All coordinates have their origin at the
bottom left. A consumer names the columns that it needs (:class:`ColumnSet`); a producer fills only those
(the others are absent, and reading one raises :class:`KeyError` with its name).

Conventions
-----------
* Frame-local indices everywhere, except ids that must be stable across frames: ``objects.id``,
  ``texture_bindings.texture``/``version``, ``programs.id`` and all addresses.
* A quad is a 2x2 block of fragments; fragment ``f`` of a quad has x = 2*quad.x + (f & 1),
  y = 2*quad.y + (f >> 1); bit ``f`` of a four-bit mask belongs to it.
* GL enumerants are stored by their GL value (uint16/uint32).
* Screen positions are fixed point with :data:`SUBPIXEL_BITS` fractional bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag, StrEnum
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from traceformat.gles import enums as gl

__all__ = [
    "ALL_COLUMNS",
    "LINE_BYTES",
    "MAX_COLOR_ATTACHMENTS",
    "MODEL_COLUMNS",
    "PASS_TABLES",
    "SAMPLE_COLUMNS",
    "SCHEMA",
    "SCHEMA_VERSION",
    "SOURCE_COLUMNS",
    "SRGB_BIT",
    "STAGES",
    "SUBPIXEL_BITS",
    "VERIFY_COLUMNS",
    "Column",
    "ColumnSet",
    "DrawFlags",
    "EventKind",
    "FrameRole",
    "FrameRule",
    "FrameTrace",
    "InstructionKind",
    "LoadOp",
    "MemoryMap",
    "ObjectRule",
    "Outcome",
    "PassContent",
    "PassSource",
    "PrimitiveKind",
    "StoreOp",
    "Table",
    "quantize_depth",
]

SCHEMA_VERSION: Final = 2
#: Fractional bits of screen positions (GLES 3.0 §2.13 asks for at least 4; Mesa's llvmpipe has 8).
SUBPIXEL_BITS: Final = 8
#: Bit of a colour mask (``draws.output_mask``, ``pass_events.color_mask``): the target converts colours to sRGB.
SRGB_BIT: Final = 16
#: Bytes of a line in ``texture_lines``: the cache line of every preset (VRO Table 2, RE Table I, thesis Table 4.1).
LINE_BYTES: Final = 64
MAX_COLOR_ATTACHMENTS: Final = 8


class LoadOp(IntEnum):
    """What a pass finds in an attachment when it begins."""

    DONT_CARE = 0
    CLEAR = 1
    LOAD = 2


class StoreOp(IntEnum):
    """What a pass leaves in an attachment when it ends."""

    DONT_CARE = 0
    STORE = 1


class EventKind(IntEnum):
    """What happens in a pass, in order."""

    DRAW = 0
    CLEAR = 1
    BLIT = 2
    RESOLVE = 3
    COPY = 4
    INVALIDATE = 5
    READBACK = 6
    MIPMAP = 7
    UPLOAD = 8
    #: Lines of storage blocks, counters and images that a draw or dispatch has read and written.
    STORAGE = 9


class PrimitiveKind(IntEnum):
    """Number of vertices of the assembled primitive."""

    POINT = 1
    LINE = 2
    TRIANGLE = 3


class Outcome(IntEnum):
    """What became of an assembled primitive."""

    EMITTED = 0
    CULLED_FACE = 1
    CULLED_FRUSTUM = 2
    CULLED_ZERO_AREA = 3
    CULLED_NOT_FINITE = 4
    RASTERIZER_DISCARD = 5


class ObjectRule(IntEnum):
    """Where an object id comes from, in order of precedence (DESIGN §3.3)."""

    DEBUG_GROUP = 0
    OBJECT_LABEL = 1
    BINDINGS = 2


class FrameRule(IntEnum):
    """What ended the frame (DESIGN §3.2)."""

    MARKER = 0
    SWAP = 1
    FINISH = 2
    READ_PIXELS = 3
    PROGRAM_END = 4


class FrameRole(StrEnum):
    """What a frame is there for; sums, means and verdicts are of the measured ones alone."""

    MEASURED = "measured"
    #: Modelled before the range that was asked for, so that caches and techniques have their history.
    WARM_UP = "warm-up"
    #: Makes what later frames use and shows nothing: the frame in front of a trimmed trace.
    SET_UP = "set-up"


class InstructionKind(IntEnum):
    """Kinds of shader instructions, for issue counts and energy."""

    ALU = 0
    TRANSCENDENTAL = 1
    MOVE = 2
    TEXTURE = 3
    CONTROL = 4
    KILL = 5


class DrawFlags(IntFlag):
    """Properties of a draw that decide what hardware may do with it."""

    DISCARDS = 1
    WRITES_DEPTH = 2
    READS_FRAMEBUFFER = 4
    #: Shaders or textures were (re)loaded before this draw: RE's unsigned change (RE §III).
    RELOADED = 8
    READS_POSITION = 16
    READS_DERIVATIVES = 32
    #: The fragment shader reads or writes storage, images or counters.
    SIDE_EFFECTS = 64
    #: More than 4,096 distinct paths: counts per path row only, texture instructions spread evenly.
    PATHS_FALLBACK = 128
    #: The fragment shader reads gl_PrimitiveID.
    READS_PRIMITIVE = 256
    #: Of a draw with SIDE_EFFECTS: fragments that fail their tests have none, so that they may be tested first.
    EARLY_TESTS = 512
    #: Each sample is shaded: a quad comes once for each one that it covers.
    SHADES_SAMPLES = 1024
    #: A stage before the rasterizer writes storage, images or counters: vertices are neither added nor moved.
    VERTEX_EFFECTS = 2048


#: What the numbers of ``programs.stage`` mean. An invocation of a tessellation or geometry stage is a row of
#: ``vertices`` behind the draw's fetched ones, without index and fetches: its path is of a program of that stage.
STAGES: Final = ("vertex", "fragment", "geometry", "tess_control", "tess_evaluation")


class MemoryMap:
    """Base addresses of the one documented memory map (bytes).

    Regions are 64 GiB apart, so that no two clients can meet; the model allocates its own buffers (Parameter,
    Frame, Graph Buffer ...) at and above ``MODEL``. Frame buffers of the application's render targets lie in
    ``RENDER_TARGETS``. Addresses within a region are handed out in order of creation, aligned to 4 KiB,
    so that they are a function of the trace alone.
    """

    REGION_BYTES: Final = 1 << 36
    CODE: Final = 0 << 36
    CONSTANTS: Final = 1 << 36
    VERTEX: Final = 2 << 36
    INDEX: Final = 3 << 36
    TEXTURES: Final = 4 << 36
    RENDER_TARGETS: Final = 5 << 36
    MODEL: Final = 8 << 36


@dataclass(frozen=True, slots=True)
class Column:
    """One column; what :mod:`.check` holds files to is derived from here.

    Parameters
    ----------
    dtype : of an element, little-endian
    help : its meaning
    shape : of one row's entry
    optional : a producer may leave it out
    refers : table that entries are rows of; of a column ``X_first``, with ``X_count`` rows behind it
    none : entry that refers to nothing
    within : lowest and highest entry that the model computes with
    """

    dtype: str
    help: str
    shape: tuple[int, ...] = ()
    optional: bool = False
    refers: str = ""
    none: int | None = None
    within: tuple[int, int] | None = None


def _c(dtype: str, help: str, *shape: int, optional: bool = False, within: tuple[int, int] | None = None) -> Column:
    return Column(dtype, help, tuple(shape), optional, within=within)


def _row(table: str, *shape: int, dtype: str = "<u4", help: str = "", none: int | None = None) -> Column:
    """Column of rows of a table."""
    return Column(dtype, help or f"row of {table}", tuple(shape), refers=table, none=none)


def _first(table: str, *shape: int, dtype: str = "<u4", help: str = "") -> Column:
    """Column of first rows in a table."""
    return Column(dtype, help or f"first row of {table}", tuple(shape), refers=table)


_A = MAX_COLOR_ATTACHMENTS
#: What the model has room for.
_SIDE: Final = (1, 16384)
_ADDRESS: Final = (0, (1 << 46) - 1)
_PER_VERTEX: Final = (0, 64)

#: Every table and column of schema 2; schema 1 has the same, but no passes that travel alone. The byte order of the
#: dtypes is the file's (little-endian).
SCHEMA: Final[Mapping[str, Mapping[str, Column]]] = {
    "passes": {
        "framebuffer": _c("<u4", "GL name of the framebuffer object, 0 = default framebuffer"),
        "context": _c("<u4", "context that made it"),
        "width": _c("<i4", "pixels", within=_SIDE),
        "height": _c("<i4", "pixels", within=_SIDE),
        "samples": _c("<u1", "samples a pixel, 1 when not multisampled"),
        "num_colors": _c("<u1", "colour attachments; draw buffer k writes attachment k", within=(0, _A)),
        "color_address": _c("<u8", "base address of each colour attachment", _A, within=_ADDRESS),
        "color_format": _c("<u4", "GL internal format of each colour attachment, 0 = none", _A),
        "color_bytes": _c("<u1", "bytes a pixel (and sample) of each colour attachment", _A),
        "color_load": _c("<u1", "LoadOp", _A),
        "color_store": _c("<u1", "StoreOp", _A),
        "clear_color": _c("<f4", "value of LoadOp.CLEAR, as given to glClear*; integer formats: bit pattern", _A, 4),
        "depth_address": _c("<u8", "base address of the depth (or packed depth-stencil) attachment", within=_ADDRESS),
        "depth_format": _c("<u4", "GL internal format of the depth attachment, 0 = none"),
        "depth_bytes": _c("<u1", "bytes a pixel (and sample) in memory"),
        "depth_load": _c("<u1", "LoadOp"),
        "depth_store": _c("<u1", "StoreOp"),
        "clear_depth": _c("<u4", "value of LoadOp.CLEAR in the target's depth format, see quantize_depth"),
        "stencil_bits": _c("<u1", "0 or 8"),
        "stencil_load": _c("<u1", "LoadOp"),
        "stencil_store": _c("<u1", "StoreOp"),
        "clear_stencil": _c("<u1", "value of LoadOp.CLEAR"),
        "event_first": _first("events"),
        "event_count": _c("<u4", "rows of events"),
        "draw_first": _first("draws"),
        "draw_count": _c("<u4", "rows of draws"),
        "read_first": _first("pass_reads"),
        "read_count": _c("<u4", "rows of pass_reads"),
        "transfer_read_bytes": _c(
            "<u8", "bytes read by copies, blits, readbacks and mipmap generation around the pass", within=_ADDRESS
        ),
        "transfer_write_bytes": _c(
            "<u8", "bytes written by copies, blits, uploads and mipmap generation around the pass", within=_ADDRESS
        ),
        "content_matches": _c("<u1", "1 when the loaded contents are those that the modelled passes produced"),
    },
    "pass_reads": {"pass": _row("passes", help="an earlier pass of this frame whose targets the pass reads")},
    "events": {
        "pass": _row("passes"),
        "kind": _c("<u1", "EventKind"),
        "call": _c("<u8", "number of the call"),
        "draw": _row("draws", dtype="<i4", help="row of draws, -1 = none", none=-1),
        "x": _c("<i4", "rectangle, pixels"),
        "y": _c("<i4", "rectangle, pixels"),
        "width": _c("<i4", "rectangle, pixels"),
        "height": _c("<i4", "rectangle, pixels"),
        "buffers": _c("<u4", "affected: bit k = colour attachment k, bit 16 = depth, bit 17 = stencil"),
        "color_mask": _c("<u1", "clears: RGBA write mask, bit 0 = red; bit 4: sRGB targets convert the colour"),
        "stencil_mask": _c("<u1", "clears: stencil write mask"),
        "clear_color": _c("<f4", "clears: colour, as given", 4),
        "clear_depth": _c("<u4", "clears: depth in the target's format"),
        "clear_stencil": _c("<u1", "clears: stencil"),
        "read_bytes": _c("<u8", "bytes read from memory"),
        "write_bytes": _c("<u8", "bytes written to memory"),
    },
    "draws": {
        "call": _c("<u8", "number of the call"),
        "pass": _row("passes"),
        "object": _row("objects"),
        "mode": _c("<u2", "GL primitive mode"),
        "flags": _c("<u4", "DrawFlags"),
        "vertex_first": _first("vertices"),
        "vertex_count": _c("<u4", "rows of vertices"),
        "primitive_first": _first("primitives"),
        "primitive_count": _c("<u4", "rows of primitives"),
        "emitted_first": _first("emitted"),
        "emitted_count": _c("<u4", "rows of emitted"),
        "quad_first": _first("quads"),
        "quad_count": _c("<u4", "rows of quads"),
        "instance_count": _c("<u4", "instances"),
        "index_bytes": _c("<u1", "bytes an index, 0 = not indexed"),
        "num_attributes": _c(
            "<u1",
            "A: vec4 attributes of a vertex in the Parameter Buffer, attribute 0 is the position",
            within=_PER_VERTEX,
        ),
        "depth_test": _c("<u1", "bool"),
        "depth_write": _c("<u1", "bool (false when the test is off)"),
        "depth_func": _c("<u2", "GL compare function"),
        "stencil_test": _c("<u1", "bool"),
        "stencil_func": _c("<u2", "front, back", 2),
        "stencil_ref": _c("<u1", "front, back", 2),
        "stencil_read_mask": _c("<u1", "front, back", 2),
        "stencil_write_mask": _c("<u1", "front, back", 2),
        "stencil_fail": _c("<u2", "front, back", 2),
        "stencil_depth_fail": _c("<u2", "front, back", 2),
        "stencil_depth_pass": _c("<u2", "front, back", 2),
        "blend": _c("<u1", "bool"),
        "blend_equation": _c("<u2", "RGB, alpha", 2),
        "blend_source": _c("<u2", "RGB, alpha", 2),
        "blend_destination": _c("<u2", "RGB, alpha", 2),
        "blend_color": _c("<f4", "blend constant", 4),
        "color_mask": _c("<u1", "RGBA write mask, bit 0 = red"),
        "draw_buffers": _c("<u1", "bit k: attachment k is written by this draw"),
        "cull_face": _c("<u2", "GL_FRONT/BACK/FRONT_AND_BACK, 0 = culling off"),
        "front_face": _c("<u2", "GL_CW or GL_CCW"),
        "scissor_test": _c("<u1", "bool"),
        "scissor": _c("<i4", "x, y, width, height", 4),
        "viewport": _c("<i4", "x, y, width, height", 4),
        "depth_range": _c("<f4", "near, far", 2),
        "alpha_to_coverage": _c("<u1", "bool"),
        "query_active": _c("<u1", "bool: an occlusion query counts this draw's fragments"),
        "vertex_program": _row("programs"),
        "fragment_program": _row("programs"),
        "fetch_first": _first("vertex_fetches"),
        "fetch_count": _c("<u4", "rows of vertex_fetches, by address", within=_PER_VERTEX),
        "texture_first": _first("texture_bindings"),
        "texture_count": _c("<u4", "rows of texture_bindings"),
        "constant_first": _first("constants", 2, help="first row of constants: vertex stage, fragment stage"),
        "constant_count": _c("<u4", "rows of constants (4-byte words) of all live uniforms: vertex, fragment", 2),
        "constants_new_bytes": _c("<u4", "bytes newly set since the previous draw: vertex, fragment", 2),
        "color_first": _first(
            "color_data", _A, dtype="<u8", help="first byte in color_data of each attachment's fragments of this draw"
        ),
        "output_blend": _c(
            "<u2",
            "of each attachment: blend on, equation RGB, alpha, source RGB, alpha, destination RGB, alpha",
            *(_A, 7),
            optional=True,
        ),
        "output_mask": _c(
            "<u1", "of each attachment: RGBA write mask, bit 0 = red; bit 4: converted to sRGB", _A, optional=True
        ),
        "sample_state": _c(
            "<u4",
            "bit s: sample s may be covered; bit 16: alpha becomes 1; bit 17: varyings are of samples",
            optional=True,
        ),
    },
    "objects": {
        "id": _c("<u4", "stable across the frames of a trace"),
        "rule": _c("<u1", "ObjectRule"),
        "label": _c("<u4", "index into FrameTrace.labels"),
    },
    "programs": {
        "id": _c("<u4", "GL name of the program"),
        "version": _c("<u4", "times it was linked"),
        "stage": _c("<u1", "row of STAGES"),
        "code_address": _c("<u8", "in MemoryMap.CODE"),
        "num_instructions": _c("<u4", "static length"),
        "num_alu": _c("<u4", "static ALU instructions without moves"),
        "num_tex": _c("<u4", "static texture instructions"),
        "block_first": _first("blocks"),
        "block_count": _c("<u4", "rows of blocks"),
        "source": _c("<u4", "index into FrameTrace.labels: text of the shader", optional=True),
        "registers": _c("<u4", "of four 32-bit components that are live at once at most", optional=True),
    },
    "blocks": {
        "instruction_first": _first("instructions"),
        "instruction_count": _c("<u4", "rows of instructions"),
    },
    "instructions": {
        "kind": _c("<u1", "InstructionKind", within=(0, max(InstructionKind))),
        "texture": _c("<i2", "number of the texture instruction in its program, -1 = none"),
        "line": _c("<u4", "line of the shader's text that asks for it, from 1; 0 = none", optional=True),
    },
    "paths": {
        "program": _row("programs"),
        "step_first": _first("path_steps"),
        "step_count": _c("<u4", "rows of path_steps; 0 for a fallback path with counts only"),
        "issued": _c("<u4", "instructions issued for the quad (or vertex), by InstructionKind", 6),
        "executed": _c("<u4", "instructions times active lanes, helper lanes not counted, by InstructionKind", 6),
    },
    "path_steps": {
        "block": _row("blocks"),
        "active": _c("<u1", "active lanes of the quad, helper lanes among them (a vertex has lane 0 only)"),
        "helper": _c("<u1", "those of them that are helper lanes"),
    },
    "vertices": {
        "index": _c("<u4", "vertex index after base and restart, as fetched"),
        "index_address": _c("<u8", "where the index lies, 0 = draw not indexed", within=_ADDRESS),
        "instance": _c("<u4", "instance number"),
        "path": _row("paths"),
    },
    "vertex_fetches": {
        "address": _c("<u8", "address of the attribute of vertex 0", within=_ADDRESS),
        "stride": _c("<u4", "bytes between vertices (or instances)"),
        "bytes": _c("<u4", "bytes fetched a vertex", within=(0, 4096)),
        "divisor": _c("<u4", "0 = per vertex; else address advances each `divisor` instances"),
        "location": _c("<u1", "attribute location"),
    },
    "texture_bindings": {
        "unit": _c("<u1", "texture unit"),
        "target": _c("<u2", "GL target"),
        "texture": _c("<u4", "GL name"),
        "version": _c("<u4", "content version: rises with every change of the texels"),
        "address": _c("<u8", "base address in MemoryMap.TEXTURES or RENDER_TARGETS"),
        "format": _c("<u4", "GL internal format"),
        "width": _c("<u4", "level 0, texels"),
        "height": _c("<u4", "level 0, texels"),
        "depth": _c("<u4", "level 0, layers"),
        "levels": _c("<u1", "mip levels present"),
        "sampler": _c("<u8", "64-bit identity of the texture object, its parameters and the sampler's"),
        "min_filter": _c("<u2", "GL enum"),
        "mag_filter": _c("<u2", "GL enum"),
    },
    "constants": {
        "word": _c("<u4", "four bytes of a live uniform, in the program's own order"),
        "is_new": _c("<u1", "set since the previous draw"),
    },
    "primitives": {
        "draw": _row("draws"),
        "kind": _c("<u1", "PrimitiveKind"),
        "vertex": _row("vertices", 3, help="rows of vertices; unused entries repeat the last"),
        "outcome": _c("<u1", "Outcome"),
        "front": _c("<u1", "1 = front facing"),
        "emitted_first": _first("emitted"),
        "emitted_count": _c("<u1", "rows of emitted (clipping can give several)"),
    },
    "emitted": {
        "primitive": _row("primitives"),
        "draw": _row("draws"),
        "num_vertices": _c("<u1", "1 point, 2 line, 3 triangle"),
        "x": _c("<i4", "screen x, fixed point", 3),
        "y": _c("<i4", "screen y, fixed point", 3),
        "z": _c("<f4", "window depth in 0..1", 3),
        "inv_w": _c("<f4", "1/w of each vertex", 3),
        "bounds": _c("<i2", "x0, y0, x1, y1: covered pixels lie within, inclusive, after scissor; x1 < x0 = none", 4),
        "attribute_first": _first("attributes", help="first row of attributes: A x 3 rows, attribute-major"),
        "size": _c("<f4", "point size or line width in pixels"),
    },
    "attributes": {"value": _c("<f4", "one vec4 of one vertex as the Parameter Buffer stores it", 4)},
    "quads": {
        "emitted": _row("emitted", help="row of emitted; quads are in its order"),
        "x": _c("<u2", "x / 2"),
        "y": _c("<u2", "y / 2"),
        "coverage": _c("<u1", "rasterized fragments, bit f; any sample covered"),
        "survives": _c("<u1", "fragments that the shader does not discard, bit f"),
        "depth": _c("<u4", "of each fragment in the target's depth format, see quantize_depth", 4),
        "path": _row("paths"),
        "tex_first": _first("tex_ops"),
        "tex_count": _c("<u2", "rows of tex_ops: texture instructions executed, in order"),
        "sample_coverage": _c("<u2", "multisampled: bit 4f+s = sample s of fragment f", optional=True),
        "sample_depth": _c("<u4", "multisampled: depth of sample s of fragment f at 4f+s", 16, optional=True),
        "raster_samples": _c("<u2", "multisampled: sample_coverage before the shader had its say", optional=True),
        "shader_depth": _c("<u4", "depth written by the shader, in the target's format", 4, optional=True),
        "identity": _c(
            "<u8", "64-bit identity of each fragment's inputs without position (Fragment Memoization)", 4, optional=True
        ),
        "identity_excluded": _c("<u1", "bit f: position, explicit derivatives or side effects enter", optional=True),
    },
    "color_data": {
        "byte": _c(
            "<u1",
            "colours before blending: quad-major, four fragments each, as blending takes them: R8 G8 B8 A8 for targets "
            "of at most 8 bits a channel, float32 RGBA for wider and sRGB ones, integers in the target's format "
            "(see traceformat.gles.formats.source_bytes)",
        )
    },
    "tex_ops": {
        "line_first": _first("texture_lines"),
        "line_count": _c("<u1", "rows of texture_lines: distinct lines that this instruction touches"),
        "texels": _c("<u1", "texels read by each lane", 4),
        "instruction": _c("<u2", "number of the texture instruction in its program"),
    },
    "texture_lines": {
        "line": _c("<u4", "address / LINE_BYTES - MemoryMap.TEXTURES / LINE_BYTES"),
        "lanes": _c("<u1", "lanes that touch it"),
    },
}


#: Tables whose rows belong to one pass each. Where passes travel one by one (:mod:`.passes`), their rows are counted
#: from the pass's first; those of the others are the frame's, which are announced before its first pass.
PASS_TABLES: Final = (
    "vertices", "primitives", "emitted", "attributes", "quads", "tex_ops", "texture_lines", "color_data",
)  # fmt: skip


#: Columns of quads in frames with multisampled passes.
SAMPLE_COLUMNS: Final = ("sample_coverage", "sample_depth", "raster_samples")


class ColumnSet(frozenset[str]):
    """The columns a consumer asks for, as ``"table.column"``; a table's name stands for all of its required columns."""

    def __new__(cls, names: Iterable[str]) -> ColumnSet:
        """Expand table names and check every name; raises KeyError naming the first unknown one."""
        out: set[str] = set()
        for name in names:
            table, _, column = name.partition(".")
            if table not in SCHEMA or (column and column not in SCHEMA[table]):
                raise KeyError(name)
            if column:
                out.add(name)
            else:
                out.update(f"{table}.{key}" for key, spec in SCHEMA[table].items() if not spec.optional)
        return super().__new__(cls, out)

    def wants(self, table: str) -> bool:
        """Tell whether any column of the table is asked for."""
        return any(name.startswith(table + ".") for name in self)


#: All required columns.
ALL_COLUMNS: Final = ColumnSet(SCHEMA)
#: What a recomposition of the pixels needs beside what the timing model does.
VERIFY_COLUMNS: Final = ColumnSet(("color_data.byte", "draws.output_blend", "draws.output_mask"))
#: Where in the text of shaders instructions are.
SOURCE_COLUMNS: Final = ColumnSet(("programs.source", "programs.registers", "instructions.line"))
#: What the timing model needs: everything but the colours.
MODEL_COLUMNS: Final = ColumnSet(name for name in ALL_COLUMNS if not name.startswith("color_data."))


class Table(Mapping[str, NDArray[Any]]):
    """Equally long columns of one table; ``table["column"]`` is the numpy array itself."""

    __slots__ = ("_columns", "name")

    def __init__(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        self.name = name
        self._columns = dict(columns)

    def __getitem__(self, key: str) -> NDArray[Any]:
        """Give the column; raises KeyError ``table.column`` if the producer did not fill it."""
        try:
            return self._columns[key]
        except KeyError:
            raise KeyError(f"{self.name}.{key}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of columns present; see ``num_rows``."""
        return len(self._columns)

    @property
    def num_rows(self) -> int:
        """Rows of the table."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    @property
    def nbytes(self) -> int:
        """Bytes of the columns that there are."""
        return sum([column.nbytes for column in self._columns.values()])


class PassSource(Protocol):
    """Where the passes of a frame are."""

    def load(self, index: int) -> PassContent:
        """Give a pass; the same one while somebody holds it."""


@dataclass(slots=True, weakref_slot=True)
class PassContent:
    """What of a frame belongs to one pass.

    Parameters
    ----------
    tables : PASS_TABLES, rows counted from the pass's first
    pixels, contents : of each colour attachment, as in :class:`FrameTrace`
    """

    tables: dict[str, Table]
    pixels: list[NDArray[np.uint8]]
    contents: list[NDArray[np.uint8] | None]


@dataclass(slots=True)
class FrameTrace:
    """One frame as the GPU would see it; see the module docstring.

    Parameters
    ----------
    frame : number of the frame, from 0
    width, height : of the picture, pixels
    rule : what ended the frame
    tables : every table of SCHEMA, in its order
    labels : texts that ``objects.label`` and ``programs.source`` refer to
    pixels : for each pass and colour attachment the bytes at the pass's end, ``(height, width, bytes)`` uint8, row 0
        at the bottom
    contents : for each pass and colour attachment the bytes that it begins with, as ``pixels``, where it does not
        begin with a clear and no pass of this frame made them; None elsewhere. Empty unless ``color_data`` is there
    picture : the frame's picture, ``(height, width, 4)`` uint8 RGBA, row 0 at the bottom; those of the engine are
        read-only, since the memory of one is used for the next
    role : what the frame is there for
    index : of a pass that travels alone, its row of ``passes``: ``tables`` has its rows of PASS_TABLES alone, and
        ``pixels`` and ``contents`` its own; None of a whole frame
    whole : of such a pass, its frame
    """

    frame: int
    width: int
    height: int
    rule: FrameRule
    tables: MutableMapping[str, Table]
    labels: list[str] = field(default_factory=list)
    pixels: Sequence[list[NDArray[np.uint8]]] = field(default_factory=list)
    contents: Sequence[list[NDArray[np.uint8] | None]] = field(default_factory=list)
    picture: NDArray[np.uint8] | None = None
    role: FrameRole = FrameRole.MEASURED
    index: int | None = None
    whole: FrameTrace | None = None

    @property
    def head(self) -> FrameTrace:
        """The frame that a pass is of; of a frame itself."""
        return self.whole or self

    def __getitem__(self, table: str) -> Table:
        """Give a table by name."""
        return self.tables[table]

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Mapping[str, NDArray[Any]]],
        *,
        frame: int,
        width: int,
        height: int,
        rule: FrameRule,
        labels: list[str] | None = None,
    ) -> FrameTrace:
        """Build and check a frame; tables that are not given are empty.

        Raises
        ------
        ValueError : a name, dtype, shape or length does not fit the schema
        """
        for name in columns:
            if name not in SCHEMA:
                raise ValueError(f"unknown table {name}")
        tables: dict[str, Table] = {}
        for name, spec in SCHEMA.items():
            given = columns.get(name)
            if given is None:
                tables[name] = Table(
                    name,
                    {
                        k: np.zeros((0, *column.shape), column.dtype)
                        for k, column in spec.items()
                        if not column.optional
                    },
                )
                continue
            tables[name] = Table(name, given)
            lengths = set()
            for key, array in given.items():
                if key not in spec:
                    raise ValueError(f"unknown column {name}.{key}")
                if array.dtype != np.dtype(spec[key].dtype) or array.shape[1:] != spec[key].shape:
                    raise ValueError(
                        f"{name}.{key} is {array.dtype}{array.shape[1:]}, not {spec[key].dtype}{spec[key].shape}"
                    )
                lengths.add(len(array))
            if len(lengths) > 1:
                raise ValueError(f"columns of {name} differ in length: {sorted(lengths)}")
        return cls(frame, width, height, rule, tables, labels or [])


_DEPTH_BITS: Final[Mapping[int, int]] = {
    gl.GL_DEPTH_COMPONENT16: 16,
    gl.GL_DEPTH_COMPONENT24: 24,
    gl.GL_DEPTH24_STENCIL8: 24,
    gl.GL_DEPTH_COMPONENT32: 32,
}


def quantize_depth(depth: NDArray[np.float32] | float, depth_format: int) -> NDArray[np.uint32]:
    """Window depth 0..1 as the target stores it, order-preserving as uint32.

    Fixed-point formats: round(depth * (2**bits - 1)), computed in float64. Float formats
    (GL_DEPTH_COMPONENT32F, GL_DEPTH32F_STENCIL8) and 0 (no depth buffer): the bits of the float32, which
    order like the value because it is not negative.

    Parameters
    ----------
    depth : any shape, float32
    depth_format : GL internal format
    """
    clamped = np.clip(np.asarray(depth, np.float32), np.float32(0), np.float32(1)) + np.float32(0)
    bits = _DEPTH_BITS.get(depth_format)
    if bits is None:
        return np.ascontiguousarray(clamped).view(np.uint32).reshape(np.shape(clamped))
    return np.rint(clamped.astype(np.float64) * ((1 << bits) - 1)).astype(np.uint32)
