"""What a draw leaves in the tables besides its bulk: state, constants, bindings, fetches, object id."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.merge_state import SRGB_BIT, color_mask_of, uses_srgb
from replay.engine.programs import LinkedProgram, StageConstants
from replay.engine.recorder import FrameRecorder, stable_hash
from replay.engine.targets import Targets
from replay.engine.varyings import output_rows_of
from replay.engine.vertex_fetch import Stream
from replay.glsl.ir import StageIR
from replay.objects import ObjectRow
from replay.texture.binding import Binding
from traceformat.frametrace import MAX_COLOR_ATTACHMENTS, DrawFlags
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import Executable, Image, ProgramObject, Sampling, Texture
from traceformat.gles.state import Context

__all__ = ["BoundProgram", "draw_row", "note_draw", "record_fetches", "record_vertices", "sampler_identity"]

#: Beyond this an address has no meaning; only a hostile offset leads there.
_LAST_ADDRESS: Final = (1 << 46) - (1 << 16)
_INDEX_BYTES: Final = {gl.GL_UNSIGNED_BYTE: 1, gl.GL_UNSIGNED_SHORT: 2, gl.GL_UNSIGNED_INT: 4}


@dataclass(slots=True)
class BoundProgram:
    """A program with everything bound for one draw; lists have one entry a sampler slot."""

    linked: LinkedProgram
    program: ProgramObject
    executable: Executable
    bindings: list[Binding]
    units: list[int]
    textures: list[Texture | None]


def record_fetches(recorder: FrameRecorder, context: Context, ir: StageIR, moved: dict[int, int]) -> None:
    """Append the arrays that a draw fetches from.

    Parameters
    ----------
    moved : from the compiler's attribute locations to those of the vertex array, where they differ
    """
    used = sorted(
        {
            moved.get(slot.location + k, slot.location + k)
            for slot in ir.inputs
            if slot.location >= 0
            for k in range(slot.count)
        }
    )
    for location in used:
        if not 0 <= location < len(context.vertex_array.attribs):
            continue
        attrib = context.vertex_array.attribs[location]
        if not attrib.enabled:
            continue
        stride = attrib.effective_stride
        if attrib.buffer is not None:
            base = recorder.addresses.buffer(
                "vertex", context.group.serial, attrib.buffer.serial, len(attrib.buffer.store)
            )
            address = base + attrib.offset
        elif attrib.client is not None:
            base = recorder.addresses.client("vertex", len(attrib.client.data))
            address = base - attrib.client.first * stride
        else:
            continue
        address = min(max(address, 0), _LAST_ADDRESS)
        recorder.fetches.append((address, stride, attrib.element_bytes, attrib.divisor, location))


def record_vertices(
    recorder: FrameRecorder, context: Context, call: DrawCall, stream: Stream, paths: NDArray[np.uint32] | None
) -> int:
    """Append a draw's vertices and return the first row; ``paths`` has the path of each lane."""
    if not recorder.wants_vertices:
        return 0
    size = _INDEX_BYTES.get(call.index_type, 0)
    if size:
        if call.index_buffer is not None:
            base = recorder.addresses.buffer(
                "index", context.group.serial, call.index_buffer.serial, len(call.index_buffer.store)
            )
            base += call.index_offset
        else:
            base = recorder.addresses.client("index", size * call.count)
        address = stream.position.astype(np.uint64) * np.uint64(size) + np.uint64(base)
    else:
        address = np.zeros(len(stream.index), np.uint64)
    path = paths[stream.lane] if paths is not None else np.zeros(len(stream.index), np.uint32)
    return recorder.tables.vertices.append(
        index=stream.index, index_address=address, instance=stream.instance, path=path
    )


def note_draw(recorder: FrameRecorder, context: Context, targets: Targets, bound: BoundProgram, draw: int) -> None:
    """Add a draw to the pass in progress."""
    images: list[Image] = []
    for texture in bound.textures:
        if texture is not None:
            images.extend(texture.images.values())
    x0, y0, x1, y1 = geo.draw_bounds(context, targets)
    rect = (x0, y0, max(x1 - x0 + 1, 0), max(y1 - y0 + 1, 0))
    recorder.passes.draw(draw, context.call_number, rect, images)


