"""Replay: executes command traces in software and yields pictures and FrameTraces.

``frames``, ``pictures`` and ``attachments`` are imported on first use, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.lazy import lazy_names

if TYPE_CHECKING:
    from replay.player import PlayedFrames, attachments, frames, pictures

__all__ = ["PlayedFrames", "attachments", "frames", "pictures"]


__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(__all__, "player"))
