"""State of the machine: one nested record, one sub-record a unit.

Every unit's registers, queues and counters are fields of :data:`SYSTEM`. Units come in arrays, indexed by frame in
flight (geometry), Raster Unit, and processor, with the counts taken from the configuration; array capacities are
fixed maxima, because shapes are part of a compiled type. Queues are rings with a power-of-two capacity of their
own; their modelled depth is a configuration field.

The streams that the units consume (:data:`DRAW` ... :data:`TILE`) are structured arrays made once a pass by
:mod:`gpumodel.units.arrange`; rows are absolute, so that several frames in flight can share the arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from gpumodel.memory.dram.state import COMMAND, MEMORY, REQUEST
from gpumodel.units.capacity import (
    COLOR_RING,
    DRAM_RING,
    FLIGHT_RING,
    FRAGMENT_RING,
    INPUT_RING,
    L1_LINES,
    L1_MSHRS,
    L1_RING,
    L2_LINES,
    L2_MSHRS,
    LPDDR_BURSTS,
    LPDDR_LINES,
    MAX_ATTACHMENTS,
    MAX_CHANNELS,
    MAX_FRAMES,
    MAX_PROCESSORS,
    MAX_RASTER_PROCESSORS,
    MAX_RASTER_UNITS,
    MAX_SAMPLES,
    MAX_TABLE_ENTRIES,
    MAX_TECHNIQUE_CACHES,
    MAX_TILE_PIXELS,
    MAX_TILE_QUADS,
    MAX_UNITS,
    MAX_VERTEX_PROCESSORS,
    POST_RASTER_RING,
    THREAD_RING,
    TILE_QUEUE_RING,
    TILES_IN_RASTER_UNIT,
    TRIANGLE_RING,
)
from gpumodel.units.counters import (
    CACHE_COUNTERS,
    DRAM_COUNTERS,
    GEOMETRY_COUNTERS,
    L2_COUNTERS,
    PROCESSOR_COUNTERS,
    RASTER_UNIT_COUNTERS,
    Counter,
    counter_fields,
)
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.native.records import STREAM, record_type

__all__ = [
    "CLEAR",
    "DRAW",
    "EMITTED",
    "FILLED",
    "FLUSHED",
    "KEPT",
    "L1_COMMAND",
    "L1_INSTRUCTION",
    "L1_TECHNIQUE",
    "L1_TEXTURE",
    "L1_TILE",
    "L1_VERTEX",
    "L1_VERTEX_INSTRUCTION",
    "NUM_L1",
    "NUM_STATES",
    "PAIR",
    "PIECE",
    "PLUG",
    "PORT_BITS",
    "PORT_WORDS",
    "PRIMITIVE",
    "QUAD",
    "RENDERED",
    "RING",
    "SEGMENT",
    "SLOT_ACCESS",
    "STREAM",
    "SYSTEM",
    "TAKEN",
    "TEX_OP",
    "TILE",
    "VERTEX",
    "WALK",
    "WORD_BITS",
]

#: Units in a word of ``SYSTEM.due``, and cycles that it looks ahead: bits of ``SYSTEM.reminded``.
WORD_BITS: Final = 64
RING: Final = 64
#: busy, idle, and the four stall reasons of :mod:`gpumodel.units.events`.
NUM_STATES: Final = 6

#: Level-one caches by index, which is also their port number at the L2. Caches of techniques come before the texture
#: and instruction caches of the Raster Units' processors.
L1_COMMAND: Final = 0
L1_VERTEX: Final = 1
L1_TILE: Final = 2
L1_VERTEX_INSTRUCTION: Final = 3
L1_TECHNIQUE: Final = 4
L1_TEXTURE: Final = L1_TECHNIQUE + MAX_TECHNIQUE_CACHES
L1_INSTRUCTION: Final = L1_TEXTURE + MAX_RASTER_PROCESSORS
NUM_L1: Final = L1_INSTRUCTION + MAX_RASTER_PROCESSORS
#: Ports are bits of words that stay clear of the sign.
PORT_BITS: Final = 48
PORT_WORDS: Final = -(-NUM_L1 // PORT_BITS)

_I: Final = np.int64


def _record(*counters: Mapping[str, Counter], **fields: Any) -> np.dtype[Any]:
    """Record type from ``name=dtype`` or ``name=(dtype, shape)``, with a field for each counter."""
    counted = {name: kind for declared in counters for name, *kind in counter_fields(declared)}
    return record_type(**fields, **{name: kind[0] if len(kind) == 1 else tuple(kind) for name, kind in counted.items()})


#: A function outside the machine and its record, by address; 0 = none, see :mod:`.plug`.
PLUG: Final = _record(function=_I, own=_I)

L1: Final = _record(
    CACHE_COUNTERS,
    set_mask=_I, ways=_I, latency=_I, num_mshrs=_I, request_depth=_I,
    client=_I, traffic=_I, owner=_I, writer=_I, clock=_I,
    tag=(_I, (L1_LINES,)), stamp=(_I, (L1_LINES,)), dirty=(np.uint8, (L1_LINES,)),
    mshr_line=(_I, (L1_MSHRS,)), mshr_waiters=(_I, (L1_MSHRS,)), mshr_count=_I,
    request=(_I, (L1_RING,)), request_head=_I, request_count=_I,
    # rows of costs (:mod:`.costs`): who looks up now, who has written a line last, who has sent a request; its place
    # in ``COST.cache``
    who=_I, line_who=(np.int32, (L1_LINES,)), request_who=(_I, (L1_RING,)), cost_cache=_I,
    fill=(_I, (L1_RING,)), fill_time=(_I, (L1_RING,)), fill_head=_I, fill_count=_I,
    # the first cycle that can take the next fill, and until when its owner need not be told of one
    fill_free=_I, quiet_until=_I,
    # a Texture Cache of two processors: look-ups a cycle (0 = it is not shared), those of the last cycle that had any,
    # the processor that last found no port, and the last cycles in which one left the port to the other in its turn and
    # in which one found no miss register
    ports=_I, port_cycle=_I, port_used=_I, denied=_I, denied_cycle=_I, left_cycle=_I, blocked_cycle=_I,
    port_conflicts=_I, register_waits=_I,
)  # fmt: skip

L2: Final = _record(
    CACHE_COUNTERS, L2_COUNTERS,
    unit=_I, set_mask=_I, ways=_I, bank_mask=_I, latency=_I, num_mshrs=_I, clock=_I, turn=_I,
    waiting=(_I, (PORT_WORDS,)), num_words=_I,
    tag=(_I, (L2_LINES,)), stamp=(_I, (L2_LINES,)), dirty=(np.uint8, (L2_LINES,)),
    mshr_line=(_I, (L2_MSHRS,)), mshr_clients=(_I, (L2_MSHRS, PORT_WORDS)), mshr_count=_I,
    fill=(_I, (L2_MSHRS,)), fill_head=_I, fill_count=_I,
    line_who=(np.int32, (L2_LINES,)),
)  # fmt: skip

#: Two latency queues (row hit, row miss) and a write queue in front of one data pipe. A tag of 0 and above is a Raster
#: Unit whose tile load waits; -1 is the L2. Where costs are counted, ``moves_for`` is the row whose texture line moves,
#: -1 = none, and ``moves_other`` tells whether anything else does.
DRAM: Final = _record(
    DRAM_COUNTERS,
    command_level=_I, read_plug=PLUG, write_plug=PLUG, end_plug=PLUG,
    unit=_I, row_hit=_I, row_miss=_I, bytes_per_cycle=_I, channel_mask=_I, channel_shift=_I, row_shift=_I,
    read_depth=_I, write_depth=_I, reads=_I,
    line=(_I, (3, DRAM_RING)), size=(_I, (3, DRAM_RING)), tag=(_I, (3, DRAM_RING)), ready=(_I, (3, DRAM_RING)),
    head=(_I, (3,)), count=(_I, (3,)),
    moving=_I, moving_kind=_I, moving_line=_I, moving_tag=_I, moving_end=_I,
    who=(_I, (3, DRAM_RING)), moving_who=_I, moves_for=_I, moves_other=_I,
    last_row=(_I, (MAX_CHANNELS,)),
    read_bytes=(_I, (len(TRAFFIC_NAMES),)), write_bytes=(_I, (len(TRAFFIC_NAMES),)),
)  # fmt: skip

_SLOTS: Final = LPDDR_LINES * LPDDR_BURSTS

#: The command-level memory: the controller's state, and the bursts on their way by slot. A line is one or several
#: (``line_bursts`` of ``burst_bytes``): ``first`` is the slot of its first one, which keeps line, tag and the number of
#: bursts that are ``missing``. ``ticks_per_cycle`` is the ratio of the clocks with TICK_FRACTION_BITS of fraction;
#: ``width`` caps the bytes a GPU cycle (0: the channels alone do), ``pipe_free`` is when the cap lets the next line in.
#: The transfers' bursts bypass the controller.
LPDDR: Final = _record(
    memory=MEMORY, requests=(REQUEST, (_SLOTS,)), log=(COMMAND, (1,)),
    line=(_I, (_SLOTS,)), tag=(_I, (_SLOTS,)), first=(_I, (_SLOTS,)), missing=(_I, (_SLOTS,)),
    free=(_I, (_SLOTS,)), free_count=_I, who=(_I, (_SLOTS,)),
    line_bursts=_I, burst_bytes=_I, width=_I, pipe_free=_I,
    ticks_per_cycle=_I, input_depth=_I, writes_waiting=_I, transfer_reads=_I, transfer_writes=_I,
)  # fmt: skip

#: Geometry and tiling of one frame in flight.
GEOMETRY: Final = _record(
    GEOMETRY_COUNTERS,
    u_fetch_tiles=_I, u_binner=_I, u_assembly=_I, u_processor=_I, u_vertex=_I, u_command=_I,
    # what the frame's units read
    draws=STREAM, vertices=STREAM, vertex_lines=STREAM, primitives=STREAM, emitted=STREAM, pointer_lines=STREAM,
    pairs=STREAM, tiles=STREAM, quads=STREAM, ops=STREAM, lines=STREAM, lanes=STREAM, segments=STREAM, clears=STREAM,
    shader_depth=STREAM, sample_coverage=STREAM, sample_depth=STREAM, depth_image=STREAM, stencil_image=STREAM,
    segment_lines=STREAM,
    # Where a technique lays the first attachment out otherwise than row by row: the first piece of each tile, and the
    # pieces, in the order in which they are moved; ``stored`` and ``loaded`` tell for which of the two.
    is_stored_in_pieces=_I, is_loaded_in_pieces=_I, stored_first=STREAM, stored=STREAM, loaded_first=STREAM,
    loaded=STREAM,
    # and what they write: Early-Z's results, fragments shaded to their end, fragments written, the log of retired quads
    # and clears
    early=STREAM, executed=STREAM, written=STREAM, written_samples=STREAM, log=STREAM, retired=_I,
    # where costs are counted: row of the frame's first draw and of the pass's shared work; whose the cycles are since
    # when, in the geometry phase (-1: it is over); the quads in each Raster Unit as lists, oldest first
    cost_first=_I, cost_shared=_I, cost_owner=_I, cost_since=_I, geometry_end=_I, cost_shades=_I,
    quad_behind=STREAM, quad_before=STREAM,
    # and of each texture instruction of a quad: cycles in which its processor waited for it, look-ups that missed
    op_waits=STREAM, op_misses=STREAM,
    # ``held``: the raster phase waits until the machine lets it begin; the Tile Cache of the frame's fetcher
    phase=_I, raster_start=_I, raster_end=_I, held=_I, tile_cache=_I,
    draw=_I, draw_end=_I, row=_I, row_end=_I, primitive=_I, primitive_end=_I,
    # the tile whose list is fetched, and how many have been given to a Raster Unit or passed over
    tile=_I, tile_end=_I, tiles_begun=_I,
    # Command Processor
    command_line=_I, command_lines=_I, command_requested=_I, command_waiting=_I, command_until=_I, draws_ready=_I,
    # Vertex Fetcher and the vertex input queue
    fetch_line=_I, input_depth=_I, input_row=(_I, (INPUT_RING,)), input_pending=(_I, (INPUT_RING,)),
    input_head=_I, input_count=_I,
    input_open=_I, vertices_fetched=_I,
    # Vertex Processors and the vertex output queue
    num_processors=_I, processor_turn=_I, output_turn=_I, processor_busy=(_I, (MAX_VERTEX_PROCESSORS,)),
    processor_until=(_I, (MAX_VERTEX_PROCESSORS,)), output_depth=_I, output_count=_I,
    instruction_cache=_I, code_line=_I, code_blocked=_I, code_waits=_I,
    # Primitive Assembly and the triangle queue
    vertices_taken=_I, piece=_I, triangle=(_I, (TRIANGLE_RING,)), triangle_head=_I, triangle_count=_I, triangle_used=_I,
    triangle_depth=_I,
    # Polygon List Builder
    binning=_I, bin_attribute=_I, bin_attribute_line=_I, bin_tile=_I, bin_until=_I,
    # Tile Scheduler and Tile Fetcher
    fetch_state=_I, fetch_pair=_I, fetch_attribute=_I, fetch_attribute_line=_I, fetch_ready=_I, fetch_missing=_I,
    fetch_since=_I,
    # ``picked_unit``: 1 + the Raster Unit that a technique has picked for ``tile``, 0 = it is asked
    tile_passed=_I, last_raster_unit=_I, picked_unit=_I,
    # Primitive Table, in the order of the list: entries from ``table_head`` on
    table_pair=(_I, (MAX_TABLE_ENTRIES,)), table_attribute=(_I, (MAX_TABLE_ENTRIES,)),
    table_attribute_line=(_I, (MAX_TABLE_ENTRIES,)), table_since=(_I, (MAX_TABLE_ENTRIES,)),
    table_head=_I, table_count=_I, table_ready=_I, table_done=_I, table_pointed=_I, table_fresh=_I,
    pointer_state=_I, pointer_slot=_I, pointer_from=_I, attribute_slot=_I,
    arrival=(_I, (MAX_TABLE_ENTRIES,)), arrival_time=(_I, (MAX_TABLE_ENTRIES,)), arrival_head=_I, arrival_count=_I,
    table_entry_cycles=_I, table_entry_since=_I,
    # a technique's unit that reads the Tile Cache beside the fetcher (0 = none): which of its requests wait for a line;
    # the cycle it had the port in; whether it is in the middle of a tile, which the pass's end waits for
    u_beside=_I, beside_waits=_I, beside_port=_I, beside_works=_I,
    # the pass
    num_colors=_I, color_address=(_I, (MAX_ATTACHMENTS,)), color_bytes=(_I, (MAX_ATTACHMENTS,)),
    color_load=(_I, (MAX_ATTACHMENTS,)), color_store=(_I, (MAX_ATTACHMENTS,)),
    depth_address=_I, depth_bytes=_I, depth_load=_I, depth_store=_I, stencil_load=_I, stencil_store=_I,
    clear_depth=_I, clear_stencil=_I, width=_I, height=_I, samples=_I, loads=_I,
    stores_depth=_I,
)  # fmt: skip

#: Quad slots of one Fragment Processor, its texture unit, and its instruction issue.
PROCESSOR: Final = _record(
    PROCESSOR_COUNTERS,
    unit=_I, cache=_I, waiter_shift=_I, instruction_cache=_I, instruction_port=_I, queue=_I, num_threads=_I,
    texels_per_cycle=_I,
    quad=(_I, (THREAD_RING,)), mask=(_I, (THREAD_RING,)), segment=(_I, (THREAD_RING,)),
    segment_end=(_I, (THREAD_RING,)), op=(_I, (THREAD_RING,)),
    pending=(_I, (THREAD_RING,)), filtered=(_I, (THREAD_RING,)),
    head=_I, count=_I, ready=_I, done=_I, running=_I, until=_I,
    code=(_I, (THREAD_RING,)), code_wait=_I, code_ready=_I,
    # segments that a thread has not ended yet; slots of a technique's table that its hook names, by fragment, -1 = none
    left=(_I, (THREAD_RING,)), slot=(_I, (4,)),
    texture=(_I, (THREAD_RING,)), texture_head=_I, texture_count=_I, line=_I, line_end=_I, looked=_I,
    op_start=_I, op_cycles=_I, texture_free=_I,
    latent=(_I, (THREAD_RING,)), latent_time=(_I, (THREAD_RING,)), latent_head=_I, latent_count=_I,
    lookups=_I,
    # where costs are counted: 1 + the texture instruction that it waits for since when, 0 = none
    wait_op=_I, wait_since=_I,
)  # fmt: skip

#: Where a transfer of a tile stands: attachment, row, and byte of the row.
WALK: Final = _record(target=_I, row=_I, column=_I)

RASTER_UNIT: Final = _record(
    RASTER_UNIT_COUNTERS,
    number=_I, u_flush=_I, u_blend=_I, u_processor=_I, u_depth=_I, u_raster=_I, frame=_I, num_processors=_I,
    # Tiles that were handed over and have not ended, oldest first; of those ``opened`` have reached the Rasterizer, the
    # last of them is ``front``; ``tested`` have reached Early-Z, the Depth Buffer is that of the last, ``depth_tile``.
    # ``u_tiles`` is told when one may end or begin.
    u_tiles=_I, order=(_I, (TILES_IN_RASTER_UNIT,)), order_head=_I, order_count=_I, opened=_I, front=_I,
    tested=_I, depth_tile=_I,
    shading_tile=_I, late_pending=_I, loading=_I, front_only=_I,
    # Tile Queue
    pair=(_I, (TILE_QUEUE_RING,)), pair_head=_I, pair_count=_I, pair_used=_I, pair_depth=_I, pair_coming=_I,
    # Rasterizer
    current=_I, quad=_I, quad_end=_I, raster_next=_I, raster_cost=_I, raster_burst=_I,
    # Post-Rasterization queue (a depth of 0: there is none), and the unit that gives quads to Early-Z: itself behind a
    # queue, else the Rasterizer
    post=(np.int32, (POST_RASTER_RING,)), post_head=_I, post_count=_I, post_depth=_I, u_enter=_I,
    # Early-Z
    in_flight=(_I, (FLIGHT_RING,)), in_flight_ready=(_I, (FLIGHT_RING,)),
    in_flight_head=_I, in_flight_count=_I, in_flight_depth=_I,
    depth_latency=_I,
    depth=(np.uint32, (MAX_TILE_PIXELS * MAX_SAMPLES,)), stencil=(np.uint8, (MAX_TILE_PIXELS * MAX_SAMPLES,)),
    pending=(np.int32, (MAX_TILE_QUADS,)), pending_family=(np.uint8, (MAX_TILE_QUADS,)),
    # Fragment queues: one shared, or one a processor
    num_queues=_I, queue_depth=_I, queued=_I, fragment=(np.int32, (MAX_PROCESSORS, FRAGMENT_RING)),
    fragment_head=(_I, (MAX_PROCESSORS,)),
    fragment_count=(_I, (MAX_PROCESSORS,)), fragment_popped=(_I, (MAX_PROCESSORS,)),
    processor=(PROCESSOR, (MAX_PROCESSORS,)),
    # Colour queue and Blending
    color=(_I, (COLOR_RING,)), color_head=_I, color_count=_I, color_depth=_I, color_buffers=_I, quads_per_cycle=_I,
    # quads in Blending (a depth of 0: each leaves in the cycle in which it enters)
    blending=(_I, (FLIGHT_RING,)), blending_ready=(_I, (FLIGHT_RING,)), blending_head=_I, blending_count=_I,
    blending_depth=_I, blend_latency=_I,
    # Flush
    flush_pending=_I, flush_since=_I, flushing=_I, flush_tile=_I, flush=WALK,
    load=WALK, load_open=_I,
    # counters
    tiles=_I, flush_wait_cycles=_I,
    # where costs are counted: whose frame's the unit is, whose its cycles are since when (-1: nobody's yet), with quads
    # or without, and the ends of its list of quads
    cost_frame=_I, cost_owner=_I, cost_since=_I, cost_shader=_I, oldest_quad=_I, youngest_quad=_I,
    # entries times cycles of the Tile Queue, the fragment queues, the colour and the Post-Rasterization queue, and
    # their last change
    entry_cycles=(_I, (4,)), entry_since=(_I, (4,)),
)  # fmt: skip

CONFIGURATION: Final = _record(
    raster_units=_I, frames=_I, processors=_I, vertex_processors=_I, num_units=_I,
    attributes_per_cycle=_I, quads_per_cycle=_I, command_cycles=_I, command_bytes=_I,
    tile_width=_I, tile_height=_I, tile_quads_x=_I, assignment=_I, pipelined_tiles=_I, decoupled=_I, table_entries=_I,
    fetches_ahead=_I, bins_ahead=_I,
)  # fmt: skip

#: Where a technique's function is asked, see ARCHITECTURE.md: what each one is given and answers.
PLUGS: Final = _record(
    quad_ready=PLUG, test=PLUG, queued=PLUG, shade=PLUG, shaded=PLUG, bin=PLUG, tile_render=PLUG, tile_flush=PLUG,
    victim=PLUG, tile_pick=PLUG,
)  # fmt: skip

SYSTEM: Final = _record(
    now=_I, pause_at=_I, done=_I, cfg=CONFIGURATION, plugs=PLUGS, dispatched=_I,
    # what was filled into and taken from a technique's table, where that is logged
    slot_log=STREAM, slots_logged=_I,
    # rows of costs, empty where none are counted; that of techniques, and that of who asks the memory now
    costs=STREAM, cost_technique=_I, cost_who=_I,
    # rows of textures by their first line, empty where they are not told apart
    texture_costs=STREAM,
    flush_owner=_I, flush_free=_I,
    tick=(PLUG, (MAX_UNITS,)),
    wake=(_I, (MAX_UNITS,)), due=(_I, (MAX_UNITS // WORD_BITS, RING)), reminded=_I,
    kind=(_I, (MAX_UNITS,)), parent=(_I, (MAX_UNITS,)), member=(_I, (MAX_UNITS,)),
    # ``unit_once``: the state of a unit that was accounted for until the next cycle, see :func:`.events.account_once`
    unit_state=(_I, (MAX_UNITS,)), unit_once=(_I, (MAX_UNITS,)), unit_since=(_I, (MAX_UNITS,)),
    unit_cycles=(_I, (MAX_UNITS, NUM_STATES)),
    frame=(GEOMETRY, (MAX_FRAMES,)), ru=(RASTER_UNIT, (MAX_RASTER_UNITS,)),
    dram=DRAM, lpddr=LPDDR, l2=L2, l1=(L1, (NUM_L1,)),
)  # fmt: skip

#: Depth, stencil and late-test rules of one draw. ``func`` is the GL compare function minus GL_NEVER; ``family`` 1 for
#: functions that only lower the depth, 2 that only raise it, 4 that may do either, 0 that leave it.
DRAW: Final = _record(
    command_bytes=np.int32,
    depth_test=np.uint8, depth_write=np.uint8, func=np.uint8, family=np.uint8,
    late=np.uint8, late_kill=np.uint8, shader_depth=np.uint8, stencil_test=np.uint8,
    stencil_func=(np.uint8, (2,)), stencil_ref=(np.uint8, (2,)), stencil_read=(np.uint8, (2,)),
    stencil_write=(np.uint8, (2,)), stencil_fail=(np.uint8, (2,)), depth_fail=(np.uint8, (2,)),
    depth_pass=(np.uint8, (2,)), blend=np.uint8,
)  # fmt: skip

#: One row of the index stream: the lines to fetch, and the cycles of its vertex shader (0 = result reused).
VERTEX: Final = _record(
    draw=np.int32, line_first=np.int32, line_count=np.int32, cycles=np.int32, shaded=np.int32,
    code_first=np.int32, code_count=np.int32,
)  # fmt: skip

#: An assembled primitive: how many shaded vertices it waits for, and what it emits.
PRIMITIVE: Final = _record(needs=np.int32, emitted_first=np.int32, emitted_count=np.int32, draw=np.int32)

#: A triangle, line or point for the Polygon List Builder: its attributes' place, the tiles it lies in, and the cycles
#: that testing those of its bounds takes.
EMITTED: Final = _record(
    attribute_address=_I, attributes=np.int32, entries=np.int32, bin_first=np.int32, bin_count=np.int32, draw=np.int32,
    test_cycles=np.int32,
)  # fmt: skip

#: A primitive in a tile, in the tile's order: pointer, attributes, and quads. ``clear`` >= 0 is the pass event that
#: this entry stands for instead of a primitive (``draw`` is -1 then).
PAIR: Final = _record(
    pointer_line=_I, link_line=_I, attribute_address=_I, attributes=np.int32, entries=np.int32,
    quad_first=np.int32, quad_count=np.int32, emitted=np.int32, clear=np.int32, tile=np.int32, draw=np.int32,
)  # fmt: skip

#: A 2x2 quad in tile order. ``position`` is y * tile_quads_x + x inside the tile.
QUAD: Final = _record(
    draw=np.int32, segment=np.int32, segment_end=np.int32, op=np.int32, row=np.int32, tile=np.int32,
    position=np.uint16, coverage=np.uint8, survives=np.uint8, back=np.uint8, processor=np.uint8,
    depth=(np.uint32, (4,)),
)  # fmt: skip

#: Instructions of a shader path up to and with a texture instruction, or behind the last one: issue cycles, and the
#: lines of code that they lie in.
SEGMENT: Final = _record(cycles=np.int32, line_first=np.int32, line_count=np.int32)

#: A texture instruction of a quad.
TEX_OP: Final = _record(line_first=np.int32, line_count=np.uint8, texels=(np.uint8, (4,)))

#: A clear in the middle of a pass: its rectangle, and what it does to depth and stencil.
CLEAR: Final = _record(
    x0=np.int32, y0=np.int32, x1=np.int32, y1=np.int32, depth_on=np.uint8, stencil_mask=np.uint8,
    stencil=np.uint8, depth=np.uint32,
)  # fmt: skip

#: Bytes that lie together and are moved one after the other.
PIECE: Final = _record(address=_I, size=_I)

#: A tile, with what the run found out about it; ``misses`` are the lines of textures that its quads asked the L2 for.
TILE: Final = _record(
    pair_first=np.int32, pair_count=np.int32, first_line=_I,
    x0=np.int32, y0=np.int32, width=np.int32, height=np.int32, render=np.uint8, flush=np.uint8,
    raster_unit=np.int32, dispatch=np.int32, start=_I, end=_I, quads=np.int32, shaded=np.int32,
    pairs_left=np.int32, live=np.int32, unshaded=np.int32, misses=np.int32, traffic=_I, outcome=np.uint8,
)  # fmt: skip

#: Bits of a tile's outcome, each set by the unit that did it: all of it was blended; a technique has left out its
#: rendering or its flush, so that the target keeps what it held; its flush has ended.
RENDERED: Final = 1
KEPT: Final = 2
FLUSHED: Final = 4

#: An entry of the log of a technique's table: the slot of each fragment of a quad, -1 = none.
SLOT_ACCESS: Final = _record(quad=np.int32, frame=np.uint8, kind=np.uint8, slot=(np.int32, (4,)))
#: Its kinds: colours of a quad that leaves its processor go into slots; fragments that are not shaded take theirs.
FILLED: Final = 0
TAKEN: Final = 1
