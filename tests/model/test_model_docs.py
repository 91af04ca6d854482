"""What the documents say of the tests."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_list_of_closed_forms_names_each_test() -> None:
    """docs/MODEL.md section 6 names tests that exist, each with its formula in the docstring, and at least 40."""
    functions = [
        node
        for path in sorted(Path(__file__).parent.glob("test_model_*_forms.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    section = (ROOT / "docs" / "MODEL.md").read_text(encoding="utf-8").split("## 6. ")[1].split("## 7. ")[0]
    listed = {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}
    with_formula = {node.name.removeprefix("test_") for node in functions if ast.get_docstring(node)}
    assert listed <= with_formula
    assert len(listed) >= 40
