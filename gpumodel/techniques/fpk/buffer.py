"""The buffer's tags: who waits at which place of the tile, and which of its fragments are hidden.

Hardware: each entry of the buffer has a tag, its quad's place in the tile, and a bit a fragment. A quad that enters
searches the tags; a killer sets the bits of the fragments that it covers in all entries at its place. An entry all of
whose living fragments are hidden is dropped.
Modelled: entries at a place as a chain from the youngest to the oldest, in no time beside the quad's entry; a quad with
some fragments left is shaded as it is.
Left out: the end of threads that have been started (Arm's text says that it happens, and nothing of how).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.fpk.counters import COUNTERS
from gpumodel.units.capacity import MAX_PROCESSORS, MAX_RASTER_UNITS, MAX_SAMPLES, MAX_TILE_QUADS
from gpumodel.units.counters import counter_fields
from gpumodel.units.depth import LATE
from gpumodel.units.events import count_ones
from gpumodel.units.fragment import kill_queued
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import byte_at, half_at, int_at, quad_at, set_byte, set_int, state_accessor
from traceformat.kernels import callback

__all__ = ["COVERS", "HAS_EFFECTS", "READS_BEFORE", "TAGS", "enter_buffer"]

_I: Final = np.int64
_ALIVE: Final = 15
_ALL_SAMPLES: Final = (1 << MAX_SAMPLES) - 1

#: What a draw's quads are: killers; kept for what their shader does; a wall that nothing before it is killed through.
COVERS: Final = 1
HAS_EFFECTS: Final = 2
READS_BEFORE: Final = 4

#: ``youngest`` has by Raster Unit and place of the tile the quad that came last, ``before`` that of each quad that came
#: before it there, -1 = none; ``kind`` is by draw, ``hidden`` has a quad's hidden fragments. ``entered`` counts the
#: quads of each queue, ``turn`` is a quad's number among them.
TAGS: Final = np.dtype(
    [
        ("kind", STREAM), ("before", STREAM), ("hidden", STREAM), ("turn", STREAM), ("tile", _I, (MAX_RASTER_UNITS,)),
        ("youngest", np.int32, (MAX_RASTER_UNITS, MAX_TILE_QUADS)),
        ("entered", np.int32, (MAX_RASTER_UNITS, MAX_PROCESSORS)),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(TAGS)


@callback(PLUG_SIGNATURE)
def enter_buffer(s: Record, address: Int, raster_unit: Int, quad: Int, alive: Int, unused: Int) -> Int:
    """Hook ``queued``: hide what waits behind a killer, and take what is hidden whole out of the buffer."""
    own = _own(address)
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    if own.tile[raster_unit] != np.int64(q.tile):
        own.tile[raster_unit] = q.tile
        for place in range(s.cfg.tile_quads_x * s.cfg.tile_height // 2):
            own.youngest[raster_unit, place] = -1
    queue = np.int64(q.processor) if ru.num_queues > 1 else 0
    own.entered[raster_unit, queue] += 1
    set_int(own.turn, quad, own.entered[raster_unit, queue])
    left = own.entered[raster_unit, queue] - ru.fragment_count[queue]
    own.searches += 1
    kind = byte_at(own.kind, q.draw)
    other = np.int64(own.youngest[raster_unit, q.position])
    own.youngest[raster_unit, q.position] = quad
    if kind & READS_BEFORE:
        set_int(own.before, quad, -1)
        return 0
    set_int(own.before, quad, other)
    if kind & COVERS == 0 or byte_at(g.early, quad) & LATE:
        return 0
    covers = alive
    if g.samples > 1:
        written = half_at(g.written_samples, quad)
        for lane in range(4):
            if written >> MAX_SAMPLES * lane & _ALL_SAMPLES != _ALL_SAMPLES:
                covers &= ~(1 << lane)
    own.killers += 1
    # Those before one that has left have left, too: quads of a place are one processor's, in order.
    while other >= 0 and int_at(own.turn, other) > left:
        hidden = byte_at(own.hidden, other)
        early = byte_at(g.early, other)
        living = early & _ALIVE
        if byte_at(own.kind, quad_at(g.quads, other).draw) & HAS_EFFECTS:
            own.kept_effects += 1
        elif early & LATE:
            own.kept_late += 1
        elif covers & living & ~hidden:
            own.marks += 1
            hidden |= covers
            set_byte(own.hidden, other, hidden)
            if hidden & living == living:
                own.quads_killed += 1
                own.fragments_killed += count_ones(living)
                kill_queued(s, ru, other)
        other = int_at(own.before, other)
    if covers == _ALIVE:
        # All behind it is hidden already, or stays.
        set_int(own.before, quad, -1)
    return 0
