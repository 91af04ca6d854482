"""Which draws of a pass are tested against the low-resolution depths, and which write them.

Depths of a pass go one way, that of its first draw that writes depth: nearer is less, or greater. A draw that writes
with another function, and a clear of depth in the middle, end it: later draws are neither tested nor write.

Tested while sorting are draws with a depth test in the pass's direction (or for equality), whose depth is known and
whose failing fragments do nothing: no depth from the shader, no stencil change, no effect beyond the test. That is
exact: at every pixel of a block the stored depth is at most the block's, whoever wrote it.

Writing are draws whose covered fragments are sure to leave their depth or a nearer one: no discard, alpha to coverage,
depth from the shader, or stencil test.

Tested before Early-Z, against what the whole pass has written, are such draws behind the last one that would notice a
hidden fragment: one that writes depth and leaves something of the colours below, that changes stencil, is counted by a
query, or writes to memory.
The proof is in docs/technique_models.md. Source: Mesa's freedreno for direction, late tests, and what does not write;
where Mesa turns the unit off and exactness does not ask for it, it stays on (ASSUMED).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.opacity import replacing_draws
from gpumodel.pass_depths import LESS_IS_NEARER, changes_depth, way_of
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams

__all__ = ["FINAL", "SORTED", "WRITES", "Rules", "find_rules"]

#: Bits of a draw: tested while sorting, tested before Early-Z, writes.
SORTED: Final = 1
FINAL: Final = 2
WRITES: Final = 4


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of a pass.

    Parameters
    ----------
    of_draw : (draws of the frame,) uint8, bits of each draw
    nearer_is_less : the pass's direction
    """

    of_draw: NDArray[np.uint8]
    nearer_is_less: bool


def find_rules(trace: FrameTrace, streams: PassStreams) -> Rules | None:
    """Find the rules of a pass; None where no draw gives it a direction."""
    d0, d1 = streams.draw_range
    rows = slice(d0, d1)
    draws = trace["draws"]
    table = {name: draws[name][rows] for name in draws}
    tests = table["depth_test"] != 0
    writes, direction = changes_depth(draws, rows), way_of(table["depth_func"])
    first = np.flatnonzero(writes)
    if not len(first) or direction[first[0]] == 0:
        return None
    way = int(direction[first[0]])
    number = np.arange(d1 - d0)
    ended = writes & (direction != way) | (number >= _first_behind_clear(trace, streams))
    valid = ~np.logical_or.accumulate(ended)
    flags = table["flags"]
    changes = _changes_stencil(table)
    effects = (flags & DrawFlags.SIDE_EFFECTS) != 0
    shader_depth = (flags & DrawFlags.WRITES_DEPTH) != 0
    runs_anyway = effects & ((flags & DrawFlags.EARLY_TESTS) == 0)
    tested = valid & tests & ((direction == way) | (table["depth_func"] == gl.GL_EQUAL))
    tested &= ~shader_depth & ~changes & ~runs_anyway
    unsure = ((flags & DrawFlags.DISCARDS) != 0) | (table["alpha_to_coverage"] != 0) | (table["stencil_test"] != 0)
    written = valid & writes & ~shader_depth & ~unsure
    tells = tests & (changes | effects | (table["query_active"] != 0))
    tells |= writes & ~replacing_draws(trace, streams.index, rows)
    last = int(np.flatnonzero(tells)[-1]) if tells.any() else -1
    out = np.zeros(max(draws.num_rows, 1), np.uint8)
    out[rows] = (
        np.where(tested, SORTED, 0) | np.where(tested & (number > last), FINAL, 0) | np.where(written, WRITES, 0)
    )
    return Rules(out, way == LESS_IS_NEARER)


def _changes_stencil(table: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Tell which draws may change the stencil."""
    changes = np.zeros(len(table["stencil_test"]), bool)
    for name in ("stencil_fail", "stencil_depth_fail", "stencil_depth_pass"):
        changes |= (table[name] != gl.GL_KEEP).any(axis=1)
    return np.asarray(changes & (table["stencil_test"] != 0) & table["stencil_write_mask"].any(axis=1))


def _first_behind_clear(trace: FrameTrace, streams: PassStreams) -> int:
    """Draw of the pass behind the first clear of depth that its tiles execute; their number where there is none."""
    d0, d1 = streams.draw_range
    cleared = streams.clear_events[streams.clears["depth_on"] != 0] if len(streams.clears) else streams.clear_events
    if not len(cleared):
        return d1 - d0
    events = trace["events"]
    begin = int(trace["passes"]["event_first"][streams.index])
    rows = begin + np.flatnonzero(
        events["kind"][begin : begin + int(trace["passes"]["event_count"][streams.index])] == EventKind.DRAW
    )
    behind = events["draw"][rows[rows > int(cleared[0])]].astype(np.int64)
    behind = behind[(behind >= d0) & (behind < d1)]
    return int(behind.min()) - d0 if len(behind) else d1 - d0
