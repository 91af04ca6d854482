"""Compute shaders: images they load and store, storage blocks, dispatches (ES 3.1 §17)."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.objects import ImageUnit
from traceformat.gles.pipelines import settle
from traceformat.gles.programs import program_of
from traceformat.gles.state import Changes, Context
from traceformat.guards import guards

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: Formats of image units (ES 3.1 table 8.27, and those of desktop GL).
IMAGE_FORMATS: Final = frozenset(
    getattr(gl, f"GL_{name}")
    for name in (
        *("RGBA32F", "RGBA16F", "R32F", "RGBA8", "RGBA8_SNORM", "RGBA32I", "RGBA16I", "RGBA8I", "R32I"),
        *("RGBA32UI", "RGBA16UI", "RGBA8UI", "R32UI", "RG32F", "RG16F", "RG32I", "RG16I", "RG32UI", "RG16UI"),
        *("RGBA16", "RG16", "RGBA16_SNORM", "RG16_SNORM"),
        *("R8", "RG8", "R16", "R16F", "R8_SNORM", "RG8_SNORM", "R16_SNORM"),
        *("RGB10_A2", "RGB10_A2UI", "R11F_G11F_B10F"),
        *("R8I", "RG8I", "R16I", "R8UI", "RG8UI", "R16UI"),
    )
)
_ACCESS: Final = (gl.GL_READ_ONLY, gl.GL_WRITE_ONLY, gl.GL_READ_WRITE)
_INDIRECT: Final = struct.Struct("<3I")


@handles("glBindImageTexture", touches=Changes.NOTHING)
def bind_image_texture(
    tracker: Tracker,
    context: Context,
    unit: int,
    name: int,
    level: int,
    layered: int,
    layer: int,
    access: int,
    format: int,
) -> None:
    if not 0 <= unit < len(context.image_units):
        raise invalid_value(f"image unit {unit}")
    if level < 0 or layer < 0:
        raise invalid_value(f"level {level}, layer {layer}")
    if access not in _ACCESS:
        raise invalid_enum(f"access {access:#x}")
    if format not in IMAGE_FORMATS:
        raise invalid_value(f"image format {format:#x}")
    texture = context.group.textures.get(name) if name else None
    if name and texture is None:
        raise invalid_value(f"{name} is no texture")
    if context.is_gles and texture is not None and not (texture.immutable_levels or texture.texels is not None):
        raise invalid_operation("the texture's storage is not immutable")
    context.image_units[unit] = ImageUnit(texture, level, bool(layered), layer, access, format)


@handles("glShaderStorageBlockBinding", touches=Changes.NOTHING)
def shader_storage_block_binding(tracker: Tracker, context: Context, name: int, block: int, binding: int) -> None:
    executable = program_of(context, name).executable
    if executable is None or not 0 <= block < len(executable.storage_bindings):
        raise invalid_value(f"block {block}")
    if not 0 <= binding < len(context.storage_buffers):
        raise invalid_value(f"binding point {binding}")
    executable.storage_bindings[block] = binding


def _dispatch(tracker: Tracker, context: Context, groups: tuple[int, int, int]) -> None:
    settle(tracker, context, is_dispatch=True)
    program = context.program
    executable = program.executable if program is not None else None
    if executable is None or not any(executable.reflection.local_size):
        raise invalid_operation("no program with a compute stage is in use")
    if any(count > context.limits.max_compute_work_groups for count in groups):
        raise invalid_value(f"{groups[0]} x {groups[1]} x {groups[2]} work groups")
    x, y, z = executable.reflection.local_size
    invocations = x * y * z * groups[0] * groups[1] * groups[2]
    if invocations > guards().draw_vertices:
        raise ReplayError(
            f"call {tracker.call.number}: {invocations} invocations of a compute shader, "
            "more than draw_vertices allows",
            hint="GPUREPLAY_LIMITS=draw_vertices=256M raises it",
        )
    if invocations:
        tracker.backend.dispatch(context, groups)


@handles("glDispatchCompute", touches=Changes.ALL)
def dispatch_compute(tracker: Tracker, context: Context, x: int, y: int, z: int) -> None:
    _dispatch(tracker, context, (x, y, z))


@handles("glDispatchComputeIndirect", touches=Changes.ALL)
def dispatch_compute_indirect(tracker: Tracker, context: Context, offset: int) -> None:
    if offset < 0 or offset % 4:
        raise invalid_value(f"offset {offset}")
    buffer = context.buffers.get(gl.GL_DISPATCH_INDIRECT_BUFFER)
    if buffer is None or offset + _INDIRECT.size > len(buffer.store):
        raise invalid_operation(f"no work groups at offset {offset} of GL_DISPATCH_INDIRECT_BUFFER")
    x, y, z = _INDIRECT.unpack_from(buffer.store, offset)
    _dispatch(tracker, context, (x, y, z))
