"""Where frames come from: a command trace that is replayed, or a GPU trace from disk; identical from here on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpumodel.cli.missing import tell_what_is_missing
from gpumodel.columns import REQUIRED_COLUMNS
from traceformat.errors import ReplayError, UsageError
from traceformat.frametrace import ColumnSet, FrameRole, FrameTrace

__all__ = ["Source", "open_source"]

#: Properties of a .gputrace that describe the command trace it was made from.
_NAME, _SHA256, _FRAMES = "trace_name", "trace_sha256", "trace_frames"
#: First frame that is not there as a warm-up alone.
_ASKED: Final = "first_asked"


@dataclass(slots=True)
class Source:
    """Frames of a trace.

    Parameters
    ----------
    name, sha256 : of the command trace, also where a GPU trace made from it is read
    num_frames : of the whole trace
    wanted : frames that will come, if they are known
    frames : the frames
    partial : frames that were asked for are left out, because the trace is damaged
    asked : the first frame that was asked for; those before it are there to warm up
    """

    name: str
    sha256: str
    num_frames: int
    wanted: int
    frames: Iterator[FrameTrace]
    partial: bool = False
    asked: int = 0

    def properties(self) -> dict[str, Any]:
        """What a .gputrace of these frames says about their origin."""
        about: dict[str, Any] = {_NAME: self.name, _SHA256: self.sha256, _FRAMES: self.num_frames}
        return about | ({_ASKED: self.asked} if self.asked else {})


@contextmanager
def open_source(
    path: str, frames: range | None, threads: int, columns: ColumnSet = REQUIRED_COLUMNS, warm_up: int = 0
) -> Iterator[Source]:
    """Open a .gltrace or .gputrace.

    Parameters
    ----------
    frames : frame numbers wanted; None = all
    threads : of the replay; results do not depend on it
    columns : of the frames
    warm_up : frames before those wanted that come too, as far as there are any, with the role that says so

    Raises
    ------
    UsageError : no such file or frames
    TraceFormatError, ReplayError : the trace is bad
    """
    from traceformat.gputrace import is_gputrace

    opened = (
        _open_gpu_trace(path, frames, columns, warm_up)
        if is_gputrace(path)
        else _open_command_trace(path, frames, threads, columns, warm_up)
    )
    with opened as source:
        yield source


@contextmanager
def _open_command_trace(
    path: str, frames: range | None, threads: int, columns: ColumnSet, warm_up: int
) -> Iterator[Source]:
    import replay
    from traceformat.reader import open_trace

    with open_trace(path) as reader:
        count = len(reader.frames)
        asked = 0 if frames is None else frames.start
        if asked >= count > 0:
            raise UsageError(f"the trace has {count} frames; there is no frame {asked}")
        limits = None if frames is None else (max(asked - warm_up, 0), min(frames.stop, 1 << 31) - 1)
        with replay.frames(reader, columns=columns, frames=limits, threads=threads) as played:
            first, last = limits or (0, count - 1)
            wanted = min(last, count - 1) - first + 1
            shown = _with_roles(played, asked)
            yield Source(Path(path).name, reader.content_hash, count, wanted, shown, played.partial, asked)
            tell_what_is_missing(path, played)


@contextmanager
def _open_gpu_trace(path: str, frames: range | None, columns: ColumnSet, warm_up: int) -> Iterator[Source]:
    from traceformat.gputrace import open_gputrace

    with open_gputrace(path, columns) as reader:
        lost = [loss.first_frame for loss in reader.damage if loss.first_frame is not None]
        whole = min([len(reader), *lost])
        properties = reader.properties
        asked = int(properties.get(_ASKED, 0)) if frames is None else frames.start
        chosen = None if frames is None else range(asked - warm_up, frames.stop)

        def read() -> Iterator[FrameTrace]:
            found = False
            for place in range(whole):
                frame = reader.frame(place)
                if chosen is None or frame.frame in chosen:
                    found |= chosen is None or frame.frame >= asked
                    yield frame
            if not found and lost:
                raise ReplayError(f"{path}: no frame before the damage: {reader.damage[0]}")
            if not found:
                raise UsageError(f"{path}: none of its {whole} frames was asked for")

        yield Source(
            str(properties.get(_NAME, Path(path).name)),
            str(properties.get(_SHA256, "")),
            int(properties.get(_FRAMES, len(reader))),
            whole if chosen is None else min(whole, len(chosen)),
            _with_roles(read(), asked),
            bool(lost),
            asked,
        )


def _with_roles(frames: Iterable[FrameTrace], asked: int) -> Iterator[FrameTrace]:
    """Give frames their role in a range that begins with ``asked``: those before it warm up, unless they set up."""
    for frame in frames:
        if frame.role is not FrameRole.SET_UP:
            frame.role = FrameRole.WARM_UP if frame.frame < asked else FrameRole.MEASURED
        yield frame
