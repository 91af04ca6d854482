"""Running a whole request trace in one kernel."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.channel import next_event, tick
from gpumodel.memory.dram.kernels import COMMANDS, MEMORY_T, REQUESTS, Array, Int, Record, kernel

__all__ = ["run_trace"]

#: A request that waits longer than this waits for ever, ticks.
_STUCK: Final = 1 << 28


@kernel(types.int64(MEMORY_T, REQUESTS, COMMANDS))
def run_trace(memory: Record, requests: Array, log: Array) -> Int:
    """Run until every request of the input is acknowledged.

    Returns
    -------
    0, or 1 when a request can never be served (a bug of the model)
    """
    while True:
        now = next_event(memory, requests)
        if memory.input_count == 0 and memory.open == 0 and now > memory.last_done:
            break
        if (memory.open or memory.input_blocked) and now - memory.last_progress > _STUCK:
            return 1
        tick(memory, requests, log, now)
    return 0
