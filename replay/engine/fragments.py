"""Fragments of unusual draws, chunk by chunk: what batches do not shade (several samples or outputs, other targets).

A chunk is shaded, its texture record distilled, its colours quantized, and then tested and blended in primitive
order. The reference executor's draws all come this way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.columns import GrowingTable
from replay.engine.geometry import Geometry
from replay.engine.output import ColorOutput, OutputState, ShadedChunk, merge_chunks, test_all
from replay.engine.paths import FramePaths, PathBook
from replay.engine.stages import LaneMemory, StageRun
from replay.engine.tables import Tables
from replay.formats import Storage
from traceformat.gles import formats as client_formats
from traceformat.gles.formats import source_bytes
from traceformat.gputrace.frametrace import quantize_depth

__all__ = [
    "CHUNK_QUADS",
    "FragmentDraw",
    "Scratch",
    "quantize_outputs",
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
    record, identity : keep texture accesses, fragment identities
    tests_early : tests come before shading: the shader has no say in them
    """

    geometry: Geometry
    run: StageRun
    paths: PathBook | None
    path_place: tuple[FramePaths, int, int]
    planes: NDArray[np.float32]
    state: OutputState
    depth_row: int
    identity_seed: int = 0
    color_first: list[int] = field(default_factory=list)
    record: bool = False
    identity: bool = False
    tests_early: bool = False


class Scratch:
    """Working memory of one thread."""

    def __init__(self) -> None:
        self.lanes = LaneMemory()
        self.hashes = np.empty(CHUNK_QUADS + 2, np.uint64)
        self.identity = np.empty((CHUNK_QUADS + 2, 4), np.uint64)


def _shade(
    draw: FragmentDraw, tables: Tables, scratch: Scratch, tested: NDArray[np.uint8] | None, first: int, last: int
) -> ShadedChunk:
    """Run the fragment stage over quads [first, last) of the tables and convert its outputs.

    ``tested`` are the fragments of the draw's quads that passed the tests (and room for one quad more), or None.
    """
    from replay.engine.kernels.blend import quantize_unorm8

    quads = tables.quads
    count = last - first
    padded = count + (count & 1)
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
    seen = None
    if tested is not None:
        seen = tested[first - draw.geometry.quad_first :]
        pointers["seen"] = seen
    if draw.paths is not None and draw.paths.needs_hashes:
        pointers["path_hash"] = scratch.hashes
    if draw.identity:
        pointers["identity"] = scratch.identity
    draw.run.run_quads(
        scratch.lanes,
        padded // 2,
        outputs,
        pointers,
        draw.planes,
        draw.geometry.emitted_first,
        draw.identity_seed,
    )
    colors = [quantize_outputs(output, outputs, 4 * count, quantize_unorm8) for output in draw.state.outputs]
    if draw.state.alpha_row >= 0:
        _cover_by_alpha(quads["sample_coverage"][first:last], outputs[draw.state.alpha_row, : 4 * count])
    if draw.depth_row >= 0:
        written = outputs[draw.depth_row, : 4 * count].reshape(count, 4)
        depth_format = draw.state.targets.depth.format.internal if draw.state.targets.depth is not None else 0
        depth = quantize_depth(np.nan_to_num(written), depth_format)
    else:
        depth = quads["depth"][first:last]
    return ShadedChunk(first, last, colors, depth, seen[:count] if seen is not None else None)


def _cover_by_alpha(coverage: NDArray[np.uint16], alpha: NDArray[np.float32]) -> None:
    """Take samples from fragments by their alpha: sample s of S stays where alpha > s / S, as Mesa has it."""
    from replay.engine.kernels.multisample import SAMPLES

    covered = np.zeros(coverage.shape, np.uint16)
    for s in range(SAMPLES):
        lanes = (alpha > np.float32(s / SAMPLES)).reshape(-1, 4)
        for f in range(4):
            covered |= lanes[:, f].astype(np.uint16) << np.uint16(4 * f + s)
    coverage &= covered


