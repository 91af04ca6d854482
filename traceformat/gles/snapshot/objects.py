"""Snapshot of the objects that contexts share, apart from programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS, client_pixels
from traceformat.gles.objects import Attachment, Buffer, Image, Renderbuffer, Sampler, Sampling, Texture
from traceformat.gles.snapshot.writer import SnapshotWriter, packed_floats
from traceformat.gles.state import Context, ContextConfig, Namespace, ShareGroup
from traceformat.gles.texture_levels import VOLUME_TARGETS
from traceformat.gles.textures import CUBE_FACES, MULTISAMPLED, SWIZZLES

__all__ = ["Orphans", "write_default_textures", "write_shared"]

_BINDING: Final = gl.GL_COPY_WRITE_BUFFER
_MAPPED_BITS: Final = gl.GL_MAP_INVALIDATE_RANGE_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT
_PLANAR: Final = (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_1D_ARRAY, gl.GL_TEXTURE_CUBE_MAP)
_NO_SAMPLING: Final = (*MULTISAMPLED, gl.GL_TEXTURE_BUFFER)
_SAMPLING: Final = (
    (gl.GL_TEXTURE_MIN_FILTER, "min_filter"),
    (gl.GL_TEXTURE_MAG_FILTER, "mag_filter"),
    (gl.GL_TEXTURE_WRAP_S, "wrap_s"),
    (gl.GL_TEXTURE_WRAP_T, "wrap_t"),
    (gl.GL_TEXTURE_WRAP_R, "wrap_r"),
    (gl.GL_TEXTURE_COMPARE_MODE, "compare_mode"),
    (gl.GL_TEXTURE_COMPARE_FUNC, "compare_func"),
    (gl.GL_TEXTURE_SRGB_DECODE_EXT, "srgb_decode"),
)
_SAMPLING_FLOATS: Final = (
    (gl.GL_TEXTURE_MIN_LOD, "min_lod"),
    (gl.GL_TEXTURE_MAX_LOD, "max_lod"),
    (gl.GL_TEXTURE_LOD_BIAS, "lod_bias"),
    (gl.GL_TEXTURE_MAX_ANISOTROPY, "max_anisotropy"),
)
T = TypeVar("T")


def _live(names: Namespace[T]) -> list[tuple[int, T]]:
    """Objects in order of creation."""
    found: list[tuple[int, Any]] = [(name, item) for name, item in names.objects.items() if item is not None]
    return sorted(found, key=lambda pair: pair[1].serial)


def _reserved(names: Namespace[Any]) -> list[int]:
    return sorted(name for name in names.objects if name)


class Orphans:
    """Objects of a share group that are deleted, but that a container or another context still holds.

    Parameters
    ----------
    contexts : of the group
    """

    def __init__(self, contexts: Iterable[Context]) -> None:
        self.buffers: list[Buffer] = []
        self.textures: list[Texture] = []
        self.samplers: list[Sampler] = []
        self.renderbuffers: list[Renderbuffer] = []
        for context in contexts:
            self._collect(context)

    def _collect(self, context: Context) -> None:
        for buffer in _held_buffers(context):
            _add(self.buffers, context.group.buffers, buffer)
        for unit in context.units:
            _add(self.samplers, context.group.samplers, unit.sampler)
            for texture in unit.textures.values():
                if texture.name:
                    _add(self.textures, context.group.textures, texture)
        _add(self.renderbuffers, context.group.renderbuffers, context.renderbuffer)
        for texture in filter(None, (*context.group.textures.objects.values(), *self.textures)):
            if texture.texels is not None:
                _add(self.buffers, context.group.buffers, texture.texels.buffer)
        for attachment in _attachments(context):
            _add(self.textures, context.group.textures, attachment.texture)
            _add(self.renderbuffers, context.group.renderbuffers, attachment.renderbuffer)

    def __bool__(self) -> bool:
        return bool(self.buffers or self.textures or self.samplers or self.renderbuffers)


def _add(found: list[T], names: Namespace[T], item: T | None) -> None:
    if item is not None and item not in found and names.get(item.name) is not item:  # type: ignore[attr-defined]
        found.append(item)


def _held_buffers(context: Context) -> Iterator[Buffer | None]:
    yield from context.buffers.values()
    yield from (
        point.buffer for point in (*context.uniform_buffers, *context.storage_buffers, *context.counter_buffers)
    )
    for feedback in {context.transform_feedback, *filter(None, context.transform_feedbacks.objects.values())}:
        yield from (point.buffer for point in feedback.bindings)
    for array in {context.vertex_array, *filter(None, context.vertex_arrays.objects.values())}:
        yield array.element_buffer
        yield from (attrib.buffer for attrib in array.attribs)
        yield from (binding.buffer for binding in array.bindings)


def _attachments(context: Context) -> Iterator[Attachment]:
    for framebuffer in {
        context.draw_framebuffer,
        context.read_framebuffer,
        *filter(None, context.framebuffers.objects.values()),
    }:
        yield from (each for each in (*framebuffer.color, framebuffer.depth, framebuffer.stencil) if each is not None)


def write_shared(writer: SnapshotWriter, context: Context, orphans: Orphans) -> None:
    """Write a share group's objects, with its first context current, which nothing has been done in."""
    group = context.group
    kinds: tuple[tuple[str, Namespace[Any], Sequence[Any]], ...] = (
        ("buffers", group.buffers, orphans.buffers),
        ("textures", group.textures, orphans.textures),
        ("samplers", group.samplers, orphans.samplers),
        ("renderbuffers", group.renderbuffers, orphans.renderbuffers),
    )
    for kind, names, found in kinds:
        reserved = _reserved(names)
        for number, item in enumerate(found, max(reserved, default=0) + 1):
            writer.adopt(item, number)
            reserved.append(number)
        writer.generate(f"glGen{kind.capitalize()}", kind, reserved)
    for buffer in [*orphans.buffers, *(each for _, each in _live(group.buffers))]:
        _write_buffer(writer, buffer)
    for texture in [*orphans.textures, *(each for _, each in _live(group.textures))]:
        _write_texture(writer, context.config, texture)
    for sampler in [*orphans.samplers, *(each for _, each in _live(group.samplers))]:
        _write_sampler(writer, context.config, sampler)
    for renderbuffer in [*orphans.renderbuffers, *(each for _, each in _live(group.renderbuffers))]:
        _write_renderbuffer(writer, renderbuffer)
    writer.emit("glBindBuffer", _BINDING, 0)
    writer.emit("glBindRenderbuffer", gl.GL_RENDERBUFFER, 0)
    _write_syncs(writer, group)


