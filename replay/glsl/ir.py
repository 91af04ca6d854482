"""The intermediate representation that both executors run: typed, structured, small.

A stage is a tree of regions. A :class:`Region` is a list of :class:`Block` (straight-line instructions),
:class:`If`, :class:`Loop` and :class:`Jump`. Values are SSA: an :class:`Instr` *is* the value it produces, its type is
a scalar or a vector of two to four components, and it may be used by anything that comes later in the same region
or in a region nested in it. What lives longer (across the end of a region) goes through a :class:`Variable`. Matrices,
structures and arrays of them are lowered to variables of vectors, and functions are inlined.

Semantics
---------
* Component-wise instructions take operands of the *same* type; a scalar is spread with ``swizzle (0, 0, 0)``.
* ``FLOAT`` is IEEE binary32, round to nearest even, subnormals kept; no operation is contracted: ``fmad`` rounds the
  product, then the sum. ``INT``/``UINT`` wrap. ``BOOL`` is a truth value (one mask bit a lane).
* ``fmin(a, b)`` is ``b < a ? b : a``, ``fmax(a, b)`` is ``a < b ? b : a``; with a NaN ``fge/flt/feq`` are false,
  ``fne`` true.
* ``idiv``/``udiv``/``irem``/``urem`` by zero give 0; INT_MIN / -1 is INT_MIN, its remainder 0; otherwise as in C.
* ``ishl``/``ishr``/``ushr`` use the low five bits of the shift count.
* ``bitcast`` of a NaN to an integer gives 0x7FC00000.
* ``f2i``/``f2u`` truncate and saturate; NaN gives 0. A negative number gives 0 in ``f2u``.
* ``ddx``/``ddy`` are fine derivatives inside each quad: lanes (0, 1, 2, 3) of a quad are the fragments (x, y), (x +
  1, y), (x, y + 1), (x + 1, y + 1); ``ddx`` is l1 - l0 in lanes 0 and 1, l3 - l2 in lanes 2 and 3; ``ddy`` is l2 - l0
  in lanes 0 and 2, l3 - l1 in lanes 1 and 3.
* An operation of ``SHORT_OPS`` whose ``attr`` is ``SHORT_BITS`` rounds its result to 16 bits, as ``narrow`` does: FLOAT
  to binary16 (held as binary32), INT and UINT wrap. ``fmad`` then rounds the product, too, ``fdot`` the sum alone.
* Indices (``load``, ``store``, ``uniform``, ``input``, ``extract``, ``insert``) are INT and clamped to the range.
* ``load`` gives undefined content of a variable never stored to as 0.
* Only ``store`` and jumps look at the lane mask; everything else may be computed in every lane.
* A *live* lane is an active lane that is neither a helper nor discarded. ``DISCARD`` makes a lane a helper: it stays
  active, so that derivatives stay right, but is not counted, and its outputs are dropped. When no live lane of a quad
  is left active in a loop, the quad leaves the loop at its next iteration; when none is left in the quad at all, it
  ends.
* Vertices and compute invocations use the same rules with every lane on its own.
* ``mload``, ``mstore`` and ``atomic`` reach memories, see :mod:`replay.glsl.memory`. They run in program order; in one
  instruction lanes take their turn in ascending order. Words out of bounds read as 0 and are not written. Only *live*
  lanes write.
* ``Loop``: body, then step, forever; CONTINUE goes to the step, BREAK leaves. RETURN ends the stage for its lanes.
  A jump with a condition acts on the lanes where it is true.

Counting
--------
Every :class:`If`, :class:`Loop` and :class:`Jump` is preceded by a block in its region (it may be empty), which is
charged with the control instruction. The last pass (:mod:`replay.glsl.counts`) numbers blocks in the order of the
listing and lists the kinds of their instructions. Executors only record which blocks ran, in which lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Final

from replay.glsl.memory import AtomicRef, MemoryKind, MemoryRef, MemorySlot
from replay.glsl.texturing import Dimension, Lookup, ResultKind
from replay.glsl.types import Base, NumericType

__all__ = [
    "GEOMETRY_INPUTS",
    "INNER_LEVELS",
    "MAX_PATCH_VERTICES",
    "MEMORY_OPS",
    "OPS",
    "OUTER_LEVELS",
    "SHORT_BITS",
    "SHORT_OPS",
    "SIDE_EFFECTS",
    "AtomicRef",
    "Block",
    "ConstantRef",
    "GeometryLayout",
    "If",
    "InputRef",
    "InputSlot",
    "Instr",
    "Interpolation",
    "Jump",
    "JumpKind",
    "Loop",
    "MemoryRef",
    "MemorySlot",
    "Node",
    "OpInfo",
    "OutputSlot",
    "Place",
    "Region",
    "Rule",
    "SamplerSlot",
    "StageIR",
    "StoreRef",
    "TessellationLayout",
    "TextureRef",
    "UniformArea",
    "Variable",
    "is_short",
]


class Rule(IntEnum):
    """How an operation's result type follows from its operands."""

    #: All operands have the result's type.
    SAME = 0
    #: Operands have one type, the result is BOOL of the same width.
    COMPARE = 1
    #: One operand; the result has its width and another base.
    CONVERT = 2
    #: Described with the operation.
    OWN = 3


