"""Fragment output: tests and blending of shaded quads, by the kernel that fits each attachment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import GrowingTable
from replay.engine.entries import BLEND_QUADS, TEST_QUADS
from replay.engine.kernels.records import PIXELS
from replay.engine.targets import Surface, Targets
from replay.glsl.llvm.abi import SPARE_QUADS
from traceformat.native.records import address_of

__all__ = [
    "NO_DEPTH",
    "NO_STENCIL",
    "ColorOutput",
    "OutputRule",
    "OutputState",
    "ShadedChunk",
    "merge_chunk",
    "pixels_of",
    "put_outputs",
    "test_all",
]

NO_DEPTH: Final = np.zeros((0, 0), np.uint32)
NO_STENCIL: Final = np.zeros((0, 0), np.uint8)


@dataclass(slots=True)
class OutputRule:
    """How a draw writes to one colour attachment, wherever that lies.

    Parameters
    ----------
    buffer : draw buffer
    rows : (4,) int64 rows of the stage's outputs, -1 = 0, -2 = 1
    state : blend state, one row of BLEND_DTYPE
    requantize : table of narrow formats
    linear : blend and write in linear light
    color_bytes : bytes of a fragment's colour that are kept, 0 where nobody wants them
    """

    buffer: int
    rows: NDArray[np.int64]
    state: NDArray[Any]
    requantize: NDArray[np.uint8]
    linear: bool
    color_bytes: int


@dataclass(slots=True)
class ColorOutput(OutputRule):
    """One colour attachment that a draw writes.

    Parameters
    ----------
    surface : what is written
    """

    surface: Surface

    @classmethod
    def of(cls, rule: OutputRule, surface: Surface) -> ColorOutput:
        """A rule with an attachment."""
        return cls(rule.buffer, rule.rows, rule.state, rule.requantize, rule.linear, rule.color_bytes, surface)

    @property
    def rule(self) -> OutputRule:
        """What is left without the attachment."""
        return OutputRule(self.buffer, self.rows, self.state, self.requantize, self.linear, self.color_bytes)


@dataclass(slots=True)
class ShadedChunk:
    """A shaded chunk.

    Parameters
    ----------
    first, last : its quads of the tables, half open
    outputs : (rows, lanes) float32 of the stage
    depth : of each fragment
    passed : (last - first,) uint8 fragments that passed the tests; None if these are still to come
    """

    first: int
    last: int
    outputs: NDArray[np.float32]
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
    mask_row : row of gl_SampleMask, -1 where it does not count
    """

    targets: Targets
    test: NDArray[Any]
    emitted_first: int
    front: NDArray[np.uint8]
    outputs: list[ColorOutput]
    writes_depth: bool
    alpha_row: int = -1
    mask_row: int = -1


def pixels_of(quads: Any, rows: slice) -> Any:
    """PIXELS of some quads, without what is done to them."""
    x = quads["x"][rows]
    return PIXELS.row(num_quads=len(x), x=address_of(x), y=address_of(quads["y"][rows]))


def put_outputs(pixels: Any, output: ColorOutput, outputs: NDArray[np.float32]) -> None:
    """Let PIXELS take the colours of an output from a stage's outputs."""
    pixels.blend, pixels.requantize = address_of(output.state), address_of(output.requantize)
    pixels.outputs, pixels.output_stride = address_of(outputs), outputs.strides[0]
    pixels.rows = address_of(output.rows)


def test_all(
    state: OutputState,
    quads: GrowingTable,
    rows: slice,
    arriving: NDArray[np.uint8],
    depth: NDArray[np.uint32],
    sample: int,
) -> tuple[int, NDArray[np.uint8]]:
    """Run the tests of one sample over rows of ``quads``.

    Returns
    -------
    How many fragments passed, and which: a byte a quad, with SPARE_QUADS behind them that are 0.
    """
    pixels = pixels_of(quads, rows)
    passed = np.zeros(len(arriving) + SPARE_QUADS, np.uint8)
    targets = state.targets
    plane, stencil = NO_DEPTH, NO_STENCIL
    if targets.depth is not None:
        plane = targets.depth.texels[sample]
    if targets.stencil is not None and targets.stencil.stencil is not None:
        stencil = targets.stencil.stencil[sample]
    pixels.mask, pixels.depth, pixels.passed = address_of(arriving), address_of(depth), address_of(passed)
    pixels.test = address_of(state.test)
    pixels.emitted, pixels.emitted_first = address_of(quads["emitted"][rows]), state.emitted_first
    pixels.fronts = address_of(state.front)
    pixels.plane, (pixels.plane_height, pixels.plane_width) = address_of(plane), plane.shape
    pixels.stencil, (pixels.stencil_height, pixels.stencil_width) = address_of(stencil), stencil.shape
    return TEST_QUADS.call(pixels.address), passed


def merge_chunk(state: OutputState, quads: Any, chunk: ShadedChunk) -> int:
    """Test (unless done) and blend a shaded chunk; returns how many fragments passed here."""
    count = 0
    rows = slice(chunk.first, chunk.last)
    for sample in range(state.targets.samples):
        passed, depth = chunk.passed, chunk.depth
        if passed is None:
            arriving = quads["survives"][rows]
            if state.targets.samples > 1:
                arriving, depth = _of_sample(quads, rows, sample, arriving, depth, shader_depth=state.writes_depth)
            own, passed = test_all(state, quads, rows, arriving, depth, sample)
            count += own
        pixels = pixels_of(quads, rows)
        pixels.mask = address_of(passed)
        for output in state.outputs:
            put_outputs(pixels, output, chunk.outputs)
            plane = output.surface.texels[sample]
            pixels.plane, (pixels.plane_height, pixels.plane_width) = address_of(plane), plane.shape[:2]
            BLEND_QUADS.call(pixels.address)
    return count


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
