"""Wake-up times, unit states, and the two bit operations that the units need.

Each unit has a wake-up time; the main loop ticks a unit in the first cycle that reaches it. The units are ticked in the
order of their numbers within a cycle (consumers before producers), so a change that unit A makes is seen by a unit with
a higher number in the same cycle and by the others in the next: :func:`notify` follows that rule. A tick that finds
nothing to do changes nothing, which makes the loop that ticks everything in every cycle an oracle for the wake-up
times.

The main loop finds the next unit without a look at all of them: ``SYSTEM.due`` is a ring of cycles with a bit a unit,
of those whose wake-up time has to be looked at then, ``SYSTEM.reminded`` the cycles that have any. The wake-up time
alone decides; a bit that is out of date costs a look.

Cycles are attributed to *states*: a unit keeps the state that its last tick found until the next tick finds another.
"""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.state import RING, WORD_BITS
from gpumodel.units.types import SYSTEM_T
from traceformat.native.access import count_ones, count_trailing_zeros

__all__ = [
    "BUSY",
    "DATA",
    "DEPENDENCY",
    "IDLE",
    "NEVER",
    "QUEUE",
    "RESOURCE",
    "RING",
    "STATE_NAMES",
    "account",
    "account_once",
    "count_ones",
    "count_trailing_zeros",
    "notify",
    "remind",
    "wake_at",
]

_WORD_SHIFT: Final = WORD_BITS.bit_length() - 1

#: A wake-up time that does not come.
NEVER: Final = 1 << 62

BUSY: Final = 0
IDLE: Final = 1
#: Waits for room in the queue behind it.
QUEUE: Final = 2
#: Waits for data from memory.
DATA: Final = 3
#: Waits for a free miss register, port, or entry.
RESOURCE: Final = 4
#: Waits for other work to end (a tile's barrier, a flush).
DEPENDENCY: Final = 5
STATE_NAMES: Final = ("busy", "idle", "queue", "data", "resource", "dependency")


@inner(types.void(SYSTEM_T, types.int64, types.int64))
def remind(s: Record, unit: Int, time: Int) -> None:
    """Let the main loop look at a unit's wake-up time in a cycle, or when the ring ends before it."""
    slot = min(max(time, s.now), s.now + (RING - 1)) & (RING - 1)
    s.due[unit >> _WORD_SHIFT, slot] |= 1 << (unit & (WORD_BITS - 1))
    s.reminded |= 1 << slot


@inner(types.void(SYSTEM_T, types.int64, types.int64))
def wake_at(s: Record, unit: Int, time: Int) -> None:
    """Tick the unit at the given time at the latest."""
    if time < s.wake[unit]:
        s.wake[unit] = time
        remind(s, unit, time)


@inner(types.void(SYSTEM_T, types.int64, types.int64))
def notify(s: Record, me: Int, unit: Int) -> None:
    """Tick the unit as soon as it can see what unit ``me`` just changed."""
    time = s.now if unit > me else s.now + 1
    if time < s.wake[unit]:
        s.wake[unit] = time
        slot = time & (RING - 1)
        s.due[unit >> _WORD_SHIFT, slot] |= 1 << (unit & (WORD_BITS - 1))
        s.reminded |= 1 << slot


@inner(types.void(SYSTEM_T, types.int64, types.int64))
def account(s: Record, unit: Int, state: Int) -> None:
    """Put the unit into a state from this cycle on."""
    old = s.unit_state[unit]
    if old != state:
        s.unit_cycles[unit, old] += s.now - s.unit_since[unit]
        s.unit_since[unit] = s.now
        s.unit_state[unit] = state


@inner(types.void(SYSTEM_T, types.int64, types.int64, types.int64))
def account_once(s: Record, unit: Int, state: Int, following: Int) -> None:
    """Put the unit into a state for this cycle and into another from the next one on, which so needs no tick."""
    account(s, unit, state)
    s.unit_cycles[unit, state] += s.now + 1 - s.unit_since[unit]
    s.unit_since[unit] = s.now + 1
    s.unit_state[unit] = following
    s.unit_once[unit] = state