class Cost(IntEnum):
    """How an operation is counted (TGSI's conventions)."""

    FREE = 0
    #: One instruction whatever the width.
    ALU = 1
    #: One instruction a component.
    SCALAR = 2
    MOVE = 3
    TEXTURE = 4


@dataclass(frozen=True, slots=True)
class OpInfo:
    """Declaration of an operation.

    Parameters
    ----------
    name : of the operation
    arity : operands, -1 if it varies
    bases : base types that the operands may have, letters of "fiub"
    rule : result type
    result : base of the result for ``Rule.CONVERT``
    cost : how it is counted
    """

    name: str
    arity: int
    bases: str
    rule: Rule
    cost: Cost
    result: Base | None = None
    pure: bool = True


def _table() -> dict[str, OpInfo]:
    rows: list[OpInfo] = []

    def add(names: str, arity: int, bases: str, rule: Rule, cost: Cost, result: Base | None = None) -> None:
        rows.extend(OpInfo(name, arity, bases, rule, cost, result) for name in names.split())

    same, compare, convert, own = Rule.SAME, Rule.COMPARE, Rule.CONVERT, Rule.OWN
    # fsat clamps to [0, 1], NaN to 0; fround rounds half away from zero, froundeven to even; ffract is x - floor(x).
    add("fneg fabs fsat", 1, "f", same, Cost.FREE)
    add("narrow", 1, "fiu", same, Cost.FREE)  # rounded to 16 bits; a modifier of what reads or writes it
    add("ffloor fceil ftrunc fround froundeven ffract fsign", 1, "f", same, Cost.ALU)
    add("fadd fsub fmul fdiv fmin fmax", 2, "f", same, Cost.ALU)
    add("fmad", 3, "f", same, Cost.ALU)  # a * b + c, two roundings
    # The functions of replay.glsl.mathlib, component by component.
    add("frcp fsqrt frsq fexp2 flog2 fsin fcos", 1, "f", same, Cost.SCALAR)
    add("fpow", 2, "f", same, Cost.SCALAR)
    add("ftan fasin facos fatan", 1, "f", same, Cost.SCALAR)
    add("fatan2", 2, "f", same, Cost.SCALAR)
    add("fdot", 2, "f", own, Cost.ALU)  # two vectors of one width to FLOAT; products summed from the last component on
    add("ineg", 1, "iu", same, Cost.ALU)
    add("iabs isign", 1, "i", same, Cost.ALU)
    add("inot", 1, "iu", same, Cost.ALU)
    add("iadd isub imul", 2, "iu", same, Cost.ALU)
    add("idiv irem imin imax", 2, "i", same, Cost.ALU)
    add("udiv urem umin umax", 2, "u", same, Cost.ALU)
    add("iand ior ixor", 2, "iu", same, Cost.ALU)
    add("ishl", 2, "iu", same, Cost.ALU)
    add("ishr", 2, "i", same, Cost.ALU)
    add("ushr", 2, "u", same, Cost.ALU)
    add("flt fge feq fne", 2, "f", compare, Cost.ALU)
    add("ilt ige", 2, "i", compare, Cost.ALU)
    add("ult uge", 2, "u", compare, Cost.ALU)
    add("ieq ine", 2, "iu", compare, Cost.ALU)
    add("bnot", 1, "b", same, Cost.ALU)
    add("band bor bxor", 2, "b", same, Cost.ALU)
    add("any all", 1, "b", own, Cost.ALU)  # BOOL vector to BOOL
    add("select", 3, "", own, Cost.ALU)  # (BOOL condition, a, b) of one width: condition ? a : b by component
    add("f2i", 1, "f", convert, Cost.ALU, Base.INT)
    add("f2u", 1, "f", convert, Cost.ALU, Base.UINT)
    add("i2f", 1, "i", convert, Cost.ALU, Base.FLOAT)
    add("u2f", 1, "u", convert, Cost.ALU, Base.FLOAT)
    add("b2f", 1, "b", convert, Cost.ALU, Base.FLOAT)
    add("b2i", 1, "b", convert, Cost.ALU, Base.INT)
    add("bitcast", 1, "fiu", own, Cost.FREE)  # the same bits as FLOAT, INT or UINT of the same width
    add(
        "pack_half", 1, "f", own, Cost.ALU
    )  # FLOAT2 to UINT: two binary16, component 0 in the low half, rounded to even
    add("unpack_half", 1, "u", own, Cost.ALU)  # UINT to FLOAT2
    add("ddx ddy", 1, "f", same, Cost.ALU)
    add("const", 0, "", own, Cost.FREE)  # attr: tuple of int, bool or (exactly representable) float, one a component
    add("swizzle", 1, "", own, Cost.FREE)  # attr: tuple of component numbers; the result has as many components
    add("vec", -1, "", own, Cost.MOVE)  # concatenates scalars and vectors of one base
    add("extract", 2, "", own, Cost.ALU)  # (vector, INT index) to scalar
    add("insert", 3, "", own, Cost.ALU)  # (vector, INT index, scalar): the vector with one component replaced
    add("uniform", -1, "", own, Cost.FREE)  # attr: ConstantRef; operand: INT index or none
    add("input", -1, "", own, Cost.FREE)  # attr: InputRef; operand: INT index or none
    add("load", -1, "", own, Cost.FREE)  # attr: Variable; operand: INT index if the variable is an array, else none
    rows.append(OpInfo("store", -1, "", own, Cost.FREE, None, False))  # attr: StoreRef; operands: value, index if array
    add("tex", -1, "", own, Cost.TEXTURE)  # attr: TextureRef; operands by TextureRef.roles
    add("mload", 1, "i", own, Cost.ALU)  # attr: MemoryRef; operand: INT word; FLOAT, INT or UINT
    add("msize", 0, "", own, Cost.MOVE)  # attr: MemoryRef; the memory's words, an INT
    # attr: MemoryRef; operands: INT word, value
    rows.append(OpInfo("mstore", 2, "", own, Cost.ALU, None, False))
    # attr: AtomicRef; operands: INT word, INT or UINT value (COMP_SWAP: comparand, then value); what was there before
    rows.append(OpInfo("atomic", -1, "iu", own, Cost.ALU, None, False))
    # attr: TouchRef; operand: INT word of an access that follows: its lines are marked
    rows.append(OpInfo("mtouch", 1, "i", own, Cost.FREE, None, False))
    # The invocations of a work group wait for each other.
    rows.append(OpInfo("barrier", 0, "", own, Cost.ALU, None, False))
    return {row.name: row for row in rows}


