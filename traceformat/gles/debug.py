"""KHR_debug, EXT_debug_marker and EXT_debug_label: groups, messages, labels."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import GLError, handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.objects import ProgramObject, Shader
from traceformat.gles.state import Changes, Context, DebugGroup
from traceformat.gles.values import ints_out, text_out

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_SOURCES = frozenset({gl.GL_DEBUG_SOURCE_APPLICATION, gl.GL_DEBUG_SOURCE_THIRD_PARTY})
_TYPES = frozenset(
    {
        gl.GL_DEBUG_TYPE_ERROR,
        gl.GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR,
        gl.GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR,
        gl.GL_DEBUG_TYPE_PORTABILITY,
        gl.GL_DEBUG_TYPE_PERFORMANCE,
        gl.GL_DEBUG_TYPE_OTHER,
        gl.GL_DEBUG_TYPE_MARKER,
        gl.GL_DEBUG_TYPE_PUSH_GROUP,
        gl.GL_DEBUG_TYPE_POP_GROUP,
    }
)
_SEVERITIES = frozenset(
    {
        gl.GL_DEBUG_SEVERITY_HIGH,
        gl.GL_DEBUG_SEVERITY_MEDIUM,
        gl.GL_DEBUG_SEVERITY_LOW,
        gl.GL_DEBUG_SEVERITY_NOTIFICATION,
    }
)


def _counted(text: str | None, length: int, *, zero_terminated: bool) -> str:
    """Text of ``length`` bytes; all of it where the length says that it ends with a NUL."""
    text = text or ""
    if zero_terminated:
        return text
    return text.encode("utf-8", "surrogateescape")[:length].decode("utf-8", "surrogateescape")


@handles("glPushDebugGroup", touches=Changes.VERTEX)
def push_debug_group(
    tracker: Tracker, context: Context, source: int, id: int, length: int, message: str | None
) -> None:
    if source not in _SOURCES:
        raise invalid_enum(f"source {source:#x}")
    text = _counted(message, length, zero_terminated=length < 0)
    if len(text.encode("utf-8", "surrogateescape")) >= context.limits.max_debug_message_length:
        raise invalid_value("the message is too long")
    if len(context.debug_groups) >= context.limits.max_debug_group_stack_depth - 1:
        raise GLError(gl.GL_STACK_OVERFLOW, "too many debug groups")
    context.debug_groups.append(DebugGroup(source, id, text))


@handles("glPopDebugGroup", touches=Changes.VERTEX)
def pop_debug_group(tracker: Tracker, context: Context) -> None:
    if not context.debug_groups:
        raise GLError(gl.GL_STACK_UNDERFLOW, "no debug group is open")
    context.debug_groups.pop()


@handles("glPushGroupMarkerEXT", touches=Changes.VERTEX)
def push_group_marker(tracker: Tracker, context: Context, length: int, marker: str | None) -> None:
    """Open a group, on the same stack as those of KHR_debug."""
    if length < 0:
        raise invalid_value(f"length {length}")
    if len(context.debug_groups) >= context.limits.max_debug_group_stack_depth - 1:
        raise GLError(gl.GL_STACK_OVERFLOW, "too many group markers")
    text = _counted(marker, length, zero_terminated=length == 0)
    context.debug_groups.append(DebugGroup(gl.GL_DEBUG_SOURCE_APPLICATION, 0, text, marker=True))


@handles("glPopGroupMarkerEXT", touches=Changes.VERTEX)
def pop_group_marker(tracker: Tracker, context: Context) -> None:
    if context.debug_groups:
        context.debug_groups.pop()


@handles("glInsertEventMarkerEXT", "glStringMarkerGREMEDY", touches=Changes.VERTEX)
def insert_event_marker(tracker: Tracker, context: Context, length: int, marker: object) -> None:
    """An event between two calls changes no state."""


@handles("glDebugMessageInsert", touches=Changes.VERTEX)
def debug_message_insert(
    tracker: Tracker, context: Context, source: int, type: int, id: int, severity: int, length: int, message: str | None
) -> None:
    if source not in _SOURCES or type not in _TYPES or severity not in _SEVERITIES:
        raise invalid_enum(f"source {source:#x}, type {type:#x} or severity {severity:#x}")
    text = _counted(message, length, zero_terminated=length < 0)
    if len(text.encode("utf-8", "surrogateescape")) >= context.limits.max_debug_message_length:
        raise invalid_value("the message is too long")
    if gl.GL_DEBUG_OUTPUT in context.enabled and len(context.debug_messages) < context.limits.max_debug_logged_messages:
        context.debug_messages.append((source, type, id, severity, text))


@handles("glGetDebugMessageLog", touches=Changes.VERTEX)
def get_debug_message_log(tracker: Tracker, context: Context, count: int, size: int, *pointers: object) -> int:
    if size < 0 and count:
        raise invalid_value(f"buffer size {size}")
    taken: list[tuple[int, int, int, int, str]] = []
    log = b""
    for entry in context.debug_messages[:count]:
        text = entry[4].encode("utf-8", "surrogateescape") + b"\0"
        if len(log) + len(text) > size:
            break
        taken.append(entry)
        log += text
    del context.debug_messages[: len(taken)]
    tracker.outputs["sources"] = ints_out([entry[0] for entry in taken])
    tracker.outputs["types"] = ints_out([entry[1] for entry in taken])
    tracker.outputs["ids"] = ints_out([entry[2] for entry in taken])
    tracker.outputs["severities"] = ints_out([entry[3] for entry in taken])
    lengths = [len(entry[4].encode("utf-8", "surrogateescape")) + 1 for entry in taken]
    tracker.outputs["lengths"] = ints_out(lengths)
    tracker.outputs["messageLog"] = log
    return len(taken)


@handles("glDebugMessageControl", "glDebugMessageCallback", touches=Changes.VERTEX)
def ignore(tracker: Tracker, context: Context, *_: object) -> None:
    """Messages of ours are never sent, so that there is nothing to filter or to call."""


def _labelled(context: Context, kind: int, name: int) -> Any:
    """Object that a label belongs to; None if it does not exist."""
    if kind in (gl.GL_SHADER, gl.GL_SHADER_OBJECT_EXT):
        found = context.group.programs.get(name)
        return found if isinstance(found, Shader) else None
    if kind in (gl.GL_PROGRAM, gl.GL_PROGRAM_OBJECT_EXT):
        found = context.group.programs.get(name)
        return found if isinstance(found, ProgramObject) else None
    spaces: Mapping[int, Any] = {
        gl.GL_BUFFER: context.group.buffers,
        gl.GL_BUFFER_OBJECT_EXT: context.group.buffers,
        gl.GL_TEXTURE: context.group.textures,
        gl.GL_SAMPLER: context.group.samplers,
        gl.GL_RENDERBUFFER: context.group.renderbuffers,
        gl.GL_FRAMEBUFFER: context.framebuffers,
        gl.GL_VERTEX_ARRAY: context.vertex_arrays,
        gl.GL_VERTEX_ARRAY_OBJECT_EXT: context.vertex_arrays,
        gl.GL_QUERY: context.queries,
        gl.GL_QUERY_OBJECT_EXT: context.queries,
        gl.GL_TRANSFORM_FEEDBACK: context.transform_feedbacks,
        gl.GL_PROGRAM_PIPELINE: context.pipelines,
        gl.GL_SYNC_OBJECT_APPLE: context.group.syncs,
    }
    if kind not in spaces:
        raise invalid_enum(f"identifier {kind:#x}")
    return spaces[kind].get(name)


def _existing(context: Context, kind: int, name: int) -> Any:
    found = _labelled(context, kind, name)
    if found is None:
        raise invalid_value(f"object {name} does not exist")
    return found


@handles("glObjectLabel", touches=Changes.VERTEX)
def object_label(tracker: Tracker, context: Context, kind: int, name: int, length: int, label: str | None) -> None:
    found = _existing(context, kind, name)
    text = _counted(label, length, zero_terminated=length < 0)
    if len(text.encode("utf-8", "surrogateescape")) >= context.limits.max_label_length:
        raise invalid_value("the label is too long")
    found.label = text


@handles("glLabelObjectEXT", touches=Changes.VERTEX)
def label_object(tracker: Tracker, context: Context, kind: int, name: int, length: int, label: str | None) -> None:
    found = _labelled(context, kind, name)
    if found is None:
        raise invalid_operation(f"object {name} does not exist")
    if length < 0:
        raise invalid_value(f"length {length}")
    found.label = _counted(label, length, zero_terminated=length == 0)


def _label_answer(tracker: Tracker, text: str, size: int) -> None:
    if size < 0:
        raise invalid_value(f"buffer size {size}")
    content, length = text_out(text, size)
    tracker.outputs["length"] = ints_out([length if size else len(text.encode("utf-8", "surrogateescape"))])
    tracker.outputs["label"] = content


@handles("glGetObjectLabel", "glGetObjectLabelEXT", touches=Changes.VERTEX)
def get_object_label(tracker: Tracker, context: Context, kind: int, name: int, size: int, *_: object) -> None:
    _label_answer(tracker, _existing(context, kind, name).label, size)


@handles("glObjectPtrLabel", touches=Changes.VERTEX)
def object_ptr_label(tracker: Tracker, context: Context, name: int | None, length: int, label: str | None) -> None:
    sync = context.group.syncs.get(name or 0)
    if sync is None:
        raise invalid_value(f"sync {name} does not exist")
    sync.label = _counted(label, length, zero_terminated=length < 0)


@handles("glGetObjectPtrLabel", touches=Changes.VERTEX)
def get_object_ptr_label(tracker: Tracker, context: Context, name: int | None, size: int, *_: object) -> None:
    sync = context.group.syncs.get(name or 0)
    if sync is None:
        raise invalid_value(f"sync {name} does not exist")
    _label_answer(tracker, sync.label, size)


@handles("glGetPointerv", touches=Changes.VERTEX)
def get_pointer(tracker: Tracker, context: Context, pname: int, _: object) -> None:
    if pname not in (gl.GL_DEBUG_CALLBACK_FUNCTION, gl.GL_DEBUG_CALLBACK_USER_PARAM):
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = bytes(8)
