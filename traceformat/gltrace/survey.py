"""A walk over a .gltrace file: which chunks survive, what is missing between them, where frames end."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import FOOTER_BYTES, Chunk, Hole, read_footer, scan_chunks
from traceformat.framing.container import GLTRACE, FileStart, read_start
from traceformat.framing.damage import Damage, spell_range
from traceformat.framing.headers import INDEX_ENTRY, INDEX_HEADER, TRACE_POSITION, ChunkKind, struct_of
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.frames import RULES, FrameList, strongest
from traceformat.gputrace.frametrace import FrameRule

__all__ = ["MAX_NUMBER", "CallsEntry", "Position", "Survey", "survey"]

#: Largest index that a reader accepts, uncompressed: of a trace of some 50 GB.
MAX_INDEX_BYTES: Final = 1 << 26
#: Call and blob numbers beyond this are damage, not content.
MAX_NUMBER: Final = 1 << 48

_POSITION: Final = struct_of(TRACE_POSITION)
_INDEX: Final = struct_of(INDEX_HEADER)
_ENTRY: Final = struct_of(INDEX_ENTRY)

#: Frames of a file, at most: those whose calls are lost are listed by what a header says.
_MAX_FRAMES: Final = 1 << 22


class Position(NamedTuple):
    """Where a chunk stands, in the order of ``headers.TRACE_POSITION``."""

    first_call: int
    num_calls: int
    markers: int
    swaps: int
    finishes: int
    reads: int
    num_pieces: int
    first_blob: int
    draws: int

    def candidates(self, rule: FrameRule) -> int:
        """Calls before the chunk that may end a frame by this rule."""
        return int(self[2 + rule]) if rule in RULES else 0


class CallsEntry(NamedTuple):
    """A sound chunk of calls."""

    chunk: Chunk
    position: Position


class _Index(NamedTuple):
    num_calls: int
    num_draws: int
    num_blobs: int
    num_chunks: int
    num_frames: int
    rule: int
    last_rule: int
    content_sha256: bytes


#: How apitrace's files begin: in Snappy, gzip or Zstandard. Those in Brotli have no mark.
_FOREIGN_STARTS: Final = (b"at", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
#: Of PATrace's files, behind four bytes.
_PAT_MAGIC: Final = b"\x12\x20\x12\x20"


@dataclass(slots=True)
class Survey:
    """What a file holds.

    Parameters
    ----------
    start : its start; None where it is damaged
    calls : sound chunks of calls, in order
    blobs : sound chunks of blobs, in order
    num_calls : calls of the whole trace, as far as it is known
    end_known : False where the file may have held more
    num_blobs : blobs of the whole trace, as far as it is known
    rule : what ends frames
    frames : every frame of the trace
    content_sha256 : of the index; empty where it is lost
    chunk_counts : chunks and their raw and stored bytes, by kind
    damage : everything that is missing
    """

    start: FileStart | None = None
    calls: list[CallsEntry] = field(default_factory=list)
    blobs: list[CallsEntry] = field(default_factory=list)
    #: The index as it is stored, and the chunk of the index of state.
    index: bytes | None = None
    state: Chunk | None = None
    num_calls: int = 0
    end_known: bool = False
    num_blobs: int = 0
    rule: FrameRule = FrameRule.PROGRAM_END
    frames: FrameList = field(default_factory=lambda: FrameList((), FrameRule.PROGRAM_END, FrameRule.PROGRAM_END))
    content_sha256: str = ""
    chunk_counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    damage: list[Damage] = field(default_factory=list)
    #: Ranges of calls that are missing; the last may be open.
    gaps: list[tuple[int, int | None]] = field(default_factory=list)

    @property
    def next_chunk(self) -> int:
        """Number of the chunk that would come next, as far as chunks of calls and blobs are sound."""
        return 1 + max((entry.chunk.prefix.sequence for entry in (*self.calls, *self.blobs)), default=-1)

    def counts_at_end(self, data: mmap.mmap | bytes) -> tuple[list[int], int]:
        """Count candidates by rule, and draws, up to the end of the last sound chunk of calls."""
        return _counts_at_end(self, data, [])


def _where_from(head: bytes, name: str) -> str:
    """What to do with a file that is no trace of ours: it may be another tool's."""
    is_foreign = head.startswith(_FOREIGN_STARTS) or head[4:8] == _PAT_MAGIC or name.endswith((".trace", ".pat"))
    return f"gpucapture import {name} makes one of it" if is_foreign else "gpucapture run writes one"


