"""Resources that calls read and write, as numbers; and what one call does to them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from traceformat.gles import enums as gl
from traceformat.gles.objects import (
    Buffer,
    Framebuffer,
    Pipeline,
    ProgramObject,
    Query,
    Renderbuffer,
    Sampler,
    Shader,
    Texture,
    TransformFeedback,
    VertexArray,
)
from traceformat.gles.state import Context

__all__ = ["LABELLED_KINDS", "OBJECTS", "OBJECT_KINDS", "WHOLE", "Effect", "Keys", "identity"]

#: End of a range of bytes that reaches to the end of a buffer, whatever its size.
WHOLE = 1 << 62

_SHARED = {Buffer: "buffer", Texture: "texture", Sampler: "sampler", Renderbuffer: "renderbuffer"}
_OWN = {
    VertexArray: "vertex array",
    Framebuffer: "framebuffer",
    Query: "query",
    TransformFeedback: "transform feedback",
    Pipeline: "program pipeline",
}

#: Kinds of objects that have a key.
OBJECTS = (*_SHARED, *_OWN, Shader, ProgramObject)
#: First words of the keys of objects; names of objects begin with the same words, and "in" or "of".
OBJECT_KINDS = frozenset({*_SHARED.values(), *_OWN.values(), "program"})

#: Kinds of objects by the identifier that glObjectLabel takes.
LABELLED_KINDS: Final[Mapping[int, str]] = {
    gl.GL_BUFFER: "buffer",
    gl.GL_SHADER: "shader",
    gl.GL_PROGRAM: "program",
    gl.GL_QUERY: "query",
    gl.GL_SAMPLER: "sampler",
    gl.GL_VERTEX_ARRAY: "vertex array",
    gl.GL_TEXTURE: "texture",
    gl.GL_RENDERBUFFER: "renderbuffer",
    gl.GL_FRAMEBUFFER: "framebuffer",
    gl.GL_TRANSFORM_FEEDBACK: "transform feedback",
    gl.GL_PROGRAM_PIPELINE: "program pipeline",
}


def identity(context: Context, thing: object) -> tuple[Hashable, ...]:
    """Tell an object from every other one of the trace, also from those that have its name before or after it."""
    kind = type(thing)
    serial = getattr(thing, "serial", 0)
    if kind in _SHARED:
        if isinstance(thing, Texture) and not thing.name:
            return "texture 0", context.name, thing.target
        return _SHARED[kind], context.group.serial, serial
    if isinstance(thing, (Shader, ProgramObject)):
        return "program", context.group.serial, serial
    if isinstance(thing, Framebuffer) and not thing.name:
        return "framebuffer 0", context.name, thing is context.default_framebuffer
    return _OWN[kind], context.name, serial


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call does.

    Parameters
    ----------
    kills : resources that it sets, whatever they were
    updates : resources that it changes, depending on what they were
    reads : resources that it needs
    groups : groups of resources (see :class:`Keys`) that it needs
    writes : (buffer, first byte, end) that it sets in buffers
    buffers : buffers whose content it needs
    shows : contents of the framebuffer that it draws into, whether or not it changes them
    """

    kills: tuple[int, ...] = ()
    updates: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    writes: tuple[tuple[int, int, int], ...] = ()
    buffers: tuple[int, ...] = ()
    shows: tuple[int, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything is different after the call."""
        return bool(self.kills or self.updates or self.writes)

    def failed(self) -> Effect:
        """The effect of the call where it fails: it changes nothing, for a reason that lies in what it reads."""
        return replace(self, kills=(), updates=(), writes=())


class Keys:
    """Numbers resources, and collects those that are read together: a context's state, a texture's levels.

    Attributes
    ----------
    owners : the group that each resource belongs to, by the resource's number
    buffers : numbers of the contents of buffers that were read or written in part, with the buffer's key
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._members: dict[int, set[int]] = {}
        self._known: dict[tuple[Hashable, Hashable], int] = {}
        self.owners: dict[int, tuple[Hashable, ...]] = {}
        self.buffers: dict[int, tuple[Hashable, ...]] = {}

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def member(self, owner: tuple[Hashable, ...], key: tuple[Hashable, ...]) -> int:
        """Number of a resource that belongs to a group."""
        number = self._known.get((owner, key))
        if number is None:
            number = self._known[owner, key] = self._number((*owner, *key))
            self.owners[number] = owner
            self._members.setdefault(self.group(owner), set()).add(number)
        return number

    def content(self, buffer: tuple[Hashable, ...]) -> int:
        """Number of a buffer's bytes, which are read and written in ranges."""
        number = self._number((*buffer, "bytes"))
        self.buffers[number] = buffer
        return number

    def group(self, group: tuple[Hashable, ...]) -> int:
        """Number of a group."""
        return self._number(("group", *group))

    def members(self, group: int) -> set[int]:
        """Resources of a group: all that the trace has ever set."""
        return self._members.get(group, set())
