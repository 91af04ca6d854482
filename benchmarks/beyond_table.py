"""What the parameters of the techniques beyond the papers are worth: a table of the study ``benchmarks/beyond.toml``.

``python benchmarks/beyond_table.py OUT... > docs/beyond_tables.md`` reads the folders that ``gpureplay sweep`` has
written (one, or several that share the study out). A row is a technique with the values that differ from its defaults;
values of other techniques' parameters make no difference and are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gpumodel.config.load import load_config

_HEAD = """# Techniques beyond the papers, their parameters swept

Made by `gpureplay sweep benchmarks/beyond.toml -o out` and `python benchmarks/beyond_table.py out`: speed, energy and
memory traffic of {frames} frames against the bare `{preset}` with {caches} of Tile Cache and L2, and the share of area
that the technique adds. Small scenes on a small machine: they say which parameters matter and in which direction, no
more. Techniques whose names end in `-like` are reconstructed; `triangle-dropping-like` is a bound.
"""


def main(folders: list[str]) -> None:
    """Print the page."""
    rows = [row for folder in folders for row in pq.read_table(Path(folder) / "catalogue.parquet").to_pylist()]
    preset = rows[0]["preset"]
    plain = load_config(preset).model_dump()
    traces = list(dict.fromkeys(row["trace"] for row in rows))
    bare = {row["trace"]: row for row in rows if row["technique"] == "baseline"}
    table: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        changed = _changed(row, plain)
        if row["technique"] != "baseline" and all(key.startswith(_section(row["technique"])) for key in changed):
            text = ", ".join(f"`{key}={value}`" for key, value in changed.items()) or "defaults"
            table.setdefault((row["technique"], text), {})[row["trace"]] = row
    caches = f"{rows[0]['config.caches.tile.size_bytes'] >> 10} and {rows[0]['config.caches.l2.size_bytes'] >> 10} KiB"
    print(_HEAD.format(frames=rows[0]["frames"], preset=preset, caches=caches))
    names = [trace.partition("-")[0] for trace in traces]
    print(f"| technique | values | {' | '.join(f'{name}: speed, energy, bytes' for name in names)} | area |")
    print("|---|---|" + "---|" * (len(traces) + 1))
    order = list(dict.fromkeys(technique for technique, _ in table))
    for (technique, text), found in sorted(table.items(), key=lambda row: order.index(row[0][0])):
        cells = [_cell(found[trace], bare[trace]) for trace in traces]
        share = next(iter(found.values()))["area_share"]
        print(f"| `{technique}` | {text} | {' | '.join(cells)} | {100 * share:+.1f} % |")


def _section(technique: str) -> str:
    """Begin of the keys of a technique's parameters."""
    return technique.replace("-", "_") + "."


def _changed(row: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    """Values of a run that are no defaults of the technique parameters that the study changes."""
    out = {}
    for name, value in row.items():
        section, _, key = name.removeprefix("config.").partition(".")
        if name.startswith("config.") and section not in {"screen", "caches"} and value is not None:
            default = plain[section][key]
            if value != default:
                out[f"{section}.{key}"] = str(value).lower() if isinstance(value, bool) else value
    return out


def _cell(row: dict[str, Any], bare: dict[str, Any]) -> str:
    """Speed, energy and memory traffic against the bare machine."""
    ratios = (
        bare["cycles"] / row["cycles"],
        row["energy_pj"] / bare["energy_pj"],
        row["dram_bytes"] / bare["dram_bytes"],
    )
    return ", ".join(f"{ratio:.2f}" for ratio in ratios)


if __name__ == "__main__":
    main(sys.argv[1:])
