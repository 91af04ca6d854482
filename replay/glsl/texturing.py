"""How shaders reach textures: the interface that an engine implements.

The compiler knows texture *instructions* (:class:`Lookup`); what a texture is, where its texels lie and how
they are filtered is the engine's. Each sampler of a program has a *slot* (0, 1, ... in the order of the
program's sampler uniforms, array elements counted one by one). Per draw the engine gives

* to the NumPy executor a :class:`NumpyTextures`, which samples arrays of coordinates;
* to the LLVM executor a tuple of *keys*, one a slot (any hashable with a stable ``repr``: format class,
  filters, wrap modes, compare function ...), for which machine code is specialised, a
  :class:`TextureEmitter`, which writes the code of one texture instruction for one key, and at run time an array of
  descriptor pointers, one a slot, whose layout is the engine's own.

Lanes come in quads: lanes 4q .. 4q+3 are the fragments (0,0) (1,0) (0,1) (1,1) of quad q. Coordinates of
lanes that are not active are computed as if they were (derivatives need them) and may be anything, NaN and infinity
included: an implementation clamps texel addresses for every lane, and reads out of bounds for none.

The access record
-----------------
A consumer that wants texture addresses has the executor append to two tables, those of FrameTrace: ``tex_ops`` has a
row for each texture instruction that a quad executed with a live lane (number of the instruction, texels read by each
lane, saturating at 255 and 0 for lanes that are not live, place and number of its lines), ``texture_lines`` a row for
each distinct 64-byte line that it touched, with a mask of the lanes that did. Ops lie in the order of quads, and for
each quad in that of execution; lines in the order in which the instruction's taps touch them first: tap by tap, within
a tap lane by lane, and no more than 255 of them. Line numbers are ``address / 64 - TEXTURES / 64``
(``traceformat.gputrace.frametrace.MemoryMap``).
The LLVM executor writes the columns where a :data:`~replay.glsl.llvm.abi.TEXTURE_RECORD` says. What might not fit is
dropped, but counted, and so the caller sees that there was too little room, and how much is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from replay.glsl.llvm.vectors import LlvmOps

__all__ = [
    "MAX_LINES",
    "MAX_TAPS",
    "NO_LINE",
    "Dimension",
    "LineBox",
    "Lookup",
    "LookupKind",
    "NumpyLookup",
    "NumpyTextures",
    "ResultKind",
    "TextureAccess",
    "TextureEmitter",
    "TextureOperands",
]

#: Line number of a lane that has no such tap.
NO_LINE: Final = 0xFFFFFFFF
#: Most lines of one texture instruction and quad that are recorded.
MAX_LINES: Final = 255
#: Most taps of one texture instruction and lane: 16 anisotropic probes of trilinear filtering, 8 texels each.
MAX_TAPS: Final = 128


class Dimension(Enum):
    """Kind of texture that a sampler type names."""

    D1 = "1D"
    D2 = "2D"
    D3 = "3D"
    CUBE = "cube"
    RECT = "rect"
    BUFFER = "buffer"
    MULTISAMPLE = "2DMS"
    EXTERNAL = "external"

    @property
    def num_coords(self) -> int:
        """Coordinates without array layer: 1, 2 or 3."""
        return _NUM_COORDS[self]


_NUM_COORDS: Final = {
    Dimension.D1: 1,
    Dimension.D2: 2,
    Dimension.D3: 3,
    Dimension.CUBE: 3,
    Dimension.RECT: 2,
    Dimension.BUFFER: 1,
    Dimension.MULTISAMPLE: 2,
    Dimension.EXTERNAL: 2,
}


class LookupKind(Enum):
    """How the level of detail of a texture instruction is chosen, and what it returns."""

    #: From the coordinates' differences within the quad; in a vertex shader level 0.
    IMPLICIT = "implicit"
    #: As IMPLICIT, plus ``lod`` added before clamping.
    BIAS = "bias"
    #: ``lod`` as given.
    LOD = "lod"
    #: From ``ddx`` and ``ddy`` as given.
    GRAD = "grad"
    #: One texel at integer coordinates of integer level ``lod`` (or sample ``lod`` of a multisample texture).
    FETCH = "fetch"
    #: One component (``Lookup.component``) of the four texels that a linear filter of level 0 would blend: of those at
    #: (low, high), (high, high), (high, low), (low, low). With a comparison, its outcomes.
    GATHER = "gather"
    #: Size in texels of integer level ``lod``, as integers; layers behind the coordinates.
    SIZE = "size"


class ResultKind(IntEnum):
    """Component type of the sampler: samplerX, isamplerX, usamplerX."""

    FLOAT = 0
    INT = 1
    UINT = 2


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is static about one texture instruction.

    Parameters
    ----------
    instruction : number of the texture instruction in its program (tex_ops.instruction)
    slot : sampler slot
    kind, dimension, is_array, result : see the enumerations
    is_shadow : depth comparison; the result is one float, in the first component (GATHER: four of them)
    component : of GATHER, behind the texture's swizzle
    offset : constant texel offset along each coordinate (textureOffset and its kin), 0 where there is none
    is_fragment : implicit derivatives exist
    needs_result : the shader uses what the instruction returns; without, only the access counts
    """

    instruction: int
    slot: int
    kind: LookupKind
    dimension: Dimension
    is_array: bool = False
    is_shadow: bool = False
    result: ResultKind = ResultKind.FLOAT
    offset: tuple[int, int, int] = (0, 0, 0)
    is_fragment: bool = True
    needs_result: bool = True
    component: int = 0


