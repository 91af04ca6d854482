"""Replaying traces, for the commands that compare or show pixels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click
from numpy.typing import NDArray

from traceformat.frames import DRAW_ROLE, role_of

if TYPE_CHECKING:
    from traceformat.gles.backend import Backend
    from traceformat.reader import TraceReader

_CLEAR: Final = re.compile(r"glClear(Buffer\w+)?$|glBlitFramebuffer")

__all__ = ["drawn_pixels", "is_drawing", "reflecting_backend", "tell_indexing"]


def reflecting_backend() -> Backend:
    """Backend of a tracker that draws nothing and knows programs."""
    from replay.reflect import ReflectingBackend

    return ReflectingBackend()


def tell_indexing(calls: int, all_calls: int) -> None:
    """Say on stderr, now and then, how far the making of an index of state is."""
    if calls and calls % (1 << 18) == 0:
        click.echo(f"following all calls once for an index of state: {100 * calls // all_calls} %", err=True)


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
    from replay.extraction import play_to

    with play_to(reader, last) as moment:
        return moment.drawn()
