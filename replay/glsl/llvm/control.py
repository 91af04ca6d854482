"""Code for structured control flow over lane masks.

Every region is written for a mask of lanes and gives the mask of those that reach its end; a part that no lane
enters is jumped over. Lanes that return, and quads without a live lane after a discard, leave every enclosing
region: they are missing from the *running* mask. The rules are those of :mod:`replay.glsl.ir`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from replay.glsl.ir import Block, If, Jump, JumpKind, Loop, Node, Region
from replay.glsl.llvm.abi import STATUS_OK
from replay.glsl.llvm.paths import PathWriter
from replay.glsl.llvm.values import ValueWriter
from replay.glsl.llvm.vectors import LlvmOps, MaskVec, Scalar

__all__ = ["ControlWriter", "Effects", "Exits", "effects"]

_CHEAP_INSTRUCTIONS: Final = 6
#: Jumps behind which the rest of a region is skipped where no lane is left, each guard inside the one before.
_MAX_GUARDS: Final = 24
_LONGEST_BLOCK: Final = 500


@dataclass(slots=True)
class Effects:
    """What the jumps of a region may do to the lanes of regions around it."""

    returns: bool = False
    discards: bool = False
    breaks: bool = False
    continues: bool = False

    @property
    def any(self) -> bool:
        """Whether a lane that enters may not reach the end."""
        return self.returns or self.discards or self.breaks or self.continues


def effects(nodes: list[Node]) -> Effects:
    """Jumps among ``nodes`` and below, as far as they leave them (a loop keeps its breaks and continues)."""
    found = Effects()
    for node in nodes:
        if isinstance(node, Jump):
            found.returns |= node.kind is JumpKind.RETURN
            found.discards |= node.kind is JumpKind.DISCARD
            found.breaks |= node.kind is JumpKind.BREAK
            found.continues |= node.kind is JumpKind.CONTINUE
        elif isinstance(node, If | Loop):
            parts = (node.then, node.orelse) if isinstance(node, If) else (node.body, node.step)
            for part in parts:
                inner = effects(part.nodes)
                found.returns |= inner.returns
                found.discards |= inner.discards
                if isinstance(node, If):
                    found.breaks |= inner.breaks
                    found.continues |= inner.continues
    return found


@dataclass(slots=True, frozen=True)
class Exits:
    """Where the code of a stage ends, and when before its end.

    Parameters
    ----------
    budget : iterations that a group may spend in all its loops (i32 operand); lanes that iterate together count once
    out_of_budget : label to jump to when it needs more
    status : pointer to the status, which is STATUS_OK while the code runs
    finish : label of the function's end
    """

    budget: Scalar
    out_of_budget: str
    status: Scalar
    finish: str


class ControlWriter:
    """Writes the body of a stage.

    Parameters
    ----------
    ops, values, paths : what the code is written with
    quads : lanes come in quads (fragment stage); else every lane is on its own
    covered : lanes that exist and are no helpers
    body : of the stage
    exits : of its function
    """

    def __init__(
        self,
        ops: LlvmOps,
        values: ValueWriter,
        paths: PathWriter,
        *,
        quads: bool,
        covered: MaskVec,
        body: Region,
        exits: Exits,
    ) -> None:
        self._ops = ops
        self._values = values
        self._paths = paths
        self._quads = quads
        self._covered = covered
        self._body = body
        self._exits = exits
        everything = effects(body.nodes)
        self._discards = everything.discards
        self._live_storage = ops.allocate(MaskVec) if everything.discards else ""
        self._running_storage = ops.allocate(MaskVec) if everything.discards or everything.returns else ""
        #: Guards around the current place.
        self._guards = 0
        self._iterations = ""
        self._continue_storage = ""
        #: Storage of the iteration number of each loop around the current place, for path hashes.
        self._loops: list[Scalar] = []

    def write(self) -> MaskVec:
        """Write the whole stage; gives the lanes that are live at its end."""
        ops = self._ops
        if self._live_storage:
            ops.put(self._covered, self._live_storage)
        if self._running_storage:
            ops.put(ops.mask_const(True), self._running_storage)
        if any(isinstance(node, Loop) for node in self._body.walk()):
            self._iterations = ops.function.allocate("i32")
            ops.function.line(f"store i32 0, ptr {self._iterations}")
        self._paths.begin(ops.mask_const(True), self._covered)
        self._region(self._body.nodes, ops.mask_const(True))
        return self._live()

    def run(self, mask: MaskVec, running: Scalar, continued: Scalar, iterations: Scalar) -> MaskVec:
        """Write the nodes of a run (:mod:`replay.glsl.llvm.phases`); gives the lanes that reach its end.

        Parameters
        ----------
        running, continued : pointers to the masks of lanes that have not returned, and of those that continue a loop
        iterations : pointer to the iterations so far
        """
        self._running_storage, self._continue_storage, self._iterations = running, continued, iterations
        return self._region(self._body.nodes, mask)

    def count_iteration(self, iterations: Scalar) -> None:
        """Write what counts an iteration of a loop outside of this writer's nodes."""
        self._iterations = iterations
        self._count_iteration()

    def _live(self) -> MaskVec:
        return self._ops.get(MaskVec, self._live_storage) if self._live_storage else self._covered

    def _running(self, mask: MaskVec) -> MaskVec:
        return self._ops.mask_and(mask, self._ops.get(MaskVec, self._running_storage))

    def _region(self, nodes: list[Node], mask: MaskVec) -> MaskVec:
        """Write nodes for the lanes of ``mask``; gives those that reach the end."""
        for position, node in enumerate(nodes):
            if isinstance(node, Block):
                self._block(node, mask)
            elif isinstance(node, If):
                mask = self._if(node, mask)
            elif isinstance(node, Loop):
                mask = self._loop(node, mask)
            else:
                mask = self._jump(node, mask)
            leaves = isinstance(node, Jump) or effects([node]).any
            # Behind many jumps the rest is left unguarded: it does nothing without lanes, only more slowly.
            if leaves and self._guards < _MAX_GUARDS and self._has_work(nodes[position + 1 :]):
                self._guards += 1
                mask = self._guarded(nodes[position + 1 :], mask)
                self._guards -= 1
                return mask
        return mask

    @staticmethod
    def _has_work(nodes: list[Node]) -> bool:
        return any(not isinstance(node, Block) or node.instructions or node.kinds for node in nodes)

    @staticmethod
    def _is_cheap(nodes: list[Node]) -> bool:
        """Whether running for no lane at all costs less than a branch."""
        return all(isinstance(node, Block) and len(node.instructions) <= _CHEAP_INSTRUCTIONS for node in nodes)

    def _guarded(self, nodes: list[Node], mask: MaskVec) -> MaskVec:
        """Write the rest of a region behind a jump: only if a lane is left."""
        ops = self._ops
        if mask == ops.mask_const(False):
            return mask
        if not effects(nodes).any:
            with ops.when(ops.any(mask)):
                self._region(nodes, mask)
            return mask
        end = ops.allocate(MaskVec)
        ops.put(mask, end)
        with ops.when(ops.any(mask)):
            ops.put(self._region(nodes, mask), end)
        return ops.get(MaskVec, end)

    def _decide(self, mask: MaskVec) -> None:
        if self._paths.hashes:
            assign = self._ops.function.assign
            self._paths.decide(mask, [assign(f"load i32, ptr {storage}") for storage in self._loops])

    # ------------------------------------------------------------------ nodes
    def _block(self, block: Block, mask: MaskVec) -> None:
        live = self._live()
        if block.kinds:
            self._paths.step(block.number, mask, live)
        for instruction in block.instructions:
            self._values.write(instruction, mask, live)
            if self._ops.function.block_length > _LONGEST_BLOCK:
                self._split_block()

    def _split_block(self) -> None:
        """Begin a new basic block: LLVM's code generation takes time quadratic in the length of one."""
        function = self._ops.function
        rest = function.new_label("rest")
        # A condition that always holds, and that LLVM can neither know nor remember.
        status = function.assign(f"load volatile i64, ptr {self._exits.status}, align 8")
        function.branch(function.assign(f"icmp eq i64 {status}, {STATUS_OK}"), rest, self._exits.finish)
        function.start(rest)

    def _if(self, node: If, mask: MaskVec) -> MaskVec:
        ops = self._ops
        condition = self._values.condition(node.condition)
        then, otherwise = effects(node.then.nodes), effects(node.orelse.nodes)
        ends: list[Scalar] = []
        for part, chosen in ((node.then, condition), (node.orelse, ops.mask_not(condition))):
            inside = ops.mask_and(mask, chosen)
            if part is node.orelse and then.discards:
                inside = self._running(inside)
            end = ops.allocate(MaskVec) if then.any or otherwise.any else ""
            if end:
                ops.put(inside, end)
                ends.append(end)
            if self._has_work(part.nodes):
                with ops.when(ops.any(inside)):
                    # Who enters the second part follows from who entered the first.
                    if part is node.then or not self._has_work(node.then.nodes):
                        self._decide(inside)
                    reached = self._region(part.nodes, inside)
                    if end:
                        ops.put(reached, end)
        if not ends:
            return mask
        merged = ops.mask_or(ops.get(MaskVec, ends[0]), ops.get(MaskVec, ends[1]))
        return self._running(merged) if otherwise.discards or then.discards else merged

    def _loop(self, node: Loop, mask: MaskVec) -> MaskVec:
        ops, function = self._ops, self._ops.function
        inner = effects([node])
        body = effects(node.body.nodes)
        lanes = ops.allocate(MaskVec)
        ops.put(mask, lanes)
        outer_continue, self._continue_storage = self._continue_storage, ""
        if body.continues:
            self._continue_storage = ops.allocate(MaskVec)
        head, start, end = (function.new_label(hint) for hint in ("loop", "body", "endloop"))
        if self._paths.hashes:
            self._loops.append(function.allocate("i32"))
            function.line(f"store i32 0, ptr {self._loops[-1]}")
        function.jump(head)
        function.start(head)
        inside = ops.get(MaskVec, lanes)
        if inner.discards:
            inside = self._running(inside)
        inside = self._without_idle_helpers(inside, lanes)
        function.branch(ops.any(inside), start, end)
        function.start(start)
        self._count_iteration()
        if self._continue_storage:
            ops.put(ops.mask_const(False), self._continue_storage)
        reached = self._region(node.body.nodes, inside)
        if self._continue_storage:
            reached = ops.mask_or(reached, ops.get(MaskVec, self._continue_storage))
            if body.discards:
                reached = self._running(reached)
        if self._has_work(node.step.nodes):
            if body.any and not self._is_cheap(node.step.nodes):
                end_of_step = ops.allocate(MaskVec)
                ops.put(reached, end_of_step)
                with ops.when(ops.any(reached)):
                    ops.put(self._region(node.step.nodes, reached), end_of_step)
                reached = ops.get(MaskVec, end_of_step)
            else:
                reached = self._region(node.step.nodes, reached)
        ops.put(reached, lanes)
        if self._paths.hashes:
            storage = self._loops.pop()
            following = function.assign(f"add i32 {function.assign(f'load i32, ptr {storage}')}, 1")
            function.line(f"store i32 {following}, ptr {storage}")
        function.jump(head)
        function.start(end)
        self._continue_storage = outer_continue
        return self._running(mask) if inner.discards or inner.returns else mask

    def _without_idle_helpers(self, inside: MaskVec, storage: Scalar) -> MaskVec:
        """Lanes that go on iterating: helpers only as long as a live lane of their quad does."""
        ops, live = self._ops, self._live()
        if not self._quads:
            return ops.mask_and(inside, live)
        ops.put(inside, storage)
        # Most groups have no helper; the test is cheaper than what it saves.
        with ops.when(ops.any(ops.mask_not(live))):
            ops.put(ops.mask_and(inside, ops.quad_any(ops.mask_and(inside, live))), storage)
        return ops.get(MaskVec, storage)

    def _count_iteration(self) -> None:
        assign, function = self._ops.function.assign, self._ops.function
        counted = assign(f"add i32 {assign(f'load i32, ptr {self._iterations}')}, 1")
        function.line(f"store i32 {counted}, ptr {self._iterations}")
        going_on = function.new_label("inbudget")
        function.branch(assign(f"icmp ult i32 {self._exits.budget}, {counted}"), self._exits.out_of_budget, going_on)
        function.start(going_on)

    def _jump(self, node: Jump, mask: MaskVec) -> MaskVec:
        ops = self._ops
        leaving, staying = mask, ops.mask_const(False)
        if node.condition is not None:
            leaving = ops.mask_and(mask, self._values.condition(node.condition))
            staying = ops.mask_and(mask, ops.mask_not(leaving))
            if self._paths.hashes:
                # That a helper is discarded changes nothing.
                deciding = ops.mask_and(leaving, self._live()) if node.kind is JumpKind.DISCARD else leaving
                with ops.when(ops.any(deciding)):
                    self._decide(deciding)
        if node.kind is JumpKind.CONTINUE:
            ops.put(ops.mask_or(ops.get(MaskVec, self._continue_storage), leaving), self._continue_storage)
        elif node.kind is JumpKind.RETURN:
            self._stop(ops.mask_not(leaving))
        elif node.kind is JumpKind.DISCARD:
            live = ops.mask_and(self._live(), ops.mask_not(leaving))
            ops.put(live, self._live_storage)
            alive = ops.quad_any(live) if self._quads else live
            self._stop(alive)
            return ops.mask_and(mask, alive)
        return staying

    def _stop(self, remaining: MaskVec) -> None:
        """Only these lanes, of those that run, go on running."""
        self._ops.put(self._running(remaining), self._running_storage)
