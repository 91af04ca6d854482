"""Code for the instructions of the IR: operations, variables, constants, inputs and textures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from replay.glsl import mathlib
from replay.glsl.ir import ConstantRef, InputRef, Instr, MemoryRef, StoreRef, TextureRef, Variable, is_short
from replay.glsl.llvm.abi import VECTOR_BYTES
from replay.glsl.llvm.operations import COMPONENTWISE
from replay.glsl.llvm.vectors import LANES, MASK_BYTES, FloatVec, IntVec, LlvmOps, MaskVec, Scalar, Vector
from replay.glsl.memory import LINE_SHIFT, AtomicKind
from replay.glsl.texturing import LookupKind, TextureOperands
from replay.glsl.types import Base

__all__ = ["Components", "ValueWriter", "vector_class"]

#: A value of the IR: one vector a component.
Components = tuple[Any, ...]

_CLASSES: Final[dict[Base, type[Vector]]] = {
    Base.FLOAT: FloatVec,
    Base.INT: IntVec,
    Base.UINT: IntVec,
    Base.BOOL: MaskVec,
}


_ATOMICS: Final = {
    AtomicKind.ADD: "add",
    AtomicKind.MIN: "min",
    AtomicKind.MAX: "max",
    AtomicKind.AND: "and",
    AtomicKind.OR: "or",
    AtomicKind.XOR: "xor",
    AtomicKind.EXCHANGE: "xchg",
}


def vector_class(base: Base) -> type[Vector]:
    """Class of the vectors that hold components of a base type."""
    return _CLASSES[base]


class ValueWriter:
    """Writes straight-line instructions, and remembers the values of those written.

    Parameters
    ----------
    ops : toolkit
    variables : pointer to the storage of each variable
    areas : pointer to each constant area
    inputs : components of each input slot, elements one after the other
    texture : emits one texture instruction: (reference, operands) to four vectors
    memories : pointer to each memory, and its words (i32)
    """

    def __init__(
        self,
        ops: LlvmOps,
        variables: dict[Variable, Scalar],
        areas: Sequence[Scalar],
        inputs: Callable[[int, int], Vector],
        texture: Callable[[TextureRef, TextureOperands], tuple[Any, Any, Any, Any]],
        memories: Sequence[tuple[Scalar, Scalar]] = (),
    ) -> None:
        self._ops = ops
        self._variables = variables
        self._areas = areas
        self._inputs = inputs
        self._texture = texture
        self._memories = memories
        self._values: dict[Instr, Components] = {}
        self._input_storage: dict[int, Scalar] = {}
        self._special: dict[str, Callable[[Instr, Components], Components]] = {
            "const": self._const,
            "swizzle": self._swizzle,
            "vec": self._vec,
            "select": self._select,
            "fdot": self._dot,
            "any": self._any,
            "all": self._all,
            "bitcast": self._bitcast,
            "narrow": self._narrow,
            "pack_half": self._pack_half,
            "unpack_half": self._unpack_half,
            "ddx": self._derivative,
            "ddy": self._derivative,
            "extract": self._extract,
            "insert": self._insert,
            "uniform": self._uniform,
            "input": self._input,
            "load": self._load,
            "mload": self._memory_load,
            "msize": self._memory_size,
        }

    def value(self, instruction: Instr) -> Components:
        """Components of a value that has been written."""
        return self._values[instruction]

    def condition(self, instruction: Instr) -> MaskVec:
        """A BOOL scalar."""
        mask: MaskVec = self._values[instruction][0]
        return mask

    def write(self, instruction: Instr, mask: MaskVec, live: MaskVec) -> None:
        """Write one instruction that runs in the lanes of ``mask``."""
        arguments = [self._values[argument] for argument in instruction.args]
        emit = COMPONENTWISE.get(instruction.op)
        if is_short(instruction):
            self._values[instruction] = self._shortened(instruction, tuple(arguments))
        elif emit is not None:
            ops = self._ops
            self._values[instruction] = tuple(emit(ops, *parts) for parts in zip(*arguments, strict=True))
        elif instruction.op == "store":
            self._store(instruction, arguments, mask)
        elif instruction.op == "mstore":
            self._memory_store(instruction, arguments, self._ops.mask_and(mask, live))
        elif instruction.op == "atomic":
            self._values[instruction] = self._atomic(instruction, arguments, self._ops.mask_and(mask, live))
        elif instruction.op == "mtouch":
            self._touch(instruction, arguments[0][0], self._ops.mask_and(mask, live))
        elif instruction.op == "barrier":
            pass  # of a run that waits for nobody
        elif instruction.op == "tex":
            self._values[instruction] = self._tex(instruction, arguments, mask, live)
        else:
            self._values[instruction] = self._special[instruction.op](instruction, tuple(arguments))

    # ------------------------------------------------------------------ values
    def _shortened(self, instruction: Instr, arguments: Components) -> Components:
        """Result of an operation that is computed in 16 bits."""
        ops, base = self._ops, instruction.type.base
        emit = COMPONENTWISE.get(instruction.op)
        if instruction.op == "fmad":
            products = [self._narrowed(base, ops.fmul(a, b)) for a, b in zip(*arguments[:2], strict=True)]
            found: Components = tuple(map(ops.fadd, products, arguments[2]))
        elif emit is not None:
            found = tuple(emit(ops, *parts) for parts in zip(*arguments, strict=True))
        else:
            found = self._special[instruction.op](instruction, arguments)
        return tuple(self._narrowed(base, component) for component in found)

    def _narrow(self, instruction: Instr, arguments: Components) -> Components:
        return tuple(self._narrowed(instruction.type.base, component) for component in arguments[0])

    def _narrowed(self, base: Base, component: Any) -> Any:
        """What 16 bits keep of a component."""
        function = mathlib.NARROWING[base]
        if base is Base.FLOAT:
            return self._ops.call(function.__name__, (FloatVec,), FloatVec, function, component)
        found: Vector = function(self._ops, component)
        return found

    def _const(self, instruction: Instr, arguments: Components) -> Components:
        ops, base = self._ops, instruction.type.base
        if base is Base.FLOAT:
            return tuple(ops.fconst(value) for value in instruction.attr)
        if base is Base.BOOL:
            return tuple(ops.mask_const(bool(value)) for value in instruction.attr)
        return tuple(ops.iconst(int(value)) for value in instruction.attr)

    def _swizzle(self, instruction: Instr, arguments: Components) -> Components:
        return tuple(arguments[0][component] for component in instruction.attr)

    def _vec(self, instruction: Instr, arguments: Components) -> Components:
        return tuple(component for argument in arguments for component in argument)

    def _select(self, instruction: Instr, arguments: Components) -> Components:
        condition, a, b = arguments
        if len(condition) == 1:
            condition = condition * len(a)
        return tuple(self._ops.select(*parts) for parts in zip(condition, a, b, strict=True))

    def _dot(self, instruction: Instr, arguments: Components) -> Components:
        ops = self._ops
        products = [ops.fmul(a, b) for a, b in zip(*arguments, strict=True)]
        total = products.pop()
        while products:
            total = ops.fadd(total, products.pop())
        return (total,)

    def _any(self, instruction: Instr, arguments: Components) -> Components:
        result = arguments[0][0]
        for component in arguments[0][1:]:
            result = self._ops.mask_or(result, component)
        return (result,)

    def _all(self, instruction: Instr, arguments: Components) -> Components:
        result = arguments[0][0]
        for component in arguments[0][1:]:
            result = self._ops.mask_and(result, component)
        return (result,)

    def _bitcast(self, instruction: Instr, arguments: Components) -> Components:
        wanted = vector_class(instruction.type.base)
        return tuple(self._reinterpret(component, wanted) for component in arguments[0])

    def _reinterpret(self, component: Vector, wanted: type[Vector]) -> Vector:
        if isinstance(component, wanted):
            return component
        if isinstance(component, FloatVec):
            # One bit pattern for every NaN, so that results do not depend on which operand made it.
            bits = self._ops.fbits(component)
            return self._ops.select(self._ops.fne(component, component), self._ops.iconst(0x7FC00000), bits)
        assert isinstance(component, IntVec)
        return self._ops.ibits(component)

    def _pack_half(self, instruction: Instr, arguments: Components) -> Components:
        return (mathlib.pack_half(self._ops, *arguments[0]),)

    def _unpack_half(self, instruction: Instr, arguments: Components) -> Components:
        return mathlib.unpack_half(self._ops, arguments[0][0])

    def _derivative(self, instruction: Instr, arguments: Components) -> Components:
        difference = self._ops.ddx if instruction.op == "ddx" else self._ops.ddy
        return tuple(difference(component) for component in arguments[0])

    def _extract(self, instruction: Instr, arguments: Components) -> Components:
        ops, (vector, (index,)) = self._ops, arguments
        result = vector[0]
        for number, component in enumerate(vector[1:], 1):
            result = ops.select(ops.ile(ops.iconst(number), index), component, result)
        return (result,)

    def _insert(self, instruction: Instr, arguments: Components) -> Components:
        ops, (vector, (index,), (scalar,)) = self._ops, arguments
        index = self._clamped(index, len(vector))
        return tuple(
            ops.select(ops.ieq(index, ops.iconst(number)), scalar, component) for number, component in enumerate(vector)
        )

    def _clamped(self, index: IntVec, count: int) -> IntVec:
        ops = self._ops
        return ops.imax(ops.imin(index, ops.iconst(count - 1)), ops.iconst(0))

    # ------------------------------------------------------------------ memory
    @staticmethod
    def _constant_index(instruction: Instr, argument: int, count: int) -> int | None:
        """The clamped index where it is a constant, 0 where there is none, else None."""
        if len(instruction.args) <= argument:
            return 0
        index = instruction.args[argument]
        return min(max(int(index.attr[0]), 0), count - 1) if index.op == "const" else None

    def _uniform(self, instruction: Instr, arguments: Components) -> Components:
        ops, reference = self._ops, instruction.attr
        assert isinstance(reference, ConstantRef)
        area, base = self._areas[reference.area], instruction.type.base
        fixed = self._constant_index(instruction, 0, reference.count)
        rows = None if fixed is not None else self._scaled(arguments[0][0], reference.count, 4 * reference.stride)
        result: list[Vector] = []
        for component in range(instruction.type.width):
            word = reference.offset + component * reference.component_stride
            if fixed is not None:
                place = 4 * (word + fixed * reference.stride)
                if base is Base.FLOAT:
                    result.append(ops.splat_f(ops.load_constant("float", area, place)))
                    continue
                bits = ops.splat_i(ops.load_constant("i32", area, place))
            else:
                assert rows is not None
                bits = ops.gather(ops.offset(area, 4 * word), rows)
            result.append(self._from_bits(bits, base))
        return tuple(result)

    def _scaled(self, index: IntVec, count: int, stride_bytes: int) -> IntVec:
        return self._ops.imul(self._clamped(index, count), self._ops.iconst(stride_bytes))

    def _from_bits(self, bits: IntVec, base: Base) -> Vector:
        if base is Base.FLOAT:
            return self._ops.ibits(bits)
        return self._ops.ine(bits, self._ops.iconst(0)) if base is Base.BOOL else bits

    def _input(self, instruction: Instr, arguments: Components) -> Components:
        ops, reference, width = self._ops, instruction.attr, instruction.type.width
        assert isinstance(reference, InputRef)
        fixed = self._constant_index(instruction, 0, reference.count)
        if fixed is not None:
            first = (reference.element + fixed * reference.stride) * width
            return tuple(self._inputs(reference.slot, first + component) for component in range(width))
        last = reference.element + (reference.count - 1) * reference.stride
        pointer = ops.allocate(FloatVec, (last + 1) * width)
        for row in range(reference.element * width, (last + 1) * width):
            ops.put(self._inputs(reference.slot, row), ops.offset(pointer, row * VECTOR_BYTES))
        pointer = ops.offset(pointer, reference.element * width * VECTOR_BYTES)
        rows = self._lane_offsets(arguments[0][0], reference.count, reference.stride * width * VECTOR_BYTES)
        kind = instruction.type.base
        return tuple(
            self._from_bits(ops.gather(ops.offset(pointer, component * VECTOR_BYTES), rows), kind)
            for component in range(width)
        )

    def _lane_offsets(self, index: IntVec, count: int, stride_bytes: int) -> IntVec:
        """Byte offset of each lane's own word in element ``index`` of an array of vectors."""
        lanes = self._ops.lane_iconsts([4 * lane for lane in range(LANES)])
        return self._ops.iadd(self._scaled(index, count, stride_bytes), lanes)

    def _load(self, instruction: Instr, arguments: Components) -> Components:
        ops, variable = self._ops, instruction.attr
        assert isinstance(variable, Variable)
        pointer, width, base = self._variables[variable], variable.type.width, variable.type.base
        kind = vector_class(base)
        if not variable.length:
            size = MASK_BYTES if kind is MaskVec else VECTOR_BYTES
            return tuple(ops.get(kind, ops.offset(pointer, component * size)) for component in range(width))
        fixed = self._constant_index(instruction, 0, variable.length)
        if fixed is not None:
            place = fixed * width * VECTOR_BYTES
            parts = tuple(ops.offset(pointer, place + component * VECTOR_BYTES) for component in range(width))
            if kind is not MaskVec:
                return tuple(ops.get(kind, part) for part in parts)
            return tuple(self._from_bits(ops.get(IntVec, part), base) for part in parts)
        rows = self._lane_offsets(arguments[0][0], variable.length, width * VECTOR_BYTES)
        return tuple(
            self._from_bits(ops.gather(ops.offset(pointer, component * VECTOR_BYTES), rows), base)
            for component in range(width)
        )

    def _store(self, instruction: Instr, arguments: Sequence[Components], mask: MaskVec) -> None:
        ops, reference = self._ops, instruction.attr
        assert isinstance(reference, StoreRef)
        variable = reference.variable
        pointer, width = self._variables[variable], variable.type.width
        kind = vector_class(variable.type.base)
        fixed = self._constant_index(instruction, 1, max(variable.length, 1))
        rows = None if fixed is not None else self._lane_offsets(arguments[1][0], variable.length, width * VECTOR_BYTES)
        for value, component in zip(arguments[0], reference.mask, strict=True):
            stored, size = value, VECTOR_BYTES
            if kind is MaskVec and variable.length:
                stored = ops.select(value, ops.iconst(1), ops.iconst(0))
            elif kind is MaskVec:
                size = MASK_BYTES
            place = ops.offset(pointer, ((fixed or 0) * width + component) * size)
            if rows is not None:
                ops.scatter(stored, place, rows, mask)
            elif mask == ops.mask_const(True):
                ops.put(stored, place)
            else:
                ops.put(ops.select(mask, stored, ops.get(type(stored), place)), place)

    # ------------------------------------------------------------------ memory
    def _inside(self, instruction: Instr, first: IntVec, component: int) -> tuple[IntVec, MaskVec]:
        """Byte offset of a component's word, 0 where it lies outside, and the lanes where it lies inside."""
        ops = self._ops
        reference = instruction.attr
        step = component * reference.component_stride if isinstance(reference, MemoryRef) else 0
        word = ops.iadd(first, ops.iconst(step)) if step else first
        inside = ops.ult(word, ops.splat_i(self._memories[reference.slot][1]))
        return ops.shl(ops.select(inside, word, ops.iconst(0)), ops.iconst(2)), inside

    def _memory_load(self, instruction: Instr, arguments: Components) -> Components:
        ops = self._ops
        pointer = self._memories[instruction.attr.slot][0]
        out = []
        for component in range(instruction.type.width):
            place, inside = self._inside(instruction, arguments[0][0], component)
            bits = ops.select(inside, ops.gather(pointer, place), ops.iconst(0))
            out.append(self._from_bits(bits, instruction.type.base))
        return tuple(out)

    def _memory_size(self, instruction: Instr, arguments: Components) -> Components:
        return (self._ops.splat_i(self._memories[instruction.attr.slot][1]),)

    def _memory_store(self, instruction: Instr, arguments: Sequence[Components], mask: MaskVec) -> None:
        ops = self._ops
        pointer = self._memories[instruction.attr.slot][0]
        for component, value in enumerate(arguments[1]):
            place, inside = self._inside(instruction, arguments[0][0], component)
            ops.scatter(value, pointer, place, ops.mask_and(mask, inside))

    def _touch(self, instruction: Instr, first: IntVec, mask: MaskVec) -> None:
        ops, reference = self._ops, instruction.attr
        pointer, size = self._memories[reference.slot]
        for step in reference.steps:
            line = ops.ashr(ops.iadd(first, ops.iconst(step)), ops.iconst(LINE_SHIFT))
            mark = ops.iadd(ops.shl(line, ops.iconst(1)), ops.iconst(int(reference.is_write)))
            inside = ops.ult(mark, ops.splat_i(size))
            place = ops.shl(ops.select(inside, mark, ops.iconst(0)), ops.iconst(2))
            ops.scatter(ops.iconst(1), pointer, place, ops.mask_and(mask, inside))

    def _atomic(self, instruction: Instr, arguments: Sequence[Components], mask: MaskVec) -> Components:
        """Lane by lane, each by an atomic instruction of the processor: another thread may run another stage."""
        ops, assign = self._ops, self._ops.function.assign
        place, inside = self._inside(instruction, arguments[0][0], 0)
        mask = ops.mask_and(mask, inside)
        pointer = self._memories[instruction.attr.slot][0]
        result = ops.spill(ops.iconst(0))
        places = ops.spill(place)
        operands = [ops.spill(part[0]) for part in arguments[1:]]
        with ops.each_lane(mask) as lane:
            offset = assign(f"zext i32 {ops.lane_of(places, 'i32', lane)} to i64")
            word = ops.offset(pointer, offset)
            old = self._change(instruction, word, [ops.lane_of(operand, "i32", lane) for operand in operands])
            ops.function.line(f"store i32 {old}, ptr {assign(f'getelementptr i32, ptr {result}, i64 {lane}')}, align 4")
        return (ops.get(IntVec, result),)

    def _change(self, instruction: Instr, word: Scalar, operands: list[Scalar]) -> Scalar:
        assign, kind = self._ops.function.assign, instruction.attr.kind
        if kind is AtomicKind.COMP_SWAP:
            comparand, value = operands
            both = assign(f"cmpxchg ptr {word}, i32 {comparand}, i32 {value} seq_cst seq_cst, align 4")
            return assign(f"extractvalue {{ i32, i1 }} {both}, 0")
        name = _ATOMICS[kind]
        if kind in (AtomicKind.MIN, AtomicKind.MAX) and instruction.type.base is Base.UINT:
            name = f"u{name}"
        return assign(f"atomicrmw {name} ptr {word}, i32 {operands[0]} seq_cst, align 4")

    # ------------------------------------------------------------------ textures
    def _tex(self, instruction: Instr, arguments: Sequence[Components], mask: MaskVec, live: MaskVec) -> Components:
        ops, reference = self._ops, instruction.attr
        assert isinstance(reference, TextureRef)
        roles = dict(zip(reference.roles, arguments, strict=True))
        coords, compare = roles.get("coords", ()), self._scalar(roles, "compare")
        if "q" in roles:
            # By the reciprocal, as Mesa divides.
            scale = ops.fdiv(ops.fconst(1.0), roles["q"][0])
            coords = tuple(ops.fmul(coordinate, scale) for coordinate in coords)
            compare = None if compare is None else ops.fmul(compare, scale)
        operands = TextureOperands(
            coords=coords,
            mask=mask,
            live=ops.mask_and(mask, live),
            layer=self._scalar(roles, "layer"),
            compare=compare,
            lod=self._scalar(roles, "lod"),
            ddx=roles.get("ddx", ()),
            ddy=roles.get("ddy", ()),
            offset=roles.get("offset", ()),
        )
        result = self._texture(reference, operands)
        wanted = IntVec if reference.lookup.kind is LookupKind.SIZE else vector_class(instruction.type.base)
        if not all(isinstance(component, wanted) for component in result[: instruction.type.width]):
            raise TypeError(f"texture emitter gave {result!r} for {reference.lookup}")
        return result[: instruction.type.width]

    @staticmethod
    def _scalar(roles: dict[str, Components], role: str) -> Any:
        return roles[role][0] if role in roles else None
