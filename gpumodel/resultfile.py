"""Result files: JSON schema 2 of the commands, CSV with the same provenance, and reading both schemas.

A result is a function of trace, configuration, program version and command line: host times are not part of it. Later
versions only add fields; docs/RESULTS.md lists them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Protocol

import numpy as np

from gpumodel.config.origin import Origin, flatten
from gpumodel.report.labels import config_labels
from gpumodel.results import FrameResult
from traceformat.errors import UsageError
from traceformat.kernels import source_hash

__all__ = [
    "SCHEMA",
    "RunRows",
    "Subject",
    "program_version",
    "read_result",
    "result_document",
    "result_json",
    "results_csv",
]

#: Version of the JSON layout (DESIGN §9).
SCHEMA: Final = 2
#: Packages whose sources decide what comes out.
_PROGRAM: Final = ("traceformat", "replay", "gpumodel")
_ENERGIES: Final = ("total", "gpu_dynamic", "gpu_static", "dram_dynamic", "dram_static")


class RunRows(Protocol):
    """A run on any machine, as result files see it."""

    @property
    def technique(self) -> str:
        """Its techniques."""

    @property
    def memory(self) -> str:
        """Its memory."""

    @property
    def config(self) -> Any:
        """Its configuration, a model of pydantic with a name."""

    @property
    def frames(self) -> Sequence[FrameResult]:
        """Its frames."""

    def as_json(self) -> dict[str, Any]:
        """Its entry of ``runs``, without its configuration."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What results are results of.

    Parameters
    ----------
    trace : name, sha256, frames, width, height
    command : command line, words; empty for a program's own run
    origins : where the configurations come from, one a run; none where a program made them
    partial : frames were left out because the trace is damaged
    """

    trace: Mapping[str, Any]
    command: Sequence[str] = ()
    origins: Sequence[Origin] = field(default=())
    partial: bool = False


@cache
def program_version() -> dict[str, str]:
    """``program`` of a result: name, version, and a hash of the sources."""
    from hashlib import sha256
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("gpureplay")
    except PackageNotFoundError:
        number = "unknown"
    digest = sha256("".join(map(source_hash, _PROGRAM)).encode()).hexdigest()
    return {"name": "gpureplay", "version": number, "sha256": digest}


def result_json(subject: Subject, runs: Sequence[RunRows]) -> str:
    """Result file as text, keys in a fixed order."""
    return json.dumps(result_document(subject, runs), indent=1, default=_plain) + "\n"


def result_document(subject: Subject, runs: Sequence[RunRows]) -> dict[str, Any]:
    """What a result file holds; ``config`` is the first run's."""
    configs = _configs(subject, runs)
    return {
        "schema": SCHEMA,
        "program": program_version(),
        "command": list(subject.command),
        "trace": dict(subject.trace),
        "config": configs[0] if configs else None,
        "partial": subject.partial,
        "runs": [
            {"technique": run.technique, "memory": run.memory, "config": config, **run.as_json()}
            for run, config in zip(runs, configs, strict=True)
        ],
    }


def _configs(subject: Subject, runs: Sequence[RunRows]) -> list[dict[str, Any]]:
    """``config`` of each run."""
    origins = subject.origins or [Origin.unknown()] * len(runs)
    labels = config_labels([run.config for run in runs])
    return [origin.document(run.config, label) for run, origin, label in zip(runs, origins, labels, strict=True)]


def results_csv(subject: Subject, runs: Sequence[RunRows]) -> str:
    """One row a run and frame: what it is of, a column for each overridden key, cycles, energies, every counter, cycles
    of each unit in each of its states.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    configs = _configs(subject, runs)
    overridden = list(dict.fromkeys(key for config in configs for key in config["overrides"]))
    names = sorted({name for run in runs for frame in run.frames for name in frame.counters})
    states = sorted(
        {f"{unit}.{state}" for run in runs for frame in run.frames for unit, of in frame.stalls.items() for state in of}
    )
    program = program_version()
    about = {
        "trace": subject.trace["name"],
        "trace_sha256": subject.trace["sha256"],
        "program": program["version"],
        "program_sha256": program["sha256"],
        "command": shlex.join(subject.command),
    }
    writer.writerow(
        ["config", "technique", "memory", "frame", "role", "cycles.total", "cycles.geometry", "cycles.raster"]
        + [f"energy_pj.{name}" for name in _ENERGIES] + names + [f"stalls.{name}" for name in states]
        + [f"config.{key}" for key in overridden] + ["config_sha256", "config_source", *about]
    )  # fmt: skip
    for run, config in zip(runs, configs, strict=True):
        values = flatten(run.config.model_dump(mode="json"))
        origin = [*(values.get(key, "") for key in overridden), config["sha256"], config["source"], *about.values()]
        for figures in _figures(run.frames, names, states):
            writer.writerow([config["label"], run.technique, run.memory, *figures, *origin])
    return out.getvalue()


def _figures(frames: Sequence[FrameResult], names: Sequence[str], states: Sequence[str]) -> Iterator[list[Any]]:
    """Cells of each frame that are its own."""
    cells = [(unit, state) for unit, _, state in (name.rpartition(".") for name in states)]
    for frame in frames:
        yield [
            *(frame.frame, str(frame.role), frame.cycles, frame.geometry_cycles, frame.raster_cycles),
            *(round(getattr(frame.energy, name), 3) for name in _ENERGIES),
            *(frame.counters.get(name, 0) for name in names),
            *(frame.stalls.get(unit, {}).get(state, 0) for unit, state in cells),
        ]


def read_result(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a result file of any schema as one of schema 2.

    What schema 1 does not say is empty: no command, no hash of the program, no values of the configuration; all its
    frames are measured.

    Raises
    ------
    UsageError : it cannot be read, is no result, or is newer than this program
    """
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot read the result: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path}: no result: it is not JSON") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, int) or not isinstance(document.get("runs"), list):
        raise UsageError(f"{path}: no result of gpureplay run")
    if schema > SCHEMA:
        raise UsageError(
            f"{path}: a result of schema {schema}; this version reads up to {SCHEMA}", hint="update gpureplay"
        )
    return document if schema == SCHEMA else _from_schema_1(document)


def _from_schema_1(old: dict[str, Any]) -> dict[str, Any]:
    unknown = {"source": "", "overrides": {}, "values": {}}

    def config(of: Mapping[str, Any]) -> dict[str, Any]:
        return {"name": of["name"], "label": of["name"], "sha256": of["sha256"], **unknown}

    runs = []
    for run in old["runs"]:
        frames = [{**frame, "role": frame.get("role", "measured")} for frame in run["frames"]]
        runs.append({**run, "config": config(run.get("config", old["config"])), "frames": frames})
    program = {"sha256": "", **old.get("program", {"name": "gpureplay", "version": "unknown"})}
    return {
        **old, "schema": SCHEMA, "program": program, "command": [], "config": config(old["config"]), "runs": runs,
    }  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    raise TypeError(type(value).__name__)
