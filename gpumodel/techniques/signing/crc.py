"""CRC32 as the Signature Unit computes it: incrementally, from look-up tables of one byte each.

The CRC is the reflected CRC-32 polynomial with initial value 0 and no final inversion, as Algorithm 1 needs it: of a
message ``m`` it is ``zlib.crc32(m, 0xFFFFFFFF) ^ 0xFFFFFFFF``. A message's leading zero bytes do not change it;
:mod:`gpumodel.techniques.re.message` begins every message with a word that is not zero.
Source: RE §III-C (Algorithm 1), §III-D (tables), §III-G (Algorithms 2 and 3, Sign and Shift subunits).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from traceformat.kernels import kernel

__all__ = ["SUB_BLOCK_BYTES", "color_signatures", "crc_tables", "pass_signatures", "sign_blocks"]

Array = Any
Int = Any


#: Sizes of a sub-block that the unit can be built for (RE §III-G argues for 8).
SUB_BLOCK_BYTES: Final = (4, 8, 16)
_POLYNOMIAL: Final = 0xEDB88320
_UINT32S: Final = types.Array(types.uint32, 1, "C")
_UINT64S: Final = types.Array(types.uint64, 1, "C")
_INT64S: Final = types.Array(types.int64, 1, "C")
_INT32S: Final = types.Array(types.int32, 1, "C")
_TABLES: Final = types.Array(types.uint32, 2, "C")
_IMAGE: Final = types.Array(types.uint8, 3, "C", readonly=True)


@cache
def crc_tables() -> NDArray[np.uint32]:
    """Give the look-up tables of the Sign and Shift subunits.

    Returns
    -------
    (16, 256) uint32: entry ``[k, b]`` is the CRC of byte ``b`` with ``k`` zero bytes behind it; a sub-block of n bytes
    needs the first n tables, 1 KB each
    """
    entries = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        entries = np.where(entries & 1, entries >> 1 ^ np.uint32(_POLYNOMIAL), entries >> 1).astype(np.uint32)
    tables = np.empty((max(SUB_BLOCK_BYTES), 256), np.uint32)
    tables[0] = entries
    for k in range(1, len(tables)):
        tables[k] = entries[tables[k - 1] & 255] ^ (tables[k - 1] >> 8)
    return tables


@kernel(types.uint32(_TABLES, types.uint32, types.int64))
def _shift(tables: Array, crc: Int, size: Int) -> Int:
    """Shift subunit: the CRC of what ``crc`` stands for with ``size`` zero bytes behind it (Figure 11)."""
    return (
        tables[size - 1, crc & 255]
        ^ tables[size - 2, (crc >> 8) & 255]
        ^ tables[size - 3, (crc >> 16) & 255]
        ^ tables[size - 4, (crc >> 24) & 255]
    )


@kernel(types.uint64(types.uint64, types.uint64))
def _mix(identity: Int, word: Int) -> Int:
    """Take a word into a 64-bit identity (multiply and fold, after SplitMix64's finalizer)."""
    x = ((identity + np.uint64(0x9E3779B97F4A7C15)) ^ word) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(29)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(32))


@kernel(types.void(_TABLES, types.int64, types.int64, _UINT32S, _INT64S, _INT64S, _UINT32S, _INT64S, _UINT64S))
def sign_blocks(
    tables: Array,
    size: Int,
    fold: Int,
    words: Array,
    first: Array,
    count: Array,
    crc: Array,
    sub_blocks: Array,
    identity: Array,
) -> None:
    """Compute CRC unit (Algorithm 2): signature, length and 64-bit identity of each block.

    Parameters
    ----------
    tables : (16, 256), see :func:`crc_tables`
    size : bytes of a sub-block: 4, 8 or 16; a block is filled up with zeros to a whole number of them
    fold : 1 takes the exclusive or of the block's words instead of the CRC (RE §III-B's cheap alternative)
    words : (W,) uint32 contents
    first, count : (B,) first word and number of words of each block
    crc : (B,) uint32, out
    sub_blocks : (B,) int64, out: sub-blocks signed, which are the unit's cycles
    identity : (B,) uint64, out: what a perfect hash would say
    """
    step = size // 4
    for b in range(first.size):
        end = first[b] + count[b]
        out = np.uint32(0)
        whole = _mix(np.uint64(0), np.uint64(count[b]))
        n = 0
        at = first[b]
        while at < end:
            sign = np.uint32(0)
            for k in range(step):
                word = words[at + k] if at + k < end else np.uint32(0)
                whole = _mix(whole, np.uint64(word))
                if fold:
                    sign ^= word
                    continue
                top = size - 1 - 4 * k
                sign ^= (
                    tables[top, word & 255]
                    ^ tables[top - 1, (word >> 8) & 255]
                    ^ tables[top - 2, (word >> 16) & 255]
                    ^ tables[top - 3, (word >> 24) & 255]
                )
            out = sign ^ out if fold else sign ^ _shift(tables, out, size)
            n += 1
            at += step
        crc[b] = out
        sub_blocks[b] = n
        identity[b] = whole


