"""Arrays that are indexed by constants only become separate variables."""

from __future__ import annotations

from replay.glsl.ir import Block, Instr, Region, StoreRef, Variable

__all__ = ["split_arrays"]


def split_arrays(body: Region, variables: list[Variable], outputs: set[Variable]) -> list[Variable]:
    """Split in place; gives the new list of variables. Outputs stay arrays."""
    candidates = {variable for variable in variables if variable.length and variable not in outputs}
    if not candidates:
        return variables
    for instr in body.instructions():
        if instr.op == "load":
            if instr.attr in candidates and instr.args[0].op != "const":
                candidates.discard(instr.attr)
        elif instr.op == "store" and instr.attr.variable in candidates and instr.args[1].op != "const":
            candidates.discard(instr.attr.variable)
    if not candidates:
        return variables
    parts: dict[tuple[Variable, int], Variable] = {}

    def part(variable: Variable, index: Instr) -> Variable:
        at = min(max(int(index.attr[0]), 0), variable.length - 1)
        found = parts.get((variable, at))
        if found is None:
            found = parts[variable, at] = Variable(f"{variable.name}[{at}]", variable.type)
        return found

    for node in body.walk():
        if not isinstance(node, Block):
            continue
        for instr in node.instructions:
            if instr.op == "load" and instr.attr in candidates:
                instr.attr = part(instr.attr, instr.args[0])
                instr.args = ()
            elif instr.op == "store" and instr.attr.variable in candidates:
                ref: StoreRef = instr.attr
                instr.attr = StoreRef(part(ref.variable, instr.args[1]), ref.mask)
                instr.args = instr.args[:1]
    return [variable for variable in variables if variable not in candidates] + list(parts.values())
