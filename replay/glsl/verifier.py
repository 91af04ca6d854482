"""Checks that IR is what :mod:`replay.glsl.ir` says it is; run between passes in tests."""

from __future__ import annotations

from replay.glsl.ir import OPS, Block, If, Instr, JumpKind, Loop, Region, Rule, Variable
from replay.glsl.memory import AtomicKind
from replay.glsl.types import BOOL, FLOAT, INT, Base, vector

__all__ = ["VerificationError", "verify"]

_BASE_LETTER = {Base.FLOAT: "f", Base.INT: "i", Base.UINT: "u", Base.BOOL: "b"}


class VerificationError(Exception):
    """The IR breaks one of its own rules: a bug in a pass."""


class _Verifier:
    def __init__(self, variables: set[Variable] | None) -> None:
        self.variables = variables
        self.visible: set[Instr] = set()

    def region(self, region: Region, loops: int) -> None:
        """Check a region; values made in it are forgotten at its end."""
        added: list[Instr] = []
        for node in region.nodes:
            if isinstance(node, Block):
                for instr in node.instructions:
                    self.instruction(instr)
                    if instr in self.visible:
                        raise VerificationError(f"{instr!r} stands twice")
                    self.visible.add(instr)
                    added.append(instr)
            elif isinstance(node, If):
                self.condition(node.condition)
                self.region(node.then, loops)
                self.region(node.orelse, loops)
            elif isinstance(node, Loop):
                self.region(node.body, loops + 1)
                self.region(node.step, loops + 1)
            else:
                if node.condition is not None:
                    self.condition(node.condition)
                if node.kind in (JumpKind.BREAK, JumpKind.CONTINUE) and not loops:
                    raise VerificationError(f"{node.kind.name} outside of a loop")
        self.visible.difference_update(added)

    def condition(self, value: Instr) -> None:
        if value.type is not BOOL:
            raise VerificationError(f"condition {value!r} is {value.type}")
        self.use(value)

    def use(self, value: Instr) -> None:
        if value not in self.visible:
            raise VerificationError(f"{value!r} is not visible where it is used")

    def instruction(self, instr: Instr) -> None:
        info = OPS.get(instr.op)
        if info is None:
            raise VerificationError(f"unknown operation {instr.op}")
        for arg in instr.args:
            self.use(arg)
        if info.arity >= 0 and len(instr.args) != info.arity:
            raise VerificationError(f"{instr.op} with {len(instr.args)} operands")
        types = [arg.type for arg in instr.args]
        for found in types:
            if info.bases and _BASE_LETTER[found.base] not in info.bases:
                raise VerificationError(f"{instr.op} of {found}")
        if info.rule == Rule.OWN:
            self._own(instr)
            return
        if any(found is not types[0] for found in types):
            raise VerificationError(f"{instr.op} of {types}")
        wanted = types[0]
        if info.rule == Rule.COMPARE:
            wanted = vector(Base.BOOL, wanted.width)
        elif info.rule == Rule.CONVERT:
            assert info.result is not None
            wanted = vector(info.result, wanted.width)
        if instr.type is not wanted:
            raise VerificationError(f"{instr.op} of {types} gives {instr.type}")

    def _own(self, instr: Instr) -> None:
        op, args, result = instr.op, instr.args, instr.type
        good = True
        if op == "const":
            good = len(instr.attr) == result.width
        elif op == "swizzle":
            inside = all(0 <= component < args[0].type.width for component in instr.attr)
            good = inside and result is vector(args[0].type.base, len(instr.attr))
        elif op == "vec":
            good = len(args) > 1 and sum(arg.type.width for arg in args) == result.width
            good = good and all(arg.type.base == result.base for arg in args)
        elif op == "select":
            width = result.width
            good = args[0].type is vector(Base.BOOL, width) and args[1].type is result and args[2].type is result
        elif op == "fdot":
            good = args[0].type is args[1].type and args[0].type.width > 1 and result is FLOAT
        elif op in ("load", "store"):
            variable = instr.attr if op == "load" else instr.attr.variable
            good = self.variables is None or variable in self.variables
            index = args[0 if op == "load" else 1 :]
            good = good and len(index) == (1 if variable.length else 0) and all(one.type is INT for one in index)
            if op == "load":
                good = good and result is variable.type
            else:
                mask = instr.attr.mask
                good = good and args[0].type is vector(variable.type.base, len(mask)) and len(set(mask)) == len(mask)
                good = good and all(0 <= component < variable.type.width for component in mask)
        elif op in ("extract", "insert"):
            good = args[1].type is INT
        elif op == "tex":
            good = len(instr.attr.roles) == len(args)
        elif op in ("mload", "mstore", "atomic"):
            good = args[0].type is INT and (op == "mstore" or result.base != Base.BOOL)
            if op == "atomic":
                swaps = instr.attr.kind is AtomicKind.COMP_SWAP
                good = good and len(args) == 2 + swaps and all(arg.type is result for arg in args[1:])
        elif op == "mtouch":
            good = args[0].type is INT
        if not good:
            raise VerificationError(f"bad {op}: {[arg.type for arg in args]} to {result}, {instr.attr}")


def verify(body: Region, variables: list[Variable] | None = None) -> None:
    """Check a program.

    Parameters
    ----------
    variables : all that it may use; None = any

    Raises
    ------
    VerificationError : at the first rule broken
    """
    _Verifier(None if variables is None else set(variables)).region(body, 0)
