"""What the documents say of the tests."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_list_of_closed_forms_names_each_test() -> None:
    """docs/MODEL.md section 6 has every formula, and only those; the model has at least 40."""
    functions = [
        node
        for path in sorted(Path(__file__).parent.glob("test_model_*_forms.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert [node.name for node in functions if not ast.get_docstring(node)] == []
    section = (ROOT / "docs" / "MODEL.md").read_text(encoding="utf-8").split("## 6. ")[1].split("## 7. ")[0]
    listed = {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}
    names = {node.name.removeprefix("test_") for node in functions}
    assert listed == names
    assert len(names) >= 40
