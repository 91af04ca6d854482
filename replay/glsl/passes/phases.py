"""Cuts a compute stage at its barriers, so that a work group can run group of lanes by group of lanes.

Between two barriers the lanes of a work group need not know of each other: such a *run* is executed for one group of
lanes after the other. What holds a barrier inside, a branch or a loop, is walked by all groups together. A value that
one run computes and another one uses goes through a variable; what depends on nothing is computed again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from replay.glsl.ir import Block, If, Instr, Jump, Loop, Node, Region, StageIR, StoreRef, Variable

__all__ = ["CONTROL_LANES", "Item", "PhasedIf", "PhasedLoop", "PhasedStage", "Run", "has_barrier"]


@dataclass(slots=True)
class Run:
    """What each group of lanes executes for itself; ``value`` is the condition that a test computes."""

    nodes: list[Node]
    value: Instr | None = None


@dataclass(slots=True)
class PhasedIf:
    """A branch that holds a barrier. Masks are numbered: of its two sides."""

    test: Run
    then: list[Item]
    orelse: list[Item]
    masks: tuple[int, int]


@dataclass(slots=True)
class PhasedLoop:
    """A loop that holds a barrier. Masks: of the lanes that iterate, of those inside, of those that continue."""

    body: list[Item]
    step: list[Item]
    masks: tuple[int, int, int]


Item = Run | PhasedIf | PhasedLoop


#: Lanes of a tessellation control stage that run together: patches as whole ones, which all wait for each other.
CONTROL_LANES: Final = 1024


def has_barrier(stage: StageIR) -> bool:
    """Tell whether a stage has to be cut."""
    return stage.stage in ("compute", "tess_control") and any(
        instr.op == "barrier" for instr in stage.body.instructions()
    )


def _holds(node: Node) -> bool:
    if isinstance(node, Block):
        return any(instr.op == "barrier" for instr in node.instructions)
    parts = (
        (node.then, node.orelse) if isinstance(node, If) else (node.body, node.step) if isinstance(node, Loop) else ()
    )
    return any(_holds(inner) for part in parts for inner in part.nodes)


#: Masks of the whole stage: of the lanes in the outermost region, of those that have not returned.
MAIN_MASK, RUNNING_MASK = 0, 1


@dataclass(slots=True)
class PhasedStage:
    """A stage in runs.

    Parameters
    ----------
    items : in order
    spills : variables beside the stage's own
    num_masks : masks of lanes that live from run to run; 0 and 1 are MAIN_MASK and RUNNING_MASK
    """

    items: list[Item] = field(default_factory=list)
    spills: list[Variable] = field(default_factory=list)
    num_masks: int = 2

    @classmethod
    def of(cls, stage: StageIR) -> PhasedStage:
        """Cut a stage; it is left as it is."""
        return _Cutter().cut(stage)


class _Cutter:
    def __init__(self) -> None:
        self.out = PhasedStage()
        self._home: dict[Instr, Run] = {}
        self._spilled: dict[Instr, Variable] = {}
        self._runs: list[Run] = []

    def cut(self, stage: StageIR) -> PhasedStage:
        self.out.items = self._items(stage.body.nodes)
        for run in self._runs:
            for instr in _instructions(run.nodes):
                self._home[instr] = run
        for run in self._runs:
            for value in _uses(run):
                if self._home[value] is not run and not _is_free(value) and value not in self._spilled:
                    self._spilled[value] = Variable(f"spill{len(self._spilled)}", value.type)
        self.out.spills = list(self._spilled.values())
        for run in self._runs:
            _Copier(run, self._home, self._spilled).copy()
        return self.out

    def _masks(self, count: int) -> range:
        first = self.out.num_masks
        self.out.num_masks += count
        return range(first, first + count)

    def _run(self, nodes: list[Node], value: Instr | None = None) -> Run:
        run = Run(nodes, value)
        self._runs.append(run)
        return run

    def _items(self, nodes: list[Node]) -> list[Item]:
        items: list[Item] = []
        current: list[Node] = []

        def close() -> None:
            nonlocal current
            if current:
                items.append(self._run(current))
            current = []

        for node in nodes:
            if not _holds(node):
                current.append(node)
            elif isinstance(node, Block):
                for piece in _pieces(node):
                    if piece is None:
                        close()
                    else:
                        current.append(piece)
            else:
                close()
                items.append(self._control(node))
        close()
        return items

    def _control(self, node: Node) -> Item:
        if isinstance(node, If):
            first, second = self._masks(2)
            test = self._run([], node.condition)
            return PhasedIf(test, self._items(node.then.nodes), self._items(node.orelse.nodes), (first, second))
        assert isinstance(node, Loop)
        lanes, inside, continued = self._masks(3)
        return PhasedLoop(self._items(node.body.nodes), self._items(node.step.nodes), (lanes, inside, continued))


def _pieces(block: Block) -> list[Block | None]:
    """The block, None where a barrier stands; its number and kinds stay with the first piece."""
    piece = Block()
    piece.number, piece.kinds = block.number, block.kinds
    out: list[Block | None] = [piece]
    for instr in block.instructions:
        if instr.op == "barrier":
            piece = Block()
            out += [None, piece]
        else:
            piece.instructions.append(instr)
    return out


def _instructions(nodes: list[Node]) -> list[Instr]:
    region = Region()
    region.nodes = nodes
    return list(region.instructions())


def _uses(run: Run) -> list[Instr]:
    region = Region()
    region.nodes = run.nodes
    out = [arg for instr in region.instructions() for arg in instr.args]
    out += [node.condition for node in region.walk() if isinstance(node, If | Jump) and node.condition is not None]
    return [*out, run.value] if run.value is not None else out


def _is_free(value: Instr) -> bool:
    return value.op in ("const", "uniform", "input", "msize") and not value.args


class _Copier:
    """Copies a run, with loads of what other runs computed in front, and stores of what they need."""

    def __init__(self, run: Run, home: dict[Instr, Run], spilled: dict[Instr, Variable]) -> None:
        self._run = run
        self._home = home
        self._spilled = spilled
        self._new: dict[Instr, Instr] = {}
        self._front = Block()

    def copy(self) -> None:
        nodes = self._nodes(self._run.nodes)
        if self._run.value is not None:
            self._run.value = self._value(self._run.value)
        self._run.nodes = [self._front, *nodes]

    def _value(self, old: Instr) -> Instr:
        new = self._new.get(old)
        if new is None:
            free = _is_free(old)
            new = Instr(old.op, old.type, (), old.attr) if free else Instr("load", old.type, (), self._spilled[old])
            self._new[old] = new
            self._front.instructions.append(new)
        return new

    def _nodes(self, nodes: list[Node]) -> list[Node]:
        return [self._node(node) for node in nodes]

    def _region(self, region: Region) -> Region:
        out = Region()
        out.nodes = self._nodes(region.nodes)
        return out

    def _node(self, node: Node) -> Node:
        if isinstance(node, Block):
            return self._block(node)
        if isinstance(node, If):
            condition = self._value(node.condition)
            return If(condition, self._region(node.then), self._region(node.orelse))
        if isinstance(node, Loop):
            return Loop(self._region(node.body), self._region(node.step))
        return Jump(node.kind, None if node.condition is None else self._value(node.condition))

    def _block(self, block: Block) -> Block:
        out = Block()
        out.number, out.kinds = block.number, block.kinds
        for old in block.instructions:
            new = Instr(old.op, old.type, tuple([self._value(arg) for arg in old.args]), old.attr)
            self._new[old] = new
            out.instructions.append(new)
            variable = self._spilled.get(old)
            if variable is not None:
                ref = StoreRef(variable, tuple(range(variable.type.width)))
                out.instructions.append(Instr("store", None, (new,), ref))
        return out
