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
        how = f"{int(slot.interpolation)} {int(slot.place)} {slot.coefficient}"
        lines.append(f"in {slot.builtin} {slot.type.name} {slot.count} {how}")
    for output in stage.outputs:
        lines.append(f"out {variables[output.variable]}")
    lines.append(f"areas {[area.words for area in stage.areas]}")
    lines += [f"memories {[slot.kind.value for slot in stage.memories]}"] if stage.memories else []
    _Writer(lines, variables).region(stage.body)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class _Writer:
    """Appends the lines of regions.

    No functions inside a function: one that calls itself is a ring, which keeps the stage until the collector comes.
    """

    def __init__(self, lines: list[str], variables: dict[Variable, str]) -> None:
        self._lines = lines
        self._variables = variables
        self._numbers: dict[Instr, int] = {}

    def region(self, part: Region) -> None:
        """Append the lines of a region."""
        lines, numbers = self._lines, self._numbers
        lines.append("{")
        for node in part.nodes:
            if isinstance(node, Block):
                lines.append(f"block {node.number} {bool(node.kinds)}")
                for instruction in node.instructions:
                    numbers[instruction] = len(numbers)
                    kind = instruction.type.name if instruction.type is not None else ""
                    operands = " ".join(str(numbers[operand]) for operand in instruction.args)
                    lines.append(f"{instruction.op} {kind} {operands} {self._attribute(instruction.attr)}")
            elif isinstance(node, If):
                lines.append(f"if {numbers[node.condition]}")
                self.region(node.then)
                self.region(node.orelse)
            elif isinstance(node, Loop):
                lines.append("loop")
                self.region(node.body)
                self.region(node.step)
            elif isinstance(node, Jump):
                lines.append(f"jump {int(node.kind)} {numbers[node.condition] if node.condition else ''}")
        lines.append("}")

    def _attribute(self, value: Any) -> str:
        if isinstance(value, Variable):
            return self._variables[value]
        if isinstance(value, StoreRef):
            return f"{self._variables[value.variable]} {value.mask}"
        if isinstance(value, tuple):
            # float.hex tells NaN payloads no better than repr, but -0.0 and every finite value exactly.
            return " ".join(item.hex() if isinstance(item, float) else repr(item) for item in value)
        return repr(value)
