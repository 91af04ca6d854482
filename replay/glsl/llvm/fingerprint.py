"""A text that is equal for equal stages: the part of a machine-code key that stands for the program."""

from __future__ import annotations

import hashlib
from typing import Any

from replay.glsl.ir import Block, If, Instr, Jump, Loop, Region, StageIR, StoreRef, Variable

__all__ = ["stage_fingerprint"]


def stage_fingerprint(stage: StageIR) -> str:
    """SHA-256 of everything in a stage that code generation looks at (hexadecimal)."""
    lines: list[str] = [stage.stage]
    variables = {variable: f"v{row}" for row, variable in enumerate(stage.variables)}
    lines += [f"{name} {variable.type.name} {variable.length}" for variable, name in variables.items()]
    for slot in stage.inputs:
        lines.append(f"in {slot.builtin} {slot.type.name} {slot.count} {int(slot.interpolation)}")
    for output in stage.outputs:
        lines.append(f"out {variables[output.variable]}")
    lines.append(f"areas {[area.words for area in stage.areas]}")
    lines += [f"memories {[slot.kind.value for slot in stage.memories]}"] if stage.memories else []
    numbers: dict[Instr, int] = {}

    def attribute(value: Any) -> str:
        if isinstance(value, Variable):
            return variables[value]
        if isinstance(value, StoreRef):
            return f"{variables[value.variable]} {value.mask}"
        if isinstance(value, tuple):
            # float.hex tells NaN payloads no better than repr, but -0.0 and every finite value exactly.
            return " ".join(item.hex() if isinstance(item, float) else repr(item) for item in value)
        return repr(value)

    def region(part: Region) -> None:
        lines.append("{")
        for node in part.nodes:
            if isinstance(node, Block):
                lines.append(f"block {node.number} {bool(node.kinds)}")
                for instruction in node.instructions:
                    numbers[instruction] = len(numbers)
                    kind = instruction.type.name if instruction.type is not None else ""
                    operands = " ".join(str(numbers[operand]) for operand in instruction.args)
                    lines.append(f"{instruction.op} {kind} {operands} {attribute(instruction.attr)}")
            elif isinstance(node, If):
                lines.append(f"if {numbers[node.condition]}")
                region(node.then)
                region(node.orelse)
            elif isinstance(node, Loop):
                lines.append("loop")
                region(node.body)
                region(node.step)
            elif isinstance(node, Jump):
                lines.append(f"jump {int(node.kind)} {numbers[node.condition] if node.condition else ''}")
        lines.append("}")

    region(stage.body)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
