"""Counts one frame, draw by draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.schema import GpuConfig
from gpumodel.lane_instructions import lane_instructions
from gpumodel.quad_maps import quad_map
from gpumodel.report.stats.columns import COUNT_INDEX, COUNTS, CULLED_COUNTS, FRAME_COUNTS
from gpumodel.report.stats.early_z import FRAGMENT_COLUMNS, EarlyZ, count_fragments
from gpumodel.streams import PassStreams, PassTables
from gpumodel.workload import KIND_NAMES
from traceformat.errors import ConfigError
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS, FrameTrace, Outcome

__all__ = ["FrameCounter", "FrameCounts"]

_MOVE: Final = KIND_NAMES.index("move")
_TEXTURE: Final = KIND_NAMES.index("texture")
_OUT_COLUMNS: Final = len(FRAGMENT_COLUMNS) - 1 + len(KIND_NAMES)
#: Is shown a frame, its tables, and a pass of it.
_See = Callable[[FrameTrace, PassTables, PassStreams], None]


@dataclass(slots=True)
class FrameCounts:
    """What was counted in a frame.

    Parameters
    ----------
    trace : the frame
    draws : (D, C) int64, COUNTS of each draw; the counts of FRAME_COUNTS are the frame's own
    frame : (C,) int64, COUNTS of the frame
    """

    trace: FrameTrace
    draws: NDArray[np.int64]
    frame: NDArray[np.int64]


class FrameCounter:
    """Counts the frames of a trace, one after the other: depth buffers may live on from frame to frame.

    Parameters
    ----------
    config : the GPU: its tiles, how it sorts into them, its post-transform buffer, and who shades a quad
    """

    def __init__(self, config: GpuConfig) -> None:
        self.config = config
        self._early_z = EarlyZ(config)
        self._quad_map = quad_map(config)

    def count(self, trace: FrameTrace, see: _See | None = None) -> FrameCounts:
        """Count the next frame.

        Parameters
        ----------
        see : is shown each pass when its quads have been tested

        Raises
        ------
        TraceFormatError : the frame's tables do not fit together, or it has multisampled passes
        ConfigError : the configuration's screen is fixed and the frame has another size
        """
        screen = self.config.screen
        if not screen.scale_to_trace and (trace.width, trace.height) != (screen.width, screen.height):
            raise ConfigError(
                [f"screen is {screen.width}x{screen.height}, frame {trace.frame} is {trace.width}x{trace.height}"],
                hint="set screen.scale_to_trace=true",
            )
        check_frame(trace, MODEL_COLUMNS)
        streams = PassTables(trace, self.config, self._quad_map)
        lanes = lane_instructions(trace)
        draws = np.zeros((trace["draws"].num_rows, len(COUNTS)), np.int64)
        _count_primitives(trace, draws)
        for index in range(trace["passes"].num_rows):
            arranged = streams.arrange(index)
            self._early_z.test(trace, streams, arranged)
            if see is not None:
                see(trace, streams, arranged)
            _count_vertices(trace, arranged, draws)
            _count_pairs(trace, arranged, draws)
            _count_quads(trace, arranged, lanes, draws)
        frame = draws.sum(axis=0)
        tile = self.config.tile
        tiles = -(-trace.width // tile.width) * -(-trace.height // tile.height)
        own = {"frames": 1, "tiles": tiles, "pixels": trace.width * trace.height}
        for count in FRAME_COUNTS:
            frame[COUNT_INDEX[count.name]] = own[count.name]
            draws[:, COUNT_INDEX[count.name]] = own[count.name]
        return FrameCounts(trace, draws, frame)


def _count_primitives(trace: FrameTrace, draws: NDArray[np.int64]) -> None:
    """Draws, primitives by outcome, attributes of the emitted ones."""
    table, primitives = trace["draws"], trace["primitives"]
    num_draws = len(draws)
    draws[:, COUNT_INDEX["draws"]] = 1
    draws[:, COUNT_INDEX["instances"]] = table["instance_count"]
    draws[:, COUNT_INDEX["vertices.in"]] = table["vertex_count"]
    draws[:, COUNT_INDEX["primitives.in"]] = table["primitive_count"]
    draws[:, COUNT_INDEX["primitives.pieces"]] = table["emitted_count"]
    for outcome, name in ((Outcome.EMITTED, "primitives.emitted"), *CULLED_COUNTS.items()):
        chosen = primitives["draw"][primitives["outcome"] == outcome]
        draws[:, COUNT_INDEX[name]] = np.bincount(chosen, minlength=num_draws)
    draws[:, COUNT_INDEX["attributes"]] = draws[:, COUNT_INDEX["primitives.emitted"]] * table["num_attributes"].astype(
        np.int64
    )


def _count_vertices(trace: FrameTrace, arranged: PassStreams, draws: NDArray[np.int64]) -> None:
    """Shaded vertices and their instructions."""
    v0, v1 = arranged.rows
    if v1 == v0:
        return
    shaded = arranged.vertices["shaded"] != 0
    draw = arranged.vertices["draw"][shaded]
    draws[:, COUNT_INDEX["vertices.shaded"]] += np.bincount(draw, minlength=len(draws))
    issued = trace["paths"]["issued"][trace["vertices"]["path"][v0:v1][shaded]]
    executed = np.zeros((len(draws), len(KIND_NAMES)), np.int64)
    for kind, name in enumerate(KIND_NAMES):
        # Sums of integers below 2**53 are exact in float64.
        executed[:, kind] = np.bincount(draw, weights=issued[:, kind], minlength=len(draws)).astype(np.int64)
        draws[:, COUNT_INDEX[f"vs.executed.{name}"]] += executed[:, kind]
    draws[:, COUNT_INDEX["vs.instructions"]] += executed.sum(axis=1) - executed[:, _MOVE]


def _count_pairs(trace: FrameTrace, arranged: PassStreams, draws: NDArray[np.int64]) -> None:
    """Pairs of a primitive and a tile."""
    if len(arranged.bin_count) == 0:
        return
    first = int(trace["draws"]["emitted_first"][arranged.draw_range[0]])
    draw = trace["emitted"]["draw"][first : first + len(arranged.bin_count)]
    pairs = np.bincount(draw, weights=arranged.bin_count, minlength=len(draws))
    draws[:, COUNT_INDEX["primitive_tile_pairs"]] += pairs.astype(np.int64)


def _count_quads(trace: FrameTrace, arranged: PassStreams, lanes: NDArray[np.int64], draws: NDArray[np.int64]) -> None:
    """Fragments, their instructions and texels."""
    d0, d1 = arranged.draw_range
    count = arranged.num_quads
    if count == 0:
        return
    quads = trace["quads"]
    out = np.zeros((d1 - d0, _OUT_COLUMNS), np.int64)
    count_fragments(
        count, arranged.quads, d0, arranged.early, arranged.written, _int64(quads["path"]), lanes.reshape(-1),
        _int64(quads["tex_first"]), _int64(quads["tex_count"]),
        np.ascontiguousarray(trace["tex_ops"]["texels"]).reshape(-1), _OUT_COLUMNS, out.reshape(-1),
    )  # fmt: skip
    target = draws[d0:d1]
    column = {name: out[:, k] for k, name in enumerate(FRAGMENT_COLUMNS[:-1])}
    for name, values in column.items():
        target[:, COUNT_INDEX[name]] = values
    shaded = column["fragments.shaded"]
    target[:, COUNT_INDEX["fragments.early_z_killed"]] = column["fragments.rasterized"] - shaded
    target[:, COUNT_INDEX["fragments.late_z_killed"]] = (
        shaded - column["fragments.discarded"] - column["fragments.written"]
    )
    executed = out[:, len(FRAGMENT_COLUMNS) - 1 :]
    for kind, name in enumerate(KIND_NAMES):
        target[:, COUNT_INDEX[f"fs.executed.{name}"]] = executed[:, kind]
    target[:, COUNT_INDEX["fs.instructions"]] = executed.sum(axis=1) - executed[:, _MOVE]
    target[:, COUNT_INDEX["fs.alu_instructions"]] = executed[:, 0] + executed[:, 1]
    target[:, COUNT_INDEX["fs.tex_instructions"]] = executed[:, _TEXTURE]


def _int64(column: NDArray[Any]) -> NDArray[np.int64]:
    return np.ascontiguousarray(column, np.int64)
