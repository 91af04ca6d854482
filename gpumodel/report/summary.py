"""A short Markdown report over several traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpumodel.report.table import summary_rows
from gpumodel.report.verdict import verdict
from gpumodel.results import RunResult, total_of

__all__ = ["TraceReport", "summary_markdown"]


@dataclass(slots=True)
class TraceReport:
    """What the report says of one trace: its name, its runs, and pictures by caption (paths relative to the report)."""

    name: str
    runs: Sequence[RunResult]
    pictures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def summary_markdown(title: str, reports: Sequence[TraceReport]) -> str:
    """Markdown with a table over all traces, then a section a trace."""
    lines = [f"# {title}", ""]
    lines += [
        "| trace | frames | cycles a frame | energy a frame | shaded a pixel | what bounds it |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for report in reports:
        run = report.runs[0]
        total, frames = total_of(run.measured), max(len(run.measured), 1)
        pixels = max(total.counters["dram.write_bytes.color"] / 4, 1)
        lines.append(
            f"| {report.name} | {len(run.measured)} | {total.cycles / frames:,.0f} "
            f"| {total.energy.total / frames / 1e9:.3f} mJ "
            f"| {total.counters['fragments.shaded'] / pixels:.2f} | {verdict(total)} |"
        )
    for report in reports:
        lines += ["", f"## {report.name}", ""]
        lines += [f"![{caption}]({path})" for caption, path in report.pictures.items()]
        lines += [f"- {note}" for note in report.notes]
        for run in report.runs:
            lines += ["", f"{run.technique} on {run.config.name}:", "", "| a frame | | |", "|---|--:|---|"]
            lines += [f"| {name.strip()} | {value} | {remark} |" for name, value, remark in summary_rows(run)]
    return "\n".join(lines) + "\n"