def survey(data: mmap.mmap | bytes, name: str) -> Survey:
    """Walk over a file.

    Parameters
    ----------
    data : the file
    name : for messages

    Raises
    ------
    TraceFormatError : no trace, or a newer major version
    """
    found = Survey(start=read_start(data, GLTRACE, name))
    footer = read_footer(data)
    end = len(data) - FOOTER_BYTES if footer else len(data)
    pieces = list(scan_chunks(data, found.start.end if found.start else 0, end))
    chunks = _newest(piece for piece in pieces if isinstance(piece, Chunk))
    if found.start is None:
        if not chunks and bytes(data[:16]) != GLTRACE.magic:
            raise TraceFormatError(f"{name}: not a {GLTRACE.suffix} file", hint=_where_from(bytes(data[:8]), name))
        found.damage.append(Damage("start", "the start of the file is damaged: its properties are lost"))
    for piece in pieces:
        if isinstance(piece, Hole):
            hole = f"bytes {piece.offset}-{piece.end - 1} of the file are damaged"
            found.damage.append(Damage("bytes", hole))
    broken, index = _sort(found, data, chunks)
    _find_end(found, chunks, footer, index is not None)
    if index is None or footer is None:
        lost = "index" if index is None else "footer"
        found.damage.append(Damage("index", f"the {lost} is lost; it was rebuilt from the chunks"))
    _find_frames(found, data, broken, index)
    _name_gaps(found)
    _name_lost_content(found, data)
    return found


def _newest(pieces: Iterable[Chunk]) -> list[Chunk]:
    """Leave out the chunks that were saved anew behind them, and the marks that say so."""
    newest: list[Chunk] = []
    limit = 1 << 32
    for chunk in reversed(list(pieces)):
        if chunk.prefix.kind == ChunkKind.SAVED:
            limit = min(limit, chunk.prefix.sequence) if chunk.is_whole else limit
        elif chunk.prefix.sequence < limit:
            newest.append(chunk)
    return newest[::-1]


def _sort(found: Survey, data: mmap.mmap | bytes, chunks: list[Chunk]) -> tuple[list[Position], bytes | None]:
    """File the chunks; gives the positions of broken chunks of calls, and the index if it is sound."""
    broken: list[Position] = []
    index: bytes | None = None
    next_call = 0
    sequence = -1
    for chunk in chunks:
        position = Position(*_POSITION.unpack(chunk.prefix.position))
        kind = chunk.prefix.kind
        in_order = chunk.prefix.sequence > sequence and position.first_call >= next_call
        in_order = in_order and max(position[2:6]) <= _MAX_FRAMES
        if not in_order or max(position.first_call + position.num_calls, position.first_blob) > MAX_NUMBER:
            chunk.is_whole = False
            found.damage.append(Damage("bytes", f"the chunk at byte {chunk.offset} is out of order"))
            continue
        missing = chunk.prefix.sequence - sequence - 1
        if missing:
            noun = "chunk is" if missing == 1 else "chunks are"
            found.damage.append(Damage("bytes", f"{missing} {noun} missing before byte {chunk.offset}"))
        sequence = chunk.prefix.sequence
        count, raw, stored = found.chunk_counts.get(kind, (0, 0, 0))
        found.chunk_counts[kind] = (count + 1, raw + chunk.prefix.raw_bytes, stored + chunk.prefix.stored_bytes)
        found.num_calls = max(found.num_calls, position.first_call + position.num_calls)
        found.num_blobs = max(found.num_blobs, position.first_blob)
        if kind == ChunkKind.CALLS:
            next_call = position.first_call + position.num_calls
            if chunk.is_whole:
                found.calls.append(CallsEntry(chunk, position))
            else:
                broken.append(position)
        elif kind == ChunkKind.BLOBS and chunk.is_whole:
            found.blobs.append(CallsEntry(chunk, position))
        elif kind == ChunkKind.STATE:
            found.state = chunk if chunk.is_whole else None
            if not chunk.is_whole:
                message = "the index of state is damaged; it is made anew where it is needed"
                found.damage.append(Damage("state", message))
        elif kind != ChunkKind.INDEX:
            if not chunk.is_whole:
                found.damage.append(Damage("bytes", f"the chunk at byte {chunk.offset} is damaged"))
        elif chunk.is_whole:
            try:
                index = chunk.read(data, MAX_INDEX_BYTES)
            except TraceFormatError:
                chunk.is_whole = False
    return broken, index


def _find_end(found: Survey, chunks: list[Chunk], footer: tuple[int, int] | None, has_index: bool) -> None:
    """Decide whether the end of the trace is known, and name the tail if it is not."""
    has_head = any(chunk.prefix.kind == ChunkKind.INDEX for chunk in chunks)
    # The index is the last chunk: when the one before it survives, nothing else is missing at the end.
    reached = bool(footer and chunks and chunks[-1].prefix.sequence >= footer[1] - 2)
    found.end_known = has_index or has_head or reached


def _counts_at_end(found: Survey, data: mmap.mmap | bytes, broken: list[Position]) -> tuple[list[int], int]:
    """Candidates by rule, and draws, over everything that is known of the trace."""
    counts, draws = [0, 0, 0, 0], 0
    for position in broken:
        counts = [max(pair) for pair in zip(counts, position[2:6], strict=True)]
        draws = max(draws, position.draws)
    for entry in found.calls[-1:]:
        chunk = _decode(data, entry)
        inside = [sum(mark.rule == rule for mark in chunk.boundaries) for rule in RULES]
        counts = [
            max(start, known + added) for start, known, added in zip(counts, entry.position[2:6], inside, strict=True)
        ]
        draws = max(draws, entry.position.draws + chunk.num_draws)
    return counts, draws


