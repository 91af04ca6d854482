"""Visibility Rendering Order as a technique: driver, hardware, counters.

The driver numbers the nodes of each pass in program order and knows objects again by their ids (VRO §4.3.4). The order
that the sort will give is computed before the pass, by the same steps that the sort takes in its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Hook, PluggedCache, PluggedUnit, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.techniques.vro.config import MAX_WIDTH, VroConfig
from gpumodel.techniques.vro.counters import COUNTERS
from gpumodel.units.traffic import GRAPH
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace, MemoryMap

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.vro.lists import TileLists
    from gpumodel.techniques.vro.nodes import Nodes

__all__ = ["PassGraph", "VisibilityOrder"]

Array = NDArray[Any]
#: The model's regions that the baseline does not use, see :mod:`gpumodel.streams`.
GRAPH_ADDRESS = MemoryMap.MODEL + (3 << 34)
_LINE_BYTES = 64
_POINTER_BITS = 32


@dataclass(slots=True)
class PassGraph:
    """What lasts over the frames of one render pass: two graphs, that of the last frame first, and its keys."""

    number: int
    graphs: list[Array]
    keys: list[tuple[int, int, int]] = field(default_factory=list)


@register
class VisibilityOrder(Technique):
    """Visibility Rendering Order: objects front to back, as the last frame has found them."""

    id = "vro"
    source = "VRO §3, §4.3"
    Config = VroConfig
    # The node of an entry; the Order Matcher reads lists.
    takes = ("the spare bits of list pointers", "the port beside the Tile Fetcher")
    looks_ahead = True
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        self._passes: dict[tuple[int, int, int, int], PassGraph] = {}
        self._frame: FrameTrace | None = None
        self._seen: dict[tuple[int, int, int], int] = {}
        self._late_accesses = 0
        self._drawn: dict[int, dict[str, str]] = {}

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Two primitives in flight (VRO §4.3), where the Tile Fetcher has no Primitive Table yet; and no more Parameter
        Buffer than list pointers reach with the bits that nodes leave.
        """
        from gpumodel.units.binning import ATTRIBUTE_BYTES

        fetcher, binning = config.tile_fetcher, config.binning
        if fetcher.design != "pipelined":
            fetcher = fetcher.model_copy(update={"design": "pipelined", "primitive_table": 2})
        reached = (ATTRIBUTE_BYTES << _POINTER_BITS - _node_bits(config)) >> 20
        capacity = min(binning.parameter_buffer_mib, reached)
        binning = binning.model_copy(update={"parameter_buffer_mib": capacity})
        return config.model_copy(update={"tile_fetcher": fetcher, "binning": binning})

    def history(self, config: GpuConfig) -> int:
        """The graph of the frame before gives the order, and what was known of its objects the frame before that."""
        return 2

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put owners into Early-Z, the Visibility unit behind it, and the Order Matcher in front of the fetcher."""
        from gpumodel.techniques.vro import edges, records, state, unit

        vro = VroConfig.of(config)
        self._config = config
        self.record = np.zeros(1, state.VRO)
        own = self.record[0]
        own["filter_size"] = vro.edge_filter
        own["searches_per_cycle"] = vro.searches_per_cycle
        own["queue_depth"] = vro.edges_queue
        own["record_cycles"] = vro.record_cycles
        own["ahead"] = vro.match_ahead
        hooks = {
            "test": edges.decide_owned, "quad_ready": edges.edge_ready, "tile_render": records.schedule_tile,
        }  # fmt: skip
        return Plugs(
            primitive_order=self._order,
            hooks={name: Hook(function, self.record) for name, function in hooks.items()},
            units=[
                PluggedUnit("visibility", Hook(unit.tick_visibility, self.record), before="early_z"),
                PluggedUnit("order_matcher", Hook(records.tick_matcher, self.record), before="tile_fetcher"),
            ],
            caches=[PluggedCache("vro_graph", vro.graph_cache, "visibility", GRAPH)],
            observers=[self._end],
        )

    def attach(self, machine: Machine) -> None:
        """Note the numbers of units and caches."""
        own = self.record[0]
        own["unit"], own["matcher"] = machine.unit_number("visibility"), machine.unit_number("order_matcher")
        own["cache"] = machine.cache_number("vro_graph")
        machine.system["frame"][0]["u_beside"] = own["matcher"]
        self._machine = machine

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Everything of Figures 8, 12 and 13, the owners, and the matching of records."""
        from gpumodel.units.arrange import POINTERS_PER_BLOCK

        p, vro = Prices(config), VroConfig.of(config)
        pixels = config.tile.width * config.tile.height
        node_bits = _node_bits(config)
        graph = "vro.graph_cache"
        cache = vro.graph_cache.size_bytes / 4096
        bitmap = vro.graph_entries / 4096
        tables = vro.nodes * 2 / 512
        units = config.raster.units
        return [
            p.array("vro.owners", "color_depth_buffer_1K", pixels * (node_bits + 1) / 8192, units,
                    {"quads.rasterized": "read", "vro.owner_writes": "write"}),
            # Owner against node, and against the first node of its run, at four fragments.
            p.array("vro.owner_comparators", "logic_comparator_mag_12b", node_bits / 12, 8 * units,
                    {"quads.rasterized": "read*8"}),
            p.array("vro.edge_filter", "edge_filter_cam32", vro.edge_filter / 32, units,
                    {"vro.filter_searches": "search", "vro.edges_queued": "write"}),
            p.array("vro.edges_queue", "queue_edges", vro.edges_queue / 64, 1, {"vro.edges_queued": "read write"}),
            # In front of the queue, a register of an edge for each further Raster Unit.
            p.array("vro.edge_arbiter", "logic_register_32b", 2 * node_bits / 32, units - 1,
                    {"vro.edges_queued": f"read*{min(units - 1, 1)}"}),
            p.array(graph, "graph_cache", cache, 1, {f"{graph}.accesses": "read"}),
            p.array("vro.adjacency_register", "logic_register_32b", 1, 2 * 16, {"vro.list_searches": "read*16"}),
            p.array("vro.list_comparators", "logic_comparator_eq_13b", node_bits / 13, vro.children,
                    {"vro.list_searches": f"read*{vro.children}"}),
            p.array("vro.degree_adders", "logic_adder_12b", node_bits / 12, 2,
                    {"vro.edges": "read", "vro.degree_updates": "read"}),
            p.array("vro.minimum", "logic_comparator_mag_12b", node_bits / 12, 1, {"vro.heuristic_picks": "read"}),
            # Roots, and the rank of each node by its number in this frame.
            p.array("vro.roots_queue", "roots_queue", tables, 1, {"vro.nodes_sorted": "read write"}),
            p.array("vro.order_queue", "queue_order", vro.order_queue / 64, 1, {"vro.nodes_sorted": "read write"}),
            p.array("vro.order_table", "roots_queue", 2 * tables, 1,
                    {"vro.nodes_sorted": "read write*2", "vro.list_starts": "read"}),
            # Entries that were written, and nodes that are sorted.
            p.array("vro.entry_bitmaps", "constants_bitmap", bitmap, 2,
                    {"vro.edges_queued": "read*2 write*2", "vro.nodes_sorted": "read write"}),
            # Each pointer of a block against the one before.
            p.array("vro.start_comparators", "logic_comparator_eq_13b", node_bits / 13, POINTERS_PER_BLOCK,
                    {"vro.matcher_reads": f"read*{POINTERS_PER_BLOCK}"}),
            # Where the pointers of each node begin in a tile's list: of the tile that is matched, and of that in work.
            p.array("vro.first_pointers", "roots_queue", tables, 2, {"vro.list_starts": "write read"}),
            p.array("vro.match_bitmap", "constants_bitmap", bitmap, 1, {"vro.list_starts": "read write"}),
        ]  # fmt: skip

    def drawings(self, frame: int) -> Mapping[str, str]:
        """Graphs of a frame's passes."""
        return self._drawn.pop(frame, {})

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        own = self.record[0]
        cache = self._machine.system["l1"][int(own["cache"])]
        own["graph_cache.accesses"] = int(cache["accesses"])
        own["graph_cache.misses"] = int(cache["misses"])
        own["graph_cache.bytes"] = _LINE_BYTES * (int(cache["primary_misses"]) + int(cache["write_backs"]))
        return super().read_counters()

    # ---- a pass

    def _order(self, trace: FrameTrace, streams: PassStreams) -> Array:
        """Find the pass's nodes, take the order of its last frame, and put the tile lists into that order."""
        from gpumodel.techniques.vro.lists import TileLists, read_lists
        from gpumodel.techniques.vro.nodes import find_nodes, order_pairs

        self._nodes = nodes = find_nodes(trace, streams, VroConfig.of(self._config).nodes)
        self._pass = self._known_pass(trace, streams)
        own = self.record[0]
        own["previous"] = self._pass.graphs[0].ctypes.data
        own["graph"] = self._pass.graphs[1].ctypes.data
        self._rank = self._ranks(nodes)
        if not nodes.movable.any():
            # Nothing to order: lists as in the baseline.
            self._load(trace, streams, nodes, TileLists.none())
            return streams.pairs
        self._load(trace, streams, nodes, read_lists(trace, streams, nodes))
        return order_pairs(trace, streams, nodes, self._rank)

    def _known_pass(self, trace: FrameTrace, streams: PassStreams) -> PassGraph:
        """Give the graphs of the pass: the same framebuffer and size, in the same place among those of the frame."""
        from gpumodel.techniques.vro.state import GRAPH

        if trace.head is not self._frame:
            self._frame = trace.head
            self._seen = {}
        passes, index = trace["passes"], streams.index
        kind = int(passes["framebuffer"][index]), streams.width, streams.height
        self._seen[kind] = self._seen.get(kind, -1) + 1
        key = (*kind, self._seen[kind])
        if key not in self._passes:
            graphs = [np.zeros(1, GRAPH) for _ in range(2)]
            self._passes[key] = PassGraph(len(self._passes), graphs)
        return self._passes[key]

    def _ranks(self, nodes: Nodes) -> NDArray[np.int64]:
        """Rendering order of the pass's nodes: the sorted ones, then the new ones in program order."""
        from gpumodel.techniques.vro.graph import order_graph

        known, own = self._pass, self.record[0]
        order_graph(self.record.ctypes.data)
        number = {key: k for k, key in enumerate(nodes.keys)}
        rank = np.full(nodes.count, -1, np.int64)
        place = 0
        for old in own["order"][: int(own["order_count"])].tolist():
            node = number.get(known.keys[old])
            if node is None:
                self.record[0]["nodes_vanished"] += 1
            else:
                rank[node] = place
                place += 1
        movable = nodes.movable[np.flatnonzero(np.diff(nodes.node_of_draw, prepend=-1))] if nodes.count else rank
        new = rank < 0
        rank[new] = place + np.arange(int(new.sum()))
        # What may not move is alone in its place, in program order.
        fixed = ~movable.astype(bool)
        rank[fixed] = np.flatnonzero(fixed)
        self.record[0]["nodes"] += nodes.count
        self.record[0]["movable_nodes"] += int((~fixed).sum())
        self.record[0]["nodes_new"] += int((new & ~fixed).sum())
        return rank

    def _load(self, trace: FrameTrace, streams: PassStreams, nodes: Nodes, lists: TileLists) -> None:
        """Bind the pass's tables to the unit, and begin its sort."""
        own, vro = self.record[0], VroConfig.of(self._config)
        known, graph = self._pass, self._pass.graphs[1][0]
        self.record[0]["list_starts"] += int(lists.starts.sum())
        d0, d1 = streams.draw_range
        node_of_draw, movable = np.zeros(trace["draws"].num_rows, np.int32), np.zeros(trace["draws"].num_rows, np.uint8)
        node_of_draw[d0:d1], movable[d0:d1] = nodes.node_of_draw, nodes.movable
        arrays: dict[str, Array] = {
            "node_of_draw": node_of_draw, "movable": movable, "run_first": nodes.run_first,
            "record_count": lists.starts, "block_count": lists.blocks, "block_first": lists.block_first,
            "block_lines": lists.block_lines,
        }  # fmt: skip
        self._bound = []
        for name, array in arrays.items():
            kind = {"movable": np.uint8, "block_lines": np.int64}.get(name, np.int32)
            # A stream is never empty.
            bound = np.ascontiguousarray(array, kind) if len(array) else np.zeros(1, kind)
            bind(own[name], bound)
            self._bound.append(bound)
        graph["num_nodes"] = min(nodes.count, vro.nodes, vro.graph_entries)
        graph["free"] = vro.graph_entries - 1
        graph["width"] = vro.children
        for name in ("in_degree", "length", "touched"):
            graph[name] = 0
        graph["next"] = -1
        own["active"] = bool((nodes.movable).any())
        own["graph_line"] = GRAPH_ADDRESS // _LINE_BYTES + known.number * vro.graph_entries
        own["num_tiles"] = len(streams.tiles)
        own["scan_cycles"] = -(-nodes.count // vro.order_bits_per_cycle)
        self._begin()

    def _begin(self) -> None:
        """Put the hardware into the state in which a pass finds it."""
        from gpumodel.techniques.vro.graph import begin_sort_at

        own = self.record[0]
        now = self._machine.cycles
        begin_sort_at(self.record.ctypes.data)
        own["sorting"] = int(own["active"]) and int(self._pass.graphs[0][0]["num_nodes"]) > 0
        own["sort_begin"] = now
        own["ready"] = now + self._late_accesses
        own["search_cycle"] = own["queue_written"] = now
        own["queue_writer"] = 0
        own["tile"] = own["access"] = own["approved"] = own["sort_since"] = own["match_since"] = -1
        own["stalled_since"] = own["last_edge"] = own["filter"] = -1
        own["filter_stamp"] = own["filter_clock"] = own["searched"] = 0
        own["match_tile"] = -1
        own["waiting"] = own["match_ready"] = own["match_phase"] = 0
        own["queue_head"] = own["queue_count"] = own["pending_count"] = own["insert_phase"] = 0

    def _end(self, trace: FrameTrace, done: PassRun) -> None:
        """Insert what is left, and keep the graph for the next frame."""
        from gpumodel.techniques.vro.graph import finish_edges

        self._late_accesses = int(finish_edges(self.record.ctypes.data))
        known, counts = self._pass, self.record[0]
        before, keys = edges_of(known.graphs[0][0]), known.keys
        known.keys = self._nodes.keys
        known.graphs.reverse()
        source, target = edges_of(known.graphs[0][0])
        kept, turned = common_pairs(before, keys, (source, target), known.keys)
        counts["order_pairs"] += kept + turned
        counts["order_kept"] += kept
        if self.draws and self._nodes.count:
            from gpumodel.techniques.vro.drawing import draw_graph

            drawn = draw_graph(trace, done.streams, self._nodes, self._rank, source, target)
            stem = f"frame_{trace.frame:04d}_pass_{done.streams.index}"
            files = self._drawn.setdefault(trace.frame, {})
            files[f"{stem}.dot"], files[f"{stem}.json"] = drawn.dot, drawn.json
        counts["edges_right"] += int((self._rank[source] < self._rank[target]).sum())
        if len(source):
            lengths = np.bincount(source, minlength=int(known.graphs[0][0]["num_nodes"]))
            counts["list_max"] += int(lengths.max())
            for percent in (75, 85, 95):
                counts[f"list_p{percent}"] += int(np.percentile(lengths, percent, method="inverted_cdf"))


def _node_bits(config: GpuConfig) -> int:
    """Bits of a node's number."""
    return max(VroConfig.of(config).nodes - 1, 1).bit_length()


Edges = tuple[NDArray[np.int64], NDArray[np.int64]]


def common_pairs(
    before: Edges, keys_before: Sequence[tuple[int, int, int]], now: Edges, keys: Sequence[tuple[int, int, int]]
) -> tuple[int, int]:
    """Pairs of nodes that two graphs order the same way, and those that they order the other way round.

    Parameters
    ----------
    before, now : sources and targets; no graph has both ways of a pair
    keys_before, keys : what each graph's nodes are known by
    """
    number = {key: k for k, key in enumerate(keys)}
    node = np.array([number.get(key, -1) for key in keys_before] or [-1], np.int64)
    source, target = node[before[0]], node[before[1]]
    known = (source >= 0) & (target >= 0)
    pairs = now[0] * len(keys) + now[1]
    same = np.isin(source[known] * len(keys) + target[known], pairs)
    other = np.isin(target[known] * len(keys) + source[known], pairs)
    return int(same.sum()), int(other.sum())


def edges_of(graph: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and targets of a graph's edges, by source, in the order of its lists."""
    count = int(graph["num_nodes"])
    children = graph["child"].reshape(-1, MAX_WIDTH)
    sources: list[int] = []
    targets: list[int] = []
    for node in np.flatnonzero(graph["length"][:count]).tolist():
        entry = node
        while entry >= 0:
            kept = children[entry, : int(graph["length"][entry])].tolist()
            sources += [node] * len(kept)
            targets += kept
            entry = int(graph["next"][entry])
    return np.array(sources, np.int64), np.array(targets, np.int64)
