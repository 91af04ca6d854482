"""Frames that somebody asks for by number, held against those that a trace has."""

from __future__ import annotations

import warnings
from typing import Final

from traceformat.errors import ToolWarning, UsageError

__all__ = ["check_frame", "check_frames", "warn_of_frames"]

#: Ranges that end here or behind it are open: all frames from their first one.
_OPEN: Final = 1 << 31


def check_frame(frame: int, count: int) -> None:
    """Refuse a frame that a trace with ``count`` frames does not have.

    Raises
    ------
    UsageError : there is no such frame
    """
    if frame >= count:
        raise UsageError(f"the trace has {count} frames; there is no frame {frame}")


def check_frames(path: str, asked: range | None, count: int) -> tuple[int, int] | None:
    """Refuse frames that begin behind a trace's last one; warn where they end behind it.

    Parameters
    ----------
    path : of the trace
    asked : the frames; None = all
    count : frames of the trace

    Returns
    -------
    first and last of those that there are, both included; None = all

    Raises
    ------
    UsageError : the first one does not exist
    """
    if asked is None:
        return None
    check_frame(asked.start, count)
    warn_of_frames(path, asked, range(count))
    return asked.start, min(asked.stop, count) - 1


def warn_of_frames(path: str, asked: range, there: range) -> None:
    """Warn where a trace has some frames, but not the first or the last of them.

    Parameters
    ----------
    path : of the trace
    asked : the frames; a range without an end reaches as far as there are frames
    there : those that the trace has
    """
    if asked.stop <= there.start or there.stop <= asked.start:
        return
    if asked.start < there.start:
        text = f"its first frame is {there.start}; there is no frame {asked.start}"
    elif there.stop <= asked[-1] < _OPEN:
        text = f"its last frame is {there[-1]}; there is no frame {asked[-1]}"
    else:
        return
    warnings.warn(f"{path}: {text}", ToolWarning, stacklevel=2)
