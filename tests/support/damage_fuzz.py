"""Damaged traces: what must be true of a file that was cut, or of which bits were flipped."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from traceformat.calls import Call, CallFlags
from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import Chunk, scan_chunks
from traceformat.framing.headers import ChunkKind
from traceformat.gltrace.reader import TraceReader
from traceformat.gltrace.writer import TraceWriter

#: Processor time that one case may take, for traces of up to 100 kB.
HANG_SECONDS = 5.0


@dataclass
class Original:
    """A whole trace to damage.

    Parameters
    ----------
    name, data : of the file
    calls : everything it holds
    ends : offset behind each chunk of calls, and the number of calls up to there
    """

    name: str
    data: bytes
    calls: list[Call]
    ends: list[tuple[int, int]] = field(default_factory=list)

    @property
    def body(self) -> tuple[int, int]:
        """Offsets of the first chunk and of the index."""
        chunks = [piece for piece in scan_chunks(self.data, 0, len(self.data)) if isinstance(piece, Chunk)]
        return chunks[0].offset, chunks[-1].offset


def load(path: Path) -> Original:
    """Read a whole trace."""
    data = path.read_bytes()
    with TraceReader(data) as reader:
        assert not reader.damage
        original = Original(path.name, data, list(reader))
    count = 0
    for piece in scan_chunks(data, 0, len(data)):
        if isinstance(piece, Chunk) and piece.prefix.kind == ChunkKind.CALLS:
            with TraceReader(data[: piece.end]) as reader:
                count = reader.num_calls
            original.ends.append((piece.end, count))
    return original


def write_small(path: Path) -> Path:
    """Write a trace of six frames in as many chunks, with two blobs."""
    with TraceWriter(path, {"program": "small"}) as trace:
        trace.write("traceContext", (1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0))
        for frame in range(6):
            trace.write("glClear", (0x4000,), context=1)
            if frame in (1, 3):
                trace.write("glBufferData", (0x8892, 700, bytes([frame]) * 700, 0x88E4), context=1)
            trace.write("glDrawArrays", (4, 0, 3 * frame), context=1)
            trace.write("traceSwap", (1, "eglSwapBuffers"), context=1)
            trace.flush()
    return path


def _survivors(data: bytes) -> tuple[list[Call], TraceReader]:
    start = time.process_time()
    with TraceReader(data) as reader:
        calls = list(reader)
    seconds = time.process_time() - start
    assert seconds < HANG_SECONDS, f"took {seconds:.1f} s"
    return calls, reader


def check_cut(original: Original, size: int) -> str:
    """Check a file that was cut behind ``size`` bytes; gives what became of it.

    Raises
    ------
    AssertionError : a loss that is not named, or a whole chunk that is not recovered
    """
    data = original.data[:size]
    try:
        calls, reader = _survivors(data)
    except TraceFormatError:
        # Not even the magic is left: the file is refused.
        assert size < 16, f"cut at {size}: refused"
        return "refused"
    whole = max((count for end, count in original.ends if end <= size), default=0)
    assert reader.damage, f"cut at {size}: no damage is named"
    first, index = original.body
    lost_content = {call.number for call in calls if call.flags & CallFlags.LOST}
    assert not lost_content, f"cut at {size}: content that lies before its calls is lost"
    assert calls == original.calls[:whole], f"cut at {size}: {len(calls)} calls survive, {whole} are whole"
    if first <= size < index:
        tails = [loss for loss in reader.damage if loss.kind == "tail"]
        assert len(tails) == 1, f"cut at {size}: {[str(loss) for loss in reader.damage]}"
        assert tails[0].first_call == whole, f"cut at {size}: {tails[0]}"
        return "tail named"
    return "index rebuilt" if size >= index else "start lost"


def flip(data: bytes, rng: random.Random, bits: int) -> bytes:
    """Flip bits of a file."""
    broken = bytearray(data)
    for place in rng.sample(range(8 * len(data)), bits):
        broken[place >> 3] ^= 1 << (place & 7)
    return bytes(broken)


def check_flipped(original: Original, data: bytes) -> str:
    """Check a file of the original's size some bits of which are others; gives what became of it.

    Raises
    ------
    AssertionError : a loss that is not named, or a call that is not what it was
    """
    try:
        calls, reader = _survivors(data)
    except TraceFormatError:
        return "refused"
    assert reader.damage, "no damage is named"
    named = {
        number
        for loss in reader.damage
        if loss.kind in ("calls", "tail") and loss.first_call is not None
        for number in range(loss.first_call, loss.end_call if loss.end_call is not None else len(original.calls))
    }
    lost_content = {
        number
        for loss in reader.damage
        if loss.kind == "content" and loss.first_call is not None and loss.end_call is not None
        for number in range(loss.first_call, loss.end_call)
    }
    survived = {call.number for call in calls}
    missing = set(range(len(original.calls))) - survived
    assert missing == named, f"missing {sorted(missing)[:5]}, named {sorted(named)[:5]}"
    for call in calls:
        before = original.calls[call.number]
        if call.number in lost_content:
            assert call.flags & CallFlags.LOST
            assert call.name == before.name
        else:
            assert call == before, f"call {call.number} is another"
    kinds = {loss.kind for loss in reader.damage}
    for kind in ("calls", "tail", "content", "start", "index"):
        if kind in kinds:
            return {"calls": "calls named", "tail": "tail named", "content": "content named"}.get(kind, f"{kind} named")
    return "bytes named"


def flips(original: Original, seed: int, count: int) -> Iterator[tuple[int, bytes]]:
    """Cases: number and damaged file; most have one bit flipped, some a few."""
    for number in range(count):
        rng = random.Random(f"{original.name} {seed} {number}")
        yield number, flip(original.data, rng, rng.choice((1, 1, 1, 1, 2, 3, 8)))
