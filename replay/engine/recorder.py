"""The frame in progress as FrameTrace's tables."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import ColumnPool, GrowingTable
from replay.engine.constants import FrameConstants, joined_words
from replay.engine.finished import ComputedTable, CopiedTable
from replay.engine.pass_memory import PassMemory
from replay.engine.pass_rows import PassRows
from replay.engine.pass_store import PassStore, resident_bytes
from replay.engine.passes import PassRecorder
from replay.engine.paths import FramePaths, Numbering
from replay.engine.programs import Instructions, LinkedProgram
from replay.engine.rows import PackedRows
from replay.engine.tables import Tables
from replay.memory import AddressSpace
from replay.objects import ObjectIds, ObjectRow
from traceformat.gputrace.frametrace import (
    PASS_TABLES,
    SAMPLE_COLUMNS,
    SCHEMA,
    STAGES,
    ColumnSet,
    FrameRule,
    FrameTrace,
    PassContent,
    Table,
)
from traceformat.gputrace.passes import announced

__all__ = ["FrameRecorder"]

#: Columns that the engine itself works in, wanted or not.
_WORKING: Final = {
    "primitives": frozenset(SCHEMA["primitives"]),
    "emitted": frozenset(SCHEMA["emitted"]),
    "quads": frozenset({"emitted", "x", "y", "coverage", "survives", "depth"}),
}
#: Columns of ``draws`` that differ from draw to draw, in the order in which a draw gives them; those that draws have in
#: common while the state stays, or that are filled in later; the others are the fixed-function state.
VARYING: Final = (
    "call", "pass", "object", "flags", "vertex_first", "primitive_first", "fetch_first", "query_active",
    "fetch_count", "texture_first", "texture_count", "constant_first", "constant_count", "constants_new_bytes",
)  # fmt: skip
#: Those that follow from the range of vertices that is drawn.
RANGE: Final = ("mode", "vertex_count", "primitive_count", "instance_count", "index_bytes")
SHARED: Final = (
    "num_attributes", "vertex_program", "fragment_program",
    "emitted_first", "emitted_count", "quad_first", "quad_count", "color_first",
)  # fmt: skip

#: Settings of draws whose packed columns are kept.
_MAX_PACKED: Final = 1024
#: Columns of ``vertex_fetches`` as draws give them.
FETCH_COLUMNS: Final = ("address", "stride", "bytes", "divisor", "location")
#: A row of ``programs``: a stage of a program, its name, how often it was linked.
_ProgramRow: TypeAlias = tuple[LinkedProgram, str, int, int]
#: A table that frames have again: rows, columns, and those of them that are wanted.
_KnownTable: TypeAlias = tuple[int, Mapping[str, NDArray[Any]], list[str]]


class FrameRecorder:
    """Collects one frame after the other.

    Parameters
    ----------
    columns : what the consumer wants; an empty set records nothing but pictures
    pool : memory for columns
    addresses : of the modelled memory
    """

    def __init__(self, columns: ColumnSet, pool: ColumnPool, addresses: AddressSpace) -> None:
        self.columns = columns
        self.addresses = addresses
        self.passes = PassRecorder()
        self._keep_pixels()
        self.passes.ended = self._end_pass
        self.objects = ObjectIds()
        self.wants_paths = any(name in columns for name in ("quads.path", "vertices.path")) or columns.wants("paths")
        self.wants_textures = columns.wants("tex_ops") or columns.wants("texture_lines")
        self.wants_identity = "quads.identity" in columns
        self.wants_colors = columns.wants("color_data")
        self.wants_vertices = columns.wants("vertices")
        self.wants_constants = columns.wants("constants")
        self.is_recording = bool(columns)
        #: Frames are executed that nobody asked for: what they leave for later ones is kept, their rows are not.
        self.is_ahead = False
        self._wanted = {name: [key for key in spec if f"{name}.{key}" in columns] for name, spec in SCHEMA.items()}
        #: Those of them that tables always have.
        self._required = {
            name: [key for key in names if not SCHEMA[name][key].optional] for name, names in self._wanted.items()
        }
        #: Tables of which nobody wants a column are there, without any.
        self._blank = {name: Table(name, {}) for name in SCHEMA}
        memory = PassMemory(pool, self._target)
        self.tables = Tables(**{name: self._bulk(name, memory) for name in PASS_TABLES}, memory=memory)
        self._resident_bytes = resident_bytes()
        #: Columns of ``draws`` that are a draw's state: those that everybody gives, and those that are wanted.
        self.state_columns = tuple(
            key for key, column in SCHEMA["draws"].items()
            if key not in VARYING + RANGE + SHARED and (not column.optional or f"draws.{key}" in columns)
        )  # fmt: skip
        self.draws = PackedRows("draws", VARYING, RANGE, SHARED, self.state_columns)
        #: Packs the columns of RANGE.
        self.pack_range = self.draws.packer(RANGE)
        #: Packs what draws of one setting have in common beside their fixed-function state: in most frames the same.
        self.pack_programs = lru_cache(_MAX_PACKED)(partial(_pack_programs, self.draws))
        self._pass_rows = PassRows()
        self.fetches = PackedRows("vertex_fetches", FETCH_COLUMNS)
        self.bindings = PackedRows("texture_bindings")
        self.numbering = Numbering()
        #: Paths of the last frame; its programs with their tables.
        self._paths_before = FramePaths()
        self._known_programs: tuple[list[_ProgramRow], dict[str, _KnownTable]] = ([], {})
        self._start()

    def _target(self) -> object:
        """What the pass in progress renders to."""
        target = self.passes.target
        return None if target is None else target.key

    def _bulk(self, name: str, memory: PassMemory) -> GrowingTable:
        wanted = frozenset(key for key in SCHEMA[name] if f"{name}.{key}" in self.columns)
        keep = wanted | _WORKING.get(name, frozenset())
        if name == "attributes":
            keep = frozenset({"value"})
        if name == "quads":
            keep -= set(SAMPLE_COLUMNS)  # only in frames with multisampled passes
        if name == "quads" and self.wants_textures:
            keep |= {"tex_first", "tex_count"}
        if name == "quads" and self.wants_paths:
            keep |= {"path"}
        if name in ("tex_ops", "texture_lines") and self.wants_textures:
            keep = frozenset(key for key, column in SCHEMA[name].items() if not column.optional)
        return GrowingTable(name, memory, keep, self._wanted[name])

    def _start(self) -> None:
        self.constants: list[FrameConstants] = []
        self.num_constants = 0
        self.paths = FramePaths()
        self.numbering.begin_frame(self.paths)
        self._object_rows: dict[int, int] = {}
        self._object_list: list[ObjectRow] = []
        self._program_rows: dict[tuple[int, str], tuple[int, int]] = {}
        self._programs: list[_ProgramRow] = []
        self._num_blocks = 0
        self._store = PassStore(self._resident_bytes)
        self.objects.begin_frame()

    # ------------------------------------------------------------------ rows
    def object_row(self, row: ObjectRow) -> int:
        """Row of ``objects`` in this frame."""
        known = self._object_rows.get(row.id)
        if known is None:
            known = self._object_rows[row.id] = len(self._object_list)
            self._object_list.append(row)
        return known

    def object_rows(self, rows: list[ObjectRow]) -> list[int]:
        """As :meth:`object_row`, of several draws."""
        known, listed = self._object_rows, self._object_list
        ids = [row.id for row in rows]
        found: list[Any] = list(map(known.get, ids))
        if found.count(None) == len(set(ids)) == len(ids):
            # None has been drawn in this frame, as in most runs of draws.
            found = list(range(len(listed), len(listed) + len(ids)))
            known.update(zip(ids, found, strict=True))
            listed += rows
        elif None in found:
            found.clear()
            for row in rows:
                number = known.setdefault(row.id, len(listed))
                if number == len(listed):
                    listed.append(row)
                found.append(number)
        return found

    def program_row(self, program: LinkedProgram, stage: str, name: int, version: int) -> tuple[int, int]:
        """Row of ``programs`` in this frame, and the first row of its blocks."""
        key = (id(program), stage)
        known = self._program_rows.get(key)
        if known is not None:
            return known
        place = self._program_rows[key] = (len(self._programs), self._num_blocks)
        self._programs.append((program, stage, name, version))
        self._num_blocks += program.num_blocks(stage)
        return place

    def add_constants(self, constants: FrameConstants) -> int:
        """Append constants of a stage or of draws; returns the number of rows."""
        if not self.wants_constants:
            return 0
        self.constants.append(constants)
        count = constants.num_words
        self.num_constants += count
        return count

    # ------------------------------------------------------------------ frames
    def begin_ahead(self) -> None:
        """Keep no rows of the frames from here on, until :meth:`end_ahead`."""
        self.is_ahead = True
        self.passes.keep_pixels = self.passes.keep_contents = self.passes.keep_events = False

    def end_frame_ahead(self) -> None:
        """End a frame whose rows are not kept."""
        self.passes.end_frame()
        self.passes.events.clear()
        self.draws.clear()
        self.fetches.clear()
        self.bindings.clear()
        self.constants.clear()
        self.objects.begin_frame()

    def end_ahead(self) -> None:
        """Keep the rows of the frames from here on."""
        self.is_ahead = False
        self.passes.keep_events = True
        self._keep_pixels()
        self.tables.memory.clear()
        self.tables.quads.exclude(*SAMPLE_COLUMNS)
        self._start()

    def _keep_pixels(self) -> None:
        """Have passes keep what the wanted columns are made of."""
        self.passes.keep_pixels = bool(self.columns)
        self.passes.keep_contents = self.columns.wants("color_data")

    def _end_pass(self, pixels: list[NDArray[np.uint8]], contents: list[NDArray[np.uint8] | None]) -> None:
        """Put away what belongs to the pass that has ended."""
        if self.is_ahead:
            self.tables.memory.clear()
            return
        if not self.is_recording:
            return
        targets, memory = self.passes.passes[-1].targets, self.tables.memory
        if targets.samples > 1:
            # Also where nothing was drawn.
            self.tables.quads.include(*SAMPLE_COLUMNS)
        self._store.add(PassContent(memory.finish(targets.key), pixels, contents), memory.held_bytes)

    def end_frame(
        self, frame: int, rule: FrameRule, size: tuple[int, int], picture: NDArray[np.uint8] | None
    ) -> FrameTrace:
        """End the frame and build its trace."""
        wanted, tables = self._wanted, dict(self._blank)
        passes, tables["events"], reads = self.passes.end_frame(wanted["events"])
        labels = [row.label for row in self._object_list]
        if self.is_recording:
            for row in passes:
                self._pass_rows.add(row)
            tables["passes"] = self._pass_rows.finish(wanted["passes"])
            tables["pass_reads"] = self._later("pass_reads", len(reads), lambda: {"pass": np.array(reads, np.uint32)})
            tables["draws"] = self.draws.finish(wanted["draws"])
            rows = self._object_list
            tables["objects"] = self._later("objects", len(rows), lambda: _object_columns(rows))
            tables |= self._program_tables(labels)
            paths = self.paths.made(self._paths_before)
            self._paths_before = self.paths
            tables["paths"] = self._later("paths", self.paths.num_paths, lambda: _copies(paths.paths))
            tables["path_steps"] = self._later("path_steps", paths.num_steps, lambda: _copies(paths.steps))
            tables["vertex_fetches"] = self.fetches.finish(wanted["vertex_fetches"])
            tables["texture_bindings"] = self.bindings.finish(wanted["texture_bindings"])
            constants = self.constants
            tables["constants"] = self._later("constants", self.num_constants, lambda: _constant_columns(constants))
            if not passes:
                # A frame that draws nothing has all its columns, too.
                tables |= self.tables.memory.finish()
        trace = FrameTrace(frame, *size, rule, tables, labels, picture=picture)
        if self.is_recording:
            trace = announced(trace, self._store, [row.draw_count for row in passes])
        self.tables.memory.clear()
        self.tables.quads.exclude(*SAMPLE_COLUMNS)
        self._start()
        return trace

    def _program_tables(self, labels: list[str]) -> dict[str, Table]:
        """Tables ``programs``, ``blocks``, ``instructions``: those of the last frame for the same programs.

        Sources that are wanted go to ``labels``.
        """
        before, known = self._known_programs
        if not known or before != self._programs:
            columns = _program_columns(self._programs)
            known = {
                name: (len(next(iter(table.values()))), table, [key for key in self._wanted[name] if key in table])
                for name, table in columns.items()
            }
            self._known_programs = self._programs, known
        if "programs.source" in self.columns:
            rows, table, _ = known["programs"]
            table = {**table, **self._source_columns(labels)}
            known = {**known, "programs": (rows, table, [key for key in self._wanted["programs"] if key in table])}
        return {name: CopiedTable(name, rows, table, names) for name, (rows, table, names) in known.items()}

    def _source_columns(self, labels: list[str]) -> dict[str, NDArray[Any]]:
        """Optional columns of ``programs``; the texts go to ``labels``."""
        stages = [(owner, stage) for owner, stage, _, _ in self._programs]
        texts = [owner.program.sources[stage] for owner, stage in stages]
        numbers = {text: len(labels) + k for k, text in enumerate(dict.fromkeys(texts))}
        labels += numbers
        return {
            "source": np.array([numbers[text] for text in texts], np.uint32),
            "registers": np.array([owner.registers(stage) for owner, stage in stages], np.uint32),
        }

    def _later(self, name: str, rows: int, compute: Callable[[], Mapping[str, NDArray[Any]]]) -> Table:
        """A table whose wanted columns are computed when somebody asks for them."""
        return ComputedTable(name, rows, self._required[name], compute)


def _program_columns(rows: list[_ProgramRow]) -> dict[str, dict[str, NDArray[Any]]]:
    """Columns of ``programs``, ``blocks`` and ``instructions``."""
    programs: list[dict[str, Any]] = []
    none = np.zeros(0, np.uint8)
    parts = [Instructions(none.astype(np.uint32), none, none.astype(np.int16), none.astype(np.uint32), 0, 0)]
    num_blocks = 0
    for program, stage, name, version in rows:
        found = program.instructions(stage)
        row = {
            "id": name,
            "version": version,
            "stage": STAGES.index(stage),
            "code_address": program.code_addresses[stage],
            "num_instructions": len(found.kinds),
            "num_alu": found.num_alu,
            "num_tex": found.num_tex,
            "block_first": num_blocks,
            "block_count": len(found.counts),
        }
        programs.append(row)
        parts.append(found)
        num_blocks += len(found.counts)
    sizes, kinds, textures, lines = map(np.concatenate, list(zip(*parts, strict=True))[:4])
    return {
        "programs": _table("programs", programs),
        "blocks": {
            "instruction_first": (np.cumsum(sizes, dtype=np.uint64) - sizes).astype(np.uint32),
            "instruction_count": sizes,
        },
        "instructions": {"kind": kinds, "texture": textures, "line": lines},
    }


def _object_columns(rows: list[ObjectRow]) -> dict[str, NDArray[Any]]:
    return {
        "id": np.array([row.id for row in rows], np.uint32),
        "rule": np.array([row.rule for row in rows], np.uint8),
        "label": np.arange(len(rows), dtype=np.uint32),
    }


def _constant_columns(parts: list[FrameConstants]) -> dict[str, NDArray[Any]]:
    return {
        "word": joined_words(parts),
        "is_new": np.concatenate([np.zeros(0, np.uint8), *(part.is_new for part in parts)]),
    }


def _copies(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {key: column.copy() for key, column in columns.items()}


def _table(name: str, rows: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    """Columns of a small table from rows as dictionaries."""
    out = {}
    for key, column in SCHEMA[name].items():
        if column.optional and not (rows and key in rows[0]):
            continue
        values = [row[key] for row in rows]
        try:
            array = np.array(values, column.dtype)
        except OverflowError:
            # State that no GL call can have set, from a hostile trace.
            info = np.iinfo(column.dtype)
            array = np.array(np.clip(np.array(values, object), info.min, info.max), column.dtype)
        out[key] = array.reshape(len(rows), *column.shape) if column.shape else array
    return out


def _pack_programs(draws: PackedRows, num_attributes: int, vertex: int, fragment: int) -> bytes:
    return draws.pack(num_attributes=num_attributes, vertex_program=vertex, fragment_program=fragment)


def stable_hash(value: object) -> int:
    """64-bit identity of a value with a stable ``repr``."""
    return int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=8).digest(), "little")
