"""The LLVM executor on hand-built and random IR, against an interpreter that runs one quad at a time."""

from __future__ import annotations

import ctypes
import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from texture_records import TextureRecording

from replay.glsl import ir, mathlib
from replay.glsl.execution import LoopBudgetError
from replay.glsl.ir import Block, If, Instr, Jump, JumpKind, Loop, Region, StageIR, UniformArea, Variable
from replay.glsl.llvm import codegen, machine
from replay.glsl.llvm import stage as stages
from replay.glsl.llvm.abi import LANES, QUADS, SPARE_LINES
from replay.glsl.llvm.access import mix_identity
from replay.glsl.llvm.cache import ObjectCache
from replay.glsl.llvm.interpolation import interpolate
from replay.glsl.llvm.machine import compile_object, load_object
from replay.glsl.llvm.paths import extend_hash
from replay.glsl.llvm.record import GeneralRecorder, Touched
from replay.glsl.llvm.stage import LlvmStage, StageArguments, StageOptions
from replay.glsl.llvm.straight_record import StraightRecorder, straight_lookups
from replay.glsl.llvm.vectors import LlvmOps
from replay.glsl.llvm.writer import FunctionWriter, ModuleWriter
from replay.glsl.numpyops import NumpyOps
from replay.glsl.texturing import MAX_LINES, NO_LINE, Dimension, LineBox, Lookup, LookupKind
from replay.glsl.types import BOOL, FLOAT, INT, Base, vector

OPS = NumpyOps()
V2, V3, V4 = (vector(Base.FLOAT, n) for n in (2, 3, 4))
BV4 = vector(Base.BOOL, 4)
BREAK, CONTINUE, RETURN, DISCARD = JumpKind


# ---------------------------------------------------------------------- building IR
class Builder:
    """Writes a stage; blocks are numbered in order when it is finished."""

    def __init__(self, stage: str = "fragment") -> None:
        self.ir = StageIR(stage, Region(), areas=[UniformArea("", -1, 64)])
        self.region = self.ir.body

    def end_block(self):
        nodes = self.region.nodes
        if not nodes or not isinstance(nodes[-1], Block):
            nodes.append(Block())
        return nodes[-1]

    def op(self, name, type_, *args, attr=None):
        instruction = Instr(name, type_, args, attr)
        self.end_block().instructions.append(instruction)
        return instruction

    def const(self, *values):
        base = Base.BOOL if isinstance(values[0], bool) else Base.INT if isinstance(values[0], int) else Base.FLOAT
        return self.op("const", vector(base, len(values)), attr=tuple(values))

    def variable(self, type_, length=0):
        self.ir.variables.append(Variable(f"v{len(self.ir.variables)}", type_, length))
        return self.ir.variables[-1]

    def load(self, variable, *index):
        return self.op("load", variable.type, *index, attr=variable)

    def store(self, variable, value, *index, mask=None):
        mask = mask if mask is not None else tuple(range(variable.type.width))
        self.op("store", None, value, *index, attr=ir.StoreRef(variable, mask))

    def input(self, type_, **options):
        self.ir.inputs.append(ir.InputSlot(f"i{len(self.ir.inputs)}", options.pop("builtin", ""), type_, 0, **options))
        return self.op("input", type_, attr=ir.InputRef(len(self.ir.inputs) - 1))

    def output(self, type_, length=0):
        variable = self.variable(type_, length)
        self.ir.outputs.append(ir.OutputSlot(variable.name, "", variable, len(self.ir.outputs)))
        return variable

    def node(self, node):
        self.end_block()  # every control node is preceded by a block
        self.region.nodes.append(node)
        return node

    def inside(self, region):
        return _Inside(self, region)

    def jump(self, kind, condition=None):
        self.node(Jump(kind, condition))

    def finish(self):
        for node in self.ir.body.walk():
            if isinstance(node, Block):
                node.number = len(self.ir.blocks)
                node.kinds = ((0, -1),)
                self.ir.blocks.append(node)
        return self.ir


class _Inside:
    def __init__(self, builder, region):
        self.builder, self.region = builder, region

    def __enter__(self):
        self.outer, self.builder.region = self.builder.region, self.region

    def __exit__(self, *exception):
        self.builder.region = self.outer