#: Every operation, in a fixed order.
OPS: Final[dict[str, OpInfo]] = _table()
#: Bits of what has a precision below highp, where a shader asks for it; ``attr`` of operations that compute it.
SHORT_BITS: Final = 16
#: Operations that can be computed in them; others pick, compare or give what 16 bits hold anyway.
SHORT_OPS: Final = frozenset(
    (
        *("fadd", "fsub", "fmul", "fdiv", "fmad", "fdot", "ffract", "frcp", "fsqrt", "frsq", "fexp2", "flog2", "fpow"),
        *("fsin", "fcos", "ftan", "fasin", "facos", "fatan", "fatan2", "i2f", "u2f", "f2i", "f2u", "ddx", "ddy"),
        *("ineg", "iabs", "inot", "iadd", "isub", "imul", "idiv", "ishl"),
    )
)
#: Operations that reach beyond their own lane: neither moved, nor merged, nor dropped.
SIDE_EFFECTS: Final = frozenset({"mstore", "atomic", "mtouch", "barrier"})
#: Operations on memory; all but ``msize`` depend on what ran before.
MEMORY_OPS: Final = SIDE_EFFECTS | {"mload", "msize"}


class Instr:
    """One instruction, and the value that it produces (``type`` is None for ``store``).

    ``number`` is the position in the listing, given by the last pass; -1 before. ``line`` is the line of the source
    that asks for it, from 1 in the joined strings; 0 where none does.
    """

    __slots__ = ("args", "attr", "line", "number", "op", "type")
    type: NumericType

    def __init__(self, op: str, type: NumericType | None, args: tuple[Instr, ...] = (), attr: Any = None) -> None:
        self.op = op
        self.type = type  # type: ignore[assignment]  # only ``store`` has none, and nothing uses a store as value
        self.args = args
        self.attr = attr
        self.number = -1
        self.line = 0

    def __repr__(self) -> str:
        return f"%{self.number if self.number >= 0 else hex(id(self))} {self.op}"


