"""What a program can say to the capture that it runs under; without one, nothing happens.

A program imports this module by its own ``import capture``, and finds a copy that knows nothing of the session that
records it (:mod:`capture.isolation`). They meet at one attribute of ``sys``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

__all__ = ["Controls", "frame", "group", "is_capturing", "marker", "publish", "start", "stop"]

_PLACE: Final = "_gpureplay_capture"


class Controls(Protocol):
    """What a session can be told."""

    def start(self) -> None:
        """Record from here on."""

    def stop(self) -> None:
        """Leave out what follows."""

    def frame(self, label: str) -> None:
        """End a frame."""

    def marker(self, label: str) -> None:
        """Note an event."""

    def push(self, label: str) -> None:
        """Begin a group."""

    def pop(self) -> None:
        """End a group."""


def publish(controls: Controls | None) -> None:
    """Let the program reach a session; None when it has ended."""
    setattr(sys, _PLACE, controls)


def _controls() -> Controls | None:
    controls: Controls | None = getattr(sys, _PLACE, None)
    return controls


def is_capturing() -> bool:
    """Tell whether the program runs under ``gpucapture``."""
    return _controls() is not None


def start() -> None:
    """Record from here on, after :func:`stop` or under ``gpucapture run --paused``.

    The state at this point is written in front of what follows, so that the trace replays.
    """
    controls = _controls()
    if controls is not None:
        controls.start()


def stop() -> None:
    """Leave what follows out of the trace, until :func:`start`."""
    controls = _controls()
    if controls is not None:
        controls.stop()


def frame(label: str = "") -> None:
    """End a frame here. A program that says so ends its frames by this alone; swaps end none any more."""
    controls = _controls()
    if controls is not None:
        controls.frame(label)


def marker(label: str) -> None:
    """Note an event between two calls, as glInsertEventMarkerEXT does."""
    controls = _controls()
    if controls is not None:
        controls.marker(label)


@contextmanager
def group(label: str) -> Iterator[None]:
    """Name what is drawn inside, as a debug group does.

    Examples
    --------
    >>> import capture
    >>> with capture.group("shadow pass"):
    ...     pass  # draw
    """
    controls = _controls()
    if controls is not None:
        controls.push(label)
    try:
        yield
    finally:
        if controls is not None:
            controls.pop()
