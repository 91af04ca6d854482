"""EGLImages: one image that several textures and renderbuffers share (EGL_KHR_image_base, GL_OES_EGL_image).

An image made from a texture's level or from a renderbuffer *is* that level: what is drawn to one sibling is seen in
the others. An image from outside GL (a dma-buf, a pixmap, a buffer of the compositor) has the size that its attributes
give, and whatever content the trace uploads to it.
"""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from traceformat.errors import UnsupportedCallError
from traceformat.gles import egl_enums as egl
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.objects import Image, Renderbuffer, Texture
from traceformat.gles.state import Context
from traceformat.gles.texture_levels import check_memory, check_size
from traceformat.gles.textures import bound_texture

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def _attributes(tracker: Tracker, data: object) -> dict[int, int]:
    """An attribute list: 64-bit values in EGL 1.5's own call, 32-bit ones in the extension's."""
    if not isinstance(data, bytes):
        return {}
    size = 8 if tracker.call.name == "eglCreateImage" and len(data) % 8 == 0 else 4
    numbers = np.frombuffer(data[: len(data) // size * size], f"<i{size}").tolist()
    return dict(zip(numbers[::2], numbers[1::2], strict=False))


def _source(context: Context, target: int, name: int, attributes: dict[int, int]) -> Image | None:
    """Image of the GL object that an EGLImage is made from."""
    if target == egl.GL_RENDERBUFFER:
        renderbuffer = context.group.renderbuffers.objects.get(name)
        return renderbuffer.image if isinstance(renderbuffer, Renderbuffer) else None
    texture = context.group.textures.objects.get(name)
    if not isinstance(texture, Texture):
        return None
    face = (
        target - egl.GL_TEXTURE_CUBE_MAP_POSITIVE_X
        if egl.GL_TEXTURE_CUBE_MAP_POSITIVE_X <= target < egl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + 6
        else 0
    )
    image = texture.images.get((face, attributes.get(egl.GL_TEXTURE_LEVEL, 0)))
    if image is not None:
        _share(image, texture)
    return image


def _share(image: Image, texture: Texture) -> None:
    """Note that a texture sees what others do to an image."""
    if all(other is not texture for other in image.siblings):
        image.siblings = (*image.siblings, texture)


@handles("eglCreateImage")
def create_image(
    tracker: Tracker, current: Context | None, display: int, context: int, target: int, source: int, attributes: object
) -> int:
    recorded = tracker.recorded_result()
    if recorded == 0:
        return 0
    handle = recorded or len(tracker.egl_images) + 1
    given = _attributes(tracker, attributes)
    image: Image | None = None
    if target == egl.GL_TEXTURE_3D:
        raise UnsupportedCallError(f"call {tracker.call.number}: an EGLImage of a slice of a 3D texture")
    if (
        target in (egl.GL_TEXTURE_2D, egl.GL_RENDERBUFFER)
        or egl.GL_TEXTURE_CUBE_MAP_POSITIVE_X <= target < egl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + 6
    ):
        if current is not None:
            image = _source(current, target, source or 0, given)
    elif given.get(egl.WIDTH, 0) > 0 and given.get(egl.HEIGHT, 0) > 0:
        image = Image(given[egl.WIDTH], given[egl.HEIGHT], 1, gl.GL_RGBA8, 0, gl.GL_RGBA8)
    tracker.egl_images[handle] = image
    return handle


@handles("eglDestroyImage")
def destroy_image(tracker: Tracker, context: Context | None, display: int, image: int) -> int:
    return int(tracker.egl_images.pop(image, 0) != 0)


def _image(tracker: Tracker, context: Context, handle: object) -> Image | None:
    """Image behind a handle, with storage; None for one whose size the trace does not tell."""
    number = handle if isinstance(handle, int) else 0
    if number not in tracker.egl_images:
        raise invalid_value(f"no EGLImage {number}")
    image = tracker.egl_images[number]
    if image is not None:
        check_size(context, gl.GL_TEXTURE_2D, 0, image.width, image.height, 1)
    return image


@handles("glEGLImageTargetTexture2DOES")
def image_target_texture(tracker: Tracker, context: Context, target: int, handle: object) -> None:
    texture = bound_texture(context, target)
    image = _image(tracker, context, handle)
    if texture.immutable_levels:
        raise invalid_operation("the texture is immutable")
    texture.images = {}
    if image is not None:
        if image.backing is None:
            tracker.allocate(check_memory(context, FORMATS[image.format], image.width, image.height, 1))
            tracker.backend.define_image(context, texture, 0, 0, image, None)
        texture.images = {(0, 0): image}
        _share(image, texture)
    texture.version += 1
    texture.state_version += 1
    tracker.epoch += 1


@handles("glEGLImageTargetTexStorageEXT")
def image_target_storage(tracker: Tracker, context: Context, target: int, handle: object, attributes: object) -> None:
    image_target_texture(tracker, context, target, handle)
    texture = bound_texture(context, target)
    texture.immutable_levels = 1 if texture.images else 0


@handles("glEGLImageTargetRenderbufferStorageOES")
def image_target_renderbuffer(tracker: Tracker, context: Context, target: int, handle: object) -> None:
    renderbuffer = context.renderbuffer
    if renderbuffer is None:
        raise invalid_operation("no renderbuffer is bound")
    renderbuffer.image = _image(tracker, context, handle)
    if renderbuffer.image is not None and renderbuffer.image.backing is None:
        tracker.backend.define_renderbuffer(context, renderbuffer)
    renderbuffer.version += 1
    tracker.epoch += 1
