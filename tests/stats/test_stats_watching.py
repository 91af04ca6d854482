"""Texture blocks that tiles share, and the balance of processors, against plain twins over random quads."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, pstdev
from types import SimpleNamespace

import numpy as np
import pytest

from gpumodel.report.stats.processor_balance import ProcessorBalance
from gpumodel.report.stats.texture_blocks import SHARES, TextureBlocks


def random_pass(rng, tiles, lines):
    """Tables of a pass, and its quads as they were tested: some are dead, some read nothing."""
    count, ops = 60, 90
    lengths = rng.integers(0, 4, ops)
    trace = {
        "quads": {
            "tex_first": rng.integers(0, ops - 2, count).astype(np.uint32),
            "tex_count": rng.integers(0, 3, count).astype(np.uint16),
        },
        "tex_ops": {"line_first": (np.cumsum(lengths) - lengths).astype(np.uint32), "line_count": lengths.astype("u1")},
        "texture_lines": {"line": rng.integers(0, lines, max(lengths.sum(), 1)).astype(np.uint32)},
    }
    names = ("row", "tile", "processor", "segment", "segment_end")
    quads = np.zeros(count, [(name, np.int32) for name in names])
    quads["row"], quads["tile"] = rng.permutation(count), rng.integers(0, tiles, count)
    quads["processor"], quads["segment"] = rng.integers(0, 4, count), rng.integers(0, 8, count)
    quads["segment_end"] = quads["segment"] + rng.integers(0, 3, count)
    early = rng.integers(0, 2, count).astype(np.uint8) * 16 + rng.integers(0, 3, count).astype(np.uint8)
    segments = np.zeros(10, [("cycles", np.int32)])
    segments["cycles"] = rng.integers(0, 50, 10)
    arranged = SimpleNamespace(early=early, quads=quads, num_quads=count - 5, tiles=np.zeros(tiles))
    return trace, SimpleNamespace(segments=segments), arranged


def shaded(arranged):
    return [quad for quad, early in zip(arranged.quads[:-5], arranged.early, strict=False) if early & 15]


def plain_shares(passes):
    readers, before = {}, 0
    for trace, _, arranged in passes:
        for quad in shaded(arranged):
            quads, ops = trace["quads"], trace["tex_ops"]
            first = int(quads["tex_first"][quad["row"]])
            for op in range(first, first + int(quads["tex_count"][quad["row"]])):
                line = int(ops["line_first"][op])
                for name in trace["texture_lines"]["line"][line : line + int(ops["line_count"][op])].tolist():
                    readers.setdefault(name, set()).add(before + int(quad["tile"]))
        before += len(arranged.tiles)
    least = [min(b - a for a, b in pairwise(sorted(own))) if len(own) > 1 else 0 for own in readers.values()]
    kinds = (lambda n: n > 0, lambda n: n == 1, lambda n: n == 2, lambda n: n > 2)
    return [sum(map(kind, least)) / max(len(least), 1) for kind in kinds]


def plain_variation(passes):
    found = []
    for _, streams, arranged in passes:
        for tile in range(len(arranged.tiles)):
            work = [0] * 4
            for quad in shaded(arranged):
                cycles = streams.segments["cycles"][quad["segment"] : quad["segment_end"]].sum()
                work[quad["processor"]] += int(cycles) if quad["tile"] == tile else 0
            found += [pstdev(work) / fmean(work)] if any(work) else []
    return fmean(found)


@pytest.mark.parametrize("seed", range(4))
def test_shares_and_variation_equal_plain_twins(seed):
    rng = np.random.default_rng(seed)
    blocks, balance = TextureBlocks(), ProcessorBalance(4)
    # A frame of two passes, then one of a single: nothing stays from frame to frame.
    for sizes in ((6, 4), (9,)):
        passes = [random_pass(rng, size, 40) for size in sizes]
        for one in passes:
            blocks.see(*one)
            balance.see(*one)
        found = blocks.shares()
        assert list(found) == list(SHARES)
        assert list(found.values()) == pytest.approx(plain_shares(passes))
        assert 0 < found["texture_blocks.shared"] <= 1
        assert balance.variation() == pytest.approx(plain_variation(passes))


def test_a_frame_without_textures_shares_nothing_and_is_balanced():
    assert set(TextureBlocks().shares().values()) == {0.0}
    assert ProcessorBalance(4).variation() == 0.0
