"""Multiply-add fusion.

``fmad`` rounds twice, so fusion alone changes the count only, and no result. A product is fused where its one use is a
sum in the same region.
"""

from __future__ import annotations

from replay.glsl.ir import Block, If, Instr, Jump, Loop, Region

__all__ = ["fuse"]


def count_uses(body: Region) -> dict[Instr, int]:
    """How often each value is used."""
    uses: dict[Instr, int] = {}
    for node in body.walk():
        if isinstance(node, Block):
            for instr in node.instructions:
                for arg in instr.args:
                    uses[arg] = uses.get(arg, 0) + 1
        elif not isinstance(node, Loop) and node.condition is not None:
            uses[node.condition] = uses.get(node.condition, 0) + 1
    return uses


class _Fuser:
    def __init__(self, uses: dict[Instr, int]) -> None:
        self.uses = uses
        self.home: dict[Instr, Region] = {}
        self.dropped: set[Instr] = set()
        self._new: list[Instr] = []
        self._line = 0

    def region(self, region: Region) -> None:
        for node in region.nodes:
            if isinstance(node, Block):
                self._block(node, region)
            elif isinstance(node, If):
                self.region(node.then)
                self.region(node.orelse)
            elif not isinstance(node, Jump):
                self.region(node.body)
                self.region(node.step)

    def _block(self, block: Block, region: Region) -> None:
        out: list[Instr] = []
        for instr in block.instructions:
            self.home[instr] = region
            if instr.op in ("fadd", "fsub"):
                self._new, self._line = [], instr.line
                self._fuse(instr, region)
                out.extend(self._new)
            out.append(instr)
        block.instructions = out

    def _product(
        self, value: Instr, region: Region, bits: int | None
    ) -> tuple[Instr, tuple[int, ...] | None, bool] | None:
        """See through swizzle and sign to a product of so many bits used once: (product, components, negated)."""
        components: tuple[int, ...] | None = None
        negated = False
        chain: list[Instr] = []
        while value.op in ("swizzle", "fneg"):
            if self.uses.get(value, 0) != 1 or self.home.get(value) is not region:
                return None
            chain.append(value)
            if value.op == "fneg":
                negated = not negated
            elif components is None:
                components = value.attr
            else:
                components = tuple(value.attr[component] for component in components)
            value = value.args[0]
        if value.op != "fmul" or self.uses.get(value, 0) != 1 or self.home.get(value) is not region:
            return None
        if value.attr != bits:
            return None
        self.dropped.add(value)
        self.dropped.update(chain)
        return value, components, negated

    def _fuse(self, instr: Instr, region: Region) -> None:
        """Turn a sum into ``fmad`` in place where one side is a product."""
        left, right = instr.args
        subtracts = instr.op == "fsub"
        found = self._product(left, region, instr.attr)
        other, flip_other, flip = right, subtracts, False
        if found is None:
            found = self._product(right, region, instr.attr)
            other, flip_other, flip = left, False, subtracts
        if found is None:
            if not subtracts and not self._reassociate(instr, left, right, region):
                self._reassociate(instr, right, left, region)
            return
        product, components, negated = found
        a, b = product.args
        if components is not None:
            a, b = self._swizzled(a, components), self._swizzled(b, components)
        if negated != flip:
            a = self._negated(a)
        if flip_other:
            other = self._negated(other)
        instr.op = "fmad"
        instr.args = (a, b, other)

    def _reassociate(self, instr: Instr, chain: Instr, other: Instr, region: Region) -> bool:
        """(a * b + c * d) + e as (a * b + e) + c * d: one instruction fewer, and what Mesa makes of it."""
        if chain.op != "fmad" or self.uses.get(chain, 0) != 1 or self.home.get(chain) is not region:
            return False
        product = chain.args[2]
        if product.op != "fmul" or self.uses.get(product, 0) != 1 or self.home.get(product) is not region:
            return False
        if not chain.attr == product.attr == instr.attr:
            return False
        self.dropped.update((chain, product))
        inner = self._add(Instr("fmad", instr.type, (chain.args[0], chain.args[1], other), instr.attr))
        instr.op = "fmad"
        instr.args = (*product.args, inner)
        return True

    def _add(self, instr: Instr) -> Instr:
        instr.line = self._line
        self._new.append(instr)
        self.uses[instr] = 1
        return instr

    def _negated(self, value: Instr) -> Instr:
        if value.op == "const":
            return self._add(Instr("const", value.type, (), tuple(-one for one in value.attr)))
        return self._add(Instr("fneg", value.type, (value,)))

    def _swizzled(self, value: Instr, components: tuple[int, ...]) -> Instr:
        from replay.glsl.types import vector

        if value.op == "const":
            attr = tuple(value.attr[k] for k in components)
            return self._add(Instr("const", vector(value.type.base, len(components)), (), attr))
        if value.op == "swizzle":
            components = tuple(value.attr[k] for k in components)
            value = value.args[0]
        return self._add(Instr("swizzle", vector(value.type.base, len(components)), (value,), components))


def fuse(body: Region) -> None:
    """Fuse in place."""
    fuser = _Fuser(count_uses(body))
    fuser.region(body)
    if fuser.dropped:
        for node in body.walk():
            if isinstance(node, Block):
                node.instructions = [instr for instr in node.instructions if instr not in fuser.dropped]
