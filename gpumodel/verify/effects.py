"""What draws and dispatches do to memory beside their targets: whether a run left each of it done once, in its order.

The model executes no shader: storage blocks, images and counters hold what the replay put there, which follows from
what ran, and in which order. So contents are the replay's if, by the log, each fragment that writes was shaded once,
fragments of a place that reach memory retired in the order of their draws (ASSUMED: their effects happen in the order
in which Blending retires them; between places GL promises none), and the draws and dispatches that write were submitted
as the application did, none left out, repeated or moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun

__all__ = ["LOST", "MOVED", "REPEATED", "misplaced_work", "wrong_fragments"]

Array = NDArray[Any]

LOST: Final = "a fragment that writes was not shaded"
REPEATED: Final = "a fragment that writes was shaded twice"
MOVED: Final = "fragments that reach memory were not shaded in the order of their draws"
_WRITES: Final = DrawFlags.SIDE_EFFECTS | DrawFlags.EARLY_TESTS
_REACHES: Final = DrawFlags.SIDE_EFFECTS | DrawFlags.VERTEX_EFFECTS
_LANES: Final = np.arange(4, dtype=np.uint8)


def wrong_fragments(trace: FrameTrace, runs: Sequence[PassRun]) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Fragments of a pass that reach memory and did not do so once and in their order.

    Parameters
    ----------
    trace : the pass that was submitted
    runs : its parts

    Yields
    ------
    what is wrong, and the fragments of which it is, (quads,) uint8 with a bit each
    """
    flags = trace["draws"]["flags"]
    reaches = (flags & DrawFlags.SIDE_EFFECTS) != 0
    quads = trace["quads"]
    # Draws are those of the frame; a pass may have none.
    if not reaches.any() or not quads.num_rows:
        return
    draw = trace["emitted"]["draw"][quads["emitted"]].astype(np.int64)
    times = np.zeros((quads.num_rows, 4), np.int64)
    retired = [np.zeros(0, np.int64)]
    for done in runs:
        streams = done.streams
        executed = streams.executed[: len(streams.quads), None] >> _LANES & 1
        np.add.at(times, streams.quads["row"], executed)
        steps = done.retired[done.retired >= 0]
        retired.append(streams.quads["row"][steps].astype(np.int64))
    covered = (quads["coverage"][:, None] >> _LANES & 1) != 0
    writes = (flags & np.uint32(_WRITES)) == DrawFlags.SIDE_EFFECTS
    yield LOST, _bits(covered & writes[draw][:, None] & (times == 0))
    yield REPEATED, _bits(covered & reaches[draw][:, None] & (times > 1))
    rows = np.concatenate(retired)
    rows = rows[reaches[draw[rows]]]
    yield MOVED, _bits(covered & _behind_later(quads["x"], quads["y"], draw, rows)[:, None])


def _behind_later(x: Array, y: Array, draw: Array, rows: Array) -> NDArray[np.bool_]:
    """Which quads come, among ``rows`` in their order, behind one of a later draw at their place."""
    order = np.lexsort((np.arange(len(rows)), x[rows], y[rows]))
    rows = rows[order]
    found = np.zeros(len(draw), bool)
    same = (x[rows][1:] == x[rows][:-1]) & (y[rows][1:] == y[rows][:-1])
    # The latest draw so far at each place: draws count on from place to place.
    place = np.concatenate([[0], np.cumsum(~same)]) if len(rows) else rows
    key = place * (int(draw.max(initial=0)) + 1) + draw[rows]
    found[rows[key < np.maximum.accumulate(key)]] = True
    return found


def _bits(lanes: NDArray[np.bool_]) -> NDArray[np.uint8]:
    packed: NDArray[np.uint8] = np.packbits(lanes, axis=1, bitorder="little")[:, 0]
    return packed


def misplaced_work(given: FrameTrace, submitted: FrameTrace, index: int) -> int:
    """How many draws and dispatches of a pass that write memory were left out, added or moved by who submitted it."""
    if given is submitted:
        return 0
    pairs = zip_longest(_work(given, index), _work(submitted, index))
    return sum(one != other for one, other in pairs)


def _work(trace: FrameTrace, index: int) -> list[tuple[int, ...]]:
    """Draws of a pass that reach memory, and what was read and written there, in order."""
    passes, events, draws = trace["passes"], trace["events"], trace["draws"]
    first = int(passes["event_first"][index])
    found: list[tuple[int, ...]] = []
    for row in range(first, first + int(passes["event_count"][index])):
        kind = int(events["kind"][row])
        if kind == EventKind.STORAGE:
            found.append((int(events["call"][row]), int(events["read_bytes"][row]), int(events["write_bytes"][row])))
        elif kind == EventKind.DRAW and int(draws["flags"][events["draw"][row]]) & _REACHES:
            draw = int(events["draw"][row])
            found.append((int(draws["call"][draw]), *(int(draws[f"{n}_count"][draw]) for n in ("vertex", "primitive"))))
    return found
