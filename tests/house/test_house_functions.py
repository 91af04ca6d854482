"""Functions a person can read at a glance: exceptions stand in pyproject with their reason."""

from __future__ import annotations

import re
import tomllib

from house import PACKAGES, ROOT, exceptions, functions

MAX_LINES = 80
MAX_PARAMETERS = 8
#: Handlers of entry points have the parameters that the specification gives them, commands one for each option.
SPECIFIED = frozenset({"handles", "command"})


def test_functions_are_short():
    long = {one.place: one.num_lines for one in functions() if one.num_lines > MAX_LINES}
    allowed = exceptions("long_functions")
    assert {place: lines for place, lines in long.items() if place not in allowed} == {}
    assert sorted(set(allowed) - set(long)) == [], "exceptions that nothing needs"


def test_functions_take_few_parameters():
    wide = {
        one.place: one.num_parameters
        for one in functions()
        if one.num_parameters > MAX_PARAMETERS and not one.decorators & SPECIFIED
    }
    allowed = exceptions("wide_functions")
    assert {place: count for place, count in wide.items() if place not in allowed} == {}
    assert sorted(set(allowed) - set(wide)) == [], "exceptions that nothing needs"


def test_the_engine_has_no_exceptions():
    """Neither from these rules nor from circles of imports, nor any line that the types' checker leaves out."""
    rules = ("long_functions", "wide_functions", "import_circles")
    allowed = [place for rule in rules for place in exceptions(rule)]
    assert [place for place in allowed if place.replace(".", "/").startswith("replay/engine")] == []
    files = sorted((ROOT / "replay" / "engine").rglob("*.py"))
    assert len(files) > 60
    assert [path.name for path in files if re.search(r"#\s*(mypy:|type:\s*ignore)", path.read_text())] == []
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    left_out = [name for override in mypy.get("overrides", ()) for name in override["module"]]
    assert mypy["strict"]
    assert "replay" in mypy["packages"]
    assert [name for name in left_out if name.split(".")[0] in PACKAGES] == []
