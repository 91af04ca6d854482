"""Functions a person can read at a glance: exceptions stand in pyproject with their reason."""

from __future__ import annotations

from house import exceptions, functions

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
