"""The frames of a short run, kept so that changes can be made in them without another replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gpumodel.attribution.judges import changed
from gpumodel.whatif.past import Past
from traceformat.gputrace.frametrace import FrameRole
from traceformat.guards import guards

if TYPE_CHECKING:
    from gpumodel.config import GpuConfig
    from gpumodel.results import FrameResult
    from gpumodel.runs import Run
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["KeptFrames"]

#: Bytes of a frame that is kept, and at most this part of what the process may hold; larger ones are replayed again.
_KEPT_BYTES: Final = 1 << 28
_KEPT_SHARE: Final = 16


class KeptFrames:
    """Measured frames that were replayed with the columns of verified runs, and what a run of the machine without
    techniques found.

    Parameters
    ----------
    config : the machine
    run : models the frames as they go by

    Attributes
    ----------
    frames : none where one was too large
    past : what the frames before them left
    results : figures of each, once the run is done
    """

    def __init__(self, config: GpuConfig, run: Run) -> None:
        self.frames: list[FrameTrace] = []
        self.past = Past(config, pictures=True)
        self.results: list[FrameResult] = []
        self._is_whole = True
        run.leave_to(self.past.run)

    def passing(self, frames: Iterable[FrameTrace]) -> Iterator[FrameTrace]:
        """Keep frames as they go by."""
        for frame in frames:
            if frame.role is not FrameRole.MEASURED:
                self.past.show(frame)
            elif self._is_whole and _bytes_of(frame) <= min(_KEPT_BYTES, guards().process_memory // _KEPT_SHARE):
                self.frames.append(_whole(frame))
            else:
                self._is_whole = False
                self.frames.clear()
            yield frame


def _bytes_of(trace: FrameTrace) -> int:
    return sum(column.nbytes for table in trace.tables.values() for column in table.values())


def _whole(trace: FrameTrace) -> FrameTrace:
    """The frame without what its passes come from: they wait in files that go when the replay goes on."""
    frame = changed(trace, trace.tables)
    return replace(frame, pixels=[list(own) for own in trace.pixels], contents=[list(own) for own in trace.contents])
