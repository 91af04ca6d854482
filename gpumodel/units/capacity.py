"""How much fits into the machine's record: capacities of its arrays and rings, by name.

Shapes are part of a compiled type, so these are fixed maxima; the depth that is modelled is the configuration's. Upper
limits in the schema, masks of rings and shapes of records all come from here. Nothing is imported, so that reading a
configuration stays light.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BINNED_AHEAD", "COLOR_RING", "DRAM_RING", "FLIGHT_RING", "FRAGMENT_RING", "INPUT_RING", "L1_BYTES", "L1_LINES",
    "L1_MSHRS", "L1_RING", "L2_BYTES", "L2_LINES", "L2_MSHRS", "LPDDR_BURSTS", "LPDDR_LINES", "MAX_ATTACHMENTS",
    "MAX_CHANNELS", "MAX_FRAMES", "MAX_PROCESSORS", "MAX_RASTER_PROCESSORS", "MAX_RASTER_UNITS", "MAX_SAMPLES",
    "MAX_SHARING_THREADS", "MAX_TABLE_ENTRIES", "MAX_TECHNIQUE_CACHES", "MAX_THREADS", "MAX_TILE_PIXELS",
    "MAX_TILE_QUADS", "MAX_TILE_SIDE", "MAX_UNITS", "MAX_VERTEX_PROCESSORS", "MEMORY_QUEUE", "POST_RASTER_RING",
    "SHARED_PORTS", "THREAD_RING", "TILES_IN_RASTER_UNIT", "TILE_QUEUE_RING", "TRIANGLE_RING",
]  # fmt: skip

MAX_RASTER_UNITS: Final = 8
#: Fragment Processors of one Raster Unit, and of all together.
MAX_PROCESSORS: Final = 16
MAX_RASTER_PROCESSORS: Final = 64
MAX_VERTEX_PROCESSORS: Final = 8
MAX_UNITS: Final = 320
#: Frames in flight, attachments of a pass, samples of a pixel in a multisampled one.
MAX_FRAMES: Final = 2
#: The one whose pass is sorted into tiles while the tiles of frame 0's are rendered, where phases overlap.
BINNED_AHEAD: Final = 1
MAX_ATTACHMENTS: Final = 8
MAX_SAMPLES: Final = 4
#: Pixels of a tile.
MAX_TILE_SIDE: Final = 64
MAX_TILE_PIXELS: Final = MAX_TILE_SIDE * MAX_TILE_SIDE
MAX_TILE_QUADS: Final = MAX_TILE_PIXELS // 4

#: Quads in a processor: its ring, what a miss register has bits for, and that of a Texture Cache of two processors.
THREAD_RING: Final = 64
MAX_THREADS: Final = 62
MAX_SHARING_THREADS: Final = 31

#: Queues: vertices in front of the Vertex Processors, triangles, tile entries, quads in front of Early-Z, in Early-Z or
#: Blending, in a fragment queue, in front of Blending; primitives of the pipelined Tile Fetcher; tiles between Tile
#: Fetcher and flush.
INPUT_RING: Final = 64
TRIANGLE_RING: Final = 64
TILE_QUEUE_RING: Final = 1024
POST_RASTER_RING: Final = 1024
FLIGHT_RING: Final = 64
FRAGMENT_RING: Final = 1024
COLOR_RING: Final = 128
MAX_TABLE_ENTRIES: Final = 32
TILES_IN_RASTER_UNIT: Final = 64

#: Level-one caches: bytes, lines of 64 bytes, miss registers, requests and fills; look-ups a cycle of a shared one.
L1_BYTES: Final = 512 * 1024
L1_LINES: Final = L1_BYTES // 64
L1_MSHRS: Final = 32
L1_RING: Final = 32
SHARED_PORTS: Final = 2
MAX_TECHNIQUE_CACHES: Final = 4
#: The L2.
L2_BYTES: Final = 4 * 1024 * 1024
L2_LINES: Final = L2_BYTES // 64
L2_MSHRS: Final = 128
#: Memory: channels of the papers' one, its rings (reads, and the loads of tiles that wait beside them), what the
#: configuration may queue; lines between the L2 and the command-level one, answered ones included, and bursts of a
#: line.
MAX_CHANNELS: Final = 16
DRAM_RING: Final = 128
MEMORY_QUEUE: Final = 64
LPDDR_LINES: Final = 128
LPDDR_BURSTS: Final = 8
