"""The records of :mod:`replay.handheld.kernels.records` by their addresses, inside kernels."""

from __future__ import annotations

from typing import Final

from replay.handheld.kernels import records
from traceformat.native.access import record_accessor

__all__ = ["expansion_at", "filter_at", "order_at", "tile_at", "walk_at"]

expansion_at: Final = record_accessor(records.EXPANSION.dtype)
filter_at: Final = record_accessor(records.FILTER.dtype)
order_at: Final = record_accessor(records.ORDER.dtype)
tile_at: Final = record_accessor(records.TILE_DTYPE)
walk_at: Final = record_accessor(records.WALK.dtype)
