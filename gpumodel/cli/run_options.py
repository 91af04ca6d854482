"""What ``gpureplay run`` was asked for, and what it does on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from traceformat.cli.door import PARTIAL
from traceformat.output import leads_to_stdout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumodel.cli.sinks.sink import Sink, Work

__all__ = ["RunOptions", "finished", "result_sinks"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The command line, option by option."""

    trace: str
    configs: tuple[str, ...]
    techniques: tuple[str, ...]
    memories: tuple[str, ...]
    frames: str | None
    warm_up: int | None
    settings: tuple[str, ...]
    json_path: str | None
    csv_path: str | None
    images: str | None
    graphs: str | None
    verify: bool
    timeline_path: str | None
    save_gputrace: str | None
    trace_store: str | None
    trace_store_gib: float
    host_json: str | None
    attribution: bool
    threads: int
    verbose: bool

    @property
    def has_table(self) -> bool:
        """Whether tables go to standard output: nothing else does."""
        paths = (self.json_path, self.csv_path, self.timeline_path, self.save_gputrace, self.host_json)
        return not any(map(leads_to_stdout, paths))


def finished(options: RunOptions, work: Work, sinks: Sequence[Sink]) -> int:
    """End all sinks; gives the exit status."""
    statuses = [sink.end(work) for sink in sinks]
    if work.partial:
        click.echo(f"{options.trace}: the trace is damaged; the result covers the frames before the damage", err=True)
    return max(statuses, default=0) or (PARTIAL if work.partial else 0)


def result_sinks(options: RunOptions) -> list[Sink]:
    """Files that runs on every machine have."""
    from gpumodel.cli.sinks.host_seconds import HostSeconds
    from gpumodel.cli.sinks.result_files import ResultFile

    sinks: list[Sink] = []
    if options.json_path:
        sinks.append(ResultFile.json(options.json_path))
    if options.csv_path:
        sinks.append(ResultFile.csv(options.csv_path))
    if options.host_json:
        sinks.append(HostSeconds(options.host_json))
    return sinks
