"""Stages run by the NumPy executor: the engine's reference, for checking and where there is no code generator.

Same inputs and outputs as :class:`~replay.engine.stages.StageRun`, and the same results bit by bit; some hundred
times as slow. Fragment identities are not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay.engine.stages import LaneMemory, StageRun, aligned
from replay.glsl.execution import DEFAULT_LOOP_BUDGET
from replay.glsl.ir import InputSlot
from replay.glsl.llvm.abi import LANES, QUADS
from replay.glsl.llvm.interpolation import interpolate
from replay.glsl.llvm.paths import HASH_MULTIPLIER
from replay.glsl.llvm.record_memory import RecordMemory
from replay.glsl.numpy_executor import BlockLog, NumpyResult, NumpyStage
from replay.glsl.numpyops import NumpyOps
from replay.glsl.texturing import MAX_LINES, NO_LINE, Lookup, NumpyLookup, TextureOperands
from replay.glsl.types import Base
from replay.texture.reference import SamplerReference

__all__ = ["ReferenceRun"]


@dataclass(slots=True)
class _RecordingTextures:
    """The draw's textures; remembers what each look-up touched."""

    reference: SamplerReference
    record: bool
    accesses: list[tuple[int, NDArray[np.bool_], NumpyLookup]] = field(default_factory=list)

    def lookup(
        self, lookup: Lookup, operands: TextureOperands, *, record: bool = False, identity: bool = False
    ) -> NumpyLookup:
        """Execute one texture instruction."""
        found = self.reference.lookup(lookup, operands, record=self.record, identity=identity)
        if self.record and found.lines is not None and operands.live.any():
            self.accesses.append((lookup.instruction, operands.live.copy(), found))
        return found

    def write(self, memory: RecordMemory, quads: int) -> None:
        """Write the texture access record of :mod:`replay.glsl.texturing`."""
        listed: list[list[tuple[int, NDArray[np.uint8], list[tuple[int, int]]]]] = [[] for _ in range(quads)]
        for instruction, live, found in self.accesses:
            assert found.lines is not None
            assert found.texels is not None
            lines = np.where(live, found.lines, np.uint32(NO_LINE)).reshape(len(found.lines), live.size // 4, 4)
            texels = np.where(live, found.texels, 0).astype(np.uint8).reshape(-1, 4)
            for quad in np.flatnonzero(live.reshape(-1, 4).any(axis=1)).tolist():
                listed[quad].append((instruction, texels[quad], _distinct(lines[:, quad])[:MAX_LINES]))
        looks = [look for own in listed for look in own]
        rows = [row for _, _, own in looks for row in own]
        memory.provide(max(len(looks), len(rows)))
        memory.begin(quads)
        counts = [len(own) for own in listed]
        memory.tex_count[:quads] = counts
        memory.tex_first[:quads] = np.cumsum([0, *counts[:-1]])
        memory.row.ops, memory.row.lines = len(looks), len(rows)
        sizes = [len(own) for _, _, own in looks]
        if looks:
            columns = memory.ops
            columns["line_count"][: len(looks)] = sizes
            columns["line_first"][: len(looks)] = np.cumsum([0, *sizes[:-1]])
            columns["instruction"][: len(looks)] = [instruction for instruction, _, _ in looks]
            columns["texels"][: len(looks)] = [texels for _, texels, _ in looks]
        if rows:
            memory.lines["line"][: len(rows)], memory.lines["lanes"][: len(rows)] = zip(*rows, strict=True)


def _distinct(lines: NDArray[np.uint32]) -> list[tuple[int, int]]:
    """Lines of a quad's taps (taps, 4) with their lanes, each line once, in order of first appearance."""
    lanes: dict[int, int] = {}
    for tap in lines.tolist():
        for lane, line in enumerate(tap):
            if line != NO_LINE:
                lanes[line] = lanes.get(line, 0) | 1 << lane
    return list(lanes.items())


def _units(log: BlockLog, per_quad: bool) -> list[tuple[NDArray[np.uint32], NDArray[np.bool_]]]:
    """For each logged block: the step of each quad (or vertex), and which of them ran it."""
    found = []
    weights = np.array([1, 2, 4, 8], np.uint32)
    for number, active, live in zip(log.blocks, log.active, log.live, strict=True):
        if per_quad:
            running = active.reshape(-1, 4) @ weights
            helpers = running & ~(live.reshape(-1, 4) @ weights)
            step = np.uint32(number << 8) | helpers << np.uint32(4) | running
            found.append((step.astype(np.uint32), running != 0))
        else:
            found.append((np.full(len(active), number << 8 | 1, np.uint32), active))
    return found


class ReferenceRun(StageRun):
    """A stage, ready to run for one draw in the NumPy executor."""

    @property
    def is_compiled(self) -> bool:
        """There is no machine code."""
        return False

    def _execute(
        self,
        inputs: list[NDArray[Any]],
        coverage: NDArray[np.bool_],
        record: bool,
        memories: Sequence[NDArray[np.int32]],
        budget: int = DEFAULT_LOOP_BUDGET,
    ) -> tuple[NumpyResult, _RecordingTextures]:
        textures = _RecordingTextures(SamplerReference(self.bound.bindings), record)
        stage = NumpyStage(self.ir, textures)
        shaped = [_shape(slot, rows) for slot, rows in zip(self.ir.inputs, inputs, strict=True)]
        result = stage.run(
            len(coverage),
            shaped,
            self.constants.areas,
            coverage,
            loop_budget=budget,
            record=True,
            memories=memories,
        )
        return result, textures

    def _store(self, result: NumpyResult, outputs: NDArray[np.float32], lanes: int) -> None:
        for slot, first, value in zip(self.ir.outputs, self.layout.output_rows, result.outputs, strict=True):
            rows = value.reshape(-1, value.shape[-1])
            target = outputs[first : first + len(rows), :lanes]
            if slot.variable.type.base is Base.FLOAT:
                target[...] = rows
            else:
                target.view(np.int32)[...] = rows

    def _hashes(self, log: BlockLog, count: int, per_quad: bool) -> NDArray[np.uint64]:
        hashes = np.zeros(count, np.uint64)
        for step, ran in _units(log, per_quad):
            mixed = (hashes ^ step.astype(np.uint64)) * np.uint64(HASH_MULTIPLIER)
            hashes = np.where(ran, mixed ^ mixed >> np.uint64(32), hashes)
        return hashes

    def _log(self, log: BlockLog, count: int, per_quad: bool) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        paths: list[list[int]] = [[] for _ in range(count)]
        for (step, ran), number in zip(_units(log, per_quad), log.blocks, strict=True):
            if self.ir.blocks[number].kinds:
                for unit in np.flatnonzero(ran).tolist():
                    paths[unit].append(int(step[unit]))
        counts = np.array([len(path) for path in paths], np.uint32)
        steps = np.zeros((count, max(int(counts.max(initial=0)), 1)), np.uint32)
        for unit, path in enumerate(paths):
            steps[unit, : len(path)] = path
        return steps, counts

    # ------------------------------------------------------------------ fragments
    def _shade(
        self,
        quads: dict[str, NDArray[Any]],
        planes: NDArray[np.float32],
        planes_base: int,
        record: bool,
        memories: Sequence[NDArray[np.int32]],
    ) -> tuple[NumpyResult, _RecordingTextures]:
        primitive = (quads["quad_primitive"] - np.uint32(planes_base)).astype(np.uint32)
        where = primitive, quads["quad_x"], quads["quad_y"], quads.get("quad_samples")
        inputs = interpolate(NumpyOps(), self.ir.inputs, planes, *where, self.options)
        coverage = np.unpackbits(quads["coverage"][:, None], axis=1, bitorder="little")[:, :4].reshape(-1) != 0
        return self._execute(inputs, coverage, record, memories)

    def run_quads(
        self,
        lanes: LaneMemory,
        num_groups: int,
        outputs: NDArray[np.float32],
        pointers: dict[str, NDArray[Any]],
        planes: NDArray[np.float32],
        planes_base: int,
    ) -> None:
        """Shade quads; see :meth:`StageRun.run_quads`."""
        result, textures = self._shade(pointers, planes, planes_base, self.options.record_textures, self.memories)
        self._store(result, outputs, len(result.alive))
        pointers["survives"][...] = np.packbits(result.alive.reshape(-1, 4), axis=1, bitorder="little")[:, 0]
        if "path_hash" in pointers:
            assert result.log is not None
            count = len(result.alive) // 4
            pointers["path_hash"][:count] = self._hashes(result.log, count, per_quad=True)
        if self.options.record_textures:
            textures.write(lanes.record, QUADS * num_groups)

    def log_quads(
        self, quads: dict[str, NDArray[Any]], planes: NDArray[np.float32], planes_base: int, capacity: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Log steps; all of them, whatever the capacity."""
        named = {"quad_primitive": quads["emitted"], "quad_x": quads["x"], "quad_y": quads["y"]}
        if self.options.multisampled:
            named["quad_samples"] = quads["raster_samples"]
        result, _ = self._shade(
            {**named, "coverage": quads["coverage"]}, planes, planes_base, False, self._memories_again()
        )
        assert result.log is not None
        steps, counts = self._log(result.log, len(quads["coverage"]), per_quad=True)
        return steps[:, :capacity], counts

    # ------------------------------------------------------------------ vertices
    def _vertices(
        self, inputs: NDArray[np.float32], count: int, memories: Sequence[NDArray[np.int32]], budget: int
    ) -> NumpyResult:
        split = []
        for slot, first in zip(self.ir.inputs, self.layout.input_rows, strict=True):
            rows = inputs[first : first + slot.count * slot.type.width, :count]
            split.append(rows if slot.type.base is Base.FLOAT else rows.view(np.int32))
        return self._execute(split, np.ones(count, np.bool_), False, memories, budget)[0]

    def run_vertices(
        self, lanes: LaneMemory, inputs: NDArray[np.float32], count: int, budget: int = 0
    ) -> tuple[NDArray[np.float32], NDArray[np.uint64] | None]:
        """Shade vertices; see :meth:`StageRun.run_vertices`."""
        outputs = aligned(self.num_output_rows, -(-max(count, 1) // LANES) * LANES)
        result = self._vertices(inputs, count, self.memories, budget or DEFAULT_LOOP_BUDGET)
        self._store(result, outputs, count)
        self._vertex_inputs = inputs
        if not self.options.path_hash:
            return outputs, None
        assert result.log is not None
        return outputs, self._hashes(result.log, count, per_quad=False)

    def log_vertices(self, rows: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Execute some of the last vertices once more and log their steps."""
        assert self._vertex_inputs is not None
        picked = np.ascontiguousarray(self._vertex_inputs[:, rows])
        log = self._vertices(picked, len(rows), self._memories_again(), DEFAULT_LOOP_BUDGET).log
        assert log is not None
        steps, counts = self._log(log, len(rows), per_quad=False)
        return steps[:, :capacity], counts


def _shape(slot: InputSlot, rows: NDArray[Any]) -> NDArray[Any]:
    """Input rows as the executor takes them: (w, n), or (count, w, n)."""
    values = rows != 0 if slot.type.base is Base.BOOL else rows
    return values.reshape(slot.count, slot.type.width, -1) if slot.count > 1 else values
