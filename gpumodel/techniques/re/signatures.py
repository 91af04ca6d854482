"""Signatures of a pass's tiles, and the Signature Buffer's sets, one a frame buffer.

With B frame buffers a tile is compared with what was rendered B frames ago into the same buffer; the buffer keeps the
set being built and those still to be compared with, B + 1 in all. (RE §IV-C keeps two sets; with two frame buffers the
set of the frame between must be kept as well, and is priced.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.re.causes import TileLists
from gpumodel.techniques.re.message import Blocks, StateNumbers, draw_blocks, pass_blocks, primitive_blocks
from gpumodel.techniques.signing.crc import crc_tables, pass_signatures, sign_blocks
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams

__all__ = ["PassSignatures", "SignatureSets", "equal_signatures", "sign_pass"]

Array = NDArray[Any]


@dataclass(slots=True)
class PassSignatures:
    """What the Signature Unit has signed in a pass.

    Parameters
    ----------
    value : (tiles,) uint32 signatures, in rendering order
    identity : (tiles,) uint64, what a perfect hash would say
    draw_sub_blocks : (draws,) int64 sub-blocks of the constants of each draw of the pass, state included
    primitive_sub_blocks : (emitted,) int64
    constant_bytes, new_constant_bytes : of all draws; the last is what the application updated
    lists : the messages by block
    numbers : (tiles,) int64, the tiles' numbers on the screen
    """

    value: Array
    identity: Array
    draw_sub_blocks: Array
    primitive_sub_blocks: Array
    constant_bytes: int
    new_constant_bytes: int
    lists: TileLists
    numbers: Array

    def ordered(self, numbers: Array) -> PassSignatures:
        """Give the same tiles in another order, which a later pass renders them in."""
        at = np.argsort(self.numbers)[numbers]
        lists = replace(self.lists, first=self.lists.first[at], count=self.lists.count[at])
        return replace(self, value=self.value[at], identity=self.identity[at], lists=lists, numbers=numbers)


def sign_pass(
    trace: FrameTrace,
    streams: PassStreams,
    numbers: StateNumbers,
    *,
    sub_block_bytes: int = 8,
    fold: bool = False,
    entries: Array | None = None,
) -> PassSignatures:
    """Sign all tiles of a pass; the message is :mod:`.message`'s.

    Parameters
    ----------
    numbers : the driver's numbers of states, kept over the frames that are compared
    sub_block_bytes : 4, 8 or 16
    fold : exclusive or of the words instead of CRC32
    entries : (list entries,) bool, those that are signed, None = all
    """
    draws = trace["draws"]
    d0, d1 = streams.draw_range
    e0 = int(draws["emitted_first"][d0]) if d1 > d0 else 0
    begin, size = pass_blocks(trace, streams.index, streams.clear_events, numbers), sub_block_bytes
    of_draws = draw_blocks(trace, d0, d1, numbers)
    of_primitives = primitive_blocks(trace, e0, e0 + len(streams.emitted))
    signed = [_sign(blocks, size, fold) for blocks in (begin, of_draws, of_primitives)]
    crc, sub_blocks, identity = (np.concatenate(column) for column in zip(*signed, strict=True))
    pairs = streams.binned[: int(streams.tiles["pair_count"].sum())]
    if entries is not None:
        pairs = pairs[entries]
    count = len(pairs)
    of_tile = np.bincount(pairs["tile"], minlength=len(streams.tiles))
    first_of_tile = np.cumsum(of_tile) - of_tile
    draw_base, primitive_base = len(begin), len(begin) + len(of_draws)
    owner = pairs["emitted"].astype(np.int64)
    is_clear = pairs["clear"] >= 0
    drawn = np.where(is_clear, e0, owner)
    draw = trace["emitted"]["draw"][drawn].astype(np.int64) - d0 if len(of_primitives) else np.zeros(count, np.int64)
    constants = np.where(is_clear, -1, draw_base + draw)
    block = np.where(is_clear, 1 + pairs["clear"].astype(np.int64), primitive_base + owner - e0)
    value = np.full(len(streams.tiles), crc[0], np.uint32)
    whole = np.full(len(streams.tiles), identity[0], np.uint64)
    pass_signatures(
        crc_tables(), size, int(fold), first_of_tile.astype(np.int32), of_tile.astype(np.int32), constants, block,
        crc, sub_blocks, identity, value, whole,
    )  # fmt: skip
    used = slice(d0, d1)
    return PassSignatures(
        value,
        whole,
        sub_blocks[draw_base:primitive_base],
        sub_blocks[primitive_base:],
        4 * int(draws["constant_count"][used].sum()),
        int(draws["constants_new_bytes"][used].sum()),
        TileLists(
            int(identity[0]),
            first_of_tile.astype(np.int64),
            of_tile.astype(np.int64),
            identity[block],
            np.where(is_clear, -1, draw + d0),
            # The number of the state stands in front of the constants.
            of_draws.words[of_draws.first].astype(np.uint64),
            identity[draw_base:primitive_base],
            d0,
        ),
        streams.tile_numbers,
    )


def _sign(blocks: Blocks, size: int, fold: bool) -> tuple[Array, Array, Array]:
    crc, sub_blocks = np.zeros(len(blocks), np.uint32), np.zeros(len(blocks), np.int64)
    identity = np.zeros(len(blocks), np.uint64)
    sign_blocks(crc_tables(), size, int(fold), blocks.words, blocks.first, blocks.count, crc, sub_blocks, identity)
    return crc, sub_blocks, identity


def equal_signatures(now: PassSignatures, before: PassSignatures, bits: int) -> Array:
    """Mask of the tiles with equal signatures of so many bits; 64 are the whole identity, a perfect hash."""
    if bits == 64:
        return np.asarray(now.identity == before.identity)
    return np.asarray((now.value ^ before.value) & np.uint32((1 << bits) - 1) == 0)


class SignatureSets:
    """The sets of signatures that later frames are compared with, by screen and frame buffer."""

    def __init__(self) -> None:
        self._sets: dict[tuple[int, int], PassSignatures] = {}
        self._shape: tuple[int, int] | None = None

    def previous(self, buffer: tuple[int, int]) -> PassSignatures | None:
        """Give the set of what a frame buffer holds, if it is valid."""
        return self._sets.get(buffer)

    def store(self, buffer: tuple[int, int], signatures: PassSignatures | None) -> None:
        """Keep the set of what a frame buffer holds now, or that it has none."""
        if signatures is None:
            self._sets.pop(buffer, None)
        else:
            self._sets[buffer] = signatures

    def invalidate(self) -> None:
        """Forget all sets: what is not signed has changed."""
        self._sets.clear()

    def resize(self, width: int, height: int) -> bool:
        """Take note of the screen's size; True, and all sets forgotten, when it has changed."""
        changed = self._shape not in (None, (width, height))
        self._shape = (width, height)
        if changed:
            self.invalidate()
        return changed
