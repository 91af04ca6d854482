"""State of the Visibility Rendering Order hardware: graph, Edge Filter, queues, sort, matching of tiles.

Source: VRO Table 2 and Figure 9 (entry of the Graph Buffer).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from gpumodel.techniques.vro.config import EDGES_RING, FILTER_ENTRIES, MAX_ENTRIES, MAX_WIDTH
from gpumodel.techniques.vro.counters import COUNTERS
from gpumodel.units.capacity import MAX_RASTER_UNITS, MAX_SAMPLES, MAX_TILE_PIXELS
from gpumodel.units.counters import counter_fields
from gpumodel.units.state import STREAM
from gpumodel.units.views import state_accessor

__all__ = ["GRAPH", "NONE", "OWNERS", "PENDING", "VRO", "VRO_T", "graph_of", "vro"]

_I: Final = np.int64
#: Samples of a quad, each of which may show an edge.
QUAD_SAMPLES: Final = 4 * MAX_SAMPLES
#: Edges of a quad that wait for room in the Edges Queue, over all Raster Units.
PENDING: Final = QUAD_SAMPLES * MAX_RASTER_UNITS
#: Places of a Raster Unit's owners, a sample each.
OWNERS: Final = MAX_TILE_PIXELS * MAX_SAMPLES
#: No node, no entry.
NONE: Final = -1

#: The Visibility Graph of a pass. Entry k < ``num_nodes`` is the primary entry of node k, overflow entries are taken
#: from the top: ``free`` is the next one. ``touched`` is on-chip: entries without it were never written.
GRAPH: Final = np.dtype(
    [
        ("num_nodes", _I), ("free", _I), ("width", _I),
        ("in_degree", np.int32, (MAX_ENTRIES,)), ("length", np.int32, (MAX_ENTRIES,)),
        ("next", np.int32, (MAX_ENTRIES,)), ("touched", np.uint8, (MAX_ENTRIES,)),
        ("child", np.int16, (MAX_ENTRIES * MAX_WIDTH,)),
    ],
    align=True,
)  # fmt: skip

#: ``node_of_draw`` and ``movable`` are by row of draws; ``run_first`` by node: the first node that it may change places
#: with; ``graph`` and ``previous`` are addresses of :data:`GRAPH`, of this frame and of the one before.
VRO: Final = np.dtype(
    [
        ("active", _I), ("unit", _I), ("matcher", _I), ("cache", _I), ("graph_line", _I),
        ("node_of_draw", STREAM), ("movable", STREAM), ("run_first", STREAM), ("graph", _I), ("previous", _I),
        # owners of the Depth Buffer's samples: 2 * node + 1 where its function passes equal depths; -1 = contents
        ("tile", _I, (MAX_RASTER_UNITS,)), ("owner", np.int32, (MAX_RASTER_UNITS * OWNERS,)),
        # edges of a quad, an Edge Filter a Raster Unit
        ("found", _I, (QUAD_SAMPLES,)), ("found_count", _I), ("last_edge", _I, (MAX_RASTER_UNITS,)),
        ("filter", _I, (MAX_RASTER_UNITS, FILTER_ENTRIES)), ("filter_stamp", _I, (MAX_RASTER_UNITS, FILTER_ENTRIES)),
        ("filter_clock", _I, (MAX_RASTER_UNITS,)), ("search_cycle", _I, (MAX_RASTER_UNITS,)),
        ("searched", _I, (MAX_RASTER_UNITS,)), ("filter_size", _I), ("searches_per_cycle", _I),
        # the Edges Queue, and who wrote to it last, when
        ("queue_writer", _I), ("queue_written", _I),
        ("queue", _I, (EDGES_RING,)), ("queue_ready", _I, (EDGES_RING,)), ("queue_head", _I), ("queue_count", _I),
        ("queue_depth", _I), ("pending", _I, (PENDING,)), ("pending_count", _I),
        ("stalled_since", _I, (MAX_RASTER_UNITS,)), ("stalled_by", _I, (MAX_RASTER_UNITS,)),
        # Graph Cache access under way: 2 * entry + write, -1 without one; when the next one may follow
        ("access", _I), ("waiting", _I), ("ready", _I),
        # Edge Inserter
        ("insert_phase", _I), ("source", _I), ("target", _I), ("entry", _I), ("last", _I),
        # Visibility Sort
        ("sorting", _I), ("sort_begin", _I), ("sort_phase", _I), ("sort_node", _I), ("root", _I), ("sort_entry", _I),
        ("sort_child", _I), ("child", _I), ("best", _I), ("remaining", _I), ("roots_head", _I), ("roots_tail", _I),
        ("degree", np.int32, (MAX_ENTRIES,)), ("gone", np.uint8, (MAX_ENTRIES,)), ("roots", np.int32, (MAX_ENTRIES,)),
        ("order_count", _I), ("order", np.int32, (MAX_ENTRIES,)),
        # tile lists: starts of nodes, blocks
        ("record_count", STREAM), ("block_count", STREAM), ("block_first", STREAM), ("block_lines", STREAM),
        ("record_cycles", _I), ("scan_cycles", _I), ("num_tiles", _I), ("ahead", _I),
        ("match_tile", _I), ("match_block", _I), ("match_phase", _I), ("match_ready", _I),
        ("approved", _I), ("match_since", _I), ("sort_since", _I),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip

VRO_T: Final = from_dtype(VRO)
vro: Final = state_accessor(VRO)
graph_of: Final = state_accessor(GRAPH)
