"""Running a request trace through the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.memory.dram.config import DramConfig
from gpumodel.memory.dram.energy import DramEnergy
from gpumodel.memory.dram.replay import run_trace
from gpumodel.memory.dram.state import COMMAND, REQUEST, active_cycles, make_memory
from gpumodel.memory.dram.trace import RequestTrace, make_requests
from traceformat.errors import InternalError, UsageError

__all__ = ["Simulation", "simulate"]

#: Commands that a request can cause on average with a margin (its own three, and refreshes), for the log's size.
_LOG_PER_REQUEST: Final = 8
_LOG_LEAST: Final = 1 << 16
_LOG_MOST: Final = 1 << 24
_COMMANDS: Final = ("activates", "precharges", "read_commands", "write_commands", "refreshes")


@dataclass(frozen=True)
class Simulation:
    """What a trace did.

    Parameters
    ----------
    trace : the requests
    issue_cycle, done_cycle : (N,) int64    when each was accepted and acknowledged
    results : columns of a results table by name (docs/DRAM.md), without ``config`` and ``trace``
    commands : (M,) records of :data:`gpumodel.memory.dram.state.COMMAND`, empty unless asked for
    """

    trace: RequestTrace
    issue_cycle: NDArray[np.int64]
    done_cycle: NDArray[np.int64]
    results: dict[str, int | float]
    commands: NDArray[Any]

    @property
    def latency_cycles(self) -> NDArray[np.int64]:
        """(N,) from acceptance to acknowledgement."""
        return self.done_cycle - self.issue_cycle


def simulate(config: DramConfig, trace: RequestTrace, *, commands: bool = False) -> Simulation:
    """Run a trace from an idle memory until every request is acknowledged.

    Parameters
    ----------
    config : the memory
    trace : at least one request
    commands : keep every DRAM command

    Raises
    ------
    UsageError : the trace is empty, or has more commands than a log holds
    InternalError : a request is never served
    """
    if len(trace) == 0:
        raise UsageError("a trace without requests")
    memory = make_memory(config)
    requests = make_requests(trace, REQUEST)
    memory["input_head"], memory["input_tail"], memory["input_count"] = 0, len(trace) - 1, len(trace)
    room = 0
    if commands:
        refreshes = int(trace.cycle.max()) // config.timing.tREFI * config.ranks * config.system.channels
        room = min(_LOG_LEAST + _LOG_PER_REQUEST * len(trace) + refreshes * (1 + config.banks), _LOG_MOST)
    log = np.zeros(room, COMMAND)
    if run_trace(memory, requests, log):
        raise InternalError("a DRAM request is never served", hint="this is a bug, please report it with the trace")
    if commands:
        channels = memory["channel"]
        issued = sum(int(channels[name].sum()) for name in _COMMANDS)
        if issued > room:
            raise UsageError(f"{issued} DRAM commands: more than the log holds ({room})", hint="log a shorter trace")
    return Simulation(
        trace=trace,
        issue_cycle=requests["issue"].copy(),
        done_cycle=requests["done"].copy(),
        results=_tabulate(config, memory, trace, requests),
        commands=log[: int(memory["log_count"])],
    )


def _tabulate(config: DramConfig, memory: Any, trace: RequestTrace, requests: NDArray[Any]) -> dict[str, int | float]:
    channels = memory["channel"][: config.system.channels]

    def total(name: str) -> int:
        return int(channels[name].sum())

    latency = (requests["done"] - requests["issue"])[~trace.write]
    cycles = int(memory["last_done"]) + 1
    active = active_cycles(memory, cycles)
    idle = cycles * config.ranks * config.system.channels - active
    price = DramEnergy.of(config)
    energy = {
        "act_energy_pJ": price.activate_pj * total("activates"),
        "read_energy_pJ": price.read_pj * total("read_commands"),
        "write_energy_pJ": price.write_pj * total("write_commands"),
        "refresh_energy_pJ": price.refresh_pj * total("refreshes"),
        "background_energy_pJ": price.active_standby_pj * active + price.precharge_standby_pj * idle,
    }
    total_pj = sum(energy.values())
    return {
        "requests": len(trace),
        "reads": int((~trace.write).sum()),
        "writes": int(trace.write.sum()),
        "total_cycles": cycles,
        "last_request_accepted_cycle": int(requests["issue"].max()),
        "avg_read_latency_cycles": round(float(latency.mean()), 4) if len(latency) else 0.0,
        "min_read_latency_cycles": int(latency.min()) if len(latency) else 0,
        "max_read_latency_cycles": int(latency.max()) if len(latency) else 0,
        "read_cmds": total("read_commands"),
        "write_cmds": total("write_commands"),
        "read_row_hits": total("read_hits"),
        "write_row_hits": total("write_hits"),
        "activates": total("activates"),
        "precharges": total("precharges"),
        "ondemand_precharges": total("conflicts"),
        "refreshes": total("refreshes"),
        "rank_active_cycles": active,
        "all_bank_idle_cycles": idle,
        **{name: round(value, 1) for name, value in energy.items()},
        "total_energy_pJ": round(total_pj, 1),
        # What DRAMsim3 prints as pJ: mW times cycles, not multiplied by the clock period.
        "dramsim3_total_energy_raw_mWcycles": round(total_pj / price.tck_ns, 1),
        "sum_channel_average_power_mW": round(total_pj / price.tck_ns / cycles, 3),
    }
