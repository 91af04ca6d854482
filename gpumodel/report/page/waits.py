"""Calls for which a program waits for the GPU: reads that are answered at once, and uploads to what is in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
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
_BUFFER_WRITES: Final = ("glBufferSubData", "glMapBufferRange", "glMapBuffer")
_BUFFER_BINDS: Final = ("glBindBuffer", "glBindBufferBase", "glBindBufferRange", "glBindVertexArray",
                        "glVertexAttribPointer", "glBufferData")  # fmt: skip
_TEXTURE_WRITES: Final = (
    "glTexSubImage2D", "glTexSubImage3D", "glCompressedTexSubImage2D", "glCompressedTexSubImage3D",
)  # fmt: skip
_TEXTURE_BINDS: Final = ("glActiveTexture", "glBindTexture")
_FACES: Final = range(gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X, gl.GL_TEXTURE_CUBE_MAP_NEGATIVE_Z + 1)
_FREE: Final = gl.GL_MAP_UNSYNCHRONIZED_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT
_SHOWN: Final = 12
Found = Iterator[tuple[int, str]]


def waits(reader: TraceReader, frames: range, first_sampled: Mapping[tuple[int, int], int]) -> list[dict[str, Any]]:
    """Kinds of calls with ``what``, ``calls`` and one ``call`` of them, the most frequent first.

    Parameters
    ----------
    frames : that a page is about
    first_sampled : call of the first draw that samples a texture, by frame and GL name
    """
    found: Counter[str] = Counter()
    first: dict[str, int] = {}
    for number, what in (*_reads(reader), *_buffer_uploads(reader), *_texture_uploads(reader, first_sampled)):
        if reader.frame_of(number) in frames:
            found[what] += 1
            first.setdefault(what, number)
    return [{"what": what, "calls": calls, "call": first[what]} for what, calls in found.most_common(_SHOWN)]


def _reads(reader: TraceReader) -> Found:
    for name, number, call in _calls(reader, lambda name: core_name(name) in _READS):
        core = core_name(name)
        if core == "glGetQueryObjectuiv" and call.get("pname") != gl.GL_QUERY_RESULT:
            continue
        yield number, f"{name} waits for all draws before it"


def _buffer_uploads(reader: TraceReader) -> Found:
    """Writes to buffers that a draw of the frame has read from, which the driver waits for, or copies."""
    bound: dict[int, int] = {}
    uniforms: dict[int, int] = {}
    arrays: dict[int, dict[int, int]] = {0: {}}
    array = frame = 0
    used: set[int] = set()
    wanted = {*_BUFFER_WRITES, *_BUFFER_BINDS}
    for name, number, call in _calls(reader, lambda name: core_name(name) in wanted or is_draw(name)):
        core = core_name(name)
        target = int(call.get("target", 0))
        if reader.frame_of(number) != frame:
            frame = reader.frame_of(number)
            used.clear()
        if is_draw(core):
            used.update(arrays[array].values(), uniforms.values())
        elif core == "glBindVertexArray":
            array = int(call["array"])
            arrays.setdefault(array, {})
        elif core.startswith("glBindBuffer"):
            bound[target] = int(call["buffer"])
            if target == gl.GL_ELEMENT_ARRAY_BUFFER:
                arrays[array][-1] = bound[target]
            elif target == gl.GL_UNIFORM_BUFFER and "index" in call:
                uniforms[int(call["index"])] = bound[target]
        elif core == "glVertexAttribPointer":
            arrays[array][int(call["index"])] = bound.get(gl.GL_ARRAY_BUFFER, 0)
        elif core == "glBufferData":
            used.discard(bound.get(target, 0))
        elif bound.get(target, 0) in used - {0} and not int(call.get("access", 0)) & _FREE:
            kind = (enum_name(target) or "").removeprefix("GL_")
            yield number, f"{name} of buffer {bound[target]} ({kind}), which a draw before it in the frame reads"


def _texture_uploads(reader: TraceReader, first_sampled: Mapping[tuple[int, int], int]) -> Found:
    """Writes to textures that a draw of the frame has sampled; new storage makes nobody wait."""
    bound: dict[tuple[int, int], int] = {}
    unit = gl.GL_TEXTURE0
    wanted = {*_TEXTURE_WRITES, *_TEXTURE_BINDS}
    for name, number, call in _calls(reader, lambda name: core_name(name) in wanted):
        core = core_name(name)
        target = int(call.get("target", 0))
        if core == "glActiveTexture":
            unit = int(call["texture"])
        elif core == "glBindTexture":
            bound[unit, target] = int(call["texture"])
        else:
            place = gl.GL_TEXTURE_CUBE_MAP if target in _FACES else target
            texture = bound.get((unit, place), 0)
            if first_sampled.get((reader.frame_of(number), texture), number) < number:
                yield number, f"{name} of texture {texture}, which a draw before it in the frame samples"


def _calls(reader: TraceReader, is_wanted: Any) -> list[tuple[str, int, dict[str, Any]]]:
    """Calls of the wanted entry points in order, with the arguments that are stored as numbers."""
    names = {shape.name for chunk in reader.chunks() for shape in chunk.shapes if is_wanted(shape.name)}
    out: list[tuple[str, int, dict[str, Any]]] = []
    for name in sorted(names):
        for numbers, values in reader.columns(name):
            fields = values.dtype.names or ()
            out += [
                (name, number, dict(zip(fields, row, strict=True)))
                for number, row in zip(numbers.tolist(), values.tolist(), strict=True)
            ]
    return sorted(out, key=lambda entry: entry[1])
