"""Buffer textures: arrays of texels that lie in a buffer object (ES 3.2 §8.9, GL 3.1 §3.8.5)."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.objects import BufferTexels, Texture
from traceformat.gles.state import Changes, Context
from traceformat.gles.textures import bound_texture

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: Formats of ES 3.2 table 8.18; desktop GL has normalized ones of 16 bits, too.
_GLES_FORMATS: Final = frozenset(
    getattr(gl, f"GL_{name}")
    for name in (
        *("R8", "R16F", "R32F", "R8I", "R16I", "R32I", "R8UI", "R16UI", "R32UI"),
        *("RG8", "RG16F", "RG32F", "RG8I", "RG16I", "RG32I", "RG8UI", "RG16UI", "RG32UI", "RGB32F", "RGB32I"),
        *("RGB32UI", "RGBA8", "RGBA16F", "RGBA32F", "RGBA8I", "RGBA16I", "RGBA32I", "RGBA8UI", "RGBA16UI", "RGBA32UI"),
    )
)
_DESKTOP_FORMATS: Final = _GLES_FORMATS | {gl.GL_R16, gl.GL_RG16, gl.GL_RGBA16}


def _attach(
    tracker: Tracker, context: Context, target: int, internal: int, name: int, place: tuple[int, int] | None
) -> None:
    """Attach a buffer, or the (offset, size) of it that is given, to the buffer texture of the active unit."""
    if target != gl.GL_TEXTURE_BUFFER:
        raise invalid_enum(f"target {target:#x}")
    texture = bound_texture(context, target)
    if internal not in (_GLES_FORMATS if context.is_gles else _DESKTOP_FORMATS):
        raise invalid_enum(f"internal format {internal:#x} is none of buffer textures")
    texels = None
    if name:
        buffer = context.group.buffers.get(name)
        if buffer is None:
            raise invalid_operation(f"{name} is no buffer")
        offset, size = place or (0, 0)
        if place is not None:
            if offset < 0 or size <= 0 or offset + size > len(buffer.store):
                raise invalid_value(f"{size} bytes at {offset} of a buffer of {len(buffer.store)}")
            if offset % context.limits.texture_buffer_offset_alignment:
                raise invalid_value(f"offset {offset} is not aligned")
        texels = BufferTexels(buffer, internal, offset, size)
    _set(tracker, texture, texels)


def _set(tracker: Tracker, texture: Texture, texels: BufferTexels | None) -> None:
    texture.texels = texels
    texture.version += 1
    texture.state_version += 1
    tracker.epoch += 1


@handles("glTexBuffer", touches=Changes.IMAGES)
def tex_buffer(tracker: Tracker, context: Context, target: int, internal: int, name: int) -> None:
    _attach(tracker, context, target, internal, name, None)


@handles("glTexBufferRange", touches=Changes.IMAGES)
def tex_buffer_range(
    tracker: Tracker, context: Context, target: int, internal: int, name: int, offset: int, size: int
) -> None:
    _attach(tracker, context, target, internal, name, (offset, size))