def is_short(instr: Instr) -> bool:
    """Whether an operation is computed in 16 bits."""
    return instr.attr == SHORT_BITS and instr.op in SHORT_OPS


class Variable:
    """Mutable storage of a lane: one vector, or an array of ``length`` of them (0: no array).

    Outputs of the stage are variables that an :class:`OutputSlot` refers to; they keep their value to the end.
    """

    __slots__ = ("length", "name", "number", "type")

    def __init__(self, name: str, type: NumericType, length: int = 0) -> None:
        self.name = name
        self.type = type
        self.length = length
        self.number = -1

    def __repr__(self) -> str:
        dims = f"[{self.length}]" if self.length else ""
        return f"@{self.name}{'.' + str(self.number) if self.number >= 0 else ''}{dims}"


@dataclass(slots=True)
class StoreRef:
    """Where a ``store`` writes: component i of the value goes to component ``mask[i]`` of the variable."""

    variable: Variable
    mask: tuple[int, ...]


@dataclass(slots=True)
class ConstantRef:
    """Words of a constant area that a ``uniform`` reads.

    Component c of the value is word ``offset + clamp(index, 0, count - 1) * stride + c * component_stride`` of the
    area, read as the value's base type; BOOL is "the word is not 0". Area 0 holds the stage's uniforms of the default
    block, area k the block ``StageIR.areas[k]``.
    """

    area: int
    offset: int
    stride: int = 0
    count: int = 1
    component_stride: int = 1


@dataclass(slots=True)
class InputRef:
    """What an ``input`` reads: element ``element + clamp(index, 0, count - 1) * stride`` of
    ``StageIR.inputs[slot]``.
    """

    slot: int
    element: int = 0
    stride: int = 1
    count: int = 1


@dataclass(slots=True)
class TextureRef:
    """A texture instruction.

    Parameters
    ----------
    lookup : what is static about it; ``lookup.instruction`` is its number in the stage, ``lookup.slot`` the row of
        ``Program.samplers``
    roles : of the operands, in order, of ``coords`` (``dimension.num_coords`` floats, or integers for FETCH),
        ``layer``, ``compare``, ``lod`` (bias, level or sample, as ``lookup.kind`` says), ``ddx``, ``ddy``, ``q``
        (FLOAT: the executor divides ``coords`` and ``compare`` by it)

    The result is a vector of four (FLOAT, INT or UINT); with ``is_shadow`` a FLOAT scalar (of GATHER four); for SIZE an
    INT scalar or vector.
    """

    lookup: Lookup
    roles: tuple[str, ...]

    def numbered(self, instruction: int, slot: int = -1) -> TextureRef:
        """The same look-up under another instruction number (and sampler slot, if one is given)."""
        lookup = replace(self.lookup, instruction=instruction, slot=self.lookup.slot if slot < 0 else slot)
        return TextureRef(lookup, self.roles)


