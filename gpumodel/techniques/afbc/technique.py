"""Compression of the Frame Buffer as a technique: where it may be used, what it moves, hardware, counters.

Hardware: a coder between the Colour Buffer and memory packs superblocks of 16 x 16 pixels; each has a header of 16
bytes and a body at a place of its own, as large as if it were not compressed, so that a superblock is found and
changed alone. What is loaded again is read in the same form.
Modelled: the first attachment of passes whose pixels have 4 bytes (8 bits a channel), tile by tile: bodies, then a
row of superblocks' headers, in requests of at most a line; the coder keeps up with the writes or makes them wait.
Sizes come from the real colours. Depth, other formats, several samples and passes cut in parts are written plainly.
Left out: look-ups of a target as a texture read its lines plainly, where hardware reads superblocks and unpacks them
in front of the Texture Caches (ASSUMED: too much memory traffic where ``afbc.sampled_bytes`` is above
``afbc.sampled_stored_bytes``, so that a gain is understated; too little where single lines of many superblocks are
looked up); the decoder takes no time; partly written superblocks, since tiles hold whole ones.
Source: the container as Mesa and Linux document it; coder, rate and prices ASSUMED (:mod:`.coder`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.afbc.coder import PIXEL_BYTES, RAW_BYTES, SIDE, superblock_bytes
from gpumodel.techniques.afbc.config import AfbcConfig
from gpumodel.techniques.afbc.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.views import bind
from traceformat.errors import ConfigError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace, LoadOp, MemoryMap, StoreOp

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams, Pieces

__all__ = ["FrameBufferCompression"]

_HEADER_BYTES: Final = 16
_LINE_BYTES: Final = 64
_SUB_PIXELS: Final = 16
#: Headers lie apart from bodies: a body of 1,024 bytes has 16 of them.
_HEADER_ADDRESS: Final = MemoryMap.MODEL + (8 << 34)
_FORMATS: Final = (gl.GL_RGBA8, gl.GL_RGB8, gl.GL_SRGB8_ALPHA8)
#: A pixel goes through two adders a plane (transform, prediction), four planes.
_ADDERS: Final = 8


@register
class FrameBufferCompression(Technique):
    """Frame buffer compression: tiles are written as superblocks with as many bytes as they need."""

    id = "afbc"
    source = "Mesa; coder ASSUMED"
    Config = AfbcConfig
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        #: Superblocks of what lies in memory in compressed form, and its rows of 4 pixels, by address.
        self._held: dict[int, tuple[NDArray[Any], int]] = {}

    def history(self, config: GpuConfig) -> int:
        """A frame buffer holds what was rendered as many frames ago as there are buffers."""
        return config.screen.frame_buffers

    def plugs(self, config: GpuConfig) -> Plugs:
        """Code in front of the flush."""
        from gpumodel.techniques.afbc import unit

        if config.tile.width % SIDE or config.tile.height % SIDE:
            raise ConfigError(
                [f"afbc packs superblocks of {SIDE} x {SIDE} pixels: tile.width and tile.height: multiples"]
            )
        self._rate = AfbcConfig.of(config).pixels_per_cycle
        self._side = config.tile.width, config.tile.height
        self.record = np.zeros(1, unit.CODER)
        # Behind those who leave a flush out.
        return Plugs(
            hooks={"tile_flush": Hook(unit.code_tile, self.record, rank=1)},
            before_raster=[self._prepare],
            observers=[self._count_loads],
        )

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Adders for the pixels of a cycle, a superblock on its way, and the sizes of its sub-blocks."""
        p = Prices(config)
        lanes = AfbcConfig.of(config).pixels_per_cycle or SIDE * SIDE
        add = {"afbc.sub_blocks": _ADDERS * _SUB_PIXELS * p.dynamic("logic_adder_32b").read_pj / 4}
        buffer = {"afbc.sub_blocks": "read write"}
        return [
            p.logic("afbc.coder", 8 * _ADDERS * lanes, 0, add, "adders of 8 bits: YCoCg-R and differences"),
            p.array("afbc.superblock", "color_depth_buffer_1K", RAW_BYTES / 1024, 1, buffer),
        ]

    def _count_loads(self, trace: FrameTrace, done: PassRun) -> None:
        """Count the tiles that were read in compressed form."""
        if done.streams.loaded is not None:
            self.record["loads"] += int((done.streams.tiles["start"] >= 0).sum())

    def _count_sampled(self, trace: FrameTrace) -> None:
        """Count what a pass's look-ups read of compressed targets, as lines and as superblocks."""
        first, end = MemoryMap.TEXTURES, MemoryMap.TEXTURES + MemoryMap.REGION_BYTES
        targets = {address: held for address, held in self._held.items() if first <= address < end}
        if not targets:
            return
        lines = np.unique(trace["texture_lines"]["line"][:]).astype(np.int64)
        for address, (sizes, rows) in targets.items():
            # A line has 4 x 4 pixels; columns of 8 of them lie one behind the other (replay/texture/layout.py).
            own = lines - (address - first) // _LINE_BYTES
            own = own[(own >= 0) & (own < -(-sizes.shape[1] // 2) * 8 * rows)]
            strip, rest = np.divmod(own, 8 * rows)
            y, x = np.divmod(rest, 8)
            blocks = np.unique(y // 4 * sizes.shape[1] + (8 * strip + x) // 4)
            self.record["sampled_bytes"] += _LINE_BYTES * len(own)
            self.record["sampled_stored_bytes"] += _HEADER_BYTES * len(blocks) + int(sizes.reshape(-1)[blocks].sum())

    def _prepare(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Give the machine the pieces of memory that tiles are, and the coder its sizes."""
        from gpumodel.techniques.afbc import unit

        own, passes, index = self.record[0], trace["passes"], streams.index
        address = int(passes["color_address"][index, 0])
        is_ours = (
            passes["num_colors"][index] > 0
            and streams.part.count == 1
            and int(passes["samples"][index]) <= 1
            and int(passes["color_bytes"][index, 0]) == PIXEL_BYTES
            and int(passes["color_format"][index, 0]) in _FORMATS
        )
        self._count_sampled(trace)
        held = self._held.get(address)
        shape = -(-streams.height // SIDE), -(-streams.width // SIDE)
        found = held is not None and held[0].shape == shape and bool(passes["content_matches"][index])
        if is_ours and found and held is not None and passes["color_load"][index, 0] == LoadOp.LOAD:
            streams.loaded, _ = self._pieces(streams, address, held[0])
        own["active"] = is_ours and passes["color_store"][index, 0] == StoreOp.STORE
        if not own["active"]:
            if passes["color_store"][index, 0] == StoreOp.STORE:
                self._held.pop(address, None)
            return
        sizes = superblock_bytes(np.ascontiguousarray(trace.pixels[index][0]))
        self._held[address] = sizes, -(-streams.height // 4)
        streams.stored, stored = self._pieces(streams, address, sizes)
        tiles = streams.tiles
        pixels = tiles["width"].astype(np.int64) * tiles["height"]
        requests = np.add.reduceat(-(-streams.stored.pieces["size"] // _LINE_BYTES), streams.stored.first[:-1])
        wait = np.maximum(-(-pixels // self._rate) - requests, 0) if self._rate else np.zeros(len(tiles), np.int64)
        self._sizes = sizes_of_tiles = np.zeros(len(tiles), unit.TILE_SIZE)
        sizes_of_tiles["plain"], sizes_of_tiles["stored"] = PIXEL_BYTES * pixels, stored
        sizes_of_tiles["sub_blocks"], sizes_of_tiles["wait"] = -(-pixels // _SUB_PIXELS), wait
        bind(own["sizes"], sizes_of_tiles)
        own["tile"] = -1

    def _pieces(self, streams: PassStreams, address: int, sizes: NDArray[Any]) -> tuple[Pieces, NDArray[Any]]:
        """Pieces of tiles, and their bytes: bodies of superblocks, row by row, then each row's headers."""
        from gpumodel.streams import Pieces
        from gpumodel.units.state import PIECE

        down, across = sizes.shape
        tiles = streams.tiles
        rows, columns = self._side[1] // SIDE, self._side[0] // SIDE
        y = (tiles["y0"] // SIDE)[:, None, None] + np.arange(rows)[:, None]
        x = (tiles["x0"] // SIDE)[:, None, None] + np.arange(columns)
        y, x = np.broadcast_arrays(y, x)
        inside = (y < down) & (x < across)
        number = np.where(inside, y * across + x, 0).astype(np.int64)
        size = np.where(inside, sizes.reshape(-1)[number], 0)
        bodies = np.zeros((len(tiles), rows, columns), PIECE)
        bodies["address"], bodies["size"] = address + RAW_BYTES * number, size
        headers = np.zeros((len(tiles), rows, 1), PIECE)
        headers["address"][..., 0] = _HEADER_ADDRESS + address // _LINE_BYTES + _HEADER_BYTES * number[..., 0]
        headers["size"][..., 0] = _HEADER_BYTES * inside.sum(axis=2)
        every = np.concatenate([bodies.reshape(len(tiles), -1), headers.reshape(len(tiles), -1)], axis=1)
        wanted = every["size"] > 0
        first = np.concatenate([[0], np.cumsum(wanted.sum(axis=1))]).astype(np.int64)
        return Pieces(first, np.ascontiguousarray(every[wanted])), every["size"].sum(axis=1)
