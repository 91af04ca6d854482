"""Machine code that tests and blends groups of two quads at once, one function for each state of tests and blending.

The plain twins are the kernels :func:`~replay.engine.kernels.fragment_tests.test_quads` and
:func:`~replay.engine.kernels.blend.blend_quads`, which also do what there is no such function for. Vectors are as wide
as the host's; the arithmetic is that of integers, so the results are the same bits.

Lane 4q + f is fragment f of quad q of the group: of a plane it lies at (2x + (f & 1), 2y + (f >> 1)). Where both quads
of a group lie at one place, the first is done before the second. Planes have an even number of rows and columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from replay.engine.kernels.records import PIXELS, TEST_DTYPE
from replay.glsl.llvm.cache import ObjectCache
from replay.glsl.llvm.machine import compile_object, host_description, load_object
from replay.glsl.llvm.writer import FunctionWriter
from traceformat.kernels import cache_root, source_hash

__all__ = ["BlendKey", "TestKey", "blend_function", "test_function"]

_LANES: Final = 8
_WORDS: Final = "<8 x i32>"
_FLOATS: Final = "<8 x float>"
_OCTETS: Final = "<32 x i8>"
_BYTES: Final = "<8 x i8>"
_COMPARISONS: Final = {0: None, 1: "ult", 2: "eq", 3: "ule", 4: "ugt", 5: "ne", 6: "uge", 7: None}
_NEVER, _ALWAYS = 0, 7
#: Two texels side by side as one number, and how they are aligned.
_PAIRS: Final = {_WORDS: ("i64", 4), _BYTES: ("i16", 1)}
_HALVES: Final = "<32 x i16>"
_ADD, _SUBTRACT, _REVERSE, _MIN, _MAX = range(5)


@dataclass(frozen=True, slots=True)
class TestKey:
    """Tests of depth and stencil.

    Parameters
    ----------
    func : of depth, GL enumerant minus GL_NEVER; always for no test
    write : whether depth is written
    stencil : of both faces: function, what happens where it fails, where depth fails, where both pass (codes as in
        TEST_DTYPE); None: no stencil test. Its numbers are read from the state.
    """

    func: int
    write: bool
    stencil: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class BlendKey:
    """How colours of eight bits a channel are written; pairs are RGB, alpha.

    Parameters
    ----------
    channels : of each channel: -1 always 0, -2 always 1, 0 a row of the stage's outputs
    blend : whether there is blending
    equation, source, destination : as in BLEND_DTYPE
    constant : the blend colour as bytes, None where no factor needs it
    write_mask : bit c: channel c is written
    """

    channels: tuple[int, ...]
    blend: bool
    equation: tuple[int, int]
    source: tuple[int, int]
    destination: tuple[int, int]
    constant: tuple[int, ...] | None
    write_mask: int


def _splat(kind: str, value: int) -> str:
    return f"splat ({kind} {value})"


def _listed(kind: str, values: list[Any]) -> str:
    return "<" + ", ".join(f"{kind} {value}" for value in values) + ">"


class _Writer:
    """Writes a loop over the groups of a PIXELS record."""

    def __init__(self) -> None:
        self.function = FunctionWriter()
        self.assign = self.function.assign

    def field(self, name: str, kind: str = "ptr") -> str:
        """A field of the record."""
        place = self.assign(f"getelementptr i8, ptr %pixels, i64 {PIXELS.place(name)}")
        return self.assign(f"load {kind}, ptr {place}, align 8")

    def stride(self, name: str, texel_bytes: int) -> str:
        """Bytes of a row with so many texels."""
        return self.assign(f"mul i64 {self.field(name, 'i64')}, {texel_bytes}")

    def at(self, pointer: str, index: str, size: int) -> str:
        """Address of an element of so many bytes."""
        offset = self.assign(f"mul i64 {index}, {size}")
        return self.assign(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def bits(self, mask: str, lanes: str = "i8") -> str:
        """A mask of lanes from bits."""
        return self.assign(f"bitcast {lanes} {mask} to <8 x i1>")

    # ------------------------------------------------------------------ planes
    def places(self, plane: str, stride: str, x: str, y: str, group: str, pair_log2: int = 3) -> list[str]:
        """Addresses of the four pairs of texels of a group, two rows of each quad; a pair has 2^pair_log2 bytes."""
        found = []
        for quad in range(2):
            numbers = []
            for column in (x, y):
                place = self.assign(f"getelementptr i8, ptr {self.at(column, group, 4)}, i64 {2 * quad}")
                numbers.append(self.assign(f"zext i16 {self.assign(f'load i16, ptr {place}, align 2')} to i64"))
            row = self.assign(f"mul i64 {self.assign(f'shl i64 {numbers[1]}, 1')}, {stride}")
            offset = self.assign(f"add i64 {row}, {self.assign(f'shl i64 {numbers[0]}, {pair_log2}')}")
            first = self.assign(f"getelementptr i8, ptr {plane}, i64 {offset}")
            found += [first, self.assign(f"getelementptr i8, ptr {first}, i64 {stride}")]
        return found

    def load(self, places: list[str], kind: str = _WORDS) -> str:
        """Texels of a group."""
        pair, align = _PAIRS[kind]
        pairs = "poison"
        for number, place in enumerate(places):
            loaded = self.assign(f"load {pair}, ptr {place}, align {align}")
            pairs = self.assign(f"insertelement <4 x {pair}> {pairs}, {pair} {loaded}, i32 {number}")
        return self.assign(f"bitcast <4 x {pair}> {pairs} to {kind}")

    def store(self, texels: str, places: list[str], first: str = "", kind: str = _WORDS) -> None:
        """Texels of a group; those of the first quad alone, which lies where the second does, if ``first`` is true."""
        pair, align = _PAIRS[kind]
        if first:
            lanes = _listed("i32", [k % 4 for k in range(_LANES)])
            own = self.assign(f"shufflevector {kind} {texels}, {kind} poison, {_WORDS} {lanes}")
            texels = self.assign(f"select i1 {first}, {kind} {own}, {kind} {texels}")
        pairs = self.assign(f"bitcast {kind} {texels} to <4 x {pair}>")
        for number, place in enumerate(places):
            moved = self.assign(f"extractelement <4 x {pair}> {pairs}, i32 {number}")
            self.function.line(f"store {pair} {moved}, ptr {place}, align {align}")

    # ------------------------------------------------------------------ loops
    def loop(self, body: Callable[[str], None]) -> None:
        """Run ``body(group)`` for every group; it begins in a block of its own and ends in one that falls through."""
        function, assign = self.function, self.assign
        quads = self.field("num_quads", "i64")
        count = assign(f"lshr i64 {assign(f'add i64 {quads}, 1')}, 1")
        head, inside, behind = (function.new_label(name) for name in ("head", "inside", "behind"))
        counter = function.allocate("i64")
        function.line(f"store i64 0, ptr {counter}, align 8")
        function.jump(head)
        function.start(head)
        group = assign(f"load i64, ptr {counter}, align 8")
        function.branch(assign(f"icmp ult i64 {group}, {count}"), inside, behind)
        function.start(inside)
        body(group)
        function.line(f"store i64 {assign(f'add i64 {group}, 1')}, ptr {counter}, align 8")
        function.jump(head)
        function.start(behind)

    def in_order(self, mask: str, places: list[str], step: Callable[[str, str], None]) -> None:
        """Run ``step(mask, first)`` for a group's lanes: for both quads at once, or one after the other at one place.

        ``first`` says that it is the turn of the first alone. Nothing is done for a group without lanes.
        """
        function, assign = self.function, self.assign
        pending = function.allocate("i8")
        function.line(f"store i8 {mask}, ptr {pending}, align 1")
        head, work, behind = (function.new_label(name) for name in ("pending", "work", "done"))
        same = assign(f"icmp eq ptr {places[0]}, {places[2]}")
        function.jump(head)
        function.start(head)
        left = assign(f"load i8, ptr {pending}, align 1")
        function.branch(assign(f"icmp ne i8 {left}, 0"), work, behind)
        function.start(work)
        low = assign(f"and i8 {left}, 15")
        has_low = assign(f"icmp ne i8 {low}, 0")
        splits = assign(f"and i1 {same}, {has_low}")
        now = assign(f"select i1 {splits}, i8 {low}, i8 {left}")
        function.line(f"store i8 {assign(f'xor i8 {left}, {now}')}, ptr {pending}, align 1")
        step(now, splits)
        function.jump(head)
        function.start(behind)

    def group_mask(self, pointer: str, group: str) -> str:
        """Bits of both quads as i8."""
        assign = self.assign
        both = assign(f"load i16, ptr {self.at(pointer, group, 2)}, align 1")
        first = assign(f"and i16 {both}, 15")
        second = assign(f"and i16 {assign(f'lshr i16 {both}, 4')}, 240")
        return assign(f"trunc i16 {assign(f'or i16 {first}, {second}')} to i8")

    def text(self, symbol: str, declarations: str) -> str:
        """The whole module."""
        self.function.line("ret i64 0")
        head = f"define i64 @{symbol}(ptr noalias %pixels) nounwind {{"
        return f"{declarations}\n{head}\n{self.function.body()}\n}}\n"


# ---------------------------------------------------------------------- tests
class _StencilWriter:
    """Writes the stencil test; its numbers are those of the front face."""

    def __init__(self, writer: _Writer, key: tuple[int, int, int, int]) -> None:
        self._w, self._key = writer, key
        self.plane, self.stride = writer.field("stencil"), writer.stride("stencil_width", 1)
        state = writer.field("test")
        names = ("stencil_ref", "stencil_read_mask", "stencil_write_mask")
        self._ref, self._read, self._write = (self._octets(state, name) for name in names)

    def _octets(self, state: str, name: str) -> str:
        """A number of the state in all lanes."""
        assign = self._w.assign
        fields: Any = TEST_DTYPE.fields
        place = assign(f"getelementptr i8, ptr {state}, i64 {fields[name][1]}")
        octet = assign(f"trunc i32 {assign(f'load i32, ptr {place}, align 4')} to i8")
        first = assign(f"insertelement {_BYTES} poison, i8 {octet}, i32 0")
        return assign(f"shufflevector {_BYTES} {first}, {_BYTES} poison, {_WORDS} zeroinitializer")

    def passing(self, old: str) -> str:
        """Lanes whose stencil value passes."""
        assign, compare = self._w.assign, _COMPARISONS[self._key[0]]
        if compare is None:
            return "zeroinitializer" if self._key[0] == _NEVER else "splat (i1 true)"
        a = assign(f"and {_BYTES} {self._ref}, {self._read}")
        b = assign(f"and {_BYTES} {old}, {self._read}")
        return assign(f"icmp {compare} {_BYTES} {a}, {b}")

    def updated(self, old: str, passes: str, depth_passes: str) -> str:
        """The values after the tests."""
        assign = self._w.assign
        fail, depth_fail, both = (self._changed(code, old) for code in self._key[1:])
        inner = assign(f"select <8 x i1> {depth_passes}, {_BYTES} {both}, {_BYTES} {depth_fail}")
        new = assign(f"select <8 x i1> {passes}, {_BYTES} {inner}, {_BYTES} {fail}")
        changed = assign(f"and {_BYTES} {assign(f'xor {_BYTES} {old}, {new}')}, {self._write}")
        return assign(f"xor {_BYTES} {old}, {changed}")

    def _changed(self, code: int, old: str) -> str:
        """A value after an operation, see ``stencil_value`` of the twin."""
        if code <= 2:
            return (old, "zeroinitializer", self._ref)[code]
        one = _splat("i8", 1)
        return self._w.assign(
            {
                3: f"call {_BYTES} @llvm.uadd.sat.v8i8({_BYTES} {old}, {_BYTES} {one})",
                4: f"call {_BYTES} @llvm.usub.sat.v8i8({_BYTES} {old}, {_BYTES} {one})",
                5: f"xor {_BYTES} {old}, {_splat('i8', -1)}",
                6: f"add {_BYTES} {old}, {one}",
                7: f"sub {_BYTES} {old}, {one}",
            }[code]
        )


def _test_text(key: TestKey, symbol: str) -> str:
    """Tests of the quads' fragments in ``mask`` against the planes; which passed goes to ``passed``."""
    writer = _Writer()
    assign, line = writer.assign, writer.function.line
    x, y, mask, depth, passed, plane = map(writer.field, ("x", "y", "mask", "depth", "passed", "plane"))
    stride = writer.stride("plane_width", 4)
    stencil = _StencilWriter(writer, key.stencil) if key.stencil is not None else None
    compare = _COMPARISONS[key.func]
    reads_depth = compare is not None or key.write

    def body(group: str) -> None:
        arriving = writer.group_mask(mask, group)
        places = writer.places(plane, stride, x, y, group) if reads_depth or stencil is None else []
        own = assign(f"load {_WORDS}, ptr {writer.at(depth, group, 4 * _LANES)}, align 4")
        spots = writer.places(stencil.plane, stencil.stride, x, y, group, 1) if stencil is not None else []
        result = writer.function.allocate("i8")
        line(f"store i8 0, ptr {result}, align 1")

        def step(now: str, first: str) -> None:
            arrive = writer.bits(now)
            deep = "zeroinitializer" if key.func == _NEVER else "splat (i1 true)"
            if reads_depth:
                old = writer.load(places)
            if compare is not None:
                deep = assign(f"icmp {compare} {_WORDS} {own}, {old}")
            lanes = assign(f"and <8 x i1> {arrive}, {deep}")
            if stencil is not None:
                value = writer.load(spots, _BYTES)
                passes = stencil.passing(value)
                lanes = assign(f"and <8 x i1> {lanes}, {passes}")
                new = stencil.updated(value, passes, deep)
                writer.store(
                    assign(f"select <8 x i1> {arrive}, {_BYTES} {new}, {_BYTES} {value}"), spots, first, _BYTES
                )
            if key.write and key.func != _NEVER:
                writer.store(assign(f"select <8 x i1> {lanes}, {_WORDS} {own}, {_WORDS} {old}"), places, first)
            hit = assign(f"bitcast <8 x i1> {lanes} to i8")
            before = assign(f"load i8, ptr {result}, align 1")
            line(f"store i8 {assign(f'or i8 {before}, {hit}')}, ptr {result}, align 1")

        writer.in_order(arriving, places or spots, step)
        both = assign(f"zext i8 {assign(f'load i8, ptr {result}, align 1')} to i16")
        low = assign(f"and i16 {both}, 15")
        high = assign(f"shl i16 {assign(f'and i16 {both}, 240')}, 4")
        line(f"store i16 {assign(f'or i16 {low}, {high}')}, ptr {writer.at(passed, group, 2)}, align 1")

    writer.loop(body)
    return writer.text(
        symbol,
        "\n".join(f"declare {_BYTES} @llvm.{name}.sat.v8i8({_BYTES}, {_BYTES})" for name in ("uadd", "usub")),
    )


