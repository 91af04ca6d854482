"""The syntax tree. The parser makes it; the checker fills in the fields that it declares unset.

``pos`` is an offset into the source. Expressions have, after checking, ``type`` and ``constant`` (a constant
expression of the language).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replay.glsl.nodes import Block, Expr, Statement

if TYPE_CHECKING:
    from replay.glsl.symbols import Function, Symbol
    from replay.glsl.types import Type

__all__ = [
    "Assign",
    "Binary",
    "Block",
    "BlockDeclaration",
    "Call",
    "Case",
    "Comma",
    "Convert",
    "Declaration",
    "DeclarationStatement",
    "Declarator",
    "DoWhile",
    "Expr",
    "ExpressionStatement",
    "For",
    "FunctionDefinition",
    "IfStatement",
    "Index",
    "JumpStatement",
    "Literal",
    "Member",
    "Method",
    "Name",
    "Parameter",
    "Postfix",
    "PrecisionDeclaration",
    "QualifierDeclaration",
    "Qualifiers",
    "Statement",
    "StructSpec",
    "Switch",
    "Ternary",
    "TypeSpec",
    "Unary",
    "While",
]


class Literal(Expr):
    """A number or truth value."""

    __slots__ = ("value",)

    def __init__(self, pos: int, type: Type, value: float | int | bool) -> None:
        self.pos = pos
        self.type = type
        self.constant = True
        self.value = value


class Convert(Expr):
    """Implicit conversion to ``type``, put in by the checker."""

    __slots__ = ("operand",)

    def __init__(self, operand: Expr, type: Type) -> None:
        self.pos = operand.pos
        self.type = type
        self.constant = operand.constant
        self.operand = operand


class Name(Expr):
    """Use of a variable; ``symbol`` is set by the checker."""

    __slots__ = ("name", "symbol")
    symbol: Symbol

    def __init__(self, pos: int, name: str) -> None:
        self.pos = pos
        self.name = name


class Unary(Expr):
    """Prefix operator."""

    __slots__ = ("op", "operand")

    def __init__(self, pos: int, op: str, operand: Expr) -> None:
        self.pos = pos
        self.op = op
        self.operand = operand


class Postfix(Expr):
    """``++`` or ``--`` behind its operand."""

    __slots__ = ("op", "operand")

    def __init__(self, pos: int, op: str, operand: Expr) -> None:
        self.pos = pos
        self.op = op
        self.operand = operand


class Binary(Expr):
    """Binary operator."""

    __slots__ = ("left", "op", "right")

    def __init__(self, pos: int, op: str, left: Expr, right: Expr) -> None:
        self.pos = pos
        self.op = op
        self.left = left
        self.right = right


class Assign(Expr):
    """Assignment; ``op`` is "" or the operator before ``=``."""

    __slots__ = ("op", "target", "value")

    def __init__(self, pos: int, op: str, target: Expr, value: Expr) -> None:
        self.pos = pos
        self.op = op
        self.target = target
        self.value = value


class Ternary(Expr):
    """``condition ? yes : no``."""

    __slots__ = ("condition", "no", "yes")

    def __init__(self, pos: int, condition: Expr, yes: Expr, no: Expr) -> None:
        self.pos = pos
        self.condition = condition
        self.yes = yes
        self.no = no


class Comma(Expr):
    """Sequence operator."""

    __slots__ = ("left", "right")

    def __init__(self, pos: int, left: Expr, right: Expr) -> None:
        self.pos = pos
        self.left = left
        self.right = right


class Call(Expr):
    """Function call or constructor.

    ``spec`` is set for a constructor with a type keyword, array brackets or structure name. The checker sets
    ``function`` for a user's function, ``builtin`` to the name for a built-in one, neither for a constructor.
    """

    __slots__ = ("args", "builtin", "function", "name", "spec")
    function: Function | None
    builtin: str

    def __init__(self, pos: int, name: str, args: list[Expr], spec: TypeSpec | None) -> None:
        self.pos = pos
        self.name = name
        self.args = args
        self.spec = spec
        self.function = None
        self.builtin = ""


class Index(Expr):
    """``base[index]``."""

    __slots__ = ("base", "index")

    def __init__(self, pos: int, base: Expr, index: Expr) -> None:
        self.pos = pos
        self.base = base
        self.index = index


class Member(Expr):
    """``base.name``: field or swizzle; the checker sets ``components`` for a swizzle, () for a field."""

    __slots__ = ("base", "components", "name")
    components: tuple[int, ...]

    def __init__(self, pos: int, base: Expr, name: str) -> None:
        self.pos = pos
        self.base = base
        self.name = name


class Method(Expr):
    """``base.length()``."""

    __slots__ = ("args", "base", "name")

    def __init__(self, pos: int, base: Expr, name: str, args: list[Expr]) -> None:
        self.pos = pos
        self.base = base
        self.name = name
        self.args = args


class Qualifiers:
    """Qualifiers of a declaration, as written.

    ``words`` keeps all of them with their places, in order, for the rules about order and repetition.
    """

    __slots__ = ("layout", "pos", "precision", "words")

    def __init__(self, pos: int) -> None:
        self.pos = pos
        self.words: list[tuple[str, int]] = []
        self.layout: list[tuple[str, Expr | None, int]] = []
        self.precision = ""

    def has(self, word: str) -> bool:
        """Tell whether a qualifier was written."""
        return any(own == word for own, _ in self.words)


class StructSpec:
    """``struct name { ... }``."""

    __slots__ = ("members", "name", "pos")

    def __init__(self, pos: int, name: str, members: list[Declaration]) -> None:
        self.pos = pos
        self.name = name
        self.members = members


class TypeSpec:
    """A type as written: name or structure, and brackets behind it (None: no size)."""

    __slots__ = ("dims", "name", "pos", "struct")

    def __init__(self, pos: int, name: str, struct: StructSpec | None, dims: list[Expr | None]) -> None:
        self.pos = pos
        self.name = name
        self.struct = struct
        self.dims = dims


class Declarator:
    """One name of a declaration."""

    __slots__ = ("dims", "init", "name", "pos", "symbol")
    symbol: Symbol | None

    def __init__(self, pos: int, name: str, dims: list[Expr | None], init: Expr | None) -> None:
        self.pos = pos
        self.name = name
        self.dims = dims
        self.init = init
        self.symbol = None


class Declaration:
    """Variables of one type, members of a structure, or a lone type or qualifier."""

    __slots__ = ("declarators", "pos", "qualifiers", "spec")

    def __init__(self, pos: int, qualifiers: Qualifiers, spec: TypeSpec, declarators: list[Declarator]) -> None:
        self.pos = pos
        self.qualifiers = qualifiers
        self.spec = spec
        self.declarators = declarators


class Parameter:
    """A parameter of a function; ``name`` may be ""."""

    __slots__ = ("dims", "name", "pos", "qualifiers", "spec")

    def __init__(self, pos: int, qualifiers: Qualifiers, spec: TypeSpec, name: str, dims: list[Expr | None]) -> None:
        self.pos = pos
        self.qualifiers = qualifiers
        self.spec = spec
        self.name = name
        self.dims = dims


class FunctionDefinition:
    """A function; ``body`` is None for a prototype."""

    __slots__ = ("body", "name", "parameters", "pos", "qualifiers", "spec")

    def __init__(
        self,
        pos: int,
        qualifiers: Qualifiers,
        spec: TypeSpec,
        name: str,
        parameters: list[Parameter],
        body: Block | None,
    ) -> None:
        self.pos = pos
        self.qualifiers = qualifiers
        self.spec = spec
        self.name = name
        self.parameters = parameters
        self.body = body


class PrecisionDeclaration:
    """``precision mediump float;``."""

    __slots__ = ("pos", "precision", "spec")

    def __init__(self, pos: int, precision: str, spec: TypeSpec) -> None:
        self.pos = pos
        self.precision = precision
        self.spec = spec


class QualifierDeclaration:
    """Qualifiers alone (``layout(std140) uniform;``) or of names declared before (``invariant gl_Position;``)."""

    __slots__ = ("names", "pos", "qualifiers")

    def __init__(self, pos: int, qualifiers: Qualifiers, names: list[tuple[str, int]]) -> None:
        self.pos = pos
        self.qualifiers = qualifiers
        self.names = names


class BlockDeclaration:
    """``uniform Name { ... } instance[n];``."""

    __slots__ = ("dims", "instance", "instance_pos", "members", "name", "pos", "qualifiers")

    def __init__(
        self,
        pos: int,
        qualifiers: Qualifiers,
        name: str,
        members: list[Declaration],
        instance: str,
        instance_pos: int,
        dims: list[Expr | None],
    ) -> None:
        self.pos = pos
        self.qualifiers = qualifiers
        self.name = name
        self.members = members
        self.instance = instance
        self.instance_pos = instance_pos
        self.dims = dims


class ExpressionStatement(Statement):
    """An expression, or nothing."""

    __slots__ = ("expression",)

    def __init__(self, pos: int, expression: Expr | None) -> None:
        self.pos = pos
        self.expression = expression


class DeclarationStatement(Statement):
    """A declaration inside a function."""

    __slots__ = ("declaration",)

    def __init__(self, pos: int, declaration: Any) -> None:
        self.pos = pos
        self.declaration = declaration


class IfStatement(Statement):
    """``if``."""

    __slots__ = ("condition", "orelse", "then")

    def __init__(self, pos: int, condition: Expr, then: Statement, orelse: Statement | None) -> None:
        self.pos = pos
        self.condition = condition
        self.then = then
        self.orelse = orelse


class For(Statement):
    """``for``; ``condition`` is an expression, a declaration with initialiser, or None."""

    __slots__ = ("body", "condition", "init", "step")

    def __init__(
        self, pos: int, init: Statement | None, condition: Expr | Declaration | None, step: Expr | None, body: Statement
    ) -> None:
        self.pos = pos
        self.init = init
        self.condition = condition
        self.step = step
        self.body = body


class While(Statement):
    """``while``."""

    __slots__ = ("body", "condition")

    def __init__(self, pos: int, condition: Expr | Declaration, body: Statement) -> None:
        self.pos = pos
        self.condition = condition
        self.body = body


class DoWhile(Statement):
    """``do ... while``."""

    __slots__ = ("body", "condition")

    def __init__(self, pos: int, body: Statement, condition: Expr) -> None:
        self.pos = pos
        self.body = body
        self.condition = condition


class Switch(Statement):
    """``switch``."""

    __slots__ = ("selector", "statements")

    def __init__(self, pos: int, selector: Expr, statements: list[Statement]) -> None:
        self.pos = pos
        self.selector = selector
        self.statements = statements


class Case(Statement):
    """``case x:`` or ``default:`` (``label`` None); the checker sets ``value``."""

    __slots__ = ("label", "value")
    value: int

    def __init__(self, pos: int, label: Expr | None) -> None:
        self.pos = pos
        self.label = label
        self.value = 0


class JumpStatement(Statement):
    """``break``, ``continue``, ``return`` or ``discard``."""

    __slots__ = ("kind", "value")

    def __init__(self, pos: int, kind: str, value: Expr | None = None) -> None:
        self.pos = pos
        self.kind = kind
        self.value = value
