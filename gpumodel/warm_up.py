"""Frames before a range that are modelled so that caches and techniques find their history.

A technique declares how many frames its state goes back (:meth:`Technique.history`). Of a range of frames as many are
modelled before it, named in the result and left out of its means; a run takes its own number, whatever runs beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpumodel.config.schema import GpuConfig
from gpumodel.techniques.registry import known_techniques

__all__ = ["first_frame"]

#: Frames of history that the caches of any machine need.
_CACHES = 1


def first_frame(config: GpuConfig, techniques: Sequence[str], asked: int, warm_up: int | None = None) -> int:
    """Frame that a run begins with; negative where the trace would have to begin earlier.

    Parameters
    ----------
    asked : first frame that is asked for
    warm_up : frames to model before it; None = the history of the techniques
    """
    if warm_up is not None:
        return asked - warm_up
    known = known_techniques()
    begins = [known[name]().begin(config, asked) for name in techniques]
    return min([asked - _CACHES, *begins])
