"""The Signature Unit's CRC against zlib."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpumodel.techniques.signing.crc import (
    SUB_BLOCK_BYTES,
    _mix,
    color_signatures,
    crc_tables,
    pass_signatures,
    sign_blocks,
)

TABLES = crc_tables()


def whole_crc(message: bytes) -> int:
    """CRC of a message with initial value 0 and no final inversion."""
    return zlib.crc32(message, 0xFFFFFFFF) ^ 0xFFFFFFFF


def padded(words: np.ndarray, size: int) -> bytes:
    """Bytes of a block, filled up to whole sub-blocks."""
    data = words.astype("<u4").tobytes()
    return data + bytes(-len(data) % size)


def sign(blocks: list[np.ndarray], size: int = 8, fold: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    counts = np.array([len(block) for block in blocks], np.int64)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    words = np.concatenate([*blocks, np.zeros(1, np.uint32)]).astype(np.uint32)
    crc, length = np.zeros(len(blocks), np.uint32), np.zeros(len(blocks), np.int64)
    identity = np.zeros(len(blocks), np.uint64)
    sign_blocks(TABLES, size, fold, words, first, counts, crc, length, identity)
    return crc, length, identity


WORDS = st.lists(st.integers(0, 0xFFFFFFFF), max_size=40).map(lambda words: np.array(words, np.uint32))


def test_the_first_table_is_the_byte_table() -> None:
    assert [int(TABLES[0][b]) for b in range(256)] == [whole_crc(bytes([b])) for b in range(256)]
    assert all(int(TABLES[k][b]) == whole_crc(bytes([b]) + bytes(k)) for k in (1, 7, 15) for b in (1, 77, 255))


@settings(max_examples=100, deadline=None)
@given(WORDS, st.sampled_from(SUB_BLOCK_BYTES))
def test_a_block_has_the_crc_of_its_bytes(words: np.ndarray, size: int) -> None:
    crc, length, _ = sign([words], size)
    assert int(crc[0]) == whole_crc(padded(words, size))
    assert int(length[0]) * size == len(padded(words, size))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), WORDS), min_size=1, max_size=8), st.sampled_from(SUB_BLOCK_BYTES))
def test_a_tile_has_the_crc_of_its_whole_message(entries: list[tuple[int, np.ndarray]], size: int) -> None:
    entries.sort(key=lambda entry: entry[0])
    draws = [np.arange(1 + 3 * d, dtype=np.uint32) + d for d in range(4)]
    blocks = [*draws, *(words for _, words in entries)]
    crc, length, identity = sign(blocks, size)
    start = 0xDEADBEEF
    signature, whole = np.array([start], np.uint32), np.zeros(1, np.uint64)
    pass_signatures(
        TABLES, size, 0, np.zeros(1, np.int32), np.array([len(entries)], np.int32),
        np.array([d for d, _ in entries], np.int64), np.arange(4, 4 + len(entries), dtype=np.int64),
        crc, length, identity, signature, whole,
    )  # fmt: skip
    message, seen = b"", None
    for d, words in entries:
        if d != seen:
            message += padded(draws[d], size)
            seen = d
        message += padded(words, size)
    assert int(signature[0]) == zlib.crc32(message, start ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def test_the_paper_s_cycles() -> None:
    """RE §III-G: 18 cycles for a primitive of 3 attributes (3 x 48 bytes), 8 for 16 constants."""
    _, length, _ = sign([np.zeros(36, np.uint32), np.zeros(16, np.uint32)])
    assert list(length) == [18, 8]


def test_leading_zeros_collide_and_identities_do_not() -> None:
    crc, _, identity = sign([np.array([5], np.uint32), np.array([0, 0, 5], np.uint32)], 4)
    assert crc[0] == crc[1]
    assert identity[0] != identity[1]


def test_every_bit_changes_the_whole_identity() -> None:
    """Of each half a quarter at least, whichever bit of what is taken in is another."""
    rng = np.random.default_rng(3)
    one = np.uint64(1)
    for bit in range(64):
        changed = []
        for _ in range(64):
            identity, word = (np.uint64(value) for value in rng.integers(0, 1 << 63, 2))
            plain = int(_mix(identity, word))
            changed += [plain ^ int(_mix(identity ^ one << np.uint64(bit), word))]
            changed += [plain ^ int(_mix(identity, word ^ one << np.uint64(bit)))]
        for half in (0, 32):
            assert sum((bits >> half & 0xFFFFFFFF).bit_count() for bits in changed) >= 8 * len(changed), (bit, half)


def test_the_fold_is_the_exclusive_or_of_the_words() -> None:
    crc, _, _ = sign([np.array([1, 2, 4, 8, 16], np.uint32)], 8, 1)
    assert int(crc[0]) == 31


@pytest.mark.parametrize("words", [[], [0], [1], [1, 0]])
def test_identities_tell_lengths_apart(words: list[int]) -> None:
    others = [[], [0], [1], [1, 0], [0, 1]]
    others.remove(words)
    _, _, identity = sign([np.array(block, np.uint32) for block in (words, *others)], 8)
    assert identity[0] not in identity[1:]


def test_colours_of_tiles() -> None:
    image = np.random.default_rng(3).integers(0, 256, (20, 36, 4), np.uint8)
    tiles = [(0, 0, 16, 16), (16, 0, 16, 16), (32, 0, 4, 16), (0, 16, 16, 4)]
    columns = [np.array(column, np.int32) for column in zip(*tiles, strict=True)]
    crc, identity = np.zeros(4, np.uint32), np.zeros(4, np.uint64)
    color_signatures(TABLES, *columns, image, crc, identity)
    for k, (x, y, w, h) in enumerate(tiles):
        assert int(crc[k]) == whole_crc(np.ascontiguousarray(image[y : y + h, x : x + w]).tobytes())
    assert len(set(identity.tolist())) == 4
