"""Which call of a trace is meant: by its number, or by frame and draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.errors import UsageError
from traceformat.frame_numbers import check_frame
from traceformat.gles.roles import is_draw

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader

__all__ = ["check_call", "draw_number", "nth_draw"]


def check_call(reader: TraceReader, call: int) -> None:
    """Refuse the number of a call that a trace does not have."""
    if call >= reader.num_calls:
        raise UsageError(f"the trace has {reader.num_calls} calls; there is no call {call}")


def nth_draw(reader: TraceReader, frame: int, draw: int) -> int:
    """Number of a draw call; draws of a frame count from 0.

    Raises
    ------
    UsageError : there is no such frame or draw
    """
    check_frame(frame, len(reader.frames))
    place = reader.frames[frame]
    count = 0
    for call in reader.calls(start=place.first_call, stop=place.end_call):
        if is_draw(call.name):
            if count == draw:
                return call.number
            count += 1
    raise UsageError(f"frame {frame} has {count} draws, from 0 on; there is no draw {draw}")


def draw_number(reader: TraceReader, call: int) -> int:
    """Draw calls of a call's frame before it."""
    frame = min(reader.frame_of(call), len(reader.frames) - 1)
    first = reader.frames[frame].first_call
    return sum(is_draw(one.name) for one in reader.calls(start=first, stop=call))
