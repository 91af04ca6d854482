"""Mapped buffers: what a program writes through a pointer, recorded before the driver can use it.

An ordinary mapping is read when it ends or where it is flushed. What is written through a persistent one can be used by
any call; so before every call that reads buffers, all persistent mappings are compared with what is known of them, and
what has changed is recorded.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from capture.rule_types import After, Before, Synthesizer
from capture.shadow import BufferShadow, ContextShadow, MappedRange
from traceformat.calls import Value
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS
from traceformat.gles.roles import is_draw

__all__ = ["MAPPING_AFTER", "MAPPING_BEFORE", "before_reading"]

_WRITE: Final = gl.GL_MAP_WRITE_BIT
_PERSISTENT: Final = gl.GL_MAP_PERSISTENT_BIT
_INVALIDATE: Final = gl.GL_MAP_INVALIDATE_RANGE_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT
#: Where a buffer is bound while what was written through its mapping is recorded.
_PLACE: Final = gl.GL_COPY_WRITE_BUFFER
#: Changes that lie closer together than this are recorded as one.
_GAP_BYTES: Final = 64
#: Calls besides draws that read buffers, or after which the program may count on what it wrote.
_READING: Final = (
    "glTexImage2D",
    "glTexImage3D",
    "glTexSubImage2D",
    "glTexSubImage3D",
    "glCompressedTexImage2D",
    "glCompressedTexSubImage2D",
    "glCopyBufferSubData",
    "glBufferSubData",
    "glGetBufferSubData",
    "glFenceSync",
    "glDispatchCompute",
    "glTextureSubImage2D",
    "glTextureSubImage3D",
    "glCompressedTextureSubImage2D",
    "glCopyNamedBufferSubData",
    "glNamedBufferSubData",
    "glGetNamedBufferSubData",
)


def _note_mapping(shadow: ContextShadow, name: int, offset: int, length: int, access: int, address: int | None) -> None:
    if not address or length <= 0:
        return
    buffer = shadow.buffer(name)
    if access & _INVALIDATE:
        # What the program does not write is undefined now; defined bytes keep the trace the same from run to run.
        ctypes.memset(address, 0, length)
    buffer.mapped = MappedRange(offset, length, access, address)
    if access & _PERSISTENT and access & _WRITE:
        known = bytearray(ctypes.string_at(address, length))
        shadow.share.persistent[name] = known
        if access & _INVALIDATE:
            # The trace has to say that it is zero.
            buffer.mapped.is_new = True


def _map_range(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    target, offset, length, access = raw
    name = shadow.bound(target)
    if name:
        _note_mapping(shadow, name, offset, length, access, result)


def _map_whole(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    name = shadow.bound(raw[0])
    if name:
        access = gl.GL_MAP_READ_BIT if raw[1] == gl.GL_READ_ONLY else _WRITE
        _note_mapping(shadow, name, 0, len(shadow.buffer(name).data), access, result)


def _write_back(recorder: Synthesizer, target: int, buffer: BufferShadow, offset: int, length: int) -> None:
    """Record what stands in a part of the mapped range; ``offset`` counts from the range's start."""
    mapped = buffer.mapped
    if mapped is None or offset < 0 or length <= 0 or offset + length > mapped.length:
        return
    content = ctypes.string_at(mapped.address + offset, length)
    buffer.write(mapped.offset + offset, content)
    recorder.synthesize("traceMappedWrite", target, mapped.offset + offset, content)


def _changes(known: bytearray, now: bytes) -> list[tuple[int, int]]:
    """Ranges (begin, end) that differ, near ones as one."""
    places = np.flatnonzero(np.frombuffer(known, np.uint8) != np.frombuffer(now, np.uint8))
    if not places.size:
        return []
    cuts = np.flatnonzero(np.diff(places) > _GAP_BYTES)
    begins = np.concatenate([places[:1], places[cuts + 1]])
    ends = np.concatenate([places[cuts], places[-1:]]) + 1
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def _record_persistent(recorder: Synthesizer, shadow: ContextShadow) -> None:
    """Record what has changed in the persistent mappings."""
    for name, known in shadow.share.persistent.items():
        buffer = shadow.buffer(name)
        mapped = buffer.mapped
        if mapped is None:
            continue
        now = ctypes.string_at(mapped.address, mapped.length)
        if now == known and not mapped.is_new:
            continue
        parts = [(0, mapped.length)] if mapped.is_new else _changes(known, now)
        mapped.is_new = False
        before = shadow.bound(_PLACE)
        recorder.synthesize("glBindBuffer", _PLACE, name)
        for begin, end in parts:
            known[begin:end] = now[begin:end]
            buffer.write(mapped.offset + begin, now[begin:end])
            recorder.synthesize("traceMappedWrite", _PLACE, mapped.offset + begin, now[begin:end])
        recorder.synthesize("glBindBuffer", _PLACE, before)


def before_reading(rules: Mapping[str, Before]) -> dict[str, Before]:
    """Rules of calls that read buffers, those that have one already among them: persistent mappings come first."""

    def extended(rule: Before | None) -> Before:
        def before(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
            if shadow.share.persistent:
                _record_persistent(recorder, shadow)
            if rule is not None:
                rule(recorder, shadow, raw)

        return before

    draws = (name for name in COMMANDS if is_draw(name))
    return {name: extended(rules.get(name)) for name in (*rules, *_READING, *draws)}


def _before_unmap(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
    buffer = shadow.bound_buffer(raw[0])
    if buffer is None or buffer.mapped is None:
        return
    mapped = buffer.mapped
    if shadow.bound(raw[0]) in shadow.share.persistent:
        _record_persistent(recorder, shadow)
    elif mapped.access & _WRITE and not mapped.access & gl.GL_MAP_FLUSH_EXPLICIT_BIT:
        _write_back(recorder, raw[0], buffer, 0, mapped.length)


def _after_unmap(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    name = shadow.bound(raw[0])
    if name:
        shadow.buffer(name).mapped = None
        shadow.share.persistent.pop(name, None)


def _before_flush(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
    target, offset, length = raw
    buffer = shadow.bound_buffer(target)
    if shadow.bound(target) in shadow.share.persistent:
        _record_persistent(recorder, shadow)
    elif buffer is not None:
        _write_back(recorder, target, buffer, offset, length)


MAPPING_BEFORE: Final[dict[str, Before]] = {
    "glUnmapBuffer": _before_unmap,
    "glFlushMappedBufferRange": _before_flush,
}
MAPPING_AFTER: Final[dict[str, After]] = {
    "glMapBufferRange": _map_range,
    "glMapBuffer": _map_whole,
    "glUnmapBuffer": _after_unmap,
}
