"""Calls for which a program waits for the GPU: reads that are answered at once, and uploads to buffers in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from traceformat.gles import enums as gl
from traceformat.gles.enum_names import enum_name
from traceformat.gles.roles import core_name, is_draw
from traceformat.gltrace.reader import TraceReader

__all__ = ["waits"]

#: Reads that wait for all draws before them.
_READS: Final = (
    "glReadPixels", "glReadnPixels", "glGetTexImage", "glFinish", "glClientWaitSync", "glGetQueryObjectuiv",
    "glGetBufferSubData",
)  # fmt: skip
_WRITES: Final = ("glBufferSubData", "glMapBufferRange", "glMapBuffer")
_BINDS: Final = ("glBindBuffer", "glBindVertexArray", "glVertexAttribPointer", "glBufferData", "traceSwap")
_FREE: Final = gl.GL_MAP_UNSYNCHRONIZED_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT
_SHOWN: Final = 12


def waits(reader: TraceReader, frames: range) -> list[dict[str, Any]]:
    """Kinds of calls with ``what``, ``calls`` and one ``call`` of them, the most frequent first.

    Parameters
    ----------
    frames : that a page is about
    """
    found: Counter[str] = Counter()
    first: dict[str, int] = {}
    for number, what in (*_reads(reader), *_uploads(reader)):
        if reader.frame_of(number) in frames:
            found[what] += 1
            first.setdefault(what, number)
    return [{"what": what, "calls": calls, "call": first[what]} for what, calls in found.most_common(_SHOWN)]


def _reads(reader: TraceReader) -> Iterator[tuple[int, str]]:
    for name, number, call in _calls(reader, lambda name: core_name(name) in _READS):
        core = core_name(name)
        if core == "glGetQueryObjectuiv" and call.get("pname") != gl.GL_QUERY_RESULT:
            continue
        yield number, f"{name} waits for all draws before it"


def _uploads(reader: TraceReader) -> Iterator[tuple[int, str]]:
    """Writes to buffers that a draw of the frame has read from, which the driver waits for, or copies."""
    bound: dict[int, int] = {}
    arrays: dict[int, dict[int, int]] = {0: {}}
    array = 0
    used: set[int] = set()
    wanted = {*_WRITES, *_BINDS}
    for name, number, call in sorted(_calls(reader, lambda name: core_name(name) in wanted or is_draw(name)),
                                     key=lambda entry: entry[1]):  # fmt: skip
        core = core_name(name)
        target = int(call.get("target", 0))
        if is_draw(core):
            used.update(arrays[array].values())
        elif core == "traceSwap":
            used.clear()
        elif core == "glBindVertexArray":
            array = int(call["array"])
            arrays.setdefault(array, {})
        elif core == "glBindBuffer":
            bound[target] = int(call["buffer"])
            if target == gl.GL_ELEMENT_ARRAY_BUFFER:
                arrays[array][-1] = bound[target]
        elif core == "glVertexAttribPointer":
            arrays[array][int(call["index"])] = bound.get(gl.GL_ARRAY_BUFFER, 0)
        elif core == "glBufferData":
            used.discard(bound.get(target, 0))
        elif bound.get(target, 0) and bound[target] in used and not int(call.get("access", 0)) & _FREE:
            kind = (enum_name(target) or "").removeprefix("GL_")
            yield number, f"{name} of buffer {bound[target]} ({kind}), which a draw before it in the frame reads"


def _calls(reader: TraceReader, is_wanted: Any) -> list[tuple[str, int, dict[str, Any]]]:
    """Calls of the wanted entry points, with the arguments that are stored as numbers."""
    names = {shape.name for chunk in reader.chunks() for shape in chunk.shapes if is_wanted(shape.name)}
    out: list[tuple[str, int, dict[str, Any]]] = []
    for name in sorted(names):
        for numbers, values in reader.columns(name):
            fields = values.dtype.names or ()
            out += [
                (name, number, dict(zip(fields, row, strict=True)))
                for number, row in zip(numbers.tolist(), values.tolist(), strict=True)
            ]
    return out
