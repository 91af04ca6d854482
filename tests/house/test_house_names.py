"""Names: what is defined is used, and what is used of GL's constants exists."""

from __future__ import annotations

import ast

from dead_names import dead_names
from house import ROOT, exceptions, nodes, product_files, tree_of

from traceformat.gles import enums


def test_no_name_is_dead():
    allowed = exceptions("dead_names")
    dead = dead_names()
    assert [place for place in dead if place not in allowed] == []
    assert sorted(allowed) == [place for place in dead if place in allowed], "exceptions that nothing needs"


def test_constants_of_gl_exist():
    """``enums`` makes its names from a table, so the type checker cannot see a misspelt one."""
    wrong = []
    for path in product_files():
        for node in nodes(tree_of(path)):
            is_attribute = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if is_attribute and node.value.id in ("gl", "enums") and node.attr.startswith("GL_"):
                wrong += [] if hasattr(enums, node.attr) else [f"{path.relative_to(ROOT)}:{node.lineno}: {node.attr}"]
    assert wrong == []