# ---------------------------------------------------------------------- blending
class _Blender:
    """Writes the colours of a group; values of eight bits lie in sixteen."""

    def __init__(self, writer: _Writer, key: BlendKey) -> None:
        self._w, self._key = writer, key

    def source(self, group: str, outputs: str, stride: str, rows: str) -> str:
        """Colours of the stage as bytes, R, G, B, A from the low end; NaN is 0."""
        assign = self._w.assign
        words = "zeroinitializer"
        for place, channel in enumerate(self._key.channels):
            if channel == -1:
                continue
            if channel == -2:
                octets = _splat("i32", 255 << 8 * place if place < 3 else -(1 << 24))
            else:
                number = assign(f"load i64, ptr {self._w.at(rows, str(place), 8)}, align 8")
                start = assign(f"getelementptr i8, ptr {outputs}, i64 {assign(f'mul i64 {number}, {stride}')}")
                value = assign(f"load {_FLOATS}, ptr {self._w.at(start, group, 4 * _LANES)}, align 4")
                scaled = assign(f"fmul {_FLOATS} {self._clamped(value)}, splat (float 255.0)")
                whole = assign(f"call {_FLOATS} @llvm.rint.v8f32({_FLOATS} {scaled})")
                octets = assign(f"fptosi {_FLOATS} {whole} to {_WORDS}")
                if place:
                    octets = assign(f"shl {_WORDS} {octets}, {_splat('i32', 8 * place)}")
            words = assign(f"or {_WORDS} {words}, {octets}")
        return words

    def _clamped(self, value: str) -> str:
        assign = self._w.assign
        below = assign(f"fcmp olt {_FLOATS} {value}, splat (float 1.0)")
        low = assign(f"select <8 x i1> {below}, {_FLOATS} {value}, {_FLOATS} splat (float 1.0)")
        above = assign(f"fcmp ogt {_FLOATS} {value}, zeroinitializer")
        return assign(f"select <8 x i1> {above}, {_FLOATS} {low}, {_FLOATS} zeroinitializer")

    def _halves(self, words: str) -> str:
        octets = self._w.assign(f"bitcast {_WORDS} {words} to {_OCTETS}")
        return self._w.assign(f"zext {_OCTETS} {octets} to {_HALVES}")

    def _alphas(self, halves: str) -> str:
        """Alpha of each pixel in all its channels."""
        lanes = _listed("i32", [4 * (k // 4) + 3 for k in range(4 * _LANES)])
        return self._w.assign(f"shufflevector {_HALVES} {halves}, {_HALVES} poison, <32 x i32> {lanes}")

    def _of_both(self, color: str, alpha: str) -> str:
        """Three channels of one vector, the fourth of another."""
        if color == alpha:
            return color
        lanes = _listed("i32", [k + 32 * (k % 4 == 3) for k in range(4 * _LANES)])
        return self._w.assign(f"shufflevector {_HALVES} {color}, {_HALVES} {alpha}, <32 x i32> {lanes}")

    def _inverse(self, halves: str) -> str:
        return self._w.assign(f"sub {_HALVES} {_splat('i16', 255)}, {halves}")

    def _factor(self, code: int, source: str, target: str, *, alpha: bool) -> str:
        """A factor by its code, see ``_factor`` of the twin."""
        writer = self._w
        if code == 0:
            return "zeroinitializer"
        if code == 1 or (code == 10 and alpha):
            return _splat("i16", 255)
        if code == 10:
            rest = self._inverse(self._alphas(target))
            return writer.assign(
                f"call {_HALVES} @llvm.umin.v32i16({_HALVES} {self._alphas(source)}, {_HALVES} {rest})"
            )
        if code >= 11:
            constant = self._key.constant or (0, 0, 0, 0)
            values = [constant[3 if code >= 13 else k % 4] for k in range(4 * _LANES)]
            return _listed("i16", [255 - value if code in (12, 14) else value for value in values])
        base = code & ~1
        value = self._alphas(source if base == 4 else target) if base in (4, 6) else {2: source, 8: target}[base]
        return self._inverse(value) if code & 1 else value

    def _product(self, halves: str, codes: tuple[int, int], source: str, target: str) -> str:
        """Products with the factors of these codes, as llvmpipe rounds them; with 0 and 1 they are exact."""
        assign = self._w.assign
        if codes == (1, 1):
            return halves
        if codes == (0, 0):
            return "zeroinitializer"
        color = self._factor(codes[0], source, target, alpha=False)
        alpha = self._factor(codes[1], source, target, alpha=True) if codes[1] != codes[0] or codes[1] == 10 else color
        product = assign(f"mul {_HALVES} {halves}, {self._of_both(color, alpha)}")
        high = assign(f"lshr {_HALVES} {product}, {_splat('i16', 8)}")
        total = assign(f"add {_HALVES} {assign(f'add {_HALVES} {product}, {high}')}, {_splat('i16', 128)}")
        return assign(f"lshr {_HALVES} {total}, {_splat('i16', 8)}")

    def _equation(self, code: int, source: str, target: str, sp: str, dp: str) -> str:
        assign = self._w.assign
        if code == _ADD:
            total = assign(f"add {_HALVES} {sp}, {dp}")
            return assign(f"call {_HALVES} @llvm.umin.v32i16({_HALVES} {total}, {_HALVES} {_splat('i16', 255)})")
        name, a, b = {
            _SUBTRACT: ("usub.sat", sp, dp),
            _REVERSE: ("usub.sat", dp, sp),
            _MIN: ("umin", source, target),
            _MAX: ("umax", source, target),
        }[code]
        return assign(f"call {_HALVES} @llvm.{name}.v32i16({_HALVES} {a}, {_HALVES} {b})")

    def blended(self, source: str, target: str) -> str:
        """The colours to be written."""
        key = self._key
        if not key.blend:
            return source
        source_halves, target_halves = self._halves(source), self._halves(target)
        sp, dp = (
            self._product(source_halves, key.source, source_halves, target_halves),
            self._product(target_halves, key.destination, source_halves, target_halves),
        )
        parts = [self._equation(code, source_halves, target_halves, sp, dp) for code in dict.fromkeys(key.equation)]
        both = self._of_both(parts[0], parts[-1])
        octets = self._w.assign(f"trunc {_HALVES} {both} to {_OCTETS}")
        return self._w.assign(f"bitcast {_OCTETS} {octets} to {_WORDS}")


def _blend_text(key: BlendKey, symbol: str) -> str:
    """Blending of the stage's outputs into the plane, where ``mask`` says so."""
    writer = _Writer()
    assign = writer.assign
    x, y, mask, outputs, rows, plane = map(writer.field, ("x", "y", "mask", "outputs", "rows", "plane"))
    output_stride, stride = writer.field("output_stride", "i64"), writer.stride("plane_width", 4)
    blender = _Blender(writer, key)
    kept = [255 if key.write_mask >> number & 1 else 0 for number in range(4)]
    written = int.from_bytes(bytes(kept), "little", signed=True)

    def body(group: str) -> None:
        function = writer.function
        arriving = writer.group_mask(mask, group)
        places = writer.places(plane, stride, x, y, group)

        def step(now: str, first: str) -> None:
            target = writer.load(places)
            result = blender.blended(blender.source(group, outputs, output_stride, rows), target)
            if key.write_mask != 15:
                own = assign(f"and {_WORDS} {result}, {_splat('i32', written)}")
                others = assign(f"and {_WORDS} {target}, {_splat('i32', ~written)}")
                result = assign(f"or {_WORDS} {own}, {others}")
            writer.store(
                assign(f"select <8 x i1> {writer.bits(now)}, {_WORDS} {result}, {_WORDS} {target}"), places, first
            )

        if key.blend or key.write_mask != 15:
            writer.in_order(arriving, places, step)
            return
        whole, part, behind = (function.new_label(name) for name in ("whole", "part", "next"))
        function.branch(assign(f"icmp eq i8 {arriving}, -1"), whole, part)
        function.start(whole)
        writer.store(blender.source(group, outputs, output_stride, rows), places)
        function.jump(behind)
        function.start(part)
        writer.in_order(arriving, places, step)
        function.jump(behind)
        function.start(behind)

    writer.loop(body)
    declared = [f"declare {_FLOATS} @llvm.rint.v8f32({_FLOATS})"]
    names = ("umin", "umax", "usub.sat")
    declared += [f"declare {_HALVES} @llvm.{name}.v32i16({_HALVES}, {_HALVES})" for name in names]
    return writer.text(symbol, "\n".join(declared))


# ---------------------------------------------------------------------- machine code
@cache
def _loaded(key: TestKey | BlendKey) -> Any:
    write: Any = _test_text if isinstance(key, TestKey) else _blend_text
    generation = f"{source_hash('replay.engine')} {source_hash('replay.glsl.llvm')} {host_description()}"
    store = ObjectCache(cache_root() / "merging", generation)
    name = hashlib.sha256(repr(key).encode()).hexdigest()
    symbol = f"merge_{name[:16]}"
    code = store.read(name)
    if code is None:
        code = compile_object(write(key, symbol))
        store.write(name, code)
    return load_object(code, symbol, symbol)


def test_function(key: TestKey) -> int:
    """Address of the function for a depth test."""
    return int(_loaded(key).address)


def blend_function(key: BlendKey) -> int:
    """Address of the function that blends so."""
    return int(_loaded(key).address)
