"""What both executors share: their error, their budget."""

from __future__ import annotations

from typing import Final

from traceformat.errors import ReplayError

__all__ = ["BUDGET_HINT", "DEFAULT_LOOP_BUDGET", "LoopBudgetError"]

#: Iterations that the loops of one run of lanes may take together before the draw ends with an error.
DEFAULT_LOOP_BUDGET: Final = 1 << 20
#: What a user can do about it (``traceformat.guards``).
BUDGET_HINT: Final = "GPUREPLAY_LIMITS=loop_iterations=...,draw_iterations=... raises the limit"


class LoopBudgetError(ReplayError):
    """A shader did not leave its loops within the budget of iterations."""
