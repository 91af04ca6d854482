"""Payloads put together in memory that is used again are those put together in fresh memory."""

from __future__ import annotations

import numpy as np
import pytest

from traceformat.gltrace.payload import Payload


@pytest.mark.parametrize("seed", range(8))
def test_sections_of_all_sizes(seed):
    dice, payload = np.random.default_rng(seed), Payload()
    for _ in range(6):
        sections, plain = [], []
        for _ in range(int(dice.integers(0, 7))):
            size = int(dice.choice([0, 1, 300, 65535, 65536, 65537, 200000]))
            kind = dice.integers(0, 3)
            if kind == 2:
                section = dice.integers(0, 256, (size // 7, 7), dtype=np.uint8).T
                plain.append(section.tobytes())
            else:
                section = dice.bytes(size)
                plain.append(section)
                section = memoryview(section) if kind else section
            sections.append(section)
        assert bytes(payload.join(sections)) == b"".join(plain)
