"""What passes from the replay to the model of the handheld rasterizer: its mode of working, and its memory accesses.

The machine of "Graphics for the Masses" (Akenine-Möller and Ström, SIGGRAPH 2003) changes pixels and addresses, so the
replay executes it (:class:`HandheldMode` says how) and hands every access to memory, in the order in which the machine
makes them, to an :class:`AccessSink`. The model counts, times and prices them.

An access is one uint32: its kind in the four highest bits, below them the place in memory in units of 16 bits. Texture
accesses are whole 32-bit words (their place is even); all others are 16-bit values, of which a memory word holds two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "KIND_SHIFT",
    "NUM_KINDS",
    "PLACE_MASK",
    "AccessFrame",
    "AccessKind",
    "AccessSink",
    "Antialiasing",
    "HandheldMode",
    "TextureFilter",
]

#: Bits below the kind.
KIND_SHIFT: Final = 28
PLACE_MASK: Final = (1 << KIND_SHIFT) - 1


class AccessKind(IntEnum):
    """What an access is for."""

    Z_READ = 0
    Z_WRITE = 1
    COLOR_READ = 2
    COLOR_WRITE = 3
    TEXTURE = 4
    #: z-min and z-max values of tiles.
    TILE_READ = 5
    TILE_WRITE = 6
    #: Depth values read again to find the new z-max of a tile.
    TILE_UPDATE = 7
    #: The pass that averages samples to pixels.
    FILTER_READ = 8
    FILTER_WRITE = 9
    CLEAR = 10
    STENCIL_READ = 11
    STENCIL_WRITE = 12
    #: No access: a triangle begins, and queues are emptied.
    TRIANGLE = 13


NUM_KINDS: Final = len(AccessKind)

Antialiasing = Literal["none", "flipquad", "quincunx", "rgss", "ss2x2"]
TextureFilter = Literal["nearest", "bilinear", "trilinear", "bilinear-average"]


@dataclass(frozen=True, slots=True)
class HandheldMode:
    """How the machine works, as far as pixels and accesses depend on it.

    Parameters
    ----------
    width, height : of the screen in pixels; 0 takes that of the trace
    antialiasing : sampling pattern
    texture_filter : what look-ups do, in place of what the program asked for
    compression : opaque textures lie in memory as blocks of 3x2 texels
    overlap : those blocks overlap in y, for minification
    compressor : how reference colours are found
    dither : opaque texels are dithered to 4-4-3 bits before compression
    zmin, zmax : culling
    tile_size : side of the tiles of culling, in pixels
    z_triangle : depth bound of a triangle: of its vertices, or of its plane within the tile
    tile_entry : a tile is entered with its first covered pixel, or with the first one that is visited
    write_back : z-min values are written back always, as the paper has it, or when they have changed
    precise : 8-bit colours and textures, 24-bit depth: for reference pictures
    sample_grid : precise pictures only: samples a pixel along each axis
    """

    width: int = 0
    height: int = 0
    antialiasing: Antialiasing = "none"
    texture_filter: TextureFilter = "nearest"
    compression: bool = False
    overlap: bool = False
    compressor: Literal["extremes", "search"] = "search"
    dither: bool = True
    zmin: bool = False
    zmax: bool = False
    tile_size: int = 8
    z_triangle: Literal["vertices", "plane"] = "plane"
    tile_entry: Literal["covered", "visited"] = "covered"
    write_back: Literal["always", "changed"] = "always"
    precise: bool = False
    sample_grid: int = 1


class AccessSink(Protocol):
    """Who takes the accesses."""

    def __call__(self, codes: NDArray[np.uint32]) -> None:
        """Take the next accesses; the array may be used again afterwards."""


@dataclass(slots=True)
class AccessFrame:
    """One frame of the handheld machine, apart from its accesses.

    Parameters
    ----------
    frame : number
    width, height : of its picture
    counters : what was counted on the way, by dotted name
    picture : (height, width, 4) uint8 RGBA, row 0 at the bottom; None if nothing was ever drawn
    covered : (height, width) uint32 fragments that covered each pixel of the screen
    texture_bytes : bytes of all textures that the frame's draws had bound, as they lie in the machine's memory
    """

    frame: int
    width: int
    height: int
    counters: dict[str, int] = field(default_factory=dict)
    picture: NDArray[np.uint8] | None = None
    covered: NDArray[np.uint32] | None = None
    texture_bytes: int = 0
