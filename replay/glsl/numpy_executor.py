"""The reference executor: NumPy, structure of arrays, every lane of a batch at once.

A value of width w is an array ``(w, n)``, or ``(w, 1)`` while it is the same in every lane. FLOAT is float32, INT and
UINT are int32, BOOL is bool. Control flow is a mask of lanes; only stores and jumps look at it. What runs follows
:mod:`replay.glsl.ir` to the letter, so that machine code can be compared with it bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.glsl import mathlib
from replay.glsl.execution import DEFAULT_LOOP_BUDGET, LoopBudgetError, budget_hint
from replay.glsl.ir import (
    AtomicRef,
    Block,
    ConstantRef,
    If,
    InputRef,
    Instr,
    Jump,
    JumpKind,
    Loop,
    MemoryRef,
    Region,
    StageIR,
    StoreRef,
    TextureRef,
    Variable,
    is_short,
)
from replay.glsl.memory import LINE_SHIFT, AtomicKind, TouchRef
from replay.glsl.numpyops import NumpyOps
from replay.glsl.texturing import LookupKind, NumpyTextures, TextureOperands
from replay.glsl.types import Base

__all__ = ["BlockLog", "NumpyResult", "NumpyStage"]

Array = NDArray[Any]
Mask = NDArray[np.bool_]

DTYPES: Final = {Base.FLOAT: np.float32, Base.INT: np.int32, Base.UINT: np.int32, Base.BOOL: np.bool_}
_OPS: Final = NumpyOps()
NUM_KINDS: Final = 6
#: A whole number of quads; fewer lanes spend their time in NumPy's calls, more of them in memory.
LANES_PER_CHUNK: Final = 1 << 16
#: What every NaN is as an integer: its payload depends on the machine otherwise.
_NAN_BITS: Final = np.int32(0x7FC00000)


@dataclass(slots=True)
class BlockLog:
    """Blocks in the order in which they ran, with the lanes that ran them.

    Parameters
    ----------
    blocks : numbers
    active, live : ``(n,)`` masks of each step; live lanes are active and no helpers
    """

    blocks: list[int] = field(default_factory=list)
    active: list[Mask] = field(default_factory=list)
    live: list[Mask] = field(default_factory=list)

    def executed(self, ir: StageIR, lanes: int) -> NDArray[np.int64]:
        """Machine instructions that each live lane executed, ``(lanes, 6)`` by InstructionKind."""
        table = np.zeros((len(ir.blocks), NUM_KINDS), np.int64)
        for block in ir.blocks:
            for kind, _ in block.kinds:
                table[block.number, kind] += 1
        counts = np.zeros((lanes, NUM_KINDS), np.int64)
        for number, live in zip(self.blocks, self.live, strict=True):
            counts += live[:, None] * table[number]
        return counts

    def quad_path(self, quad: int) -> list[int]:
        """Steps ``block << 8 | helper << 4 | active`` of a quad, blocks that no lane of it ran left out."""
        weights = np.array([1, 2, 4, 8])
        lanes = slice(4 * quad, 4 * quad + 4)
        steps = []
        for number, active, live in zip(self.blocks, self.active, self.live, strict=True):
            running = int(active[lanes] @ weights)
            if running:
                helpers = running & ~int(live[lanes] @ weights)
                steps.append(number << 8 | helpers << 4 | running)
        return steps


@dataclass(slots=True)
class NumpyResult:
    """What a run gives.

    Parameters
    ----------
    outputs : of each ``StageIR.outputs`` row ``(w, n)``, or ``(length, w, n)`` for an array
    alive : ``(n,)`` lanes that were covered and not discarded
    log : of executed blocks, if it was asked for
    """

    outputs: list[Array]
    alive: Mask
    log: BlockLog | None


class NumpyStage:
    """A stage, prepared to run.

    Parameters
    ----------
    ir : linked stage
    textures : the engine's textures; needed if the stage has texture instructions
    """

    def __init__(self, ir: StageIR, textures: NumpyTextures | None = None) -> None:
        self.ir = ir
        self._textures = textures
        self._plans: dict[int, list[tuple[Instr, tuple[int, ...]]]] = {}
        self._prepare()

    def _prepare(self) -> None:
        """Find after which instruction each value that never leaves its block can be forgotten."""
        home: dict[Instr, Block] = {}
        last: dict[Instr, Instr] = {}
        escapes: set[Instr] = set()
        for node in self.ir.body.walk():
            if isinstance(node, Block):
                for instr in node.instructions:
                    home[instr] = node
                    for arg in instr.args:
                        if home[arg] is node:
                            last[arg] = instr
                        else:
                            escapes.add(arg)
            elif not isinstance(node, Loop) and node.condition is not None:
                escapes.add(node.condition)
        dying: dict[Instr, list[int]] = {}
        for value, user in last.items():
            if value not in escapes:
                dying.setdefault(user, []).append(value.number)
        for block in self.ir.blocks:
            self._plans[block.number] = [(instr, tuple(dying.get(instr, ()))) for instr in block.instructions]

    def run(
        self,
        lanes: int,
        inputs: Sequence[Array] = (),
        areas: Sequence[Array] = (),
        coverage: Mask | None = None,
        *,
        loop_budget: int = DEFAULT_LOOP_BUDGET,
        record: bool = False,
        memories: Sequence[Array] = (),
    ) -> NumpyResult:
        """Run a batch.

        Parameters
        ----------
        lanes : n; a multiple of 4 for a fragment stage, lanes 4q .. 4q + 3 are a quad
        inputs : of each ``StageIR.inputs`` row ``(w, n)`` or, with several elements, ``(count, w, n)``
        areas : words of each ``StageIR.areas`` row, ``(words,)`` or, different in each lane, ``(words, n)``; any
            32-bit dtype
        coverage : ``(n,)`` lanes that are no helpers, None = all
        record : log the executed blocks
        memories : of each ``StageIR.memories`` row ``(words,)`` int32, read and written in place

        Raises
        ------
        LoopBudgetError : the loops of one chunk of lanes took more than ``loop_budget`` iterations in all

        Notes
        -----
        Without ``record``, a large batch runs in chunks of ``LANES_PER_CHUNK``, which stay in the cache.
        """
        if record or lanes <= LANES_PER_CHUNK:
            return self._run_chunk(lanes, inputs, areas, coverage, loop_budget, record, memories)
        parts = []
        for first in range(0, lanes, LANES_PER_CHUNK):
            here = slice(first, min(first + LANES_PER_CHUNK, lanes))
            parts.append(
                self._run_chunk(
                    here.stop - first,
                    [rows[..., here] for rows in inputs],
                    [area[:, here] if np.ndim(area) == 2 else area for area in areas],
                    None if coverage is None else coverage[here],
                    loop_budget,
                    record,
                    memories,
                )
            )
        outputs = [np.concatenate(rows, axis=-1) for rows in zip(*(part.outputs for part in parts), strict=True)]
        return NumpyResult(outputs, np.concatenate([part.alive for part in parts]), None)

    def _run_chunk(
        self,
        lanes: int,
        inputs: Sequence[Array],
        areas: Sequence[Array],
        coverage: Mask | None,
        loop_budget: int,
        record: bool,
        memories: Sequence[Array],
    ) -> NumpyResult:
        state = _Run(self, lanes, inputs, areas, coverage, loop_budget, record)
        state.memories = memories
        with np.errstate(all="ignore"):
            state.region(self.ir.body, np.ones(lanes, np.bool_))
        outputs = [state.content(output.variable) for output in self.ir.outputs]
        return NumpyResult(outputs, state.live, state.log)


class _Run:
    """One batch."""

    def __init__(
        self,
        stage: NumpyStage,
        lanes: int,
        inputs: Sequence[Array],
        areas: Sequence[Array],
        coverage: Mask | None,
        loop_budget: int,
        record: bool,
    ) -> None:
        self.stage = stage
        self.lanes = lanes
        self.inputs = inputs
        self.areas = [np.ascontiguousarray(area).view(np.int32) for area in areas]
        self.quads = stage.ir.stage == "fragment"
        self.live: Mask = np.ones(lanes, np.bool_) if coverage is None else np.array(coverage, np.bool_)
        #: Lanes that neither returned nor belong to a quad without live lanes.
        self.running: Mask = np.ones(lanes, np.bool_)
        self.log = BlockLog() if record else None
        self.values: list[Any] = [None] * stage.ir.num_values
        self.variables: dict[Variable, Array] = {}
        self.memories: Sequence[Array] = ()
        self._continued: list[Mask] = []
        self._budget = loop_budget
        self._limit = loop_budget

    # Control -------------------------------------------------------------------------------------------------------
    def region(self, region: Region, mask: Mask) -> Mask:
        """Run a region for the lanes of ``mask``; gives those that reach its end."""
        for node in region.nodes:
            if not mask.any():
                break
            if isinstance(node, Block):
                self._block(node, mask)
            elif isinstance(node, If):
                mask = self._if(node, mask)
            elif isinstance(node, Loop):
                mask = self._loop(node, mask)
            else:
                mask = self._jump(node, mask)
        return mask

    def _condition(self, value: Instr) -> Mask:
        found: Mask = np.broadcast_to(self.values[value.number][0], (self.lanes,))
        return found

    def _if(self, node: If, mask: Mask) -> Mask:
        condition = self._condition(node.condition)
        reached = self.region(node.then, mask & condition)
        other = self.region(node.orelse, mask & ~condition & self.running)
        return (reached | other) & self.running

    def _loop(self, node: Loop, mask: Mask) -> Mask:
        lanes = mask
        while True:
            lanes = lanes & self.running
            going = lanes & self.live
            lanes = lanes & self._quad_any(going)
            if not lanes.any():
                break
            self._budget -= 1
            if self._budget < 0:
                raise LoopBudgetError(f"a shader runs more than {self._limit} loop iterations", hint=budget_hint())
            self._continued.append(np.zeros(self.lanes, np.bool_))
            reached = self.region(node.body, lanes)
            reached = (reached | self._continued.pop()) & self.running
            self._continued.append(np.zeros(self.lanes, np.bool_))
            lanes = self.region(node.step, reached)
            self._continued.pop()
        return mask & self.running

    def _quad_any(self, mask: Mask) -> Mask:
        if not self.quads:
            return mask
        return np.repeat(mask.reshape(-1, 4).any(axis=1), 4)

    def _jump(self, node: Jump, mask: Mask) -> Mask:
        leaving = mask if node.condition is None else mask & self._condition(node.condition)
        if node.kind == JumpKind.DISCARD:
            self.live = self.live & ~leaving
            self.running = self.running & self._quad_any(self.live)
            return mask & self.running
        if node.kind == JumpKind.CONTINUE:
            self._continued[-1] = self._continued[-1] | leaving
        elif node.kind == JumpKind.RETURN:
            self.running = self.running & ~leaving
        return mask & ~leaving

    # Instructions --------------------------------------------------------------------------------------------------
    def _block(self, block: Block, mask: Mask) -> None:
        if self.log is not None and block.kinds:
            self.log.blocks.append(block.number)
            self.log.active.append(mask)
            self.log.live.append(mask & self.live)
        values = self.values
        for instr, dying in self.stage._plans[block.number]:
            handler = _HANDLERS.get(instr.op)
            if is_short(instr):
                values[instr.number] = self._shortened(instr, mask)
            elif handler is not None:
                values[instr.number] = handler(*[values[arg.number] for arg in instr.args])
            else:
                values[instr.number] = getattr(self, f"_op_{instr.op}")(instr, mask)
            for number in dying:
                values[number] = None

    def _shortened(self, instr: Instr, mask: Mask) -> Array:
        """Result of an operation that is computed in 16 bits."""
        base, handler = instr.type.base, _HANDLERS.get(instr.op)
        if instr.op == "fmad":
            a, b, c = self._args(instr)
            return _narrowed(base, np.add(_narrowed(base, np.multiply(a, b)), c))
        if handler is not None:
            return _narrowed(base, handler(*self._args(instr)))
        found: Array = getattr(self, f"_op_{instr.op}")(instr, mask)
        return _narrowed(base, found)

    def _op_narrow(self, instr: Instr, mask: Mask) -> Array:
        return _narrowed(instr.type.base, self.values[instr.args[0].number])

    def _args(self, instr: Instr) -> list[Array]:
        return [self.values[arg.number] for arg in instr.args]

    def _whole(self, array: Array) -> Array:
        """The array with a value for every lane."""
        return np.broadcast_to(array, (array.shape[0], self.lanes))

    def _index(self, value: Array, count: int) -> NDArray[np.int64]:
        clamped: NDArray[np.int64] = np.clip(np.broadcast_to(value[0], (self.lanes,)).astype(np.int64), 0, count - 1)
        return clamped

    def _op_const(self, instr: Instr, mask: Mask) -> Array:
        base = instr.type.base
        if base == Base.UINT:
            return np.array(instr.attr, np.uint32).view(np.int32)[:, None]
        return np.array(instr.attr, DTYPES[base])[:, None]

    def _op_swizzle(self, instr: Instr, mask: Mask) -> Array:
        value: Array = self.values[instr.args[0].number]
        components = instr.attr
        first = components[0]
        if len(components) == 1:
            return value[first : first + 1]
        if components == tuple(range(first, first + len(components))):
            return value[first : first + len(components)]
        if all(component == first for component in components):
            return np.broadcast_to(value[first], (len(components), value.shape[1]))
        return value[list(components)]

    def _op_vec(self, instr: Instr, mask: Mask) -> Array:
        parts = self._args(instr)
        count = max(part.shape[1] for part in parts)
        return np.concatenate([np.broadcast_to(part, (part.shape[0], count)) for part in parts])

    def _op_bitcast(self, instr: Instr, mask: Mask) -> Array:
        value: Array = np.ascontiguousarray(self.values[instr.args[0].number])
        bits: Array = value.view(DTYPES[instr.type.base])
        if value.dtype == np.float32 and instr.type.base != Base.FLOAT:
            bits = np.where(value != value, _NAN_BITS, bits)
        return bits

    def _op_extract(self, instr: Instr, mask: Mask) -> Array:
        whole, index = self._args(instr)
        whole = self._whole(whole)
        return whole[self._index(index, whole.shape[0]), np.arange(self.lanes)][None]

    def _op_insert(self, instr: Instr, mask: Mask) -> Array:
        whole, index, value = self._args(instr)
        changed = np.array(self._whole(whole))
        changed[self._index(index, whole.shape[0]), np.arange(self.lanes)] = np.broadcast_to(value[0], (self.lanes,))
        return changed

    def _op_uniform(self, instr: Instr, mask: Mask) -> Array:
        ref: ConstantRef = instr.attr
        area = self.areas[ref.area]
        components = np.arange(instr.type.width)[:, None] * ref.component_stride
        if not instr.args:
            words = area[ref.offset + components[:, 0]]
            words = words[:, None] if area.ndim == 1 else words
        else:
            rows = ref.offset + self._index(self.values[instr.args[0].number], ref.count) * ref.stride + components
            words = area[rows] if area.ndim == 1 else area[rows, np.arange(self.lanes)]
        base = instr.type.base
        if base == Base.BOOL:
            words = words != 0
        return words.view(np.float32) if base == Base.FLOAT else words

    def _op_input(self, instr: Instr, mask: Mask) -> Array:
        ref: InputRef = instr.attr
        content = self.inputs[ref.slot]
        if content.ndim == 2:
            content = content[None]
        if not instr.args:
            whole: Array = content[ref.element]
            return whole
        rows = ref.element + self._index(self.values[instr.args[0].number], ref.count) * ref.stride
        return content[rows, :, np.arange(self.lanes)].T

    # Variables -----------------------------------------------------------------------------------------------------
    def content(self, variable: Variable) -> Array:
        """Content of a variable, zeros if nothing was stored."""
        found = self.variables.get(variable)
        if found is None:
            shape = (variable.type.width, self.lanes)
            if variable.length:
                shape = (variable.length, *shape)  # type: ignore[assignment]
            found = self.variables[variable] = np.zeros(shape, DTYPES[variable.type.base])
        return found

    def _op_load(self, instr: Instr, mask: Mask) -> Array:
        variable: Variable = instr.attr
        content = self.content(variable)
        if not variable.length:
            return content
        index = instr.args[0]
        if index.op == "const":
            return np.array(content[min(max(index.attr[0], 0), variable.length - 1)])
        rows = self._index(self.values[index.number], variable.length)
        return content[rows, :, np.arange(self.lanes)].T

    def _op_store(self, instr: Instr, mask: Mask) -> None:
        ref: StoreRef = instr.attr
        variable = ref.variable
        value = self.values[instr.args[0].number]
        content = self.content(variable)
        if not variable.length:
            # Loads hand out the array itself, so a store makes a new one.
            changed = np.array(content)
            for k, component in enumerate(ref.mask):
                np.copyto(changed[component], value[k], where=mask)
            self.variables[variable] = changed
            return
        index = instr.args[1]
        if index.op == "const":
            row = content[min(max(index.attr[0], 0), variable.length - 1)]
            for k, component in enumerate(ref.mask):
                np.copyto(row[component], value[k], where=mask)
            return
        lanes = np.flatnonzero(mask)
        rows = self._index(self.values[index.number], variable.length)[lanes]
        for k, component in enumerate(ref.mask):
            content[rows, component, lanes] = np.broadcast_to(value[k], (self.lanes,))[lanes]

    # Memory --------------------------------------------------------------------------------------------------------
    def _words(self, instr: Instr) -> NDArray[np.int64]:
        words: NDArray[np.int64] = self._whole(self.values[instr.args[0].number])[0].astype(np.int64)
        return words

    def _op_mload(self, instr: Instr, mask: Mask) -> Array:
        ref: MemoryRef = instr.attr
        memory, first = self.memories[ref.slot], self._words(instr)
        out = np.zeros((instr.type.width, self.lanes), np.int32)
        for component, row in enumerate(out):
            words = first + component * ref.component_stride
            inside = (words >= 0) & (words < memory.size)
            row[inside] = memory[words[inside]]
        return out.view(DTYPES[instr.type.base])

    def _op_msize(self, instr: Instr, mask: Mask) -> Array:
        return np.array([[self.memories[instr.attr.slot].size]], np.int32)

    def _op_mstore(self, instr: Instr, mask: Mask) -> None:
        ref: MemoryRef = instr.attr
        memory, first = self.memories[ref.slot], self._words(instr)
        value = self._whole(self.values[instr.args[1].number])
        writing = mask & self.live
        for component, row in enumerate(value):
            words = first + component * ref.component_stride
            chosen = np.flatnonzero(writing & (words >= 0) & (words < memory.size))
            # Of several lanes with one word the last one stays.
            memory[words[chosen]] = np.ascontiguousarray(row).view(np.int32)[chosen]

    def _op_mtouch(self, instr: Instr, mask: Mask) -> None:
        ref: TouchRef = instr.attr
        memory, first = self.memories[ref.slot], self._words(instr)
        for step in ref.steps:
            marks = 2 * ((first + step) >> LINE_SHIFT) + ref.is_write
            memory[marks[mask & self.live & (marks >= 0) & (marks < memory.size)]] = 1

    def _op_atomic(self, instr: Instr, mask: Mask) -> Array:
        ref: AtomicRef = instr.attr
        memory, words = self.memories[ref.slot], self._words(instr)
        operands = [self._whole(self.values[arg.number])[0] for arg in instr.args[1:]]
        chosen = np.flatnonzero(mask & self.live & (words >= 0) & (words < memory.size))
        # Rounds in which every word is met once: the k-th lane of each word in round k.
        order = chosen[np.argsort(words[chosen], kind="stable")]
        starts = np.flatnonzero(np.diff(words[order], prepend=-1))
        rank = np.arange(order.size) - np.repeat(starts, np.diff(starts, append=order.size))
        out = np.zeros(self.lanes, np.int32)
        unsigned = instr.type.base == Base.UINT
        for turn in range(int(rank.max(initial=-1)) + 1):
            lanes = order[rank == turn]
            old = memory[words[lanes]]
            out[lanes] = old
            memory[words[lanes]] = _changed(ref.kind, unsigned, old, *(operand[lanes] for operand in operands))
        return out[None]

    def _op_barrier(self, instr: Instr, mask: Mask) -> None:
        """Every lane of the batch has done all that stands before: nothing is left to wait for."""

    # Quads and textures --------------------------------------------------------------------------------------------
    def _op_ddx(self, instr: Instr, mask: Mask) -> Array:
        value = self._whole(self.values[instr.args[0].number])
        return np.stack([_OPS.ddx(np.ascontiguousarray(row)) for row in value])

    def _op_ddy(self, instr: Instr, mask: Mask) -> Array:
        value = self._whole(self.values[instr.args[0].number])
        return np.stack([_OPS.ddy(np.ascontiguousarray(row)) for row in value])

    def _op_tex(self, instr: Instr, mask: Mask) -> Array:
        if self.stage._textures is None:
            raise ValueError("the stage has texture instructions, and no textures were given")
        ref: TextureRef = instr.attr
        operands = {
            role: [np.ascontiguousarray(row) for row in self._whole(self.values[arg.number])]
            for role, arg in zip(ref.roles, instr.args, strict=True)
        }
        divisor = operands.get("q")
        if divisor is not None:
            scale = np.float32(1.0) / divisor[0]
            for role in ("coords", "compare"):
                if role in operands:
                    operands[role] = [row * scale for row in operands[role]]

        def single(role: str) -> Array | None:
            return operands[role][0] if role in operands else None

        found = self.stage._textures.lookup(
            ref.lookup,
            TextureOperands(
                tuple(operands.get("coords", ())),
                mask,
                mask & self.live,
                single("layer"),
                single("compare"),
                single("lod"),
                tuple(operands.get("ddx", ())),
                tuple(operands.get("ddy", ())),
                tuple(operands.get("offset", ())),
            ),
        )
        width = instr.type.width
        integer = ref.lookup.kind is LookupKind.SIZE or instr.type.base != Base.FLOAT
        return np.stack([row.astype(np.int32 if integer else np.float32, copy=False) for row in found.rgba[:width]])


_CHANGES: Final[dict[AtomicKind, Callable[[Array, Array], Array]]] = {
    AtomicKind.ADD: np.add,
    AtomicKind.MIN: np.minimum,
    AtomicKind.MAX: np.maximum,
    AtomicKind.AND: np.bitwise_and,
    AtomicKind.OR: np.bitwise_or,
    AtomicKind.XOR: np.bitwise_xor,
    AtomicKind.EXCHANGE: lambda old, value: value,
}


def _changed(kind: AtomicKind, unsigned: bool, old: Array, *operands: Array) -> Array:
    """What an atomic operation writes, int32 bits."""
    if kind is AtomicKind.COMP_SWAP:
        comparand, value = operands
        return np.where(old == comparand, value, old)
    dtype = np.uint32 if unsigned else np.int32
    return _CHANGES[kind](old.view(dtype), np.ascontiguousarray(operands[0]).view(dtype)).view(np.int32)


def _narrowed(base: Base, values: Array) -> Array:
    """What 16 bits keep of values."""
    found: Array = mathlib.NARROWING[base](_OPS, np.ascontiguousarray(values))
    return found


def _float(name: str) -> Callable[..., Array]:
    function = mathlib.FUNCTIONS[name]
    return lambda *args: function(_OPS, *args)


def _dot(a: Array, b: Array) -> Array:
    total: Array = a[-1] * b[-1]
    for k in reversed(range(a.shape[0] - 1)):
        np.add(total, a[k] * b[k], out=total)
    return total[None]


def _isign(a: Array) -> Array:
    return np.sign(a)


def _compare_unsigned(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: function(a.view(np.uint32), b.view(np.uint32))


def _unpack_half(a: Array) -> Array:
    low, high = mathlib.unpack_half(_OPS, np.ascontiguousarray(a[0]))
    return np.stack([low, high])


def _fmad(a: Array, b: Array, c: Array) -> Array:
    product = np.multiply(a, b)
    return np.add(product, c, out=product if product.shape[1] >= c.shape[1] else None)


#: Operations that are functions of their operands alone.
_HANDLERS: Final[dict[str, Callable[..., Array]]] = {
    "fneg": _OPS.fneg,
    "fabs": _OPS.fabs,
    "ffloor": _OPS.ffloor,
    "fceil": _OPS.fceil,
    "ftrunc": _OPS.ftrunc,
    "froundeven": _OPS.frint,
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
    "fmin": _OPS.fmin,
    "fmax": _OPS.fmax,
    "fmad": _fmad,
    "fdot": _dot,
    **{
        name: _float(name)
        for name in (
            [
                "fsat",
                "fround",
                "fsign",
                "ffract",
                "frcp",
                "fsqrt",
                "frsq",
                "fexp2",
                "flog2",
                "fpow",
                "fsin",
                "fcos",
                "ftan",
                "fasin",
                "facos",
                "fatan",
                "fatan2",
            ]
        )
    },
    "ineg": np.negative,
    "iabs": np.abs,
    "isign": _isign,
    "inot": np.invert,
    "iadd": np.add,
    "isub": np.subtract,
    "imul": np.multiply,
    "idiv": _OPS.idiv,
    "irem": _OPS.irem,
    "udiv": _OPS.udiv,
    "urem": _OPS.urem,
    "imin": _OPS.imin,
    "imax": _OPS.imax,
    "umin": _OPS.umin,
    "umax": _OPS.umax,
    "iand": np.bitwise_and,
    "ior": np.bitwise_or,
    "ixor": np.bitwise_xor,
    "ishl": _OPS.shl,
    "ishr": _OPS.ashr,
    "ushr": _OPS.lshr,
    "flt": np.less,
    "fge": np.greater_equal,
    "feq": np.equal,
    "fne": np.not_equal,
    "ilt": np.less,
    "ige": np.greater_equal,
    "ult": _compare_unsigned(np.less),
    "uge": _compare_unsigned(np.greater_equal),
    "ieq": np.equal,
    "ine": np.not_equal,
    "bnot": np.logical_not,
    "band": np.logical_and,
    "bor": np.logical_or,
    "bxor": np.logical_xor,
    "any": lambda a: a.any(axis=0, keepdims=True),
    "all": lambda a: a.all(axis=0, keepdims=True),
    "select": np.where,
    "f2i": _OPS.ftoi,
    "f2u": _OPS.ftou,
    "i2f": _OPS.itof,
    "u2f": _OPS.utof,
    "b2f": lambda a: a.astype(np.float32),
    "b2i": lambda a: a.astype(np.int32),
    "pack_half": lambda a: mathlib.pack_half(_OPS, np.ascontiguousarray(a[0]), np.ascontiguousarray(a[1]))[None],
    "unpack_half": _unpack_half,
}
