"""Store-to-load forwarding, simplification, and conversion of small branches to selects, in one walk.

The walk rebuilds the program. It knows, for each variable at each point, which value every component holds, as
long as that value is visible there. Behind a branch only what both sides agree on is known; in a loop, only what
the loop does not write.
"""

from __future__ import annotations

from typing import Final

from replay.glsl.builder import Builder
from replay.glsl.ir import (
    MEMORY_OPS,
    OPS,
    Block,
    Cost,
    If,
    Instr,
    Jump,
    JumpKind,
    Loop,
    Region,
    Variable,
    is_short,
)
from replay.glsl.types import vector

__all__ = ["forward"]

#: Instructions a branch may hold to become selects; Mesa's limit for the reference counts (nir_opt_peephole_select).
SELECT_LIMIT: Final = 8

#: Operations that stay in their branch.
_NO_SELECT: Final = MEMORY_OPS | {"tex", "ddx", "ddy"}

Key = tuple[Variable, int]
#: Source of each component: (value, component of it), None if it is not known.
Known = list["tuple[Instr, int] | None"]
State = dict[Key, Known]


def _stored(region: Region) -> set[Variable]:
    return {instr.attr.variable for instr in region.instructions() if instr.op == "store"}


def _selectable_cost(region: Region) -> int:
    """Instructions that selects would execute always; a large number for what cannot be selected."""
    total = 0
    for node in region.nodes:
        if isinstance(node, If):
            total += 1 + _selectable_cost(node.then) + _selectable_cost(node.orelse)
        elif not isinstance(node, Block):
            return 1000
        else:
            for instr in node.instructions:
                op = instr.op
                if op == "store":
                    if len(instr.args) > 1 and instr.args[1].op != "const":
                        return 1000
                elif op in _NO_SELECT or (op == "load" and instr.args and instr.args[0].op != "const"):
                    return 1000
                else:
                    cost = OPS[op].cost
                    total += 1 if cost == Cost.ALU else instr.type.width if cost == Cost.SCALAR else 0
    return total


def _single_jump(region: Region) -> JumpKind | None:
    """Kind of the jump that is all a region does, None if it does anything else."""
    nodes = [node for node in region.nodes if not (isinstance(node, Block) and not node.instructions)]
    if len(nodes) == 1 and isinstance(nodes[0], Jump) and nodes[0].condition is None:
        return nodes[0].kind
    return None


