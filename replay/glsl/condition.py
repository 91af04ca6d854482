"""Integer expressions of ``#if``, ``#elif`` and ``#line``."""

from __future__ import annotations

from typing import Final, Protocol

from replay.glsl.diagnostics import GlslError
from replay.glsl.tokens import IDENTIFIER, INT_LITERAL, Token
from replay.glsl.versions import Version

__all__ = ["ConditionExpression"]

MAX_EXPRESSION_DEPTH: Final = 64


class ExpressionOwner(Protocol):
    """What an expression needs of the preprocessor."""

    version: Version

    def fail(self, offset: int, message: str) -> GlslError:
        """Report an error; gives what to raise."""
        ...

    def integer(self, token: Token) -> int:
        """Value of an integer token."""
        ...


class ConditionExpression:
    """Evaluates the integer expression of ``#if`` and ``#line``."""

    _LEVELS: Final = (
        ("||",),
        ("&&",),
        ("|",),
        ("^",),
        ("&",),
        ("==", "!="),
        ("<", ">", "<=", ">="),
        ("<<", ">>"),
        ("+", "-"),
        ("*", "/", "%"),
    )
    _RANK: Final = {op: rank for rank, ops in enumerate(_LEVELS) for op in ops}

    def __init__(self, owner: ExpressionOwner, tokens: list[Token], offset: int, evaluate_names: bool) -> None:
        self.owner = owner
        self.tokens = tokens
        self.offset = offset
        self.position = 0
        self.depth = 0
        self.evaluate_names = evaluate_names

    def value(self) -> int:
        """Evaluate the whole list."""
        result = self._binary(0, True)
        if self.position < len(self.tokens):
            token = self.tokens[self.position]
            raise self.owner.fail(token[2], f"unexpected '{token[1]}' in the expression")
        return result

    def unary_run(self) -> int:
        """Evaluate one operand with operators of higher rank than juxtaposition."""
        return self._binary(8, True)

    def _peek(self) -> str:
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def _binary(self, rank: int, live: bool) -> int:
        left = self._unary(live)
        while True:
            op = self._peek()
            level = self._RANK.get(op, -1)
            if level < rank:
                return left
            at = self.tokens[self.position][2]
            self.position += 1
            right_live = live and not ((op == "&&" and not left) or (op == "||" and left))
            right = self._binary(level + 1, right_live)
            left = self._apply(op, left, right, at, live)

    def _apply(self, op: str, a: int, b: int, at: int, live: bool) -> int:
        if op in ("/", "%"):
            if b == 0:
                if live:
                    raise self.owner.fail(at, "division by zero in the expression")
                return 0
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "/" else a - b * quotient
        if op in ("<<", ">>"):
            b &= 31
            result = a << b if op == "<<" else a >> b
        else:
            result = {
                "||": lambda: int(bool(a) or bool(b)),
                "&&": lambda: int(bool(a) and bool(b)),
                "|": lambda: a | b,
                "^": lambda: a ^ b,
                "&": lambda: a & b,
                "==": lambda: int(a == b),
                "!=": lambda: int(a != b),
                "<": lambda: int(a < b),
                ">": lambda: int(a > b),
                "<=": lambda: int(a <= b),
                ">=": lambda: int(a >= b),
                "+": lambda: a + b,
                "-": lambda: a - b,
                "*": lambda: a * b,
            }[op]()
        return (result + (1 << 63)) % (1 << 64) - (1 << 63)

    def _unary(self, live: bool) -> int:
        self.depth += 1
        if self.depth > MAX_EXPRESSION_DEPTH:
            raise self.owner.fail(self.offset, "expression nested too deeply")
        try:
            if self.position >= len(self.tokens):
                raise self.owner.fail(self.offset, "expression ends too early")
            token = self.tokens[self.position]
            self.position += 1
            kind, text, at = token
            if text == "(":
                result = self._binary(0, live)
                if self._peek() != ")":
                    raise self.owner.fail(at, "'(' without ')'")
                self.position += 1
                return result
            if text in ("+", "-", "~", "!"):
                operand = self._unary(live)
                return {"+": operand, "-": -operand, "~": ~operand, "!": int(not operand)}[text]
            if kind == INT_LITERAL:
                return self.owner.integer(token)
            if kind == IDENTIFIER:
                if self.owner.version.es and live:
                    raise self.owner.fail(at, f"'{text}' is no macro; names in #if must be defined")
                if self.evaluate_names:
                    return 0
            raise self.owner.fail(at, f"unexpected '{text}' in the expression")
        finally:
            self.depth -= 1
