"""Main memory as the units see it: the papers' model, or a back end that is plugged in."""

from __future__ import annotations

from numba import types

from gpumodel.units import memory_paper
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.plug import call_plug
from gpumodel.units.types import SYSTEM_T

__all__ = ["end_memory", "memory_read", "memory_write", "writes_pending"]

_paper_read = memory_paper.memory_read
_paper_write = memory_paper.memory_write
_WRITE_QUEUE = memory_paper.WRITE_QUEUE


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64, types.int64))
def memory_read(s: Record, line: Int, size: Int, traffic: Int, tag: Int) -> Int:
    """Ask for a line: 1, or 0 when there is no room for the request."""
    if s.dram.command_level:
        return call_plug(s, s.dram.read_plug, line, size, traffic, tag)
    return _paper_read(s, line, size, traffic, tag)


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def memory_write(s: Record, line: Int, size: Int, traffic: Int) -> Int:
    """Post a write: 1, or 0 when there is no room for the request."""
    if s.dram.command_level:
        return call_plug(s, s.dram.write_plug, line, size, traffic, 0)
    return _paper_write(s, line, size, traffic)


@inner(types.int64(SYSTEM_T))
def writes_pending(s: Record) -> Int:
    """1 while a write has not been through the pipe (papers' model) or not been accepted (command-level model)."""
    d = s.dram
    if d.command_level:
        return 1 if s.lpddr.writes_waiting else 0
    return 1 if d.count[_WRITE_QUEUE] or (d.moving and d.moving_kind == _WRITE_QUEUE) else 0


@inner(types.void(SYSTEM_T))
def end_memory(s: Record) -> None:
    """Bring a memory with a clock of its own to the end of the run."""
    if s.dram.command_level:
        call_plug(s, s.dram.end_plug, 0, 0, 0, 0)
