"""Registers that a stage needs: the most values that are live at once.

A register has four components of 32 bits, and a value or an element of a variable takes a whole one, whatever its
width. It is taken by the instruction that writes it, up to the last one that reads it, in the order of the listing.
Constants, uniforms and inputs are operands of the instructions that read them and take none; nor do modifiers (swizzle,
negation, conversion of bits), which belong to their readers. An array that is indexed at run time lies in registers
whole. Nothing is reordered, packed or spilled, so this is what the code as it stands needs; a compiler for a device may
need fewer. Source: ASSUMED (the modelled processors have enough of them).
"""

from __future__ import annotations

from typing import Final

from replay.glsl.ir import Block, If, Instr, Jump, JumpKind, Loop, Region, StageIR, Variable

__all__ = ["count_registers"]

#: What takes no register of its own: it is read where it lies.
_OPERANDS: Final = frozenset(("const", "uniform", "input"))
#: Part of the instruction that reads it.
_MODIFIERS: Final = frozenset(("swizzle", "fneg", "fabs", "fsat", "narrow", "bitcast"))
_ALL: Final = 15

#: What is live: values, and components of variables (of arrays: whether any element is).
Live = dict[Instr | Variable, int]


def count_registers(stage: StageIR) -> int:
    """The most registers that are live at once, see the module."""
    copied: set[Instr] = set()
    while True:
        counter = _Counter(dict.fromkeys((slot.variable for slot in stage.outputs), _ALL), copied)
        counter.region(stage.body, dict(counter.end))
        if counter.overwritten <= copied:
            return counter.most
        copied |= counter.overwritten


class _Counter:
    """Walks backwards.

    Parameters
    ----------
    end : what is live at the end of the stage
    copied : loads whose value outlives the content that they read: they take registers of their own
    """

    def __init__(self, end: Live, copied: set[Instr]) -> None:
        self.end = end
        self.most = 0
        #: Loads that are live where something else is written.
        self.overwritten: set[Instr] = set()
        self._copied = copied
        #: Where BREAK and CONTINUE of the innermost loop go.
        self._targets: list[dict[JumpKind, Live]] = []
        #: Live where an iteration begins, as far as is known: loops in loops would be walked again and again.
        self._begins: dict[Loop, Live] = {}

    def region(self, region: Region, live: Live) -> Live:
        """Give what is live before a region."""
        self._see(live)
        for node in reversed(region.nodes):
            if isinstance(node, Block):
                for instr in reversed(node.instructions):
                    self._instruction(instr, live)
            elif isinstance(node, If):
                live = _union(self.region(node.then, dict(live)), self.region(node.orelse, dict(live)))
                _read(node.condition, live)
            elif isinstance(node, Loop):
                live = self._loop(node, live)
            else:
                live = self._jump(node, live)
            self._see(live)
        return live

    def _jump(self, node: Jump, live: Live) -> Live:
        if node.kind != JumpKind.DISCARD:
            target = self.end if node.kind == JumpKind.RETURN else self._targets[-1][node.kind]
            live = dict(target) if node.condition is None else _union(live, target)
        if node.condition is not None:
            _read(node.condition, live)
        return live

    def _loop(self, node: Loop, behind: Live) -> Live:
        """Go round until nothing more turns out to be live where an iteration begins."""
        begin = self._begins.get(node, {})
        while True:
            self._targets.append({JumpKind.BREAK: behind, JumpKind.CONTINUE: begin})
            step = self.region(node.step, dict(begin))
            self._targets[-1][JumpKind.CONTINUE] = step
            now = _union(begin, self.region(node.body, dict(step)))
            self._targets.pop()
            if now == begin:
                return dict(now)
            begin = self._begins[node] = now

    def _instruction(self, instr: Instr, live: Live) -> None:
        if instr.op == "store":
            written = instr.attr.variable
            self.overwritten.update(
                what for what in live if isinstance(what, Instr) and what.op == "load" and what.attr is written
            )
            _write(instr, live)
        elif instr.op in _OPERANDS or instr.op in _MODIFIERS:
            # Its readers read what it reads.
            return
        elif instr.op == "load":
            self._see(live)
            if live.pop(instr, 0):
                live[instr.attr] = _ALL
        else:
            # What nobody reads is written all the same.
            live[instr] = _ALL
            self._see(live)
            del live[instr]
        for value in instr.args:
            _read(value, live)
        self._see(live)

    def _see(self, live: Live) -> None:
        held = {
            what.attr if isinstance(what, Instr) and what.op == "load" and what not in self._copied else what
            for what in live
        }
        registers = sum(max(what.length, 1) if isinstance(what, Variable) else 1 for what in held)
        self.most = max(self.most, registers)


def _read(value: Instr, live: Live) -> None:
    """Let a value live, or what it is a part of."""
    while value.op in _MODIFIERS:
        value = value.args[0]
    if value.op not in _OPERANDS:
        live[value] = _ALL
    for index in value.args if value.op in ("uniform", "input") else ():
        _read(index, live)


def _write(store: Instr, live: Live) -> None:
    """Let a variable live no more before all of it is written."""
    variable = store.attr.variable
    if variable.length:
        return
    left = live.get(variable, 0)
    for component in store.attr.mask:
        left &= ~(1 << component)
    if left & ((1 << variable.type.width) - 1):
        live[variable] = left
    else:
        live.pop(variable, None)


def _union(a: Live, b: Live) -> Live:
    out = dict(a)
    for what, components in b.items():
        out[what] = out.get(what, 0) | components
    return out
