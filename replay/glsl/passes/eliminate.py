"""Dead-store and dead-code elimination: one walk backwards."""

from __future__ import annotations

from replay.glsl.ir import SIDE_EFFECTS, Block, If, Instr, Jump, JumpKind, Loop, Node, Region, StoreRef, Variable

__all__ = ["eliminate"]

#: Live components of (variable, element); element -1 stands for "every element" (and for variables that are no arrays).
Live = dict[tuple[Variable, int], int]


class _Eliminator:
    def __init__(self, outputs: set[Variable]) -> None:
        self.used: set[Instr] = set()
        self.at_end: Live = {(variable, -1): 15 for variable in outputs}
        #: What is live where BREAK and CONTINUE of the innermost loop go.
        self._targets: list[Live] = []

    def region(self, region: Region, live: Live) -> Live:
        """Clean a region; gives what is live before it."""
        kept: list[Node] = []
        for node in reversed(region.nodes):
            if isinstance(node, Block):
                self._block(node, live)
                if node.instructions:
                    kept.append(node)
            elif isinstance(node, If):
                then = self.region(node.then, dict(live))
                orelse = self.region(node.orelse, dict(live))
                if node.then.nodes or node.orelse.nodes:
                    kept.append(node)
                    self.used.add(node.condition)
                    live = _union(then, orelse)
            elif isinstance(node, Loop):
                live = self._loop(node, live)
                kept.append(node)
            else:
                live = self._jump(node, live)
                kept.append(node)
        kept.reverse()
        region.nodes = kept
        return live

    def _jump(self, node: Jump, live: Live) -> Live:
        if node.condition is not None:
            self.used.add(node.condition)
        if node.kind == JumpKind.DISCARD:
            return live
        target = self.at_end if node.kind == JumpKind.RETURN else self._targets[-1]
        return dict(target) if node.condition is None else _union(live, target)

    def _loop(self, node: Loop, live: Live) -> Live:
        inside = dict(live)
        for region in (node.body, node.step):
            for instr in region.instructions():
                if instr.op == "load":
                    inside[instr.attr, -1] = 15
            if any(isinstance(part, Jump) and part.kind == JumpKind.RETURN for part in region.walk()):
                inside = _union(inside, self.at_end)
        self._targets.append(inside)
        self.region(node.step, dict(inside))
        self.region(node.body, dict(inside))
        self._targets.pop()
        return inside

    def _block(self, block: Block, live: Live) -> None:
        used = self.used
        kept: list[Instr] = []
        for instr in reversed(block.instructions):
            op = instr.op
            if op == "store":
                if not self._store(instr, live):
                    continue
            elif instr not in used and op not in SIDE_EFFECTS:
                continue
            elif op == "load":
                variable = instr.attr
                at = instr.args[0].attr[0] if instr.args and instr.args[0].op == "const" else -1
                live[variable, at] = 15
            used.update(instr.args)
            kept.append(instr)
        kept.reverse()
        block.instructions = kept

    @staticmethod
    def _store(instr: Instr, live: Live) -> bool:
        """Update liveness for a store; tells whether it is needed."""
        ref: StoreRef = instr.attr
        variable = ref.variable
        bits = 0
        for component in ref.mask:
            bits |= 1 << component
        everywhere = live.get((variable, -1), 0)
        if len(instr.args) == 1:
            if not everywhere & bits:
                return False
            live[variable, -1] = everywhere & ~bits
            return True
        index = instr.args[1]
        if index.op == "const":
            key = (variable, index.attr[0])
            if not (everywhere | live.get(key, 0)) & bits:
                return False
            if not everywhere:
                live[key] = live.get(key, 0) & ~bits
            return True
        return bool(everywhere & bits) or any(stored is variable and mask & bits for (stored, _), mask in live.items())


def _union(a: Live, b: Live) -> Live:
    out = dict(a)
    for key, mask in b.items():
        out[key] = out.get(key, 0) | mask
    return out


def eliminate(body: Region, outputs: set[Variable]) -> None:
    """Clean a program in place.

    Parameters
    ----------
    outputs : variables whose content at the end counts
    """
    eliminator = _Eliminator(outputs)
    eliminator.region(body, dict(eliminator.at_end))
