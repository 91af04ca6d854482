"""The nodes of the syntax tree that symbols refer to, see :mod:`.syntax`, which has them and all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replay.glsl.types import Type

__all__ = ["Block", "Expr", "Statement"]


class Expr:
    """Any expression. ``precision`` is there once somebody has asked :func:`replay.glsl.precision.precision_of`."""

    __slots__ = ("constant", "pos", "precision", "type")
    type: Type
    constant: bool
    pos: int
    precision: str


class Statement:
    """Any statement."""

    __slots__ = ("pos",)
    pos: int


class Block(Statement):
    """``{ ... }``."""

    __slots__ = ("statements",)

    def __init__(self, pos: int, statements: list[Statement]) -> None:
        self.pos = pos
        self.statements = statements
