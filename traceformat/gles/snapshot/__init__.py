"""State snapshots: calls that bring a new tracker into the state of another one.

A snapshot stands in front of a range of frames that is to replay alone (``gpucapture run --frames A-B``, ``gputrace
trim``). It consists of ordinary GL calls, flagged SYNTHETIC, that make every object under the name that the program
knows it by and set every piece of state, and of ``traceContents`` for what images and queries hold.

What it does not restore: transform feedback in progress (an error says so), and what a query in progress has counted so
far.
"""

from __future__ import annotations

from collections.abc import Sequence

from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gles.objects import Drawable
from traceformat.gles.snapshot.containers import write_containers
from traceformat.gles.snapshot.objects import Orphans, write_default_textures, write_shared
from traceformat.gles.snapshot.programs import write_programs
from traceformat.gles.snapshot.state import write_bindings, write_state
from traceformat.gles.snapshot.writer import ImageContents, SnapshotWriter, packed_ints
from traceformat.gles.state import Context
from traceformat.gles.tracker import Tracker

__all__ = ["ImageContents", "snapshot_calls"]


def snapshot_calls(tracker: Tracker, contents: ImageContents | None = None) -> list[Call]:
    """Write the state of a tracker as calls.

    Parameters
    ----------
    tracker : in the state to write; not changed
    contents : gives what an image holds; by default ``tracker.backend.image_contents``

    Returns
    -------
    calls, numbered from 0, for a tracker with ``remap=True``; the next call of any thread can follow right behind

    Raises
    ------
    ReplayError : transform feedback is in progress, or conditional rendering whose query has changed since
    UnsupportedCallError : a texture of a target that cannot be defined by calls
    """
    writer = SnapshotWriter(contents if contents is not None else tracker.backend.image_contents)
    # A context that the program has destroyed lives on while it is current; it has its number no more.
    contexts = {context.name: context for context in tracker.current.values() if context.name not in tracker.contexts}
    contexts |= tracker.contexts
    ordered = [contexts[name] for name in sorted(contexts)]
    groups: dict[int, list[Context]] = {}
    for context in ordered:
        mates = groups.setdefault(context.group.serial, [])
        _write_context(writer, context, mates[0].name if mates else 0)
        mates.append(context)
    for number in sorted(tracker.drawables):
        drawable = tracker.drawables[number]
        writer.emit("traceDrawable", number, drawable.width, drawable.height, drawable.kind)
    for mates in groups.values():
        _write_group(writer, mates, max(contexts, default=0) + 1)
    # Planes get their storage when a context is made current, so what they hold can be written only now.
    _write_planes(writer, tracker, ordered)
    for thread in sorted(tracker.current):
        context = tracker.current[thread]
        writer.thread = thread
        _make_current(writer, context)
        if context.name not in tracker.contexts:
            writer.emit("traceDestroyContext", context.name)
    return writer.calls


def _write_context(writer: SnapshotWriter, context: Context, share: int) -> None:
    config = context.config
    bits = (config.red_bits, config.green_bits, config.blue_bits, config.alpha_bits)
    version = (config.api, config.major, config.minor, config.profile)
    planes = (config.depth_bits, config.stencil_bits, config.samples)
    writer.emit("traceContext", context.name, *version, *bits, *planes, share)


def _number(drawable: Drawable | None) -> int:
    return drawable.name if drawable is not None else 0


def _make_current(writer: SnapshotWriter, context: Context) -> None:
    writer.emit("traceMakeCurrent", context.name, _number(context.draw_drawable), _number(context.read_drawable))
    writer.context = context.name


def _release(writer: SnapshotWriter) -> None:
    writer.context = 0
    writer.emit("traceMakeCurrent", 0, 0, 0)


def _write_group(writer: SnapshotWriter, mates: Sequence[Context], spare: int) -> None:
    """Write the contexts of a share group; ``spare`` is a number that no context has."""
    used = [context for context in mates if context.was_current]
    orphans = Orphans(used)
    for position, context in enumerate(used):
        _make_current(writer, context)
        if position == 0:
            write_shared(writer, context, orphans)
            write_programs(writer, context)
        write_default_textures(writer, context)
        write_containers(writer, context)
        write_state(writer, context)
        write_bindings(writer, context)
    if not used:
        return
    _release(writer)
    if orphans:
        _delete_again(writer, used[0], spare, orphans)


def _delete_again(writer: SnapshotWriter, mate: Context, spare: int, orphans: Orphans) -> None:
    """Delete what the program had deleted, in a context of its own, where nothing of it is bound."""
    config = mate.config
    version = (config.api, config.major, config.minor, config.profile)
    writer.emit("traceContext", spare, *version, 0, 0, 0, 0, 0, 0, 0, mate.name)
    writer.emit("traceMakeCurrent", spare, 0, 0)
    writer.context = spare
    for function, found in (
        ("glDeleteBuffers", orphans.buffers),
        ("glDeleteTextures", orphans.textures),
        ("glDeleteSamplers", orphans.samplers),
        ("glDeleteRenderbuffers", orphans.renderbuffers),
    ):
        names = [writer.name_of(each) for each in found]
        if names:
            writer.emit(function, len(names), packed_ints(names))
    _release(writer)
    writer.emit("traceDestroyContext", spare)


def _write_planes(writer: SnapshotWriter, tracker: Tracker, contexts: Sequence[Context]) -> None:
    used = [context for context in contexts if context.was_current]
    for number in sorted(tracker.drawables):
        drawable = tracker.drawables[number]
        if drawable.color is None and drawable.depth is None:
            continue
        holders = [context for context in used if drawable in (context.draw_drawable, context.read_drawable)]
        if not used:
            return
        writer.emit("traceMakeCurrent", (holders or used)[0].name, number, number)
        writer.context = (holders or used)[0].name
        writer.image(gl.GL_COLOR, number, 0, 0, drawable.color)
        writer.image(gl.GL_DEPTH, number, 0, 0, drawable.depth)
        if drawable.stencil is not drawable.depth:
            writer.image(gl.GL_STENCIL, number, 0, 0, drawable.stencil)
        _release(writer)
