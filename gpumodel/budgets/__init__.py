"""Budgets: limits on figures that have a name, and whether a run keeps them. See docs/guide/check.md."""