class Block:
    """Straight-line instructions. ``number``, ``kinds`` and ``lines`` are filled by the last pass."""

    __slots__ = ("instructions", "kinds", "lines", "number")

    def __init__(self) -> None:
        self.instructions: list[Instr] = []
        self.number = -1
        #: (InstructionKind, texture instruction or -1) for each machine instruction.
        self.kinds: tuple[tuple[int, int], ...] = ()
        #: Line of the source of each, see :class:`Instr`.
        self.lines: tuple[int, ...] = ()


class JumpKind(IntEnum):
    """Where a jump goes."""

    BREAK = 0
    CONTINUE = 1
    RETURN = 2
    DISCARD = 3


class Jump:
    """Leaves for ``kind``, in all active lanes or in those where ``condition`` holds."""

    __slots__ = ("condition", "kind", "line")

    def __init__(self, kind: JumpKind, condition: Instr | None = None) -> None:
        self.kind = kind
        self.condition = condition
        self.line = 0


class If:
    """Two-way branch on a BOOL scalar."""

    __slots__ = ("condition", "line", "orelse", "then")

    def __init__(self, condition: Instr, then: Region | None = None, orelse: Region | None = None) -> None:
        self.condition = condition
        self.then = then or Region()
        self.orelse = orelse or Region()
        self.line = 0


class Loop:
    """Endless loop: body, step, body, step, ...; left by BREAK or RETURN."""

    __slots__ = ("body", "line", "step")

    def __init__(self, body: Region | None = None, step: Region | None = None) -> None:
        self.body = body or Region()
        self.step = step or Region()
        self.line = 0


Node = Block | If | Loop | Jump


class Region:
    """A list of blocks and control nodes."""

    __slots__ = ("nodes",)

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def walk(self) -> Iterator[Node]:
        """Yield every node of the tree in the order of the listing."""
        for node in self.nodes:
            yield node
            if isinstance(node, If):
                yield from node.then.walk()
                yield from node.orelse.walk()
            elif isinstance(node, Loop):
                yield from node.body.walk()
                yield from node.step.walk()

    def instructions(self) -> Iterator[Instr]:
        """Yield every instruction of the tree in the order of the listing."""
        for node in self.walk():
            if isinstance(node, Block):
                yield from node.instructions


class Interpolation(IntEnum):
    """How a varying gets from vertices to fragments."""

    SMOOTH = 0
    FLAT = 1
    NOPERSPECTIVE = 2


class Place(IntEnum):
    """Where in a pixel a fragment has a varying."""

    CENTER = 0
    #: Where one of its samples is covered.
    CENTROID = 1
    #: At the sample that is shaded.
    SAMPLE = 2


@dataclass(slots=True)
class InputSlot:
    """An input of a stage.

    Parameters
    ----------
    name : in the source, with member path
    builtin : "" or one of gl_VertexID, gl_InstanceID (INT), gl_FragCoord (FLOAT4), gl_FrontFacing (BOOL),
        gl_PointCoord (FLOAT2), gl_PrimitiveID, gl_SampleID, gl_NumSamples, gl_SampleMaskIn (INT), gl_SamplePosition,
        gl_CentroidOffset, gl_PlaneOffset (FLOAT2), gl_PlaneOverW (FLOAT3), gl_RowsFromTop (INT); of a compute stage
        gl_NumWorkGroups, gl_WorkGroupID, gl_LocalInvocationID, gl_GlobalInvocationID (UINT3), gl_LocalInvocationIndex
        (UINT); of a geometry stage gl_PrimitiveIDIn, gl_InvocationID, gl_EmittedFirst (INT); of a tessellation stage
        gl_PrimitiveID, gl_PatchVerticesIn, gl_InvocationID, gl_PatchFirstIn, gl_PatchFirstOut (INT), gl_TessCoord
        (FLOAT3)
    type : of an element
    location : of element 0, in vec4 slots; element k is at ``location + k``. -1 for a built-in
    component : first component used inside a slot
    count : elements
    interpolation, place : fragment stage only
    coefficient : 0, 1, 2: not the value, but this coefficient of its plane equation (fragment stage)
    source : of a geometry stage: row of the vertex stage's outputs that it is, of all vertices of a primitive one
        behind the other; -1: of a built-in
    """

    name: str
    builtin: str
    type: NumericType
    location: int
    component: int = 0
    count: int = 1
    interpolation: Interpolation = Interpolation.SMOOTH
    place: Place = Place.CENTER
    coefficient: int = -1
    source: int = -1


