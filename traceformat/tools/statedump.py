"""The GL state of a tracker as flat text: what two traces are compared by."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any, Final

from traceformat.gles import objects
from traceformat.gles.enum_names import enum_name
from traceformat.gles.state import Context, Namespace
from traceformat.gles.tracker import Tracker

__all__ = ["state_of"]

#: What counts events, caches answers or belongs to a backend, and so is no state that a program could see.
_HIDDEN: Final = frozenset(
    {
        "backing",
        "before_write",
        "call_number",
        "changed",
        "changes",
        "checked_epoch",
        "client",
        "definitions",
        "frame",
        "group",
        "inputs",
        "is_gles",
        "limits",
        "link_count",
        "locations",
        "places",
        "queried",
        "recorded_blocks",
        "sampler_conflict",
        "serial",
        "siblings",
        "state_version",
        "status",
        "use_count",
        "version",
        "error",
        "error_message",
        "debug_messages",
        "was_current",
        "destroyed",
        "attached",
        "validated",
        "default_textures",
        "default_framebuffer",
        "default_read_framebuffer",
        "name",
        "log",
        "reflection",
        "slots",
        "samplers",
        "executable",
    }
)
_NAMED: Final = (
    objects.Buffer,
    objects.Texture,
    objects.Sampler,
    objects.Renderbuffer,
    objects.VertexArray,
    objects.Framebuffer,
    objects.Query,
    objects.TransformFeedback,
    objects.ProgramObject,
    objects.Shader,
    objects.Drawable,
)
#: Integers below are numbers rather than enums.
_SMALL: Final = 0x100


def state_of(tracker: Tracker) -> dict[str, str]:
    """Everything that the contexts of a tracker hold, by where it is.

    Values are texts: numbers, names of enums and of objects, and hashes of contents. What has its default value in
    every program (unbound texture units) is left out.
    """
    found: dict[str, str] = {}
    groups = set()
    for number, context in sorted(tracker.contexts.items()):
        found.update(_fields(f"context {number}", context))
        if id(context.group) not in groups:
            groups.add(id(context.group))
            for field in dataclasses.fields(context.group):
                space = getattr(context.group, field.name)
                if isinstance(space, Namespace):
                    found.update(_objects(f"context {number}", space))
    for thread, current in sorted(tracker.current.items()):
        found[f"thread {thread}"] = f"context {current.name}"
    return found


def _objects(where: str, space: Namespace[Any]) -> Iterator[tuple[str, str]]:
    for name, thing in sorted(space.objects.items()):
        if thing is not None and name:
            path = f"{where}, {_label(thing)}"
            yield path, "exists"
            yield from _fields(path, thing)


def _label(thing: Any) -> str:
    kind = type(thing).__name__.removesuffix("Object").lower()
    return f"{kind} {thing.name}" if thing.name else "none"


def _fields(where: str, thing: Any) -> Iterator[tuple[str, str]]:
    names = [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else thing.__slots__
    for name in names:
        if name in _HIDDEN:
            continue
        value = getattr(thing, name)
        if isinstance(value, Namespace):
            yield from _objects(where, value)
        else:
            yield from _value(f"{where}: {name}", value)
    executable = getattr(thing, "executable", None)
    if executable is not None:
        yield f"{where}: uniforms", _digest(executable.constants)
        yield from _value(f"{where}: block bindings", executable.block_bindings)


def _value(where: str, value: Any) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if isinstance(value, _NAMED):
        if value.name:
            yield where, _label(value)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        yield where, _digest(value)
    elif isinstance(value, Context):
        yield where, f"context {value.name}"
    elif dataclasses.is_dataclass(value):
        yield from _fields(where, value)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _value(f"{where} {_plain(key)}", entry)
    elif isinstance(value, (set, frozenset)):
        yield where, ", ".join(sorted(_plain(entry) for entry in value))
    elif isinstance(value, (list, tuple)) and any(dataclasses.is_dataclass(entry) for entry in value):
        for place, entry in enumerate(value):
            yield from _value(f"{where} {place}", entry)
    else:
        yield where, _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= _SMALL:
        return enum_name(value) or str(value)
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(_plain, value))})"
    return repr(value) if isinstance(value, (str, float)) else str(value)


def _digest(content: bytes | bytearray | memoryview) -> str:
    return f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()[:16]}"
