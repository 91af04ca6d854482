"""``python -m gpumodel.memory.dram_check``: run a request trace through the DRAM model.

Prints a summary; ``--json`` and ``--requests`` write what the reference runs of DRAMsim3 are tabulated as.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import Command, door
from traceformat.cli.paths import CSV, JSON, InputFile, OutputFile
from traceformat.output import leads_to_stdout, write_output

if TYPE_CHECKING:
    from gpumodel.memory.dram.config import DramConfig
    from gpumodel.memory.dram.run import Simulation

__all__ = ["dram_check"]


@click.command(cls=Command)
@click.argument("trace", type=InputFile())
@click.option("--config", "name", required=True, help="Name of a DRAM configuration.")
@click.option("--configs", type=InputFile(), help="JSON or TOML file of configurations instead of the shipped ones.")
@click.option("--json", "json_path", type=OutputFile(JSON), help="Write the results by column name.")
@click.option("--requests", "requests_path", type=OutputFile(CSV), help="Write each request's times as CSV.")
@click.option("--commands", "commands_path", type=OutputFile(CSV), help="Write the DRAM commands as CSV.")
def dram_check(
    trace: str,
    name: str,
    configs: str | None,
    json_path: str | None,
    requests_path: str | None,
    commands_path: str | None,
) -> None:
    """Run TRACE (CSV: cycle,op,addr) through the command-level LPDDR3/LPDDR4 model.

    Requests are offered in order, one a DRAM cycle at most, each from its cycle on and until it is accepted.
    """
    from gpumodel.memory.dram.config import load_dram_config
    from gpumodel.memory.dram.trace import read_trace

    config = load_dram_config(name, configs)
    requests = read_trace(Path(trace))

    from gpumodel.memory.dram.run import simulate

    simulation = simulate(config, requests, commands=commands_path is not None)
    results: dict[str, Any] = {"config": name, "trace": Path(trace).stem, **simulation.results}
    if json_path:
        write_output(json_path, json.dumps(results, indent=1) + "\n")
    if requests_path:
        write_output(requests_path, _requests_csv(simulation))
    if commands_path:
        write_output(commands_path, _commands_csv(simulation))
    if not any(map(leads_to_stdout, (json_path, requests_path, commands_path))):
        click.echo(_summary(results, config, simulation))


def _requests_csv(simulation: Simulation) -> str:
    trace = simulation.trace
    rows = zip(
        trace.cycle.tolist(), trace.write.tolist(), trace.address.tolist(), simulation.issue_cycle.tolist(),
        simulation.done_cycle.tolist(), strict=True,
    )  # fmt: skip
    lines = [
        f"{k},{cycle},{'W' if write else 'R'},{address:#x},{issue},{done}"
        for k, (cycle, write, address, issue, done) in enumerate(rows)
    ]
    return "\n".join(["idx,req_cycle,op,addr,issue_cycle,done_cycle", *lines, ""])


def _commands_csv(simulation: Simulation) -> str:
    from gpumodel.memory.dram.state import COMMAND_NAMES

    lines = [
        f"{cycle},{COMMAND_NAMES[kind]},{channel},{rank},{group},{bank},{row:#x},{column:#x}"
        for cycle, kind, channel, rank, group, bank, row, column in simulation.commands.tolist()
    ]
    return "\n".join(["cycle,cmd,channel,rank,bankgroup,bank,row_hex,col_hex", *lines, ""])


def _summary(results: dict[str, Any], config: DramConfig, simulation: Simulation) -> str:
    """What the run came to, for a person."""
    cycles = results["total_cycles"]
    time_ns = cycles * config.timing.tCK
    peak = config.request_bytes / config.burst_cycles / config.timing.tCK * config.system.channels
    columns = results["read_cmds"] + results["write_cmds"]
    moved = columns * config.request_bytes
    hits = results["read_row_hits"] + results["write_row_hits"]
    forwarded = int((simulation.latency_cycles[~simulation.trace.write] == 1).sum())
    energy = results["total_energy_pJ"]
    parts = ", ".join(
        f"{label} {100 * results[key] / energy:.1f} %"
        for label, key in (
            ("background", "background_energy_pJ"), ("activates", "act_energy_pJ"), ("reads", "read_energy_pJ"),
            ("writes", "write_energy_pJ"), ("refreshes", "refresh_energy_pJ"),
        )
    )  # fmt: skip
    geometry = (
        f"{config.dram_structure.protocol}, {config.system.channels} x {config.system.bus_width} bits, "
        f"{config.ranks} rank(s) of {config.devices_per_rank} devices, {config.banks} banks, "
        f"{config.request_bytes} bytes a request"
    )
    rows = [
        ("memory", f"{results['config']}: {geometry}"),
        ("requests", f"{results['requests']}: {results['reads']} reads ({forwarded} answered from the write buffer), "
                     f"{results['writes']} writes"),
        ("time", f"{cycles} cycles of {config.timing.tCK} ns = {time_ns / 1000:.2f} us"),
        ("read latency", f"{results['avg_read_latency_cycles']:.1f} cycles on average, "
                         f"{results['min_read_latency_cycles']} to {results['max_read_latency_cycles']}"),
        ("data", f"{moved / time_ns:.3f} GB/s, {100 * moved / time_ns / peak:.1f} % of the peak of {peak:.2f} GB/s"),
        ("row hits", f"{hits} of {columns} columns ({100 * hits / max(columns, 1):.1f} %)"),
        ("commands", f"{results['activates']} activates, {results['precharges']} precharges "
                     f"({results['ondemand_precharges']} by conflict), {results['read_cmds']} reads, "
                     f"{results['write_cmds']} writes, {results['refreshes']} refreshes"),
        ("energy", f"{energy / 1e6:.3f} uJ: {parts}"),
        ("power", f"{results['sum_channel_average_power_mW']:.1f} mW"),
    ]  # fmt: skip
    return "\n".join(f"{label:<13} {text}" for label, text in rows)


if __name__ == "__main__":
    door(dram_check, "dram_check")()
