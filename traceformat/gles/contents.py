"""``traceContents``: what an image or a query holds, put back by a state snapshot.

GL itself can neither upload every format (multisampled images, stencil, RGB16F in OpenGL ES) nor tell what a query has
counted, so a snapshot (:mod:`traceformat.gles.snapshot`) restores contents by this trace command, bit by bit. What is
not restored so is what the call that gave the storage leaves there.
"""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles
from traceformat.gles.objects import Image
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_PLANES = {gl.GL_COLOR: "color", gl.GL_DEPTH: "depth", gl.GL_STENCIL: "stencil"}


def _image(tracker: Tracker, context: Context, kind: int, name: int, face: int, level: int) -> Image | None:
    """Image that is meant.

    ``kind`` is a texture target (with a texture's name, or 0 for the context's default texture), GL_RENDERBUFFER, or
    the plane of drawable ``name``.
    """
    if kind in _PLANES:
        drawable = tracker.drawables.get(name)
        image: Image | None = getattr(drawable, _PLANES[kind]) if drawable is not None else None
        return image
    if kind == gl.GL_RENDERBUFFER:
        renderbuffer = context.group.renderbuffers.get(name)
        return renderbuffer.image if renderbuffer is not None else None
    texture = context.group.textures.get(name) if name else context.default_textures.get(kind)
    if texture is None or texture.target != kind:
        return None
    texture.version += 1
    return texture.images.get((face, level))


@handles("traceContents")
def contents(
    tracker: Tracker, context: Context | None, kind: int, name: int, face: int, level: int, data: object
) -> None:
    if context is None or not isinstance(data, bytes):
        raise ReplayError("contents without a context, or without data")
    if kind == gl.GL_QUERY:
        query = context.queries.get(name)
        if query is None or len(data) != 8:
            raise ReplayError(f"contents of query {name}, which does not exist")
        query.result = struct.unpack("<Q", data)[0]
        return
    image = _image(tracker, context, kind, name, face, level)
    if image is None:
        raise ReplayError(f"contents of an image of object {name} ({kind:#x}), which does not exist")
    tracker.backend.restore_image(context, image, data)
