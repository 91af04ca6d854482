"""From a pass of a FrameTrace to the streams that the machine consumes.

The driver's part of a frame is here too: which clears are free because a pass begins with them, which addresses the
Parameter Buffer has, in which order tiles are rendered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.schema import GpuConfig, IssueConfig
from gpumodel.units import arrange, state
from gpumodel.units.arrange import QuadColumns
from traceformat.errors import ConfigError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import STAGES, DrawFlags, EventKind, FrameTrace, LoadOp, MemoryMap

__all__ = [
    "FRAME_ADDRESS_BYTES",
    "Part",
    "PassStreams",
    "PassTables",
    "Pieces",
    "TileOrder",
    "arrangement",
    "issue_prices",
    "tile_order",
]

Array = NDArray[Any]

#: (trace, pass, order of the configuration, tiles in a row) -> the pass's order: row * tiles in a row + column.
TileOrder: TypeAlias = "Callable[[FrameTrace, int, Array, int], Array]"

#: The model's own buffers, apart from each other and from the application's (MemoryMap.MODEL and above).
COMMAND_ADDRESS: Final = MemoryMap.MODEL
LIST_ADDRESS: Final = MemoryMap.MODEL + (1 << 34)
ATTRIBUTE_ADDRESS: Final = MemoryMap.MODEL + (2 << 34)
#: From the buffers of one frame to those of the frame that is rendered beside it.
FRAME_ADDRESS_BYTES: Final = 4 << 34

#: Families of the eight compare functions: 1 only lowers a written depth, 2 only raises it, 4 either, 0 leaves it.
_FAMILY: Final = np.array([0, 1, 0, 1, 2, 4, 2, 4], np.uint8)
#: GL stencil operations in the numbering of :mod:`gpumodel.units.depth`.
_OPERATIONS: Final = (
    gl.GL_KEEP,
    gl.GL_ZERO,
    gl.GL_REPLACE,
    gl.GL_INCR,
    gl.GL_DECR,
    gl.GL_INVERT,
    gl.GL_INCR_WRAP,
    gl.GL_DECR_WRAP,
)
_STENCIL_OPERATIONS: Final = {operation: number for number, operation in enumerate(_OPERATIONS)}
_ATTRIBUTES_PER_ENTRY: Final = 8
_INSTRUCTION_BYTES: Final = 8
#: Sections of a configuration that are read here, and for the quad map; of the caches, whether there are any for code.
_ARRANGED_BY: Final = ("tile", "command", "vertex", "queues", "binning", "fragment")
#: Stages whose invocations lie behind the vertices that a draw fetches.
_INVOKED: Final = [STAGES.index(stage) for stage in ("tess_control", "tess_evaluation", "geometry")]
#: Longest path that the state can hold; no shader gets near.
_MAX_CYCLES: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a frame's tables that are rendered together: a pass, or what of it fits in the Parameter Buffer.

    Parameters
    ----------
    number, count : which part of how many
    draws, vertices, primitives, emitted, quads : first row and the row behind the last one
    """

    number: int
    count: int
    draws: tuple[int, int]
    vertices: tuple[int, int]
    primitives: tuple[int, int]
    emitted: tuple[int, int]
    quads: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pieces:
    """What of memory each tile takes, in the order in which it is moved; each tile has a piece at least.

    Parameters
    ----------
    first : (tiles + 1,) int64, first piece of each tile, in rendering order
    pieces : (pieces,) :data:`.units.state.PIECE`
    """

    first: Array
    pieces: Array


