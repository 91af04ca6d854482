"""Texture blocks that tiles share, against a plain twin over random quads."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from gpumodel.config import load_config
from gpumodel.report.stats.texture_blocks import SHARES, TextureBlocks


def random_pass(rng, width, height, lines):
    """Tables of a pass, and its quads as they were tested: some are dead, some read nothing."""
    count, ops = 60, 90
    lengths = rng.integers(0, 4, ops)
    tables = {
        "passes": {"width": np.array([width]), "height": np.array([height])},
        "quads": {
            "x": rng.integers(0, width // 2, count).astype(np.uint16),
            "y": rng.integers(0, height // 2, count).astype(np.uint16),
            "tex_first": rng.integers(0, ops - 2, count).astype(np.uint32),
            "tex_count": rng.integers(0, 3, count).astype(np.uint16),
        },
        "tex_ops": {"line_first": (np.cumsum(lengths) - lengths).astype(np.uint32), "line_count": lengths.astype("u1")},
        "texture_lines": {"line": rng.integers(0, lines, max(lengths.sum(), 1)).astype(np.uint32)},
    }
    early = rng.integers(0, 2, count).astype(np.uint8) * 16 + rng.integers(0, 3, count).astype(np.uint8)
    rows = np.zeros(count, [("row", np.int64)])
    rows["row"] = rng.permutation(count)
    return tables, SimpleNamespace(early=early, quads=rows, num_quads=count - 5, index=0)


def plain(passes, tile):
    readers, before = {}, 0
    for tables, arranged in passes:
        width, height = (int(tables["passes"][name][0]) for name in ("width", "height"))
        across, down = -(-width // tile.width), -(-height // tile.height)
        for row, early in zip(arranged.quads["row"].tolist(), arranged.early.tolist(), strict=True):
            if early & 15 == 0 or row in arranged.quads["row"][arranged.num_quads :]:
                continue
            quads, ops = tables["quads"], tables["tex_ops"]
            place = 2 * int(quads["y"][row]) // tile.height * across + 2 * int(quads["x"][row]) // tile.width
            for op in range(quads["tex_first"][row], quads["tex_first"][row] + quads["tex_count"][row]):
                first = int(ops["line_first"][op])
                for line in tables["texture_lines"]["line"][first : first + int(ops["line_count"][op])].tolist():
                    readers.setdefault(line, set()).add(before + place)
        before += across * down
    least = [min(b - a for a, b in pairwise(sorted(own))) if len(own) > 1 else 0 for own in readers.values()]
    kinds = (lambda n: n > 0, lambda n: n == 1, lambda n: n == 2, lambda n: n > 2)
    return [sum(map(kind, least)) / max(len(least), 1) for kind in kinds]


@pytest.mark.parametrize("seed", range(4))
def test_shares_equal_a_plain_twin(seed):
    rng = np.random.default_rng(seed)
    config = load_config("mali450-vro", ())
    blocks = TextureBlocks(config)
    # A frame of two passes, then one of a single: nothing stays from frame to frame.
    for sizes in (((70, 40), (64, 64)), ((130, 20),)):
        passes = [random_pass(rng, *size, 40) for size in sizes]
        for one in passes:
            blocks.see(*one)
        found = blocks.shares()
        assert list(found) == list(SHARES)
        assert list(found.values()) == pytest.approx(plain(passes, config.tile))
        assert 0 < found["texture_blocks.shared"] < 1


def test_a_frame_without_textures_shares_nothing():
    assert set(TextureBlocks(load_config("mali450-vro", ())).shares().values()) == {0.0}
