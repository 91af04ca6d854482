"""Reading .gltrace files."""

from __future__ import annotations

import mmap
import os
import tempfile
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.calls import Call
from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import MAX_RAW_BYTES
from traceformat.framing.container import GLTRACE, map_file, pack_start
from traceformat.framing.damage import Damage
from traceformat.framing.headers import ChunkKind
from traceformat.gltrace.blobs import BlobPiece, read_pieces
from traceformat.gltrace.blobsizes import blob_sizes
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.columns import Columns, columns_of
from traceformat.gltrace.ringfile import mapped_with, recorded_behind
from traceformat.gltrace.stateindex import MAX_STATE_BYTES, StateIndex, StatePoint
from traceformat.gltrace.survey import CallsEntry, survey
from traceformat.gltrace.writer import hash_chunk
from traceformat.gputrace.frametrace import FrameRule
from traceformat.guards import check_process_memory
from traceformat.output import file_error
from traceformat.tools.summary import summarize

__all__ = ["TraceReader", "open_trace"]

#: Bytes of blobs that a reader keeps for calls that use them again.
BLOB_CACHE_BYTES: Final = 64 << 20
#: Blobs whose sizes are listed: of a damaged file the number may be anything.
MAX_LISTED_BLOBS: Final = 1 << 26
_ANEW: Final = "gputrace repack writes it anew"