def draw_row(
    recorder: FrameRecorder,
    context: Context,
    call: DrawCall,
    targets: Targets,
    bound: BoundProgram,
    constants: dict[str, StageConstants],
    rows: dict[str, tuple[int, int]],
    geometry: geo.Geometry,
    num_attributes: int,
    fetch_first: int,
    *,
    reloaded: bool,
) -> dict[str, Any]:
    """Row of ``draws`` but for the vertex and quad ranges; appends constants and texture bindings.

    Parameters
    ----------
    rows : row of ``programs`` and first row of ``blocks`` of each stage
    fetch_first : first row of ``vertex_fetches``
    reloaded : shaders or textures were loaded since the previous draw
    """
    ir = bound.linked.program.fragment
    flags = DrawFlags.RELOADED.value if reloaded else 0
    if ir is not None:
        # Plain integers: operations on flags are slow.
        flags |= ir.discards * DrawFlags.DISCARDS.value
        flags |= ir.writes_depth * DrawFlags.WRITES_DEPTH.value
        flags |= ir.reads_position * DrawFlags.READS_POSITION.value
        flags |= ir.uses_derivatives * DrawFlags.READS_DERIVATIVES.value
    spans = [
        recorder.add_constants(constants[stage]) if stage in constants else (recorder.num_constants, 0, 0)
        for stage in ("vertex", "fragment")
    ]
    texture_first = len(recorder.bindings)
    for row in _binding_rows(context, bound):
        recorder.bindings.append(row)
    row = _state_columns(context, targets)
    row.update(
        call=context.call_number,
        object=recorder.object_row(_identify(recorder, context, call, bound)),
        mode=call.mode,
        flags=flags,
        primitive_first=geometry.primitive_first,
        primitive_count=len(geometry.primitives),
        emitted_first=geometry.emitted_first,
        emitted_count=geometry.emitted_count,
        quad_count=geometry.quad_count,
        instance_count=call.instances,
        index_bytes=_INDEX_BYTES.get(call.index_type, 0),
        num_attributes=num_attributes,
        vertex_program=rows["vertex"][0],
        fragment_program=rows["fragment"][0] if "fragment" in rows else rows["vertex"][0],
        fetch_first=fetch_first,
        fetch_count=len(recorder.fetches) - fetch_first,
        texture_first=texture_first,
        texture_count=len(recorder.bindings) - texture_first,
        constant_first=[first for first, _, _ in spans],
        constant_count=[count for _, count, _ in spans],
        constants_new_bytes=[new for _, _, new in spans],
        color_first=[0] * MAX_COLOR_ATTACHMENTS,
    )
    row["pass"] = recorder.passes.current
    if recorder.wants_colors:
        row.update(_output_columns(context, targets))
    row["draw_buffers"] = sum(
        1 << buffer
        for buffer in output_rows_of(bound.linked)
        if buffer < len(targets.colors) and targets.colors[buffer] is not None and color_mask_of(context, buffer)
    )
    return row


def _output_columns(context: Context, targets: Targets) -> dict[str, Any]:
    """Blend state and write mask of each attachment."""
    blend = [[0] * 7 for _ in range(MAX_COLOR_ATTACHMENTS)]
    mask = [0] * MAX_COLOR_ATTACHMENTS
    for k, surface in enumerate(targets.colors[:MAX_COLOR_ATTACHMENTS]):
        if surface is None:
            continue
        state = context.blend[k]
        blend[k] = [
            int(context.blend_enabled[k]),
            *(state.equation_rgb, state.equation_alpha, state.src_rgb, state.src_alpha, state.dst_rgb, state.dst_alpha),
        ]
        mask[k] = color_mask_of(context, k) | (SRGB_BIT if uses_srgb(context, surface) else 0)
    return {"output_blend": blend, "output_mask": mask}


