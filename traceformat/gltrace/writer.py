"""Writing .gltrace files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import inf
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final

from traceformat.calls import Call, CallFlags, Value
from traceformat.errors import ToolError, TraceFormatError
from traceformat.framing.chunks import CHUNK_BYTES, Chunk, ChunkWriter
from traceformat.framing.codecs import DEFAULT_LEVEL
from traceformat.framing.container import GLTRACE, pack_start
from traceformat.framing.headers import INDEX_ENTRY, INDEX_HEADER, ChunkKind, struct_of
from traceformat.gltrace.blobs import MAX_KNOWN, BlobStore
from traceformat.gltrace.callbuilder import CallBatch, CallsBuilder, PackedCalls
from traceformat.gltrace.frames import Boundary, strongest
from traceformat.gltrace.unsettled import pack_position, saved_chunk
from traceformat.gputrace.frametrace import FrameRule
from traceformat.output import Output

__all__ = ["MAX_CALLS", "TraceWriter", "hash_chunk"]

_INDEX: Final = struct_of(INDEX_HEADER)
_ENTRY: Final = struct_of(INDEX_ENTRY)
#: Most calls of a chunk: the order is a column of 16 bits, and a reader's work a chunk is bounded.
MAX_CALLS: Final = 1 << 15
#: So many bytes come from machine code that records calls as fast as it can: beside it the tables of higher levels do
#: not fit into the caches, and would take as long as everything else together.
_BULK_BYTES: Final = 1 << 19
_BULK_LEVEL: Final = 1


def hash_chunk(digest: Any, kind: int, position: bytes, raw: bytes | memoryview) -> None:
    """Add a chunk to the content hash: what it holds, not how it is compressed."""
    digest.update(int(kind).to_bytes(2, "little") + len(raw).to_bytes(4, "little") + position)
    digest.update(raw)


class TraceWriter:
    """Writes calls into a .gltrace; the same calls give the same bytes.

    The file gets its name when it is whole: at :meth:`close`, also where an exception passes through a ``with``
    block. Memory is bounded by a chunk and the digests of the blobs. Not safe for use by several threads at a time.

    Parameters
    ----------
    path : target
    properties : what is to be said about the trace as a whole, JSON values; nothing that differs from run to run
    level : of zstd, 1 to 19; 0 stores
    remember_all : never store a content twice; memory grows with the number of contents then
    save_seconds : so long after it was saved last, the file is saved with the next call
    unsaved : called with the first call behind a save that has to wait for that: somebody else may have to save it

    Raises
    ------
    UsageError, StorageError : the file cannot be written

    Examples
    --------
    >>> with TraceWriter("app.gltrace", {"program": "app.py"}) as trace:  # doctest: +SKIP
    ...     trace.write("glClear", (0x4000,), context=1)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        properties: Mapping[str, Any] | None = None,
        level: int = DEFAULT_LEVEL,
        *,
        remember_all: bool = False,
        save_seconds: float = inf,
        unsaved: Callable[[], None] | None = None,
    ) -> None:
        start = pack_start(GLTRACE, properties or {})
        self._output = Output(path)
        self._output.stream.write(start)
        # Chunks that have to reach the file together.
        self._waiting = io.BytesIO()
        self._level = level
        self._chunks = ChunkWriter(self._waiting, len(start), level)
        self._blobs = BlobStore(None if remember_all else MAX_KNOWN)
        self._calls = CallsBuilder(self._blobs)
        self._digest = sha256(start)
        # Boundaries of the strongest rule so far: no other rule can win any more.
        self._boundaries: list[Boundary] = []
        self._rule = FrameRule.PROGRAM_END
        #: Machine code has recorded calls of the chunk.
        self._is_packed = False
        self._saved = (0, 0)
        self._save_seconds = save_seconds
        self._unsaved = unsaved
        self._next_save = monotonic() + save_seconds
        #: When the next call has to look at the clock: at once, as long as everything is saved.
        self._due = -inf if self._output.can_save and save_seconds < inf else inf
        self._is_open = True

    @property
    def num_calls(self) -> int:
        """Calls written so far, which is the number of the next call."""
        return self._calls.first_call + self._calls.num_calls

    @property
    def part_path(self) -> Path:
        """The file as it is being written; after :meth:`flush` it can be read like a cut trace, but for a stream."""
        return self._output.part_path

    @property
    def can_save(self) -> bool:
        """What was written before a sudden end can be found: it goes into a file."""
        return self._output.can_save

    def write(
        self,
        name: str,
        args: Sequence[Value] = (),
        outputs: Mapping[str, Value] | None = None,
        result: Value = None,
        *,
        thread: int = 1,
        context: int = 0,
        flags: int = 0,
        source: tuple[str, int] | None = None,
    ) -> None:
        """Append one call.

        Parameters
        ----------
        name : entry point or trace command; one that the table does not know is stored all the same
        args : one value a parameter, in the registry's order
        outputs : content of output parameters, by name
        result : returned value
        thread, context, flags, source : see :class:`calls.Call`

        Raises
        ------
        TypeError, ValueError : a value that a call cannot hold; the call is not written
        """
        self.append(name, args, outputs, result, thread, context, flags, source)

    def append(
        self,
        name: str,
        args: Sequence[Value],
        outputs: Mapping[str, Value] | None,
        result: Value,
        thread: int,
        context: int,
        flags: int = 0,
        source: tuple[str, int] | None = None,
    ) -> None:
        """Do as :meth:`write` does, for callers to whom a tenth of a microsecond matters."""
        calls = self._calls
        calls.add(name, args, outputs, result, thread, context, flags, source)
        if calls.num_bytes >= CHUNK_BYTES or calls.num_calls >= MAX_CALLS:
            self.flush()
        elif self._blobs.waiting_bytes >= CHUNK_BYTES:
            self._flush_blobs()
        elif monotonic() >= self._due:
            self._save_in_time()

    def append_batch(self, batch: CallBatch) -> None:
        """Append consecutive calls of which most are given by columns, a tenth of a microsecond each.

        Parameters
        ----------
        batch : at most MAX_CALLS calls; kinds and dtypes have to fit the entry points, they are not looked at
        """
        self.make_room(len(batch.threads))
        self._calls.add_batch(batch)
        self._go_on()

    def make_room(self, count: int) -> tuple[int, int]:
        """Have a chunk that can take so many calls.

        Returns
        -------
        number of its first call, and of small contents that it has
        """
        if self._calls.num_calls + count > MAX_CALLS:
            self.flush()
        return self._calls.first_call, self._calls.num_contents

    def append_packed(self, calls: PackedCalls) -> None:
        """Append consecutive calls whose rows are as the chunk has them, behind :meth:`make_room`."""
        self._calls.add_packed(calls)
        self._is_packed = True
        self._go_on()

    def _go_on(self) -> None:
        """Begin a new chunk, or save, where it is time."""
        if self._calls.num_bytes >= CHUNK_BYTES:
            self.flush()
        elif self._blobs.waiting_bytes >= CHUNK_BYTES:
            self._flush_blobs()
        elif monotonic() >= self._due:
            self._save_in_time()

    def write_call(self, call: Call) -> None:
        """Append a call as read from another trace; its number is not kept.

        Raises
        ------
        TraceFormatError : a part of its content is lost, so that what is left would say something else, or it does not
            fit its entry point
        """
        if call.flags & CallFlags.LOST:
            raise _not_copied(call, "its content is lost")
        try:
            self.append(
                call.name,
                call.args,
                call.outputs,
                call.result,
                call.thread,
                call.context,
                call.flags,
                call.source,
            )
        except (TypeError, ValueError) as error:
            raise _not_copied(call, str(error)) from None

    def flush(self) -> None:
        """Write what was collected, so that it survives the end of the process."""
        calls = self._calls
        if calls.num_calls:
            before = calls.first_call, calls.num_calls, calls.draws_before, tuple(calls.candidates)
            boundaries = calls.boundaries
            raw = calls.build()
            self._write_blobs(before[0])
            self._write(ChunkKind.CALLS, raw, self._position(*before))
            self._is_packed = False
            self._settle()
            self._keep(boundaries)
        self._output.stream.flush()

    def save(self) -> None:
        """Let all calls survive a sudden end of the process; the chunk goes on, and the file will be the same.

        Until the next chunk is written the temporary file ends with what there is of it. Does nothing for streams.

        Raises
        ------
        UsageError, StorageError : the file cannot be written
        """
        self._next_save, self._due = monotonic() + self._save_seconds, -inf
        mark = self.num_calls, self._blobs.num_blobs
        if mark == self._saved or not self._output.can_save:
            return
        self._saved = mark
        self._output.save(self._unsettled())

    def _unsettled(self) -> bytes:
        """A chunk SAVED with everything that is in no chunk yet."""
        return saved_chunk(self._calls, self._blobs, len(self._chunks.chunks))

    def _save_in_time(self) -> None:
        """Save, if it is time; the call has been taken, so where that fails, who saves, flushes or closes is told."""
        if self._due == -inf and monotonic() < self._next_save:
            self._due = self._next_save
            if self._unsaved is not None:
                self._unsaved()
            return
        try:
            self.save()
        except ToolError:
            self._due = inf

    def _keep(self, boundaries: list[Boundary]) -> None:
        """Remember where frames end, of the strongest rule that occurred."""
        rule = strongest(*self._calls.candidates)
        if rule != self._rule:
            self._rule = rule
            self._boundaries.clear()
        self._boundaries += (mark for mark in boundaries if mark.rule == rule)

    def _position(
        self,
        first_call: int,
        num_calls: int,
        draws: int,
        candidates: Sequence[int],
        num_pieces: int = 0,
        first_blob: int | None = None,
    ) -> bytes:
        blob = self._blobs.num_blobs if first_blob is None else first_blob
        return pack_position(first_call, num_calls, candidates, num_pieces, blob, draws)

    def _flush_blobs(self) -> None:
        self._write_blobs(self._calls.first_call)
        self._settle()

    def _write_blobs(self, call: int) -> None:
        calls = self._calls
        for first_blob, num_pieces, raw in self._blobs.payloads():
            position = self._position(call, 0, calls.draws_before, calls.candidates, num_pieces, first_blob)
            self._write(ChunkKind.BLOBS, raw, position)
        self._blobs.forget_waiting()

    def _write(self, kind: ChunkKind, raw: bytes | memoryview, position: bytes) -> Chunk:
        if kind != ChunkKind.INDEX:
            hash_chunk(self._digest, kind, position, raw)
        is_bulk = self._is_packed and kind == ChunkKind.CALLS and len(raw) >= _BULK_BYTES
        chunk = self._chunks.write(kind, raw, position, min(self._level, _BULK_LEVEL) if is_bulk else None)
        if not self._output.is_saved:
            self._settle()
        return chunk

    def _settle(self) -> None:
        """Write the chunks that wait; what was saved and is not in them stays saved."""
        data = self._waiting.getvalue()
        self._waiting.seek(0)
        self._waiting.truncate()
        is_rest = self._output.is_saved and (self._calls.num_calls or self._blobs.waiting_bytes)
        self._output.settle(data, self._unsettled() if is_rest else b"")

    def _index(self) -> bytes:
        """Payload of the index: totals, where chunks lie, where frames end."""
        calls = self._calls
        ends = [mark.call + 1 for mark in self._boundaries]
        drawn = self._boundaries[-1].draws if self._boundaries else -1
        has_rest = calls.first_call > 0 and calls.draws > drawn
        if has_rest:
            ends.append(calls.first_call)
        chunks: list[Chunk] = self._chunks.chunks
        return b"".join(
            (
                _INDEX.pack(
                    calls.first_call,
                    calls.draws,
                    self._blobs.num_blobs,
                    len(chunks),
                    len(ends),
                    self._rule,
                    FrameRule.PROGRAM_END if has_rest else self._rule,
                    self._digest.digest(),
                ),
                *(_ENTRY.pack(chunk.offset, *chunk.prefix) for chunk in chunks),
                *(end.to_bytes(8, "little") for end in ends),
            )
        )

    def close(self) -> None:
        """Write the index and footer and give the file its name; a second call does nothing."""
        if not self._is_open:
            return
        self._is_open = False
        with self._output:
            self.flush()
            totals = self._position(self._calls.first_call, 0, self._calls.draws, self._calls.candidates)
            self._chunks.write_footer(self._write(ChunkKind.INDEX, self._index(), totals))
            self._settle()

    def abort(self) -> None:
        """Throw away what was written."""
        if self._is_open:
            self._is_open = False
            self._output.discard()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _not_copied(call: Call, why: str) -> TraceFormatError:
    return TraceFormatError(f"call {call.number} {call.name}: {why}", hint="gputrace repack --recover leaves it out")
