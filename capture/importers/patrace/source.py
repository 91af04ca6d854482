"""A ``.pat`` file that is being imported: batches of records, most of which travel as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from capture.importers.patrace.columns import ColumnPlan, Records, distinct, plan_columns
from capture.importers.patrace.container import PLAIN_TEXTURES, Chunk, PatFile, read_book
from capture.importers.patrace.convert import Converter, PatCall
from capture.importers.patrace.decoding import read_record
from capture.importers.patrace.signatures import Signature, signature_of
from capture.importers.patrace.windowsystem import WindowSystem
from capture.importers.report import ImportReport
from traceformat.calls import Call
from traceformat.errors import TraceFormatError
from traceformat.gltrace.callbuilder import CallBatch, CallColumns
from traceformat.gltrace.writer import TraceWriter

__all__ = ["PatSource"]

#: Words of a batch: about what makes a chunk of ours.
_BATCH_WORDS: Final = 1 << 14
_MAX_RECORDS: Final = 1 << 13
#: A call that can become more than two of ours: with a record that is longer, all are written one at a time.
_PATCH: Final = "glPatchClientSideBuffer"
_MAX_PATCH_WORDS: Final = 1 << 12


class _Function(NamedTuple):
    """A function of the file's book."""

    name: str
    signature: Signature
    columns: ColumnPlan | None


class _Batch(NamedTuple):
    """Consecutive records.

    Parameters
    ----------
    data, words : the bytes that hold them, and the same as (w,) uint32
    starts : (n + 1,) int64    words at which they begin, and the last one ends
    ids, threads : (n,) function and thread of each
    """

    data: bytes
    words: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ids: NDArray[np.int64]
    threads: NDArray[np.int64]


def _cut(parts: Sequence[bytes], found: Sequence[NDArray[np.int64]]) -> Iterator[_Batch]:
    """Cut records into batches.

    Parameters
    ----------
    parts : the chunks
    found : words at which their records begin, counted from the first chunk's first
    """
    data = b"".join(parts)
    words = np.frombuffer(data, "<u4")
    starts = np.append(np.concatenate(found), len(words))
    # The end of a chunk is that of its last record; only in front of the first is something else, the function book.
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(starts, starts[first] + _BATCH_WORDS))
        last = min(max(last, first + 1), first + _MAX_RECORDS, len(starts) - 1)
        own = starts[first : last + 1]
        heads = words[own[:-1]].astype(np.int64)
        yield _Batch(data, words, own, heads & 0xFFFF, heads >> 16 & 0xFF)
        first = last


