"""The frames of a short run, kept so that changes can be made in them without another replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gpumodel.attribution.judges import copied
from traceformat.guards import guards

if TYPE_CHECKING:
    from gpumodel.results import FrameResult
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["KeptFrames"]

#: Bytes of a frame that is kept, and at most this part of what the process may hold; larger ones are replayed again.
_KEPT_BYTES: Final = 1 << 28
_KEPT_SHARE: Final = 16


class KeptFrames:
    """Frames that were replayed with the columns of verified runs, and what a run of the machine without techniques
    found.

    Attributes
    ----------
    frames : copies, with their roles; none where one was too large
    results : figures of each, once the run is done
    """

    def __init__(self) -> None:
        self.frames: list[FrameTrace] = []
        self.results: list[FrameResult] = []
        self._is_whole = True

    def passing(self, frames: Iterable[FrameTrace]) -> Iterator[FrameTrace]:
        """Keep frames as they go by."""
        for frame in frames:
            kept = _kept(frame) if self._is_whole else None
            if kept is None:
                self._is_whole = False
                self.frames.clear()
            else:
                self.frames.append(kept)
            yield frame


def _kept(trace: FrameTrace) -> FrameTrace | None:
    """Copy a frame: its arrays are let go of when the replay goes on."""
    most = min(_KEPT_BYTES, guards().process_memory // _KEPT_SHARE)
    if sum(column.nbytes for table in trace.tables.values() for column in table.values()) > most:
        return None
    return replace(
        copied(trace),
        pixels=[[part.copy() for part in own] for own in trace.pixels],
        contents=[[None if part is None else part.copy() for part in own] for own in trace.contents],
        picture=None if trace.picture is None else trace.picture.copy(),
    )
