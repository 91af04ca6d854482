"""What the house's rules look at: product files, their functions, their imports, and what they repeat."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

__all__ = [
    "PACKAGES",
    "ROOT",
    "Function",
    "Repetition",
    "exceptions",
    "functions",
    "nodes",
    "product_files",
    "repetitions",
    "tree_of",
]

ROOT: Final = Path(__file__).resolve().parents[2]


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


#: The top-level packages that are shipped.
PACKAGES: Final = tuple(_project()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])


def exceptions(rule: str) -> dict[str, str]:
    """What a rule of the house leaves out, each with its reason: ``[tool.gpureplay.house.RULE]`` of pyproject."""
    table: dict[str, str] = _project()["tool"].get("gpureplay", {}).get("house", {}).get(rule, {})
    return table


@cache
def product_files() -> tuple[Path, ...]:
    """Python files that are shipped."""
    return tuple(sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")))


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax of a file, read once for all rules."""
    return ast.parse(path.read_text())


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a syntax tree."""
    return tuple(ast.walk(tree))


@dataclass(frozen=True)
class Function:
    """A function or method: ``place`` as exceptions name it, lines without its docstring, parameters without self."""

    place: str
    num_lines: int
    num_parameters: int
    decorators: frozenset[str]


@cache
def functions() -> tuple[Function, ...]:
    """All functions of the product."""
    return tuple(
        _function(path.relative_to(ROOT).as_posix(), node)
        for path in product_files()
        for node in nodes(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _function(path: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    documented = ast.get_docstring(node) is not None
    docstring = (node.body[0].end_lineno or 0) - node.body[0].lineno + 1 if documented else 0
    given = node.args
    parameters = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    own = [name for name in parameters if name not in ("self", "cls")]
    called = {one.func if isinstance(one, ast.Call) else one for one in node.decorator_list}
    names = frozenset(ast.unparse(one).rsplit(".", 1)[-1] for one in called)
    num_lines = (node.end_lineno or 0) - node.lineno + 1 - docstring
    return Function(f"{path}:{node.name}", num_lines, len(own), names)


@dataclass(frozen=True)
class Repetition:
    """The same run of lines in two places."""

    first: str
    second: str
    num_lines: int

    def __str__(self) -> str:
        return f"{self.first} ~ {self.second} ({self.num_lines} lines)"


@dataclass(frozen=True)
class _Line:
    number: int
    text: str
    shape: str
    num_tokens: int


_CODE: Final = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)


def _lines(path: Path) -> list[_Line]:
    """Lines of code, without imports, docstrings, comments and lone punctuation."""
    source = path.read_text()
    skipped = _imports_and_docstrings(tree_of(path))
    rows: defaultdict[int, list[tokenize.TokenInfo]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if (
            token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)
            and token.start[0] not in skipped
        ):
            rows[token.start[0]].append(token)
    return [
        _Line(number, " ".join(one.string for one in row), " ".join(map(_shape, row)), len(row))
        for number, row in sorted(rows.items())
        if any(one.type != tokenize.OP for one in row)
    ]


def _imports_and_docstrings(tree: ast.Module) -> set[int]:
    skipped: set[int] = set()
    for node in nodes(tree):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return skipped


def _shape(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return "N"
    if token.type == tokenize.NUMBER:
        return "0"
    return "S" if token.type == tokenize.STRING else token.string


def repetitions(num_lines: int, *, min_tokens: int, min_shapes: int) -> list[Repetition]:
    """Runs of ``num_lines`` logical lines that stand in two places, names and numbers aside.

    Tables and lists of calls have one shape by nature: a run counts only if it has ``min_tokens`` tokens in
    ``min_shapes`` kinds of lines, or is the same to the letter.
    """
    windows: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    kept: dict[str, list[_Line]] = {}
    for path in product_files():
        name = path.relative_to(ROOT).as_posix()
        lines = kept[name] = _lines(path)
        for start in range(len(lines) - num_lines + 1):
            run = lines[start : start + num_lines]
            if sum(line.num_tokens for line in run) < min_tokens or len({line.shape for line in run}) < min_shapes:
                continue
            windows[tuple(line.shape for line in run)].append((name, start))
    found: dict[tuple[str, str], Repetition] = {}
    for places in windows.values():
        for place, (name, start) in enumerate(places):
            for other, at in places[place + 1 :]:
                if name == other and abs(at - start) < num_lines:
                    continue
                key = (f"{name}", f"{other}")
                first, second = kept[name][start].number, kept[other][at].number
                known = found.get(key)
                length = num_lines if known is None else known.num_lines + 1
                begin = (f"{name}:{first}", f"{other}:{second}") if known is None else (known.first, known.second)
                found[key] = Repetition(*begin, length)
    return sorted(found.values(), key=lambda one: -one.num_lines)
