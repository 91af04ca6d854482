"""Playing a trace on the handheld machine."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from replay.player import PlayedFrames
from traceformat.gputrace.accessstream import AccessFrame, AccessSink, HandheldMode
from traceformat.gputrace.frametrace import ColumnSet

if TYPE_CHECKING:
    from replay.handheld.engine import HandheldEngine
    from traceformat.gltrace.reader import TraceReader

__all__ = ["HandheldFrames", "supersampled"]

#: Samples that are rendered in one replay, at the most; more are spread over several.
_SAMPLES_AT_ONCE = 32


class _Played(PlayedFrames):
    """Frames of a trace, executed by the machine."""

    def __init__(
        self,
        trace: str | os.PathLike[str] | TraceReader,
        frames: tuple[int, int] | None,
        mode: HandheldMode,
        sink: AccessSink | None,
        samples: range | None,
    ) -> None:
        self._mode = mode
        self._sink = sink
        self._samples = samples
        self.machine: HandheldEngine | None = None
        super().__init__(trace, ColumnSet(()), frames, 1)

    def _make_engine(self, max_image_bytes: int) -> HandheldEngine:
        from replay.handheld.engine import HandheldEngine

        self.machine = HandheldEngine(
            self._mode,
            self._sink,
            first_frame=self._wanted.first,
            samples=self._samples,
            max_image_bytes=max_image_bytes,
        )
        return self.machine


class HandheldFrames(Iterator[AccessFrame]):
    """Frames of a trace on the handheld machine, in order.

    Parameters
    ----------
    trace : path of a ``.gltrace``, or an open reader (which stays open)
    mode : of the machine
    sink : takes the accesses of a frame before the frame is yielded; None where only pictures are wanted
    frames : first and last frame, both included; None = all

    Raises
    ------
    ReplayError : the trace cannot be replayed, or is damaged before the first frame asked for
    UsageError : no such frames
    """

    def __init__(
        self,
        trace: str | os.PathLike[str] | TraceReader,
        mode: HandheldMode,
        sink: AccessSink | None = None,
        *,
        frames: tuple[int, int] | None = None,
        samples: range | None = None,
    ) -> None:
        self._played = _Played(trace, frames, mode, sink, samples)
        self.partial = self._played.partial

    def __next__(self) -> AccessFrame:
        next(self._played)
        machine = self._played.machine
        assert machine is not None
        assert machine.access_frame is not None
        return machine.access_frame

    def sums(self) -> NDArray[np.float64] | None:
        """Of precise pictures: sum over the samples of the picture of the last frame, (height, width, 4) bytes."""
        assert self._played.machine is not None
        return self._played.machine.precise_sum

    def close(self) -> None:
        """Stop playing and release everything."""
        self._played.close()

    def __enter__(self) -> HandheldFrames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def supersampled(
    trace: str | os.PathLike[str] | TraceReader,
    *,
    width: int = 0,
    height: int = 0,
    grid: int = 16,
    frames: tuple[int, int] | None = None,
) -> Generator[tuple[int, NDArray[np.uint8]], None, None]:
    """Reference pictures: grid x grid samples a pixel, each shaded, trilinear filters, 8-bit colours, 24-bit depth.

    Parameters
    ----------
    trace : path of a ``.gltrace``, or an open reader
    width, height : of the pictures; 0 takes that of the trace
    grid : samples along each axis of a pixel, 1, 2, 4, 8 or 16
    frames : first and last frame, both included; None = all

    Yields
    ------
    frame number, and (height, width, 4) uint8 RGBA, row 0 at the bottom
    """
    mode = HandheldMode(width, height, texture_filter="trilinear", precise=True, sample_grid=grid)
    total = grid * grid
    parts = [range(first, min(first + _SAMPLES_AT_ONCE, total)) for first in range(0, total, _SAMPLES_AT_ONCE)]
    players = [HandheldFrames(trace, mode, frames=frames, samples=part) for part in parts]
    try:
        while True:
            found = []
            for player in players:
                frame = next(player, None)
                if frame is None:
                    return
                found.append(frame)
            sums = [player.sums() for player in players]
            if found[0].picture is None or any(one is None for one in sums):
                continue
            mean = np.sum([one for one in sums if one is not None], axis=0) / total
            yield found[0].frame, np.rint(mean).astype(np.uint8)
    finally:
        for player in players:
            player.close()