@dataclass(slots=True)
class OutputSlot:
    """An output of a stage; at the end of the stage the value is in ``variable`` (element k at ``location + k``).

    Parameters
    ----------
    builtin : "" or one of gl_Position (FLOAT4), gl_PointSize (FLOAT), gl_ClipDistance (FLOAT array), gl_FragDepth
        (FLOAT), gl_SampleMask (INT array), gl_FragColor (FLOAT4: goes to every draw buffer), gl_FragData (FLOAT4
        array: element k goes to draw buffer k); of a geometry stage gl_PrimitiveID, gl_Layer, gl_EmittedCount (INT)
    location : vertex stage: vec4 slot of the varying; fragment stage: colour number; -1 for a built-in
    index : 1 for the second source of dual-source blending
    static_write : False if no store to it is left in the stage
    word : of a geometry stage: where an emitted vertex has it (GeometryLayout); -1: it is in none
    """

    name: str
    builtin: str
    variable: Variable
    location: int
    component: int = 0
    index: int = 0
    interpolation: Interpolation = Interpolation.SMOOTH
    place: Place = Place.CENTER
    static_write: bool = True
    word: int = -1


@dataclass(slots=True)
class GeometryLayout:
    """What a geometry stage takes and gives.

    Parameters
    ----------
    input : "points", "lines", "lines_adjacency", "triangles" or "triangles_adjacency"; "" while it is not given
    output : "points", "line_strip" or "triangle_strip"
    max_vertices : that an invocation may emit; -1 while it is not given
    invocations : runs of the stage for each primitive
    words : of an emitted vertex in the stage's memory, the last one is 1 where a strip ends with it

    Notes
    -----
    A lane is an invocation. Its emitted vertices lie one behind the other in the memory of kind EMITTED, from the word
    that the input ``gl_EmittedFirst`` says; how many there are is the output ``gl_EmittedCount``.
    """

    input: str = ""
    output: str = ""
    max_vertices: int = -1
    invocations: int = 1
    words: int = 1

    @property
    def vertices_in(self) -> int:
        """Vertices of an input primitive, 0 while it is not given."""
        return GEOMETRY_INPUTS.get(self.input, 0)


@dataclass(slots=True)
class TessellationLayout:
    """What the tessellation stages take and give.

    Parameters
    ----------
    vertices_out : of a patch that the control stage makes, 0 while it is not given
    primitive : "triangles", "quads" or "isolines" of the evaluation stage; "" while it is not given
    spacing, order : "" or what the layout says
    point_mode : points come out
    words_in, words_out : of a patch in the memory that the stage reads, in the one that it writes
    inputs : of a patch whose vertices come from the vertex stage, for each of its outputs: row of the output, word of
        the first vertex, words between vertices, words of each component

    Notes
    -----
    Patches lie in memories of kind PATCH, one behind the other: variables of a whole patch as they are, those of each
    vertex as arrays, by the rules of std430. The inputs ``gl_PatchFirstIn`` and ``gl_PatchFirstOut`` say where the
    patch of an invocation begins. The patch that the evaluation stage reads begins with four outer and two inner
    levels of tessellation (OUTER_LEVELS, INNER_LEVELS).
    """

    vertices_out: int = 0
    primitive: str = ""
    spacing: str = ""
    order: str = ""
    point_mode: bool = False
    words_in: int = 0
    words_out: int = 0
    inputs: list[tuple[int, int, int, list[int]]] = field(default_factory=list)


