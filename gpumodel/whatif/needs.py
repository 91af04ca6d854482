"""What of a frame somebody else needs: what passes leave behind, and what they find."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.side_effects import writes_storage
from traceformat.gputrace.frametrace import EventKind, FrameTrace, LoadOp

__all__ = ["depth_is_read", "must_come_before"]

#: Events that look at what earlier passes have drawn, whosever that is.
_READERS: Final = (EventKind.BLIT, EventKind.RESOLVE, EventKind.COPY, EventKind.READBACK)


def depth_is_read(trace: FrameTrace) -> NDArray[np.bool_]:
    """Whether anybody reads the depth or stencil that each pass leaves, (P,).

    A draw of the frame samples it, or the next pass with it loads it. Behind the last one comes the first one of the
    next frame, which is taken to begin as that of this frame does.
    """
    passes = trace["passes"]
    found = np.isin(passes["depth_address"], trace["texture_bindings"]["address"])
    loads = (passes["depth_load"] == LoadOp.LOAD) | (passes["stencil_load"] == LoadOp.LOAD)
    addresses = passes["depth_address"].tolist()
    next_loads = {address: bool(loads[k]) for k, address in reversed(list(enumerate(addresses)))}
    for k, address in reversed(list(enumerate(addresses))):
        found[k] |= next_loads[address]
        next_loads[address] = bool(loads[k])
    return found


def must_come_before(trace: FrameTrace, earlier: int, later: int) -> bool:
    """Whether a pass cannot be drawn as late as a later one: its result is read before, or it would find others'."""
    passes, events, bound = trace["passes"], trace["events"], trace["texture_bindings"]
    if writes_storage(events, np.isin(events["pass"], range(earlier, later))):
        # What waits for it is kept apart by a barrier.
        return True
    between = range(earlier + 1, later + 1)
    if any(earlier in _reads(trace, index) for index in between):
        return True
    if np.isin(events["kind"][np.isin(events["pass"], between)], _READERS).any():
        return True
    own, others = _bound(trace, [earlier]), _bound(trace, between)
    drawn = [*passes["color_address"][earlier + 1 : later].ravel(), *passes["depth_address"][earlier + 1 : later]]
    if np.isin(bound["address"][own], drawn).any():
        return True
    versions = set(zip(bound["address"][own].tolist(), bound["version"][own].tolist(), strict=True))
    known = {address for address, _ in versions}
    later_on = zip(bound["address"][others].tolist(), bound["version"][others].tolist(), strict=True)
    return any(address in known and (address, version) not in versions for address, version in later_on)


def _reads(trace: FrameTrace, index: int) -> set[int]:
    """Passes whose results a pass reads."""
    first = int(trace["passes"]["read_first"][index])
    return set(trace["pass_reads"]["pass"][first : first + int(trace["passes"]["read_count"][index])].tolist())


def _bound(trace: FrameTrace, passes: Any) -> NDArray[np.int64]:
    """Rows of the textures that the draws of some passes bind."""
    draws = trace["draws"]
    own = np.isin(draws["pass"], list(passes))
    first, count = draws["texture_first"][own].astype(np.int64), draws["texture_count"][own].astype(np.int64)
    return np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())
