"""Replay: executes command traces in software and yields pictures and FrameTraces.

What it exports is imported on first use, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.lazy import lazy_names

if TYPE_CHECKING:
    from replay.player import CallPlace, PlayedFrames, attachments, attachments_behind, frames, pictures

__all__ = ["CallPlace", "PlayedFrames", "attachments", "attachments_behind", "frames", "pictures"]


__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(__all__, "player"))
