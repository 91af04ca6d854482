"""Replaying traces, for the commands that compare or show pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from traceformat.cli.terminal import Progress

if TYPE_CHECKING:
    from traceformat.gles.backend import Backend
    from traceformat.gltrace.reader import TraceReader

__all__ = ["drawn_pixels", "indexing", "reflecting_backend"]


def reflecting_backend() -> Backend:
    """Backend of a tracker that draws nothing and knows programs."""
    from replay.reflect import ReflectingBackend

    return ReflectingBackend()


@contextmanager
def indexing() -> Iterator[Callable[[int, int], None]]:
    """Show how far the making of an index of state is; gives what is told the calls followed, and of how many."""
    with Progress("following all calls once", unit="calls") as progress:

        def tell(calls: int, all_calls: int) -> None:
            progress.done, progress.total = calls, all_calls

        yield tell


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