# ---------------------------------------------------------------------- the interpreter
class Interpreter:
    """Runs one quad (or one vertex) by the rules of replay.glsl.ir, with NumPy arrays of 4 lanes (or 1)."""

    def __init__(self, stage, inputs, covered, words, budget=1 << 20):
        self.stage, self.inputs, self.words, self.budget = stage, inputs, words, budget
        self.quad = stage.stage == "fragment"
        self.lanes = len(covered)
        self.live = covered.copy()
        self.running = np.ones(self.lanes, bool)
        self.iterations = np.zeros(self.lanes, int)
        self.steps: list[int] = []
        dtype = {Base.FLOAT: np.float32, Base.BOOL: bool}
        self.variables = {
            v: np.zeros((max(v.length, 1), v.type.width, self.lanes), dtype.get(v.type.base, np.int32))
            for v in stage.variables
        }
        self.values = {}

    def run(self):
        if self.quad or self.live.any():
            self.region(stage_nodes(self.stage), np.ones(self.lanes, bool))
        return self

    def region(self, nodes, mask):
        for node in nodes:
            mask = mask & self.running
            if not mask.any():
                return mask
            if isinstance(node, Block):
                self.block(node, mask)
            elif isinstance(node, If):
                condition = self.values[node.condition][0]
                then = self.region(node.then.nodes, mask & condition)
                mask = (then | self.region(node.orelse.nodes, mask & ~condition & self.running)) & self.running
            elif isinstance(node, Loop):
                mask = self.loop(node, mask)
            else:
                mask = self.jump(node, mask)
        return mask & self.running

    def loop(self, node, mask):
        entered, inside = mask, mask
        while True:
            inside = inside & self.running
            if not (inside & self.live).any():
                return entered & self.running
            self.iterations += inside
            if self.iterations.max() > self.budget:
                raise LoopBudgetError("budget")
            outer, self.continued = getattr(self, "continued", None), np.zeros(self.lanes, bool)
            reached = self.region(node.body.nodes, inside)
            inside = self.region(node.step.nodes, (reached | self.continued) & self.running)
            self.continued = outer

    def jump(self, node, mask):
        leaving = mask if node.condition is None else mask & self.values[node.condition][0]
        if node.kind is DISCARD:
            self.live &= ~leaving
            if not self.live.any():
                self.running[:] = False
            return mask & self.running
        if node.kind is RETURN:
            self.running &= ~leaving
        elif node.kind is CONTINUE:
            self.continued |= leaving
        return mask & ~leaving

    def block(self, block, mask):
        bits = [int(sum(1 << i for i in np.flatnonzero(m))) for m in (mask, mask & ~self.live)]
        self.steps.append(block.number << 8 | bits[1] << 4 | bits[0])
        for instruction in block.instructions:
            self.values[instruction] = self.evaluate(instruction, [self.values[a] for a in instruction.args], mask)

    def rows(self, index, count):
        return np.clip(index, 0, count - 1), np.arange(self.lanes)

    def evaluate(self, i, args, mask):
        lanes = self.lanes
        if i.op == "const":
            kind = {Base.FLOAT: np.float32, Base.BOOL: bool}.get(i.type.base, np.int32)
            return [np.full(lanes, value, kind) for value in i.attr]
        if i.op == "input":
            return list(self.inputs[i.attr.slot])
        if i.op == "uniform":
            index = args[0][0] if args else np.zeros(lanes, np.int32)
            word = i.attr.offset + np.clip(index, 0, i.attr.count - 1) * i.attr.stride
            kind = {Base.FLOAT: np.float32}.get(i.type.base, np.int32)
            return [self.words[word + c * i.attr.component_stride].view(kind) for c in range(i.type.width)]
        if i.op in ("load", "store"):
            variable = i.attr if i.op == "load" else i.attr.variable
            storage = self.variables[variable]
            index = args[-1][0] if variable.length else np.zeros(lanes, np.int32)
            row, lane = self.rows(index, max(variable.length, 1))
            if i.op == "load":
                return [storage[row, c, lane].copy() for c in range(variable.type.width)]
            for value, c in zip(args[0], i.attr.mask, strict=True):
                storage[row[mask], c, lane[mask]] = value[mask]
            return None
        if i.op == "swizzle":
            return [args[0][c] for c in i.attr]
        if i.op == "vec":
            return [c for a in args for c in a]
        if i.op == "select":
            return [np.where(c, a, b) for c, a, b in zip(*args, strict=True)]
        if i.op == "fdot":
            total = args[0][-1] * args[1][-1]
            for a, b in zip(args[0][-2::-1], args[1][-2::-1], strict=True):
                total = total + a * b
            return [total]
        if i.op in ("any", "all"):
            return [getattr(np, i.op)(np.stack(args[0]), axis=0)]
        if i.op == "extract":
            row, lane = self.rows(args[1][0], len(args[0]))
            return [np.stack(args[0])[row, lane]]
        if i.op == "insert":
            stack = np.stack(args[0])
            row, lane = self.rows(args[1][0], len(args[0]))
            stack[row, lane] = args[2][0]
            return list(stack)
        return [SCALAR[i.op](*parts) for parts in zip(*args, strict=True)]


def stage_nodes(stage):
    return stage.body.nodes


SAME_NAME = [
    "fneg",
    "fabs",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "fmin",
    "fmax",
    "ffloor",
    "ilt",
    "flt",
    "feq",
    "fne",
    "ieq",
]
SAME_NAME += [
    "ine",
    "iadd",
    "isub",
    "imul",
    "idiv",
    "irem",
    "iand",
    "ior",
    "ixor",
    "imin",
    "imax",
    "udiv",
    "ddx",
    "ddy",
]
SCALAR = {
    **{name: getattr(OPS, name) for name in SAME_NAME},
    **{name: (lambda *a, f=function: f(OPS, *a)) for name, function in mathlib.FUNCTIONS.items()},
    "fmad": lambda a, b, c: a * b + c,
    "fge": lambda a, b: a >= b,
    "ige": lambda a, b: a >= b,
    "bnot": np.logical_not,
    "band": np.logical_and,
    "bor": np.logical_or,
    "f2i": OPS.ftoi,
    "i2f": OPS.itof,
    "b2f": lambda a: np.where(a, np.float32(1), np.float32(0)),
    "b2i": lambda a: np.where(a, np.int32(1), np.int32(0)),
    "ishl": OPS.shl,
    "ishr": OPS.ashr,
}