def quantize_outputs(
    output: ColorOutput, outputs: NDArray[np.float32], lanes: int, to_bytes: Callable[..., None]
) -> NDArray[Any]:
    """Source colours of one output as its merge kernel takes them: (quads, 4) uint32 or (quads, 4, 4)."""
    format = output.surface.format
    if format.storage is Storage.UNORM8 or (format.storage is Storage.SRGB8 and not output.linear):
        packed = np.empty(lanes, np.uint32)
        to_bytes(outputs, output.rows, lanes, packed)
        return packed.reshape(-1, 4)
    rgba = np.empty((lanes, 4), np.float32)
    for channel in range(4):
        row = int(output.rows[channel])
        if row >= 0:
            rgba[:, channel] = outputs[row, :lanes]
        elif format.is_integer:
            rgba.view(np.uint32)[:, channel] = -1 - row
        else:
            rgba[:, channel] = -1 - row
    if format.is_integer:
        signed = format.storage is Storage.INT
        texels = formats.quantize(format, rgba.view(np.int32 if signed else np.uint32))
        return np.ascontiguousarray(texels).view(np.uint32).reshape(-1, 4, 4)
    if format.storage is Storage.SRGB8:
        return np.clip(np.nan_to_num(rgba), 0, 1).astype(np.float32).reshape(-1, 4, 4)
    if output.state[0]["blend"]:
        # Blended as the shader gave it (but within the range of normalized formats), quantized when it is stored.
        if format.kind is not formats.Kind.FLOAT:
            rgba = np.clip(rgba, -1.0 if format.kind is formats.Kind.SNORM else 0.0, 1.0)
        return rgba.reshape(-1, 4, 4)
    return np.ascontiguousarray(formats.quantize(format, rgba), np.float32).reshape(-1, 4, 4)


def _record(draw: FragmentDraw, tables: Tables, scratch: Scratch, chunk: ShadedChunk) -> None:
    """Append what one chunk yields to the tables; in the order of chunks."""
    quads = tables.quads
    rows = slice(chunk.first, chunk.last)
    n = chunk.last - chunk.first
    if draw.paths is not None:
        base = draw.geometry.emitted_first
        draw.paths.number(draw.run, draw.planes, base, tables, scratch.hashes, chunk.first, chunk.last)
    if draw.record:
        base = tables.tex_ops.num_rows
        record, line_base = scratch.lanes.record, tables.texture_lines.num_rows
        num_ops, num_lines = record.row.ops, record.row.lines
        record.ops["line_first"][:num_ops] += np.uint32(line_base)
        tables.tex_ops.append(**{key: array[:num_ops] for key, array in record.ops.items()})
        tables.texture_lines.append(**{key: array[:num_lines] for key, array in record.lines.items()})
        np.add(record.tex_first[:n], np.uint32(base), out=quads["tex_first"][rows])
        quads["tex_count"][rows] = record.tex_count[:n]
    elif "tex_first" in quads:
        quads["tex_first"][rows] = tables.tex_ops.num_rows
        quads["tex_count"][rows] = 0
    if draw.identity:
        quads["identity"][rows] = scratch.identity[:n]
    if "identity_excluded" in quads:
        quads["identity_excluded"][rows] = 15 if draw.run.is_positional else 0
    if "shader_depth" in quads:
        quads["shader_depth"][rows] = chunk.depth
    for output, colors, first in zip(draw.state.outputs, chunk.colors, draw.color_first, strict=False):
        format = output.surface.format
        size = source_bytes(client_formats.FORMATS[format.internal], converts=output.linear)
        if format.is_integer:
            octets = formats.native(format, colors.view(np.int32) if format.storage is Storage.INT else colors)
        else:
            # As blending takes them: four bytes or four floats.
            octets = np.ascontiguousarray(colors, "<u4" if size == 4 else "<f4").view(np.uint8)
        octets = octets.reshape(-1)
        at = first + (chunk.first - draw.geometry.quad_first) * 4 * size
        tables.color_data["byte"][at : at + len(octets)] = octets


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
        passed, tested = _test_early(draw, quads, first, end)
        if not draw.state.outputs:
            tested[:] = 0  # nobody looks at what passed either
    for start in range(first, end, CHUNK_QUADS):
        chunk = _shade(draw, tables, scratch, tested, start, min(start + CHUNK_QUADS, end))
        _record(draw, tables, scratch, chunk)
        passed += merge_chunks(draw.state, quads, [chunk], 0, 1)
    return passed


def _test_early(draw: FragmentDraw, quads: GrowingTable, first: int, end: int) -> tuple[int, NDArray[np.uint8]]:
    """Test all quads before shading; returns how many fragments passed, and which, with room for one quad more."""
    rows = slice(first, end)
    room = np.zeros(end - first + 1, np.uint8)
    mask, depth = quads["coverage"][rows], quads["depth"][rows]
    return test_all(draw.state, quads, rows, mask, depth, 0, room[:-1], 0, 1), room
