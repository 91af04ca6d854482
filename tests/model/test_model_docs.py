"""What the documents say of the tests."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_list_of_closed_forms_names_each_test() -> None:
    """docs/model_findings.md names tests that exist, each with its formula in the docstring, and at least 40."""
    functions = [
        node
        for path in sorted(Path(__file__).parent.glob("test_model_*_forms.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    page = (ROOT / "docs" / "model_findings.md").read_text(encoding="utf-8")
    section = page.split("## Closed forms")[1].split("\n## ")[0]
    listed = {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}
    with_formula = {node.name.removeprefix("test_") for node in functions if ast.get_docstring(node)}
    assert listed <= with_formula
    assert len(listed) >= 40


def test_the_reference_of_units_is_that_of_their_modules() -> None:
    """Every unit says what it is; the page is made from that."""
    made = runpy.run_path(str(ROOT / "docs" / "units.py"))["unit_reference"]()
    page = (ROOT / "docs" / "unit_reference.md").read_text(encoding="utf-8")
    assert page == made, "python docs/units.py"
    for part in ("Hardware", "Modelled", "Source"):
        assert page.count(f"- **{part}**: ") == page.count("\n## ")