@kernel(
    types.void(
        _TABLES, types.int64, types.int64, _INT32S, _INT32S, _INT64S, _INT64S, _UINT32S, _INT64S, _UINT64S,
        _UINT32S, _UINT64S,
    )
)  # fmt: skip
def pass_signatures(
    tables: Array,
    size: Int,
    fold: Int,
    pair_first: Array,
    pair_count: Array,
    constants: Array,
    block: Array,
    crc: Array,
    sub_blocks: Array,
    identity: Array,
    signature: Array,
    whole: Array,
) -> None:
    """Signatures of all tiles, by the Accumulate CRC unit's rule (Algorithms 1 and 3) along each tile's list.

    A tile's message is, in submission order, the constants of each draw that has a primitive in it, once, and the
    primitives' attributes; lists are walked tile by tile here, which gives what the unit computes primitive by
    primitive.

    Parameters
    ----------
    pair_first, pair_count : (T,) int32 each tile's list
    constants : (P,) int64 block of the constants of each list entry's draw, -1 = none
    block : (P,) int64 block of each list entry
    crc, sub_blocks, identity : (B,) of the blocks, see :func:`sign_blocks`
    signature : (T,) uint32, in: what the tiles start from; out
    whole : (T,) uint64, likewise, the identity
    """
    for t in range(pair_first.size):
        out = signature[t]
        same = whole[t]
        last = np.int64(-1)
        for p in range(pair_first[t], pair_first[t] + pair_count[t]):
            for turn in range(2):
                b = constants[p] if turn == 0 else block[p]
                if turn == 0:
                    if b < 0 or b == last:
                        continue
                    last = b
                if fold:
                    out ^= crc[b]
                else:
                    for _ in range(sub_blocks[b]):
                        out = _shift(tables, out, size)
                    out ^= crc[b]
                same = _mix(same, identity[b])
        signature[t] = out
        whole[t] = same


@kernel(types.void(_TABLES, _INT32S, _INT32S, _INT32S, _INT32S, _IMAGE, _UINT32S, _UINT64S))
def color_signatures(
    tables: Array,
    x0: Array,
    y0: Array,
    width: Array,
    height: Array,
    image: Array,
    crc: Array,
    identity: Array,
) -> None:
    """CRC32 and 64-bit identity of the colours of each tile, row by row (RE §IV-C).

    Parameters
    ----------
    x0, y0, width, height : (T,) int32 the tiles, pixels
    image : (height, width, bytes) uint8 the pass's colours
    crc, identity : (T,), out
    """
    size = image.shape[2]
    for t in range(x0.size):
        out = np.uint32(0)
        whole = np.uint64(0)
        word = np.uint64(0)
        filled = 0
        for y in range(y0[t], y0[t] + height[t]):
            for x in range(x0[t], x0[t] + width[t]):
                for k in range(size):
                    byte = image[y, x, k]
                    out = tables[0, (out ^ byte) & 255] ^ (out >> 8)
                    word = (word << np.uint64(8)) | np.uint64(byte)
                    filled += 1
                    if filled == 8:
                        whole = _mix(whole, word)
                        word = np.uint64(0)
                        filled = 0
        crc[t] = out
        identity[t] = _mix(whole, word)
