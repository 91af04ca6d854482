"""Statistics as JSON and CSV.

JSON, ``"schema": 2``: ``program`` {name, version}, ``trace`` {name, sha256, frames, width, height}, ``config`` {name,
sha256, tile_width, tile_height}, ``partial`` (the trace is damaged, frames are missing), ``total`` (one row), and one
list of rows for each grouping: ``frames``, ``draws``, ``objects``, ``programs``, ``textures``. A row has its key (such
as ``frame`` and ``draw``), ``counts`` {name: integer} and ``ratios`` {name: {"ratio_of_sums", "mean_over_frames",
"mean_over_draws"}}, numbers rounded to six places, null where there is no denominator. Names, units and meanings are
those of :mod:`gpumodel.report.stats.columns`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpumodel.config.load import config_sha256
from gpumodel.config.schema import GpuConfig
from gpumodel.report.stats.columns import COUNTS, RATIOS
from gpumodel.report.stats.groups import Group, Statistics

__all__ = ["SCHEMA", "printable", "statistics_csv", "statistics_json"]

#: Version of the JSON layout.
SCHEMA: Final = 2
_PLACES: Final = 6
_KINDS: Final = ("ratio_of_sums", "mean_over_frames", "mean_over_draws")


def statistics_json(
    trace: Mapping[str, Any], config: GpuConfig, statistics: Statistics, *, partial: bool = False
) -> Iterator[str]:
    """Statistics as pieces of text, keys in a fixed order, one row a line.

    Parameters
    ----------
    trace : name, sha256, frames, width, height
    partial : frames were left out because the trace is damaged
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        program = version("gpureplay")
    except PackageNotFoundError:
        program = "unknown"
    head = {
        "schema": SCHEMA,
        "program": {"name": "gpureplay", "version": program},
        "trace": dict(trace),
        "config": {
            "name": config.name,
            "sha256": config_sha256(config),
            "tile_width": config.tile.width,
            "tile_height": config.tile.height,
        },
        "partial": partial,
        "total": _row(statistics.total),
    }
    yield "{\n " + ",\n ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items())
    for by, groups in statistics.groups.items():
        yield f",\n {json.dumps(by.value + 's')}: ["
        for number, group in enumerate(groups):
            yield f"{',' if number else ''}\n  {json.dumps(_row(group))}"
        yield "\n ]" if groups else "]"
    yield "\n}\n"


def statistics_csv(statistics: Statistics) -> str:
    """One line a row of every grouping: ``by``, the keys, every count, every ratio in its three forms.

    Cells that a row does not have are empty; the first line after the header is the total.
    """
    keys = list(dict.fromkeys(name for groups in statistics.groups.values() for group in groups for name in group.key))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    ratio_names = [f"{ratio.name}.{kind}" for ratio in RATIOS for kind in _KINDS]
    writer.writerow(["by", *keys, *(count.name for count in COUNTS), *ratio_names])
    for by, groups in (
        ("total", [statistics.total]),
        *((by.value, groups) for by, groups in statistics.groups.items()),
    ):
        for group in groups:
            row = _row(group)
            ratios = [row["ratios"][ratio.name][kind] for ratio in RATIOS for kind in _KINDS]
            own = (printable(str(row.get(key, ""))) for key in keys)
            writer.writerow([by, *own, *row["counts"].values(), *ratios])
    return out.getvalue()


def printable(text: str) -> str:
    """Text of a trace as a terminal or a file can take it: control characters and broken UTF-8 are escaped."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def _row(group: Group) -> dict[str, Any]:
    forms = zip(group.ratio_of_sums(), group.mean_over_frames(), group.mean_over_draws(), strict=True)
    return {
        **group.key,
        "counts": {count.name: int(value) for count, value in zip(COUNTS, group.counts, strict=True)},
        "ratios": {
            ratio.name: dict(zip(_KINDS, map(_rounded, values), strict=True))
            for ratio, values in zip(RATIOS, forms, strict=True)
        },
    }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), _PLACES)
