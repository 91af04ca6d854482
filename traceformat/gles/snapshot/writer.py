"""Where the calls of a snapshot are collected."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from traceformat.calls import Call, CallFlags, Value
from traceformat.gles import enums as gl
from traceformat.gles.objects import Buffer, Image, Renderbuffer, Sampler, Texture

__all__ = ["ImageContents", "SnapshotWriter", "packed_floats", "packed_ints"]

#: Gives the contents of an image as ``traceContents`` holds them; None for an image that is as it was made.
ImageContents = Callable[[Image], bytes | None]


def packed_ints(values: Sequence[int]) -> bytes:
    """32-bit integers as a call's content."""
    return struct.pack(f"<{len(values)}I", *(value & 0xFFFFFFFF for value in values))


def packed_floats(values: Sequence[float]) -> bytes:
    """32-bit floats as a call's content."""
    return struct.pack(f"<{len(values)}f", *values)


class SnapshotWriter:
    """Collects calls of one thread and context.

    Parameters
    ----------
    contents : gives what images hold

    Attributes
    ----------
    calls : so far, numbered from 0
    thread, context : of the calls to come
    """

    def __init__(self, contents: ImageContents) -> None:
        self.contents = contents
        self.calls: list[Call] = []
        self.thread = 1
        self.context = 0
        #: Names of objects that the program has deleted, but something still holds, by identity.
        self._orphans: dict[int, int] = {}

    def emit(self, name: str, *args: Value, outputs: dict[str, Value] | None = None, result: Value = None) -> None:
        """Add a call."""
        self.calls.append(
            Call(len(self.calls), name, self.thread, self.context, CallFlags.SYNTHETIC, args, outputs or {}, result)
        )

    def generate(self, function: str, parameter: str, names: Sequence[int]) -> None:
        """Add a glGen* that gives these names."""
        if names:
            self.emit(function, len(names), None, outputs={parameter: packed_ints(names)})

    def label(self, kind: int, name: int, text: str) -> None:
        """Add an object's label, if it has one."""
        if text:
            self.emit("glObjectLabel", kind, name, -1, text)

    def image(self, kind: int, name: int, face: int, level: int, image: Image | None) -> None:
        """Add what an image holds."""
        data = self.contents(image) if image is not None else None
        if data is not None:
            self.emit("traceContents", kind, name, face, level, data)

    def adopt(self, found: Buffer | Texture | Renderbuffer | Sampler, name: int) -> None:
        """Give an object without a name one for the time of the snapshot."""
        self._orphans[id(found)] = name

    def name_of(self, found: Buffer | Texture | Renderbuffer | Sampler | None) -> int:
        """Name by which the snapshot's calls know an object; 0 for none."""
        if found is None:
            return 0
        return self._orphans.get(id(found), found.name)

    def enable(self, capability: int, is_on: bool) -> None:
        """Add glEnable or glDisable."""
        self.emit("glEnable" if is_on else "glDisable", capability)

    def bind_framebuffer(self, name: int) -> None:
        """Bind a framebuffer for drawing and reading."""
        self.emit("glBindFramebuffer", gl.GL_FRAMEBUFFER, name)
