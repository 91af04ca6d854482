"""Replaying traces, for the commands that compare or show pixels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from traceformat.frames import DRAW_ROLE, role_of

if TYPE_CHECKING:
    from traceformat.gles.backend import Backend
    from traceformat.reader import TraceReader

_CLEAR: Final = re.compile(r"glClear(Buffer\w+)?$|glBlitFramebuffer")

__all__ = ["drawn_pixels", "is_drawing", "reflecting_backend"]


def reflecting_backend() -> Backend:
    """Backend of a tracker that draws nothing and knows programs."""
    from capture.drivers.null import ReflectingBackend

    return ReflectingBackend()


def is_drawing(name: str) -> bool:
    """Whether a call can change pixels of the framebuffer."""
    return role_of(name) == DRAW_ROLE or _CLEAR.match(name) is not None


def drawn_pixels(reader: TraceReader, last: int) -> list[NDArray[Any]]:
    """Replay up to a call and give what its context's draw framebuffer holds then.

    Parameters
    ----------
    reader : a whole trace
    last : number of the last call that is executed

    Returns
    -------
    for each attachment its texels as they are stored: colours first, then depth and stencil
    """
    from replay.engine import transfer
    from replay.engine.engine import Engine
    from replay.engine.targets import resolve_targets
    from traceformat.frametrace import ColumnSet
    from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, guarded
    from traceformat.gles.tracker import Tracker

    engine = Engine(ColumnSet(()), threads=1)
    tracker = Tracker(engine, gles_limits=guarded(GLES_LIMITS), desktop_limits=guarded(DESKTOP_LIMITS), remap=True)
    ends = {frame.end_call - 1: frame for frame in reader.frames if frame.end_call <= last}
    thread = 1
    try:
        for call in reader.calls(stop=last + 1):
            tracker.execute(call)
            thread = call.thread
            frame = ends.get(call.number)
            if frame is not None:
                engine.end_frame(frame.number, frame.rule)
        context = tracker.current.get(thread)
        if context is None:
            return []
        targets = resolve_targets(context.draw_framebuffer, context.name)
        found = []
        for surface in targets.surfaces():
            texels, stencil = transfer.read_block(surface, (0, 0, targets.width, targets.height))
            found += [texels.copy()] if stencil is None else [texels.copy(), stencil.copy()]
        return found
    finally:
        engine.close()
