"""The state of a tracker as plain values, to compare two trackers by."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

from traceformat.gles import objects
from traceformat.gles.state import Context, Namespace
from traceformat.gles.tracker import Tracker

#: What counts events or caches answers, and so is no state that a program could see.
SKIPPED = {
    "backing",
    "before_write",
    "call_number",
    "changed",
    "changes",
    "combinations",
    "checked_epoch",
    "client",
    "definitions",
    "frame",
    "group",
    "inputs",
    "is_gles",
    "known_enabled",
    "limits",
    "link_count",
    "locations",
    "primitive_mode",
    "queried",
    "recorded_blocks",
    "sampler_conflict",
    "serial",
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
    "binary_retrievable",
    "validated",
    "proxies",
}
_NAMED = (
    objects.Buffer,
    objects.Texture,
    objects.Sampler,
    objects.Renderbuffer,
    objects.VertexArray,
    objects.Framebuffer,
    objects.Query,
    objects.TransformFeedback,
    objects.Pipeline,
    objects.ProgramObject,
    objects.Shader,
)


def _plain(tracker: Tracker, value: Any, *, whole: bool = False) -> Any:
    if isinstance(value, _NAMED) and not whole and value.name and not value.deleted:
        return f"{type(value).__name__} {value.name}"
    if isinstance(value, _NAMED) and not whole and value.deleted:
        # Nobody can name it any more; what it is still counts.
        return {**_plain(tracker, value, whole=True), "name": "deleted"}
    if isinstance(value, objects.Drawable):
        return f"Drawable {value.name}"
    if isinstance(value, objects.Image):
        return _fields(tracker, value) | {"contents": tracker.backend.image_contents(value)}
    if isinstance(value, Namespace):
        return {name: _plain(tracker, item, whole=True) for name, item in sorted(value.objects.items()) if item}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(tracker, value)
    if isinstance(value, dict):
        return {key: _plain(tracker, item) for key, item in sorted(value.items()) if item is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(tracker, item) for item in value]
    if isinstance(value, (bytes, bytearray)) and len(value) > 64:
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, bytearray):
        return bytes(value)
    return value


def _fields(tracker: Tracker, value: Any) -> dict[str, Any]:
    return {
        field.name: _plain(tracker, getattr(value, field.name))
        for field in dataclasses.fields(value)
        if field.name not in SKIPPED
    }


def _context(tracker: Tracker, context: Context) -> dict[str, Any]:
    found = {name: _plain(tracker, getattr(context, name)) for name in Context.__slots__ if name not in SKIPPED}
    found["group"] = _fields(tracker, context.group)
    found["default framebuffers"] = [
        _plain(tracker, framebuffer, whole=True)
        for framebuffer in (context.default_framebuffer, context.default_read_framebuffer)
    ]
    return found


def state_of(tracker: Tracker) -> dict[str, Any]:
    """Everything that a program can see of a tracker's state, as nested dictionaries of plain values."""
    return {
        "contexts": {name: _context(tracker, context) for name, context in sorted(tracker.contexts.items())},
        "drawables": {name: _fields(tracker, drawable) for name, drawable in sorted(tracker.drawables.items())},
        "current": {thread: context.name for thread, context in sorted(tracker.current.items())},
        "locations": {
            (name, program): {
                location: (place[0].uniform.name, place[1]) if place else None
                for location, place in sorted(found.executable.locations.items())
                if location in found.executable.queried
            }
            for name, context in sorted(tracker.contexts.items())
            for program, found in sorted(context.group.programs.objects.items())
            if isinstance(found, objects.ProgramObject) and found.executable is not None
        },
    }


def differences(left: Any, right: Any, path: str = "") -> list[str]:
    """Where two states differ, each place as one line."""
    if isinstance(left, dict) and isinstance(right, dict):
        found = []
        for key in [*left, *(key for key in right if key not in left)]:
            if key not in left or key not in right:
                found.append(f"{path}/{key}: only {'left' if key in left else 'right'}")
            else:
                found += differences(left[key], right[key], f"{path}/{key}")
        return found
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [
            line for k, pair in enumerate(zip(left, right, strict=True)) for line in differences(*pair, f"{path}[{k}]")
        ]
    return [] if left == right else [f"{path}: {str(left)[:80]} != {str(right)[:80]}"]
