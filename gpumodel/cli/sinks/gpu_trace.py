"""``--save-gputrace``: the replayed frames, so that later runs skip the replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpumodel.cli.sinks.sink import Sink, Work
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.gputrace.reader import GpuTraceWriter

__all__ = ["SavedFrames"]


class SavedFrames(Sink):
    """A .gputrace.

    Parameters
    ----------
    properties : what it says about its origin
    """

    def __init__(self, path: str, properties: Mapping[str, Any]) -> None:
        self._path = path
        self._properties = properties
        self._writer: GpuTraceWriter | None = None

    def begin(self, work: Work) -> None:
        """Open the file."""
        self._writer = GpuTraceWriter(self._path, self._properties)

    def replayed(self, frame: FrameTrace) -> None:
        """Append the frame; those that set up or warm up belong to the result of later runs, too."""
        assert self._writer is not None
        self._writer.write(frame)

    def end(self, work: Work) -> int:
        """Give the file its name."""
        assert self._writer is not None
        self._writer.close()
        return 0

    def close(self) -> None:
        """Throw away a file that is not whole."""
        if self._writer is not None:
            self._writer.abort()
