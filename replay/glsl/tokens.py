"""Tokens, as the preprocessor makes and the parser reads them: ``(kind, text, offset)``."""

from __future__ import annotations

from typing import Final

__all__ = ["END", "FLOAT_LITERAL", "IDENTIFIER", "INT_LITERAL", "PUNCTUATOR", "Token"]

Token = tuple[int, str, int]

IDENTIFIER: Final = 1
INT_LITERAL: Final = 2
FLOAT_LITERAL: Final = 3
PUNCTUATOR: Final = 4
END: Final = 8
