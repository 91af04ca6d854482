"""Values of constant expressions: lowered with a builder that folds, and read off."""

from __future__ import annotations

from typing import Any

from replay.glsl import syntax as ast
from replay.glsl.builder import Builder, ProgramTooLargeError
from replay.glsl.lowering.expressions import ExpressionLowerer
from replay.glsl.lowering.storage import Lowered
from replay.glsl.lowering.values import flatten

__all__ = ["constant_components"]


def constant_components(expr: ast.Expr) -> tuple[Any, ...] | None:
    """Components of a constant expression in order (columns, elements, members one after another); None if it has no
    value.
    """
    lowerer = ExpressionLowerer(Builder(), is_fragment=False)
    try:
        value: Lowered = lowerer.value(expr)
    except (NotImplementedError, AssertionError, ProgramTooLargeError):
        return None
    leaves = flatten(value)
    if any(leaf.op != "const" for leaf in leaves):
        return None
    return tuple(component for leaf in leaves for component in leaf.attr)
