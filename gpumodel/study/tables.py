"""The results of a study as tables: Parquet that pandas, polars and DuckDB read without our code.

``frames/trace=NAME/frames.parquet`` has a row a frame and run, ``catalogue.parquet`` a row a run; ``draws`` and
``tiles`` lie beside ``frames`` where the study asks for them. Bytes follow from the
study, the program and the version of the writer alone; what belongs to a host stands in ``host.json``.
"""

from __future__ import annotations

import io
import json
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from gpumodel.config.load import config_sha256
from gpumodel.config.origin import flatten
from gpumodel.report.labels import config_labels
from gpumodel.resultfile import program_version
from gpumodel.study.details import TABLES, DetailTable
from gpumodel.study.identity import RECORD_SCHEMA, versions
from gpumodel.study.plan import Plan, PlannedRun
from gpumodel.study.representing import estimated_figures, run_figures
from gpumodel.study.store import RunStore
from gpumodel.study.sweep import SweepOutcome
from traceformat.errors import MissingEnvironmentError, UsageError
from traceformat.gputrace.frametrace import FrameRole
from traceformat.output import make_folder, write_output

if TYPE_CHECKING:
    import pyarrow

__all__ = ["CATALOGUE", "FRAMES", "catalogue_rows", "need_arrow", "read_catalogue", "write_tables"]

CATALOGUE: Final = "catalogue.parquet"
FRAMES: Final = "frames"
_PROVENANCE: Final = "study.json"
_HOST: Final = "host.json"
#: Fixed, so that equal tables are equal files.
_WRITER: Final = {
    "compression": "zstd", "compression_level": 3, "version": "2.6", "data_page_version": "1.0",
    "row_group_size": 1 << 16, "use_dictionary": True, "write_statistics": True, "store_schema": True,
}  # fmt: skip

Row = dict[str, Any]


def write_tables(folder: Path, outcome: SweepOutcome, store: RunStore, scheduler: str) -> None:
    """Write everything that a study has to show.

    Raises
    ------
    MissingEnvironmentError : pyarrow is not installed
    StorageError, UsageError : a file cannot be written
    """
    types: dict[str, type] = {}
    catalogue: list[Row] = []
    by_trace: dict[str, list[tuple[PlannedRun, Row]]] = {}
    for run, record, common, row in _kept_runs(outcome.plan, store):
        by_trace.setdefault(run.trace.name, []).append((run, common))
        catalogue.append(row)
        _types_of(_frame_rows(record, common), types)
    make_folder(folder)
    for name, runs in by_trace.items():
        rows = [row for run, common in runs for row in _frame_rows(_kept(store, run), common)]
        target = make_folder(folder / FRAMES / f"trace={quote(name, safe='')}")
        write_output(target / "frames.parquet", _parquet(rows, _ordered(types)))
    for table in (FRAMES, *TABLES):
        wanted = by_trace if table == FRAMES or table in outcome.plan.study.study.tables else {}
        _remove_others(folder / table, table, set(wanted))
        if table != FRAMES:
            for name, runs in wanted.items():
                target = make_folder(folder / table / f"trace={quote(name, safe='')}")
                write_output(target / f"{table}.parquet", _details(store, table, runs))
    write_output(folder / CATALOGUE, _parquet(catalogue, _types_of(catalogue, {})))
    write_output(folder / _PROVENANCE, _json(_provenance(outcome)))
    write_output(folder / _HOST, _json(_host(outcome, scheduler)))


def catalogue_rows(plan: Plan, store: RunStore) -> list[Row]:
    """A row of the catalogue for each run that is done."""
    return [row for *_, row in _kept_runs(plan, store)]


