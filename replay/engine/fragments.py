"""Fragments of the reference executor, chunk by chunk: the plain twin of what batches do natively.

A chunk is shaded, its texture record distilled, its colours kept, and then tested and blended in primitive order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import GrowingTable
from replay.engine.entries import SOURCE_COLORS
from replay.engine.geometry import Geometry
from replay.engine.output import (
    ColorOutput,
    OutputState,
    ShadedChunk,
    merge_chunk,
    pixels_of,
    put_outputs,
    test_all,
)
from replay.engine.paths import FramePaths, PathBook
from replay.engine.stages import LaneMemory, StageRun
from replay.engine.tables import Tables
from replay.glsl.llvm.abi import QUADS
from replay.glsl.sample_pattern import SAMPLES
from traceformat.gputrace.frametrace import quantize_depth
from traceformat.native.records import address_of

__all__ = [
    "CHUNK_QUADS",
    "FragmentDraw",
    "Scratch",
    "run_fragments",
]

CHUNK_QUADS: Final = 4096


@dataclass(slots=True)
class FragmentDraw:
    """Everything that shading and merging one draw needs.

    Parameters
    ----------
    geometry : with its quads
    run : the compiled stage with constants and textures
    paths : numbers paths; None where they are not wanted
    path_place : paths of the frame, row of the program, first row of its blocks
    planes : (E, words) float32 plane equations, rows from ``geometry.emitted_first``
    state : of the tests and the output
    depth_row : row of gl_FragDepth, -1 if not written
    color_first : for each output the first byte in ``color_data``, empty where colours are not wanted
    record : keep texture accesses
    tests_early : tests come before shading: the shader has no say in them
    """

    geometry: Geometry
    run: StageRun
    paths: PathBook | None
    path_place: tuple[FramePaths, int, int]
    planes: NDArray[np.float32]
    state: OutputState
    depth_row: int
    color_first: list[int] = field(default_factory=list)
    record: bool = False
    tests_early: bool = False


class Scratch:
    """Working memory of one thread."""

    def __init__(self) -> None:
        self.lanes = LaneMemory()
        self.hashes = np.empty(CHUNK_QUADS + QUADS, np.uint64)


def _shade(
    draw: FragmentDraw, tables: Tables, scratch: Scratch, tested: NDArray[np.uint8] | None, first: int, last: int
) -> ShadedChunk:
    """Run the fragment stage over quads [first, last) of the tables and convert its outputs.

    ``tested`` are the fragments of the draw's quads that passed the tests (and room for a group more), or None.
    """
    quads = tables.quads
    count = last - first
    padded = -(-count // QUADS) * QUADS
    rows = slice(first, first + padded)
    lanes = 4 * padded
    outputs = scratch.lanes.outputs(draw.run.num_output_rows, lanes)
    pointers: dict[str, Any] = {
        "coverage": quads["coverage"][rows],
        "survives": quads["survives"][rows],
        "quad_primitive": quads["emitted"][rows],
        "quad_x": quads["x"][rows],
        "quad_y": quads["y"][rows],
    }
    if draw.run.options.multisampled:
        pointers["quad_samples"] = quads["raster_samples"][rows]
    seen = None
    if tested is not None:
        seen = tested[first - draw.geometry.quad_first :]
        pointers["seen"] = seen
        if draw.run.ir.writes_memory:
            # What fails the tests has no effects: helpers have none.
            pointers["coverage"] = pointers["coverage"] & seen[:padded]
    if draw.paths is not None and draw.paths.needs_hashes:
        pointers["path_hash"] = scratch.hashes
    draw.run.run_quads(
        scratch.lanes,
        padded // QUADS,
        outputs,
        pointers,
        draw.planes,
        draw.geometry.emitted_first,
    )
    if seen is not None and draw.run.ir.writes_memory:
        quads["survives"][rows] |= quads["coverage"][rows] & ~seen[:padded]
    if draw.state.alpha_row >= 0:
        _cover_by_alpha(quads["sample_coverage"][first:last], outputs[draw.state.alpha_row, : 4 * count])
    if draw.state.mask_row >= 0:
        masks = outputs[draw.state.mask_row, : 4 * count].view(np.int32)
        _cover(quads["sample_coverage"][first:last], masks.astype(np.uint16) & np.uint16((1 << SAMPLES) - 1))
    if draw.depth_row >= 0:
        written = outputs[draw.depth_row, : 4 * count].reshape(count, 4)
        depth_format = draw.state.targets.depth.format.internal if draw.state.targets.depth is not None else 0
        depth = quantize_depth(np.nan_to_num(written), depth_format)
    else:
        depth = quads["depth"][first:last]
    return ShadedChunk(first, last, outputs, depth, seen[:count] if seen is not None else None)


def _cover_by_alpha(coverage: NDArray[np.uint16], alpha: NDArray[np.float32]) -> None:
    """Take samples from fragments by their alpha: sample s of S stays where alpha > s / S, as Mesa has it."""
    masks = np.zeros(alpha.shape, np.uint16)
    for sample in range(SAMPLES):
        masks |= (alpha > np.float32(sample / SAMPLES)).astype(np.uint16) << np.uint16(sample)
    _cover(coverage, masks)


def _cover(coverage: NDArray[np.uint16], masks: NDArray[np.uint16]) -> None:
    """Leave the samples of each fragment that are in its mask."""
    shifts = np.arange(0, 4 * SAMPLES, SAMPLES, dtype=np.uint16)
    coverage &= np.bitwise_or.reduce(masks.reshape(-1, 4) << shifts, axis=1)


def _record(draw: FragmentDraw, tables: Tables, scratch: Scratch, chunk: ShadedChunk) -> None:
    """Append what one chunk yields to the tables; in the order of chunks."""
    quads = tables.quads
    rows = slice(chunk.first, chunk.last)
    count = chunk.last - chunk.first
    if draw.paths is not None:
        executed = draw.run, draw.planes, draw.geometry.emitted_first
        draw.paths.number(lambda: executed, tables, scratch.hashes, chunk.first, chunk.last)
    if draw.record:
        base = tables.tex_ops.num_rows
        record, line_base = scratch.lanes.record, tables.texture_lines.num_rows
        num_ops, num_lines = record.row.ops, record.row.lines
        record.ops["line_first"][:num_ops] += np.uint32(line_base)
        tables.tex_ops.append(**{key: array[:num_ops] for key, array in record.ops.items()})
        tables.texture_lines.append(**{key: array[:num_lines] for key, array in record.lines.items()})
        np.add(record.tex_first[:count], np.uint32(base), out=quads["tex_first"][rows])
        quads["tex_count"][rows] = record.tex_count[:count]
    elif "tex_first" in quads:
        quads["tex_first"][rows] = tables.tex_ops.num_rows
        quads["tex_count"][rows] = 0
    if "identity" in quads:
        quads["identity"][rows] = 0
    if "identity_excluded" in quads:
        quads["identity_excluded"][rows] = 15 if draw.run.is_positional else 0
    if "shader_depth" in quads:
        quads["shader_depth"][rows] = chunk.depth
    for output, first in zip(draw.state.outputs, draw.color_first, strict=False):
        octets = _colors(output, quads, chunk)
        if chunk.passed is not None:
            # What failed the tests has no colour.
            hidden = (chunk.passed[:, None] >> np.arange(4, dtype=np.uint8) & 1) == 0
            octets.reshape(count, 4, -1)[hidden] = 0
        at = first + (chunk.first - draw.geometry.quad_first) * (len(octets) // count)
        tables.color_data["byte"][at : at + len(octets)] = octets


def _colors(output: ColorOutput, quads: GrowingTable, chunk: ShadedChunk) -> NDArray[np.uint8]:
    """Colours of all fragments of a chunk as blending takes them."""
    octets = np.empty(4 * (chunk.last - chunk.first) * output.color_bytes, np.uint8)
    pixels = pixels_of(quads, slice(chunk.first, chunk.last))
    put_outputs(pixels, output, chunk.outputs)
    pixels.plane, pixels.color_bytes = address_of(octets), output.color_bytes
    SOURCE_COLORS.call(pixels.address)
    return octets


def run_fragments(draw: FragmentDraw, tables: Tables, scratch: Scratch) -> int:
    """Shade and merge all quads of a draw.

    Parameters
    ----------
    scratch : working memory

    Returns
    -------
    Number of fragments that passed the tests.
    """
    geometry = draw.geometry
    quads = tables.quads
    first, end = geometry.quad_first, geometry.quad_first + geometry.quad_count
    passed = 0
    tested = None
    if draw.paths is not None:
        draw.paths.begin_draw(*draw.path_place)
    if draw.tests_early:
        rows = slice(first, end)
        passed, tested = test_all(draw.state, quads, rows, quads["coverage"][rows], quads["depth"][rows], 0)
        if not draw.state.outputs and not draw.run.ir.writes_memory:
            tested[:] = 0  # nobody looks at what passed either
    for start in range(first, end, CHUNK_QUADS):
        chunk = _shade(draw, tables, scratch, tested, start, min(start + CHUNK_QUADS, end))
        _record(draw, tables, scratch, chunk)
        passed += merge_chunk(draw.state, quads, chunk)
    return passed
