"""Tiles in step: a frame's tile is not dispatched before the other frame has come to it.

Source: RE §I ("renders two consecutive frames in parallel and keeps tiles synchronized"); how closely ASSUMED: the
lists of one tile are fetched for both frames before the next tile is begun for either, the second frame's
``pfr.tiles_behind`` tiles later.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.units.events import notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.tile_fetch import ASSIGN_FRAME
from gpumodel.units.views import state_accessor
from traceformat.kernels import callback

__all__ = ["STEP", "in_step"]

_I: Final = np.int64

#: The tile that each frame has come to; how far the second stays behind; the last tile.
STEP: Final = np.dtype([("tile", _I, (2,)), ("behind", _I), ("last", _I)], align=True)
_own: Final = state_accessor(STEP)


@callback(PLUG_SIGNATURE)
def in_step(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: wait while the other frame is at an earlier tile than it should be."""
    own = _own(address)
    if s.cfg.assignment != ASSIGN_FRAME:
        return 1
    if own.tile[frame] != tile:
        own.tile[frame] = tile
        notify(s, s.frame[frame].u_fetch_tiles, s.frame[1 - frame].u_fetch_tiles)
    other = tile - own.behind if frame == 0 else min(tile + own.behind, own.last)
    return 1 if own.tile[1 - frame] >= other else -1
