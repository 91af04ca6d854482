"""What a linked program says about itself, in GL's own terms and free of any compiler.

A :class:`~traceformat.gles.backend.Backend` fills these in when it compiles and links; the tracker answers
``glGetActiveUniform`` and its relatives from them and lays out uniform storage by them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from traceformat.gles import enums as gl

__all__ = [
    "COMPUTE_STAGE",
    "FRAGMENT_STAGE",
    "GEOMETRY_STAGE",
    "TESS_CONTROL_STAGE",
    "TESS_EVALUATION_STAGE",
    "VERTEX_STAGE",
    "ActiveAttribute",
    "ActiveBlock",
    "ActiveUniform",
    "CompileResult",
    "FeedbackVarying",
    "FragmentOutput",
    "GeometryStage",
    "LinkResult",
    "Reflection",
    "TessellationStage",
]

#: Bits of ``ActiveUniform.stages`` and ``ActiveBlock.stages``.
VERTEX_STAGE = 1
FRAGMENT_STAGE = 2
COMPUTE_STAGE = 4
GEOMETRY_STAGE = 8
TESS_CONTROL_STAGE = 16
TESS_EVALUATION_STAGE = 32


@dataclass(slots=True)
class ActiveAttribute:
    """A vertex attribute that the program reads; ``location`` is -1 for built-ins (gl_VertexID).

    ``location`` may be changed by the tracker between link and first draw, when a trace recorded under another
    driver says which location that driver had chosen: look it up here at each draw.
    """

    name: str
    type: int
    size: int
    location: int


@dataclass(slots=True)
class ActiveUniform:
    """A uniform of the default block (``block`` = -1) or of a uniform block.

    Parameters
    ----------
    name : GL's name; arrays end in ``[0]``, members of structures are spelled out (``lights[2].color``)
    type : GL type enumerant, e.g. ``GL_FLOAT_VEC4``
    size : number of array elements, 1 for what is no array
    is_array : tells an array of one element from no array
    location : explicit location, or -1 to let the tracker number it (consecutive, an element each)
    block : index into ``Reflection.blocks``
    initial : constant initialiser (desktop): components in column order, all elements; None = zeros
    offset, array_stride, matrix_stride : std140 layout in bytes, -1 outside blocks
    stages : of ``VERTEX_STAGE`` and its kin those that use it
    """

    name: str
    type: int
    size: int = 1
    location: int = -1
    block: int = -1
    offset: int = -1
    array_stride: int = -1
    matrix_stride: int = -1
    row_major: bool = False
    stages: int = VERTEX_STAGE | FRAGMENT_STAGE
    is_array: bool = False
    initial: tuple[float, ...] | None = None


@dataclass(slots=True)
class ActiveBlock:
    """A uniform block; an array of blocks is one entry an element, named ``Name[i]``."""

    name: str
    data_size: int
    uniforms: tuple[int, ...] = ()
    stages: int = VERTEX_STAGE | FRAGMENT_STAGE
    binding: int = 0


@dataclass(slots=True)
class FragmentOutput:
    """An output of the fragment shader."""

    name: str
    type: int
    size: int
    location: int


@dataclass(slots=True)
class FeedbackVarying:
    """A varying that transform feedback captures, in the order of glTransformFeedbackVaryings."""

    name: str
    type: int
    size: int


@dataclass(frozen=True, slots=True)
class GeometryStage:
    """What a geometry shader takes and gives, as glGetProgramiv tells it.

    Parameters
    ----------
    input_type : GL_POINTS, GL_LINES, GL_LINES_ADJACENCY, GL_TRIANGLES or GL_TRIANGLES_ADJACENCY
    output_type : GL_POINTS, GL_LINE_STRIP or GL_TRIANGLE_STRIP
    vertices_out : that an invocation may emit
    invocations : for each primitive
    """

    input_type: int
    output_type: int
    vertices_out: int
    invocations: int


@dataclass(frozen=True, slots=True)
class TessellationStage:
    """What the tessellation shaders take and give, as glGetProgramiv tells it.

    Parameters
    ----------
    vertices_out : of a patch that the control shader makes, 0 where there is none
    mode : GL_TRIANGLES, GL_QUADS or GL_ISOLINES; 0 without an evaluation shader
    spacing : GL_EQUAL, GL_FRACTIONAL_EVEN or GL_FRACTIONAL_ODD
    order : GL_CW or GL_CCW
    point_mode : points come out
    """

    vertices_out: int
    mode: int
    spacing: int
    order: int
    point_mode: bool

    @property
    def output_type(self) -> int:
        """GL_POINTS, GL_LINES or GL_TRIANGLES."""
        if self.point_mode:
            return gl.GL_POINTS
        return gl.GL_LINES if self.mode == gl.GL_ISOLINES else gl.GL_TRIANGLES


@dataclass(slots=True)
class Reflection:
    """Everything that can be asked about a linked program."""

    attributes: list[ActiveAttribute] = field(default_factory=list)
    uniforms: list[ActiveUniform] = field(default_factory=list)
    blocks: list[ActiveBlock] = field(default_factory=list)
    outputs: list[FragmentOutput] = field(default_factory=list)
    feedback: list[FeedbackVarying] = field(default_factory=list)
    #: Name, binding and stages of each storage block.
    storage_blocks: list[tuple[str, int, int]] = field(default_factory=list)
    #: Work group size of a program with a compute stage.
    local_size: tuple[int, int, int] = (0, 0, 0)
    geometry: GeometryStage | None = None
    tessellation: TessellationStage | None = None
    #: Draws with it read, and may write, storage blocks, images or counters.
    draws_reach_memory: bool = False
    draws_write_memory: bool = False
    #: First uniform, block and storage block of each program whose stages these are (a pipeline may have several).
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    #: Advanced blend equations that its fragment stage works with, as GL's enumerants.
    blend_support: frozenset[int] = frozenset()
    #: Stages that there are, as ``ActiveUniform.stages`` has them.
    stages: int = VERTEX_STAGE | FRAGMENT_STAGE

    @property
    def makes_primitives(self) -> bool:
        """Whether stages behind the vertex stage say what is drawn."""
        return self.geometry is not None or self.tessellation is not None


@dataclass(slots=True)
class CompileResult:
    """Outcome of compiling one shader; ``backing`` belongs to the backend."""

    ok: bool
    log: str = ""
    backing: Any = None


@dataclass(slots=True)
class LinkResult:
    """Outcome of linking one program; ``backing`` belongs to the backend."""

    ok: bool
    log: str = ""
    reflection: Reflection = field(default_factory=Reflection)
    backing: Any = None
