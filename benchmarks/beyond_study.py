"""Where work dies: tables of the experiments ``beyond:*``, one a question.

``python benchmarks/beyond_study.py OUT... > docs/beyond_study.md`` reads folders that ``gpureplay paper run beyond:...
-o OUT`` has written. Figures are geometric means over the workloads, with the least and the largest; speed at equal
area is speed over the area that the technique makes of the machine's.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pyarrow.parquet as pq

from gpumodel.papers.description import MEAN, Experiment, experiments

_HEAD = """# Where work dies

Techniques side by side on twins of the papers' games ([PAPERS.md](PAPERS.md)), by `gpureplay paper run beyond:ID
--quick` (four frames, the last measured, half as wide and high) and `python benchmarks/beyond_study.py`. Each cell has
the geometric mean over the workloads and, in brackets, the least and the largest. Techniques that end in `-like` are
reconstructed: their figures say nothing of the papers that had the idea. The model's energy and area are its bill's.
"""
#: Columns by the last word of an experiment's id.
_METRICS = {"fragments": "shaded fragments", "speed": "speed", "energy": "energy", "bytes": "bytes of memory"}


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


def _table(asked: list[Experiment], found: dict[str, Path]) -> None:
    """Print a question's table, techniques in their order."""
    title, study = asked[0].title.partition(":")[0], asked[0].study
    assert study is not None
    columns, techniques = {}, {}
    for one in asked:
        name = one.id.replace(":", "-")
        with (found[one.id] / f"{name}.csv").open(encoding="utf-8") as file:
            columns[one.id.rpartition("-")[2]] = list(csv.DictReader(file))
        catalogue = pq.read_table(found[one.id] / "studies" / name / "catalogue.parquet").to_pylist()
        area = {row["technique"]: 1 + (row["area_share"] or 0.0) for row in catalogue}
        techniques = {series.name: series.technique for series in one.series}
    workloads = list(dict.fromkeys(row["workload"] for row in next(iter(columns.values()))))
    against = asked[0].series[0].against
    print(f"## {title}\n\n`{study.preset}`, {', '.join(w for w in workloads if w != MEAN)}; 1 is `{against}`.\n")
    names = [_METRICS[metric] for metric in columns]
    print(f"| technique | run | {' | '.join(names)} | area | speed at equal area |")
    print("|---|---|" + "---|" * (len(names) + 2))
    for name, technique in techniques.items():
        cells = [_cell([row for row in rows if row["series"] == name]) for rows in columns.values()]
        share = area[technique] / area[against]
        speed = _mean([row for row in columns["speed"] if row["series"] == name]) / share
        print(f"| {name} | `{technique}` | {' | '.join(cells)} | {100 * (share - 1):+.1f} % | {speed:.2f} |")
    print()


def _mean(rows: list[dict[str, str]]) -> float:
    """Geometric mean of a series."""
    return next(float(row["ours"]) for row in rows if row["workload"] == MEAN)


def _cell(rows: list[dict[str, str]]) -> str:
    """Mean, and the workloads' least and largest."""
    each = [float(row["ours"]) for row in rows if row["workload"] != MEAN]
    return f"{_mean(rows):.2f} ({min(each):.2f} to {max(each):.2f})" if each else ""


if __name__ == "__main__":
    main(sys.argv[1:])
