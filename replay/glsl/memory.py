"""How shaders reach memory that they may write: the interface that an engine implements.

Storage blocks, atomic counters, shared variables and images are all *memories*: arrays of 32-bit words. A program
lists those it uses (``StageIR.memories``, one :class:`MemorySlot` each); for a run the engine gives one array of words
a slot, in that order, which executors read and write in place. Addresses are word numbers; every component of every
type of std140 and std430 is a whole word, and a texel of an image has at least one for itself.

Bounds are checked for each word: what lies outside is read as 0 and not written. Whoever bounds a slot to a part of a
buffer (glBindBufferRange) passes a view of that part.

Order: operations of one lane happen in program order. Lanes of one instruction take their turn in ascending order.
Between lanes of different groups of 8 (or between instructions) nothing is promised but what barriers give: the NumPy
executor runs a whole batch instruction by instruction, machine code group by group. What a program computes without
races is the same.

Images: a level of a texture, its texels as consecutive words. Where they lie is told by a *descriptor* of
:data:`IMAGE_WORDS` words in the stage's constant area 0, which the engine fills; see :class:`ImageWord`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

__all__ = [
    "IMAGE_WORDS",
    "LINE_SHIFT",
    "LINE_WORDS",
    "AtomicKind",
    "AtomicRef",
    "ImageWord",
    "MemoryKind",
    "MemoryRef",
    "MemorySlot",
    "TouchRef",
]


class MemoryKind(Enum):
    """What a memory is."""

    #: A buffer bound to a storage block.
    STORAGE = "storage"
    #: A buffer of atomic counters.
    COUNTERS = "counters"
    #: Shared variables of a work group; the caller gives each work group its own, of ``MemorySlot.words`` words.
    SHARED = "shared"
    IMAGE = "image"
    #: What a geometry stage emits (:class:`~replay.glsl.ir.GeometryLayout`).
    EMITTED = "emitted"
    #: Patches between tessellation stages (:class:`~replay.glsl.ir.TessellationLayout`).
    PATCH = "patch"
    #: Lines of another memory of the stage (``MemorySlot.block``) that were read and written, a word each: 1 if so.
    TOUCHED = "touched"


class AtomicKind(Enum):
    """What an atomic operation leaves behind; signed and unsigned follow from the operand's type."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    EXCHANGE = "exchange"
    COMP_SWAP = "comp_swap"


class ImageWord(IntEnum):
    """Words of an image's descriptor: sizes in texels, distances in words.

    A texel at (x, y, z) begins at word ``OFFSET + x * TEXEL + y * ROW + z * SLICE``; z is the layer of an array, the
    face of a cube, ``6 * layer + face`` of a cube array.
    """

    WIDTH = 0
    HEIGHT = 1
    DEPTH = 2
    OFFSET = 3
    TEXEL = 4
    ROW = 5
    SLICE = 6


IMAGE_WORDS: Final = 8
#: Words of a line of the modelled memory, and the shift from a word to its line.
LINE_WORDS: Final = 16
LINE_SHIFT: Final = 4


@dataclass(slots=True)
class MemorySlot:
    """A memory of a stage.

    Parameters
    ----------
    name : of the block (with element, ``name[k]``), of the image uniform (with element), "" for shared variables
    block : row of ``Reflection.storage_blocks`` (counters: of ``Reflection.counter_buffers``; images: of
        ``Reflection.uniforms``), -1 for shared variables
    words : of shared variables: how many there are; of others: what the program's fixed part needs at least
    element : of an array of images
    is_written : some instruction of the stage writes it
    descriptor : of an image: first word of its descriptor in the stage's constant area 0
    is_open : of an image that is only written: the shader says no format; words are those of four whole channels
    """

    name: str
    kind: MemoryKind
    block: int = -1
    words: int = 0
    element: int = 0
    is_written: bool = False
    descriptor: int = -1
    is_open: bool = False


@dataclass(slots=True)
class MemoryRef:
    """What an ``mload`` or ``mstore`` reaches: component c of the value is word ``address + c * component_stride``."""

    slot: int
    component_stride: int = 1


@dataclass(slots=True)
class TouchRef:
    """What an ``mtouch`` marks: the lines of ``width`` components, as of :class:`MemoryRef`.

    Word ``2 * line`` of the slot is for reads, the next one for writes.
    """

    slot: int
    width: int
    component_stride: int
    is_write: bool

    @property
    def steps(self) -> list[int]:
        """Words from the first component to those whose lines can be others."""
        dense = self.component_stride == 1 and self.width <= LINE_WORDS
        components = sorted({0, self.width - 1}) if dense else range(self.width)
        return [component * self.component_stride for component in components]


@dataclass(slots=True)
class AtomicRef:
    """What an ``atomic`` reaches, and how it changes it."""

    slot: int
    kind: AtomicKind