def _decode(data: mmap.mmap | bytes, entry: CallsEntry) -> CallsChunk:
    chunk = CallsChunk(entry.chunk.read(data), entry.position.first_call)
    if chunk.num_calls != entry.position.num_calls:
        raise TraceFormatError(
            f"the chunk at byte {entry.chunk.offset} holds {chunk.num_calls} calls, its header says "
            f"{entry.position.num_calls}"
        )
    return chunk


def _find_frames(found: Survey, data: mmap.mmap | bytes, broken: list[Position], index: bytes | None) -> None:
    """Fill in rule and frames, from the index or from the chunks."""
    if index is not None and _read_index(found, index):
        return
    counts, draws = _counts_at_end(found, data, broken)
    found.rule = strongest(*counts)
    ends: list[int] = []
    drawn = -1
    entries = found.calls
    for number, entry in enumerate(entries):
        # Frames that ended in calls that are lost end, as far as anyone can tell, where the calls begin again.
        ends += [entry.position.first_call] * (entry.position.candidates(found.rule) - len(ends))
        following = entries[number + 1].position.candidates(found.rule) if number + 1 < len(entries) else None
        if following is None or following > len(ends):
            for mark in _decode(data, entry).boundaries:
                if mark.rule == found.rule:
                    ends.append(mark.call + 1)
                    drawn = mark.draws
    if found.num_calls and (found.rule is FrameRule.PROGRAM_END or draws > drawn):
        frames = [*ends, found.num_calls]
    else:
        frames = ends
    found.frames = FrameList(frames, found.rule, FrameRule.PROGRAM_END if len(frames) > len(ends) else found.rule)


def _read_index(found: Survey, index: bytes) -> bool:
    """Take totals and frames from the index; False where it contradicts itself."""
    if len(index) < _INDEX.size:
        return False
    head = _Index(*_INDEX.unpack_from(index))
    start = _INDEX.size + head.num_chunks * _ENTRY.size
    if len(index) != start + 8 * head.num_frames or head.rule > FrameRule.PROGRAM_END:
        return False
    ends = np.frombuffer(index, "<u8", head.num_frames, start)
    in_order = not len(ends) or ((ends[1:] >= ends[:-1]).all() and ends[-1] <= head.num_calls)
    if head.num_calls > MAX_NUMBER or not in_order or head.last_rule > FrameRule.PROGRAM_END:
        return False
    found.index = index
    found.num_calls = max(found.num_calls, head.num_calls)
    found.num_blobs = max(found.num_blobs, min(head.num_blobs, MAX_NUMBER))
    found.rule = FrameRule(head.rule)
    found.content_sha256 = head.content_sha256.hex()
    found.frames = FrameList(ends, found.rule, FrameRule(head.last_rule))
    return True


def _name_gaps(found: Survey) -> None:
    """Name the calls that are in no sound chunk."""
    expected = 0
    for entry in found.calls:
        if entry.position.first_call > expected:
            found.gaps.append((expected, entry.position.first_call))
        expected = entry.position.first_call + entry.position.num_calls
    if not found.end_known:
        found.gaps.append((expected, None))
    elif expected < found.num_calls:
        found.gaps.append((expected, found.num_calls))
    for first, end in found.gaps:
        frame = found.frames.frame_of(first)
        if end is None:
            tail = f"cut: lost from call {first}, frame {frame}; end unknown"
            found.damage.append(Damage("tail", tail, first, None, frame))
        else:
            frames = spell_range("frame", frame, max(frame, found.frames.frame_of(end - 1)) + 1)
            message = f"lost: {spell_range('call', first, end)} ({frames})"
            found.damage.append(Damage("calls", message, first, end, frame))


def _name_lost_content(found: Survey, data: mmap.mmap | bytes) -> None:
    """Name the calls whose blobs are in no sound chunk."""
    if not found.damage:
        return
    present = _whole_blobs(found, data)
    lost: list[int] = []
    for entry in found.calls:
        lost += _decode(data, entry).calls_with_blobs(lambda number: number not in present)
    if not lost:
        return
    runs: list[list[int]] = []
    for call in lost:
        if runs and runs[-1][1] == call:
            runs[-1][1] += 1
        else:
            runs.append([call, call + 1])
    for first, end in runs:
        frame = found.frames.frame_of(first)
        message = f"lost: the content of {spell_range('call', first, end)} (frame {frame})"
        found.damage.append(Damage("content", message, first, end, frame))


def _whole_blobs(found: Survey, data: mmap.mmap | bytes) -> set[int]:
    """Numbers of the blobs of which every piece survives."""
    from traceformat.gltrace.blobs import read_pieces

    whole: set[int] = set()
    reached: dict[int, Any] = {}
    for entry in found.blobs:
        for piece in read_pieces(entry.chunk.read(data), entry.position.first_blob):
            if piece.offset != reached.pop(piece.blob, 0):
                continue
            if piece.offset + len(piece.data) == piece.total_bytes:
                whole.add(piece.blob)
            else:
                reached[piece.blob] = piece.offset + len(piece.data)
    return whole
