"""What both executors share: their error, their budget."""

from __future__ import annotations

from typing import Final

from traceformat.errors import ReplayError
from traceformat.guards import VARIABLE, guards

__all__ = ["DEFAULT_LOOP_BUDGET", "LoopBudgetError", "budget_hint"]

#: Iterations that the loops of one run of lanes may take together before the draw ends with an error.
DEFAULT_LOOP_BUDGET: Final = 1 << 20


class LoopBudgetError(ReplayError):
    """A shader did not leave its loops within the budget of iterations."""


def budget_hint() -> str:
    """The limits that a budget comes from, and what raises them."""
    limits = guards()
    return (
        f"the limits are loop_iterations={limits.loop_iterations} and draw_iterations={limits.draw_iterations};"
        f" {VARIABLE}=loop_iterations=...,draw_iterations=... raises them"
    )
