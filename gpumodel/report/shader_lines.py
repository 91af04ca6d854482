"""What the machine executed of each shader, line by line of its text.

The compiler tells which line asks for each machine instruction (``instructions.line``), a path which blocks a quad or
vertex runs, the log of a pass which quads and vertices were shaded. Sums over lines are the counters of results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.report.tile_work import spread
from gpumodel.streams import issue_prices
from traceformat.gputrace.frametrace import STAGES, InstructionKind

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_run import PassRun
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["ShaderLines", "StageLines"]

Array = NDArray[Any]

#: Row of ``issue_prices`` of each stage: tessellation and geometry stages run where vertices do.
_PRICES: Final = {"vertex": 0, "fragment": 1, "geometry": 0, "tess_control": 0, "tess_evaluation": 0}
_KINDS: Final = len(InstructionKind)
#: Columns of a stage that its texture instructions fill.
_TEXTURE_COLUMNS: Final = ("texels", "texture_lines", "texture_cycles", "texture_misses", "stall_cycles")
_LANES: Final = np.array([bin(mask).count("1") for mask in range(16)], np.int64)


@dataclass(slots=True)
class StageLines:
    """What was executed of one stage of one program.

    Parameters
    ----------
    program, version : GL name, and how often it had been linked
    stage : of STAGES
    text : of the shader
    lines : L, of the text; rows of what follows are lines from 1, row 0 is what no line asks for (and paths of which
        only counts were kept)
    static : (L + 1, 6) int64, instructions of the code by InstructionKind
    executed : (L + 1, 6) int64, instructions times live vertices or fragments
    issue_cycles : (L + 1,) int64, cycles in which a processor issued them
    texels, texture_lines : (L + 1,) int64, texels filtered, and lines of memory looked up for them
    texture_cycles : (L + 1,) int64, cycles in which a texture unit filtered or looked up, as long as nothing misses
    texture_misses, stall_cycles : (L + 1,) int64, look-ups that missed, and cycles in which a processor had nothing to
        do but to wait for the oldest quad's look-up; of runs that count costs
    invocations : vertices or fragments shaded
    shortest, longest : issue cycles of the executed paths
    kind_cycles : (6,) int64, of the issue cycles, by InstructionKind
    registers : of four 32-bit components that are live at once at most, see :mod:`replay.glsl.registers`; 0 where that
        is not known
    """

    program: int
    version: int
    stage: str
    text: str
    static: Array
    registers: int = 0
    executed: Array = field(init=False)
    kind_cycles: Array = field(init=False)
    issue_cycles: Array = field(init=False)
    texels: Array = field(init=False)
    texture_lines: Array = field(init=False)
    texture_cycles: Array = field(init=False)
    texture_misses: Array = field(init=False)
    stall_cycles: Array = field(init=False)
    invocations: int = 0
    shortest: int = 0
    longest: int = 0

    def __post_init__(self) -> None:
        rows = len(self.static)
        self.executed = np.zeros((rows, _KINDS), np.int64)
        self.kind_cycles = np.zeros(_KINDS, np.int64)
        self.issue_cycles = np.zeros(rows, np.int64)
        for name in _TEXTURE_COLUMNS:
            setattr(self, name, np.zeros(rows, np.int64))

    @property
    def cycles(self) -> int:
        """Issue cycles of all lines."""
        return int(self.issue_cycles.sum())

    @property
    def bound(self) -> str:
        """What its processors have most of: ``issue``, ``texture unit`` or ``waits for texels``."""
        own = {
            "issue": self.cycles,
            "texture unit": int(self.texture_cycles.sum()),
            "waits for texels": int(self.stall_cycles.sum()),
        }
        return max(own, key=lambda name: own[name])

    def document(self) -> dict[str, Any]:
        """As JSON: columns by line, and sums."""
        kinds = [kind.name.lower() for kind in InstructionKind]
        return {
            "program": self.program,
            "version": self.version,
            "stage": self.stage,
            "invocations": self.invocations,
            "issue_cycles": self.cycles,
            "issue_cycles_of_a_path": {"shortest": self.shortest, "longest": self.longest},
            "issue_cycles_by_kind": dict(zip(kinds, self.kind_cycles.tolist(), strict=True)),
            "registers": self.registers,
            "executed": dict(zip(kinds, self.executed.sum(axis=0).tolist(), strict=True)),
            **{name: int(getattr(self, name).sum()) for name in _TEXTURE_COLUMNS},
            "bound": self.bound,
            "source": self.text.splitlines(),
            "lines": {
                "static": self.static.sum(axis=1).tolist(),
                "executed": self.executed.sum(axis=1).tolist(),
                "issue_cycles": self.issue_cycles.tolist(),
                **{name: getattr(self, name).tolist() for name in _TEXTURE_COLUMNS},
            },
        }


class ShaderLines:
    """Sums over passes as they are done; the frames need SOURCE_COLUMNS.

    Parameters
    ----------
    config : the GPU, which says what instructions cost
    """

    def __init__(self, config: GpuConfig) -> None:
        self._prices = issue_prices(config)
        self._texels_per_cycle = config.fragment.texels_per_cycle
        self._known: dict[tuple[int, int, str, str], StageLines] = {}

    @property
    def stages(self) -> list[StageLines]:
        """The stages that were drawn with, in the order in which they first occur."""
        return list(self._known.values())

    def add(self, head: FrameTrace, passes: Iterable[PassRun]) -> bool:
        """Take the finished passes of a frame; gives False for one that does not know its lines."""
        if "source" not in head["programs"] or "line" not in head["instructions"]:
            return False
        stages = [self._stage(head, row) for row in range(head["programs"].num_rows)]
        quads = np.zeros((max(head["paths"].num_rows, 1), 16), np.int64)
        vertices = np.zeros(len(quads), np.int64)
        for done in passes:
            _count_paths(done, quads, vertices)
            self._add_texels(head, done, stages)
        for path in np.flatnonzero(quads[:, 1:].any(axis=1)):
            self._add_path(head, stages, int(path), int(quads[path, 1:].sum()), quads[path])
        for path in np.flatnonzero(vertices):
            self._add_path(head, stages, int(path), int(vertices[path]), np.eye(16, dtype=np.int64)[1] * vertices[path])
        return True

    def _stage(self, head: FrameTrace, row: int) -> StageLines:
        """The sums of a program of the frame."""
        programs = head["programs"]
        name, version = int(programs["id"][row]), int(programs["version"][row])
        stage, text = STAGES[int(programs["stage"][row])], head.labels[int(programs["source"][row])]
        known = self._known.get((name, version, stage, text))
        if known is None:
            static = self._static(head, row, len(text.splitlines()))
            registers = int(programs["registers"][row]) if "registers" in programs else 0
            known = StageLines(name, version, stage, text, static, registers)
            self._known[name, version, stage, text] = known
        return known

    @staticmethod
    def _static(head: FrameTrace, row: int, lines: int) -> Array:
        first, count = (int(head["programs"][name][row]) for name in ("block_first", "block_count"))
        out = np.zeros((lines + 1, _KINDS), np.int64)
        for block in range(first, first + count):
            line, kind = _instructions(head, block, lines)
            np.add.at(out, (line, kind), 1)
        return out

    def _add_path(self, head: FrameTrace, stages: list[StageLines], path: int, count: int, masks: Array) -> None:
        """Add a path that ran ``count`` times, with lane mask m in ``masks[m]`` of them."""
        paths, steps = head["paths"], head["path_steps"]
        stage = stages[int(paths["program"][path])]
        prices = self._prices[_PRICES[stage.stage]]
        begin = int(paths["step_first"][path])
        end = begin + int(paths["step_count"][path])
        of_kinds = paths["issued"][path].astype(np.int64) * prices
        cycles = int(of_kinds.sum())
        stage.kind_cycles += of_kinds * count
        if not stage.invocations or cycles < stage.shortest:
            stage.shortest = cycles
        stage.longest = max(stage.longest, cycles)
        stage.invocations += int(masks @ _LANES)
        if begin == end:
            issued = paths["issued"][path].astype(np.int64)
            stage.executed[0] += issued * int(masks @ _LANES)
            stage.issue_cycles[0] += cycles * count
            return
        used = [mask for mask in range(1, 16) if masks[mask]]
        active = steps["active"][begin:end]
        lanes = sum(int(masks[mask]) * _LANES[active & mask] for mask in used)
        blocks, place = np.unique(steps["block"][begin:end], return_inverse=True)
        runs = np.bincount(place)
        live = np.bincount(place, lanes).astype(np.int64)
        for block, times, fragments in zip(blocks.tolist(), runs.tolist(), live.tolist(), strict=True):
            line, kind = _instructions(head, block, len(stage.static) - 1)
            np.add.at(stage.executed, (line, kind), fragments)
            np.add.at(stage.issue_cycles, line, prices[kind] * times * count)

    def _add_texels(self, head: FrameTrace, done: PassRun, stages: list[StageLines]) -> None:
        """Add what texture instructions of the shaded quads of a pass looked up, and what waited for them."""
        streams, trace = done.streams, done.tables.trace
        count = streams.num_quads
        mask = streams.executed[:count]
        shaded = np.flatnonzero(mask)
        rows = streams.quads["row"][:count][shaded]
        of_quad, op = spread(*(trace["quads"][name][rows].astype(np.int64) for name in ("tex_first", "tex_count")))
        if not len(op):
            return
        alive = mask[shaded][of_quad]
        table = trace["tex_ops"]
        program = head["paths"]["program"][trace["quads"]["path"][rows]].astype(np.int64)[of_quad]
        fetched = table["texels"][op]
        texels = np.zeros(len(op), np.int64)
        for lane in range(4):
            texels += fetched[:, lane] * (alive >> lane & 1)
        of_op, line = spread(*(table[name][op].astype(np.int64) for name in ("line_first", "line_count")))
        wanted = (trace["texture_lines"]["lanes"][line] & alive[of_op]) != 0
        looked_up = np.bincount(of_op[wanted], minlength=len(op))
        logged = streams.op_waits, streams.op_misses
        waits, misses = (each[op] if len(each) else np.zeros(len(op), np.int64) for each in logged)
        columns = {
            "texels": texels, "texture_lines": looked_up, "texture_misses": misses, "stall_cycles": waits,
            "texture_cycles": np.maximum(looked_up, -(-texels // self._texels_per_cycle)),
        }  # fmt: skip
        instruction = table["instruction"][op]
        key = program * (int(instruction.max()) + 1) + instruction
        # Floating-point sums of integers below 2**53 are exact.
        sums = {name: np.bincount(key, values) for name, values in columns.items()}
        for found in np.flatnonzero(np.bincount(key)).tolist():
            number, texture = divmod(found, int(instruction.max()) + 1)
            stage = stages[number]
            at = _texture_line(head, number, texture, len(stage.static) - 1)
            for name, values in sums.items():
                getattr(stage, name)[at] += int(values[found])


def _count_paths(done: PassRun, quads: Array, vertices: Array) -> None:
    """Add the shaded quads of a pass by path and lane mask, and its shaded vertices by path."""
    streams, trace = done.streams, done.tables.trace
    count = streams.num_quads
    path = trace["quads"]["path"][streams.quads["row"][:count]].astype(np.int64)
    quads += np.bincount(path * 16 + streams.executed[:count], minlength=quads.size).reshape(-1, 16)
    first, end = streams.rows
    if end > first:
        shaded = streams.vertices["shaded"][: end - first] != 0
        vertices += np.bincount(trace["vertices"]["path"][first:end][shaded], minlength=len(vertices))


def _instructions(head: FrameTrace, block: int, lines: int) -> tuple[Array, Array]:
    """Line and kind of the instructions of a block; lines that the text does not have are 0."""
    first = int(head["blocks"]["instruction_first"][block])
    end = first + int(head["blocks"]["instruction_count"][block])
    line = head["instructions"]["line"][first:end].astype(np.int64)
    return np.where(line <= lines, line, 0), head["instructions"]["kind"][first:end].astype(np.int64)


def _texture_line(head: FrameTrace, program: int, number: int, lines: int) -> int:
    """Line of a texture instruction of a program; 0 where it has none."""
    first, count = (int(head["programs"][name][program]) for name in ("block_first", "block_count"))
    blocks = head["blocks"]
    if not count:
        return 0
    begin = int(blocks["instruction_first"][first])
    end = int(blocks["instruction_first"][first + count - 1]) + int(blocks["instruction_count"][first + count - 1])
    found = np.flatnonzero(head["instructions"]["texture"][begin:end] == number)
    line = int(head["instructions"]["line"][begin + found[0]]) if len(found) else 0
    return line if line <= lines else 0
