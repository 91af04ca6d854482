"""Mutants of the timing model, made mechanically: one small mistake each, all in one copy of the source.

A mutant is named by file, function, kind of mistake and which one of that kind in the function, so that an edit
elsewhere leaves its name alone. A seed draws them: each name has a rank, the lowest of each kind are taken. The copy
asks at each place whether its mutant is at work (:mod:`mutant_switch`), so that kernels are compiled once for all.

``compare``    a comparison takes or loses equality, or is turned around
``offset``     an integer is one more or one less
``operator``   plus for minus, times for plus, and for or, least for greatest ...
``swap``       operands of what is not commutative
``call``       a call whose result nobody wants is left out
``reset``      something is not set back to 0, -1 or False
``stall``      a condition under which a function returns early never holds
``count``      something is not added to
"""

from __future__ import annotations

import ast
import copy
import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["FOLDERS", "KINDS", "Mutant", "all_mutants", "draw", "write_tree"]

#: What is mutated: name of the folder in scores -> its place.
FOLDERS: Final = {
    "units": "gpumodel/units",
    "energy": "gpumodel/energy",
    "memory": "gpumodel/memory",
    "techniques": "gpumodel/techniques",
}
KINDS: Final = ("compare", "offset", "operator", "swap", "call", "reset", "stall", "count")
_COMPARES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_ORDERED: Final = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)
_EXTREMES: Final = {"min": "max", "max": "min"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake.

    Parameters
    ----------
    name : ``file::function::kind#which``
    line : where it is now
    before, after : as source
    """

    name: str
    line: int
    before: str
    after: str

    @property
    def path(self) -> str:
        """Its file."""
        return self.name.partition("::")[0]

    @property
    def folder(self) -> str:
        """Its folder in scores."""
        return next(name for name, place in FOLDERS.items() if self.path.startswith(place + "/"))

    @property
    def kind(self) -> str:
        """Kind of mistake."""
        return self.name.rpartition("::")[2].partition("#")[0]


class _Rewriter(ast.NodeTransformer):
    """Walks a file and asks of each mutant which number it gets; those with one are written in."""

    def __init__(self, path: str, number_of: Callable[[Mutant], int | None]) -> None:
        self._path = path
        self._number_of = number_of
        self._function = ""
        #: Functions around the place; what classes and modules say of themselves stays.
        self._depth = 0
        self._counts: Counter[str] = Counter()

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self._depth += 1
        self._inside(node)
        self._depth -= 1
        return node

    def _inside(self, node: Any) -> Any:
        """Walk a body alone: decorators, annotations and defaults stay."""
        outer = self._function
        self._function = f"{outer}.{node.name}" if outer else node.name
        body: list[ast.stmt] = []
        for statement in node.body:
            new = self.visit(statement)
            body += new if isinstance(new, list) else [new]
        node.body = body
        self._function = outer
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        if not self._depth:
            return node
        original = copy.deepcopy(node)
        node.value = self.visit(node.value)
        target = node.targets[0]
        if isinstance(target, ast.Attribute | ast.Subscript) and ast.unparse(original.value) in ("0", "-1", "False"):
            return self._without("reset", original, node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        original = copy.deepcopy(node)
        node.value = self.visit(node.value)
        return self._without("count", original, node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        if not isinstance(node.value, ast.Call) or not self._depth:
            return node
        original = copy.deepcopy(node)
        node.value = self.visit(node.value)
        return self._without("call", original, node)

    def visit_If(self, node: ast.If) -> Any:
        original = copy.deepcopy(node.test)
        self.generic_visit(node)
        if isinstance(node.body[-1], ast.Return | ast.Continue) and not node.orelse:
            number = self._number("stall", node, ast.unparse(original), "False")
            if number is not None:
                node.test = ast.BoolOp(ast.And(), [_not_at_work(number), node.test])
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        other = _COMPARES.get(type(node.ops[0])) if len(node.ops) == 1 else None
        return self._instead("compare", node, other and (lambda n: ast.Compare(n.left, [other()], n.comparators)))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if _holds_text(node):
            return node
        other = _OPERATORS.get(type(node.op))
        swap = isinstance(node.op, _ORDERED)
        return self._instead(
            "operator", node, other and (lambda n: ast.BinOp(n.left, other(), n.right)),
            "swap", swap and (lambda n: ast.BinOp(n.right, n.op, n.left)),
        )  # fmt: skip

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return self._instead("operator", node, lambda n: ast.BoolOp(other, n.values))

    def visit_Call(self, node: ast.Call) -> Any:
        name = _EXTREMES.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return self._instead("operator", node, name and (lambda n: ast.Call(ast.Name(name), n.args, n.keywords)))

    def visit_Constant(self, node: ast.Constant) -> Any:
        if type(node.value) is not int:
            return node
        value = node.value
        return self._instead(
            "offset", node, lambda n: ast.Constant(value + 1), "offset", lambda n: ast.Constant(value - 1)
        )

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        # A constant index may be one of a tuple, which has to stay one.
        node.value = self.visit(node.value)
        if not isinstance(node.slice, ast.Constant | ast.UnaryOp):
            node.slice = self.visit(node.slice)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        return node

    visit_JoinedStr = visit_Assert = visit_Import = visit_ImportFrom = visit_Raise  # type: ignore[assignment]

    def _number(self, kind: str, node: ast.AST, before: str, after: str) -> int | None:
        if not self._depth:
            return None
        place = f"{self._path}::{self._function}::{kind}"
        self._counts[place] += 1
        line: int = node.lineno  # type: ignore[attr-defined]
        return self._number_of(Mutant(f"{place}#{self._counts[place]}", line, before, after))

    def _without(self, kind: str, original: ast.stmt, node: ast.stmt) -> ast.stmt:
        """A statement that a mutant leaves out."""
        number = self._number(kind, original, ast.unparse(original), "")
        return node if number is None else ast.If(_not_at_work(number), [node], [])

    def _instead(self, *changes: Any) -> Any:
        """An expression that mutants change: kind, node, change, kind, change ..."""
        kind, node, *rest = changes
        original = copy.deepcopy(node)
        new: ast.expr = node
        self.generic_visit(node)
        for this, change in zip((kind, *rest[1::2]), rest[0::2], strict=True):
            if not change:
                continue
            changed = change(copy.deepcopy(original))
            number = self._number(this, original, ast.unparse(original), ast.unparse(changed))
            if number is not None:
                new = ast.IfExp(_at_work(number), changed, new)
        return new


def _at_work(number: int) -> ast.expr:
    return ast.Call(ast.Name("mutant_chosen"), [ast.Constant(number)], [])


def _not_at_work(number: int) -> ast.expr:
    return ast.UnaryOp(ast.Not(), _at_work(number))


def _holds_text(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(node)
    )


def _sources(root: Path) -> Iterator[tuple[str, str]]:
    for place in FOLDERS.values():
        for file in sorted((root / place).rglob("*.py")):
            yield str(file.relative_to(root)), file.read_text()


def all_mutants(root: Path) -> list[Mutant]:
    """Every mutant of the packages under the project's root."""
    found: list[Mutant] = []
    for path, text in _sources(root):
        _Rewriter(path, lambda mutant: found.append(mutant)).visit(ast.parse(text))
    return found


def draw(mutants: list[Mutant], seed: int, shares: dict[str, int]) -> list[Mutant]:
    """So many mutants of each folder, drawn by a seed: of each kind in turn, as long as there are any."""

    def rank(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.name}".encode()).digest()

    places: Counter[tuple[str, str]] = Counter()
    turns: list[tuple[int, bytes, Mutant]] = []
    for mutant in sorted(mutants, key=rank):
        turns.append((places[mutant.folder, mutant.kind], rank(mutant), mutant))
        places[mutant.folder, mutant.kind] += 1
    ranked = [mutant for _, _, mutant in sorted(turns, key=lambda turn: turn[:2])]
    return [m for folder, count in shares.items() for m in [m for m in ranked if m.folder == folder][:count]]


def write_tree(root: Path, target: Path, numbers: dict[str, int]) -> None:
    """Write a copy of the timing model that has the mutants of these names in it, each under its number."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / "gpumodel", target / "gpumodel", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("mutant_switch.py"), target)
    wanted = {name.partition("::")[0] for name in numbers}
    for path, text in _sources(root):
        if path not in wanted:
            continue
        tree = _Rewriter(path, lambda mutant: numbers.get(mutant.name)).visit(ast.parse(text))
        # Behind the documentation and what has to come first.
        first = next(k for k, node in enumerate(tree.body) if not _leads(node))
        tree.body.insert(first, ast.ImportFrom("mutant_switch", [ast.alias("chosen", "mutant_chosen")], 0))
        (target / path).write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _leads(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
