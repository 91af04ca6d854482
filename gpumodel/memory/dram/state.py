"""State of the DRAM subsystem: parameters, channels, and the requests, as records.

Times are ticks of the DRAM clock, counted from 0. Requests live in an array of :data:`REQUEST` owned by the caller and
form linked lists there (input, merged reads, completed), so that a trace of any length and the machine's small pool use
the same kernels.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike

from gpumodel.memory.dram.config import MAX_BANKS, MAX_CHANNELS, MAX_COMMANDS, MAX_TRANSACTIONS, DramConfig
from traceformat.native.records import STREAM

__all__ = [
    "COMMAND",
    "COMMAND_COST",
    "COMMAND_NAMES",
    "MEMORY",
    "NEVER",
    "REQUEST",
    "active_cycles",
    "make_memory",
    "reset_memory",
]

#: Beyond every time; sums with latencies stay inside int64.
NEVER: Final = 1 << 60

#: Kinds of commands, as the command log has them.
ACTIVATE: Final = 0
PRECHARGE: Final = 1
READ: Final = 2
WRITE: Final = 3
REFRESH: Final = 4
COMMAND_NAMES: Final = ("activate", "precharge", "read", "write", "refresh")

_I: Final = np.int64
#: Bank groups of all ranks of a channel.
_GROUPS: Final = MAX_BANKS


def _record(**fields: Any) -> np.dtype[Any]:
    """Record type from ``name=dtype`` or ``name=(dtype, shape)``."""
    spec: list[tuple[str, DTypeLike] | tuple[str, DTypeLike, Any]] = [
        (name, *value) if isinstance(value, tuple) else (name, value) for name, value in fields.items()
    ]
    return np.dtype(spec, align=True)


#: A request: offered from ``cycle`` on, accepted in the queues at ``issue``, acknowledged at ``done`` (-1: not yet).
#: ``who`` is its row of COMMAND_COST, where commands are counted by who caused them.
REQUEST: Final = _record(address=_I, cycle=_I, issue=_I, done=_I, next=_I, write=_I, who=_I)

#: Commands that somebody's requests have caused; row hits are the columns behind the first one of an activate.
COMMAND_COST: Final = _record(activates=_I, read_commands=_I, write_commands=_I, row_hits=_I)

#: One DRAM command of the log.
COMMAND: Final = _record(cycle=_I, kind=_I, channel=_I, rank=_I, group=_I, bank=_I, row=_I, column=_I)

#: Constraints between commands in cycles: ``_same`` inside a bank group, ``_other`` between the groups of a rank.
#: ``column_gap[a, where, b]`` is between columns ``a`` and ``b`` (reads 0, writes 1) in one group (0), in two groups of
#: a rank (1), in two ranks (2). ``in_channel_low`` masks the bits below the channel's where channels are interleaved,
#: ``in_channel_shift`` is their number: what is above moves down by so many.
PARAMETERS: Final = _record(
    channels=_I, ranks=_I, groups=_I, banks=_I, rank_banks=_I, group_banks=_I,
    channel_shift=_I, channel_mask=_I, rank_shift=_I, rank_mask=_I, group_shift=_I, group_mask=_I,
    in_channel_low=_I, in_channel_shift=_I,
    bank_shift=_I, bank_mask=_I, row_shift=_I, row_mask=_I, column_shift=_I, column_mask=_I,
    command_depth=_I, transaction_depth=_I, drain_above=_I, hits_before_conflict=_I,
    read_delay=_I, burst=_I, refresh_interval=_I,
    column_gap=(_I, (2, 3, 2)), column_precharge=(_I, (2,)),
    activate_activate=_I, activate_activate_same=_I, activate_activate_other=_I, activate_column=_I,
    activate_precharge=_I, four_activates=_I, precharge_activate=_I, precharge_precharge=_I,
    refresh_activate=_I,
)  # fmt: skip

#: A transaction, or the column command that it becomes: ``request`` and ``last`` are the ends of the list of reads that
#: merged; ``next`` is the one behind it in its list, ``order`` its place among all transactions of its queue.
ENTRY: Final = _record(address=_I, row=_I, write=_I, request=_I, last=_I, who=_I, next=_I, order=_I)

#: A transaction queue: entries that wait for room in their bank's command queue, as a list for each bank, oldest first.
#: ``waiting`` has a bit for each bank with any.
TRANSACTIONS: Final = _record(count=_I, waiting=_I, accepted=_I, head=(_I, (MAX_BANKS,)), tail=(_I, (MAX_BANKS,)))

#: A bank: its row buffer, its earliest commands, its command queue (entries, oldest first), and what the queue wants
#: next. ``first_read``/``first_write`` are the places of the first command that hits the open row, -1 without one;
#: ``conflict`` is 1 when the oldest command may close the row.
BANK: Final = _record(
    rank=_I, group=_I, open_row=_I, row_hits=_I,
    activate_at=_I, column_at=_I, precharge_at=_I,
    count=_I, first_read=_I, first_write=_I, conflict=_I, queue=(_I, (MAX_COMMANDS,)),
)  # fmt: skip

#: A rank: what holds for all of its banks. ``activates`` are the times of the last four.
RANK: Final = _record(
    precharge_at=_I, refresh_at=_I, activates=(_I, (4,)), oldest=_I, open_banks=_I, active_since=_I, active_cycles=_I
)

#: Transactions and commands of a channel at most.
_ENTRIES: Final = 2 * MAX_TRANSACTIONS + MAX_BANKS * MAX_COMMANDS

#: A channel: queues, banks, the scheduler's turn, and counters. ``planned`` is when each bank's queue can issue;
#: ``burst_until`` is a burst behind the last column command. ``full`` has a bit for each bank whose command queue is
#: full, ``occupied`` of those with any command, ``opened`` of those with an open row; ``free`` is the first of the list
#: of entries that nobody has.
CHANNEL: Final = _record(
    number=_I, entry=(ENTRY, (_ENTRIES,)), free=_I, full=_I, occupied=_I, opened=_I,
    reads=TRANSACTIONS, writes=TRANSACTIONS, bank=(BANK, (MAX_BANKS,)), rank=(RANK, (MAX_BANKS,)),
    group_activate_at=(_I, (_GROUPS,)), group_read_at=(_I, (_GROUPS,)), group_write_at=(_I, (_GROUPS,)),
    planned=(_I, (MAX_BANKS,)), turn=_I, queued=_I, draining=_I,
    burst_until=_I, next_at=_I, command_at=_I, schedule_at=_I, refresh_due_at=_I, refresh_step_at=_I,
    refreshes_waiting=_I, refresh_rank=_I,
    returned_head=_I, returned_tail=_I, forwarded_head=_I, forwarded_tail=_I,
    activates=_I, precharges=_I, conflicts=_I, refreshes=_I, read_commands=_I, write_commands=_I, read_hits=_I,
    write_hits=_I,
)  # fmt: skip

#: The subsystem. ``input_head``/``input_tail`` are the ends of the list of ``input_count`` requests that wait to be
#: accepted, ``input_blocked`` says that the first one found its queue full; ``open`` is the number of accepted reads
#: without their data's time. ``costs`` are rows of COMMAND_COST, empty where nobody asks whose the commands are.
MEMORY: Final = _record(
    par=PARAMETERS, channel=(CHANNEL, (MAX_CHANNELS,)),
    now=_I, input_head=_I, input_tail=_I, input_count=_I, input_blocked=_I, open=_I, last_done=_I, last_progress=_I,
    log_count=_I, costs=STREAM,
)  # fmt: skip

#: DRAMsim3's controller (simulators.md §2.3): writes drain when more than this many wait and no command is queued.
_DRAIN_ABOVE: Final = 8
#: DRAMsim3's starvation cap (simulators.md §2.3): columns served on a row before an older request may close it.
_HITS_BEFORE_CONFLICT: Final = 4


def make_memory(config: DramConfig) -> Any:
    """State of an idle memory, all banks closed, at tick 0.

    Returns
    -------
    record of :data:`MEMORY`
    """
    memory = np.zeros(1, MEMORY)[0]
    reset_memory(memory, config)
    return memory


def reset_memory(memory: Any, config: DramConfig) -> None:
    """Fill a record of :data:`MEMORY` in place."""
    _set_parameters(memory["par"], config)
    memory["input_head"] = memory["input_tail"] = -1
    ranks, banks = config.ranks, config.banks
    for number in range(config.system.channels):
        channel = memory["channel"][number]
        channel["number"] = number
        channel["command_at"] = channel["schedule_at"] = channel["refresh_step_at"] = NEVER
        channel["refresh_due_at"] = channel["next_at"] = config.timing.tREFI // ranks
        channel["planned"] = NEVER
        for name in ("returned", "forwarded"):
            channel[f"{name}_head"] = channel[f"{name}_tail"] = -1
        channel["rank"]["activates"] = -NEVER
        numbers = np.arange(ranks * banks)
        channel["bank"]["open_row"] = -1
        channel["bank"]["rank"][: ranks * banks] = numbers // banks
        channel["bank"]["group"][: ranks * banks] = numbers // config.dram_structure.banks_per_group
        channel["bank"]["first_read"] = channel["bank"]["first_write"] = -1
        channel["entry"]["next"] = np.arange(1, _ENTRIES + 1)
        channel["entry"]["next"][-1] = -1


def active_cycles(memory: Any, end: int) -> int:
    """Ticks before ``end``, summed over ranks and channels, in which a rank had a bank open."""
    rank = memory["channel"]["rank"]
    return int(rank["active_cycles"].sum() + (end - rank["active_since"])[rank["open_banks"] > 0].sum())


def _set_parameters(par: Any, config: DramConfig) -> None:
    """Constraints between commands from the datasheet's figures (JEDEC LPDDR3/LPDDR4; DRAMsim3's use of them)."""
    structure, timing, system = config.dram_structure, config.timing, config.system
    par["channels"], par["ranks"], par["groups"] = system.channels, config.ranks, structure.bankgroups
    par["rank_banks"], par["group_banks"] = config.banks, structure.banks_per_group
    par["banks"] = config.ranks * config.banks
    names = {"ch": "channel", "ra": "rank", "bg": "group", "ba": "bank", "ro": "row", "co": "column"}
    for field, (lowest, width) in config.address_fields.items():
        par[f"{names[field]}_shift"], par[f"{names[field]}_mask"] = lowest, (1 << width) - 1
    lowest, width = config.address_fields["ch"]
    interleaved = system.interleave_bytes is not None
    par["in_channel_low"], par["in_channel_shift"] = (1 << lowest) - 1, width if interleaved else 0
    par["command_depth"], par["transaction_depth"] = system.cmd_queue_size, system.trans_queue_size
    par["drain_above"], par["hits_before_conflict"] = _DRAIN_ABOVE, _HITS_BEFORE_CONFLICT

    burst = config.burst_cycles
    read_latency, write_latency = timing.AL + timing.CL, timing.AL + timing.CWL
    # Devices with one bank group have no long constraints.
    one_group = structure.bankgroups == 1
    ccd_long = timing.tCCD_S if one_group else timing.tCCD_L
    wtr_long = timing.tWTR_S if one_group else timing.tWTR_L
    rrd_long = timing.tRRD_S if one_group else timing.tRRD_L
    par["read_delay"], par["burst"] = read_latency + burst, burst
    par["refresh_interval"] = timing.tREFI // config.ranks
    turn_to_write = read_latency + burst - write_latency + timing.tRTRS
    turn_to_read = write_latency + burst + timing.tRTRS - read_latency
    write_end = write_latency + burst
    same, other = max(burst, ccd_long), max(burst, timing.tCCD_S)
    after_read = [[same, turn_to_write], [other, turn_to_write], [burst + timing.tRTRS, turn_to_write]]
    after_write = [[write_end + wtr_long, same], [write_end + timing.tWTR_S, other], [turn_to_read, burst]]
    par["column_gap"] = [after_read, after_write]
    par["column_precharge"] = timing.AL + timing.tRTP, write_end + timing.tWR
    par["activate_activate"] = timing.tRAS + timing.tRP
    par["activate_activate_same"], par["activate_activate_other"] = rrd_long, timing.tRRD_S
    par["activate_column"] = timing.tRCD - timing.AL
    par["activate_precharge"] = timing.tRAS
    par["four_activates"] = timing.tFAW
    par["precharge_activate"] = timing.tRP
    par["precharge_precharge"] = timing.tPPD if structure.protocol == "LPDDR4" else 0
    par["refresh_activate"] = timing.tRFC