def _write_buffer(writer: SnapshotWriter, buffer: Buffer) -> None:
    name = writer.name_of(buffer)
    writer.emit("glBindBuffer", _BINDING, name)
    data = bytes(buffer.store)
    if buffer.immutable:
        writer.emit("glBufferStorage", _BINDING, len(data), data, buffer.storage_flags)
    elif data or buffer.version:
        writer.emit("glBufferData", _BINDING, len(data), data, buffer.usage)
    mapping = buffer.mapping
    if mapping is not None:
        # It is mapped for writing what it holds, not for throwing that away.
        access = mapping.access & ~_MAPPED_BITS
        writer.emit("glMapBufferRange", _BINDING, mapping.offset, mapping.length, access, result=None)
    writer.label(gl.GL_BUFFER, name, buffer.label)


def _write_texture(writer: SnapshotWriter, config: ContextConfig, texture: Texture) -> None:
    name = writer.name_of(texture)
    writer.emit("glBindTexture", texture.target, name)
    _write_images(writer, config, texture, name)
    _write_parameters(writer, config, texture)
    writer.label(gl.GL_TEXTURE, name, texture.label)
    writer.emit("glBindTexture", texture.target, 0)


def write_default_textures(writer: SnapshotWriter, context: Context) -> None:
    """Write a context's textures 0, with unit 0 active."""
    for texture in context.default_textures.values():
        if texture.images or texture.texels is not None or texture.state_version:
            _write_images(writer, context.config, texture, 0)
            _write_parameters(writer, context.config, texture)


def _write_images(writer: SnapshotWriter, config: ContextConfig, texture: Texture, name: int) -> None:
    target, texels = texture.target, texture.texels
    if texels is not None:
        place = (texels.format, writer.name_of(texels.buffer))
        if texels.size:
            writer.emit("glTexBufferRange", target, *place, texels.offset, texels.size)
        else:
            writer.emit("glTexBuffer", target, *place)
    base = texture.images.get((0, 0))
    if texture.immutable_levels and base is not None:
        _write_storage(writer, texture, base)
    else:
        for (face, level), image in sorted(texture.images.items(), key=lambda entry: (entry[0][1], entry[0][0])):
            _write_image(writer, config, target, face, level, image)
    for (face, level), image in sorted(texture.images.items()):
        writer.image(target, name, face, level, image)


def _write_storage(writer: SnapshotWriter, texture: Texture, base: Image) -> None:
    target, levels = texture.target, texture.immutable_levels
    if target in MULTISAMPLED:
        _write_samples(writer, "glTexStorage", target, base)
    elif target in VOLUME_TARGETS:
        writer.emit("glTexStorage3D", target, levels, base.format, base.width, base.height, base.depth)
    else:
        writer.emit("glTexStorage2D", target, levels, base.format, base.width, base.height)