class PatSource:
    """A ``.pat`` file that is being imported.

    Parameters
    ----------
    path : the file
    report : takes the counts
    by_columns : False: every call is converted by itself, which gives the same trace

    Raises
    ------
    UsageError, TraceFormatError, UnsupportedCallError : see :class:`~capture.importers.patrace.container.PatFile`
    """

    def __init__(self, path: Path, report: ImportReport, *, by_columns: bool = True) -> None:
        self._file = PatFile(path)
        self._report = report
        self._by_columns = by_columns
        header = self._file.header
        report.version = header.version
        self._system = WindowSystem(header.meta)
        self._converter = Converter(self._system, report)
        self._functions: dict[int, _Function] = {}
        self._lengths = np.zeros(0, np.int32)
        #: Threads whose next draw has client arrays.
        self._pending: set[int] = set()

    @property
    def properties(self) -> dict[str, str | int]:
        """Of the trace to write."""
        return {"source": "patrace", "patrace header version": self._file.header.version}

    def write(self, writer: TraceWriter) -> Iterator[None]:
        """Write the calls, a batch with each step."""
        try:
            for batch in self._batches():
                self._write_batch(batch, writer)
                self._report.calls_read += len(batch.ids)
                yield
        except TraceFormatError as error:
            if not self._functions:
                raise
            self._file.damage = error.message
        self._report.damage = self._loss()
        yield

    def _loss(self) -> str:
        """What is missing at the end of the file; empty if nothing is."""
        meta, read = self._file.header.meta, self._report.calls_read
        known = meta.get("callCnt")
        # Tools that rewrote a file may have left the count as it was.
        if not isinstance(known, int) or known <= read or "conversions" in meta:
            return f"{self._file.damage}; lost: calls from {read} on" if self._file.damage else ""
        return f"{self._file.damage or 'the file is cut between two chunks'}; lost: calls {read} to {known - 1}"

    def _read_book(self, chunk: Chunk, where: str) -> int:
        names, end = read_book(chunk.data, f"{self._file.path}: {where}")
        self._lengths = np.full(len(names), -1, np.int32)
        plain = self._file.header.version <= PLAIN_TEXTURES
        for number, name in enumerate(names):
            signature = signature_of(name, plain_textures=plain)
            if signature is not None:
                columns = plan_columns(name, signature) if self._by_columns else None
                self._functions[number] = _Function(name, signature, columns)
                self._lengths[number] = signature.words
        if not self._functions:
            raise TraceFormatError(f"{self._file.path}: the function book names no function that is known")
        return end

    def _batches(self) -> Iterator[_Batch]:
        """Cut the chunks, which may hold a frame or many, into batches of about the same size.

        Raises
        ------
        TraceFormatError : a chunk does not end with a record; all before it are given first
        """
        parts: list[bytes] = []
        found: list[NDArray[np.int64]] = []
        num_words = 0
        damage = None
        for chunk in self._file.chunks():
            try:
                starts = self._starts(chunk)
            except TraceFormatError as error:
                damage = error
                break
            found.append(starts + num_words)
            parts.append(chunk.data)
            num_words += len(chunk.data) // 4
            if num_words >= _BATCH_WORDS:
                yield from _cut(parts, found)
                parts, found, num_words = [], [], 0
        if parts:
            yield from _cut(parts, found)
        if damage is not None:
            raise damage

    def _starts(self, chunk: Chunk) -> NDArray[np.int64]:
        """Words at which the records of a chunk begin."""
        from capture.importers.patrace.walking import walk

        where = f"chunk {chunk.number} at byte {chunk.offset}"
        at = self._read_book(chunk, where) // 4 if chunk.number == 0 else 0
        words = np.array(np.frombuffer(chunk.data, "<u4"))
        found: list[NDArray[np.int64]] = []
        room = np.empty(_MAX_RECORDS + 1, np.int32)
        while at < len(words):
            count = walk(words, at, len(words), self._lengths, room)
            if not count:
                raise TraceFormatError(f"{where}: {self._refusal(int(words[at]), at)}")
            found.append(room[:count].astype(np.int64))
            at = int(room[count])
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def _refusal(self, head: int, at: int) -> str:
        number = head & 0xFFFF
        function = self._functions.get(number)
        if function is not None:
            return f"a record of {function.name} at word {at} reaches beyond the chunk"
        return f"function {number} at word {at} is not known, and so not the length of its records"

    # -- one batch

    def _write_batch(self, batch: _Batch, writer: TraceWriter) -> None:
        singles = self._singles(batch)
        if singles.all():
            for place in range(len(batch.ids)):
                for call in self._convert(batch, place):
                    writer.write_call(call)
            return
        made: list[tuple[int, Call]] = []
        counts = np.ones(len(batch.ids), np.int64)
        contexts = np.zeros(len(batch.ids), np.uint32)
        threads = np.zeros(len(batch.ids), np.uint32)
        self._number_threads(batch, threads, contexts)
        for place in np.flatnonzero(singles).tolist():
            thread = int(batch.threads[place])
            before = self._system.windows.context(thread)
            calls = list(self._convert(batch, place))
            counts[place] = len(calls)
            made += ((place, call) for call in calls)
            if (now := self._system.windows.context(thread)) != before:
                contexts[place:][batch.threads[place:] == thread] = now
        lost = ~singles & (contexts == 0)
        for number in distinct(batch.ids[lost]):
            count = int(np.count_nonzero(lost & (batch.ids == number)))
            self._report.lost[f"{self._functions[number].name} without a current context"] += count
        counts[lost] = 0
        self._append(batch, ~singles & ~lost, made, counts, threads, contexts, writer)

    def _number_threads(self, batch: _Batch, threads: NDArray[np.uint32], contexts: NDArray[np.uint32]) -> None:
        """Fill in the number of each record's thread, and its context at the begin of the batch."""
        for thread in sorted(distinct(batch.threads), key=lambda thread: int(np.argmax(batch.threads == thread))):
            own = batch.threads == thread
            threads[own] = self._system.windows.thread(thread)
            contexts[own] = self._system.windows.context(thread)

    def _append(
        self,
        batch: _Batch,
        by_columns: NDArray[np.bool_],
        made: Sequence[tuple[int, Call]],
        counts: NDArray[np.int64],
        threads: NDArray[np.uint32],
        contexts: NDArray[np.uint32],
        writer: TraceWriter,
    ) -> None:
        first = np.cumsum(counts) - counts
        groups: list[CallColumns] = []
        for number in distinct(batch.ids[by_columns]):
            plan = self._functions[number].columns
            assert plan is not None
            chosen = np.flatnonzero(by_columns & (batch.ids == number))
            own = Records(batch.words, first[chosen], batch.starts[chosen], batch.starts[chosen + 1])
            groups += plan.columns(own, batch.data)
        all_threads, all_contexts = np.repeat(threads, counts), np.repeat(contexts, counts)
        last, at = -1, 0
        for place, call in made:
            at = at + 1 if place == last else int(first[place])
            last, call.number = place, at
            all_contexts[at] = call.context
        if len(all_threads):
            writer.append_batch(CallBatch(groups, [call for _, call in made], all_threads, all_contexts))

    def _singles(self, batch: _Batch) -> NDArray[np.bool_]:
        """Which records have to be converted one at a time: all that something else depends on."""
        singles = np.zeros(len(batch.ids), bool)
        pointers = np.zeros(len(batch.ids), bool)
        draws = np.zeros(len(batch.ids), bool)
        for number in distinct(batch.ids):
            own = batch.ids == number
            function = self._functions[number]
            if function.columns is None:
                singles |= own
                places = np.flatnonzero(own)
                if function.name == _PATCH and (np.diff(batch.starts)[places] > _MAX_PATCH_WORDS).any():
                    return np.ones(len(batch.ids), bool)
                continue
            draws |= own & function.columns.is_draw
            places = np.flatnonzero(own)
            records = Records(batch.words, places, batch.starts[places], batch.starts[places + 1])
            client = places[function.columns.has_client_memory(records)]
            singles[client] = True
            if function.name == "glVertexAttribPointer":
                pointers[client] = True
        self._mark_draws(batch, pointers, draws, singles)
        return singles

    def _mark_draws(
        self, batch: _Batch, pointers: NDArray[np.bool_], draws: NDArray[np.bool_], singles: NDArray[np.bool_]
    ) -> None:
        """Mark the draws that read client arrays: the first in a thread behind a pointer to client memory."""
        if not (self._pending or pointers.any()):
            return
        for place in np.flatnonzero(pointers | draws).tolist():
            thread = int(batch.threads[place])
            if pointers[place]:
                self._pending.add(thread)
            elif thread in self._pending:
                self._pending.discard(thread)
                singles[place] = True

    def _convert(self, batch: _Batch, place: int) -> Iterator[Call]:
        function = self._functions[int(batch.ids[place])]
        begin, end = 4 * int(batch.starts[place]), 4 * int(batch.starts[place + 1])
        values, result = read_record(batch.data, begin, end, function.signature)
        number = self._report.calls_read + place
        call = PatCall(number, function.name, int(batch.threads[place]), batch.data[begin + 3], values, result)
        return self._converter.convert(call)
