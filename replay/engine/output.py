"""Fragment output: tests and blending of shaded quads, by the kernel that fits each attachment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import GrowingTable
from replay.engine.targets import Surface, Targets
from replay.formats import Storage

__all__ = [
    "NO_DEPTH",
    "NO_STENCIL",
    "ColorOutput",
    "OutputState",
    "ShadedChunk",
    "merge_chunks",
    "test_all",
]

NO_DEPTH: Final = np.zeros((0, 0), np.uint32)
NO_STENCIL: Final = np.zeros((0, 0), np.uint8)
_CODES: Final = np.arange(256) / 255.0
SRGB_DECODE: Final = np.where(_CODES <= 0.04045, _CODES / 12.92, ((_CODES + 0.055) / 1.055) ** 2.4).astype(np.float32)
_MIDDLES: Final = (np.arange(255) + 0.5) / 255.0
SRGB_BORDERS: Final = np.where(_MIDDLES <= 0.04045, _MIDDLES / 12.92, ((_MIDDLES + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)


@dataclass(slots=True)
class ColorOutput:
    """One colour attachment that a draw writes.

    Parameters
    ----------
    buffer : draw buffer
    surface : what is written
    rows : (4,) int64 rows of the stage's outputs, -1 = 0, -2 = 1
    state : blend state, one row of BLEND_DTYPE
    requantize : table of narrow formats
    linear : blend and write in linear light
    """

    buffer: int
    surface: Surface
    rows: NDArray[np.int64]
    state: NDArray[Any]
    requantize: NDArray[np.uint8]
    linear: bool


@dataclass(slots=True)
class ShadedChunk:
    """A shaded chunk.

    Parameters
    ----------
    first, last : its quads of the tables, half open
    colors : of each output
    depth : of each fragment
    passed : (last - first,) uint8 fragments that passed the tests; None if these are still to come
    """

    first: int
    last: int
    colors: list[NDArray[Any]]
    depth: NDArray[np.uint32]
    passed: NDArray[np.uint8] | None


@dataclass(slots=True)
class OutputState:
    """State of a draw's tests and output.

    Parameters
    ----------
    targets : what is drawn to
    test : one row of TEST_DTYPE
    emitted_first, front : (E,) uint8 facing of the emitted primitives from ``emitted_first`` on
    outputs : attachments to write
    writes_depth : the shader writes the depth
    alpha_row : row of the alpha that becomes coverage, -1 where none does, -2 where alpha is 1
    """

    targets: Targets
    test: NDArray[Any]
    emitted_first: int
    front: NDArray[np.uint8]
    outputs: list[ColorOutput]
    writes_depth: bool
    alpha_row: int = -1


def _planes(targets: Targets) -> tuple[Any, Any]:
    """Depth and stencil storage of each sample."""
    depth: Any = targets.depth.texels if targets.depth is not None else [NO_DEPTH] * targets.samples
    stencil: Any = [NO_STENCIL] * targets.samples
    if targets.stencil is not None and targets.stencil.stencil is not None:
        stencil = targets.stencil.stencil
    return depth, stencil


def test_all(
    state: OutputState,
    quads: GrowingTable,
    rows: slice,
    mask: NDArray[np.uint8],
    depth: NDArray[np.uint32],
    sample: int,
    passed: NDArray[np.uint8],
    band: int,
    num_bands: int,
) -> int:
    """Run the tests of one sample over rows of ``quads``; see ``test_quads``."""
    from replay.engine.kernels.fragment_tests import test_quads

    depth_planes, stencil_planes = _planes(state.targets)
    passing: int = test_quads(
        state.test,
        0,
        len(passed),
        quads["x"][rows],
        quads["y"][rows],
        mask,
        quads["emitted"][rows],
        state.emitted_first,
        state.front,
        depth,
        depth_planes[sample],
        stencil_planes[sample],
        passed,
        band,
        num_bands,
    )
    return passing


def merge_chunks(state: OutputState, quads: GrowingTable, chunks: list[ShadedChunk], band: int, num_bands: int) -> int:
    """Test (unless done) and blend shaded chunks within one set of bands; returns how many fragments passed here."""
    count = 0
    for chunk in chunks:
        rows = slice(chunk.first, chunk.last)
        for sample in range(state.targets.samples):
            passed, depth = chunk.passed, chunk.depth
            if passed is None:
                arriving = quads["survives"][rows]
                if state.targets.samples > 1:
                    arriving, depth = _of_sample(quads, rows, sample, arriving, depth, shader_depth=state.writes_depth)
                passed = np.zeros(len(arriving), np.uint8)
                count += test_all(state, quads, rows, arriving, depth, sample, passed, band, num_bands)
            for output, colors in zip(state.outputs, chunk.colors, strict=True):
                _blend(output, quads, rows, passed, colors, sample, band, num_bands)
    return count


def _blend(
    output: ColorOutput,
    quads: GrowingTable,
    rows: slice,
    passed: NDArray[np.uint8],
    colors: NDArray[Any],
    sample: int,
    band: int,
    num_bands: int,
) -> None:
    from replay.engine.kernels import blend

    where = (0, len(passed), quads["x"][rows], quads["y"][rows], passed, colors)
    plane = output.surface.texels[sample]
    storage = output.surface.format.storage
    if storage is Storage.UNORM8 or (storage is Storage.SRGB8 and not output.linear):
        blend.blend_unorm8(output.state, *where, plane, output.requantize, band, num_bands)
    elif storage is Storage.SRGB8:
        blend.blend_srgb8(output.state, *where, plane, SRGB_DECODE, SRGB_BORDERS, band, num_bands)
    elif storage is Storage.FLOAT:
        blend.blend_float(output.state, *where, plane, band, num_bands)
    else:
        blend.write_integer(output.state, *where, plane.view(np.uint32), band, num_bands)


def _of_sample(
    quads: GrowingTable,
    rows: slice,
    sample: int,
    survives: NDArray[np.uint8],
    depth: NDArray[np.uint32],
    *,
    shader_depth: bool,
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Fragments that cover one sample, and their depth there (a depth written by the shader holds for all samples)."""
    sample %= 4  # the pattern repeats where a target has more samples than it
    covered = quads["sample_coverage"][rows] >> np.uint16(sample)
    bits = covered & np.uint16(1) | covered >> np.uint16(3) & np.uint16(2)
    bits |= covered >> np.uint16(6) & np.uint16(4) | covered >> np.uint16(9) & np.uint16(8)
    arriving = bits.astype(np.uint8) & survives
    if shader_depth:
        return arriving, depth
    return arriving, np.ascontiguousarray(quads["sample_depth"][rows, sample::4])
