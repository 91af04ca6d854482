"""From a stage's IR to the text of an LLVM module with one function over a chunk of groups."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from typing import Any, Final

from replay.glsl.ir import Loop, Node, Region, StageIR, TextureRef, Variable
from replay.glsl.llvm.abi import QUADS, STATUS_LOOP_BUDGET, VECTOR_BYTES, field_offset
from replay.glsl.llvm.access import IdentityWriter, LookupAccess
from replay.glsl.llvm.control import ControlWriter, Exits
from replay.glsl.llvm.interpolation import Fragments, input_values
from replay.glsl.llvm.options import StageOptions
from replay.glsl.llvm.paths import PathWriter
from replay.glsl.llvm.phases import FrameLayout, PhaseWriter
from replay.glsl.llvm.record import GeneralRecorder, Recorder
from replay.glsl.llvm.stage_layout import StageLayout
from replay.glsl.llvm.straight_record import StraightRecorder, straight_lookups
from replay.glsl.llvm.values import ValueWriter, vector_class
from replay.glsl.llvm.vectors import (
    FVEC,
    IVEC,
    LANES,
    MASK_BITS,
    MASK_BYTES,
    FloatVec,
    IntVec,
    LlvmOps,
    MaskVec,
    Scalar,
    Vector,
)
from replay.glsl.llvm.writer import FunctionWriter, ModuleWriter
from replay.glsl.passes.unseen import without_outputs
from replay.glsl.texturing import TextureEmitter, TextureOperands
from replay.glsl.types import Base

__all__ = ["generate"]

#: An octet for each quad of a group, together.
_QUADS_WORD: Final = f"i{8 * QUADS}"


class _StageWriter:
    """Writes the one function of a stage; used once."""

    def __init__(
        self, stage: StageIR, keys: Sequence[Hashable], emitter: TextureEmitter | None, options: StageOptions
    ) -> None:
        self.stage = stage
        self.keys = keys
        self.emitter = emitter
        self.options = options
        self.layout = StageLayout(stage)
        self.module = ModuleWriter()
        self.function = FunctionWriter()
        self.ops = LlvmOps(self.module, self.function)
        self.quads = stage.stage == "fragment"
        self._fields: dict[str, Scalar] = {}

    # ------------------------------------------------------------------ arguments
    def _read_field(self, name: str, kind: str) -> Scalar:
        return self.ops.load(kind, "%arguments", field_offset(name), align=8)

    def _at(self, pointer: Scalar, group: Scalar, bytes_per_group: int) -> Scalar:
        offset = self.function.assign(f"mul i64 {group}, {bytes_per_group}")
        return self.ops.offset(pointer, offset)

    # ------------------------------------------------------------------ whole function
    def write(self, symbol: str) -> str:
        """Text of the module."""
        ops, function, options = self.ops, self.function, self.options
        assign = function.assign
        for name in self._pointer_fields():
            self._fields[name] = self._read_field(name, "ptr")
        for name in self._number_fields():
            self._fields[name] = self._read_field(name, "i64")
        areas = [
            ops.load("ptr", self._fields["areas"], 8 * row, align=8) if area.words else "null"
            for row, area in enumerate(self.stage.areas)
        ]
        memories = self._memory_operands()
        budget = assign(f"trunc i64 {self._fields['loop_budget']} to i32") if "loop_budget" in self._fields else ""
        identity = IdentityWriter(ops) if options.identity else None
        variables = self._allocate_variables()
        finish, out_of_budget = function.new_label("finish"), function.new_label("outofbudget")

        status = ops.offset("%arguments", field_offset("status"))
        exits = Exits(budget, out_of_budget, status, finish)
        count = assign(f"trunc i64 {self._fields['num_groups']} to i32")

        def execute(body: Region, number: Scalar, group: Scalar, *, is_seen: bool) -> None:
            covered = self._coverage(group)
            recorder = self._recorder()
            with recorder.group(group, covered) if recorder is not None else nullcontext():
                self._clear_variables(variables)
                paths = PathWriter(ops, per_lane=not self.quads, hashes=options.path_hash, logs=options.path_log)
                self._open(group, paths, identity)
                inputs = self._inputs(group)
                caller = self._texture_caller(recorder, identity)
                values = ValueWriter(ops, variables, areas, inputs, caller, memories)
                if identity is not None:
                    self._identify_inputs(identity, covered, inputs)
                control = ControlWriter(
                    ops,
                    values,
                    paths,
                    quads=self.quads,
                    covered=covered,
                    body=body,
                    exits=exits,
                )
                live = control.write()
                if is_seen:
                    self._store_outputs(group, variables)
                self._close(group, live, paths, identity)

        frames = self.layout.frames
        # Paths are those of a second run, which waits for nobody.
        if frames is not None and not (options.path_hash or options.path_log):
            self._write_phases(frames, count, areas, memories, exits)
        else:
            self._write_groups(count, execute)
        function.jump(finish)
        if budget:
            function.start(out_of_budget)
            function.line(f"store i64 {STATUS_LOOP_BUDGET}, ptr {status}, align 8")
            function.jump(finish)
        function.start(finish)
        function.line("ret void")
        # Vectors for which there is no register lie on the stack. Across two lines each access costs twice as much, and
        # across two pages so much that such a stage took half as long again.
        head = f"define void @{symbol}(ptr noalias %arguments) nounwind alignstack({VECTOR_BYTES}) {{"
        self.module.define(f"@{symbol}", f"{head}\n{function.body()}\n}}")
        return self.module.text()

    def _write_groups(self, count: Scalar, execute: Callable[..., None]) -> None:
        """The whole stage for one group after the other; without its outputs where nobody looks at them."""
        ops, assign = self.ops, self.function.assign
        with ops.repeat(count) as number:
            group = assign(f"zext i32 {number} to i64")
            if self.options.skip_unseen:
                seen = ops.load(_QUADS_WORD, self._at(self._fields["seen"], group, QUADS), align=1)
                with ops.when(assign(f"icmp ne {_QUADS_WORD} {seen}, 0")):
                    execute(self.stage.body, number, group, is_seen=True)
                with ops.when(assign(f"icmp eq {_QUADS_WORD} {seen}, 0")):
                    execute(without_outputs(self.stage.body), number, group, is_seen=False)
            else:
                execute(self.stage.body, number, group, is_seen=True)

    def _memory_operands(self) -> list[tuple[Scalar, Scalar]]:
        """Pointer to each memory, and its words (i32)."""
        return [
            (
                self.ops.load("ptr", self._fields["memories"], 8 * row, align=8),
                self.ops.load("i32", self._fields["memory_words"], 8 * row, align=8),
            )
            for row in range(len(self.stage.memories))
        ]

    def _write_phases(
        self,
        frames: FrameLayout,
        count: Scalar,
        areas: Sequence[Scalar],
        memories: Sequence[tuple[Scalar, Scalar]],
        exits: Exits,
    ) -> None:
        """A stage with barriers: its runs, each over all groups."""
        ops, function, options = self.ops, self.function, self.options
        if options.record_textures or options.identity:
            raise ValueError("nothing is recorded of stages with barriers")
        iterations = function.allocate("i32")
        function.line(f"store i32 0, ptr {iterations}")
        paths = PathWriter(ops, per_lane=True, hashes=False, logs=False)

        def control(values: ValueWriter, nodes: list[Node], covered: MaskVec) -> ControlWriter:
            body = Region()
            body.nodes = nodes
            return ControlWriter(
                ops,
                values,
                paths,
                quads=False,
                covered=covered,
                body=body,
                exits=exits,
            )

        def values_of(number: Scalar, group: Scalar, frame: Scalar) -> ValueWriter:
            variables = {variable: ops.offset(frame, at) for variable, at in frames.offsets.items()}
            caller = self._texture_caller(None, None)
            return ValueWriter(ops, variables, areas, self._inputs(group), caller, memories)

        def execute(
            nodes: list[Node], number: Scalar, frame: Scalar, mask: MaskVec, running: Scalar, continued: Scalar
        ) -> tuple[MaskVec, Any]:
            group = function.assign(f"zext i32 {number} to i64")
            values = values_of(number, group, frame)
            reached = control(values, nodes, self._coverage(group)).run(mask, running, continued, iterations)
            return reached, values.condition

        def count_iteration() -> None:
            none = values_of("0", "0", self._fields["scratch"])
            control(none, [], ops.mask_const(True)).count_iteration(iterations)

        PhaseWriter(ops, frames, self._fields["scratch"], count, self._coverage, execute, count_iteration).write()

    def _pointer_fields(self) -> list[str]:
        options = self.options
        fields = ["outputs", "areas", "coverage"]
        if self.stage.inputs and not options.interpolate:
            fields.append("inputs")
        if options.interpolate:
            fields += ["planes", "quad_primitive", "quad_x", "quad_y"] + ["quad_samples"] * options.multisampled
        if self.stage.textures:
            fields.append("descriptors")
        if self.quads:
            fields.append("survives")
        if self.layout.scratch_bytes:
            fields.append("scratch")
        if self.stage.memories:
            fields += ["memories", "memory_words"]
        fields += ["seen"] * options.skip_unseen
        fields += ["path_hash"] * options.path_hash + ["log", "log_counts"] * options.path_log
        return fields + ["record"] * options.record_textures + ["identity"] * options.identity

    def _number_fields(self) -> list[str]:
        options = self.options
        fields = ["num_groups", "output_stride"]
        if self.stage.inputs and not options.interpolate:
            fields.append("input_stride")
        if options.interpolate:
            fields.append("plane_stride")
        if _has_loops(self.stage):
            fields.append("loop_budget")
        return fields + ["log_capacity"] * options.path_log + ["identity_seed"] * options.identity

    # ------------------------------------------------------------------ variables
    def _allocate_variables(self) -> dict[Variable, Scalar]:
        pointers: dict[Variable, Scalar] = {}
        for variable in self.stage.variables:
            kind = vector_class(variable.type.base)
            if variable in self.layout.scratch_offsets:
                pointers[variable] = self.ops.offset(self._fields["scratch"], self.layout.scratch_offsets[variable])
            elif variable.length:
                element = IntVec if kind is MaskVec else kind
                pointers[variable] = self.ops.allocate(element, variable.length * variable.type.width)
            else:
                pointers[variable] = self.ops.allocate(kind, variable.type.width)
        return pointers

    def _clear_variables(self, variables: dict[Variable, Scalar]) -> None:
        for variable, pointer in variables.items():
            if not variable.length:
                kind = vector_class(variable.type.base)
                zero = kind("zeroinitializer")
                size = MASK_BYTES if kind is MaskVec else VECTOR_BYTES
                for component in range(variable.type.width):
                    self.ops.put(zero, self.ops.offset(pointer, component * size))
                continue
            self.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            size = variable.length * variable.type.width * VECTOR_BYTES
            self.function.line(f"call void @llvm.memset.p0.i64(ptr align 32 {pointer}, i8 0, i64 {size}, i1 false)")

    # ------------------------------------------------------------------ groups
    def _coverage(self, group: Scalar) -> MaskVec:
        assign = self.function.assign
        octets = self.ops.load(_QUADS_WORD, self._at(self._fields["coverage"], group, QUADS), align=1)
        bits = assign(f"and {_QUADS_WORD} {octets}, 15")
        for quad in range(1, QUADS):
            own = assign(f"lshr {_QUADS_WORD} {octets}, {4 * quad}")
            own = assign(f"and {_QUADS_WORD} {own}, {15 << 4 * quad}")
            bits = assign(f"or {_QUADS_WORD} {bits}, {own}")
        return self.ops.bits_mask(assign(f"trunc {_QUADS_WORD} {bits} to {MASK_BITS}"))

    def _open(self, group: Scalar, paths: PathWriter, identity: IdentityWriter | None) -> None:
        log = capacity = ""
        if self.options.path_log:
            capacity = self._fields["log_capacity"]
            units = QUADS if self.quads else LANES
            words = self.function.assign(f"mul i64 {capacity}, {4 * units}")
            log = self.ops.offset(self._fields["log"], self.function.assign(f"mul i64 {group}, {words}"))
        paths.open(log, capacity)
        if identity is not None:
            identity.open(self._fields["identity_seed"])

    def _close(self, group: Scalar, live: MaskVec, paths: PathWriter, identity: IdentityWriter | None) -> None:
        assign, line = self.function.assign, self.function.line
        if self.quads:
            bits = assign(f"zext {MASK_BITS} {self.ops.mask_bits(live)} to {_QUADS_WORD}")
            octets = assign(f"and {_QUADS_WORD} {bits}, 15")
            for quad in range(1, QUADS):
                own = assign(f"shl {_QUADS_WORD} {bits}, {4 * quad}")
                own = assign(f"and {_QUADS_WORD} {own}, {15 << 8 * quad}")
                octets = assign(f"or {_QUADS_WORD} {octets}, {own}")
            place = self._at(self._fields["survives"], group, QUADS)
            line(f"store {_QUADS_WORD} {octets}, ptr {place}, align 1")
        units = QUADS if self.quads else LANES
        hashes = self._at(self._fields["path_hash"], group, 8 * units) if self.options.path_hash else ""
        counts = self._at(self._fields["log_counts"], group, 4 * units) if self.options.path_log else ""
        paths.close(hashes, counts)
        if identity is not None:
            identity.close(self._at(self._fields["identity"], group, 8 * LANES))

    def _recorder(self) -> Recorder | None:
        if not self.options.record_textures:
            return None
        # Of all programs that may be executed for a group: they have the same texture instructions and control flow.
        count = straight_lookups(self.stage.body)
        record = self._fields["record"]
        return StraightRecorder(self.ops, record, count) if count else GeneralRecorder(self.ops, record)

    def _texture_caller(self, recorder: Recorder | None, identity: IdentityWriter | None) -> Any:
        ops = self.ops

        def call(reference: TextureRef, operands: TextureOperands) -> tuple[Any, Any, Any, Any]:
            lookup = reference.lookup
            if self.emitter is None:
                raise ValueError("the stage has texture instructions, but no texture emitter was given")
            descriptor = ops.load_constant("ptr", self._fields["descriptors"], 8 * lookup.slot, align=8)
            reporter = LookupAccess(ops, recorder, identity, lookup.instruction, operands.live)
            return self.emitter.emit(ops, lookup, self.keys[lookup.slot], descriptor, operands, reporter)

        return call

    # ------------------------------------------------------------------ inputs
    def _inputs(self, group: Scalar) -> Any:
        # Read at the start of the group, so that the values may be used anywhere; LLVM drops the unused.
        table = self._interpolated(group) if self.options.interpolate else self._loaded(group)

        def component(slot: int, row: int) -> Vector:
            return table[slot][row]

        return component

    def _loaded(self, group: Scalar) -> list[list[Vector]]:
        ops, assign = self.ops, self.function.assign
        table = []
        for slot, first in zip(self.stage.inputs, self.layout.input_rows, strict=True):
            values: list[Vector] = []
            for row in range(first, first + slot.count * slot.type.width):
                start = assign(f"mul i64 {self._fields['input_stride']}, {row}")
                place = self._at(ops.offset(self._fields["inputs"], start), group, VECTOR_BYTES)
                if slot.type.base is Base.FLOAT:
                    values.append(FloatVec(ops.load_constant(FVEC, place)))
                else:
                    bits = IntVec(ops.load_constant(IVEC, place))
                    values.append(ops.ine(bits, ops.iconst(0)) if slot.type.base is Base.BOOL else bits)
            table.append(values)
        return table

    def _interpolated(self, group: Scalar) -> list[list[Vector]]:
        ops, assign = self.ops, self.function.assign
        rows = []
        for quad in range(QUADS):
            place = ops.offset(self._at(self._fields["quad_primitive"], group, 4 * QUADS), 4 * quad)
            number = assign(f"zext i32 {ops.load_constant('i32', place)} to i64")
            rows.append(ops.offset(self._fields["planes"], assign(f"mul i64 {number}, {self._fields['plane_stride']}")))

        chunks: dict[int, FloatVec] = {}

        def word(index: int, kind: type[Vector]) -> Any:
            # Four words of all rows at once, one quad's behind the other's.
            first = index & ~3
            if first not in chunks:
                parts = [ops.load_constant("<4 x float>", row, 4 * first) for row in rows]
                chunks[first] = FloatVec(ops.joined(parts, "float", 4))
            value = ops.quad_lane(chunks[first], index & 3)
            return value if kind is FloatVec else ops.fbits(value)

        def pixel(field: str, lanes: Sequence[int]) -> IntVec:
            return ops.iadd(ops.shl(self._of_quads(field, group), ops.iconst(1)), ops.lane_iconsts(lanes))

        fragments = Fragments(
            pixel("quad_x", [0, 1, 0, 1] * QUADS),
            pixel("quad_y", [0, 0, 1, 1] * QUADS),
            lambda index: word(index, FloatVec),
            lambda index: word(index, IntVec),
            self._covered_samples(group) if self.options.multisampled else None,
        )
        return input_values(ops, self.stage.inputs, self.layout.plane_words, fragments, self.options)

    def _covered_samples(self, group: Scalar) -> tuple[IntVec, IntVec]:
        """Samples of each fragment that are covered, and of each quad."""
        ops = self.ops
        quads = self._of_quads("quad_samples", group)
        four = ops.iconst(4)
        joined = ops.ior(quads, ops.lshr(quads, four))
        joined = ops.ior(joined, ops.lshr(joined, ops.iconst(8)))
        own = ops.lshr(quads, ops.lane_iconsts([0, 4, 8, 12] * QUADS))
        return ops.iand(own, ops.iconst(15)), ops.iand(joined, ops.iconst(15))

    def _of_quads(self, field: str, group: Scalar) -> IntVec:
        """A number of each quad in its lanes."""
        assign = self.function.assign
        place = self._at(self._fields[field], group, 2 * QUADS)
        numbers = assign(f"load <{QUADS} x i16>, ptr {place}, align 2, !invariant.load !0")
        return self.ops.spread(assign(f"zext <{QUADS} x i16> {numbers} to <{QUADS} x i32>"))

    def _identify_inputs(self, identity: IdentityWriter, covered: MaskVec, inputs: Any) -> None:
        for number, slot in enumerate(self.stage.inputs):
            if slot.builtin == "gl_FragCoord":
                continue
            for row in range(slot.count * slot.type.width):
                value = inputs(number, row)
                if isinstance(value, MaskVec):
                    value = self.ops.select(value, self.ops.iconst(1), self.ops.iconst(0))
                elif isinstance(value, FloatVec):
                    value = self.ops.fbits(value)
                identity.mix(value, covered)

    # ------------------------------------------------------------------ outputs
    def _store_outputs(self, group: Scalar, variables: dict[Variable, Scalar]) -> None:
        ops, assign = self.ops, self.function.assign
        for slot, first in zip(self.stage.outputs, self.layout.output_rows, strict=True):
            kind = vector_class(slot.variable.type.base)
            for row in range(max(slot.variable.length, 1) * slot.variable.type.width):
                value = ops.get(kind, ops.offset(variables[slot.variable], row * VECTOR_BYTES))
                start = assign(f"mul i64 {self._fields['output_stride']}, {first + row}")
                ops.store(value, self._at(ops.offset(self._fields["outputs"], start), group, VECTOR_BYTES))


def _has_loops(stage: StageIR) -> bool:
    return any(isinstance(node, Loop) for node in stage.body.walk())


def generate(
    stage: StageIR,
    keys: Sequence[Hashable],
    emitter: TextureEmitter | None,
    options: StageOptions,
    symbol: str,
) -> str:
    """LLVM assembly of a module whose function ``symbol(ptr arguments)`` runs the stage.

    Parameters
    ----------
    stage : a linked stage
    keys : static key of each sampler slot
    emitter : the engine's texture code; None for stages without texture instructions
    options : variant
    symbol : name of the function
    """
    return _StageWriter(stage, keys, emitter, options).write(symbol)