class TraceReader:
    """A .gltrace; iterating gives its calls, of a damaged file those that survive.

    Check sums of the whole file are verified when it is opened, so :attr:`damage` is complete before the first call
    is read. Memory is bounded by a chunk, the cache of blobs and the list of chunks.

    Parameters
    ----------
    path : file, or the bytes of one

    Raises
    ------
    UsageError : the file cannot be read
    TraceFormatError : it is empty, no trace, or of a newer major version

    Attributes
    ----------
    properties : what the writer said about the trace as a whole
    frames : every frame, also those with lost calls
    damage : every loss; empty for a whole file
    """

    def __init__(self, path: str | os.PathLike[str] | bytes) -> None:
        self.path = "(bytes)" if isinstance(path, bytes) else os.fspath(path)
        self._data: mmap.mmap | bytes = path if isinstance(path, bytes) else map_file(path)
        self._recent: list[Call] = []
        #: Of chunks that were read lately: whole blobs, and pieces of others.
        self._pieces: OrderedDict[int, tuple[dict[int, bytes], dict[int, list[BlobPiece]]]] = OrderedDict()
        try:
            self._survey = survey(self._data, self.path)
            if not isinstance(path, bytes):
                self._take_what_is_recorded()
        except TraceFormatError as error:
            self.close()
            message = error.message if error.message.startswith(self.path) else f"{self.path}: {error.message}"
            raise TraceFormatError(message, hint=error.hint) from None
        start = self._survey.start
        self.properties: dict[str, Any] = start.properties if start else {}
        self.version = (start.major, start.minor) if start else (0, 0)
        self.frames = self._survey.frames
        self.damage: list[Damage] = self._survey.damage
        self._starts = [entry.position.first_call for entry in self._survey.calls]
        self._first_blobs = [entry.position.first_blob for entry in self._survey.blobs]
        self._blob_cache: OrderedDict[int, bytes] = OrderedDict()
        self._cached_bytes = 0
        #: Number of the first call of the chunk that was read last: where whoever goes through the calls is.
        self.reached = 0

    def _take_what_is_recorded(self) -> None:
        """Read a killed process's file with the calls that machine code had recorded."""
        end = recorded_behind(self.path, self._survey, self._data)
        if end:
            try:
                data = mapped_with(self._data, end)
            except OSError as error:
                raise file_error(tempfile.gettempdir(), error, f"no room for a copy of {self.path}") from None
            self.close()
            self._data = data
            self._survey = survey(data, self.path)

    @property
    def num_calls(self) -> int:
        """Calls of the trace, lost ones included as far as they are known."""
        return self._survey.num_calls

    @property
    def num_bytes(self) -> int:
        """Size of the file."""
        return len(self._data)

    @property
    def frame_rule(self) -> FrameRule:
        """What ends frames in this trace (DESIGN §3.2)."""
        return self._survey.rule

    @property
    def end_known(self) -> bool:
        """False where the file was cut and may have held more."""
        return self._survey.end_known

    @property
    def num_whole_frames(self) -> int:
        """Frames before the first one that is affected by damage."""
        affected = [loss.first_frame for loss in self.damage if loss.first_frame is not None]
        return min([len(self.frames), *affected])

    @cached_property
    def set_up_frames(self) -> int:
        """Frames at the beginning that only make what later ones use: those in front of a trimmed trace.

        Traces that were trimmed before this was written down have one where their first of several frames draws
        nothing; one that draws cannot be told from a frame that was asked for.
        """
        trimmed = self.properties.get("trimmed")
        if not isinstance(trimmed, dict) or len(self.frames) < 2:
            return 0
        count = trimmed.get("set_up")
        if isinstance(count, int):
            return min(max(count, 0), len(self.frames))
        end = self.frames[0].end_call
        for chunk in self.chunks(end - 1, end):
            for mark in chunk.boundaries:
                if mark.call == end - 1:
                    return int(mark.draws == 0)
        return 0

    def frame_of(self, call: int) -> int:
        """Frame of a call; calls behind the last frame get the number of frames."""
        return self.frames.frame_of(call)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the uncompressed content, 64 hex digits; of a damaged file, of what survives."""
        if self._survey.content_sha256 and not self.damage:
            return self._survey.content_sha256
        return self.compute_hash()

    def compute_hash(self) -> str:
        """Compute the content hash from every surviving chunk."""
        digest = sha256(pack_start(GLTRACE, self.properties))
        entries = sorted(self._survey.calls + self._survey.blobs, key=lambda entry: entry.chunk.offset)
        for entry in entries:
            prefix = entry.chunk.prefix
            hash_chunk(digest, prefix.kind, prefix.position, entry.chunk.read(self._data))
        return digest.hexdigest()

    def chunks(self, start: int = 0, stop: int | None = None) -> Iterator[CallsChunk]:
        """Decode chunks of calls as arrays: those that hold calls ``start`` to ``stop - 1``."""
        first = max(0, bisect_right(self._starts, start) - 1)
        for entry in self._survey.calls[first:]:
            position = entry.position
            if stop is not None and position.first_call >= stop:
                return
            if position.first_call + position.num_calls > start:
                yield self._decode(entry)

    def _decode(self, entry: CallsEntry) -> CallsChunk:
        check_process_memory()
        try:
            chunk = CallsChunk(entry.chunk.read(self._data), entry.position.first_call)
        except TraceFormatError as error:
            raise TraceFormatError(f"{self.path}: chunk at byte {entry.chunk.offset}: {error}") from None
        if chunk.num_calls != entry.position.num_calls:
            raise TraceFormatError(
                f"{self.path}: chunk at byte {entry.chunk.offset}: it holds {chunk.num_calls} calls, "
                f"its header says {entry.position.num_calls}"
            )
        return chunk

    def calls(self, *, frames: range | None = None, start: int = 0, stop: int | None = None) -> Iterator[Call]:
        """Iterate over calls.

        Parameters
        ----------
        frames : of these frames only (step 1); calls behind the last frame count as one frame more
        start, stop : of these numbers only

        Raises
        ------
        TraceFormatError : a chunk that passes its check sum contradicts itself
        """
        if frames is not None:
            if not frames or frames.start > len(self.frames):
                return
            start = max(start, self.frames[frames.start - 1].end_call if frames.start else 0)
            if frames.stop <= len(self.frames):
                end = self.frames[frames.stop - 1].end_call
                stop = end if stop is None else min(stop, end)
        for chunk in self.chunks(start, stop):
            self.reached = chunk.first_call
            for call in chunk.calls(self.blob, start):
                if stop is not None and call.number >= stop:
                    return
                yield call

    def calls_from(self, point: StatePoint | None, stop: int | None = None) -> Iterator[Call]:
        """Iterate over the calls that a point of the index of state needs, and over all behind it.

        Parameters
        ----------
        point : None = the beginning of the trace
        stop : calls before this number only
        """
        if point is not None:
            yield from self.selected(point.needed)
        yield from self.calls(start=point.call if point is not None else 0, stop=stop)

    def selected(self, numbers: NDArray[np.int64]) -> Iterator[Call]:
        """Iterate over the calls of these numbers, ascending; only the chunks that hold any are read."""
        chunk_of = np.searchsorted(self._starts, numbers, "right") - 1
        for place in np.unique(chunk_of).tolist():
            wanted = numbers[chunk_of == place]
            picked = set(wanted.tolist())
            for call in self._decode(self._survey.calls[place]).calls(self.blob, int(wanted[0])):
                if call.number in picked:
                    yield call
                if call.number >= wanted[-1]:
                    break

    def state_index(self) -> StateIndex | None:
        """Index of state that the file holds, which need not be true; None where it has none, or by other rules.

        Raises
        ------
        TraceFormatError : it contradicts itself, or is of another trace
        """
        if self._survey.state is None:
            return None
        try:
            index = StateIndex.unpack(self._survey.state.read(self._data, MAX_STATE_BYTES), self.num_calls)
        except TraceFormatError as error:
            raise TraceFormatError(f"{self.path}: {error.message}", hint=_ANEW) from None
        if index is not None and index.content_sha256 != self.compute_hash():
            raise TraceFormatError(f"{self.path}: the index of state is of another trace", hint=_ANEW)
        return index

    def __iter__(self) -> Iterator[Call]:
        return self.calls()

    def __len__(self) -> int:
        return self.num_calls

    def __getitem__(self, number: int) -> Call:
        """Give one call by its number; only its chunk is read.

        Raises
        ------
        IndexError : no such call, or it is lost
        """
        wanted = number + self.num_calls if number < 0 else number
        for call in self._nearby(wanted):
            if call.number == wanted:
                return call
        raise IndexError(f"call {number} is lost" if 0 <= wanted < self.num_calls else f"there is no call {number}")

    def _nearby(self, number: int) -> list[Call]:
        """Calls of the chunk that has a call; the last such chunk is remembered."""
        if not self._recent or not self._recent[0].number <= number <= self._recent[-1].number:
            chunk = next(self.chunks(number, number + 1), None) if number >= 0 else None
            self._recent = list(chunk.calls(self.blob)) if chunk is not None else []
        return self._recent

    def columns(self, name: str, *, start: int = 0, stop: int | None = None) -> Iterator[Columns]:
        """Give all calls of one entry point as arrays, a few thousand calls at a time.

        Parameters
        ----------
        name : entry point, as the trace has it
        start, stop : of calls with these numbers only

        Yields
        ------
        numbers of the calls, and a structured array with a field for each parameter that is stored as a number;
        contents and texts are not among them
        """
        return columns_of(self.chunks(start, stop), name, start, stop)

    def blob(self, number: int) -> bytes | None:
        """Content of a blob, None where it is lost."""
        data = self._blob_cache.get(number)
        if data is not None:
            self._blob_cache.move_to_end(number)
            return data
        data = self._load_blob(number)
        if data is not None and len(data) <= BLOB_CACHE_BYTES // 4:
            self._blob_cache[number] = data
            self._cached_bytes += len(data)
            while self._cached_bytes > BLOB_CACHE_BYTES:
                self._cached_bytes -= len(self._blob_cache.popitem(last=False)[1])
        return data

    def _load_blob(self, number: int) -> bytes | None:
        # A blob begins in the last chunk that starts before it, or in the first that starts with it.
        first = max(0, bisect_left(self._first_blobs, number) - 1)
        if self._first_blobs:
            # As nearly all are: in one piece.
            data = self._chunk_pieces(first)[0].get(number)
            if data is not None:
                return data
        parts: list[bytes] = []
        size = 0
        for index in range(first, len(self._first_blobs)):
            if self._first_blobs[index] > number:
                break
            whole, pieces = self._chunk_pieces(index)
            if number in whole and not size:
                return whole[number]
            for piece in pieces.get(number, ()):
                if piece.offset != size:
                    continue
                parts.append(piece.data)
                size += len(piece.data)
                if size == piece.total_bytes:
                    return b"".join(parts)
        return None

    def _chunk_pieces(self, index: int) -> tuple[dict[int, bytes], dict[int, list[BlobPiece]]]:
        """Whole blobs in a chunk, and pieces of others, by blob."""
        known = self._pieces.get(index)
        if known is None:
            entry = self._survey.blobs[index]
            found = read_pieces(entry.chunk.read(self._data, MAX_RAW_BYTES), entry.position.first_blob)
            whole = {blob: data for blob, _, total, _, data in found if len(data) == total}
            pieces: dict[int, list[BlobPiece]] = {}
            if len(whole) < len(found):
                whole.clear()
                for piece in found:
                    if len(piece.data) == piece.total_bytes and piece.blob not in pieces:
                        whole[piece.blob] = piece.data
                    else:
                        pieces.setdefault(piece.blob, []).append(piece)
            known = self._pieces[index] = whole, pieces
            if len(self._pieces) > 8:
                self._pieces.popitem(last=False)
        else:
            self._pieces.move_to_end(index)
        return known

    def blob_sizes(self) -> NDArray[np.int64]:
        """Sizes of all blobs, in bytes; -1 for lost ones."""
        chunks = ((entry.chunk, entry.position.first_blob) for entry in self._survey.blobs)
        return blob_sizes(chunks, self._data, min(self._survey.num_blobs, MAX_LISTED_BLOBS))

    def losses(self) -> dict[str, Any]:
        """What survives and what is lost, as JSON values."""
        return {
            "file": os.path.basename(self.path),
            "calls": self.num_calls,
            "surviving_calls": sum(entry.position.num_calls for entry in self._survey.calls),
            "frames": len(self.frames),
            "whole_frames": self.num_whole_frames,
            "end_known": self.end_known,
            "damage": [
                {
                    "kind": loss.kind,
                    "message": str(loss),
                    "first_call": loss.first_call,
                    "end_call": loss.end_call,
                    "first_frame": loss.first_frame,
                }
                for loss in self.damage
            ],
        }

    def info(self) -> dict[str, Any]:
        """Summary of the file as JSON values: sizes, and what :func:`traceformat.tools.summary.summarize` counts."""
        kinds = {int(kind): kind.name.lower() for kind in ChunkKind}
        return {
            "file": os.path.basename(self.path),
            "bytes": len(self._data),
            "format": ".".join(map(str, self.version)),
            "sha256": self.content_hash,
            "properties": self.properties,
            **summarize(self),
            "blobs": self._survey.num_blobs,
            "chunks": {
                kinds.get(kind, f"kind {kind}"): {"count": count, "raw_bytes": raw, "stored_bytes": stored}
                for kind, (count, raw, stored) in sorted(self._survey.chunk_counts.items())
            },
            "damage": [str(loss) for loss in self.damage],
        }

    def close(self) -> None:
        """Release the file."""
        self._pieces.clear()
        if isinstance(self._data, mmap.mmap):
            self._data.close()

    def __enter__(self) -> TraceReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_trace(path: str | os.PathLike[str]) -> TraceReader:
    """Open a .gltrace for reading; see :class:`TraceReader`."""
    return TraceReader(path)
