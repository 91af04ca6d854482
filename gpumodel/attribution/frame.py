"""From the rows of a finished frame to its attribution: what is left to share, energy, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.columns import NOT_SUMS, cost_columns
from gpumodel.attribution.costs import FrameCosts
from gpumodel.attribution.names import draw_names, texture_names
from gpumodel.attribution.table import GEOMETRY_CYCLES, RASTER_CYCLES, SHADING_CYCLES, Attribution
from gpumodel.config.schema import GpuConfig
from gpumodel.counters import OWN_COUNTERS
from gpumodel.energy import FrameEnergy, Structure, bill
from gpumodel.energy.evaluate import dram_dynamic_energy, dynamic_energy
from gpumodel.units.costs import SHARED_KINDS, Shared
from traceformat.errors import InternalError

__all__ = ["FrameTotals", "attribute"]

#: Counters, by the beginning of their names, of what no draw does.
_MACHINE: Final = (
    "passes", "tiles.", "parameter_buffer.", "queue.", "dram.refreshes", "dram.rank_",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrameTotals:
    """A frame's own figures, which the sums over the rows are.

    Parameters
    ----------
    counters : those of results, of techniques among them
    energy : of the frame
    hardware : of techniques
    own : names of the techniques' counters; empty for the baseline
    """

    frame: int
    geometry_cycles: int
    raster_cycles: int
    counters: Mapping[str, float]
    energy: FrameEnergy
    hardware: Sequence[Structure]
    own: frozenset[str]


def attribute(config: GpuConfig, costs: FrameCosts, totals: FrameTotals) -> Attribution:
    """Attribute a frame's figures to its draws.

    Raises
    ------
    InternalError : the rows of a baseline's frame do not add up to its figures
    """
    trace, rows, units = costs.trace, costs.counted_rows, config.raster.units
    draws = trace["draws"].num_rows
    columns = cost_columns(rows)
    columns["draws"][:draws] = 1
    columns[GEOMETRY_CYCLES] = rows["geometry_cycles"].copy()
    columns[RASTER_CYCLES] = rows["raster_cycles"].copy()
    for name, field_name in zip(SHADING_CYCLES, ("geometry_shading_cycles", "raster_shading_cycles"), strict=True):
        columns[name] = rows[field_name].copy()
    wanted = {name: value for name, value in totals.counters.items() if name not in NOT_SUMS}
    wanted |= {GEOMETRY_CYCLES: totals.geometry_cycles, RASTER_CYCLES: units * totals.raster_cycles}
    _share_the_rest(costs, columns, wanted, totals)
    parts = (*bill(config), *totals.hardware)
    zero = np.zeros(len(rows))
    machine = costs.shared(None, Shared.MACHINE) - costs.first
    energy = {
        "gpu_dynamic": sum(dynamic_energy(config, columns, parts).values(), zero),
        "gpu_static": zero.copy(),
        "dram_dynamic": dram_dynamic_energy(config, columns) + zero,
        "dram_static": zero.copy(),
    }
    energy["gpu_static"][machine] = totals.energy.gpu_static
    energy["dram_static"][machine] = totals.energy.dram_static
    return _without_empty_rows(
        Attribution(
            frame=totals.frame,
            raster_units=units,
            names=draw_names(trace),
            calls=trace["draws"]["call"].astype(np.int64),
            passes=np.concatenate([trace["draws"]["pass"].astype(np.int64), _shared_passes(costs)]),
            shared=[""] * draws + [kind.name.lower() for kind in Shared] * (trace["passes"].num_rows + 1),
            counts={name: values for name, values in columns.items() if values.any()},
            energy_pj=energy,
            textures=texture_names(trace, costs.textures["first_line"].tolist()),
            texture_counts={
                "cache.texture.primary_misses": costs.textures["primary_misses"],
                "dram.read_bytes.texture": costs.textures["read_bytes"],
            },
        )
    )


def _shared_passes(costs: FrameCosts) -> NDArray[np.int64]:
    """Pass of each row of shared work, -1 for those of the frame."""
    count = costs.trace["passes"].num_rows
    return np.repeat([*range(count), -1], SHARED_KINDS).astype(np.int64)


def _share_the_rest(
    costs: FrameCosts, columns: dict[str, NDArray[Any]], wanted: Mapping[str, float], totals: FrameTotals
) -> None:
    """Put what no row has into the row of the machine, or of the techniques."""
    for name, total in wanted.items():
        if float(total) != int(total):
            # A technique's figure that is no count.
            continue
        column = columns.setdefault(name, np.zeros(costs.num_rows, np.int64))
        rest = int(total) - int(column.sum())
        kind = Shared.MACHINE if name.startswith(_MACHINE) else Shared.TECHNIQUE
        if costs.is_beside_another and kind is Shared.TECHNIQUE and name not in (OWN_COUNTERS | totals.own):
            kind = Shared.PAIR
        if rest and kind is Shared.TECHNIQUE and not totals.own:
            raise InternalError(
                f"frame {totals.frame}: the draws' {name} add up to {int(total) - rest} instead of {total}",
                hint="this is a bug, please report it with the trace",
            )
        column[costs.shared(None, kind) - costs.first] += rest


def _without_empty_rows(whole: Attribution) -> Attribution:
    """Leave out rows of shared work that have none."""
    used = np.arange(whole.num_rows) < whole.num_draws
    for values in (*whole.counts.values(), *whole.energy_pj.values()):
        used |= values != 0
    return Attribution(
        whole.frame, whole.raster_units, whole.names, whole.calls, whole.passes[used],
        [kind for kind, kept in zip(whole.shared, used, strict=True) if kept],
        {name: values[used] for name, values in whole.counts.items()},
        {name: values[used] for name, values in whole.energy_pj.items()},
        whole.textures, whole.texture_counts,
    )  # fmt: skip
