"""L2 cache: shared by all level-one caches, banked, write-back, non-blocking.

Hardware: requests of the level-one caches meet in a crossbar; each bank serves one a cycle; a miss goes to memory.
Modelled: one request a bank and cycle, round-robin over the clients; MSHRs that merge the clients of a line; LRU; a
written line is taken without a fetch; the victim's write-back waits for room in the memory's write queue.
Left out: crossbar conflicts other than banks; the second port of a bank.
Source: VRO Table 2, RE Table I (256 KB, 8-way, 8 banks, 2 cycles), thesis Table 4.1 (2 MB, 18 cycles); MSHRs ASSUMED.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.cache import DEAD, answer, request_taken
from gpumodel.units.capacity import L2_MSHRS
from gpumodel.units.costs import CACHE_NAMES, cost_at
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE, account, account_once, count_trailing_zeros
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.memory import memory_read, memory_write
from gpumodel.units.plug import call_plug
from gpumodel.units.state import PORT_BITS
from gpumodel.units.types import SYSTEM_T

__all__ = ["tick_l2"]

_LINE_BYTES: Final = 64
_COST: Final = CACHE_NAMES.index("l2")
_RING: Final = L2_MSHRS - 1


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def _place(s: Record, line: Int, dirty: Int, who: Int) -> Int:
    """Put a line in place of the least recently used one; 0 when the memory's write queue is full.

    ``dirty`` is 0, or 1 more than the kind of traffic of the cache that has written the line, on behalf of ``who``.
    """
    c = s.l2
    base = (line & c.set_mask) * c.ways
    victim = base
    for way in range(base, base + c.ways):
        if c.stamp[way] < c.stamp[victim]:
            victim = way
    if s.plugs.victim.function:
        chosen = call_plug(s, s.plugs.victim, -1, base, c.ways, line)
        if chosen >= 0:
            victim = chosen & (DEAD - 1)
            if chosen & DEAD:
                c.dirty[victim] = 0
    if c.dirty[victim]:
        s.cost_who = c.line_who[victim]
        if memory_write(s, c.tag[victim], _LINE_BYTES, np.int64(c.dirty[victim]) - 1) == 0:
            return 0
        c.write_backs += 1
        if s.costs.count:
            cost_at(s.costs, s.cost_who).cache[_COST].write_backs += 1
    c.clock += 1
    c.tag[victim] = line
    c.stamp[victim] = c.clock
    c.dirty[victim] = dirty
    c.line_who[victim] = who
    return 1


@inner(types.void(SYSTEM_T, types.int64, types.int64, types.int64, types.int64))
def _charge(s: Record, who: Int, hit: Int, primary: Int, write: Int) -> None:
    """Count a request for whoever has made it."""
    cost = cost_at(s.costs, who).cache[_COST]
    cost.accesses += 1
    cost.hits += hit
    cost.misses += 1 - hit
    cost.primary_misses += primary
    cost.writes += write


@inner(types.int64(SYSTEM_T, types.int64))
def _serve(s: Record, client: Int) -> Int:
    """Serve the first request of a client; 0 when it has to wait for an MSHR or for memory."""
    c = s.l2
    port = s.l1[client]
    item = port.request[port.request_head]
    who = port.request_who[port.request_head]
    line = item >> 1
    base = (line & c.set_mask) * c.ways
    for way in range(base, base + c.ways):
        if c.tag[way] == line:
            c.clock += 1
            c.stamp[way] = c.clock
            c.accesses += 1
            c.hits += 1
            if s.costs.count:
                _charge(s, who, 1, 0, item & 1)
            if item & 1:
                c.dirty[way] = port.traffic + 1
                c.line_who[way] = who
                c.writes += 1
            else:
                answer(s, port, line)
            request_taken(s, port)
            return 1
    if item & 1:
        if _place(s, line, port.traffic + 1, who) == 0:
            return 0
        if s.costs.count:
            _charge(s, who, 0, 0, 1)
        c.accesses += 1
        c.misses += 1
        c.writes += 1
        request_taken(s, port)
        return 1
    for k in range(c.mshr_count):
        if c.mshr_line[k] == line:
            c.mshr_clients[k, client // PORT_BITS] |= 1 << client % PORT_BITS
            c.accesses += 1
            c.misses += 1
            if s.costs.count:
                _charge(s, who, 0, 0, 0)
            request_taken(s, port)
            return 1
    s.cost_who = who
    if c.mshr_count >= c.num_mshrs or memory_read(s, line, _LINE_BYTES, port.traffic, -1) == 0:
        return 0
    c.mshr_line[c.mshr_count] = line
    for word in range(c.num_words):
        c.mshr_clients[c.mshr_count, word] = 0
    c.mshr_clients[c.mshr_count, client // PORT_BITS] = 1 << client % PORT_BITS
    c.mshr_count += 1
    c.accesses += 1
    c.misses += 1
    c.primary_misses += 1
    if s.costs.count:
        _charge(s, who, 0, 1, 0)
    request_taken(s, port)
    return 1


@inner(types.int64(SYSTEM_T))
def _fill(s: Record) -> Int:
    """Take a line from memory and answer its clients; 0 when its write-back has to wait."""
    c = s.l2
    line = c.fill[c.fill_head]
    if _place(s, line, 0, 0) == 0:
        return 0
    c.fill_head = (c.fill_head + 1) & _RING
    c.fill_count -= 1
    for k in range(c.mshr_count):
        if c.mshr_line[k] == line:
            last = c.mshr_count - 1
            c.mshr_line[k] = c.mshr_line[last]
            for word in range(c.num_words):
                clients = c.mshr_clients[k, word]
                c.mshr_clients[k, word] = c.mshr_clients[last, word]
                while clients:
                    client = PORT_BITS * word + count_trailing_zeros(clients)
                    clients &= clients - 1
                    answer(s, s.l1[client], line)
            c.mshr_count = last
            break
    return 1


@inner(types.int64(SYSTEM_T))
def tick_l2(s: Record) -> Int:
    """Advance by one cycle; gives the next cycle in which there is work that needs nobody else."""
    c = s.l2
    worked = 0
    blocked = 0
    if c.fill_count:
        if _fill(s):
            worked = 1
        else:
            blocked = 1
    # The port after the one served last comes first: the rest of its word, the other words, the word's beginning.
    first = c.turn // PORT_BITS
    below = (1 << c.turn % PORT_BITS) - 1
    used = 0
    for step in range(c.num_words + 1):
        word = first + step
        if word >= c.num_words:
            word -= c.num_words
        order = c.waiting[word]
        if order == 0:
            continue
        if step == 0:
            order &= ~below
        elif step == c.num_words:
            order &= below
        while order:
            client = PORT_BITS * word + count_trailing_zeros(order)
            order &= order - 1
            port = s.l1[client]
            bank = 1 << ((port.request[port.request_head] >> 1) & c.bank_mask)
            if used & bank:
                c.bank_conflicts += 1
                if s.costs.count:
                    cost_at(s.costs, port.request_who[port.request_head]).bank_conflicts += 1
            elif _serve(s, client):
                used |= bank
                worked = 1
                c.turn = client + 1 if client + 1 < PORT_BITS * c.num_words else 0
            else:
                blocked = 1
    if worked:
        more = c.fill_count
        for word in range(c.num_words):
            more |= c.waiting[word]
        if more:
            account(s, c.unit, BUSY)
            return s.now + 1
        account_once(s, c.unit, BUSY, DATA if c.mshr_count else IDLE)
        return NEVER
    if blocked:
        account(s, c.unit, RESOURCE)
    elif c.mshr_count:
        account(s, c.unit, DATA)
    else:
        account(s, c.unit, IDLE)
    return NEVER
