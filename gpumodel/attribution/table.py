"""What a frame's draws cost: the table that results carry, and that everything else about costs is made from.

A row is a draw, or a kind of work that draws share; a column is a counter, cycles, or energy. The sum of a column over
all rows is the frame's figure, exactly for integers. docs/ATTRIBUTION.md has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.names import DrawNames

__all__ = ["GEOMETRY_CYCLES", "RASTER_CYCLES", "SHADING_CYCLES", "Attribution"]

#: Columns of cycles: of the geometry phase, and of all Raster Units together.
GEOMETRY_CYCLES: Final = "cycles.geometry"
RASTER_CYCLES: Final = "cycles.raster_units"
#: Of each, those that the shading and the textures of the row alone hold up, whosever they are.
SHADING_CYCLES: Final = ("cycles.geometry.shading", "cycles.raster_units.shading")


@dataclass(frozen=True, slots=True)
class Attribution:
    """Costs of one frame: a row for each of its D draws in order, then one for each kind of shared work of a pass.

    Parameters
    ----------
    frame : its number
    raster_units : of the machine, whose cycles the column RASTER_CYCLES counts
    names : of the D draws
    calls : (D,) number of the call of each draw
    passes : (R,) render pass of each row, -1 = the frame as a whole
    shared : (R,) kind of shared work (:class:`gpumodel.units.costs.Shared`, lower case), "" for draws
    counts : (R,) int64 by counter's name, and the four of cycles; those that are 0 in all rows are left out
    energy_pj : (R,) float64: ``gpu_dynamic``, ``gpu_static``, ``dram_dynamic``, ``dram_static``
    textures : names of the T textures that are bound; empty for frames that are rendered together
    texture_counts : (T,) int64 by counter: misses of the Texture Caches, and bytes that the memory reads for them
    """

    frame: int
    raster_units: int
    names: DrawNames
    calls: NDArray[np.int64]
    passes: NDArray[np.int64]
    shared: list[str]
    counts: Mapping[str, NDArray[np.int64]]
    energy_pj: Mapping[str, NDArray[np.float64]]
    textures: list[str]
    texture_counts: Mapping[str, NDArray[np.int64]]

    @property
    def num_draws(self) -> int:
        """D."""
        return len(self.calls)

    @property
    def num_rows(self) -> int:
        """R."""
        return len(self.passes)

    def count(self, name: str) -> NDArray[np.int64]:
        """Column of a counter, (R,)."""
        return self.counts.get(name, np.zeros(self.num_rows, np.int64))

    @property
    def cycles(self) -> NDArray[np.float64]:
        """Time of each row, GPU cycles, (R,): a cycle of one of N Raster Units is 1/N."""
        return self.count(GEOMETRY_CYCLES) + self.count(RASTER_CYCLES) / self.raster_units

    @property
    def shading_cycles(self) -> NDArray[np.float64]:
        """GPU cycles that the shading and the textures of each row alone hold up, (R,)."""
        geometry, raster = SHADING_CYCLES
        return self.count(geometry) + self.count(raster) / self.raster_units

    @property
    def total_energy_pj(self) -> NDArray[np.float64]:
        """Energy of each row, (R,)."""
        return sum(self.energy_pj.values(), np.zeros(self.num_rows))

    def shares(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Share of each draw in the shared work of a column, (D,).

        The shared rows of a pass go to its draws in proportion to their own cycles, those of the frame as a whole, and
        of passes without draws, to all draws of the frame. Nothing is left, where the frame has a draw.

        Parameters
        ----------
        values : (R,) of a column
        """
        draws = self.num_draws
        # A draw without cycles counts as one among others without.
        own = self.cycles[:draws] if self.cycles[:draws].any() else np.ones(draws)
        out = np.zeros(draws)
        for row in range(draws, self.num_rows):
            of_pass = own * (self.passes[:draws] == self.passes[row])
            weights = of_pass if of_pass.any() else own
            if draws:
                out += values[row] * weights / weights.sum()
        return out

    def name_columns(self) -> dict[str, list[Any]]:
        """Columns that say what each row is; rows of shared work have -1 or nothing."""
        draws, others = self.num_draws, self.num_rows - self.num_draws
        names = self.names
        return {
            "pass": self.passes.tolist(),
            "draw": [*range(draws), *[-1] * others],
            "call": [*self.calls.tolist(), *[-1] * others],
            "shared": list(self.shared),
            "object": [*names.object, *[""] * others],
            "rule": [*names.rule, *[""] * others],
            "program": [*names.program, *[""] * others],
            "program_id": [*names.program_id, *[-1] * others],
            "mesh": [*names.mesh, *[""] * others],
            "textures": [*names.textures, *[[] for _ in range(others)]],
            "framebuffer": [*names.framebuffer, *[""] * others],
        }

    def number_columns(self) -> dict[str, NDArray[Any]]:
        """Columns of figures, as files have them: cycles, energies (``energy_pj.NAME``), counters."""
        energies = {f"energy_pj.{name}": np.round(values, 3) for name, values in self.energy_pj.items()}
        cycles = {name: self.count(name) for name in (GEOMETRY_CYCLES, RASTER_CYCLES, *SHADING_CYCLES)}
        return {**cycles, **energies, **{k: v for k, v in self.counts.items() if k not in cycles}}

    def as_json(self) -> dict[str, Any]:
        """``attribution`` of a frame: columns, equally long."""
        numbers = {name: values.tolist() for name, values in self.number_columns().items()}
        textures = {name: values.tolist() for name, values in self.texture_counts.items()}
        return {
            "raster_units": self.raster_units,
            "rows": self.num_rows,
            "columns": {**self.name_columns(), **numbers},
            "textures": {"name": self.textures, **textures},
        }
