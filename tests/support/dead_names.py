"""Names that the product defines and nobody in it uses."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from house import ROOT, nodes, product_files, tree_of

__all__ = ["dead_names"]

_WORD = re.compile(r"\w+")


def dead_names() -> list[str]:
    """Places of functions, classes, methods and constants whose name stands nowhere else in the product.

    A name counts as used where it is an identifier or a word of a string that is neither a docstring nor an
    entry of ``__all__`` (tables name functions, records name their fields), and where a string that ends in ``_``
    begins it (methods found by a prefix). What a decorator takes is used by it.
    Names that a package exports (``__all__`` of an ``__init__.py``) are the product's API.
    """
    used: Counter[str] = Counter()
    exported: set[str] = set()
    defined: list[tuple[str, str]] = []
    for path in product_files():
        name = path.relative_to(ROOT).as_posix()
        tree = tree_of(path)
        listed = _listed(tree)
        if path.name == "__init__.py":
            exported |= listed
        used.update(_words(tree))
        defined += [(f"{name}:{one}", one) for one in _definitions(tree)]
    prefixes = tuple(word for word in used if word.endswith("_") and word.strip("_"))
    return sorted(
        {place for place, one in defined if used[one] == 0 and one not in exported and not one.startswith(prefixes)}
    )


def _listed(tree: ast.Module) -> set[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return {e.value for e in ast.walk(node.value) if isinstance(e, ast.Constant) and isinstance(e.value, str)}
    return set()


def _definitions(tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
        is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if is_definition and not node.decorator_list and not node.name.startswith("__"):
            yield node.name
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            yield from (t.id for t in statement.targets if isinstance(t, ast.Name) and not t.id.startswith("__"))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id


def _words(tree: ast.Module) -> Iterator[str]:
    skipped = set()
    for node in nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            skipped.update(ast.walk(node.value))
    for node in nodes(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.name
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)
        elif isinstance(node, ast.Global):
            yield from node.names
