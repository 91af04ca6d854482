"""The data of a page: one document, a function of trace, configuration and program version alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from gpumodel.counter_list import known_counters
from gpumodel.report.compare import COLUMNS as RUN_COLUMNS
from gpumodel.report.compare import comparison_rows
from gpumodel.report.costs import dearest
from gpumodel.report.page.costs import COLUMNS, cost_tables, shared_rows, treemap
from gpumodel.report.page.facts import Facts
from gpumodel.report.page.findings import findings
from gpumodel.report.page.frames import FrameKeeper
from gpumodel.report.page.meshes import SIZES, Meshes
from gpumodel.report.page.pictures import LAYERS
from gpumodel.report.page.variants import variants
from gpumodel.report.shader_lines import StageLines
from gpumodel.report.verdict import verdict
from gpumodel.resultfile import Subject, program_version
from gpumodel.results import RunResult, dram_bytes, total_of
from gpumodel.silicon import silicon_note

__all__ = ["SCHEMA", "report_document"]

#: Version of the layout.
SCHEMA: Final = 1
#: Stages whose sources a page shows.
_STAGES: Final = 40
#: Structures whose energy it shows.
_STRUCTURES: Final = 14


def report_document(
    subject: Subject, runs: Sequence[RunResult], keeper: FrameKeeper, facts: Facts, meshes: Meshes,
    stages: Sequence[StageLines], compared: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Everything that the page shows.

    Parameters
    ----------
    runs : the first one is shown in detail, the others beside it
    keeper, facts, meshes, stages : of the first one's measured frames
    compared : of another run, as :func:`gpumodel.compare.layout.json_of` gives it
    """
    run = runs[0]
    costs = [frame.attribution for frame in run.measured if frame.attribution is not None]
    clock = run.config.tech.clock_mhz
    tables = cost_tables(costs, clock)
    totals = _totals(run, subject)
    ordered = sorted(stages, key=lambda stage: (-stage.cycles, stage.program, stage.stage))[:_STAGES]
    return {
        "schema": SCHEMA,
        "program": program_version(),
        "command": list(subject.command),
        "trace": dict(subject.trace),
        "partial": subject.partial,
        "silicon": silicon_note([run.config.name]),
        "config": {"name": run.config.name, "clock_mhz": clock, "memory": run.memory, "technique": run.technique},
        "verdict": verdict(total_of(run.measured)),
        "dearest": dearest(costs),
        "totals": totals,
        "findings": findings(tables, facts, stages, totals),
        "frames": keeper.frames,
        "layers": {name: {"title": title, "unit": unit, "divisor": divisor, "top": keeper.tops()[name]}
                   for name, (title, unit, divisor) in LAYERS.items()},
        "columns": [dict(zip(("key", "heading", "meaning", "digits"), column, strict=True)) for column in COLUMNS],
        "costs": _with_facts(tables, facts),
        "treemap": treemap(tables["object"]),
        "shared_ms": shared_rows(costs, clock),
        "meshes": meshes.rows(len(run.measured)),
        "size_names": _size_names(),
        "units": _units(run),
        "traffic": _traffic(run),
        "energy": _energy(run),
        "shaders": [stage.document() for stage in ordered],
        "variants": variants(stages),
        "waits": [],
        "runs": _runs(runs) if len(runs) > 1 else None,
        "compared": compared,
        "what_if": None,
        "counters": _counters(run),
    }  # fmt: skip


def _runs(runs: Sequence[RunResult]) -> dict[str, Any]:
    """Runs side by side: columns in which any has something to say."""
    rows = comparison_rows(runs)
    shown = [k for k in range(len(RUN_COLUMNS)) if k == 0 or any(row[k] != "-" for row in rows)]
    return {"columns": [RUN_COLUMNS[k] for k in shown], "rows": [[row[k] for k in shown] for row in rows]}


def _totals(run: RunResult, subject: Subject) -> dict[str, float]:
    """Means a frame."""
    total, frames = total_of(run.measured), max(len(run.measured), 1)
    milliseconds = 1e-3 / run.config.tech.clock_mhz / frames
    return {
        **{name: value / frames for name, value in total.counters.items()},
        "frames": frames,
        "pixels": subject.trace["width"] * subject.trace["height"],
        "cycles": total.cycles / frames,
        "ms": total.cycles * milliseconds,
        "geometry_ms": total.geometry_cycles * milliseconds,
        "raster_ms": total.raster_cycles * milliseconds,
        "mj": total.energy.total / frames / 1e9,
        "dram": sum(dram_bytes(total.counters).values()) / frames,
    }


def _size_names() -> list[str]:
    """Classes of primitives by their fragments."""
    between = [f"{low + 1} to {high}" for low, high in pairwise(SIZES)]
    return ["none", *between, f"more than {SIZES[-1]}"]


def _with_facts(tables: Mapping[str, list[dict[str, Any]]], facts: Facts) -> dict[str, list[dict[str, Any]]]:
    """Tables with what is known of textures."""
    for row in tables["texture"]:
        known = facts.textures.get(row["name"])
        row["note"] = "" if known is None else f"{known.levels} level{'s' * (known.levels != 1)}"
    return dict(tables)


def _units(run: RunResult) -> list[dict[str, Any]]:
    """Shares of the cycles of each kind of unit in each of its states."""
    total = total_of(run.measured)
    kinds: dict[str, dict[str, int]] = {}
    for unit, states in total.stalls.items():
        mine = kinds.setdefault(unit.partition(".")[0], dict.fromkeys(states, 0))
        for state, cycles in states.items():
            mine[state] += cycles
    return [
        {
            "name": name.replace("_", " "),
            "states": {state: value / max(sum(states.values()), 1) for state, value in states.items()},
        }
        for name, states in reversed(kinds.items())
    ]


def _traffic(run: RunResult) -> list[dict[str, Any]]:
    """Bytes a frame by client, both ways."""
    counters, frames = total_of(run.measured).counters, max(len(run.measured), 1)
    return [
        {
            "name": name,
            "read": counters[f"dram.read_bytes.{name}"] / frames,
            "written": counters[f"dram.write_bytes.{name}"] / frames,
        }
        for name, value in dram_bytes(counters).items()
        if value
    ]


def _energy(run: RunResult) -> list[dict[str, Any]]:
    """Energy a frame, mJ, of the dearest structures and of the memory."""
    energy, frames = total_of(run.measured).energy, max(len(run.measured), 1)
    parts = {**energy.structures, "memory": (energy.dram_dynamic, energy.dram_static)}
    rows = sorted(parts.items(), key=lambda part: -sum(part[1]))[:_STRUCTURES]
    return [
        {
            "name": name.replace("_", " ").replace(".", " "),
            "dynamic": dynamic / frames / 1e9,
            "static": static / frames / 1e9,
        }
        for name, (dynamic, static) in rows
    ]


def _counters(run: RunResult) -> list[dict[str, Any]]:
    """All counters that are not 0: mean a frame, unit, meaning."""
    total, frames = total_of(run.measured), max(len(run.measured), 1)
    known = {row.name: row for row in known_counters()}
    return [
        {"name": name, "value": value / frames, "unit": known[name].unit, "meaning": known[name].meaning}
        for name, value in total.counters.items()
        if value and name in known
    ]