def _write_samples(writer: SnapshotWriter, function: str, target: int, image: Image) -> None:
    is_array = target == gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY
    size = (image.width, image.height, image.depth)[: 2 + is_array]
    writer.emit(f"{function}{len(size)}DMultisample", target, image.samples, image.format, *size, 1)


def _write_image(
    writer: SnapshotWriter, config: ContextConfig, target: int, face: int, level: int, image: Image
) -> None:
    size: tuple[int, ...] = (image.width, image.height)
    if target in MULTISAMPLED:
        _write_samples(writer, "glTexImage", target, image)
        return
    if target in VOLUME_TARGETS:
        function, size = "TexImage3D", (*size, image.depth)
    elif target in _PLANAR:
        function = "TexImage2D"
    else:
        raise UnsupportedCallError(f"the contents of textures of target {target:#x} cannot be restored")
    place = CUBE_FACES[face] if target == gl.GL_TEXTURE_CUBE_MAP else target
    format = FORMATS[image.format]
    if format.compressed:
        # What it holds follows texel by texel.
        blocks = bytes(format.image_bytes(image.width, image.height, image.depth))
        writer.emit(f"glCompressed{function}", place, level, image.format, *size, 0, len(blocks), blocks)
        return
    internal, pixels, type = client_pixels(image.requested_format, image.format, gles=config.is_gles)
    writer.emit(f"gl{function}", place, level, internal, *size, 0, pixels, type, None)


def _write_parameters(writer: SnapshotWriter, config: ContextConfig, texture: Texture) -> None:
    target, fresh = texture.target, Texture(0, 0)
    if target not in _NO_SAMPLING:
        _write_sampling(writer, config, texture.sampling, "glTexParameter", target)
    for parameter, value, default in (
        (gl.GL_TEXTURE_BASE_LEVEL, texture.base_level, fresh.base_level),
        (gl.GL_TEXTURE_MAX_LEVEL, texture.max_level, fresh.max_level),
        (gl.GL_DEPTH_STENCIL_TEXTURE_MODE, texture.depth_stencil_mode, fresh.depth_stencil_mode),
        (gl.GL_TEXTURE_USAGE_ANGLE, texture.usage, fresh.usage),
        *zip(SWIZZLES, texture.swizzle, fresh.swizzle, strict=True),
    ):
        if value != default:
            writer.emit("glTexParameteri", target, parameter, value)


def _write_sampling(
    writer: SnapshotWriter, config: ContextConfig, state: Sampling, function: str, subject: int
) -> None:
    fresh = Sampling()
    # A rectangle texture begins with other values: what its targets refuse is never set there, so all may be written.
    unmipmapped = subject in (gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_EXTERNAL_OES)
    for parameter, field in _SAMPLING:
        if unmipmapped or getattr(state, field) != getattr(fresh, field):
            writer.emit(f"{function}i", subject, parameter, getattr(state, field))
    for parameter, field in _SAMPLING_FLOATS:
        if getattr(state, field) != getattr(fresh, field):
            writer.emit(f"{function}f", subject, parameter, getattr(state, field))
    if state.border_color != fresh.border_color:
        writer.emit(f"{function}fv", subject, gl.GL_TEXTURE_BORDER_COLOR, packed_floats(state.border_color))


def _write_sampler(writer: SnapshotWriter, config: ContextConfig, sampler: Sampler) -> None:
    name = writer.name_of(sampler)
    _write_sampling(writer, config, sampler.state, "glSamplerParameter", name)
    writer.label(gl.GL_SAMPLER, name, sampler.label)


def _write_renderbuffer(writer: SnapshotWriter, renderbuffer: Renderbuffer) -> None:
    name, image = writer.name_of(renderbuffer), renderbuffer.image
    writer.emit("glBindRenderbuffer", gl.GL_RENDERBUFFER, name)
    if image is not None:
        internal = image.requested_format or image.format
        size = (image.width, image.height)
        writer.emit("glRenderbufferStorageMultisample", gl.GL_RENDERBUFFER, image.samples, internal, *size)
        writer.image(gl.GL_RENDERBUFFER, name, 0, 0, image)
    writer.label(gl.GL_RENDERBUFFER, name, renderbuffer.label)


def _write_syncs(writer: SnapshotWriter, group: ShareGroup) -> None:
    for name, sync in _live(group.syncs):
        writer.emit("glFenceSync", gl.GL_SYNC_GPU_COMMANDS_COMPLETE, 0, result=name)
        if sync.label:
            writer.emit("glObjectPtrLabel", name, -1, sync.label)