@dataclass(frozen=True, slots=True)
class TextureOperands:
    """Run-time operands of one texture instruction, as vectors of an executor (arrays or LLVM values).

    Projective coordinates have been divided already (by the executor, so that both divide alike).

    Parameters
    ----------
    coords : floats, ``dimension.num_coords`` of them (integers for FETCH; empty for SIZE)
    layer : array layer as the float of the call (integer for FETCH), or None
    compare : reference depth, or None
    lod : bias or level (float), level or sample of FETCH and SIZE (integer), or None
    ddx, ddy : floats, as many as ``coords``, for GRAD, else empty
    offset : integers, of a GATHER whose offset is no constant (``Lookup.offset`` is 0 then), else empty
    mask : lanes that execute the instruction, helper lanes among them (derivatives and results)
    live : those of them that are no helper lanes: only they are recorded
    """

    coords: tuple[Any, ...]
    mask: Any
    live: Any
    layer: Any = None
    compare: Any = None
    lod: Any = None
    ddx: tuple[Any, ...] = ()
    ddy: tuple[Any, ...] = ()
    offset: tuple[Any, ...] = ()


@dataclass(slots=True)
class NumpyLookup:
    """What the NumPy executor gets back.

    Parameters
    ----------
    rgba : four (n,) arrays, float32, or int32 for integer samplers and SIZE (uint as int32 bit patterns)
    lines : (taps, n) uint32 line of each tap, NO_LINE where there is none; None unless recording was asked for
    texels : (n,) uint8 texels read; None unless recording was asked for
    identity : (n,) int32 bits of the level of detail used; None unless asked for
    """

    rgba: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
    lines: NDArray[np.uint32] | None = None
    texels: NDArray[np.uint8] | None = None
    identity: NDArray[np.int32] | None = None


class NumpyTextures(Protocol):
    """The engine's textures, for the NumPy executor."""

    def lookup(
        self, lookup: Lookup, operands: TextureOperands, *, record: bool = False, identity: bool = False
    ) -> NumpyLookup:
        """Execute one texture instruction on structure-of-arrays operands.

        Parameters
        ----------
        lookup : the instruction
        operands : (n,) arrays, float32 or int32, n a multiple of 4 in a fragment shader; masks are (n,) bool
        record : also return lines and texel counts (for live lanes; the executor masks the others)
        identity : also return the level of detail that was used
        """
        ...


@dataclass(frozen=True, slots=True)
class LineBox:
    """Lines of four taps that are the corners of a box: those of a linear filter in a level of a plane.

    Parameters
    ----------
    columns, rows : of the lower and the higher taps, counted in lines
    line : line number of a column and a row, for lanes of the same quad
    same : what ``line`` takes as the quad's though each lane has its own: layer, level
    there : lanes that have these taps; None: all
    """

    columns: tuple[Any, Any]
    rows: tuple[Any, Any]
    line: Callable[[Any, Any], Any]
    same: tuple[Any, ...] = ()
    there: Any = None

    def taps(self, ops: Any) -> list[Any]:
        """Line of each tap, row by row; NO_LINE where there is none."""
        lines = [self.line(column, row) for row in self.rows for column in self.columns]
        if self.there is None:
            return lines
        return [ops.select(self.there, line, ops.iconst(NO_LINE)) for line in lines]


class TextureAccess(Protocol):
    """Where an emitter reports what a texture instruction touches; one per emitted instruction.

    Calls are free where nobody records: an emitter may make them always, or skip their operands when
    :attr:`records_lines` is false.
    """

    @property
    def records_lines(self) -> bool:
        """Whether the code being generated records lines and texels."""
        ...

    @property
    def records_identity(self) -> bool:
        """Whether the code being generated computes fragment identities."""
        ...

    def operands(self) -> Sequence[Any]:
        """What :meth:`touch` needs in a function that is called from here: operands with their types."""
        ...

    def expect(self, taps: int) -> None:
        """Say, for each execution that is recorded, how many lines :meth:`touch` is given."""
        ...

    def touch(
        self, ops: Any, operands: Sequence[Any], lines: Sequence[Any], texels: Any, boxes: Sequence[LineBox]
    ) -> None:
        """Append this execution to the record; at most once per instruction.

        Parameters
        ----------
        ops : toolkit of the function that is being written, which may be one that this instruction calls
        operands : as :meth:`operands` gives them, or their parameters in that function
        lines : line number of each tap, at most :data:`MAX_TAPS`, NO_LINE in lanes without this tap (lanes that are
            not live are left out by the callee)
        texels : texels read by each lane (integer vector)
        boxes : the same lines, four a box; none where taps are no boxes
        """
        ...

    def identify(self, bits: Any) -> None:
        """Mix an integer vector (the bits of the level of detail used) into the identity of live fragments."""
        ...


class TextureEmitter(Protocol):
    """The engine's code generator for texture instructions, for the LLVM executor."""

    @property
    def version(self) -> str:
        """Changes whenever emitted code changes: part of the key of cached machine code."""
        ...

    def emit(
        self,
        ops: LlvmOps,
        lookup: Lookup,
        key: Hashable,
        descriptor: Any,
        operands: TextureOperands,
        access: TextureAccess,
    ) -> tuple[Any, Any, Any, Any]:
        """Emit the code of one texture instruction at the toolkit's current position.

        Parameters
        ----------
        ops : toolkit: vector operations, gathers, loads, control flow; straight-line code or blocks of its own
        lookup : the instruction
        key : static key of the sampler bound to its slot
        descriptor : pointer to the slot's descriptor (uniform over lanes)
        operands : vectors of LANES lanes
        access : receives touched lines, texel counts, and the level of detail

        Returns
        -------
        Four vectors: float, or integer for integer samplers and SIZE; undefined if ``lookup`` does not
        need the result.
        """
        ...
