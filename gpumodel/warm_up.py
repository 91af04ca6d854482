"""Frames around a range that are modelled so that caches and techniques find their history.

A technique declares how many frames its state goes back (:meth:`Technique.history`). Of a range of frames as many are
modelled before it, named in the result and left out of its means; where frames are rendered in pairs, so is the
partner of the last one. A run takes its own frames, whatever runs beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpumodel.config.schema import GpuConfig
from gpumodel.techniques.registry import known_techniques

__all__ = ["modelled_frames"]

#: Frames of history that the caches of any machine need.
_CACHES = 1


def modelled_frames(config: GpuConfig, techniques: Sequence[str], asked: range, warm_up: int | None = None) -> range:
    """Frames of a run; it begins with a negative number where the trace would have to begin earlier.

    Parameters
    ----------
    asked : frames that are asked for
    warm_up : frames to model before them; None = what the techniques need
    """
    if warm_up is not None:
        return range(asked.start - warm_up, asked.stop)
    known = known_techniques()
    needed = [known[name]().needed_frames(config, asked) for name in techniques]
    return range(
        min([asked.start - _CACHES, *(frames.start for frames in needed)]),
        max([asked.stop, *(frames.stop for frames in needed)]),
    )
