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
        at = offsets[[one.name for one in self.type.fields].index(name)]
        out = self._moved(member.type, self.word + at // 4, self.address)
        out.row_major = self.row_major or member.row_major
        return out

    def at(self, build: Builder, index: Instr | int) -> MemoryPlace:
        """Element of an array, column of a matrix, component of a vector."""
        type = self.type
        if isinstance(index, Instr) and index.op == "const":
            index = int(index.attr[0])
        if isinstance(type, ArrayType):
            return self._at(build, type.element, index, layout_of(type, self.row_major, self.tight).array_stride // 4)
        assert isinstance(type, NumericType)
        if type.is_matrix:
            stride = layout_of(type, self.row_major, self.tight).matrix_stride // 4
            column = column_type(type)
            return self._at(build, column, index, *((1, stride) if self.row_major else (stride, 1)))
        scalar = vector(type.base, 1)
        if self.chosen is not None:
            if isinstance(index, int):
                return self.swizzle((min(max(index, 0), len(self.chosen) - 1),))
            picked = build.int_constant(self.chosen[0])
            for k, component in enumerate(self.chosen[1:], 1):
                picked = build.op(
                    "select",
                    build.op("ieq", as_index(build, index), build.int_constant(k)),
                    build.int_constant(component),
                    picked,
                )
            index = picked
        return self._at(build, scalar, index, self.step, self.step)

    def _at(self, build: Builder, type: Type, index: Instr | int, stride: int, step: int = 1) -> MemoryPlace:
        if isinstance(index, int):
            return self._moved(type, self.word + index * stride, self.address, step)
        part = build.op("imul", as_index(build, index), build.int_constant(stride))
        return self._moved(
            type, self.word, part if self.address is None else build.op("iadd", self.address, part), step
        )

    def swizzle(self, components: tuple[int, ...]) -> MemoryPlace:
        """Components of a vector."""
        assert isinstance(self.type, NumericType)
        if self.chosen is not None:
            components = tuple(self.chosen[component] for component in components)
        out = self._moved(vector(self.type.base, len(components)), self.word, self.address, self.step)
        out.chosen = components
        return out

    def place(self, build: Builder, component: int = 0) -> Instr:
        """Word of a component, an INT."""
        if self.chosen is not None:
            component = self.chosen[component]
        word = build.int_constant(self.word + component * self.step)
        return word if self.address is None else build.op("iadd", self.address, word)

    def _parts(self, build: Builder) -> list[MemoryPlace] | None:
        """Parts of what is no scalar or vector."""
        type = self.type
        if isinstance(type, StructType):
            return [self.field(one.name) for one in type.fields]
        if isinstance(type, ArrayType):
            return [self.at(build, k) for k in range(max(type.length, 1))]
        assert isinstance(type, NumericType)
        return [self.at(build, k) for k in range(type.columns)] if type.is_matrix else None

    def load(self, build: Builder) -> Lowered:
        """Read the whole value."""
        parts = self._parts(build)
        if parts is not None:
            return [part.load(build) for part in parts]
        type = self.type
        assert isinstance(type, NumericType)
        held = vector(Base.UINT, type.width) if type.base == Base.BOOL else type
        if self.chosen is None:
            value = build.memory("mload", held, (self.place(build),), MemoryRef(self.slot, self.step))
        else:
            scalar, ref = vector(held.base, 1), MemoryRef(self.slot)
            value = build.vec([build.memory("mload", scalar, (self.place(build, k),), ref) for k in range(type.width)])
        return build.op("ine", value, build.constant(UINT, (0,))) if type.base == Base.BOOL else value

    def store_value(self, build: Builder, value: Lowered) -> None:
        """Write the whole value."""
        parts = self._parts(build)
        if parts is not None:
            assert isinstance(value, list)
            for part, element in zip(parts, value, strict=True):
                part.store_value(build, element)
            return
        assert isinstance(value, Instr)
        if value.type.base == Base.BOOL:
            value = build.op("bitcast", build.op("b2i", value), type=vector(Base.UINT, value.type.width))
        if self.chosen is None:
            build.memory("mstore", None, (self.place(build), value), MemoryRef(self.slot, self.step))
            return
        for k in range(value.type.width):
            build.memory("mstore", None, (self.place(build, k), build.swizzle(value, (k,))), MemoryRef(self.slot))

    def length(self, build: Builder) -> Instr:
        """Elements of an array without size: those that lie in the buffer as a whole."""
        stride = layout_of(self.type, self.row_major, self.tight).array_stride // 4
        size = build.memory("msize", INT, (), MemoryRef(self.slot))
        behind = build.op("imax", build.op("isub", size, self.place(build)), build.int_constant(0))
        return build.op("idiv", behind, build.int_constant(stride))


def atomic(build: Builder, name: str, place: MemoryPlace, operands: list[Instr]) -> Instr:
    """``atomicAdd`` and its kin; gives what was there before."""
    kind = _ATOMIC_KINDS[name.removeprefix("atomic")]
    return build.memory("atomic", operands[0].type, (place.place(build), *operands), AtomicRef(place.slot, kind))


# Atomic counters ---------------------------------------------------------------------------------------------------
def call_counter(build: Builder, name: str, leaf: MemoryLeaf, static: int, dynamic: Instr | None) -> Instr:
    """``atomicCounter``, ``atomicCounterIncrement``, ``atomicCounterDecrement`` (which gives the value after)."""
    word = build.int_constant(leaf.first + static)
    if dynamic is not None:
        # A counter out of range is none at all.
        inside = build.op("ult", build.op("bitcast", dynamic, type=UINT), build.constant(UINT, (leaf.count - static,)))
        word = build.op("select", inside, build.op("iadd", dynamic, word), build.int_constant(NOWHERE))
    slot = leaf.slots[0]
    if name == "atomicCounter":
        return build.memory("mload", UINT, (word,), MemoryRef(slot))
    step = 1 if name == "atomicCounterIncrement" else 0xFFFFFFFF
    change = build.constant(UINT, (step,))
    old = build.memory("atomic", UINT, (word, change), AtomicRef(slot, AtomicKind.ADD))
    return old if step == 1 else build.op("iadd", old, change)


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
    Dim.CUBE_ARRAY: 3,
}


#: Bits of a half without its sign.
_HALF_BITS: Final = 15
#: Bits of the channels of formats that share a word unevenly, from the lowest.
_PACKED: Final = {"rgb10_a2": (10, 10, 10, 2), "rgb10_a2ui": (10, 10, 10, 2), "r11f_g11f_b10f": (11, 11, 10)}


class _Texel:
    """How a format lies in words.

    Parameters
    ----------
    words : of a texel
    channels : that it has
    bits : of a channel, the most that one has
    fields : (first bit, bits) of each channel of a word
    base : of the value
    norm : "unorm", "snorm" or ""
    """

    def __init__(self, format: str) -> None:
        widths = _PACKED.get(format)
        if widths is not None:
            self.channels, self.words, self.bits = len(widths), 1, max(widths)
            self.fields = [(sum(widths[:k]), width) for k, width in enumerate(widths)]
            self.base = Base.UINT if format.endswith("ui") else Base.FLOAT
            self.norm = "unorm" if format == "rgb10_a2" else ""
            return
        self.channels = next(k for k, letter in enumerate(format) if letter.isdigit())
        rest = format[self.channels :]
        self.bits = int("".join(component for component in rest.partition("_")[0] if component.isdigit()))
        self.words = max(self.channels * self.bits // 32, 1)
        self.base = Base.UINT if rest.endswith("ui") else Base.INT if rest.endswith("i") else Base.FLOAT
        self.fields = [(first, self.bits) for first in range(0, 32, self.bits)]
        normalised = self.base == Base.FLOAT and not rest.endswith("f")
        self.norm = "" if not normalised else "snorm" if rest.endswith("_snorm") else "unorm"


def _descriptor(build: Builder, leaf: MemoryLeaf, element: int, word: ImageWord) -> Instr:
    assert leaf.descriptor is not None
    whole = leaf.descriptor.load(build, vector(Base.INT, 4), 2 * element + word // 4, None)
    return build.swizzle(whole, (word % 4,))


def _size(build: Builder, leaf: MemoryLeaf, element: int) -> Instr:
    assert isinstance(leaf.type, ImageType)
    width, height, depth = (
        _descriptor(build, leaf, element, one) for one in (ImageWord.WIDTH, ImageWord.HEIGHT, ImageWord.DEPTH)
    )
    if leaf.type.dim == Dim.CUBE_ARRAY:
        depth = build.op("idiv", depth, build.int_constant(6))
    parts = {Dim.D1_ARRAY: [width, depth], Dim.CUBE: [width, height]}.get(leaf.type.dim, [width, height, depth])
    count = {Dim.CUBE: 2}.get(leaf.type.dim, _NUM_COORDS[leaf.type.dim])
    return build.vec(parts[:count])


def _address(build: Builder, leaf: MemoryLeaf, element: int, at: Instr) -> Instr:
    """First word of a texel, NOWHERE for one outside of the image."""
    assert isinstance(leaf.type, ImageType)
    dim = leaf.type.dim
    x, *others = (build.swizzle(at, (k,)) for k in range(_NUM_COORDS[dim]))
    axes = [(x, ImageWord.WIDTH, ImageWord.TEXEL)]
    names = [(ImageWord.HEIGHT, ImageWord.ROW), (ImageWord.DEPTH, ImageWord.SLICE)]
    if dim == Dim.D1_ARRAY:
        names = names[1:]
    axes += [(value, *name) for value, name in zip(others, names, strict=False)]
    address = _descriptor(build, leaf, element, ImageWord.OFFSET)
    inside: Instr | None = None
    for value, size, distance in axes:
        limit = build.op("bitcast", _descriptor(build, leaf, element, size), type=UINT)
        fits = build.op("ult", build.op("bitcast", value, type=UINT), limit)
        inside = fits if inside is None else build.op("band", inside, fits)
        address = build.op("iadd", address, build.op("imul", value, _descriptor(build, leaf, element, distance)))
    assert inside is not None
    return build.op("select", inside, address, build.int_constant(NOWHERE))


def _unorm_channels(build: Builder, texel: _Texel, word: Instr) -> list[Instr]:
    """Channels of a normalised word, multiplied by the reciprocal of the largest code as llvmpipe does."""
    found = []
    for first, bits in texel.fields:
        code = build.op("u2f", _field(build, word, first, bits))
        found.append(build.op("fmul", code, build.float_constant(float(np.float32(1.0 / ((1 << bits) - 1))))))
    return found


def _field(build: Builder, word: Instr, first: int, bits: int) -> Instr:
    """Some bits of a word."""
    moved = build.op("ushr", word, build.constant(UINT, (first,)))
    return build.op("iand", moved, build.constant(UINT, ((1 << bits) - 1,)))


def _small_floats(build: Builder, texel: _Texel, word: Instr) -> list[Instr]:
    """Channels of floats without sign: halves but for bits that are missing at their end."""
    found = []
    for first, bits in texel.fields:
        half = build.op("ishl", _field(build, word, first, bits), build.constant(UINT, (_HALF_BITS - bits,)))
        value = call_builtin(build, "unpackHalf2x16", [half], FLOAT)
        assert isinstance(value, Instr)
        found.append(build.swizzle(value, (0,)))
    return found


def _small_float_code(build: Builder, bits: int, channel: Instr) -> Instr:
    """Code of a float without sign: what is negative is 0, all else as of halves."""
    positive = build.op("flt", channel, build.float_constant(0.0))
    positive = build.select(positive, build.float_constant(0.0), channel)
    kept = _truncated(build, positive, bits - 5)
    word = call_builtin(build, "packHalf2x16", [build.vec([kept, build.float_constant(0.0)])], UINT)
    assert isinstance(word, Instr)
    return build.op("ushr", word, build.constant(UINT, (_HALF_BITS - bits,)))


def _unorm_code(build: Builder, bits: int, channel: Instr) -> Instr:
    """Code of a normalised channel: rounded by adding a number whose last bit is a step, as llvmpipe does."""
    steps = 1 << bits
    inside = build.op("fmin", build.op("fmax", channel, build.float_constant(0.0)), build.float_constant(1.0))
    scaled = build.op("fmul", inside, build.float_constant((steps - 1) / steps))
    return build.op("fadd", scaled, build.float_constant(float(1 << (23 - bits))))


def _truncated(build: Builder, channel: Instr, mantissa: int = 10) -> Instr:
    """Finite numbers that halves, or those of fewer bits of mantissa, hold: those nearer to 0, as llvmpipe stores."""
    largest = build.float_constant(65536.0 - 2.0 ** (15 - mantissa))
    bounded = build.op("fmin", build.op("fmax", channel, build.op("fneg", largest)), largest)
    finite = build.op("flt", build.op("fabs", channel), build.float_constant(math.inf))
    bits = build.op(
        "iand", build.op("bitcast", bounded, type=UINT), build.constant(UINT, (-(1 << (23 - mantissa)) & 0xFFFFFFFF,))
    )
    return build.select(finite, build.op("bitcast", bits, type=FLOAT), channel)


def _unpack(build: Builder, texel: _Texel, words: Instr) -> list[Instr]:
    """Channels of a texel."""
    split = [build.swizzle(words, (k,)) for k in range(texel.words)]
    if texel.bits == 32:
        return [build.op("bitcast", word, type=vector(texel.base, 1)) for word in split]
    channels: list[Instr] = []
    for word in split:
        if texel.norm == "unorm":
            channels += _unorm_channels(build, texel, word)
        elif texel.base == Base.FLOAT and texel.bits == 11:
            channels += _small_floats(build, texel, word)
        elif texel.base == Base.FLOAT:
            name = "unpackSnorm" if texel.norm else "unpackHalf"
            name += "4x8" if texel.bits == 8 else "2x16"
            value = call_builtin(build, name, [word], FLOAT)
            assert isinstance(value, Instr)
            channels += [build.swizzle(value, (k,)) for k in range(32 // texel.bits)]
        else:
            for first, bits in texel.fields:
                signed = texel.base == Base.INT
                up = build.op("ishl", word, build.constant(UINT, (32 - bits - first,)))
                up = build.op("bitcast", up, type=INT) if signed else up
                shift = build.constant(up.type, (32 - bits,))
                channels.append(build.op("ishr" if signed else "ushr", up, shift))
    return channels[: texel.channels]


def _pack(build: Builder, texel: _Texel, value: Instr) -> Instr:
    """Words of a texel from its channels."""
    channels = [build.swizzle(value, (k,)) for k in range(texel.channels)]
    if texel.bits == 32:
        return build.vec([build.op("bitcast", channel, type=UINT) for channel in channels])
    words: list[Instr] = []
    each = len(texel.fields)
    for first in range(0, texel.channels, each):
        part = channels[first : first + each]
        if texel.norm == "unorm":
            part = [_unorm_code(build, bits, channel) for channel, (_, bits) in zip(part, texel.fields, strict=False)]
        elif texel.base == Base.FLOAT and texel.bits == 11:
            part = [
                _small_float_code(build, bits, channel) for channel, (_, bits) in zip(part, texel.fields, strict=True)
            ]
        elif texel.base == Base.FLOAT:
            name = "packSnorm" if texel.norm else "packHalf"
            if not texel.norm:
                part = [_truncated(build, channel) for channel in part]
            part += [build.float_constant(0.0)] * (each - len(part))
            word = call_builtin(build, name + ("4x8" if texel.bits == 8 else "2x16"), [build.vec(part)], UINT)
            assert isinstance(word, Instr)
            words.append(word)
            continue
        total: Instr | None = None
        for channel, (place, width) in zip(part, texel.fields, strict=False):
            bits = build.op("iand", build.op("bitcast", channel, type=UINT), build.constant(UINT, ((1 << width) - 1,)))
            bits = build.op("ishl", bits, build.constant(UINT, (place,))) if place else bits
            total = bits if total is None else build.op("ior", total, bits)
        assert total is not None
        words.append(total)
    return build.vec(words)


def _image_load(build: Builder, leaf: MemoryLeaf, element: int, args: list[Any]) -> Instr:
    assert isinstance(leaf.type, ImageType)
    texel = _Texel(leaf.format)
    ref = MemoryRef(leaf.slots[element])
    words = build.memory("mload", vector(Base.UINT, texel.words), (_address(build, leaf, element, args[0]),), ref)
    channels = _unpack(build, texel, words)
    scalar = vector(texel.base, 1)
    fill = [build.constant(scalar, (0,))] * 3 + [build.constant(scalar, (1,))]
    return build.vec(channels + fill[len(channels) :])


def _image_store(build: Builder, leaf: MemoryLeaf, element: int, args: list[Any]) -> None:
    texel = _Texel(leaf.format)
    words = _pack(build, texel, args[1])
    build.memory("mstore", None, (_address(build, leaf, element, args[0]), words), MemoryRef(leaf.slots[element]))


def _image_atomic(build: Builder, name: str, leaf: MemoryLeaf, element: int, args: list[Any]) -> Instr:
    kind = _ATOMIC_KINDS[name.removeprefix("imageAtomic")]
    operands = [build.op("bitcast", arg, type=UINT) if arg.type is FLOAT else arg for arg in args[1:]]
    place = _address(build, leaf, element, args[0])
    old = build.memory("atomic", operands[0].type, (place, *operands), AtomicRef(leaf.slots[element], kind))
    return build.op("bitcast", old, type=args[1].type) if old.type is not args[1].type else old


def call_image(build: Builder, name: str, leaf: MemoryLeaf, element: int, args: list[Any]) -> Instr | None:
    """A function of an image; ``args`` are those behind the image."""
    if name == "imageSize":
        return _size(build, leaf, element)
    emit: Callable[..., Instr | None] | None = {"imageLoad": _image_load, "imageStore": _image_store}.get(name)
    return emit(build, leaf, element, args) if emit is not None else _image_atomic(build, name, leaf, element, args)
