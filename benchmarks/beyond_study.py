"""Where work dies: tables of the experiments ``beyond:*``, one a question.

``python benchmarks/beyond_study.py OUT... > docs/beyond_study_tables.md`` reads folders that ``gpureplay paper run
beyond ... -o OUT`` and ``gpureplay sweep benchmarks/beyond_caches.toml -o OUT`` have written. Figures are geometric
means over the workloads, with the least and the largest; speed at equal area is speed over the area that the technique
makes of the machine's.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import pyarrow.parquet as pq

from gpumodel.config.load import load_config
from gpumodel.papers.description import MEAN, Experiment, experiments
from gpumodel.papers.workloads import games
from gpumodel.runs import Run

_HEAD = """# Where work dies: tables

Techniques side by side on twins of the papers' games ([PAPERS.md](PAPERS.md)), by `gpureplay paper run beyond -o out`
(frames 75, 150 and 225, each behind the frames that a technique looks back on; 1200x768, scheduling 1920x1088),
`gpureplay sweep` of the three files `benchmarks/beyond_caches*.toml` and `python benchmarks/beyond_study.py OUT...`;
what they say: [Where work dies](beyond_study.md). Each cell has the geometric mean over the workloads and, in brackets,
the least and the largest. Techniques that end in `-like` are reconstructed: their figures say nothing of the papers
that had the idea. The model's energy and area are its bill's; bytes on chip are those of all memories, queues and
registers in it, without the tags of caches.
"""
#: Columns by the last word of an experiment's id.
_METRICS = {"fragments": "shaded fragments", "speed": "speed", "energy": "energy", "bytes": "bytes of memory"}
_CATALOGUE = "catalogue.parquet"


def main(folders: list[str]) -> None:
    """Print the page."""
    print(_HEAD)
    found = {
        one.id: folder
        for one in experiments()
        for folder in map(Path, folders)
        if (folder / f"{one.id.replace(':', '-')}.csv").exists()
    }
    topics = list(dict.fromkeys(identity.rpartition("-")[0] for identity in found))
    for topic in topics:
        _table([one for one in experiments() if one.id in found and one.id.rpartition("-")[0] == topic], found)
    caches = [folder / _CATALOGUE for folder in map(Path, folders) if (folder / _CATALOGUE).exists()]
    if caches:
        print("## Bytes on chip as caches\n\nThe bare machine with a cache twice as large; 1 is `baseline`.\n")
    for catalogue in caches:
        _caches(pq.read_table(catalogue).to_pylist())


def _table(asked: list[Experiment], found: dict[str, Path]) -> None:
    """Print a question's table, techniques in their order, and its parts by view and by workload."""
    title, study = asked[0].title.partition(":")[0], asked[0].study
    assert study is not None
    columns: dict[str, list[dict[str, str]]] = {}
    for one in asked:
        with (found[one.id] / f"{one.id.replace(':', '-')}.csv").open(encoding="utf-8") as file:
            columns[one.id.rpartition("-")[2]] = [row for row in csv.DictReader(file) if row["workload"] != MEAN]
    name = asked[0].id.replace(":", "-")
    catalogue = pq.read_table(found[asked[0].id] / "studies" / name / _CATALOGUE).to_pylist()
    area = {row["technique"]: 1 + (row["area_share"] or 0.0) for row in catalogue}
    techniques = {series.name: series.technique for one in asked for series in one.series}
    workloads = list(dict.fromkeys(row["workload"] for row in next(iter(columns.values()))))
    against = asked[0].series[0].against
    kept = {run: _stored_kib(study.preset, run) for run in (against, *techniques.values())}
    print(f"## {title}\n\n`{study.preset}`, {', '.join(workloads)}; 1 is `{against}`.\n")
    names = [_METRICS[metric] for metric in columns]
    _row(["technique", "run", *names, "area", "speed at equal area", "bytes on chip"], is_head=True)
    for series, run in techniques.items():
        cells = [_spread(_values(rows, series)) for rows in columns.values()]
        share = area[run] / area[against]
        speed = geometric_mean(_values(columns["speed"], series)) / share
        added = kept[run] - kept[against]
        _row([series, f"`{run}`", *cells, f"{100 * (share - 1):+.1f} %", f"{speed:.2f}", f"{added:+.1f} KiB"])
    print()
    by_view: dict[str, list[str]] = {view: [] for view in ("3D", "2.5D", "2D")}
    for game in games():
        if game.alias in workloads:
            by_view[game.view].append(game.alias)
    print(f"By content: {', '.join(names)}.\n")
    _row(["content", *(f"`{run}`" for run in techniques.values())], is_head=True)
    for view, own in ((view, own) for view, own in by_view.items() if own):
        for what, group in ((f"**all {view}**", own), *((f"{view} {one}", [one]) for one in own)):
            cells = [
                [geometric_mean(_values(rows, series, group)) for rows in columns.values()] for series in techniques
            ]
            _row([what, *(", ".join(f"{value:.2f}" for value in cell) for cell in cells)])
    print()


def _caches(rows: Sequence[dict[str, Any]]) -> None:
    """Print what larger caches bring the bare machine."""
    preset = rows[0]["preset"]
    plain = load_config(preset).caches
    sizes = {name: getattr(plain, name).size_bytes for name in ("texture", "tile", "l2")}
    grown: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        larger = [name for name, size in sizes.items() if row[f"config.caches.{name}.size_bytes"] != size]
        grown.setdefault(larger[0] if larger else "", {})[row["trace"]] = row
    print(f"`{preset}`, {', '.join(sorted(trace.partition('-')[0] for trace in grown['']))}:\n")
    _row(["caches", "speed", "energy", "bytes of memory", "area", "bytes on chip"], is_head=True)
    for name in sizes:
        pairs = [(row, grown[""][trace]) for trace, row in grown[name].items()]
        own = pairs[0][0][f"config.caches.{name}.size_bytes"]
        added = _stored_kib(preset, "baseline", f"caches.{name}.size_bytes={own}") - _stored_kib(preset, "baseline")
        cells = [
            _spread([bare["cycles"] / row["cycles"] for row, bare in pairs]),
            *(_spread([row[key] / bare[key] for row, bare in pairs]) for key in ("energy_pj", "dram_bytes")),
        ]
        area = pairs[0][0]["area_mm2"] / pairs[0][1]["area_mm2"] - 1
        _row([f"`caches.{name}.size_bytes={own}`", *cells, f"{100 * area:+.1f} %", f"{added:+.1f} KiB"])
    print()


def _stored_kib(preset: str, run: str, *settings: str) -> float:
    """Bytes on chip of a machine with a run's techniques, KiB."""
    ids = [] if run == "baseline" else run.split("+")
    return Run(load_config(preset, list(settings)), ids).result.stored_bytes / 1024


def _values(rows: Sequence[dict[str, str]], series: str, workloads: Sequence[str] = ()) -> list[float]:
    """Values of a series, of some workloads."""
    wanted = [row for row in rows if row["series"] == series]
    return [float(row["ours"]) for row in wanted if not workloads or row["workload"] in workloads]


def _spread(each: Sequence[float]) -> str:
    """Geometric mean, the least and the largest."""
    return f"{geometric_mean(each):.2f} ({min(each):.2f} to {max(each):.2f})"


def _row(cells: Iterable[str], *, is_head: bool = False) -> None:
    """Print a row of a table."""
    listed = list(cells)
    print(f"| {' | '.join(listed)} |")
    if is_head:
        print("|" + "---|" * len(listed))


if __name__ == "__main__":
    main(sys.argv[1:])
