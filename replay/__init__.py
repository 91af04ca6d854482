"""Replay: executes command traces in software and yields pictures and FrameTraces.

``frames``, ``pictures`` and ``attachments`` are imported on first use, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replay.player import PlayedFrames, attachments, frames, pictures

__all__ = ["PlayedFrames", "attachments", "frames", "pictures"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from replay import player

        return getattr(player, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