class _Forwarder:
    def __init__(self) -> None:
        self.build = Builder()
        self.new: dict[Instr, Instr] = {}
        self.state: State = {}
        #: Stores are not emitted but only remembered, while a branch is turned into selects.
        self.capturing = 0

    # Regions -------------------------------------------------------------------------------------------------------
    def region(self, region: Region) -> bool:
        """Rebuild a region; gives whether its end is reached."""
        for node in region.nodes:
            if isinstance(node, Block):
                for instr in node.instructions:
                    self.build.line = instr.line
                    self._instruction(instr)
                continue
            self.build.line = node.line
            if isinstance(node, If):
                if not self._if(node):
                    return False
            elif isinstance(node, Loop):
                self._loop(node)
            elif not self._jump(node):
                return False
        return True

    def _jump(self, node: Jump) -> bool:
        condition = None if node.condition is None else self.new[node.condition]
        self.build.jump(node.kind, condition)
        always = condition is None or (condition.op == "const" and bool(condition.attr[0]))
        return not always or node.kind == JumpKind.DISCARD

    def _if(self, node: If) -> bool:
        build = self.build
        condition = self.new[node.condition]
        if condition.op == "const":
            return self.region(node.then if condition.attr[0] else node.orelse)
        if not node.then.nodes and not node.orelse.nodes:
            return True
        then_jump = _single_jump(node.then)
        if then_jump is not None:
            return self._conditional_jump(then_jump, condition, node.orelse)
        else_jump = _single_jump(node.orelse)
        if else_jump is not None:
            return self._conditional_jump(else_jump, build.op("bnot", condition), node.then)
        if self.capturing or max(_selectable_cost(node.then), _selectable_cost(node.orelse)) <= SELECT_LIMIT:
            self._select(condition, node)
            return True
        out = If(condition)
        before = self.state
        self.state = dict(before)
        build.push(out.then)
        then_ends = self.region(node.then)
        build.pop()
        after_then = self.state
        self.state = dict(before)
        build.push(out.orelse)
        else_ends = self.region(node.orelse)
        build.pop()
        after_else = self.state
        build.line = node.line
        if out.then.nodes or out.orelse.nodes:
            build.node(out)
        self.state = self._merge(before, after_then, after_else, _stored(node.then) | _stored(node.orelse))
        return then_ends or else_ends

    def _conditional_jump(self, kind: JumpKind, condition: Instr, other: Region) -> bool:
        """A branch that only jumps: the jump takes the condition, and the other branch follows where it can."""
        build = self.build
        build.jump(kind, condition)
        if not other.nodes:
            return True
        if kind != JumpKind.DISCARD:
            # Only the lanes of the other branch are left.
            return self.region(other)
        out = If(build.op("bnot", condition))
        before = self.state
        self.state = dict(before)
        build.push(out.then)
        line = build.line
        self.region(other)
        build.pop()
        build.line = line
        if out.then.nodes:
            build.node(out)
        self.state = self._merge(before, self.state, before, _stored(other))
        return True

    @staticmethod
    def _merge(before: State, first: State, second: State, stored: set[Variable]) -> State:
        """What is known behind two branches: values from before that both kept, and equal constants."""
        out: State = {}
        for key, known in before.items():
            if key[0] not in stored:
                out[key] = known
                continue
            a, b = first.get(key), second.get(key)
            if a is not None and b is not None:
                out[key] = [
                    x if x == y and (x == z or _is_free(x)) else None for x, y, z in zip(a, b, known, strict=True)
                ]
        return out

    def _select(self, condition: Instr, node: If) -> None:
        """Execute both branches, and select what they stored."""
        before = self.state
        sides: list[State] = []
        self.capturing += 1
        for region in (node.then, node.orelse):
            self.state = dict(before)
            self.region(region)
            sides.append(self.state)
        self.capturing -= 1
        self.build.line = node.line
        self.state = before
        then, orelse = sides
        stored = _stored(node.then) | _stored(node.orelse)
        # In the order of the first store, so that the result does not depend on hashes.
        keys = [key for key in {**then, **orelse} if key[0] in stored]
        for key in keys:
            variable, _ = key
            nothing: Known = [None] * variable.type.width
            old, a, b = before.get(key, nothing), then.get(key, nothing), orelse.get(key, nothing)
            changed = [k for k in range(variable.type.width) if a[k] != old[k] or b[k] != old[k]]
            if not changed:
                continue
            yes = self._gather_or_load(key, a, changed)
            no = self._gather_or_load(key, b, changed)
            value = self.build.select(condition, yes, no)
            self._store(key, value, tuple(changed))

    def _gather_or_load(self, key: Key, known: Known, components: list[int]) -> Instr:
        """Value of components of a variable, read from storage where it is not known."""
        variable, at = key
        sources = [known[k] for k in components]
        if any(source is None for source in sources):
            loaded = self.build.load(variable, self.build.int_constant(at) if variable.length else None)
            sources = [(loaded, k) if source is None else source for source, k in zip(sources, components, strict=True)]
        return self._gather([source for source in sources if source is not None])

    def _loop(self, node: Loop) -> None:
        build = self.build
        stored = _stored(node.body) | _stored(node.step)
        entry: State = {key: known for key, known in self.state.items() if key[0] not in stored}
        out = Loop()
        self.state = dict(entry)
        build.push(out.body)
        ends = self.region(node.body)
        build.pop()
        if ends or any(isinstance(node, Jump) and node.kind == JumpKind.CONTINUE for node in out.body.walk()):
            self.state = dict(entry)
            build.push(out.step)
            self.region(node.step)
            build.pop()
        build.line = node.line
        build.node(out)
        self.state = entry

    # Instructions --------------------------------------------------------------------------------------------------
    def _instruction(self, instr: Instr) -> None:
        op = instr.op
        build = self.build
        if op == "const":
            self.new[instr] = build.constant(instr.type, instr.attr)
            return
        args = tuple([self.new[arg] for arg in instr.args])
        if op == "load":
            self.new[instr] = self._load(instr.attr, args)
        elif op == "store":
            self._store_instruction(instr, args)
        elif op == "swizzle":
            self.new[instr] = build.swizzle(args[0], instr.attr)
        elif op == "vec":
            self.new[instr] = build.vec(args)
        elif op == "uniform":
            self.new[instr] = build.uniform(instr.type, instr.attr, args[0] if args else None)
        elif op == "input":
            self.new[instr] = build.input(instr.type, instr.attr, args[0] if args else None)
        elif op == "tex":
            self.new[instr] = build.texture(instr.attr, instr.type, args)
        elif op in MEMORY_OPS:
            self.new[instr] = build.memory(op, instr.type, args, instr.attr)
        elif op == "extract":
            self.new[instr] = self._extract(args)
        elif op == "insert":
            self.new[instr] = self._insert(instr, args)
        else:
            with build.shortened(is_short(instr)):
                self.new[instr] = build.op(op, *args, type=instr.type)

    def _extract(self, args: tuple[Instr, ...]) -> Instr:
        whole, index = args
        if index.op == "const":
            return self.build.swizzle(whole, (min(max(int(index.attr[0]), 0), whole.type.width - 1),))
        return self.build.indexed("extract", vector(whole.type.base, 1), args)

    def _insert(self, instr: Instr, args: tuple[Instr, ...]) -> Instr:
        whole, index, value = args
        if index.op == "const":
            at = min(max(int(index.attr[0]), 0), whole.type.width - 1)
            parts = [value if k == at else self.build.swizzle(whole, (k,)) for k in range(whole.type.width)]
            return self.build.vec(parts)
        return self.build.indexed("insert", instr.type, args)

    def _load(self, variable: Variable, args: tuple[Instr, ...]) -> Instr:
        build = self.build
        if args and args[0].op != "const":
            return build.load(variable, args[0])
        at = min(max(int(args[0].attr[0]), 0), variable.length - 1) if args else -1
        key = (variable, at)
        width = variable.type.width
        known = self.state.get(key)
        if known is None:
            loaded = build.load(variable, args[0] if args else None)
            self.state[key] = [(loaded, k) for k in range(width)]
            return loaded
        if any(source is None for source in known):
            loaded = build.load(variable, args[0] if args else None)
            known = [(loaded, k) if source is None else source for k, source in enumerate(known)]
            self.state[key] = known
        return self._gather([source for source in known if source is not None])

    def _gather(self, sources: list[tuple[Instr, int]]) -> Instr:
        """Vector of components, neighbours of one value taken together."""
        build = self.build
        parts: list[Instr] = []
        start = 0
        for k in range(1, len(sources) + 1):
            if k == len(sources) or sources[k][0] is not sources[start][0]:
                parts.append(build.swizzle(sources[start][0], tuple(b for _, b in sources[start:k])))
                start = k
        return build.vec(parts)

    def _store_instruction(self, instr: Instr, args: tuple[Instr, ...]) -> None:
        ref = instr.attr
        variable: Variable = ref.variable
        if len(args) > 1 and args[1].op != "const":
            self.build.store(variable, args[0], ref.mask, args[1])
            for key in [key for key in self.state if key[0] is variable]:
                del self.state[key]
            return
        at = min(max(int(args[1].attr[0]), 0), variable.length - 1) if len(args) > 1 else -1
        self._store((variable, at), args[0], ref.mask)

    def _store(self, key: Key, value: Instr, mask: tuple[int, ...]) -> None:
        variable, at = key
        known = list(self.state.get(key) or [None] * variable.type.width)
        source, components = self.build.source_of(value)
        changed = False
        for k, component in enumerate(mask):
            new = (source, components[k])
            changed |= known[component] != new
            known[component] = new
        self.state[key] = known
        if changed and not self.capturing:
            self.build.store(variable, value, mask, self.build.int_constant(at) if variable.length else None)


def _is_free(source: tuple[Instr, int] | None) -> bool:
    """Tell whether a value lives in the prologue, visible everywhere."""
    return source is not None and not source[0].args and source[0].op in ("const", "uniform", "input")


def forward(body: Region) -> Region:
    """Rebuild a program; gives the new one."""
    forwarder = _Forwarder()
    forwarder.region(body)
    return forwarder.build.finish()