def _state_columns(context: Context, targets: Targets) -> dict[str, Any]:
    """State of a draw as the fixed-function stages see it; a test without its buffer counts as off."""
    enabled = context.enabled
    depth_test = gl.GL_DEPTH_TEST in enabled and targets.depth is not None
    faces = (context.stencil_front, context.stencil_back)
    blend = context.blend[0]
    return {
        "depth_test": depth_test,
        "depth_write": depth_test and context.depth_mask,
        "depth_func": context.depth_func,
        "stencil_test": gl.GL_STENCIL_TEST in enabled and targets.stencil is not None,
        "stencil_func": [face.func for face in faces],
        "stencil_ref": [min(max(face.ref, 0), 255) for face in faces],
        "stencil_read_mask": [face.value_mask & 255 for face in faces],
        "stencil_write_mask": [face.write_mask & 255 for face in faces],
        "stencil_fail": [face.fail for face in faces],
        "stencil_depth_fail": [face.depth_fail for face in faces],
        "stencil_depth_pass": [face.depth_pass for face in faces],
        "blend": context.blend_enabled[0],
        "blend_equation": [blend.equation_rgb, blend.equation_alpha],
        "blend_source": [blend.src_rgb, blend.src_alpha],
        "blend_destination": [blend.dst_rgb, blend.dst_alpha],
        "blend_color": list(context.blend_color),
        "color_mask": color_mask_of(context, 0),
        "cull_face": context.cull_mode if gl.GL_CULL_FACE in enabled else 0,
        "front_face": context.front_face,
        "scissor_test": gl.GL_SCISSOR_TEST in enabled,
        "scissor": list(context.scissor),
        "viewport": list(context.viewport),
        "depth_range": list(context.depth_range),
        "alpha_to_coverage": gl.GL_SAMPLE_ALPHA_TO_COVERAGE in enabled and targets.samples > 1,
    }


def _binding_rows(context: Context, bound: BoundProgram) -> list[dict[str, Any]]:
    rows = []
    seen = set()
    for number, binding, texture in zip(bound.units, bound.bindings, bound.textures, strict=True):
        if texture is None or (number, texture.target) in seen:
            continue
        seen.add((number, texture.target))
        unit = context.units[number]
        sampling = unit.sampler.state if unit.sampler is not None else texture.sampling
        base = texture.images.get((0, texture.base_level))
        rows.append(
            {
                "unit": min(number, 255),
                "target": texture.target,
                "texture": texture.name,
                "version": texture.version,
                "address": binding.address,
                "format": base.format if base is not None else 0,
                "width": base.width if base is not None else 0,
                "height": base.height if base is not None else 0,
                "depth": base.depth if base is not None else 0,
                "levels": min(binding.levels, 255),
                "sampler": _sampler_identity(sampling),
                "min_filter": sampling.min_filter,
                "mag_filter": sampling.mag_filter,
            }
        )
    return rows


def sampler_identity(context: Context, number: int, texture: Texture) -> int:
    """64-bit identity of how a texture is sampled in a texture unit."""
    sampler = context.units[number].sampler
    return _sampler_identity(texture.sampling if sampler is None else sampler.state)


def _sampler_identity(state: Sampling) -> int:
    """64-bit identity of all sampler parameters."""
    return _sampler_hash(tuple(getattr(state, field) for field in _SAMPLING_FIELDS))


@lru_cache(1024)
def _sampler_hash(values: tuple[Any, ...]) -> int:
    return stable_hash(values)


_SAMPLING_FIELDS: Final = tuple(field.name for field in fields(Sampling))


def _identify(recorder: FrameRecorder, context: Context, call: DrawCall, bound: BoundProgram) -> ObjectRow:
    array = context.vertex_array
    buffers = []
    label = array.label
    for location, attrib in enumerate(array.attribs):
        if attrib.enabled:
            serial = attrib.buffer.serial if attrib.buffer is not None else 0
            buffers.append((location, serial, attrib.offset if serial else 0))
            if not label and attrib.buffer is not None:
                label = attrib.buffer.label
    index = (call.index_buffer.serial, call.index_offset) if call.index_buffer is not None else (0, 0)
    textures = tuple(texture.serial if texture is not None else 0 for texture in bound.textures)
    bindings = (
        context.draw_framebuffer.name,
        bound.program.serial,
        call.mode,
        call.first,
        call.count,
        index,
        tuple(buffers),
        textures,
    )
    text = f"program {bound.program.name}, {call.count} vertices from {call.first}"
    groups: list[tuple[object, str]] = [(group, group.label) for group in context.debug_groups]
    return recorder.objects.identify(groups, label, bindings, text)
