"""Compression of payloads: beginnings, and several threads at once."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from traceformat.framing.codecs import compress, decompress, decompress_start


def payload(seed: int) -> bytes:
    rng = random.Random(seed)
    return b"".join(bytes([rng.randrange(256)]) * rng.randrange(1, 40) for _ in range(20_000))


def test_a_beginning_leaves_nothing_behind() -> None:
    raws = [payload(seed) for seed in range(4)]
    packed = [compress(raw) for raw in raws]
    streams = []
    for _ in range(20):
        for raw, (codec, stored) in zip(raws, packed, strict=True):
            streams.append(decompress_start(codec, stored, 100))
            assert streams[-1] == raw[:100]
            assert decompress(codec, stored, len(raw), 1 << 30) == raw


def test_threads_do_not_share_a_context() -> None:
    raws = [payload(seed) for seed in range(8)]

    def there_and_back(raw: bytes) -> bool:
        codec, stored = compress(raw)
        return all(decompress(codec, stored, len(raw), 1 << 30) == raw for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(there_and_back, raws * 4))
