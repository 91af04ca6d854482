"""The effect of one call in the making, and what the modules of effects share."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from traceformat.calls import integer
from traceformat.gles import enums as gl
from traceformat.gles.objects import Buffer
from traceformat.gles.state import Context
from traceformat.tools.trim.keys import Effect, Keys, identity

__all__ = ["Collector", "EffectsBase", "Key"]

Key = tuple[Hashable, ...]

#: Objects of a context rather than of its share group.
_CONTAINERS: Final = frozenset({"vertex array", "framebuffer", "query", "transform feedback", "program pipeline"})


class Collector:
    """Effect of one call in the making."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self.kills: list[int] = []
        self.updates: list[int] = []
        self.reads: list[int] = []
        self.groups: list[int] = []
        self.writes: list[tuple[int, int, int]] = []
        self.buffers: list[int] = []
        self.shows: list[int] = []

    def show(self, group: Key, *key: Hashable) -> None:
        """It draws into a framebuffer that holds this resource."""
        self.shows.append(self._keys.member(group, key))

    def kill(self, group: Key, *key: Hashable) -> None:
        """It sets a resource, whatever it was."""
        self.kills.append(self._keys.member(group, key))

    def update(self, group: Key, *key: Hashable) -> None:
        """It changes a resource, depending on what it was."""
        self.updates.append(self._keys.member(group, key))

    def read(self, group: Key, *key: Hashable) -> None:
        """It needs a resource."""
        self.reads.append(self._keys.member(group, key))

    def need(self, group: Key) -> None:
        """It needs all resources of a group."""
        self.groups.append(self._keys.group(group))

    def write(self, buffer: Key, first: int, end: int) -> None:
        """It sets a range of bytes of a buffer."""
        self.writes.append((self._keys.content(buffer), first, end))

    def need_bytes(self, buffer: Key) -> None:
        """It needs the content of a buffer."""
        self.need(buffer)
        self.buffers.append(self._keys.content(buffer))

    def effect(self) -> Effect:
        """The effect as it stands."""
        return Effect(
            tuple(self.kills),
            tuple(self.updates),
            tuple(dict.fromkeys(self.reads)),
            tuple(dict.fromkeys(self.groups)),
            tuple(self.writes),
            tuple(dict.fromkeys(self.buffers)),
            tuple(self.shows),
        )


class EffectsBase:
    """What every family of calls needs: names, and buffers that are bound."""

    def __init__(self) -> None:
        #: Questions that programs have asked about their locations.
        self._learned: set[Key] = set()
        #: Query that was begun last, by context and target.
        self._begun: dict[tuple[int, object], Key] = {}

    @staticmethod
    def _space(context: Context, kind: str) -> Key:
        kind = "program" if kind == "shader" else kind
        return (kind, "of", context.name) if kind in _CONTAINERS else (kind, "in", context.group.serial)

    def _made(self, found: Collector, context: Context, kind: str, name: object) -> None:
        """A bind makes an object that was only a name."""
        if name:
            found.kill((*self._space(context, kind), integer(name), "made"), "made")

    def _bound(self, found: Collector, context: Context, target: int) -> Buffer | None:
        """Buffer bound to a target, whose binding is read."""
        ctx = ("context", context.name)
        if target == gl.GL_ELEMENT_ARRAY_BUFFER:
            found.read(ctx, "vertex array")
            found.read(identity(context, context.vertex_array), "elements")
            return context.vertex_array.element_buffer
        found.read(ctx, "buffer", target)
        return context.buffers.get(target)
