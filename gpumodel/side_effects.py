"""What shaders write beside their targets, as a frame tells it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import EventKind, Table

__all__ = ["writes_storage"]


def writes_storage(events: Table, rows: slice | NDArray[np.bool_] = slice(None)) -> bool:
    """Whether a draw or dispatch among these events writes storage, images or counters."""
    kinds: NDArray[Any] = events["kind"][rows]
    return bool(((kinds == EventKind.STORAGE) & (events["write_bytes"][rows] > 0)).any())