# ---------------------------------------------------------------------- running both
def run_llvm(stage, inputs, coverage, words, options=None, budget=None, log_capacity=64, **more):
    """Bound arrays after a run; ``inputs``: (rows, lanes) float32 words, coverage: one byte a quad."""
    options = options or StageOptions(path_hash=True, path_log=True)
    compiled = LlvmStage(stage, more.pop("keys", ()), options, more.pop("emitter", None))
    lanes = 4 * len(coverage)
    units = lanes // 4 if stage.stage == "fragment" else lanes
    arrays = dict(
        inputs=inputs,
        outputs=np.zeros((compiled.layout.num_output_rows, lanes), np.float32),
        coverage=coverage,
        survives=np.zeros(len(coverage), np.uint8),
        path_hash=np.zeros(units, np.uint64),
        log=np.zeros((units, log_capacity), np.uint32),
        log_counts=np.zeros(units, np.uint32),
        **more,
    )
    arguments = StageArguments()
    arguments.bind(**{name: array for name, array in arrays.items() if array is not None})
    arguments.bind_areas([words])
    arguments.set(log_capacity=log_capacity)
    if budget is not None:
        arguments.set(loop_budget=budget)
    compiled.run(arguments, lanes // LANES)
    return arrays, arguments, compiled


def input_rows(stage, seed, lanes):
    rng = np.random.default_rng(seed)
    rows = []
    for slot in stage.inputs:
        shape = (slot.count * slot.type.width, lanes)
        if slot.type.base is Base.FLOAT:
            rows.append((rng.normal(size=shape) * 3).astype(np.float32))
        else:
            rows.append(rng.integers(-5, 10, shape).astype(np.int32).view(np.float32))
    return np.concatenate(rows) if rows else np.zeros((1, lanes), np.float32)


def slot_inputs(stage, rows, lanes):
    values, first = [], 0
    for slot in stage.inputs:
        part = rows[first : first + slot.count * slot.type.width, lanes]
        first += slot.count * slot.type.width
        values.append(part if slot.type.base is Base.FLOAT else part.view(np.int32))
    return values


def equal(a, b):
    a, b = np.ascontiguousarray(a).view(np.float32), np.ascontiguousarray(b).view(np.float32)
    nan = np.isnan(a) & np.isnan(b)
    return np.array_equal(a.view(np.int32)[~nan], b.view(np.int32)[~nan])


def compare(stage, seed=0, num_quads=32, budget=None):
    """Run both on random inputs and coverage and compare everything."""
    rng = np.random.default_rng(seed)
    lanes = 4 * num_quads
    rows = input_rows(stage, seed, lanes)
    coverage = rng.integers(0, 16, num_quads).astype(np.uint8)
    coverage[::3] = 15
    words = (rng.normal(size=64) * 2).astype(np.float32)
    words.view(np.int32)[32:] = rng.integers(-3, 9, 32)
    got, _, compiled = run_llvm(stage, rows, coverage, words, budget=budget)
    size = 4 if stage.stage == "fragment" else 1
    logs: dict[int, tuple[int, ...]] = {}
    with np.errstate(all="ignore"):
        for unit in range(lanes // size):
            part = slice(unit * size, unit * size + size)
            covered = (coverage[part.start // 4] >> (np.arange(part.start, part.stop) % 4) & 1).astype(bool)
            if not covered.any():
                continue
            expected = Interpreter(stage, slot_inputs(stage, rows, part), covered, words, budget or 1 << 20).run()
            count = int(got["log_counts"][unit])
            assert got["log"][unit, : min(count, 64)].tolist() == expected.steps[:64]
            assert count == len(expected.steps)
            steps = tuple(expected.steps)
            assert logs.setdefault(int(got["path_hash"][unit]), steps) == steps
            if size == 4:
                survives = int(sum(1 << i for i in np.flatnonzero(expected.live)))
                assert got["survives"][unit] == survives
            for slot, first in zip(stage.outputs, compiled.layout.output_rows, strict=True):
                values = expected.variables[slot.variable].reshape(-1, size)
                mine = got["outputs"][first : first + len(values), part]
                assert equal(mine[:, covered], values[:, covered].view(np.float32)), (unit, mine, values)
    return got, len(logs)


# ---------------------------------------------------------------------- cases
def test_arithmetic_and_uniforms():
    b = Builder()
    x, k = b.input(V4), b.input(INT)
    out = b.output(V4)
    scale = b.op("uniform", V4, attr=ir.ConstantRef(0, 4))
    moved = b.op("uniform", V4, b.op("iadd", INT, k, b.const(1)), attr=ir.ConstantRef(0, 0, 4, 6))
    dot = b.op("fdot", FLOAT, x, scale)
    y = b.op("fmad", V4, x, moved, b.op("swizzle", V4, dot, attr=(0, 0, 0, 0)))
    y = b.op("insert", V4, y, k, b.op("extract", FLOAT, x, k))
    positive = b.op("flt", BV4, x, y)
    b.store(out, b.op("select", V4, positive, b.op("fsin", V4, y), b.op("fpow", V4, b.op("fabs", V4, x), y)))
    got, paths = compare(b.finish())
    assert paths <= 16
    assert len(np.unique(got["outputs"])) > 100


def test_variables_arrays_and_masks():
    b = Builder()
    x, k = b.input(V2), b.input(INT)
    out = b.output(V2, 3)
    array, flags = b.variable(V2, 5), b.variable(BOOL, 4)
    b.store(array, x, b.const(1))
    b.store(array, b.op("fneg", V2, x), k)
    positive = b.op("flt", BOOL, b.const(0.0), b.op("swizzle", FLOAT, x, attr=(0,)))
    b.store(flags, positive, k)
    then = b.node(If(positive))
    with b.inside(then.then):
        b.store(out, b.load(array, b.op("isub", INT, k, b.const(2))), b.const(1))
    with b.inside(then.orelse):
        b.store(out, b.op("swizzle", FLOAT, x, attr=(1,)), k, mask=(1,))
    flag = b.op("b2f", FLOAT, b.load(flags, b.const(3)))
    b.store(out, b.op("swizzle", V2, flag, attr=(0, 0)), b.const(0))
    compare(b.finish())


def loop_until(b, limit, body):
    """for (i = 0; i < limit; i++) body(i)."""
    counter = b.variable(INT)
    b.store(counter, b.const(0))
    loop = b.node(Loop())
    with b.inside(loop.body):
        i = b.load(counter)
        b.jump(BREAK, b.op("ige", BOOL, i, limit))
        body(i)
    with b.inside(loop.step):
        b.store(counter, b.op("iadd", INT, b.load(counter), b.const(1)))


def test_divergent_loop_counts_each_lane():
    b = Builder()
    k = b.input(INT)
    out = b.output(INT)
    loop_until(b, k, lambda i: b.store(out, b.op("iadd", INT, b.load(out), b.const(1))))
    stage = b.finish()
    got, paths = compare(stage)
    assert paths > 10
    rows = input_rows(stage, 0, 128).view(np.int32)[0]
    covered = np.repeat(got["coverage"], 4) >> (np.arange(128) % 4) & 1 == 1
    assert np.array_equal(got["outputs"].view(np.int32)[0][covered], np.maximum(rows, 0)[covered])


def test_discard_keeps_lanes_for_derivatives_and_ends_dead_quads():
    b = Builder()
    x, k = b.input(FLOAT), b.input(INT)
    out = b.output(V2)
    b.jump(DISCARD, b.op("flt", BOOL, x, b.const(0.0)))
    b.store(out, b.op("vec", V2, b.op("ddx", FLOAT, x), b.op("ddy", FLOAT, x)))

    def body(i):
        b.store(out, b.op("fadd", V2, b.load(out), b.load(out)))
        inner = b.node(If(b.op("ieq", BOOL, i, b.const(3))))
        with b.inside(inner.then):
            b.jump(DISCARD, b.op("flt", BOOL, x, b.const(2.0)))

    loop_until(b, k, body)
    got, _ = compare(b.finish(), num_quads=64)
    assert (got["survives"] != got["coverage"]).any()


def test_early_return_and_nested_loops():
    b = Builder()
    x, k = b.input(FLOAT), b.input(INT)
    out = b.output(FLOAT)

    def outer(i):
        def inner(j):
            b.store(out, b.op("fadd", FLOAT, b.load(out), x))
            b.jump(CONTINUE, b.op("ieq", BOOL, i, j))
            test = b.node(If(b.op("flt", BOOL, b.const(9.0), b.load(out))))
            with b.inside(test.then):
                b.jump(RETURN)
            b.store(out, b.op("fmul", FLOAT, b.load(out), b.const(1.25)))
            b.jump(BREAK, b.op("flt", BOOL, b.load(out), b.const(-20.0)))

        loop_until(b, k, inner)

    loop_until(b, b.const(4), outer)
    b.store(out, b.op("fneg", FLOAT, b.load(out)))
    compare(b.finish(), num_quads=64)


def test_vertices_have_paths_of_their_own():
    b = Builder("vertex")
    x, k = b.input(FLOAT), b.input(INT)
    out = b.output(FLOAT)
    loop_until(b, k, lambda i: b.store(out, b.op("fadd", FLOAT, b.load(out), x)))
    _, paths = compare(b.finish())
    assert 5 < paths <= 10


def test_hash_follows_the_stated_formula():
    b = Builder()
    b.store(b.output(FLOAT), b.input(FLOAT))
    stage = b.finish()
    coverage = np.arange(16, dtype=np.uint8)
    got, _, _ = run_llvm(stage, input_rows(stage, 0, 64), coverage, np.zeros(64, np.float32))
    expected = [extend_hash(0, (15 & ~cover) << 4 | 15) for cover in range(16)]
    assert got["path_hash"].tolist() == expected


def test_loop_budget_ends_the_run():
    b = Builder()
    loop = b.node(Loop())
    with b.inside(loop.body):
        b.store(b.output(FLOAT), b.const(1.0))
    stage = b.finish()
    with pytest.raises(LoopBudgetError, match="1000 loop iterations"):
        run_llvm(
            stage, input_rows(stage, 0, LANES), np.full(QUADS, 15, np.uint8), np.zeros(64, np.float32), budget=1000
        )


def test_large_variables_live_in_scratch_memory():
    b = Builder()
    k = b.input(INT)
    out = b.output(INT)
    array = b.variable(INT, 4000)
    b.store(array, k, b.op("imul", INT, k, b.const(300)))
    b.store(out, b.load(array, b.const(2700)))
    stage = b.finish()
    assert LlvmStage(stage).layout.scratch_bytes == 4000 * 4 * LANES
    compare(stage)


# ---------------------------------------------------------------------- random programs
class RandomProgram:
    """Valid random stages: nested control flow, jumps of every kind, variables and arrays of several types."""

    def __init__(self, seed: int, stage: str) -> None:
        self.rng = np.random.default_rng(seed)
        self.b = Builder(stage)
        self.fragment = stage == "fragment"
        self.floats = [self.b.input(FLOAT), self.b.input(V4)]
        self.ints = [self.b.input(INT), self.b.const(2)]
        self.output = self.b.output(V4)
        self.scalar, self.vector = self.b.variable(FLOAT), self.b.variable(V4)
        self.integer, self.array, self.flag = self.b.variable(INT), self.b.variable(V4, 3), self.b.variable(BOOL)

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def number(self, type_, floats, ints):
        """A value of a float type."""
        b, same = self.b, [v for v in floats if v.type is type_]
        kind = self.rng.integers(9)
        if kind == 0 or not same:
            return b.const(*(float(np.float32(v)) for v in self.rng.normal(size=type_.width) * 2))
        if kind == 1:
            source = self.vector if type_ is V4 else self.scalar
            return b.load(source)
        if kind == 2:
            if type_ is V4:
                return b.load(self.array, self.pick(ints))
            return b.op("i2f", FLOAT, self.pick(ints))
        if kind == 3:
            name = self.pick(["fneg", "fabs", "ffract", "fsat", "fexp2", "fsin", "frcp", "fround"])
            return b.op(name, type_, self.pick(same))
        if kind == 4:
            return b.op("fmad", type_, self.pick(same), self.pick(same), self.pick(same))
        if kind == 5 and self.fragment:
            return b.op(self.pick(["ddx", "ddy"]), type_, self.pick(same))
        if kind == 6:
            offset = int(self.rng.integers(8))
            return b.op("uniform", type_, self.pick(ints), attr=ir.ConstantRef(0, offset, 4, 5))
        name = self.pick(["fadd", "fsub", "fmul", "fmin", "fmax", "fdiv"])
        return b.op(name, type_, self.pick(same), self.pick(same))

    def condition(self, floats, ints):
        b = self.b
        if self.rng.integers(3) == 0:
            return b.op(self.pick(["ilt", "ieq", "ige", "ine"]), BOOL, self.pick(ints), self.pick(ints))
        if self.rng.integers(6) == 0:
            return b.load(self.flag)
        scalars = [v for v in floats if v.type is FLOAT]
        return b.op(self.pick(["flt", "fge", "feq", "fne"]), BOOL, self.pick(scalars), self.pick(scalars))

    def statements(self, depth, in_loop, floats, ints):
        b, floats, ints = self.b, list(floats), list(ints)
        for _ in range(int(self.rng.integers(2, 6))):
            kind = self.rng.integers(12)
            if kind < 4:
                floats.append(self.number(self.pick([FLOAT, V4]), floats, ints))
            elif kind == 4:
                ints.append(
                    b.op(
                        self.pick(["iadd", "isub", "imul", "idiv", "irem", "ixor", "ishl", "imin"]),
                        INT,
                        self.pick(ints),
                        self.pick(ints),
                    )
                )
            elif kind == 5:
                ints.append(b.op("f2i", INT, self.pick([v for v in floats if v.type is FLOAT])))
            elif kind == 6:
                b.store(self.scalar, self.number(FLOAT, floats, ints))
                b.store(self.vector, self.number(FLOAT, floats, ints), mask=(int(self.rng.integers(4)),))
            elif kind == 7:
                b.store(self.array, self.number(V4, floats, ints), self.pick(ints))
                b.store(self.flag, self.condition(floats, ints))
            elif kind == 8:
                b.store(self.output, b.op("fadd", V4, b.load(self.output), self.number(V4, floats, ints)))
            elif kind == 9 and depth:
                node = If(self.condition(floats, ints))
                b.node(node)
                with b.inside(node.then):
                    self.statements(depth - 1, in_loop, floats, ints)
                if self.rng.integers(2):
                    with b.inside(node.orelse):
                        self.statements(depth - 1, in_loop, floats, ints)
            elif kind == 10 and depth:
                limit = self.pick([self.pick(ints), b.const(int(self.rng.integers(1, 5)))])
                limit = b.op("imin", INT, limit, b.const(6))
                loop_until(b, limit, lambda i: self.statements(depth - 1, True, floats, [*ints, i]))
            elif kind == 11:
                kinds = [BREAK, CONTINUE] * in_loop + [RETURN] + [DISCARD, DISCARD] * self.fragment
                if depth < 3 and self.rng.integers(2):
                    b.jump(self.pick(kinds), self.condition(floats, ints))
        if depth < 3 and self.rng.integers(12) == 0:
            b.jump(self.pick([BREAK, CONTINUE] * in_loop + [RETURN] + [DISCARD] * self.fragment))

    def build(self):
        self.statements(3, False, self.floats, self.ints)
        if self.rng.integers(2):
            self.b.store(self.output, self.b.load(self.vector))
        return self.b.finish()


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    stage = RandomProgram(seed, "vertex" if seed % 5 == 0 else "fragment").build()
    compare(stage, seed, num_quads=16)


# ---------------------------------------------------------------------- interpolation
def test_interpolation_equals_its_twin():
    b = Builder()
    slots = [
        (V3, {}),
        (FLOAT, {"interpolation": ir.Interpolation.NOPERSPECTIVE}),
        (INT, {"interpolation": ir.Interpolation.FLAT}),
        (V2, {"interpolation": ir.Interpolation.FLAT}),
        (V4, {"builtin": "gl_FragCoord"}),
        (BOOL, {"builtin": "gl_FrontFacing"}),
        (INT, {"builtin": "gl_PrimitiveID"}),
        (V2, {"builtin": "gl_PointCoord", "interpolation": ir.Interpolation.NOPERSPECTIVE}),
    ]
    for type_, options in slots:
        value = b.input(type_, **options)
        target = INT if type_ is BOOL else type_
        b.store(b.output(target), b.op("b2i", INT, value) if type_ is BOOL else value)
    stage = b.finish()
    rng = np.random.default_rng(3)
    quads, primitives = 64, 9
    compiled = LlvmStage(stage, (), StageOptions(interpolate=True))
    planes = rng.normal(size=(primitives, compiled.layout.num_plane_words)).astype(np.float32)
    planes.view(np.int32)[:, :2] = rng.integers(0, 500, (primitives, 2))
    planes.view(np.int32)[:, 2] = rng.integers(0, 2, primitives)
    planes.view(np.int32)[:, 3] = rng.integers(0, 9999, primitives)
    where = {
        "quad_primitive": rng.integers(0, primitives, quads).astype(np.uint32),
        "quad_x": rng.integers(0, 4096, quads).astype(np.uint16),
        "quad_y": rng.integers(0, 4096, quads).astype(np.uint16),
    }
    outputs = np.zeros((compiled.layout.num_output_rows, 4 * quads), np.float32)
    arguments = StageArguments()
    arguments.bind(planes=planes, outputs=outputs, coverage=np.full(quads, 15, np.uint8), **where)
    arguments.bind(survives=np.zeros(quads, np.uint8))
    arguments.bind_areas([np.zeros(64, np.float32)])
    compiled.run(arguments, quads // QUADS)
    expected = np.concatenate([part.view(np.float32) for part in interpolate(OPS, stage.inputs, planes, **where)])
    assert equal(outputs, expected)
    assert len(np.unique(outputs)) > 1000


# ---------------------------------------------------------------------- textures
class NearestEmitter:
    """Texel (floor(s), floor(t)) of a 16 x 16 texture of words, wrapped; one tap, two where s is negative."""

    version = "test"

    def __init__(self):
        self.keys = []

    def emit(self, ops, lookup, key, descriptor, operands, access):
        self.keys.append(key)
        s, t = (ops.iand(ops.ftoi(ops.ffloor(x)), ops.iconst(15)) for x in operands.coords)
        offset = ops.shl(ops.ior(ops.shl(t, ops.iconst(4)), s), ops.iconst(2))
        texel = ops.gather(descriptor, offset)
        negative = ops.flt(operands.coords[0], ops.fconst(0.0))
        lines = ops.lshr(offset, ops.iconst(6))
        texels = ops.select(negative, ops.iconst(300), ops.iconst(1))
        above = ops.select(negative, ops.iadd(lines, ops.iconst(100)), ops.iconst(NO_LINE))
        access.expect(2)
        access.touch(ops, [operand for _, operand in access.operands()], [lines, above], texels, [])
        access.identify(texel)
        value = ops.utof(texel)
        return value, ops.fconst(2.0), ops.fconst(3.0), operands.coords[0]


def textured_stage():
    b = Builder()
    x, k = b.input(V2), b.input(INT)
    out = b.output(V4)

    def look(number, coordinates, roles=("coords",), *more):
        lookup = Lookup(number, number, LookupKind.LOD, Dimension.D2)
        reference = ir.TextureRef(lookup, roles)
        b.ir.textures.append(reference)
        return b.op("tex", V4, coordinates, *more, attr=reference)

    b.store(out, look(0, x))
    test = b.node(If(b.op("ilt", BOOL, b.const(2), k)))
    with b.inside(test.then):
        b.store(out, b.op("fadd", V4, b.load(out), look(1, x, ("coords", "q"), b.const(0.5))))
    return b.finish()


def test_textures_are_sampled_and_recorded():
    stage, emitter = textured_stage(), NearestEmitter()
    rng = np.random.default_rng(5)
    quads = 16
    rows = input_rows(stage, 7, 4 * quads)
    coverage = rng.integers(0, 16, quads).astype(np.uint8)
    coverage[4:6] = 0
    textures = [rng.integers(0, 1000, 256).astype(np.uint32) for _ in range(2)]
    options = StageOptions(record_textures=True, identity=True)
    compiled = LlvmStage(stage, ("first", "second"), options, emitter)
    assert emitter.keys == ["first", "second"]
    outputs, survives = np.zeros((4, 4 * quads), np.float32), np.zeros(quads, np.uint8)
    recording, identity = TextureRecording(quads), np.zeros(4 * quads, np.uint64)
    record = recording.memory.row
    arguments = StageArguments()
    arguments.bind(inputs=rows, outputs=outputs, coverage=coverage, survives=survives, identity=identity)
    arguments.bind(record=record.data)
    arguments.bind_areas([np.zeros(64, np.float32)])
    arguments.bind_descriptors(textures)
    arguments.set(identity_seed=0x123456789ABCDEF0)
    compiled.run(arguments, quads // QUADS)

    lane = np.arange(4 * quads)
    live = (np.repeat(coverage, 4) >> (lane % 4) & 1).astype(bool)
    second = live & (rows.view(np.int32)[2] > 2)
    coords = [rows[:2], rows[:2] / np.float32(0.5)]
    offsets = [(np.floor(c[1]).astype(int) % 16) * 16 + np.floor(c[0]).astype(int) % 16 for c in coords]
    texels = [texture[offset].astype(np.float32) for texture, offset in zip(textures, offsets, strict=True)]
    assert np.array_equal(outputs[0][live], (texels[0] + np.where(second, texels[1], 0))[live])

    expected = []
    for quad in range(quads):
        part, looked = slice(4 * quad, 4 * quad + 4), []
        for number, mask in ((0, live[part]), (1, second[part])):
            if mask.any():
                negative = mask & (coords[number][0][part] < 0)
                line = offsets[number][part] * 4 // 64
                tap = np.stack([np.where(mask, line, NO_LINE), np.where(negative, line + 100, NO_LINE)])
                looked.append((number, np.where(negative, 255, mask).tolist(), listed_lines(tap, 15)))
        expected.append(looked)
    assert recording.quads() == expected
    assert sum(map(len, expected)) > 15

    low, high = np.full(4 * quads, 0x9ABCDEF0, np.uint32).view(np.int32), np.full(4 * quads, 0x12345678, np.int32)
    with np.errstate(all="ignore"):
        for bits, mask in (
            *((row.view(np.int32), live) for row in rows),
            (textures[0][offsets[0]].view(np.int32), live),
            (textures[1][offsets[1]].view(np.int32), second),
        ):
            mixed = mix_identity(OPS, low, high, bits)
            low, high = np.where(mask, mixed[0], low), np.where(mask, mixed[1], high)
    assert np.array_equal(
        identity[live], (low.view(np.uint32) | high.view(np.uint32).astype(np.uint64) << np.uint64(32))[live]
    )

    # Without room nothing is written behind it, and the record says how much is enough.
    rows, lines = record.ops, record.lines
    for name, room in (("ops_room", rows - 1), ("lines_room", lines), ("later_room", 8)):
        recording.memory.begin(quads)
        enough = getattr(record, name)
        setattr(record, name, room)
        kept = {key: column[room:].copy() for key, column in (recording.memory.ops | recording.memory.lines).items()}
        compiled.run(arguments, quads // QUADS)
        setattr(record, name, enough)
        if name == "later_room":
            assert record.most_later > room
        else:
            assert record.ops >= rows
            assert record.lines >= lines
            assert record.ops > room or record.lines + SPARE_LINES > room
            columns = recording.memory.ops if name == "ops_room" else recording.memory.lines
            assert all(np.array_equal(kept[key], column[room:]) for key, column in columns.items())


def listed_lines(taps, live):
    """(line, lanes) of a quad's taps (taps, 4), each line once, in the order in which they are touched."""
    lanes = {}
    for tap in taps.tolist():
        for f, line in enumerate(tap):
            if line != NO_LINE and live >> f & 1:
                lanes[line] = lanes.get(line, 0) | 1 << f
    return list(lanes.items())


numbers = itertools.count()


def record_of_look_ups(num_taps, lookups, boxes_of=lambda ops: []):
    """Code that appends so many equal look-ups to a record, as straight stages have them; 0: one, as others do."""
    module, function = ModuleWriter(), FunctionWriter()
    ops = LlvmOps(module, function)
    rows = [ops.load_ivec("%rows", 4 * LANES * number) for number in range(num_taps)]
    live = ops.bits_mask(function.assign(f"trunc i32 %live to i{LANES}"))
    recorder = StraightRecorder(ops, "%record", lookups) if lookups else GeneralRecorder(ops, "%record")
    touched = Touched(rows, ops.load_ivec("%texels"), boxes_of(ops))
    with recorder.group("0", live):
        for _ in range(max(lookups, 1)):
            operands = [operand for _, operand in recorder.operands(ops, 3, live)]
            recorder.expect(num_taps)
            recorder.append(ops, operands, touched)
    signature = "ptr %record, ptr %rows, i32 %live, ptr %texels"
    module.define("@run", f"define void @run({signature}) {{\n{function.body()}\nret void\n}}")
    return load_object(compile_object(module.text()), "run", f"record_{next(numbers)}")


@pytest.mark.parametrize("lookups", [0, 1, 2, 13])
@pytest.mark.parametrize("num_taps", [0, 1, 2, 3, 4, 7, 8, 9, 18, 128])
def test_lines_of_a_look_up_are_distinct_and_in_order(num_taps, lookups):
    code = record_of_look_ups(num_taps, lookups)
    pointer, word = ctypes.c_void_p, ctypes.c_uint32
    run = ctypes.CFUNCTYPE(None, pointer, pointer, word, pointer)(code.address)
    rng = np.random.default_rng(num_taps)
    for number in range(60):
        taps = rng.integers(0, 3 + number, (max(num_taps, 1), LANES)).astype(np.uint32)
        if number % 3 == 0:
            # As filters have them: a quad touches few lines, four taps lie in a level, levels behind each other.
            rows, columns = rng.integers(0, 2, (2, len(taps), LANES))
            taps = (8 * rows + columns * rng.integers(0, 2) + 100 * (np.arange(len(taps)) // 4)[:, None]).astype("u4")
        if number % 4:
            taps[rng.random(taps.shape) < 0.2] = NO_LINE
        live = int(rng.integers(1, 1 << LANES)) if number % 10 else (1 << LANES) - 1
        if number % 7 == 0:
            live &= ~(15 << 4 * int(rng.integers(QUADS))) | 1
        texels = rng.integers(0, 400, LANES).astype(np.int32)
        recording = TextureRecording(QUADS, 1 << 13)
        run(recording.memory.row.address, taps.ctypes.data, live, texels.ctypes.data)
        assert recording.quads() == expected_record(taps[:num_taps], live, texels, lookups)


def expected_record(taps, live, texels, lookups):
    expected = []
    for side in range(0, LANES, 4):
        own = live >> side & 15
        read = [min(int(texels[side + f]), 255) if own >> f & 1 else 0 for f in range(4)]
        lines = listed_lines(taps[:, side : side + 4], own)[:MAX_LINES]
        expected.append([(3, read, lines)] * max(lookups, 1) if own else [])
    return expected


def line_of(column, row, layer):
    return 1000 * layer + 30 * row + column


@pytest.mark.parametrize("lookups", [0, 1, 3])
@pytest.mark.parametrize("boxes", [1, 2])
@pytest.mark.parametrize("layers", [False, True])
def test_lines_of_boxes_are_those_of_their_taps(boxes, lookups, layers):
    def boxes_of(ops):
        found = []
        for box in range(boxes):
            first = 4 * boxes + 6 * box
            low, high, bottom, top, layer, there = (
                ops.load_ivec("%rows", 4 * LANES * (first + number)) for number in range(6)
            )

            def line(column, row, layer=layer, box=box):
                above = ops.iadd(ops.imul(layer, ops.iconst(1000)), ops.imul(row, ops.iconst(30)))
                return ops.iadd(ops.iadd(above, column), ops.iconst(100_000 * box))

            shown = ops.ine(there, ops.iconst(0)) if box else None
            found.append(LineBox((low, high), (bottom, top), line, (layer,) if layers else (), shown))
        return found

    code = record_of_look_ups(4 * boxes, lookups, boxes_of)
    pointer, word = ctypes.c_void_p, ctypes.c_uint32
    run = ctypes.CFUNCTYPE(None, pointer, pointer, word, pointer)(code.address)
    rng = np.random.default_rng(boxes)
    sizes = []
    for number in range(300):
        # Mostly what fits: two columns and two rows a quad; sometimes one lane that lies elsewhere.
        start = rng.integers(0, 9, (2 * boxes, 1, QUADS)).repeat(4, axis=2)
        places = start + rng.integers(0, 2, (2 * boxes, 2, LANES))
        if number % 3 == 0:
            places = start.repeat(2, axis=1)
        if number % 5 == 0:
            places[rng.integers(2 * boxes), rng.integers(2), rng.integers(LANES)] += 2
        layer = np.zeros((boxes, LANES), np.int64)
        if layers:
            layer += rng.integers(0, 3, (boxes, QUADS)).repeat(4, axis=1)
            layer[0, rng.integers(LANES)] += number % 4 == 0
        there = rng.integers(0, 2, (boxes, LANES)) if number % 2 else np.ones((boxes, LANES), np.int64)
        there[0] = 1
        taps, numbers = [], []
        for box in range(boxes):
            columns, rows = places[2 * box : 2 * box + 2]
            for row in rows:
                for column in columns:
                    own = line_of(column, row, layer[box]) + 100_000 * box
                    taps.append(np.where(there[box], own, NO_LINE))
            numbers += [*columns, *rows, layer[box], there[box]]
        words = np.array([*taps, *numbers]).astype(np.uint32)
        live = int(rng.integers(1, 1 << LANES)) if number % 4 else (1 << LANES) - 1
        texels = rng.integers(0, 9, LANES).astype(np.int32)
        recording = TextureRecording(QUADS)
        run(recording.memory.row.address, words.ctypes.data, live, texels.ctypes.data)
        expected = expected_record(words[: 4 * boxes], live, texels, lookups)
        assert recording.quads() == expected
        sizes += [len(own[0][2]) for own in expected if own]
    assert {1, 2, 3, 4} <= set(sizes)
    assert max(sizes) > 4


def straight_stage(lookups):
    """So many look-ups, then a discard."""
    b = Builder()
    x, k = b.input(V2), b.input(INT)
    out = b.output(V4)
    for number in range(lookups):
        reference = ir.TextureRef(Lookup(number, 0, LookupKind.LOD, Dimension.D2), ("coords",))
        b.ir.textures.append(reference)
        b.store(out, b.op("fadd", V4, b.load(out), b.op("tex", V4, x, attr=reference)))
    b.jump(DISCARD, b.op("ilt", BOOL, k, b.const(0)))
    return b.finish()


@pytest.mark.parametrize("lookups", [1, 2, 5, 20])
def test_straight_stages_record_what_others_do(lookups, monkeypatch):
    stage = straight_stage(lookups)
    assert straight_lookups(stage.body) == lookups
    rng = np.random.default_rng(lookups)
    quads = 32
    rows = input_rows(stage, 7, 4 * quads)
    coverage = np.where(rng.random(quads) < 0.4, 15, rng.integers(0, 16, quads)).astype(np.uint8)
    # A whole group, one quad of a group, the end of an odd number.
    coverage[:9] = 15, 9, 15, 0, 0, 0, 0, 6, 15
    coverage[12:16] = 0, 0, 3, 0
    coverage[-1] = 0
    texture = rng.integers(0, 1000, 256).astype(np.uint32)

    def run(recording):
        outputs, survives = np.zeros((4, 4 * quads), np.float32), np.zeros(quads, np.uint8)
        arguments = StageArguments()
        arguments.bind(inputs=rows, outputs=outputs, coverage=coverage, survives=survives)
        arguments.bind(record=recording.memory.row.data)
        arguments.bind_areas([np.zeros(64, np.float32)])
        arguments.bind_descriptors([texture])
        recording.memory.begin(quads)
        compiled.run(arguments, quads // QUADS)
        return outputs, survives

    def compile_stage():
        return LlvmStage(stage, ("key",), StageOptions(record_textures=True), NearestEmitter())

    compiled = compile_stage()
    recording = TextureRecording(quads)
    results = run(recording)
    found = recording.quads()
    assert [len(own) for own in found] == [lookups if mask else 0 for mask in coverage]
    assert [own[0] for own in found[0]] == list(range(lookups))

    record = recording.memory.row
    for name in ("ops_room", "lines_room"):
        enough = getattr(record, name)
        for room in (0, 2 * lookups + 40, record.ops - 1):
            setattr(record, name, room)
            kept = {key: own[room:].copy() for key, own in (recording.memory.ops | recording.memory.lines).items()}
            run(recording)
            columns = recording.memory.ops if name == "ops_room" else recording.memory.lines
            assert all(np.array_equal(kept[key], column[room:]) for key, column in columns.items())
            assert record.ops > room or record.lines + SPARE_LINES > room
        setattr(record, name, enough)
    small = TextureRecording(quads, 1)
    while run(small) and not small.memory.has_room():
        pass
    assert small.quads() == found

    monkeypatch.setattr(codegen, "straight_lookups", lambda body: 0)
    compiled = compile_stage()
    assert all(np.array_equal(own, other) for own, other in zip(run(recording), results, strict=True))
    assert recording.quads() == found


def test_look_ups_that_a_group_may_leave_out_are_not_straight():
    assert straight_lookups(textured_stage().body) == 0
    stage = straight_stage(2)
    stage.body.nodes.insert(0, stage.body.nodes.pop())
    assert straight_lookups(stage.body) == 0


# ---------------------------------------------------------------------- machine code cache, threads
def simple_stage(factor=2.0):
    b = Builder()
    b.store(b.output(FLOAT), b.op("fmul", FLOAT, b.input(FLOAT), b.const(factor)))
    return b.finish()


def run_simple(compiled, lanes=64):
    rows, outputs = np.arange(lanes, dtype=np.float32)[None], np.zeros((1, lanes), np.float32)
    arguments = StageArguments()
    arguments.bind(inputs=rows, outputs=outputs, coverage=np.full(lanes // 4, 15, np.uint8))
    arguments.bind(survives=np.zeros(lanes // 4, np.uint8))
    arguments.bind_areas([np.zeros(64, np.float32)])
    compiled.run(arguments, lanes // LANES)
    return outputs[0]


def test_cache_is_used_checked_and_rebuilt(tmp_path, monkeypatch):
    compiles = []
    monkeypatch.setattr(
        "replay.glsl.llvm.stage.compile_object", lambda text: compiles.append(text) or machine.compile_object(text)
    )

    def build(factor=2.0, options=None):
        stages._loaded.clear()  # what another process would find
        return LlvmStage(simple_stage(factor), (), options, None, tmp_path)

    assert np.array_equal(run_simple(build()), 2 * np.arange(64))
    assert np.array_equal(run_simple(build()), 2 * np.arange(64))
    assert len(compiles) == 1
    assert np.array_equal(run_simple(build(3.0)), 3 * np.arange(64))
    build(options=StageOptions(path_hash=True))
    assert len(compiles) == 3
    files = sorted(tmp_path.rglob("*.o"))
    assert len(files) == 3
    for damage in (b"", b"junk", files[0].read_bytes()[:-5], files[0].read_bytes()[:200] + b"\0" * 900):
        for file in files:
            file.write_bytes(damage)
        compiles.clear()
        assert np.array_equal(run_simple(build()), 2 * np.arange(64))
        assert len(compiles) == 1
    assert not list(tmp_path.rglob("*.part"))


def test_what_is_linked_is_used_again(tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "_MAX_LOADED", 2)
    stages._loaded.clear()
    kept = [LlvmStage(simple_stage(factor), (), None, None, tmp_path) for factor in (2.0, 3.0)]
    again = LlvmStage(simple_stage(2.0), (), None, None, tmp_path)
    assert again.address == kept[0].address
    assert np.array_equal(run_simple(again), 2 * np.arange(64))
    LlvmStage(simple_stage(5.0), (), None, None, tmp_path)
    other = LlvmStage(simple_stage(3.0), (), None, None, tmp_path)
    assert other.address != kept[1].address
    assert np.array_equal(run_simple(other), 3 * np.arange(64))
    assert LlvmStage(simple_stage(2.0)).address != kept[0].address


def test_cache_keeps_few_generations(tmp_path):
    for number in range(6):
        ObjectCache(tmp_path, f"generation {number}").write("00", b"code")
    assert len(list(tmp_path.glob("llvm-*"))) == 3
    assert ObjectCache(tmp_path, "generation 5").read("00") == b"code"


def test_two_processes_may_fill_one_cache(tmp_path):
    """Both start from nothing, build the same objects at the same time, and each gets right results."""
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
import numpy as np
import test_glsl_llvm as t
for _ in range(3):
    for factor in (2.0, 3.0, 5.0, 7.0):
        compiled = t.LlvmStage(t.simple_stage(factor), (), None, None, Path({str(tmp_path)!r}))
        assert np.array_equal(t.run_simple(compiled), factor * np.arange(64))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    processes = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(2)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    assert len(list(tmp_path.rglob("*.o"))) == 4
    assert not list(tmp_path.rglob("*.part"))


def test_threads_share_a_stage():
    compiled = LlvmStage(simple_stage())
    results = {}
    threads = [
        threading.Thread(
            target=lambda n=n: results.__setitem__(n, [run_simple(compiled, LANES * n) for _ in range(50)])
        )
        for n in (1, 40, 300)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, outputs in results.items():
        assert all(np.array_equal(output, 2 * np.arange(LANES * n)) for output in outputs)


def test_nothing_is_written_beyond_the_groups():
    compiled = LlvmStage(simple_stage())
    outputs = np.full((1, 128), -1, np.float32)
    arguments = StageArguments()
    survives = np.full(32, 77, np.uint8)
    arguments.bind(
        inputs=np.ones((1, 128), np.float32), outputs=outputs, coverage=np.full(32, 15, np.uint8), survives=survives
    )
    arguments.bind_areas([np.zeros(64, np.float32)])
    compiled.run(arguments, 3)
    assert np.all(outputs[0, : 3 * LANES] == 2)
    assert np.all(outputs[0, 3 * LANES :] == -1)
    assert np.all(survives[: 3 * QUADS] == 15)
    assert np.all(survives[3 * QUADS :] == 77)


def test_arguments_refuse_strided_rows():
    with pytest.raises(ValueError, match="one behind the other"):
        StageArguments().bind(inputs=np.zeros((4, 8), np.float32)[:, ::2])


def test_long_programs_compile_in_reasonable_time():
    """LLVM's usual pipeline takes minutes for this one; the short cuts for long programs give the same results."""
    b = Builder()
    x = b.input(V4)
    out = b.output(V4)
    value = x
    for number in range(3000):
        scaled = b.op("fmul", V4, x, b.const(*(number % 1000 + 0.5 + k for k in range(4))))
        value = b.op("fmad", V4, b.op("swizzle", V4, value, attr=(3, 0, 2, 1)), b.const(0.5, -0.5, 0.25, 0.75), scaled)
    b.store(out, value)
    stage = b.finish()
    begin = time.process_time()
    LlvmStage(stage)
    assert time.process_time() - begin < 10
    compare(stage, num_quads=4)