@dataclass(slots=True)
class PassStreams:
    """Everything about one pass that the machine reads; see :mod:`gpumodel.units.state`.

    ``binned`` are the list entries as the Polygon List Builder writes them, in program order; ``pairs`` the same in the
    order in which the tiles are rendered; ``frame_index`` tells frames in flight apart. Of ``quads`` there are
    ``num_quads``, in the order of the lists: those of ``quad_rows`` of the trace, and such as come again behind them
    (:func:`.tile_lists.come_again`). The machine fills
    ``early`` (alive after Early-Z), ``executed`` (shaded to the end), ``written`` (bit f: fragment f of the
    quad) and, in multisampled passes, ``written_samples`` (bit 4f+s: sample s of fragment f), all in the order of
    ``quads``, and ``log``.
    """

    index: int
    width: int
    height: int
    tiles_across: int
    tiles_down: int
    part: Part
    rows: tuple[int, int]
    draw_range: tuple[int, int]
    vertices: Array
    vertex_lines: Array
    primitives: Array
    emitted: Array
    pointer_lines: Array
    pairs: Array
    binned: Array
    tiles: Array
    quads: Array
    clears: Array
    clear_events: Array
    clear_buffers: Array
    early: Array
    executed: Array
    written: Array
    written_samples: Array
    log: Array
    num_quads: int
    quad_rows: tuple[int, int]
    parameter_bytes: int
    frame_index: int = 0
    #: Of the first attachment's tiles, where a technique lays it out otherwise than row by row.
    stored: Pieces | None = None
    loaded: Pieces | None = None
    bin_count: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    #: Where costs are counted, of each texture instruction of the pass's quads: cycles in which a processor waited for
    #: it, and look-ups of its that missed.
    op_waits: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    op_misses: Array = field(default_factory=lambda: np.zeros(0, np.int32))

    def fresh(self) -> PassStreams:
        """Give the same pass for another run: what the machine writes into is not shared."""
        written = ("early", "executed", "written", "written_samples", "log")
        return replace(self, tiles=self.tiles.copy(), **{name: np.zeros_like(getattr(self, name)) for name in written})

    @property
    def tile_numbers(self) -> NDArray[np.int64]:
        """(tiles,) row * ``tiles_across`` + column of each tile, in rendering order: what two passes know a tile by."""
        column, row = (
            self.tiles[at].astype(np.int64) // self.tiles[size].max()
            for at, size in (("x0", "width"), ("y0", "height"))
        )
        return np.asarray(column + row * self.tiles_across)


