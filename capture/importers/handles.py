"""Opaque objects of an imported trace."""

from __future__ import annotations

__all__ = ["Handles"]


class Handles:
    """Numbers opaque objects (sync objects, images) by order of appearance, so that no address gets into a trace."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def __getitem__(self, address: int) -> int:
        """Number of an address, from 1; 0 for NULL."""
        if not address:
            return 0
        return self._numbers.setdefault(address, len(self._numbers) + 1)