MAX_PATCH_VERTICES: Final = 32
#: Words of a patch that hold the levels of tessellation.
OUTER_LEVELS: Final = slice(0, 4)
INNER_LEVELS: Final = slice(4, 6)

#: Vertices of each kind of input primitive.
GEOMETRY_INPUTS: Final = {"points": 1, "lines": 2, "lines_adjacency": 4, "triangles": 3, "triangles_adjacency": 6}


@dataclass(slots=True)
class SamplerSlot:
    """A sampler of the program; one row an element of a sampler array. Both stages share the numbering.

    Parameters
    ----------
    name : of the uniform, with element
    uniform : row of ``Reflection.uniforms``
    element : of that uniform
    """

    name: str
    uniform: int
    element: int
    dimension: Dimension
    is_array: bool
    result: ResultKind
    is_shadow: bool


@dataclass(slots=True)
class UniformArea:
    """A constant area: 0 is the default block, others are uniform blocks (``block``: row of ``Reflection.blocks``).

    ``words`` is what the stage may read: the engine provides at least as many (missing bytes of a buffer are 0).
    """

    name: str
    block: int
    words: int


#: Memories of the pipeline itself, which no program sees.
_INNER_MEMORIES: Final = (MemoryKind.EMITTED, MemoryKind.PATCH, MemoryKind.TOUCHED)


@dataclass(slots=True)
class StageIR:
    """One linked stage, ready to run.

    Parameters
    ----------
    stage : "vertex", "tess_control", "tess_evaluation", "geometry", "fragment" or "compute"
    body : the program
    blocks : every block of ``body`` in order of its number
    variables : all variables, ``variable.number`` is the row
    textures : the texture instructions by number
    memories : what ``mload`` and its kin reach
    local_size : invocations of a work group along x, y, z; (0, 0, 0) but for compute
    geometry : of a geometry stage
    tessellation : of a tessellation stage
    """

    stage: str
    body: Region
    variables: list[Variable] = field(default_factory=list)
    inputs: list[InputSlot] = field(default_factory=list)
    outputs: list[OutputSlot] = field(default_factory=list)
    areas: list[UniformArea] = field(default_factory=lambda: [UniformArea("", -1, 0)])
    blocks: list[Block] = field(default_factory=list)
    textures: list[TextureRef] = field(default_factory=list)
    memories: list[MemorySlot] = field(default_factory=list)
    local_size: tuple[int, int, int] = (0, 0, 0)
    geometry: GeometryLayout | None = None
    tessellation: TessellationLayout | None = None
    #: The stage discards, writes gl_FragDepth, reads gl_FragCoord or gl_PointCoord, uses explicit derivatives.
    discards: bool = False
    writes_depth: bool = False
    reads_position: bool = False
    uses_derivatives: bool = False
    #: A fragment stage asks for the tests before it runs.
    tests_early: bool = False
    #: A fragment stage runs for each sample, where there are several.
    per_sample: bool = False
    #: It writes gl_SampleMask.
    masks_samples: bool = False
    #: Advanced blend equations that it works with, as ``blend_support_...`` names them.
    blend_support: tuple[str, ...] = ()
    #: Instructions in all; ``Instr.number`` is below it.
    num_values: int = 0

    def looks_at_samples(self, per_sample: bool) -> bool:
        """Whether a fragment stage needs to know which samples it runs for; ``per_sample``: each is shaded."""
        names = {"gl_SampleMaskIn", "gl_NumSamples", "gl_CentroidOffset", "gl_RowsFromTop"}
        if per_sample:
            names |= {"gl_SampleID", "gl_SamplePosition", "gl_FragCoord"}
        return any(entry.place is not Place.CENTER or entry.builtin in names for entry in self.inputs)

    @property
    def reaches_memory(self) -> bool:
        """Whether it reads or writes storage, images or counters."""
        return any(slot.kind not in _INNER_MEMORIES for slot in self.memories)

    @property
    def writes_memory(self) -> bool:
        """Whether it may write to storage, images or counters."""
        return any(slot.is_written and slot.kind not in _INNER_MEMORIES for slot in self.memories)
