"""What an unlimited table with perfect hashes would hit: the potential of memoization (RE §V-A)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["PairOracle"]

_ALIVE = 15


class PairOracle:
    """Identities of the passes that are rendered in parallel, the first frame's before the second one's."""

    def __init__(self) -> None:
        self._seen: NDArray[np.uint64] = np.zeros(0, np.uint64)

    def begin(self) -> None:
        """Forget everything: other passes begin."""
        self._seen = np.zeros(0, np.uint64)

    def hits(self, trace: FrameTrace, streams: PassStreams, words: NDArray[Any]) -> int:
        """Fragments of a finished pass that Early-Z has let live and whose inputs an earlier one has.

        Parameters
        ----------
        words : (draws of the frame,) 0 = the draw is left out
        """
        count = streams.num_quads
        placed = streams.quads[:count]
        rows = placed["row"].astype(np.int64)
        mask = (streams.early[:count] & _ALIVE) & ~trace["quads"]["identity_excluded"][rows]
        mask = np.where(words[placed["draw"]] > 0, mask, 0)
        live = (mask[:, None] >> np.arange(4) & 1).astype(bool)
        found = trace["quads"]["identity"][rows][live]
        distinct = np.unique(found)
        new = np.setdiff1d(distinct, self._seen, assume_unique=True)
        self._seen = np.union1d(self._seen, new)
        return len(found) - len(new)
