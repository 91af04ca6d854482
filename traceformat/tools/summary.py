"""What a trace holds, counted chunk by chunk in arrays: ``gputrace info``.

Calls are never made into objects, and of blobs only the sizes are read, so that a trace of a gigabyte takes seconds.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from traceformat.framing.headers import ValueKind
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, ParamKind, canonical_name
from traceformat.gles.enum_names import enum_name
from traceformat.gles.roles import core_name, is_clear, is_draw, without_suffix
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.frames import Frame
from traceformat.gltrace.records import REFERENCES, Shape
from traceformat.gputrace.frametrace import FrameRule

__all__ = ["KINDS_OF_CONTENT", "summarize"]

#: What content behind pointers belongs to, by entry point; the first pattern that matches.
_CONTENT: Final = (
    ("buffers", re.compile(r"glBuffer(Sub)?Data|glBufferStorage|traceMappedWrite|glNamedBuffer")),
    ("textures", re.compile(r"gl(Compressed)?(Tex|Texture)(Sub)?Image")),
    ("shaders", re.compile(r"glShaderSource|glProgramBinary|glShaderBinary|glCreateShaderProgram")),
    ("client arrays", re.compile(r"traceClientArray")),
    ("uniforms", re.compile(r"gl(Program)?Uniform")),
)
KINDS_OF_CONTENT: Final = (*(name for name, _ in _CONTENT), "answers", "other")
_FORMAT_ARGUMENT: Final = re.compile(
    r"gl(Compressed)?TexImage\dD|glTexStorage\dD|glRenderbufferStorage|glCopyTexImage2D"
)
_MARKERS: Final = {"glPushDebugGroup": 3, "glDebugMessageInsert": 5, "glPushGroupMarker": 1, "glInsertEventMarker": 1}
_VERSION: Final = re.compile(r"^\s*#version[ \t]+(\d+(?:[ \t]+\w+)?)", re.MULTILINE)
#: Labels, formats and the like that are listed at most.
MAX_LISTED: Final = 1000
_OTHER, _DRAW, _CLEAR, _BIND = range(4)


class Summarized(Protocol):
    """What is asked of an open trace, which is a :class:`~traceformat.gltrace.reader.TraceReader`."""

    @property
    def frames(self) -> Sequence[Frame]: ...
    @property
    def num_calls(self) -> int: ...
    @property
    def frame_rule(self) -> FrameRule: ...
    def chunks(self) -> Iterator[CallsChunk]: ...
    def blob(self, number: int) -> bytes | None: ...
    def blob_sizes(self) -> NDArray[np.int64]: ...


@dataclass(slots=True)
class _Counts:
    """Everything that is counted on the way."""

    functions: Counter[str] = field(default_factory=Counter)
    created: Counter[str] = field(default_factory=Counter)
    deleted: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    markers: Counter[str] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)
    used_bytes: Counter[str] = field(default_factory=Counter)
    blobs: dict[str, list[NDArray[np.int64]]] = field(default_factory=lambda: defaultdict(list))
    inline_bytes: Counter[str] = field(default_factory=Counter)
    sources: Counter[tuple[str, ...]] = field(default_factory=Counter)
    threads: set[int] = field(default_factory=set)
    contexts: list[dict[str, Any]] = field(default_factory=list)
    drawables: list[dict[str, Any]] = field(default_factory=list)
    draws: int = 0
    failed: int = 0
    synthetic: int = 0
    sourced: int = 0
    has_marks: bool = False


def summarize(reader: Summarized) -> dict[str, Any]:
    """Count what a trace holds, as JSON values.

    Parameters
    ----------
    reader : open trace; of a damaged one what survives is counted

    Raises
    ------
    TraceFormatError : a chunk that passes its check sum contradicts itself
    """
    counts = _Counts()
    sizes = reader.blob_sizes()
    clears = _ClearWatch(reader)
    for chunk in reader.chunks():
        _count_chunk(counts, chunk, sizes, reader)
        clears.watch(chunk)
    return {
        "calls": reader.num_calls,
        "draws": counts.draws,
        "frames": len(reader.frames),
        "frame_rule": reader.frame_rule.name.lower(),
        "threads": len(counts.threads),
        "contexts": counts.contexts,
        "drawables": counts.drawables,
        "functions": _sorted(counts.functions),
        "objects": {
            kind: {"created": count, "deleted": counts.deleted[kind]} for kind, count in sorted(counts.created.items())
        },
        "bytes_by_kind": _bytes_by_kind(counts, sizes),
        "shaders": _shaders(counts),
        "formats": _sorted(counts.formats),
        "markers": _sorted(counts.markers),
        "flags": {"failed": counts.failed, "synthetic": counts.synthetic, "with_source": counts.sourced},
        "per_frame": clears.frames(),
        "warnings": [*clears.warnings(), *_warnings(counts)],
    }


def _sorted(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:MAX_LISTED])


def _count_chunk(counts: _Counts, chunk: CallsChunk, sizes: NDArray[np.int64], reader: Summarized) -> None:
    counts.draws += chunk.num_draws
    counts.threads.update(run.thread for run in chunk.runs)
    counts.sourced += chunk.num_sourced
    blob_numbers = np.asarray(chunk.blob_numbers, np.int64)
    for number, shape in enumerate(chunk.shapes):
        counts.functions[shape.name] += shape.count
        counts.failed += shape.count if shape.flags & 2 else 0
        counts.synthetic += shape.count if shape.flags & 1 else 0
        table = chunk.table(number)
        _count_objects(counts, shape, table)
        _count_content(counts, shape, table, chunk, blob_numbers, sizes)
        name = canonical_name(shape.name)
        place = _MARKERS.get(without_suffix(name))
        if place is not None and place < len(shape.arguments):
            for value, count in chunk.values(number, f"a{place}", reader.blob):
                if isinstance(value, str):
                    counts.markers[value] += count
        elif name == "glShaderSource":
            for value, count in chunk.values(number, "a2", reader.blob):
                if isinstance(value, tuple):
                    counts.sources[value] += count
        elif name == "traceContext" and len(shape.arguments) == 13:
            counts.contexts += [_context(row) for row in table.tolist()]
        elif name == "traceDrawable" and len(shape.arguments) == 4:
            names = ("drawable", "width", "height", "kind")
            counts.drawables += [dict(zip(names, row[:4], strict=True)) for row in table.tolist()]
        elif _FORMAT_ARGUMENT.match(name) and table.dtype.names is not None:
            column = "a1" if name == "glRenderbufferStorage" else "a2"
            _count_formats(counts, table[column] if column in table.dtype.names else None)


def _context(row: tuple[int, ...]) -> dict[str, Any]:
    return {
        "context": row[0],
        "api": "GL" if row[1] else "GLES",
        "version": f"{row[2]}.{row[3]}",
        "color_bits": list(row[5:9]),
        "depth_bits": row[9],
        "stencil_bits": row[10],
        "samples": row[11],
        "share": row[12],
    }


def _count_formats(counts: _Counts, column: NDArray[Any] | None) -> None:
    if column is None:
        return
    for value, count in zip(*np.unique(column, return_counts=True), strict=True):
        counts.formats[enum_name(int(value)) or f"{int(value):#x}"] += int(count)


def _count_objects(counts: _Counts, shape: Shape, table: NDArray[Any]) -> None:
    command = COMMANDS.get(shape.name)
    if command is None:
        return
    name = canonical_name(shape.name)
    if command.result.object_class and name.startswith(("glCreate", "glFenceSync")):
        counts.created[command.result.object_class] += shape.count
        return
    if not name.startswith(("glGen", "glCreate", "glDelete")):
        return
    target = counts.deleted if name.startswith("glDelete") else counts.created
    for param in command.params:
        if param.object_class:
            many = param.kind is ParamKind.DATA and table.dtype.names is not None and "a0" in table.dtype.names
            target[param.object_class] += int(table["a0"].sum(dtype=np.int64)) if many else shape.count


def _count_content(
    counts: _Counts,
    shape: Shape,
    table: NDArray[Any],
    chunk: CallsChunk,
    blob_numbers: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """Add up the bytes behind pointers and of texts."""
    if table.dtype.names is None or not REFERENCES.intersection(shape.kinds):
        return
    kinds = [kind for kind in shape.kinds if kind is not ValueKind.NONE]
    for column, kind in zip(table.dtype.names, kinds, strict=True):
        if kind not in REFERENCES:
            continue
        what = "answers" if not column.startswith("a") else _kind_of_content(shape.name)
        references = table[column].astype(np.int64)
        items = references >> 1
        is_blob = references & 1 == 1
        numbers = blob_numbers[items[is_blob][items[is_blob] < len(blob_numbers)]]
        numbers = numbers[numbers < len(sizes)]
        inline = items[~is_blob]
        inline = inline[inline < len(chunk.inline_sizes)]
        counts.uses[what] += len(references)
        counts.used_bytes[what] += int(np.maximum(sizes[numbers], 0).sum()) + int(chunk.inline_sizes[inline].sum())
        counts.blobs[what].append(np.unique(numbers))
        counts.inline_bytes[what] += int(chunk.inline_sizes[np.unique(inline)].sum())


def _kind_of_content(name: str) -> str:
    if is_draw(name):
        return "client arrays"
    for kind, pattern in _CONTENT:
        if pattern.match(name):
            return kind
    return "other"


def _bytes_by_kind(counts: _Counts, sizes: NDArray[np.int64]) -> dict[str, dict[str, int]]:
    found = {}
    for kind in KINDS_OF_CONTENT:
        if counts.uses[kind]:
            blobs = np.unique(np.concatenate(counts.blobs[kind])) if counts.blobs[kind] else np.zeros(0, np.int64)
            stored = int(np.maximum(sizes[blobs], 0).sum()) + counts.inline_bytes[kind]
            found[kind] = {"uses": counts.uses[kind], "bytes": counts.used_bytes[kind], "stored_bytes": stored}
    return found


def _shaders(counts: _Counts) -> dict[str, Any]:
    versions: Counter[str] = Counter()
    for source in counts.sources:
        found = _VERSION.search("".join(source))
        versions[found[1] if found else "none"] += 1
    return {
        "compiled": counts.functions["glCompileShader"] + counts.functions["glCompileShaderARB"],
        "different_sources": len(counts.sources),
        "source_bytes": sum(len(text) for source in counts.sources for text in source),
        "versions": _sorted(versions),
        "programs_linked": counts.functions["glLinkProgram"] + counts.functions["glLinkProgramARB"],
    }


def _warnings(counts: _Counts) -> list[str]:
    found = []
    errors = counts.functions["glGetError"]
    if counts.draws and errors > counts.draws:
        found.append(f"glGetError is called {errors:,} times for {counts.draws:,} draws")
    if counts.failed:
        found.append(f"{counts.failed:,} calls raised a GL error when they were captured")
    if not counts.draws:
        found.append("nothing is drawn")
    for kind, created in sorted(counts.created.items()):
        alive = created - counts.deleted[kind]
        if kind in ("texture", "buffer", "framebuffer") and created > 1000 and alive > 0.9 * created:
            found.append(f"{alive:,} of {created:,} {kind}s are never deleted")
    return found


class _ClearWatch:
    """Counts draws and calls of frames, and looks for frames that draw on what the frame before left.

    A tile-based GPU loads the old content of a framebuffer that is not cleared before the first draw.
    """

    def __init__(self, reader: Summarized) -> None:
        self._ends = np.array([frame.end_call for frame in reader.frames], np.int64)
        self._draws: NDArray[np.int64] = np.zeros(len(self._ends) + 1, np.int64)
        self._cleared = False
        self._framebuffer = 0
        self._frame = 0
        self._uncleared: list[int] = []
        self._is_known = False

    def watch(self, chunk: CallsChunk) -> None:
        """Look at the calls of one chunk."""
        codes = np.array([_code_of(shape.name) for shape in chunk.shapes], np.uint8)
        order = codes[chunk.order]
        calls = chunk.first_call + np.flatnonzero(order == _DRAW)
        np.add.at(self._draws, np.searchsorted(self._ends, calls, "right"), 1)
        places = np.flatnonzero(order)
        if not len(places):
            return
        kinds = order[places]
        frames = np.searchsorted(self._ends, chunk.first_call + places, "right")
        # Of draws in a row the first tells everything.
        new = np.ones(len(places), bool)
        new[1:] = (kinds[1:] != kinds[:-1]) | (kinds[1:] != _DRAW) | (frames[1:] != frames[:-1])
        bound = self._bindings(chunk, places[new][kinds[new] == _BIND])
        for kind, frame in zip(kinds[new].tolist(), frames[new].tolist(), strict=True):
            if frame != self._frame:
                self._frame, self._cleared, self._is_known = frame, False, False
            if kind == _BIND:
                name = bound.pop()
                self._framebuffer = self._framebuffer if name < 0 else name
            elif self._framebuffer == 0 and not self._is_known:
                # Only what comes first in a frame decides.
                self._is_known = True
                if kind == _DRAW and frame < len(self._ends):
                    self._uncleared.append(frame)

    @staticmethod
    def _bindings(chunk: CallsChunk, places: NDArray[Any]) -> list[int]:
        """Framebuffers that calls bind for drawing, the last one first; a binding for reading gives -1."""
        found = {}
        for number, shape in enumerate(chunk.shapes):
            if _code_of(shape.name) == _BIND:
                table = chunk.table(number)
                if table.dtype.names is None or not {"a0", "a1"}.issubset(table.dtype.names):
                    found.update(dict.fromkeys(np.flatnonzero(chunk.order == number).tolist(), -1))
                    continue
                names = np.where(table["a0"] == gl.GL_READ_FRAMEBUFFER, -1, table["a1"].astype(np.int64))
                found.update(zip(np.flatnonzero(chunk.order == number).tolist(), names.tolist(), strict=True))
        return [found[place] for place in reversed(places.tolist())]

    def frames(self) -> list[dict[str, int]]:
        """Calls and draws of each frame."""
        starts = [0, *self._ends.tolist()]
        return [
            {"frame": number, "first_call": starts[number], "calls": end - starts[number], "draws": int(draws)}
            for number, (end, draws) in enumerate(zip(self._ends.tolist(), self._draws.tolist(), strict=False))
        ]

    def warnings(self) -> list[str]:
        """One line for the frames that are not cleared."""
        count = len(self._uncleared)
        if not count:
            return []
        first = self._uncleared[0]
        frames = f"frame {first} draws" if count == 1 else f"{count} frames, the first is {first}, draw"
        return [f"{frames} into the window's framebuffer without a clear: a tile-based GPU loads the old content"]


def _code_of(name: str) -> int:
    if is_draw(name):
        return _DRAW
    if is_clear(name):
        return _CLEAR
    return _BIND if core_name(name) == "glBindFramebuffer" else _OTHER
