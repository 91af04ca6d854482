"""The signature of every tile of random frames against zlib over the message that is put together by hand."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from films import Film, film

from gpumodel import load_config
from gpumodel.quad_maps import quad_map
from gpumodel.streams import PassStreams, PassTables
from gpumodel.techniques.re.message import StateNumbers, _words, pass_blocks
from gpumodel.techniques.re.signatures import PassSignatures, sign_pass
from gpumodel.techniques.signing.crc import crc_tables, sign_blocks
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

FRAMES = 1000
_START, _DRAW, _CLEAR = 2, 1, 3


def hardware_crc(message: bytes) -> int:
    """CRC with initial value 0 and no final inversion."""
    return zlib.crc32(message, 0xFFFFFFFF) ^ 0xFFFFFFFF


def block(*parts: np.ndarray, size: int) -> bytes:
    """Words in whole sub-blocks."""
    data = b"".join(np.ascontiguousarray(part).astype(part.dtype.newbyteorder("<")).tobytes() for part in parts)
    return data + bytes(-len(data) % size)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> tuple[FrameTrace, PassStreams]:
    """Squares, points and lines, with a clear of a part between them."""

    def draw(one: Film, frame: int) -> None:
        one.all_squares()
        one("glEnable", gl.GL_SCISSOR_TEST)
        one("glScissor", 10, 10, 30, 20)
        one("glClear", gl.GL_COLOR_BUFFER_BIT)
        one("glDisable", gl.GL_SCISSOR_TEST)
        one("glDrawArrays", gl.GL_POINTS, 0, 9)
        one("glDrawArrays", gl.GL_LINE_STRIP, 3, 7)
        one.square(2)

    (trace,) = film(tmp_path_factory.mktemp("scene") / "a.gltrace", [draw])
    config = load_config("mali450-re")
    return trace, PassTables(trace, config, quad_map(config)).arrange(0)


def randomise(trace: FrameTrace, rng: np.random.Generator) -> None:
    """Other constants, attributes, sizes and states; often with many zeros."""

    def words(count: int) -> np.ndarray:
        return np.where(rng.random(count) < rng.random(), 0, rng.integers(0, 1 << 32, count)).astype(np.uint32)

    trace["constants"]["word"][:] = words(len(trace["constants"]["word"]))
    attributes = trace["attributes"]["value"]
    attributes[:] = words(attributes.size).view(np.float32).reshape(attributes.shape)
    trace["emitted"]["size"][:] = words(len(trace["emitted"]["size"])).view(np.float32)
    trace["draws"]["blend"][:] = rng.integers(0, 2, trace["draws"].num_rows)
    trace["passes"]["clear_color"][:] = words(trace["passes"]["clear_color"].size).view(np.float32).reshape(1, -1, 4)


def by_hand(
    trace: FrameTrace, streams: PassStreams, signed: PassSignatures, numbers: StateNumbers, size: int
) -> Iterator[bytes]:
    """Message of each tile: what the pass begins with, then clears, and each draw's constants once and primitives."""
    draws, emitted = trace["draws"], trace["emitted"]
    constants = trace["constants"]["word"]
    values = trace["attributes"]["value"].reshape(-1, 4)
    start, _, clear, _ = pass_blocks(trace, 0, streams.clear_events, numbers).words
    of_draws, of_primitives = [], []
    for draw in range(draws.num_rows):
        parts = [np.array([signed.lists.state[draw], _DRAW], np.uint32)]
        for at, count in zip(
            draws["constant_first"][draw].tolist(), draws["constant_count"][draw].tolist(), strict=True
        ):
            parts.append(constants[at : at + count])
        of_draws.append(block(*parts, size=size))
    for row, draw in enumerate(emitted["draw"]):
        at = int(emitted["attribute_first"][row])
        parts = [values[at : at + 3 * int(draws["num_attributes"][draw])]]
        if emitted["num_vertices"][row] < 3:
            parts.append(emitted["size"][row : row + 1])
        of_primitives.append(block(*parts, size=size))
    for first, count in zip(streams.tiles["pair_first"].tolist(), streams.tiles["pair_count"].tolist(), strict=True):
        message = block(np.array([start, _START], np.uint32), size=size)
        last = -1
        pairs = streams.binned[first : first + count]
        for is_clear, row in zip((pairs["clear"] >= 0).tolist(), pairs["emitted"].tolist(), strict=True):
            if is_clear:
                message += block(np.array([clear, _CLEAR], np.uint32), size=size)
                continue
            if emitted["draw"][row] != last:
                last = emitted["draw"][row]
                message += of_draws[last]
            message += of_primitives[row]
        yield message


@pytest.mark.parametrize(("size", "frames"), [(8, FRAMES), (4, 50), (16, 50)])
def test_each_tile_of_random_frames_has_zlib_s_crc(
    scene: tuple[FrameTrace, PassStreams], size: int, frames: int
) -> None:
    """No two collide. They begin with a word that is not zero and are whole sub-blocks: zeros in front cannot do it."""
    trace, streams = scene
    rng, numbers = np.random.default_rng(8), StateNumbers()
    seen: dict[int, bytes] = {}
    messages = set()
    for _ in range(frames):
        randomise(trace, rng)
        signed = sign_pass(trace, streams, numbers, sub_block_bytes=size)
        for value, message in zip(signed.value, by_hand(trace, streams, signed, numbers, size), strict=True):
            assert int(value) == hardware_crc(message)
            assert any(message[:4])
            assert seen.setdefault(int(value), message) == message
            messages.add(message)
    assert len(messages) == len(seen) > frames


def test_blocks_collide_by_leading_zeros_alone() -> None:
    """Among 6,000 blocks: each pair that differs in leading zeros collides, which is counted apart, and no other."""
    rng = np.random.default_rng(3)
    bodies = [np.concatenate([[1 + k], rng.integers(0, 1 << 32, int(rng.integers(0, 6)))]) for k in range(2000)]
    blocks = [np.concatenate([np.zeros(zeros), body]).astype(np.uint32) for body in bodies for zeros in range(3)]
    counts = np.array([len(one) for one in blocks])
    crc, identity = np.zeros(len(blocks), np.uint32), np.zeros(len(blocks), np.uint64)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    sign_blocks(crc_tables(), 4, 0, np.concatenate(blocks), first, counts, crc, np.zeros_like(counts), identity)
    same_body = np.repeat(np.arange(len(bodies)), 3)
    groups = [np.flatnonzero(crc == value) for value in np.unique(crc)]
    by_zeros = sum(len(group) - 1 for group in groups if len(set(same_body[group])) == 1)
    others = sum(len(group) - 1 for group in groups) - by_zeros
    assert (by_zeros, others) == (2 * len(bodies), 0)
    assert len(set(identity.tolist())) == len(blocks)


def test_rows_of_words() -> None:
    """As many words a row where there is none as where there are some."""
    columns = [np.arange(3, dtype=np.uint8), np.ones((3, 5), np.int16), np.ones((3, 2, 2), np.float32)]
    for count in (1, 2, 3):
        width = -(-sum(column[0].nbytes for column in columns[:count]) // 4)
        assert _words(*columns[:count]).shape == (3, width)
        assert _words(*(column[:0] for column in columns[:count])).shape == (0, width)
