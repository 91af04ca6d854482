"""Framebuffer completeness (ES 3.0.6 §4.4.4, ES 2.0.25 §4.4.5, desktop GL 3.3 §4.4.4).

Draw and read buffers without an image are no matter, as of GL 4.1 and in Mesa in all versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import GLError
from traceformat.gles.formats import FORMATS
from traceformat.gles.objects import Attachment, Framebuffer
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

__all__ = ["framebuffer_status", "require_complete"]


def _is_attachable(context: Context, attachment: Attachment, point: str) -> bool:
    """Whether an attachment is complete: its image exists and its format suits the attachment point."""
    image = attachment.image
    if image is None or not (image.width and image.height):
        return False
    if attachment.texture is not None and image.depth <= attachment.layer:
        return False
    format = FORMATS.get(image.format)
    if format is None:
        return False
    if point == "depth":
        return format.bits[4] > 0
    if point == "stencil":
        return format.bits[5] > 0
    return format.is_color and not format.compressed and (format.renderable or not context.is_gles)


def _are_layers_alike(present: list[tuple[str, Attachment]]) -> bool:
    """Whether all attachments are layered or none is, and colours of one kind of texture (ES 3.2 §9.4.2)."""
    if len({attachment.layered for _, attachment in present}) > 1:
        return False
    textures = [attachment.texture for point, attachment in present if point == "color" and attachment.layered]
    return len({texture.target for texture in textures if texture is not None}) < 2


def _status(context: Context, framebuffer: Framebuffer) -> int:
    if framebuffer.name == 0:
        attachments = (framebuffer.color[0], framebuffer.depth)
        return gl.GL_FRAMEBUFFER_COMPLETE if any(attachments) else gl.GL_FRAMEBUFFER_UNDEFINED
    points = [("color", attachment) for attachment in framebuffer.color]
    points += [("depth", framebuffer.depth), ("stencil", framebuffer.stencil)]
    present = [(point, attachment) for point, attachment in points if attachment is not None]
    if not present:
        sides = (gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT)
        if all(framebuffer.defaults.get(side) for side in sides):
            return gl.GL_FRAMEBUFFER_COMPLETE
        return gl.GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
    if not all(_is_attachable(context, attachment, point) for point, attachment in present):
        return gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT
    images = [image for _, attachment in present if (image := attachment.image) is not None]
    samples = {max(image.samples, attachment.samples) for image, (_, attachment) in zip(images, present, strict=True)}
    if len(samples) > 1:
        return gl.GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE
    if not _are_layers_alike(present):
        return gl.GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS
    depth, stencil = framebuffer.depth, framebuffer.stencil
    if context.is_gles and depth is not None and stencil is not None and depth.image is not stencil.image:
        return gl.GL_FRAMEBUFFER_UNSUPPORTED
    return gl.GL_FRAMEBUFFER_COMPLETE


def framebuffer_status(tracker: Tracker, context: Context, framebuffer: Framebuffer) -> int:
    """GL_FRAMEBUFFER_COMPLETE or what is wrong; kept until an image or attachment changes."""
    if framebuffer.checked_epoch != tracker.epoch:
        framebuffer.status = _status(context, framebuffer)
        framebuffer.checked_epoch = tracker.epoch
    return framebuffer.status


def require_complete(tracker: Tracker, context: Context, framebuffer: Framebuffer) -> None:
    """Raise GL_INVALID_FRAMEBUFFER_OPERATION unless the framebuffer is complete."""
    if framebuffer.checked_epoch != tracker.epoch:
        framebuffer_status(tracker, context, framebuffer)
    if framebuffer.status != gl.GL_FRAMEBUFFER_COMPLETE:
        raise GLError(gl.GL_INVALID_FRAMEBUFFER_OPERATION, f"the framebuffer is incomplete: {framebuffer.status:#x}")
