"""Numbers values and blocks, and lists the machine instructions of each block by TGSI's conventions.

What an instruction of the IR costs (Mesa's TGSI, see the project's facts about instruction counts): a vector
operation of any width is one ALU instruction; a scalar function one TRANSCENDENTAL instruction a component; swizzles,
negation and absolute value are part of the instruction that reads them, saturation of the one that writes; composing
a vector moves its parts. Control flow: a branch is charged to the block before it, the jump over an ``else`` to the
end of the first branch, a loop's way back to the end of its body.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from replay.glsl.ir import OPS, Block, Cost, If, Instr, Jump, JumpKind, Loop, Node, Region, StageIR
from replay.glsl.passes.fuse import count_uses

__all__ = ["InstructionCounts", "InstructionKind", "count_instructions", "number_stage"]


class InstructionKind(IntEnum):
    """Kinds of machine instructions."""

    ALU = 0
    TRANSCENDENTAL = 1
    MOVE = 2
    TEXTURE = 3
    CONTROL = 4
    KILL = 5


_ALU: Final = (int(InstructionKind.ALU), -1)
_SCALAR: Final = (int(InstructionKind.TRANSCENDENTAL), -1)
_MOVE: Final = (int(InstructionKind.MOVE), -1)
_CONTROL: Final = (int(InstructionKind.CONTROL), -1)
_KILL: Final = (int(InstructionKind.KILL), -1)

#: What functions that hardware does not have cost as Mesa lowers them: (transcendental a component, ALU in all).
_LOWERED: Final = {"ftan": (2, 1), "fasin": (1, 7), "facos": (1, 7), "fatan": (0, 20), "fatan2": (1, 35)}
#: Address arithmetic of an indexed read: of a uniform block, of anything else.
_BLOCK_ADDRESS: Final = 4


@dataclass(frozen=True, slots=True)
class InstructionCounts:
    """Static counts of a stage; ``alu`` excludes moves and includes transcendental instructions."""

    total: int
    alu: int
    moves: int
    texture: int
    control: int
    kill: int


def _is_modifier(instr: Instr) -> bool:
    return instr.op in ("swizzle", "fneg", "fabs", "bitcast")


def _exact(value: Instr) -> Instr:
    """See through rounding to 16 bits, which is part of the instruction that writes or reads a value."""
    while value.op == "narrow":
        value = value.args[0]
    return value


class _Counter:
    def __init__(self, body: Region) -> None:
        self.uses = count_uses(body)
        self.only_conditions = self._condition_values(body)
        self.in_lerps = self._lerp_differences(body)

    @staticmethod
    def _condition_values(body: Region) -> set[Instr]:
        """Values that conditions read: a ``not`` of them costs nothing, the branch tests the other way."""
        out: set[Instr] = set()
        for node in body.walk():
            if isinstance(node, If) or (isinstance(node, Jump) and node.condition is not None):
                assert node.condition is not None
                out.add(node.condition)
        return out

    def _lerp_differences(self, body: Region) -> set[Instr]:
        """Differences y - x in x + t * (y - x), which is the one instruction LRP."""
        out: set[Instr] = set()
        for instr in body.instructions():
            if instr.op != "fmad":
                continue
            for factor in instr.args[:2]:
                if factor.op == "fsub" and factor.args[1] is instr.args[2] and self.uses.get(factor) == 1:
                    out.add(factor)
        return out

    def kinds(self, instr: Instr) -> list[tuple[int, int]]:
        """Machine instructions of one instruction."""
        op = instr.op
        cost = OPS[op].cost
        if op in _LOWERED:
            scalar, alu = _LOWERED[op]
            return [_SCALAR] * scalar * self._distinct_components(instr) + [_ALU] * alu
        if cost == Cost.TEXTURE:
            return [(int(InstructionKind.TEXTURE), instr.attr.lookup.instruction)]
        if op in ("any", "all"):
            return [_ALU] * (instr.args[0].type.width - 1)
        if op == "bnot" and instr in self.only_conditions and self.uses.get(instr) == 1:
            return []
        if cost == Cost.ALU:
            return [] if instr in self.in_lerps else [_ALU]
        if cost == Cost.SCALAR:
            return [_SCALAR] * self._distinct_components(instr)
        if op == "vec":
            return [_MOVE] * self._moves(instr)
        if op == "store":
            return [_MOVE] if self._needs_move(instr.args[0]) else []
        if op == "uniform" and instr.args and instr.attr.area:
            return [_ALU] * _BLOCK_ADDRESS
        if op in ("uniform", "load", "input") and instr.args:
            return [_ALU]  # the address register
        if op == "fsat" and (_is_modifier(_exact(instr.args[0])) or self.uses.get(instr.args[0], 0) > 1):
            return [_MOVE]
        return []

    @staticmethod
    def _distinct_components(instr: Instr) -> int:
        """Components that differ: a function of a spread scalar is computed once."""
        rows = []
        for arg in map(_exact, instr.args):
            if arg.op == "swizzle":
                rows.append([(id(arg.args[0]), component) for component in arg.attr])
            elif arg.op == "const":
                rows.append([(0, component) for component in arg.attr])
            else:
                rows.append([(id(arg), k) for k in range(arg.type.width)])
        return len(set(zip(*rows, strict=True)))

    def _computed_here(self, value: Instr) -> bool:
        """Whether an instruction writes the value, used nowhere else, so that it can write the destination directly."""
        return OPS[value.op].cost in (Cost.ALU, Cost.SCALAR, Cost.TEXTURE, Cost.MOVE) and self.uses.get(value, 0) == 1

    def _needs_move(self, value: Instr) -> bool:
        value = _exact(value)
        if value.op == "fsat":
            value = _exact(value.args[0])
        return not self._computed_here(value)

    def _moves(self, instr: Instr) -> int:
        """Moves that compose a vector: one a source that does not write its part of the result itself."""
        sources: dict[int, bool] = {}
        for part in map(_exact, instr.args):
            root = part
            while root.op == "swizzle":
                root = _exact(root.args[0])
            if root.op == "const":
                sources[0] = True
            else:
                sources[id(root)] = not (root is part and self._computed_here(root))
        return sum(sources.values())


def number_stage(ir: StageIR) -> None:
    """The last pass: put blocks before control nodes, number blocks, values, variables, texture instructions; list
    kinds.
    """
    ir.blocks = []
    ir.textures = []
    ir.num_values = 0
    for number, variable in enumerate(ir.variables):
        variable.number = number
    _number_region(ir, ir.body, _Counter(ir.body))


def _arranged(region: Region) -> list[Node]:
    """Nodes with neighbouring blocks joined and a block before every control node."""
    nodes: list[Node] = []
    for node in region.nodes:
        last = nodes[-1] if nodes else None
        if isinstance(node, Block) and isinstance(last, Block):
            last.instructions.extend(node.instructions)
            continue
        if not isinstance(node, Block) and not isinstance(last, Block):
            nodes.append(Block())
        nodes.append(node)
    return nodes


def _number_region(ir: StageIR, region: Region, counter: _Counter) -> None:
    region.nodes = _arranged(region)
    before = Block()
    for node in region.nodes:
        if isinstance(node, Block):
            before = _number_block(ir, node, counter)
        elif isinstance(node, If):
            _charge(before, node, _CONTROL)
            _number_region(ir, node.then, counter)
            if node.orelse.nodes:
                if not _leaves(node.then):
                    _charge(_end_block(ir, node.then, counter), node, _CONTROL)
                _number_region(ir, node.orelse, counter)
        elif isinstance(node, Loop):
            _number_region(ir, node.body, counter)
            _number_region(ir, node.step, counter)
            _charge(_end_block(ir, node.step, counter), node, _CONTROL)
        elif node.kind == JumpKind.DISCARD:
            # KILL_IF takes a number: the condition becomes one first.
            _charge(before, node, *((_KILL,) if node.condition is None else (_ALU, _KILL)))
        else:
            _charge(before, node, _CONTROL)


def _charge(block: Block, node: If | Loop | Jump, *kinds: tuple[int, int]) -> None:
    """Add the machine instructions of a control node to a block."""
    block.kinds += kinds
    block.lines += (node.line,) * len(kinds)


def _leaves(region: Region) -> bool:
    """Tell whether a region ends in a jump that all lanes take."""
    last = region.nodes[-1] if region.nodes else None
    return isinstance(last, Jump) and last.condition is None and last.kind != JumpKind.DISCARD


def _end_block(ir: StageIR, region: Region, counter: _Counter) -> Block:
    """The block at the end of a region, made if there is none."""
    if region.nodes and isinstance(region.nodes[-1], Block):
        return region.nodes[-1]
    block = _number_block(ir, Block(), counter)
    region.nodes.append(block)
    return block


def _number_block(ir: StageIR, block: Block, counter: _Counter) -> Block:
    block.number = len(ir.blocks)
    ir.blocks.append(block)
    kinds: list[tuple[int, int]] = []
    lines: list[int] = []
    for instr in block.instructions:
        instr.number = ir.num_values
        ir.num_values += 1
        if instr.op == "tex":
            instr.attr = instr.attr.numbered(len(ir.textures))
            ir.textures.append(instr.attr)
        kinds.extend(counter.kinds(instr))
        lines.extend([instr.line] * (len(kinds) - len(lines)))
    block.kinds, block.lines = tuple(kinds), tuple(lines)
    return block


def count_instructions(ir: StageIR) -> InstructionCounts:
    """Static counts of a numbered stage."""
    kinds = [kind for block in ir.blocks for kind, _ in block.kinds]
    counts = [kinds.count(int(kind)) for kind in InstructionKind]
    scalar = counts[InstructionKind.TRANSCENDENTAL]
    return InstructionCounts(
        len(kinds),
        counts[InstructionKind.ALU] + scalar,
        counts[InstructionKind.MOVE],
        counts[InstructionKind.TEXTURE],
        counts[InstructionKind.CONTROL],
        counts[InstructionKind.KILL],
    )
