"""Builds IR: folds constants, simplifies, and gives equal computations one value.

The builder keeps a stack of open regions. A pure instruction that was computed already in an enclosing region is not
computed again. Constants, and uniforms and inputs without index, depend on nothing: they live in a prologue
that :meth:`Builder.finish` puts first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from replay.glsl.fold import Components, fold, narrowed, round_to_float32
from replay.glsl.ir import (
    OPS,
    SHORT_BITS,
    SHORT_OPS,
    Block,
    ConstantRef,
    InputRef,
    Instr,
    Jump,
    JumpKind,
    Loop,
    Node,
    Region,
    Rule,
    StoreRef,
    TextureRef,
    Variable,
    is_short,
)
from replay.glsl.types import BOOL, FLOAT, INT, Base, NumericType, vector

__all__ = ["Builder", "ProgramTooLargeError"]

#: Instructions of one stage, a limit on untrusted sources (unrolling and inlining multiply).
MAX_INSTRUCTIONS: Final = 30_000
#: Regions inside each other: what walks a program calls itself once or a few times for each.
MAX_DEPTH: Final = 250

_COMMUTATIVE: Final = frozenset(
    [
        "fadd",
        "fmul",
        "feq",
        "fne",
        "iadd",
        "imul",
        "imin",
        "imax",
        "umin",
        "umax",
        "iand",
        "ior",
        "ixor",
        "ieq",
        "ine",
        "band",
        "bor",
        "bxor",
        "fdot",
    ]
)
#: Operations that give what one of their operands holds, or less.
_PICKING: Final = frozenset(
    (
        *("fneg", "fabs", "fsat", "ffloor", "fceil", "ftrunc", "fround", "froundeven", "fsign", "fmin", "fmax"),
        *("imin", "imax", "umin", "umax", "select", "swizzle", "vec"),
    )
)
_IDENTITY: Final = (0, 1, 2, 3)
_INVERSE: Final = {
    "ilt": "ige",
    "ige": "ilt",
    "ult": "uge",
    "uge": "ult",
    "ieq": "ine",
    "ine": "ieq",
    "feq": "fne",
    "fne": "feq",
}


class ProgramTooLargeError(Exception):
    """The program grew beyond MAX_INSTRUCTIONS or MAX_DEPTH, or the lowering beyond MAX_EXPRESSIONS."""


class Builder:
    """See the module."""

    def __init__(self) -> None:
        self.root = Region()
        self._regions: list[Region] = [self.root]
        self._known: list[dict[Any, Instr]] = [{}]
        self._prologue: dict[Any, Instr] = {}
        self._count = 0
        #: Line of the source that what is built next belongs to.
        self.line = 0
        #: Operations are computed in 16 bits, see :data:`.ir.SHORT_OPS`.
        self.short = False
        self._start = Block()
        self.root.nodes.append(self._start)
        self._block: Block | None = self._start

    # Structure -----------------------------------------------------------------------------------------------------
    def push(self, region: Region) -> None:
        """Open a region: what follows is built into it."""
        if len(self._regions) > MAX_DEPTH:
            raise ProgramTooLargeError
        self._regions.append(region)
        self._known.append({})
        self._block = None

    def pop(self) -> Region:
        """Close the innermost region."""
        self._known.pop()
        self._block = None
        return self._regions.pop()

    @contextmanager
    def shortened(self, short: bool) -> Iterator[None]:
        """What is built inside is computed in 16 bits, or is not."""
        before, self.short = self.short, short
        try:
            yield
        finally:
            self.short = before

    @contextmanager
    def at_start(self) -> Iterator[None]:
        """What is built inside goes to the start of the program; it may use constants only."""
        block, self._block = self._block, self._start
        try:
            yield
        finally:
            self._block = block

    @property
    def region(self) -> Region:
        """The innermost open region."""
        return self._regions[-1]

    def node(self, node: Node) -> None:
        """Append a control node."""
        if not isinstance(node, Block):
            node.line = self.line
        self.region.nodes.append(node)
        self._block = None

    def jump(self, kind: JumpKind, condition: Instr | None = None) -> None:
        """Append a jump; one whose condition is constant is left out or made unconditional."""
        if condition is not None and condition.op == "const":
            if not condition.attr[0]:
                return
            condition = None
        self.node(Jump(kind, condition))

    def append(self, instr: Instr) -> Instr:
        """Append an instruction as it is."""
        block = self._block
        if block is None:
            block = self._block = Block()
            self.region.nodes.append(block)
        self._count += 1
        if self._count > MAX_INSTRUCTIONS:
            raise ProgramTooLargeError
        instr.line = self.line
        block.instructions.append(instr)
        return instr

    def finish(self) -> Region:
        """Put the prologue in front; gives the whole program."""
        used: dict[Instr, None] = {}

        def use(value: Instr) -> None:
            if value.op in ("const", "uniform", "input") and not value.args:
                used[value] = None

        for node in self.root.walk():
            if isinstance(node, Block):
                for instr in node.instructions:
                    for arg in instr.args:
                        use(arg)
            elif not isinstance(node, Loop) and node.condition is not None:
                use(node.condition)
        self._start.instructions[:0] = used
        return self.root

    # Values --------------------------------------------------------------------------------------------------------
    def constant(self, type: NumericType, components: Components) -> Instr:
        """A constant; float components are rounded to binary32."""
        if type.base == Base.FLOAT:
            components = tuple(round_to_float32(float(component)) for component in components)
            # Zero and minus zero are equal, and NaN is not; their spelling tells them apart.
            key: Any = (type, tuple(map(repr, components)))
        else:
            key = (type, components)
        found = self._prologue.get(key)
        if found is None:
            found = self._prologue[key] = Instr("const", type, (), components)
        return found

    def float_constant(self, value: float, width: int = 1) -> Instr:
        """A FLOAT constant, the same in every component."""
        return self.constant(vector(Base.FLOAT, width), (value,) * width)

    def int_constant(self, value: int) -> Instr:
        """An INT constant."""
        return self.constant(INT, (value,))

    def bool_constant(self, value: bool) -> Instr:
        """A BOOL constant."""
        return self.constant(BOOL, (value,))

    def splat(self, value: Instr, width: int) -> Instr:
        """Spread a scalar over a vector; a vector of that width stays as it is."""
        if value.type.width == width:
            return value
        return self.swizzle(value, (0,) * width)

    def swizzle(self, value: Instr, components: Sequence[int]) -> Instr:
        """Select components."""
        components = tuple(components)
        width = value.type.width
        if len(components) == width and components == _IDENTITY[:width]:
            return value
        op = value.op
        if op == "const":
            return self.constant(
                vector(value.type.base, len(components)), tuple(value.attr[component] for component in components)
            )
        if op == "swizzle":
            return self.swizzle(value.args[0], tuple(value.attr[component] for component in components))
        if op == "vec":
            found = self._from_parts(value, components)
            if found is not None:
                return found
        if op == "uniform" and not value.args and len(components) == 1:
            ref: ConstantRef = value.attr
            step = ref.component_stride
            return self.uniform(
                vector(value.type.base, 1), ConstantRef(ref.area, ref.offset + components[0] * step, 0, 1, step)
            )
        return self._pure("swizzle", vector(value.type.base, len(components)), (value,), components)

    def _from_parts(self, value: Instr, components: tuple[int, ...]) -> Instr | None:
        """Components of a ``vec``: from one part, or gathered anew."""
        sources = [(part, component) for part in value.args for component in range(part.type.width)]
        wanted = [sources[component] for component in components]
        if all(part is wanted[0][0] for part, _ in wanted):
            return self.swizzle(wanted[0][0], tuple(component for _, component in wanted))
        return None

    def vec(self, parts: Sequence[Instr]) -> Instr:
        """Concatenate scalars and vectors."""
        if len(parts) == 1:
            return parts[0]
        flat: list[Instr] = []
        for part in parts:
            if part.op == "vec":
                flat.extend(part.args)
            else:
                flat.append(part)
        base = flat[0].type.base
        width = sum(part.type.width for part in flat)
        if all(part.op == "const" for part in flat):
            return self.constant(vector(base, width), tuple(component for part in flat for component in part.attr))
        # Parts of one value are one swizzle of it.
        source, components = self.source_of(flat[0])
        for part in flat[1:]:
            other, more = self.source_of(part)
            if other is not source:
                break
            components += more
        else:
            return self.swizzle(source, components)
        return self._pure("vec", vector(base, width), tuple(flat), None)

    @staticmethod
    def source_of(value: Instr) -> tuple[Instr, tuple[int, ...]]:
        """See through a swizzle: (value, components of it)."""
        if value.op == "swizzle":
            return value.args[0], value.attr
        return value, _IDENTITY[: value.type.width]

    def uniform(self, type: NumericType, ref: ConstantRef, index: Instr | None = None) -> Instr:
        """Read a constant area."""
        if index is not None and index.op == "const":
            at = min(max(index.attr[0], 0), ref.count - 1)
            ref, index = ConstantRef(ref.area, ref.offset + at * ref.stride, 0, 1, ref.component_stride), None
        key = ("uniform", type, ref.area, ref.offset, ref.component_stride)
        if index is None:
            found = self._prologue.get(key)
            if found is None:
                found = self._prologue[key] = Instr("uniform", type, (), ref)
            return found
        return self._keyed((*key, ref.stride, ref.count, index), "uniform", type, (index,), ref)

    def input(self, type: NumericType, ref: InputRef, index: Instr | None = None) -> Instr:
        """Read an input of the stage."""
        if index is not None and index.op == "const":
            at = min(max(index.attr[0], 0), ref.count - 1)
            ref, index = InputRef(ref.slot, ref.element + at * ref.stride), None
        key = ("input", ref.slot, ref.element)
        if index is None:
            found = self._prologue.get(key)
            if found is None:
                found = self._prologue[key] = Instr("input", type, (), ref)
            return found
        return self._keyed((*key, ref.stride, ref.count, index), "input", type, (index,), ref)

    def indexed(self, name: str, type: NumericType, args: tuple[Instr, ...]) -> Instr:
        """``extract`` or ``insert`` with an INT index."""
        return self._pure(name, type, args, None)

    def load(self, variable: Variable, index: Instr | None = None) -> Instr:
        """Read a variable."""
        return self.append(Instr("load", variable.type, () if index is None else (index,), variable))

    def store(self, variable: Variable, value: Instr, mask: tuple[int, ...], index: Instr | None = None) -> None:
        """Write components of a variable."""
        args = (value,) if index is None else (value, index)
        self.append(Instr("store", None, args, StoreRef(variable, mask)))

    def texture(self, ref: TextureRef, type: NumericType, args: tuple[Instr, ...]) -> Instr:
        """A texture instruction; equal look-ups in one region are one."""
        lookup = ref.lookup
        key = ("tex", lookup.slot, lookup.kind, lookup.offset, lookup.component, ref.roles, args)
        return self._keyed(key, "tex", type, args, ref)

    def memory(self, op: str, type: NumericType | None, args: tuple[Instr, ...], attr: Any) -> Instr:
        """Reach memory (``mload``, ``mstore``, ``atomic``, ``barrier``): never merged, in the order of the calls."""
        return self.append(Instr(op, type, args, attr))

    # Operations ----------------------------------------------------------------------------------------------------
    def op(self, name: str, *args: Instr, type: NumericType | None = None) -> Instr:
        """A component-wise operation; scalars among the operands are spread, constants folded.

        ``type`` is needed for ``bitcast`` and for ``b2i`` to UINT only.
        """
        info = OPS[name]
        rule = info.rule
        if rule != Rule.OWN or name in ("select", "fdot"):
            width = args[0].type.width if len(args) == 1 else max(arg.type.width for arg in args)
            if any(arg.type.width != width for arg in args):
                args = tuple(self.splat(arg, width) for arg in args)
        first = args[0].type
        if rule == Rule.SAME:
            result = first
        elif rule == Rule.COMPARE:
            result = vector(Base.BOOL, first.width)
        elif rule == Rule.CONVERT:
            assert info.result is not None
            result = vector(info.result, first.width)
        elif name == "select":
            result = args[1].type
        elif name == "fdot":
            result = FLOAT
        elif name in ("any", "all"):
            result = BOOL
        elif name == "pack_half":
            result = vector(Base.UINT, 1)
        elif name == "unpack_half":
            result = vector(Base.FLOAT, 2)
        else:
            assert type is not None
            result = type
        attr = SHORT_BITS if self.short and name in SHORT_OPS else None
        if all(arg.op == "const" for arg in args):
            folded = fold(name, result.base, tuple(arg.type.base for arg in args), tuple(arg.attr for arg in args))
            if folded is not None:
                return self.constant(result, narrowed(result.base, folded) if attr else folded)
        simple = self._simplify(name, args, result)
        if simple is not None:
            return simple
        return self._pure(name, result, args, attr)

    def _pure(self, name: str, type: NumericType, args: tuple[Instr, ...], attr: Any) -> Instr:
        key_args: Any = args
        if name in _COMMUTATIVE and id(args[0]) > id(args[1]):
            key_args = (args[1], args[0])
        return self._keyed((name, type, key_args, attr), name, type, args, attr)

    def _keyed(self, key: Any, name: str, type: NumericType, args: tuple[Instr, ...], attr: Any) -> Instr:
        for known in reversed(self._known):
            found: Instr | None = known.get(key)
            if found is not None:
                return found
        instr = Instr(name, type, args, attr)
        self._known[-1][key] = instr
        return self.append(instr)

    def _simplify(self, name: str, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
        """Identities that hold for all but special operands (signs of zero, 0 * infinity); None if none applies."""
        handler = _SIMPLIFIERS.get(name)
        if handler is None:
            return None
        simplified: Instr | None = handler(self, args, result)
        return simplified

    # Shorthands ----------------------------------------------------------------------------------------------------
    def select(self, condition: Instr, yes: Instr, no: Instr) -> Instr:
        """``condition ? yes : no`` by component; a scalar condition is spread."""
        return self.op("select", self.splat(condition, yes.type.width), yes, no)


def _is(value: Instr, number: float) -> bool:
    return value.op == "const" and all(component == number for component in value.attr)


def _fadd(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if _is(x, 0.0):
        return y
    if _is(y, 0.0):
        return x
    if y.op == "fneg":
        return build.op("fsub", x, y.args[0])
    if x.op == "fneg":
        return build.op("fsub", y, x.args[0])
    return None


def _fsub(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if _is(y, 0.0):
        return x
    if _is(x, 0.0):
        return build.op("fneg", y)
    if y.op == "fneg":
        return build.op("fadd", x, y.args[0])
    return None


def _fmul(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if _is(x, 1.0):
        return y
    if _is(y, 1.0):
        return x
    if _is(x, -1.0):
        return build.op("fneg", y)
    if _is(y, -1.0):
        return build.op("fneg", x)
    if _is(x, 0.0) or _is(y, 0.0):
        # Not so for infinities and NaN, which GLSL lets an implementation ignore here; Mesa does it too.
        return build.constant(result, (0.0,) * result.width)
    return None


def _fpow(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    """As Mesa: products for exponents of 1, 2 and 4, an exponential for a base of 2."""
    x, y = args
    if x.op == "const" and all(component == 2.0 for component in x.attr):
        return build.op("fexp2", y)
    exponent = y.attr[0] if y.op == "const" and len(set(y.attr)) == 1 else None
    if exponent == 1.0:
        return x
    if exponent not in (2.0, 4.0):
        return None
    square = build.op("fmul", x, x)
    return square if exponent == 2.0 else build.op("fmul", square, square)


def _fdiv(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    return args[0] if _is(args[1], 1.0) else None


def _fneg(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    return args[0].args[0] if args[0].op == "fneg" else None


def _fabs(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x = args[0]
    if x.op == "fabs":
        return x
    return build.op("fabs", x.args[0]) if x.op == "fneg" else None


def _fmax(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    # max(min(x, 1), 0) and, below, min(max(x, 0), 1): the latter gives 0 for NaN as fsat does, the former 1.
    return args[0] if args[0] is args[1] else None


def _fmin(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if x is y:
        return x
    if _is(y, 1.0) and x.op == "fmax" and _is(x.args[1], 0.0):
        return build.op("fsat", x.args[0])
    return None


def _iadd(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if _is(x, 0):
        return y
    return x if _is(y, 0) else None


def _isub(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    if args[0] is args[1]:
        return build.constant(result, (0,) * result.width)
    return args[0] if _is(args[1], 0) else None


def _imul(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if _is(x, 1):
        return y
    if _is(y, 1):
        return x
    if _is(x, 0) or _is(y, 0):
        return build.constant(result, (0,) * result.width)
    return None


def _bnot(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x = args[0]
    if x.op == "bnot":
        return x.args[0]
    if x.op in _INVERSE:
        return build.op(_INVERSE[x.op], *x.args)
    return None


def _band(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if x is y or _is(y, True):
        return x
    if _is(x, True):
        return y
    if _is(x, False) or _is(y, False):
        return build.constant(result, (False,) * result.width)
    return None


def _bor(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if x is y or _is(y, False):
        return x
    if _is(x, False):
        return y
    if _is(x, True) or _is(y, True):
        return build.constant(result, (True,) * result.width)
    return None


def _bxor(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x, y = args
    if _is(y, False):
        return x
    if _is(x, False):
        return y
    if _is(y, True):
        return build.op("bnot", x)
    return build.op("bnot", y) if _is(x, True) else None


def _select(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    condition, yes, no = args
    if yes is no or _is(condition, True):
        return yes
    if _is(condition, False):
        return no
    if condition.op == "bnot":
        return build.op("select", condition.args[0], no, yes)
    if result.base == Base.BOOL:
        if _is(yes, True) and _is(no, False):
            return condition
        if _is(yes, False) and _is(no, True):
            return build.op("bnot", condition)
        if _is(no, False):
            return build.op("band", condition, yes)
        if _is(yes, True):
            return build.op("bor", condition, no)
    if result.base == Base.FLOAT and _is(yes, 1.0) and _is(no, 0.0):
        return build.op("b2f", condition)
    return None


def _bitcast(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    x = args[0]
    if x.type is result:
        return x
    return build.op("bitcast", x.args[0], type=result) if x.op == "bitcast" else None


def _holds_short(value: Instr, depth: int = 4) -> bool:
    """Whether 16 bits are known to hold a value."""
    op = value.op
    if op == "narrow" or is_short(value):
        return True
    if op == "const":
        return value.type.base == Base.BOOL or narrowed(value.type.base, value.attr) == value.attr
    parts = value.args[1:] if op == "select" else value.args
    return op in _PICKING and depth > 0 and all(_holds_short(part, depth - 1) for part in parts)


def _narrow(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    return args[0] if _holds_short(args[0]) else None


def _any(build: Builder, args: tuple[Instr, ...], result: NumericType) -> Instr | None:
    return args[0] if args[0].type.width == 1 else None


_SIMPLIFIERS: Final[dict[str, Any]] = {
    "fadd": _fadd,
    "fsub": _fsub,
    "fmul": _fmul,
    "fpow": _fpow,
    "fdiv": _fdiv,
    "fneg": _fneg,
    "fabs": _fabs,
    "fmax": _fmax,
    "fmin": _fmin,
    "iadd": _iadd,
    "isub": _isub,
    "imul": _imul,
    "bnot": _bnot,
    "band": _band,
    "bor": _bor,
    "bxor": _bxor,
    "select": _select,
    "bitcast": _bitcast,
    "narrow": _narrow,
    "any": _any,
    "all": _any,
}