def _kept_runs(plan: Plan, store: RunStore) -> Iterator[tuple[PlannedRun, dict[str, Any], Row, Row]]:
    """Runs that are done: record, what all its rows say of it, its row of the catalogue."""
    labels = config_labels([run.config for run in plan.runs])
    keys = list(dict.fromkeys(key for run in plan.runs for key in run.origin.overrides))
    bases = {run.base: store.read(run.key) for run in plan.runs if not run.techniques and run.trace.chosen is not None}
    for run, label in zip(plan.runs, labels, strict=True):
        record = store.read(run.key)
        if record is not None:
            common = _identity(run, label, keys)
            row = _catalogue_row(run, record, common, bases.get(run.base))
            yield run, record, common, {**row, "trace": run.trace.name}


def _kept(store: RunStore, run: PlannedRun) -> dict[str, Any]:
    record = store.read(run.key)
    if record is None:
        raise _gone(store)
    return record


def _details(store: RunStore, table: str, runs: Sequence[tuple[PlannedRun, Row]]) -> bytes:
    """All rows of draws or tiles on a trace."""
    whole = DetailTable()
    for run, common in runs:
        record = store.read(run.detail_keys[table])
        if record is None:
            raise _gone(store)
        columns = record["columns"]
        whole.add(len(next(iter(columns.values()), [])), columns, **common)
    types: dict[str, type] = {}
    for name, values in whole.columns.items():
        for kind in set(map(type, values)) - {type(None)}:
            types[name] = _wider(types.get(name), kind)
    return _arrow_bytes(whole.columns, _ordered(types))


def _gone(store: RunStore) -> UsageError:
    return UsageError(f"{store.folder}: the record of a run has gone while tables were written")


def _identity(run: PlannedRun, label: str, keys: Sequence[str]) -> Row:
    """What every row of a run says of it."""
    values = flatten(run.config.model_dump(mode="json"))
    settings = {f"config.{key}": values.get(key) for key in keys}
    return {"run": run.key[:16], "config": label, "technique": run.technique, "memory": run.config.memory.mode,
            **{name: str(value) if isinstance(value, list) else value for name, value in settings.items()}}  # fmt: skip


def _frame_rows(record: dict[str, Any], common: Row) -> Iterator[Row]:
    """A row a frame."""
    for frame in record["frames"]:
        energy = dict(frame["energy_pj"])
        structures = energy.pop("structures")
        yield {
            **common,
            "segment": frame["segment"],
            "frame": frame["frame"],
            "role": frame["role"],
            **{f"cycles.{name}": value for name, value in frame["cycles"].items()},
            **{f"energy_pj.{name}": float(value) for name, value in energy.items()},
            **frame["counters"],
            **{f"stalls.{unit}.{state}": n for unit, of in frame["stalls"].items() for state, n in of.items()},
            **{
                f"energy_pj.{name}.{kind}": float(value)
                for name, kinds in structures.items()
                for kind, value in kinds.items()
            },
        }


def _catalogue_row(run: PlannedRun, record: dict[str, Any], common: Row, baseline: dict[str, Any] | None) -> Row:
    """A row a run: what it is of, and sums over its measured frames, or over the film that these stand for.

    Parameters
    ----------
    baseline : record without techniques, of a film
    """
    frames = [frame for frame in record["frames"] if frame["role"] == str(FrameRole.MEASURED)]
    figures: Row = {name: sum(values) for name, values in run_figures(record).items()}
    if run.trace.chosen is not None:
        figures = estimated_figures(run.trace.chosen, record, baseline)
    return {
        **common,
        "frames": len(frames) if run.trace.chosen is None else len(run.trace.chosen.all_frames),
        "frames_modelled": len(record["frames"]),
        "cycles": (cycles := round(figures.pop("cycles"))),
        "ms": 1e-3 * cycles / run.config.tech.clock_mhz,
        "energy_pj": float(figures.pop("energy_pj")),
        "dram_bytes": round(figures.pop("dram_bytes")),
        **figures,
        "area_mm2": float(record["hardware"]["area_mm2"]),
        "area_share": float(record["hardware"]["area_share"]),
        "preset": Path(run.origin.source).name,
        "config_sha256": config_sha256(run.config),
        "trace_sha256": run.trace.sha256,
        "run_sha256": run.key,
    }


