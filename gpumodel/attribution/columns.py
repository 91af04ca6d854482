"""Counters of results as columns of the rows in which costs are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numpy.typing import NDArray

from gpumodel.counters import COUNTERS, RATIOS
from gpumodel.units.costs import CACHE_NAMES
from gpumodel.units.counters import (
    CACHE_COUNTERS,
    DRAM_COUNTERS,
    GEOMETRY_COUNTERS,
    L2_COUNTERS,
    PROCESSOR_COUNTERS,
    RASTER_UNIT_COUNTERS,
)
from gpumodel.units.traffic import TRAFFIC_NAMES
from gpumodel.workload import KIND_NAMES

__all__ = ["NOT_SUMS", "cost_columns"]

#: Counters that are no sum over anything.
NOT_SUMS: Final = frozenset({"parameter_buffer.bytes", *RATIOS})

_MOVE: Final = KIND_NAMES.index("move")
_TEXTURE: Final = KIND_NAMES.index("texture")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **{
        name: (counter.field,)
        for declared in (GEOMETRY_COUNTERS, RASTER_UNIT_COUNTERS, PROCESSOR_COUNTERS, DRAM_COUNTERS, L2_COUNTERS)
        for name, counter in declared.items()
    },
    "vertices.in": ("vertices_in",),
    "vs.issue_cycles": ("vs_issue_cycles",),
    "dram.read_commands": ("read_commands",),
    "dram.write_commands": ("write_commands",),
    "dram.row_hits": ("row_hits",),
}


def cost_columns(rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Counters that are sums, each (R,) int64; those that no row field has are 0.

    Parameters
    ----------
    rows : (R,) COST
    """
    out: dict[str, NDArray[Any]] = {name: rows[field[0]] for name, field in _FIELDS.items()}
    for place, cache in enumerate(CACHE_NAMES):
        for name, counter in CACHE_COUNTERS.items():
            out[f"cache.{cache}.{name}"] = rows["cache"][:, place][counter.field]
    for place, kind in enumerate(TRAFFIC_NAMES):
        out[f"dram.read_bytes.{kind}"] = rows["read_bytes"][:, place]
        out[f"dram.write_bytes.{kind}"] = rows["write_bytes"][:, place]
    for stage in ("vs", "fs"):
        for place, kind in enumerate(KIND_NAMES):
            out[f"{stage}.executed.{kind}"] = rows[f"{stage}_executed"][:, place]
    executed = rows["vs_executed"]
    out["vs.instructions"] = executed.sum(axis=1) - executed[:, _MOVE]
    executed = rows["fs_executed"]
    out["fs.alu_instructions"] = executed[:, 0] + executed[:, 1]
    out["fs.tex_instructions"] = executed[:, _TEXTURE].copy()
    zero = rows["vertices_in"] * 0
    return {name: out.get(name, zero).copy() for name in COUNTERS if name not in NOT_SUMS}