class PassTables:
    """A pass's tables, arranged for a configuration.

    Parameters
    ----------
    trace : the pass as it travels alone, or its whole frame, checked, see :mod:`traceformat.gputrace.passes`
    config : the GPU
    quad_map : (quads of a tile,), (period, quads of a tile) by the tile's number in rendering order, or (period in y,
        period in x, quads of a tile) by its place, uint8: processor of each quad position, :mod:`gpumodel.quad_maps`
    frame_index : which of the frames in flight: each has a Parameter Buffer of its own
    order : of a pass's tiles, where it is not the configuration's
    """

    def __init__(
        self, trace: FrameTrace, config: GpuConfig, quad_map: Array, frame_index: int = 0,
        order: TileOrder | None = None,
    ) -> None:  # fmt: skip
        self._frame_index = frame_index
        self._order = order
        self._lists = LIST_ADDRESS + frame_index * FRAME_ADDRESS_BYTES
        self._attributes = ATTRIBUTE_ADDRESS + frame_index * FRAME_ADDRESS_BYTES
        self.trace = trace
        self.config = config
        self.quad_map = np.ascontiguousarray(np.atleast_2d(quad_map), np.uint8)
        self.draws = _draws(trace, config)
        tex_ops = trace["tex_ops"]
        self.ops = np.zeros(max(tex_ops.num_rows, 1), state.TEX_OP)
        if tex_ops.num_rows:
            for name in ("line_first", "line_count", "texels"):
                self.ops[name] = tex_ops[name]
        lines = trace["texture_lines"]
        self.lines = _padded(lines["line"], np.uint32)
        self.lanes = _padded(lines["lanes"], np.uint8)
        quads = trace["quads"]
        self.shader_depth = (
            np.ascontiguousarray(quads["shader_depth"], np.uint32).reshape(-1)
            if "shader_depth" in quads
            else _padded(np.ascontiguousarray(quads["depth"], np.uint32).reshape(-1), np.uint32)
        )
        has_samples = "sample_depth" in quads
        self.sample_coverage = _padded(quads["sample_coverage" if has_samples else "coverage"][:], np.uint16)
        self.sample_depth = _padded(quads["sample_depth" if has_samples else "depth"].reshape(-1), np.uint32)
        self._index_segments()

    def _index_segments(self) -> None:
        """Issue segments of every (path, number of texture instructions) that a quad of the frame has."""
        trace = self.trace
        paths, quads = trace["paths"], trace["quads"]
        num_paths = paths.num_rows
        vertex_cost, cost = issue_prices(self.config)
        issued = paths["issued"].astype(np.int64) if num_paths else np.zeros((0, 6), np.int64)
        self.path_cycles = np.minimum(issued @ cost, _MAX_CYCLES)
        self.vertex_cycles = np.minimum(issued @ vertex_cost, _MAX_CYCLES)
        blocks, instructions = trace["blocks"], trace["instructions"]
        steps = arrange.Steps(
            _int64(paths["step_first"]),
            _int64(paths["step_count"]),
            _int64(trace["path_steps"]["block"]),
            _int64(blocks["instruction_first"]),
            _int64(blocks["instruction_count"]),
            np.ascontiguousarray(instructions["kind"]),
        )
        own = np.zeros(num_paths, np.int32)
        arrange.count_segments(steps, np.ascontiguousarray(issued[:, 3]), own)
        # List k < num_paths is path k with its own number; further ones are for quads that differ (fallback paths).
        path = quads["path"].astype(np.int64)
        list_of = path.astype(np.int32)
        lists = np.arange(num_paths, dtype=np.int64)
        counts = own.astype(np.int64)
        differs = np.flatnonzero(own[path] != quads["tex_count"]) if len(path) else np.zeros(0, np.int64)
        if len(differs):
            keys, inverse = np.unique(
                path[differs] << 16 | quads["tex_count"][differs].astype(np.int64), return_inverse=True
            )
            list_of[differs] = num_paths + inverse.reshape(-1)
            lists = np.concatenate([lists, keys >> 16])
            counts = np.concatenate([counts, keys & 0xFFFF])
        first = np.concatenate([[0], np.cumsum(counts + 1)]).astype(np.int64)
        self.segments = np.zeros(max(int(first[-1]), 1), state.SEGMENT)
        arrange.fill_segments(lists, first, steps, cost, self.path_cycles, self.segments)
        self._index_code(lists, first, steps)
        self.list_of = list_of
        self.segment_first = first[:-1].copy()
        self.segment_end = first[1:].copy()

    def _index_code(self, lists: Array, first: Array, steps: arrange.Steps) -> None:
        """Lines of code of every segment and of every path, where there are Instruction Caches."""
        num_paths = len(steps.first)
        self.code_first, self.code_count = np.zeros(max(num_paths, 1), np.int64), np.zeros(max(num_paths, 1), np.int64)
        self.segment_lines = np.zeros(1, np.int64)
        if self.config.caches.instruction is None or num_paths == 0:
            return
        programs, blocks = self.trace["programs"], self.trace["blocks"]
        line_of = np.zeros(max(len(steps.kind), 1), np.int64)
        for row in range(programs.num_rows):
            b0 = int(programs["block_first"][row])
            b1 = b0 + int(programs["block_count"][row])
            if b1 > b0:
                begin = int(blocks["instruction_first"][b0])
                end = int((blocks["instruction_first"][b0:b1] + blocks["instruction_count"][b0:b1]).max())
                address = int(programs["code_address"][row])
                line_of[begin:end] = (address + _INSTRUCTION_BYTES * np.arange(end - begin)) // 64
        for fill in range(2):
            total = arrange.segment_code(fill, lists, first, steps, line_of, self.segments, self.segment_lines)
            self.code_first[0] = total
            count = arrange.path_code(fill, steps, line_of, self.code_first, self.code_count, self.segment_lines)
            if not fill:
                self.segment_lines = np.zeros(max(count, 1), np.int64)

    def whole(self, index: int) -> Part:
        """All of a pass."""
        passes, draws = self.trace["passes"], self.trace["draws"]
        d0 = int(passes["draw_first"][index])
        d1 = d0 + int(passes["draw_count"][index])
        ranges = (_row_range(draws, table, d0, d1) for table in ("vertex", "primitive", "emitted", "quad"))
        return Part(0, 1, (d0, d1), *ranges)

    def arrange(self, index: int, part: Part | None = None) -> PassStreams:
        """Arrange pass ``index``, or the part of it that fits in the Parameter Buffer (:mod:`.overflow`)."""
        trace, config = self.trace, self.config
        part = part or self.whole(index)
        passes = trace["passes"]
        width, height = int(passes["width"][index]), int(passes["height"][index])
        tile_w, tile_h = config.tile.width, config.tile.height
        across, down = -(-width // tile_w), -(-height // tile_h)
        rows, emitted_rows, quad_rows = part.vertices, part.emitted, part.quads
        vertices, lines = self._vertices(rows, index)
        primitives = self._primitives(part.primitives, emitted_rows[0], rows, vertices)
        emitted = self._emitted(emitted_rows, across, down)
        clears, clear_before, clear_events, clear_buffers = self._clears(index, part)
        tiles = self._tiles(width, height, across, down)
        order = self._tile_order(index, across, down)
        # --- lists
        table = trace["emitted"]
        quads = trace["quads"]
        q0, q1 = quad_rows
        owner = quads["emitted"][q0:q1].astype(np.int64) - emitted_rows[0]
        quad_range = np.searchsorted(owner, np.arange(emitted_rows[1] - emitted_rows[0] + 1)).astype(np.int64)
        qx, qy = quads["x"][q0:q1].astype(np.int32), quads["y"][q0:q1].astype(np.int32)
        shift_x, shift_y = (tile_w // 2).bit_length() - 1, (tile_h // 2).bit_length() - 1
        quad_tile = (qy >> shift_y) * across + (qx >> shift_x)
        position = ((qy & (tile_h // 2 - 1)) * (tile_w // 2) + (qx & (tile_w // 2 - 1))).astype(np.int32)
        bin_count = np.zeros(len(emitted), np.int32)
        tile_pairs, tile_quads = np.zeros(len(tiles), np.int32), np.zeros(len(tiles), np.int32)
        clear_pairs = np.zeros(len(clears), np.int32)
        scratch = np.zeros(len(tiles), np.int32)
        exact = int(config.binning.test == "exact")
        binning = arrange.Binning(
            emitted_rows[0], exact, tile_w, tile_h, across, down,
            _int32(table["x"]), _int32(table["y"]), _int32(table["bounds"]),
            np.ascontiguousarray(table["num_vertices"]), quad_range, quad_tile,
        )  # fmt: skip
        arrange.size_lists(binning, scratch, bin_count, clears, tile_pairs, tile_quads, clear_pairs)
        # Tiles take their lists' places in rendering order, so that the machine walks through memory.
        for counts, first in ((tile_pairs, "pair_first"), (tile_quads, None)):
            starts = np.zeros(len(tiles), np.int32)
            starts[order] = np.concatenate([[0], np.cumsum(counts[order])[:-1]])
            if first:
                tiles[first] = starts
            else:
                tile_quad = starts
        tiles["pair_count"] = tile_pairs
        emitted["bin_count"] = bin_count
        emitted["bin_first"] = np.concatenate([[0], np.cumsum(bin_count)[:-1]]) if len(emitted) else 0
        pairs = np.zeros(max(int(tile_pairs.sum()), 1), state.PAIR)
        pointer_lines = np.zeros(max(int(bin_count.sum()), 1), np.int64)
        quad_row = np.zeros(q1 - q0, np.int32)
        blocks = np.array([self._lists // 64 + len(tiles)], np.int64)
        lists = arrange.Lists(
            tiles,
            np.zeros(len(tiles), np.int32),
            np.zeros(len(tiles), np.int64),
            blocks,
            tile_quad.astype(np.int64),
            pairs,
        )
        arrange.build_lists(binning, scratch, emitted, clears, clear_before, lists, pointer_lines, quad_row)
        pairs["tile"][: int(tile_pairs.sum())] = np.repeat(np.arange(len(tiles)), tile_pairs[order])
        placed = np.zeros(max(q1 - q0, 1), state.QUAD)
        placed["tile"][: q1 - q0] = np.repeat(np.arange(len(tiles)), tile_quads[order])
        columns = self._quad_columns(quad_rows, position)
        arrange.place_quads(q0, quad_row, columns, self._map_first(order, across), self.quad_map.reshape(-1), placed)
        list_bytes = 64 * (int(blocks[0]) - self._lists // 64)
        attribute_bytes = 48 * int(emitted["attributes"][bin_count > 0].sum()) if len(emitted) else 0
        return PassStreams(
            index=index, width=width, height=height, tiles_across=across, tiles_down=down, rows=rows,
            part=part, draw_range=part.draws, vertices=vertices, vertex_lines=lines, primitives=primitives,
            emitted=emitted, pointer_lines=pointer_lines, pairs=pairs, binned=pairs, tiles=tiles[order].copy(),
            quads=placed,
            clears=clears, clear_events=clear_events, clear_buffers=clear_buffers,
            early=np.zeros(len(placed), np.uint8), executed=np.zeros(len(placed), np.uint8),
            written=np.zeros(len(placed), np.uint8),
            written_samples=np.zeros(len(placed) if passes["samples"][index] > 1 else 1, np.uint16),
            log=np.zeros(len(placed) + int(clear_pairs.sum()) + 1, np.int32), quad_rows=quad_rows, num_quads=q1 - q0,
            parameter_bytes=list_bytes + attribute_bytes, frame_index=self._frame_index, bin_count=bin_count,
        )  # fmt: skip

    def _map_first(self, order: Array, across: int) -> NDArray[np.int64]:
        """Where the quad map of each tile in rendering order begins."""
        *periods, size = self.quad_map.shape
        if len(periods) == 1:
            return np.asarray(np.arange(len(order), dtype=np.int64) % periods[0] * size)
        row, column = np.divmod(order.astype(np.int64), across)
        return np.asarray((row % periods[0] * periods[1] + column % periods[1]) * size)

    def _tile_order(self, index: int, across: int, down: int) -> Array:
        """Order in which the tiles of a pass are rendered; raises ConfigError for one that is not of all its tiles."""
        order = tile_order(self.config.tile.order, across, down)
        if self._order is None:
            return order
        own = np.asarray(self._order(self.trace, index, order.copy(), across))
        if own.dtype.kind != "i" or own.shape != order.shape or not np.array_equal(np.sort(own), np.arange(len(order))):
            where = f"frame {self.trace.frame} pass {index}"
            raise ConfigError([f"{where}: tile_order of a technique gave no order of its {len(order)} tiles"])
        return own.astype(np.int64)

    def _tiles(self, width: int, height: int, across: int, down: int) -> Array:
        """Tiles of a target of a size in pixels, row by row."""
        tiles = np.zeros(across * down, state.TILE)
        number = np.arange(across * down)
        tile = self.config.tile
        tiles["x0"], tiles["y0"] = number % across * tile.width, number // across * tile.height
        tiles["width"] = np.minimum(tile.width, width - tiles["x0"])
        tiles["height"] = np.minimum(tile.height, height - tiles["y0"])
        tiles["render"] = tiles["flush"] = 1
        tiles["start"] = tiles["end"] = -1
        tiles["first_line"] = self._lists // 64 + number
        return tiles

    def _quad_columns(self, rows: tuple[int, int], position: Array) -> QuadColumns:
        """What the rows of a pass's quads are made of; ``position`` is theirs in their tiles."""
        table, quads = self.trace["emitted"], self.trace["quads"]
        emitted = quads["emitted"][slice(*rows)]
        draw_of, back = np.zeros(0, np.int32), np.zeros(0, np.uint8)
        if len(emitted):
            draw_of = table["draw"][emitted].astype(np.int32)
            back = (self.trace["primitives"]["front"][table["primitive"][emitted]] == 0).astype(np.uint8)
        return QuadColumns(
            draw_of, back, self.list_of[slice(*rows)], position, _int64(quads["tex_first"]),
            np.ascontiguousarray(quads["coverage"]), np.ascontiguousarray(quads["survives"]),
            np.ascontiguousarray(quads["depth"], np.uint32).reshape(-1), self.segment_first, self.segment_end,
        )  # fmt: skip

    def _vertices(self, rows: tuple[int, int], index_of_pass: int) -> tuple[Array, Array]:
        """Index stream of a pass: what is shaded, for how long, and which lines it looks up."""
        trace, draws, table = self.trace, self.trace["draws"], self.trace["vertices"]
        count = rows[1] - rows[0]
        vertices = np.zeros(max(count, 1), state.VERTEX)[:count]
        if count == 0:
            return np.zeros(1, state.VERTEX), np.zeros(1, np.int64)
        d0, d1 = self.whole(index_of_pass).draws
        begin = int(draws["vertex_first"][d0])
        draw_of = np.repeat(np.arange(d0, d1, dtype=np.int32), draws["vertex_count"][d0:d1])
        draw_of = np.ascontiguousarray(draw_of[rows[0] - begin : rows[1] - begin])
        index = np.ascontiguousarray(table["index"])
        instance = np.ascontiguousarray(table["instance"])
        arrange.mark_reuse(
            draw_of, index, instance, rows[0], self.config.vertex.reuse_entries, vertices, np.zeros(512, np.int64)
        )
        path = table["path"][rows[0] : rows[1]]
        # Invocations of later stages are no vertices of the index stream: they fetch nothing, and none is kept.
        is_invocation = np.isin(trace["programs"]["stage"][trace["paths"]["program"][path]], _INVOKED)
        vertices["shaded"][is_invocation] = 0
        vertices["code_first"], vertices["code_count"] = self.code_first[path], self.code_count[path]
        vertices["cycles"] = self.vertex_cycles[table["path"][rows[0] : rows[1]]]
        fetches = trace["vertex_fetches"]
        reads = arrange.Fetches(
            _int64(draws["fetch_first"]), _int64(draws["fetch_count"]), _int64(fetches["address"]),
            _int64(fetches["stride"]), _int64(fetches["bytes"]), _int64(fetches["divisor"]),
        )  # fmt: skip
        lines = np.zeros(0, np.int64)
        for fill in range(2):
            total = arrange.vertex_lines(
                fill, vertices, rows[0], index, instance, _int64(table["index_address"]), reads, lines
            )
            lines = lines if fill else np.zeros(max(total, 1), np.int64)
        vertices["shaded"][is_invocation] = 1
        return vertices, lines

    def _primitives(
        self, rows: tuple[int, int], emitted_first: int, vertex_rows: tuple[int, int], vertices: Array
    ) -> Array:
        """Primitives in assembly order, each with the number of shaded vertices that it waits for."""
        table = self.trace["primitives"]
        p0, p1 = rows
        out = np.zeros(max(p1 - p0, 1), state.PRIMITIVE)
        if p1 == p0:
            return out
        last = np.maximum.accumulate(table["vertex"][p0:p1].astype(np.int64).max(axis=1)) - vertex_rows[0]
        # Vertices of an earlier part of the pass have been shaded.
        shaded = np.concatenate([[0], np.cumsum(vertices["shaded"])])
        out["needs"] = shaded[np.maximum(last + 1, 0)]
        out["emitted_first"] = table["emitted_first"][p0:p1].astype(np.int64) - emitted_first
        out["emitted_count"] = table["emitted_count"][p0:p1]
        out["draw"] = table["draw"][p0:p1]
        return out

    def _emitted(self, rows: tuple[int, int], across: int, down: int) -> Array:
        """Primitives for the Polygon List Builder; attributes lie one behind the other in submission order."""
        e0, e1 = rows
        out = np.zeros(e1 - e0, state.EMITTED)
        if e1 == e0:
            return out
        out["draw"] = self.trace["emitted"]["draw"][e0:e1]
        attributes = self.trace["draws"]["num_attributes"][out["draw"]].astype(np.int64)
        out["attributes"] = attributes
        # What is larger than a queue waits until that is empty.
        largest = min(self.config.queues.triangle, self.config.queues.tile)
        out["entries"] = np.clip(-(-attributes // _ATTRIBUTES_PER_ENTRY), 1, largest)
        out["attribute_address"] = self._attributes + 48 * np.concatenate([[0], np.cumsum(attributes)[:-1]])
        if self.config.binning.tests_per_cycle:
            tile = np.array([self.config.tile.width, self.config.tile.height])
            bounds = self.trace["emitted"]["bounds"][e0:e1].reshape(-1, 4)
            sides = np.minimum(bounds[:, 2:] // tile + 1, [across, down]) - np.maximum(bounds[:, :2], 0) // tile
            out["test_cycles"] = -(-sides.clip(0).prod(axis=1) // self.config.binning.tests_per_cycle)
        return out

    def _clears(self, index: int, part: Part) -> tuple[Array, Array, Array, Array]:
        """Clears that the tiles execute: all but those that the pass's load operation covers.

        Returns
        -------
        state.CLEAR rows, the first emitted primitive behind each, its row of events, and the buffers that it clears
        """
        passes, events, draws = self.trace["passes"], self.trace["events"], self.trace["draws"]
        first = int(passes["event_first"][index])
        clears: list[tuple[int, ...]] = []
        before: list[int] = []
        rows: list[int] = []
        masks: list[int] = []
        whole = self.whole(index)
        (first_draw, end_draw), first_row = whole.draws, whole.emitted[0]
        begin, end = part.emitted[0] - first_row, part.emitted[1] - first_row
        position = -1
        loaded_later = _cleared_by_load(self.trace, index)
        for k in range(first, first + int(passes["event_count"][index])):
            kind = int(events["kind"][k])
            if kind == EventKind.DRAW and first_draw <= int(events["draw"][k]) < end_draw:
                draw = int(events["draw"][k])
                position = int(draws["emitted_first"][draw]) + int(draws["emitted_count"][draw]) - first_row
            elif kind == EventKind.CLEAR:
                x, y = int(events["x"][k]), int(events["y"][k])
                buffers = int(events["buffers"][k])
                if position < 0:
                    buffers &= ~loaded_later[k - first]
                if not buffers or not (begin < position <= end or (part.number == 0 and position <= begin)):
                    continue
                clears.append(
                    (
                        max(x, 0), max(y, 0), min(x + int(events["width"][k]), int(passes["width"][index])),
                        min(y + int(events["height"][k]), int(passes["height"][index])), buffers >> 16 & 1,
                        int(events["stencil_mask"][k]) if buffers >> 17 & 1 else 0, int(events["clear_stencil"][k]),
                        int(events["clear_depth"][k]),
                    )
                )  # fmt: skip
                before.append(max(position - begin, 0))
                rows.append(k)
                masks.append(buffers)
        return (
            np.array(clears, state.CLEAR), np.array(before, np.int32), np.array(rows, np.int32),
            np.array(masks, np.uint32),
        )  # fmt: skip


def arrangement(config: GpuConfig) -> str:
    """What of a configuration decides how the passes of a machine without techniques are arranged."""
    has_code = config.caches.instruction is not None
    return config.model_dump_json(include=set(_ARRANGED_BY)) + " and code" * has_code


def tile_order(name: str, across: int, down: int) -> Array:
    """Tiles in the order in which they are rendered.

    Parameters
    ----------
    name : ``scanline``, ``snake`` (every second row backwards), ``z-order`` (Morton) or ``hilbert``; the last two
        leave out what the square around the tiles has beside them
    across, down : tiles

    Returns
    -------
    (across * down,) int64, row * across + column
    """
    tiles = np.arange(across * down, dtype=np.int64).reshape(down, across)
    if name == "snake":
        tiles[1::2] = tiles[1::2, ::-1]
    elif name == "z-order":
        x, y = np.meshgrid(np.arange(across), np.arange(down))
        code = np.zeros((down, across), np.int64)
        for bit in range(14):
            code |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1
        return np.argsort(code.reshape(-1), kind="stable")
    elif name == "hilbert":
        return np.argsort(_hilbert(across, down), kind="stable")
    return tiles.reshape(-1)


def _hilbert(across: int, down: int) -> NDArray[np.int64]:
    """Place of each tile, row by row, on the Hilbert curve through the square around them; its first step is to the
    right.

    From the largest quarters to the smallest: the curves in the first and in the last one are mirrored, so that each
    ends beside the beginning of the next.
    """
    bits = (max(across, down) - 1).bit_length()
    x, y = (part.reshape(-1) for part in np.meshgrid(np.arange(across), np.arange(down)))
    # Each level exchanges the axes of its first quarter.
    if bits % 2:
        x, y = y, x
    place = np.zeros(across * down, np.int64)
    for side in (1 << bit for bit in reversed(range(bits))):
        far, low = x & side != 0, y & side != 0
        place += side * side * ((3 * far) ^ low)
        turn = np.where(far & ~low, side - 1, 0)
        x, y = x ^ turn, y ^ turn
        x, y = np.where(low, x, y), np.where(low, y, x)
    return place


def _cleared_by_load(trace: FrameTrace, index: int) -> list[int]:
    """Tell for each event of a pass which buffers a clear of the whole of them, at it or later, loads the pass with.

    A clear before the first draw is free for these buffers: the load operation does it, or overwrites it.
    """
    passes, events = trace["passes"], trace["events"]
    first, count = int(passes["event_first"][index]), int(passes["event_count"][index])
    width, height = int(passes["width"][index]), int(passes["height"][index])
    loads = sum(1 << k for k in range(8) if int(passes["color_load"][index][k]) == LoadOp.CLEAR)
    loads |= (int(passes["depth_load"][index]) == LoadOp.CLEAR) << 16
    loads |= (int(passes["stencil_load"][index]) == LoadOp.CLEAR) << 17
    out = [0] * count
    covered = 0
    is_drawn = np.flatnonzero(events["kind"][first : first + count] == EventKind.DRAW)
    for k in reversed(range(int(is_drawn[0]) if len(is_drawn) else count)):
        row = first + k
        rect = tuple(int(events[name][row]) for name in ("x", "y", "width", "height"))
        if int(events["kind"][row]) == EventKind.CLEAR and rect == (0, 0, width, height):
            whole = int(events["buffers"][row])
            if int(events["color_mask"][row]) & 15 != 15:
                whole &= ~0xFF
            if int(events["stencil_mask"][row]) != 255:
                whole &= ~(1 << 17)
            covered |= whole & loads
        out[k] = covered
    return out


def _row_range(draws: Any, table: str, d0: int, d1: int) -> tuple[int, int]:
    """Rows of a table that the draws ``d0`` to ``d1`` own (one behind the other, see traceformat.gputrace.check)."""
    if d1 == d0:
        return 0, 0
    first = int(draws[f"{table}_first"][d0])
    return first, int(draws[f"{table}_first"][d1 - 1]) + int(draws[f"{table}_count"][d1 - 1])


def _draws(trace: FrameTrace, config: GpuConfig) -> Array:
    """Depth, stencil and late-test rules of every draw (DESIGN §4.7); of a pass, those of its own ones."""
    whole = np.zeros(max(trace["draws"].num_rows, 1), state.DRAW)
    rows = slice(0, trace["draws"].num_rows)
    if trace.index is not None:
        first = int(trace["passes"]["draw_first"][trace.index])
        rows = slice(first, first + int(trace["passes"]["draw_count"][trace.index]))
    if rows.start == rows.stop:
        return whole
    out = whole[rows]
    table = {name: column[rows] for name, column in trace["draws"].items()}
    flags = table["flags"]
    out["command_bytes"] = np.minimum(
        config.command.bytes_per_draw + table["constants_new_bytes"].astype(np.int64).sum(axis=1), 1 << 20
    )
    for name in ("depth_test", "depth_write", "stencil_test", "blend"):
        out[name] = table[name]
    out["depth_write"] &= out["depth_test"]
    out["func"] = np.clip(table["depth_func"].astype(np.int64) - gl.GL_NEVER, 0, 7)
    out["family"] = _FAMILY[out["func"]]
    for name, source in (
        ("stencil_ref", "stencil_ref"), ("stencil_read", "stencil_read_mask"), ("stencil_write", "stencil_write_mask"),
    ):  # fmt: skip
        out[name] = table[source]
    out["stencil_func"] = np.clip(table["stencil_func"].astype(np.int64) - gl.GL_NEVER, 0, 7)
    for name, source in (
        ("stencil_fail", "stencil_fail"), ("depth_fail", "stencil_depth_fail"), ("depth_pass", "stencil_depth_pass"),
    ):  # fmt: skip
        column = table[source]
        for value, code in _STENCIL_OPERATIONS.items():
            out[name][column == value] = code
    writes_depth = (flags & DrawFlags.WRITES_DEPTH) != 0
    discards = ((flags & DrawFlags.DISCARDS) != 0) | (table["alpha_to_coverage"] != 0)
    out["shader_depth"] = writes_depth
    # Fragments that write to memory do so whether they pass their tests or not.
    effects = (flags & (DrawFlags.SIDE_EFFECTS | DrawFlags.EARLY_TESTS)) == DrawFlags.SIDE_EFFECTS
    out["late"] = writes_depth | discards | effects
    operations = out["stencil_fail"].any(axis=1) | out["depth_fail"].any(axis=1) | out["depth_pass"].any(axis=1)
    stencil_changes = (out["stencil_test"] != 0) & operations & out["stencil_write"].any(axis=1)
    out["late_kill"] = ~writes_depth & ~stencil_changes & ~effects
    return whole


def issue_prices(config: GpuConfig) -> tuple[Array, Array]:
    """Issue cycles by InstructionKind, (6,) int64 each: of a vertex; of a quad, whose dead lanes issue, too."""
    vertex, fragment = (_issue_cost(unit.issue_cycles) for unit in (config.vertex, config.fragment))
    return vertex, fragment * (4 // config.fragment.lanes)


def _issue_cost(issue: IssueConfig) -> Array:
    """Issue cycles by InstructionKind."""
    return np.array([issue.alu, issue.transcendental, issue.move, issue.texture, issue.control, issue.kill], np.int64)


def _int64(column: Array) -> Array:
    return np.ascontiguousarray(column, np.int64).reshape(-1)


def _int32(column: Array) -> Array:
    return np.ascontiguousarray(column, np.int32).reshape(-1)


def _padded(column: Array, dtype: Any) -> Array:
    return np.ascontiguousarray(column, dtype) if len(column) else np.zeros(1, dtype)
