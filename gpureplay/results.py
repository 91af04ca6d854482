"""What a run gives: figures by frame, sums by run, energy by structure, as tables and files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.origin import Origin, flatten
from gpumodel.report.labels import config_labels
from gpumodel.resultfile import Subject, result_json, results_csv
from gpumodel.results import FrameResult, RunResult, dram_bytes, total_of
from gpumodel.techniques.registry import BASELINE
from gpureplay.tables import Table
from traceformat.errors import UsageError

if TYPE_CHECKING:
    import pandas

__all__ = ["Result"]

_PICO: Final = 1e-12


class Result:
    """Runs of one trace: configurations times techniques.

    Parameters
    ----------
    subject : what they are of
    runs : one a configuration and combination of techniques

    Attributes
    ----------
    runs : as the model gives them, for what the tables do not show
    """

    def __init__(self, subject: Subject, runs: Sequence[RunResult]) -> None:
        self._subject = subject
        self.runs = list(runs)

    @property
    def summary(self) -> Table:
        """A row a run: means over the measured frames, and how it stands to the baseline of its configuration."""
        rows = []
        for run, label in zip(self.runs, self._labels(), strict=True):
            total, frames = total_of(run.measured), max(len(run.measured), 1)
            base = next(
                (one for one in self.runs if one.technique == BASELINE and one.config == run.config), None
            )  # fmt: skip
            before = total_of(base.measured) if base is not None else None
            cycles, energy_pj = total.cycles, total.energy.total
            rows.append(
                {
                    "config": label,
                    "technique": run.technique,
                    "memory": run.memory,
                    "frames": len(run.measured),
                    "cycles": cycles / frames,
                    "ms": 1e-3 * cycles / frames / run.config.tech.clock_mhz,
                    "mJ": energy_pj * _PICO * 1e3 / frames,
                    "dram_MB": sum(dram_bytes(total.counters).values()) / frames / 1e6,
                    "speed_up": before.cycles / cycles if before is not None and cycles else np.nan,
                    "energy_ratio": energy_pj / before.energy.total
                    if before is not None and before.energy.total
                    else np.nan,
                    "area_share": run.area_share,
                }
            )
        return _table(rows, "runs")

    @property
    def frames(self) -> Table:
        """A row a run and frame: cycles, and energies in pJ."""
        return _table(self._rows(lambda run, frame: {}), "frames")

    @property
    def counters(self) -> Table:
        """A row a run and frame, a column a counter; ``gpureplay counters`` lists their units and meanings."""
        return _table(self._rows(lambda run, frame: frame.counters), "frames")

    @property
    def energy(self) -> Table:
        """A row a run and structure: dynamic and static energy of the measured frames, pJ."""
        rows = [
            {"config": label, "technique": run.technique, "memory": run.memory, "structure": name,
             "dynamic_pj": dynamic, "static_pj": static}
            for run, label in zip(self.runs, self._labels(), strict=True)
            for name, (dynamic, static) in total_of(run.measured).energy.structures.items()
        ]  # fmt: skip
        return _table(rows, "structures")

    def _labels(self) -> list[str]:
        return config_labels([run.config for run in self.runs])

    def _rows(self, more: Any) -> list[dict[str, Any]]:
        return [
            {"config": label, "technique": run.technique, "memory": run.memory, **_figures(frame), **more(run, frame)}
            for run, label in zip(self.runs, self._labels(), strict=True)
            for frame in run.frames
        ]

    def to_pandas(self) -> pandas.DataFrame:
        """All figures as a ``pandas.DataFrame``: a row a run and frame; identity, settings that differ from the
        preset's, cycles, energies, every counter, cycles of each unit in each of its states.

        Raises
        ------
        MissingEnvironmentError : pandas is not installed
        """
        origins: Sequence[Origin] = self._subject.origins or [Origin.unknown()] * len(self.runs)
        places = {id(run): origin for run, origin in zip(self.runs, origins, strict=True)}
        keys = list(dict.fromkeys(key for origin in origins for key in origin.overrides))

        def rest(run: RunResult, frame: FrameResult) -> dict[str, Any]:
            values = flatten(run.config.model_dump(mode="json"))
            overridden = places[id(run)].overrides
            settings = {f"config.{key}": values.get(key) for key in keys if key in overridden or key in values}
            stalls = {f"stalls.{unit}.{state}": n for unit, of in frame.stalls.items() for state, n in of.items()}
            return {**settings, **frame.counters, **stalls}

        return _table(self._rows(rest), "frames").to_pandas()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a result file, ``.json`` or ``.csv``, as ``gpureplay run`` does.

        Raises
        ------
        UsageError : another suffix, or the file cannot be written
        """
        from traceformat.output import write_output

        texts = {".json": result_json, ".csv": results_csv}
        suffix = Path(path).suffix.lower()
        if suffix not in texts:
            raise UsageError(f"{os.fspath(path)}: results are written as {' or '.join(texts)}")
        write_output(os.fspath(path), texts[suffix](self._subject, self.runs))

    def __repr__(self) -> str:
        """Give the summary."""
        return f"{self._subject.trace['name']}\n{self.summary!r}"

    def _repr_html_(self) -> str:
        """Give the summary as a notebook shows it."""
        return self.summary._repr_html_()


def _figures(frame: FrameResult) -> dict[str, Any]:
    energy = frame.energy
    return {
        "frame": frame.frame,
        "role": str(frame.role),
        "cycles": frame.cycles,
        "geometry_cycles": frame.geometry_cycles,
        "raster_cycles": frame.raster_cycles,
        "energy_pj": energy.total,
        "gpu_dynamic_pj": energy.gpu_dynamic,
        "gpu_static_pj": energy.gpu_static,
        "dram_dynamic_pj": energy.dram_dynamic,
        "dram_static_pj": energy.dram_static,
    }


def _table(rows: Sequence[dict[str, Any]], title: str) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table({name: _column([row.get(name, 0) for row in rows]) for name in names}, title)


def _column(values: Sequence[Any]) -> NDArray[Any]:
    if all(isinstance(value, (int, float, np.number)) for value in values):
        return np.array(values)
    out = np.empty(len(values), object)
    out[:] = values
    return out
