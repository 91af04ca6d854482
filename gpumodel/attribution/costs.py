"""The rows of a frame in which the machine counts what each draw costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.geometry import count_geometry_work
from gpumodel.attribution.raster import count_raster_work
from gpumodel.lane_instructions import lane_instructions
from gpumodel.memory.dram.state import COMMAND_COST
from gpumodel.streams import PassStreams
from gpumodel.units.cost_owners import give_unit_cycles
from gpumodel.units.costs import CACHE_NAMES, COST, SHARED_KINDS, TEXTURE_COST, Shared
from gpumodel.units.state import L1_TECHNIQUE, L1_TEXTURE
from gpumodel.units.tile_fetch import ASSIGN_FRAME
from gpumodel.units.traffic import OTHER
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import LINE_BYTES, FrameTrace

__all__ = ["FrameCosts", "begin_counting", "end_counting", "frame_costs"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class FrameCosts:
    """Rows of a frame: its draws, the kinds of shared work of each pass, those of the frame as a whole.

    Parameters
    ----------
    trace : head of the frame as the machine renders it, such as its first pass
    table : COST rows of this frame and of those that are rendered beside it
    first : row of its first draw
    lanes : of its paths, see :func:`.raster.count_raster_work`
    commands : COMMAND_COST rows beside ``table``, for the command-level memory
    textures : TEXTURE_COST rows by first line; none of frames that are rendered together
    lists : what the units keep the order of quads in
    """

    trace: FrameTrace
    table: Array
    first: int
    lanes: Array
    commands: Array
    textures: Array
    lists: dict[int, list[Array]] = field(default_factory=dict)

    @property
    def num_rows(self) -> int:
        """Rows of the frame."""
        return _num_rows(self.trace)

    @property
    def is_beside_another(self) -> bool:
        """Whether another frame is rendered at the same time."""
        return len(self.table) > self.num_rows

    @property
    def rows(self) -> Array:
        """Rows of this frame alone."""
        return self.table[self.first : self.first + self.num_rows]

    def shared(self, index: int | None, kind: int = 0) -> int:
        """Row in ``table`` of shared work of a pass, or (None) of the frame."""
        block = self.trace["passes"].num_rows if index is None else index
        return self.first + self.trace["draws"].num_rows + block * SHARED_KINDS + kind

    def begin_pass(self, system: Any, streams: PassStreams) -> None:
        """Let the units count for a pass, or for a part of it, whose streams are in place."""
        geometry = system["frame"][streams.frame_index]
        geometry["cost_first"] = self.first
        geometry["cost_shared"] = self.shared(streams.index)
        geometry["cost_owner"] = self.shared(streams.index, Shared.WAIT)
        geometry["cost_since"] = system["now"]
        system["dram"]["moves_for"] = -1
        self.lists[streams.frame_index] = [np.empty(len(streams.quads), np.int32) for _ in range(2)]
        for name, array in zip(("quad_before", "quad_behind"), self.lists[streams.frame_index], strict=True):
            bind(geometry[name], array)
        for name in ("op_waits", "op_misses"):
            array = np.zeros(int(geometry["ops"]["count"]), np.int32)
            setattr(streams, name, array)
            bind(geometry[name], array)
        for unit in _units_of(system, streams.frame_index):
            unit["cost_frame"] = streams.frame_index
            unit["cost_since"] = unit["cost_shader"] = unit["oldest_quad"] = unit["youngest_quad"] = -1

    def end_pass(self, system: Any, trace: FrameTrace, streams: PassStreams) -> None:
        """Count what the pass has done, and end the cycles under way; ``trace`` has its rows."""
        geometry = system["frame"][streams.frame_index]
        units = _units_of(system, streams.frame_index)
        for unit in units:
            give_unit_cycles(system, unit)
        # Where a technique has prolonged the geometry phase, no tile has begun before its end.
        late = int(geometry["raster_start"] - geometry["geometry_end"])
        self.table["raster_cycles"][self.shared(streams.index, Shared.WAIT)] -= late * len(units)
        self.table["geometry_cycles"][self.shared(streams.index, Shared.TECHNIQUE)] += late
        path = np.ascontiguousarray(trace["quads"]["path"], np.int64)
        count_geometry_work(trace, streams, self.rows[: trace["draws"].num_rows])
        count_raster_work(geometry, self.table, self.first, self.shared(streams.index), path, self.lanes)

    def add_copy(self, index: int, moved: tuple[int, int], bursts: Sequence[int], unit_cycles: int) -> None:
        """Count copies, blits, read-backs and mipmap generation around a pass.

        Parameters
        ----------
        moved : bytes read and written
        bursts : commands of the memory for them
        unit_cycles : cycles of all Raster Units
        """
        row = self.table[self.shared(index, Shared.COPY)]
        row["read_bytes"][OTHER] += moved[0]
        row["write_bytes"][OTHER] += moved[1]
        row["read_commands"] += bursts[0]
        row["write_commands"] += bursts[1]
        row["raster_cycles"] += unit_cycles

    @property
    def counted_rows(self) -> Array:
        """Rows of this frame, with the commands of the memory."""
        rows, commands = self.rows.copy(), self.commands[self.first : self.first + self.num_rows]
        for name in COMMAND_COST.names or ():
            rows[name] += commands[name]
        return rows


def _units_of(system: Any, frame_index: int) -> list[Any]:
    """Raster Units of a frame: all of them, but one where frames are rendered in parallel."""
    config = system["cfg"]
    units = [frame_index] if config["assignment"] == ASSIGN_FRAME else range(int(config["raster_units"]))
    return [system["ru"][k] for k in units]


def begin_counting(system: Any, costs: FrameCosts) -> None:
    """Let the units count into rows; who has written or asked for something before is an earlier frame.

    Parameters
    ----------
    costs : of the first of the frames that are rendered together
    """
    earlier = costs.shared(None, Shared.EARLIER)
    bind(system["costs"], costs.table)
    bind(system["texture_costs"], costs.textures)
    system["cost_technique"] = costs.shared(None, Shared.TECHNIQUE)
    memory = system["lpddr"]["memory"]
    bind(memory["costs"], costs.commands)
    for who in (
        system["l1"]["who"], system["l1"]["line_who"], system["l1"]["request_who"], system["l2"]["line_who"],
        system["dram"]["who"], system["lpddr"]["who"], system["lpddr"]["requests"]["who"],
        memory["channel"]["entry"]["who"],
    ):  # fmt: skip
        who[...] = earlier
    system["dram"]["moving_who"] = earlier
    system["l1"]["who"][L1_TECHNIQUE:L1_TEXTURE] = system["cost_technique"]
    # A frame that is rendered beside another has a Tile Cache of a technique's.
    for frame in system["frame"][: int(system["cfg"]["frames"])]:
        system["l1"][int(frame["tile_cache"])]["cost_cache"] = CACHE_NAMES.index("tile")


def end_counting(system: Any) -> None:
    """Let the units count no more."""
    bind(system["costs"], np.zeros(0, COST))
    bind(system["texture_costs"], np.zeros(0, TEXTURE_COST))
    bind(system["lpddr"]["memory"]["costs"], np.zeros(0, COMMAND_COST))
    for frame in system["frame"]:
        for name in ("quad_before", "quad_behind", "op_waits", "op_misses"):
            bind(frame[name], np.zeros(0, np.int32))


def frame_costs(traces: tuple[FrameTrace, ...]) -> list[FrameCosts]:
    """Rows, all 0, of frames that are rendered together."""
    sizes = [_num_rows(trace) for trace in traces]
    table, commands = np.zeros(sum(sizes), COST), np.zeros(sum(sizes), COMMAND_COST)
    return [
        FrameCosts(
            trace, table, sum(sizes[:place]), lane_instructions(trace).reshape(-1), commands,
            _textures(trace) if len(traces) == 1 else np.zeros(0, TEXTURE_COST),
        )
        for place, trace in enumerate(traces)
    ]  # fmt: skip


def _textures(trace: FrameTrace) -> Array:
    """A row for each place in memory at which a bound texture begins."""
    first = np.unique(trace["texture_bindings"]["address"].astype(np.int64) // LINE_BYTES)
    rows = np.zeros(len(first), TEXTURE_COST)
    rows["first_line"] = first
    return rows


def _num_rows(trace: FrameTrace) -> int:
    return trace["draws"].num_rows + (trace["passes"].num_rows + 1) * SHARED_KINDS
