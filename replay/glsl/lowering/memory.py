"""Lowering of memory: parts of storage blocks and shared variables, atomic functions, images, atomic counters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from replay.glsl.builder import Builder
from replay.glsl.ir import AtomicRef, Instr, MemoryRef
from replay.glsl.layout import layout_fields, layout_of
from replay.glsl.lowering.functions import call_builtin
from replay.glsl.lowering.storage import Lowered, MemoryLeaf, Ref, StructStore, as_index, column_type
from replay.glsl.memory import AtomicKind, ImageWord
from replay.glsl.types import FLOAT, INT, UINT, ArrayType, Base, Dim, ImageType, NumericType, StructType, Type, vector

__all__ = ["MemoryPlace", "atomic", "call_counter", "call_image"]

_ATOMIC_KINDS: Final = {
    "Add": AtomicKind.ADD,
    "Min": AtomicKind.MIN,
    "Max": AtomicKind.MAX,
    "And": AtomicKind.AND,
    "Or": AtomicKind.OR,
    "Xor": AtomicKind.XOR,
    "Exchange": AtomicKind.EXCHANGE,
    "CompSwap": AtomicKind.COMP_SWAP,
}


#: A word that lies in no memory, nor do those behind it.
NOWHERE: Final = -(1 << 31)


class MemoryPlace(Ref):
    """A part of a memory: the word where it begins, as a number and what is known at run time only.

    Parameters
    ----------
    slot : row of ``StageIR.memories``
    word, address : first word: the sum of both
    tight : laid out by std430
    step : words between components of a vector (of a row-major matrix's column)
    chosen : components of the vector that are meant
    """

    __slots__ = ("address", "chosen", "row_major", "slot", "step", "tight", "word")

    def __init__(
        self,
        slot: int,
        type: Type,
        word: int,
        address: Instr | None,
        row_major: bool,
        tight: bool,
        step: int = 1,
        chosen: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(StructStore({}), type)
        self.slot = slot
        self.word = word
        self.address = address
        self.row_major = row_major
        self.tight = tight
        self.step = step
        self.chosen = chosen

    def _moved(self, type: Type, word: int, address: Instr | None, step: int = 1) -> MemoryPlace:
        return MemoryPlace(self.slot, type, word, address, self.row_major, self.tight, step)

    def field(self, name: str) -> MemoryPlace:
        """Member of a structure (or of the block)."""
        assert isinstance(self.type, StructType)
        member = self.type.by_name[name]
        offsets, _ = layout_fields(self.type.fields, self.row_major, self.tight)
        at = offsets[[f.name for f in self.type.fields].index(name)]
        out = self._moved(member.type, self.word + at // 4, self.address)
        out.row_major = self.row_major or member.row_major
        return out

    def at(self, b: Builder, index: Instr | int) -> MemoryPlace:
        """Element of an array, column of a matrix, component of a vector."""
        type = self.type
        if isinstance(index, Instr) and index.op == "const":
            index = int(index.attr[0])
        if isinstance(type, ArrayType):
            return self._at(b, type.element, index, layout_of(type, self.row_major, self.tight).array_stride // 4)
        assert isinstance(type, NumericType)
        if type.is_matrix:
            stride = layout_of(type, self.row_major, self.tight).matrix_stride // 4
            column = column_type(type)
            return self._at(b, column, index, *((1, stride) if self.row_major else (stride, 1)))
        scalar = vector(type.base, 1)
        if self.chosen is not None:
            if isinstance(index, int):
                return self.swizzle((min(max(index, 0), len(self.chosen) - 1),))
            picked = b.int_constant(self.chosen[0])
            for k, component in enumerate(self.chosen[1:], 1):
                picked = b.op(
                    "select", b.op("ieq", as_index(b, index), b.int_constant(k)), b.int_constant(component), picked
                )
            index = picked
        return self._at(b, scalar, index, self.step, self.step)

    def _at(self, b: Builder, type: Type, index: Instr | int, stride: int, step: int = 1) -> MemoryPlace:
        if isinstance(index, int):
            return self._moved(type, self.word + index * stride, self.address, step)
        part = b.op("imul", as_index(b, index), b.int_constant(stride))
        return self._moved(type, self.word, part if self.address is None else b.op("iadd", self.address, part), step)

    def swizzle(self, components: tuple[int, ...]) -> MemoryPlace:
        """Components of a vector."""
        assert isinstance(self.type, NumericType)
        if self.chosen is not None:
            components = tuple(self.chosen[c] for c in components)
        out = self._moved(vector(self.type.base, len(components)), self.word, self.address, self.step)
        out.chosen = components
        return out

    def place(self, b: Builder, component: int = 0) -> Instr:
        """Word of a component, an INT."""
        if self.chosen is not None:
            component = self.chosen[component]
        word = b.int_constant(self.word + component * self.step)
        return word if self.address is None else b.op("iadd", self.address, word)

    def _parts(self, b: Builder) -> list[MemoryPlace] | None:
        """Parts of what is no scalar or vector."""
        type = self.type
        if isinstance(type, StructType):
            return [self.field(f.name) for f in type.fields]
        if isinstance(type, ArrayType):
            return [self.at(b, k) for k in range(max(type.length, 1))]
        assert isinstance(type, NumericType)
        return [self.at(b, k) for k in range(type.columns)] if type.is_matrix else None

    def load(self, b: Builder) -> Lowered:
        """Read the whole value."""
        parts = self._parts(b)
        if parts is not None:
            return [part.load(b) for part in parts]
        type = self.type
        assert isinstance(type, NumericType)
        held = vector(Base.UINT, type.width) if type.base == Base.BOOL else type
        if self.chosen is None:
            value = b.memory("mload", held, (self.place(b),), MemoryRef(self.slot, self.step))
        else:
            scalar, ref = vector(held.base, 1), MemoryRef(self.slot)
            value = b.vec([b.memory("mload", scalar, (self.place(b, k),), ref) for k in range(type.width)])
        return b.op("ine", value, b.constant(UINT, (0,))) if type.base == Base.BOOL else value

    def store_value(self, b: Builder, value: Lowered) -> None:
        """Write the whole value."""
        parts = self._parts(b)
        if parts is not None:
            assert isinstance(value, list)
            for part, element in zip(parts, value, strict=True):
                part.store_value(b, element)
            return
        assert isinstance(value, Instr)
        if value.type.base == Base.BOOL:
            value = b.op("bitcast", b.op("b2i", value), type=vector(Base.UINT, value.type.width))
        if self.chosen is None:
            b.memory("mstore", None, (self.place(b), value), MemoryRef(self.slot, self.step))
            return
        for k in range(value.type.width):
            b.memory("mstore", None, (self.place(b, k), b.swizzle(value, (k,))), MemoryRef(self.slot))

    def length(self, b: Builder) -> Instr:
        """Elements of an array without size: those that lie in the buffer as a whole."""
        stride = layout_of(self.type, self.row_major, self.tight).array_stride // 4
        size = b.memory("msize", INT, (), MemoryRef(self.slot))
        behind = b.op("imax", b.op("isub", size, self.place(b)), b.int_constant(0))
        return b.op("idiv", behind, b.int_constant(stride))


def atomic(b: Builder, name: str, place: MemoryPlace, operands: list[Instr]) -> Instr:
    """``atomicAdd`` and its kin; gives what was there before."""
    kind = _ATOMIC_KINDS[name.removeprefix("atomic")]
    return b.memory("atomic", operands[0].type, (place.place(b), *operands), AtomicRef(place.slot, kind))


# Atomic counters ---------------------------------------------------------------------------------------------------
def call_counter(b: Builder, name: str, leaf: MemoryLeaf, static: int, dynamic: Instr | None) -> Instr:
    """``atomicCounter``, ``atomicCounterIncrement``, ``atomicCounterDecrement`` (which gives the value after)."""
    word = b.int_constant(leaf.first + static)
    if dynamic is not None:
        # A counter out of range is none at all.
        inside = b.op("ult", b.op("bitcast", dynamic, type=UINT), b.constant(UINT, (leaf.count - static,)))
        word = b.op("select", inside, b.op("iadd", dynamic, word), b.int_constant(NOWHERE))
    slot = leaf.slots[0]
    if name == "atomicCounter":
        return b.memory("mload", UINT, (word,), MemoryRef(slot))
    step = 1 if name == "atomicCounterIncrement" else 0xFFFFFFFF
    change = b.constant(UINT, (step,))
    old = b.memory("atomic", UINT, (word, change), AtomicRef(slot, AtomicKind.ADD))
    return old if step == 1 else b.op("iadd", old, change)


# Images ------------------------------------------------------------------------------------------------------------
#: Coordinates of an image by its kind, and those of them that imageSize tells.
_NUM_COORDS: Final = {
    Dim.D1: 1,
    Dim.D2: 2,
    Dim.D3: 3,
    Dim.RECT: 2,
    Dim.CUBE: 3,
    Dim.BUFFER: 1,
    Dim.D1_ARRAY: 2,
    Dim.D2_ARRAY: 3,
}


class _Texel:
    """How a format lies in words.

    Parameters
    ----------
    words : of a texel
    channels : that it has
    bits : of a channel
    base : of the value
    norm : "unorm", "snorm" or ""
    """

    def __init__(self, format: str) -> None:
        self.channels = next(k for k, letter in enumerate(format) if letter.isdigit())
        rest = format[self.channels :]
        self.bits = int("".join(c for c in rest.partition("_")[0] if c.isdigit()))
        self.words = max(self.channels * self.bits // 32, 1)
        self.base = Base.UINT if rest.endswith("ui") else Base.INT if rest.endswith("i") else Base.FLOAT
        normalised = self.base == Base.FLOAT and not rest.endswith("f")
        self.norm = "" if not normalised else "snorm" if rest.endswith("_snorm") else "unorm"


def _descriptor(b: Builder, leaf: MemoryLeaf, element: int, word: ImageWord) -> Instr:
    assert leaf.descriptor is not None
    whole = leaf.descriptor.load(b, vector(Base.INT, 4), 2 * element + word // 4, None)
    return b.swizzle(whole, (word % 4,))


def _size(b: Builder, leaf: MemoryLeaf, element: int) -> Instr:
    assert isinstance(leaf.type, ImageType)
    width, height, depth = (
        _descriptor(b, leaf, element, w) for w in (ImageWord.WIDTH, ImageWord.HEIGHT, ImageWord.DEPTH)
    )
    parts = {Dim.D1_ARRAY: [width, depth], Dim.CUBE: [width, height]}.get(leaf.type.dim, [width, height, depth])
    count = {Dim.CUBE: 2}.get(leaf.type.dim, _NUM_COORDS[leaf.type.dim])
    return b.vec(parts[:count])


def _address(b: Builder, leaf: MemoryLeaf, element: int, at: Instr) -> Instr:
    """First word of a texel, NOWHERE for one outside of the image."""
    assert isinstance(leaf.type, ImageType)
    dim = leaf.type.dim
    x, *others = (b.swizzle(at, (k,)) for k in range(_NUM_COORDS[dim]))
    axes = [(x, ImageWord.WIDTH, ImageWord.TEXEL)]
    names = [(ImageWord.HEIGHT, ImageWord.ROW), (ImageWord.DEPTH, ImageWord.SLICE)]
    if dim == Dim.D1_ARRAY:
        names = names[1:]
    axes += [(value, *name) for value, name in zip(others, names, strict=False)]
    address = _descriptor(b, leaf, element, ImageWord.OFFSET)
    inside: Instr | None = None
    for value, size, distance in axes:
        limit = b.op("bitcast", _descriptor(b, leaf, element, size), type=UINT)
        fits = b.op("ult", b.op("bitcast", value, type=UINT), limit)
        inside = fits if inside is None else b.op("band", inside, fits)
        address = b.op("iadd", address, b.op("imul", value, _descriptor(b, leaf, element, distance)))
    assert inside is not None
    return b.op("select", inside, address, b.int_constant(NOWHERE))


def _unorm_channels(b: Builder, texel: _Texel, word: Instr) -> list[Instr]:
    """Channels of a normalised word, multiplied by the reciprocal of the largest code as llvmpipe does."""
    mask = (1 << texel.bits) - 1
    codes = [b.op("ushr", word, b.constant(UINT, (first,))) for first in range(0, 32, texel.bits)]
    floats = [b.op("u2f", b.op("iand", code, b.constant(UINT, (mask,)))) for code in codes]
    return [b.op("fmul", value, b.float_constant(float(np.float32(1.0 / mask)))) for value in floats]


def _unorm_code(b: Builder, texel: _Texel, channel: Instr) -> Instr:
    """Code of a normalised channel: rounded by adding a number whose last bit is a step, as llvmpipe does."""
    steps = 1 << texel.bits
    inside = b.op("fmin", b.op("fmax", channel, b.float_constant(0.0)), b.float_constant(1.0))
    scaled = b.op("fmul", inside, b.float_constant((steps - 1) / steps))
    return b.op("fadd", scaled, b.float_constant(float(1 << (23 - texel.bits))))


def _truncated(b: Builder, channel: Instr) -> Instr:
    """Finite numbers that halves hold exactly: those nearer to 0, which is how llvmpipe stores halves."""
    largest = b.float_constant(65504.0)
    bounded = b.op("fmin", b.op("fmax", channel, b.op("fneg", largest)), largest)
    finite = b.op("flt", b.op("fabs", channel), b.float_constant(math.inf))
    bits = b.op("iand", b.op("bitcast", bounded, type=UINT), b.constant(UINT, (0xFFFFE000,)))
    return b.select(finite, b.op("bitcast", bits, type=FLOAT), channel)


def _unpack(b: Builder, texel: _Texel, words: Instr) -> list[Instr]:
    """Channels of a texel."""
    split = [b.swizzle(words, (k,)) for k in range(texel.words)]
    if texel.bits == 32:
        return [b.op("bitcast", word, type=vector(texel.base, 1)) for word in split]
    channels: list[Instr] = []
    for word in split:
        if texel.norm == "unorm":
            channels += _unorm_channels(b, texel, word)
        elif texel.base == Base.FLOAT:
            name = "unpackSnorm" if texel.norm else "unpackHalf"
            name += "4x8" if texel.bits == 8 else "2x16"
            value = call_builtin(b, name, [word], FLOAT)
            assert isinstance(value, Instr)
            channels += [b.swizzle(value, (k,)) for k in range(32 // texel.bits)]
        else:
            for first in range(0, 32, texel.bits):
                signed = texel.base == Base.INT
                up = b.op("ishl", word, b.constant(UINT, (32 - texel.bits - first,)))
                up = b.op("bitcast", up, type=INT) if signed else up
                shift = b.constant(up.type, (32 - texel.bits,))
                channels.append(b.op("ishr" if signed else "ushr", up, shift))
    return channels[: texel.channels]


def _pack(b: Builder, texel: _Texel, value: Instr) -> Instr:
    """Words of a texel from its channels."""
    channels = [b.swizzle(value, (k,)) for k in range(texel.channels)]
    if texel.bits == 32:
        return b.vec([b.op("bitcast", channel, type=UINT) for channel in channels])
    words: list[Instr] = []
    each = 32 // texel.bits
    for first in range(0, texel.channels, each):
        part = channels[first : first + each]
        if texel.norm == "unorm":
            part = [_unorm_code(b, texel, channel) for channel in part]
        elif texel.base == Base.FLOAT:
            name = "packSnorm" if texel.norm else "packHalf"
            if not texel.norm:
                part = [_truncated(b, channel) for channel in part]
            word = call_builtin(b, name + ("4x8" if texel.bits == 8 else "2x16"), [b.vec(part)], UINT)
            assert isinstance(word, Instr)
            words.append(word)
            continue
        total: Instr | None = None
        for k, channel in enumerate(part):
            bits = b.op("iand", b.op("bitcast", channel, type=UINT), b.constant(UINT, ((1 << texel.bits) - 1,)))
            bits = b.op("ishl", bits, b.constant(UINT, (k * texel.bits,))) if k else bits
            total = bits if total is None else b.op("ior", total, bits)
        assert total is not None
        words.append(total)
    return b.vec(words)


def _image_load(b: Builder, leaf: MemoryLeaf, element: int, args: list[Any]) -> Instr:
    assert isinstance(leaf.type, ImageType)
    texel = _Texel(leaf.format)
    ref = MemoryRef(leaf.slots[element])
    words = b.memory("mload", vector(Base.UINT, texel.words), (_address(b, leaf, element, args[0]),), ref)
    channels = _unpack(b, texel, words)
    scalar = vector(texel.base, 1)
    fill = [b.constant(scalar, (0,))] * 3 + [b.constant(scalar, (1,))]
    return b.vec(channels + fill[len(channels) :])


def _image_store(b: Builder, leaf: MemoryLeaf, element: int, args: list[Any]) -> None:
    texel = _Texel(leaf.format)
    words = _pack(b, texel, args[1])
    b.memory("mstore", None, (_address(b, leaf, element, args[0]), words), MemoryRef(leaf.slots[element]))


def _image_atomic(b: Builder, name: str, leaf: MemoryLeaf, element: int, args: list[Any]) -> Instr:
    kind = _ATOMIC_KINDS[name.removeprefix("imageAtomic")]
    operands = [b.op("bitcast", arg, type=UINT) if arg.type is FLOAT else arg for arg in args[1:]]
    place = _address(b, leaf, element, args[0])
    old = b.memory("atomic", operands[0].type, (place, *operands), AtomicRef(leaf.slots[element], kind))
    return b.op("bitcast", old, type=args[1].type) if old.type is not args[1].type else old


def call_image(b: Builder, name: str, leaf: MemoryLeaf, element: int, args: list[Any]) -> Instr | None:
    """A function of an image; ``args`` are those behind the image."""
    if name == "imageSize":
        return _size(b, leaf, element)
    emit: Callable[..., Instr | None] | None = {"imageLoad": _image_load, "imageStore": _image_store}.get(name)
    return emit(b, leaf, element, args) if emit is not None else _image_atomic(b, name, leaf, element, args)