def _wider(before: type | None, now: type) -> type:
    """Type of a column that has values of both."""
    if before is None or before is now:
        return now
    return float if {before, now} == {int, float} else str


def _types_of(rows: Iterable[Row], types: dict[str, type]) -> dict[str, type]:
    """Add the types of columns to those of other rows."""
    for row in rows:
        for name, value in row.items():
            if value is not None:
                types[name] = _wider(types.get(name), type(value))
    return types


def _ordered(types: dict[str, type]) -> dict[str, type]:
    """Identity and totals first, then everything else by name."""
    return dict(sorted(types.items(), key=lambda pair: _place(pair[0])))


_FIRST: Final = ("run", "config", "technique", "memory", "segment", "frame", "role", "pass", "draw", "call", "shared")
_GROUPS: Final = ("config.", "cycles.", "energy_pj.")


def _place(name: str) -> tuple[int, str]:
    if name in _FIRST:
        return _FIRST.index(name), name
    group = next((k for k, start in enumerate(_GROUPS) if name.startswith(start)), len(_GROUPS))
    return len(_FIRST) + group, name


def need_arrow() -> Any:
    """Give pyarrow.

    Raises
    ------
    MissingEnvironmentError : it is not installed
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingEnvironmentError("pyarrow is not installed", hint="pip install 'gpureplay[sweep]'") from None
    return pyarrow


def _parquet(rows: Sequence[Row], types: dict[str, type]) -> bytes:
    """A table as bytes."""
    return _arrow_bytes({name: [row.get(name) for row in rows] for name in types}, types)


def _arrow_bytes(values: Mapping[str, Sequence[Any]], types: Mapping[str, type]) -> bytes:
    """Columns as bytes."""
    arrow = need_arrow()
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
    fields = [(name, kinds[kind]) for name, kind in types.items()]
    columns = [
        arrow.array([None if value is None else types[name](value) for value in values[name]], kind)
        for name, kind in fields
    ]
    out = io.BytesIO()
    arrow.parquet.write_table(arrow.table(columns, schema=arrow.schema(fields)), out, **_WRITER)
    return out.getvalue()


def _remove_others(folder: Path, table: str, names: set[str]) -> None:
    """Remove what an earlier version of the study has left, and nothing else."""
    ours = {f"trace={quote(name, safe='')}" for name in names}
    for one in folder.glob("trace=*") if folder.is_dir() else ():
        if one.name not in ours and {path.name for path in one.iterdir()} <= {f"{table}.parquet"}:
            shutil.rmtree(one)
    if not names:
        with suppress(OSError):
            folder.rmdir()


def _provenance(outcome: SweepOutcome) -> dict[str, Any]:
    now = versions()
    return {
        "schema": RECORD_SCHEMA,
        "program": {**program_version(), "sources": now.sources},
        "libraries": {**dict(now.libraries), "pyarrow": need_arrow().__version__},
        "study": outcome.plan.study.study.model_dump(mode="json"),
        "runs": len(outcome.plan.runs),
        "failures": [{"trace": name, "error": text} for name, text, _ in sorted(outcome.failures)],
        "missing": dict(sorted(outcome.missing.items())),
    }


def _host(outcome: SweepOutcome, scheduler: str) -> dict[str, Any]:
    return {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.platform(),
        "python": platform.python_version(),
        "scheduler": scheduler,
        "kept_runs": len(outcome.kept),
        "tasks": outcome.host,
    }


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def read_catalogue(folder: Path) -> pyarrow.Table:
    """The catalogue of a study's results.

    Raises
    ------
    UsageError : there is none, or it cannot be read
    MissingEnvironmentError : pyarrow is not installed
    """
    arrow = need_arrow()
    path = folder / CATALOGUE
    try:
        return arrow.parquet.read_table(path)
    except (OSError, arrow.ArrowException) as error:
        what = "no results of gpureplay sweep" if not path.exists() else f"cannot read {CATALOGUE}: {error}"
        raise UsageError(f"{folder}: {what}") from None
