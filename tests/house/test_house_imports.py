"""No module imports itself by a detour: imports in functions and for type checkers count."""

from __future__ import annotations

import grimp
import networkx
import pytest
from house import PACKAGES, exceptions


@pytest.fixture(scope="module")
def circles() -> dict[str, list[str]]:
    """First module of each circle -> all of its modules."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    modules = networkx.DiGraph(
        (module, other) for module in graph.modules for other in graph.find_modules_directly_imported_by(module)
    )
    found = (sorted(circle) for circle in networkx.strongly_connected_components(modules) if len(circle) > 1)
    return {circle[0]: circle for circle in found}


def test_no_circles(circles):
    allowed = exceptions("import_circles")
    assert [circle for first, circle in sorted(circles.items()) if first not in allowed] == []
    assert sorted(set(allowed) - set(circles)) == [], "exceptions that nothing needs"
