"""glGet*: every state vector and limit of ES 3.0.6 §6.2, and what desktop programs ask for."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

from traceformat.gles import enums as gl
from traceformat.gles.copies import preferred_read
from traceformat.gles.dispatch import Prepared, handles, invalid_enum, invalid_operation, invalid_value, prepares
from traceformat.gles.fixed_state import COMPATIBILITY_HINTS, DESKTOP_HINTS, GLES_HINTS, PIXEL_STORE, is_capability
from traceformat.gles.formats import FORMATS
from traceformat.gles.limits import Limits
from traceformat.gles.objects import Attachment, Framebuffer
from traceformat.gles.state import Changes, Context
from traceformat.gles.textures import MULTISAMPLED
from traceformat.gles.values import floats_out, ints_out, longs_out, nearest

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

Values: TypeAlias = Sequence[int] | Sequence[float]
Getter: TypeAlias = Callable[[Context], Values]


def _limit_of_vertices(what: str, context: Context) -> Values:
    """A limit of the vertex stage, by what it is of."""
    return [getattr(context.limits, f"max_vertex_{what}")]


#: Colours and depths, which glGetIntegerv maps to the whole range of an integer (ES 3.0.6 §6.1.2).
_NORMALIZED = frozenset({gl.GL_BLEND_COLOR, gl.GL_COLOR_CLEAR_VALUE, gl.GL_DEPTH_RANGE, gl.GL_DEPTH_CLEAR_VALUE})


def _name(bound: object) -> int:
    name: int = getattr(bound, "name", 0)
    return name


_ANY: dict[int, Getter] = {
    gl.GL_ACTIVE_TEXTURE: lambda context: [gl.GL_TEXTURE0 + context.active_unit],
    gl.GL_BLEND_COLOR: lambda context: context.blend_color,
    gl.GL_BLEND_SRC_RGB: lambda context: [context.blend[0].src_rgb],
    gl.GL_BLEND_DST_RGB: lambda context: [context.blend[0].dst_rgb],
    gl.GL_BLEND_SRC_ALPHA: lambda context: [context.blend[0].src_alpha],
    gl.GL_BLEND_DST_ALPHA: lambda context: [context.blend[0].dst_alpha],
    gl.GL_BLEND_EQUATION_RGB: lambda context: [context.blend[0].equation_rgb],
    gl.GL_BLEND_EQUATION_ALPHA: lambda context: [context.blend[0].equation_alpha],
    gl.GL_COLOR_CLEAR_VALUE: lambda context: context.clear_color,
    gl.GL_COLOR_WRITEMASK: lambda context: [int(flag) for flag in context.color_masks[0]],
    gl.GL_CULL_FACE_MODE: lambda context: [context.cull_mode],
    gl.GL_FRONT_FACE: lambda context: [context.front_face],
    gl.GL_DEPTH_CLEAR_VALUE: lambda context: [context.clear_depth],
    gl.GL_DEPTH_FUNC: lambda context: [context.depth_func],
    gl.GL_DEPTH_RANGE: lambda context: context.depth_range,
    gl.GL_DEPTH_WRITEMASK: lambda context: [int(context.depth_mask)],
    gl.GL_LINE_WIDTH: lambda context: [context.line_width],
    gl.GL_POLYGON_OFFSET_FACTOR: lambda context: [context.polygon_offset_factor],
    gl.GL_POLYGON_OFFSET_UNITS: lambda context: [context.polygon_offset_units],
    gl.GL_MIN_FRAGMENT_INTERPOLATION_OFFSET: lambda _: [-0.5],
    gl.GL_MAX_FRAGMENT_INTERPOLATION_OFFSET: lambda _: [0.5],
    gl.GL_FRAGMENT_INTERPOLATION_OFFSET_BITS: lambda _: [4],
    gl.GL_MIN_SAMPLE_SHADING_VALUE: lambda context: [context.min_sample_shading],
    gl.GL_SAMPLE_COVERAGE_VALUE: lambda context: [context.sample_coverage_value],
    gl.GL_SAMPLE_COVERAGE_INVERT: lambda context: [int(context.sample_coverage_invert)],
    gl.GL_SCISSOR_BOX: lambda context: context.scissor,
    gl.GL_VIEWPORT: lambda context: context.viewport,
    gl.GL_STENCIL_CLEAR_VALUE: lambda context: [context.clear_stencil],
    gl.GL_STENCIL_FUNC: lambda context: [context.stencil_front.func],
    gl.GL_STENCIL_REF: lambda context: [_stencil_ref(context, context.stencil_front.ref)],
    gl.GL_STENCIL_VALUE_MASK: lambda context: [context.stencil_front.value_mask],
    gl.GL_STENCIL_WRITEMASK: lambda context: [context.stencil_front.write_mask],
    gl.GL_STENCIL_FAIL: lambda context: [context.stencil_front.fail],
    gl.GL_STENCIL_PASS_DEPTH_FAIL: lambda context: [context.stencil_front.depth_fail],
    gl.GL_STENCIL_PASS_DEPTH_PASS: lambda context: [context.stencil_front.depth_pass],
    gl.GL_STENCIL_BACK_FUNC: lambda context: [context.stencil_back.func],
    gl.GL_STENCIL_BACK_REF: lambda context: [_stencil_ref(context, context.stencil_back.ref)],
    gl.GL_STENCIL_BACK_VALUE_MASK: lambda context: [context.stencil_back.value_mask],
    gl.GL_STENCIL_BACK_WRITEMASK: lambda context: [context.stencil_back.write_mask],
    gl.GL_STENCIL_BACK_FAIL: lambda context: [context.stencil_back.fail],
    gl.GL_STENCIL_BACK_PASS_DEPTH_FAIL: lambda context: [context.stencil_back.depth_fail],
    gl.GL_STENCIL_BACK_PASS_DEPTH_PASS: lambda context: [context.stencil_back.depth_pass],
    gl.GL_PROGRAM_PIPELINE_BINDING: lambda context: [_name(context.pipeline)],
    gl.GL_CURRENT_PROGRAM: lambda context: [_name(context.used_program)],
    gl.GL_DRAW_FRAMEBUFFER_BINDING: lambda context: [context.draw_framebuffer.name],
    gl.GL_READ_FRAMEBUFFER_BINDING: lambda context: [context.read_framebuffer.name],
    gl.GL_RENDERBUFFER_BINDING: lambda context: [_name(context.renderbuffer)],
    gl.GL_VERTEX_ARRAY_BINDING: lambda context: [context.vertex_array.name],
    gl.GL_ELEMENT_ARRAY_BUFFER_BINDING: lambda context: [_name(context.vertex_array.element_buffer)],
    gl.GL_SAMPLER_BINDING: lambda context: [_name(context.units[context.active_unit].sampler)],
    gl.GL_TRANSFORM_FEEDBACK_BINDING: lambda context: [context.transform_feedback.name],
    gl.GL_TRANSFORM_FEEDBACK_ACTIVE: lambda context: [int(context.transform_feedback.active)],
    gl.GL_TRANSFORM_FEEDBACK_PAUSED: lambda context: [int(context.transform_feedback.paused)],
    gl.GL_READ_BUFFER: lambda context: [context.read_framebuffer.read_buffer],
    gl.GL_MAJOR_VERSION: lambda context: [context.config.major],
    gl.GL_MINOR_VERSION: lambda context: [context.config.minor],
    gl.GL_NUM_EXTENSIONS: lambda context: [len(context.extensions)],
    gl.GL_NUM_COMPRESSED_TEXTURE_FORMATS: lambda context: [len(_compressed_formats(context))],
    gl.GL_COMPRESSED_TEXTURE_FORMATS: lambda context: _compressed_formats(context),
    gl.GL_NUM_PROGRAM_BINARY_FORMATS: lambda context: [0],
    gl.GL_PROGRAM_BINARY_FORMATS: lambda context: [],
    gl.GL_SAMPLE_BUFFERS: lambda context: [int(_samples(context) > 0)],
    gl.GL_SAMPLES: lambda context: [_samples(context)],
    gl.GL_IMPLEMENTATION_COLOR_READ_FORMAT: lambda context: [_preferred_read(context)[0]],
    gl.GL_IMPLEMENTATION_COLOR_READ_TYPE: lambda context: [_preferred_read(context)[1]],
    gl.GL_MAX_VIEWPORT_DIMS: lambda context: [context.limits.max_viewport_dims] * 2,
    gl.GL_MAX_FRAMEBUFFER_WIDTH: lambda context: [context.limits.max_viewport_dims],
    gl.GL_MAX_FRAMEBUFFER_HEIGHT: lambda context: [context.limits.max_viewport_dims],
    gl.GL_MAX_FRAMEBUFFER_LAYERS: lambda context: [context.limits.max_array_texture_layers],
    gl.GL_MAX_FRAMEBUFFER_SAMPLES: lambda context: [context.limits.max_samples],
    gl.GL_ALIASED_LINE_WIDTH_RANGE: lambda context: context.limits.line_width_range,
    gl.GL_MAX_VERTEX_UNIFORM_COMPONENTS: lambda context: [4 * context.limits.max_vertex_uniform_vectors],
    gl.GL_MAX_FRAGMENT_UNIFORM_COMPONENTS: lambda context: [4 * context.limits.max_fragment_uniform_vectors],
    gl.GL_MAX_VARYING_COMPONENTS: lambda context: [4 * context.limits.max_varying_vectors],
    gl.GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS: lambda context: [
        4 * context.limits.max_vertex_uniform_vectors
        + context.limits.max_vertex_uniform_blocks * (context.limits.max_uniform_block_size // 4)
    ],
    gl.GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS: lambda context: [
        4 * context.limits.max_fragment_uniform_vectors
        + context.limits.max_fragment_uniform_blocks * (context.limits.max_uniform_block_size // 4)
    ],
    gl.GL_DEBUG_GROUP_STACK_DEPTH: lambda context: [len(context.debug_groups) + 1],
    gl.GL_DEBUG_LOGGED_MESSAGES: lambda context: [len(context.debug_messages)],
    gl.GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH: lambda context: [
        len(context.debug_messages[0][4].encode("utf-8", "surrogateescape")) + 1 if context.debug_messages else 0
    ],
    gl.GL_CLIP_ORIGIN: lambda context: [context.clip_origin],
    gl.GL_CLIP_DEPTH_MODE: lambda context: [context.clip_depth],
    gl.GL_RESET_NOTIFICATION_STRATEGY: lambda context: [gl.GL_NO_RESET_NOTIFICATION],
    gl.GL_CONTEXT_FLAGS: lambda context: [0],
    gl.GL_PATCH_VERTICES: lambda context: [context.patch_vertices],
    gl.GL_PATCH_DEFAULT_OUTER_LEVEL: lambda context: context.patch_outer_levels,
    gl.GL_PATCH_DEFAULT_INNER_LEVEL: lambda context: context.patch_inner_levels,
    gl.GL_MAX_PATCH_VERTICES: lambda context: [32],
    gl.GL_MAX_TESS_GEN_LEVEL: lambda context: [64],
    gl.GL_MAX_TESS_PATCH_COMPONENTS: lambda context: [120],
    gl.GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS: lambda context: [4096],
    **{
        pname: lambda context: [128]
        for pname in (
            gl.GL_MAX_TESS_CONTROL_INPUT_COMPONENTS,
            gl.GL_MAX_TESS_CONTROL_OUTPUT_COMPONENTS,
            gl.GL_MAX_TESS_EVALUATION_INPUT_COMPONENTS,
            gl.GL_MAX_TESS_EVALUATION_OUTPUT_COMPONENTS,
        )
    },
    gl.GL_MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS: lambda context: [context.limits.max_texture_image_units],
    gl.GL_MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS: lambda context: [context.limits.max_texture_image_units],
    gl.GL_MAX_TESS_CONTROL_UNIFORM_COMPONENTS: lambda context: [4 * context.limits.max_vertex_uniform_vectors],
    gl.GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS: lambda context: [4 * context.limits.max_vertex_uniform_vectors],
    gl.GL_MAX_TESS_CONTROL_UNIFORM_BLOCKS: lambda context: [context.limits.max_vertex_uniform_blocks],
    gl.GL_MAX_TESS_EVALUATION_UNIFORM_BLOCKS: lambda context: [context.limits.max_vertex_uniform_blocks],
    # Stages between vertices and fragments reach as much memory as the vertex stage.
    **{
        getattr(gl, f"GL_MAX_{stage}_{what.upper()}"): partial(_limit_of_vertices, what)
        for stage in ("GEOMETRY", "TESS_CONTROL", "TESS_EVALUATION")
        for what in ("shader_storage_blocks", "image_uniforms", "atomic_counters", "atomic_counter_buffers")
    },
    gl.GL_TIMESTAMP: lambda context: [0],
}
_GLES: dict[int, Getter] = {
    gl.GL_ALIASED_POINT_SIZE_RANGE: lambda context: context.limits.point_size_range,
    gl.GL_RED_BITS: lambda context: [_bits(context, 0)],
    gl.GL_GREEN_BITS: lambda context: [_bits(context, 1)],
    gl.GL_BLUE_BITS: lambda context: [_bits(context, 2)],
    gl.GL_ALPHA_BITS: lambda context: [_bits(context, 3)],
    gl.GL_DEPTH_BITS: lambda context: [_bits(context, 4)],
    gl.GL_STENCIL_BITS: lambda context: [_bits(context, 5)],
    gl.GL_SHADER_COMPILER: lambda context: [1],
    gl.GL_NUM_SHADER_BINARY_FORMATS: lambda context: [0],
    gl.GL_SHADER_BINARY_FORMATS: lambda context: [],
}
_DESKTOP: dict[int, Getter] = {
    gl.GL_DRAW_BUFFER: lambda context: [(context.draw_framebuffer.draw_buffers or [gl.GL_NONE])[0]],
    gl.GL_DOUBLEBUFFER: lambda context: [1],
    gl.GL_STEREO: lambda context: [0],
    gl.GL_CONTEXT_PROFILE_MASK: lambda context: [
        {1: gl.GL_CONTEXT_CORE_PROFILE_BIT, 2: gl.GL_CONTEXT_COMPATIBILITY_PROFILE_BIT}.get(context.config.profile, 0)
    ],
    gl.GL_POLYGON_MODE: lambda context: [context.polygon_mode] * 2,
    gl.GL_POINT_SIZE: lambda context: [context.point_size],
    gl.GL_PRIMITIVE_RESTART_INDEX: lambda context: [context.primitive_restart_index],
    gl.GL_PROVOKING_VERTEX: lambda context: [context.provoking_vertex],
    gl.GL_LOGIC_OP_MODE: lambda context: [context.logic_op],
    gl.GL_BLEND_SRC: lambda context: [context.blend[0].src_rgb],
    gl.GL_BLEND_DST: lambda context: [context.blend[0].dst_rgb],
    gl.GL_SMOOTH_LINE_WIDTH_RANGE: lambda context: context.limits.line_width_range,
    gl.GL_SMOOTH_LINE_WIDTH_GRANULARITY: lambda context: [0.125],
    gl.GL_POINT_SIZE_RANGE: lambda context: context.limits.point_size_range,
    gl.GL_POINT_SIZE_GRANULARITY: lambda context: [0.125],
    gl.GL_POINT_FADE_THRESHOLD_SIZE: lambda context: [1.0],
    gl.GL_POINT_SPRITE_COORD_ORIGIN: lambda context: [gl.GL_UPPER_LEFT],
    gl.GL_MAX_VARYING_FLOATS: lambda context: [4 * context.limits.max_varying_vectors],
    gl.GL_MAX_COLOR_TEXTURE_SAMPLES: lambda context: [context.limits.max_samples],
    gl.GL_MAX_DEPTH_TEXTURE_SAMPLES: lambda context: [context.limits.max_samples],
    gl.GL_MAX_GEOMETRY_INPUT_COMPONENTS: lambda context: [64],
    gl.GL_MAX_GEOMETRY_OUTPUT_COMPONENTS: lambda context: [128],
    gl.GL_MAX_GEOMETRY_OUTPUT_VERTICES: lambda context: [256],
    gl.GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS: lambda context: [1024],
    gl.GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS: lambda context: [16],
    gl.GL_MAX_GEOMETRY_UNIFORM_BLOCKS: lambda context: [12],
    gl.GL_MAX_GEOMETRY_UNIFORM_COMPONENTS: lambda context: [1024],
    gl.GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS: lambda context: [
        1024 + 12 * (context.limits.max_uniform_block_size // 4)
    ],
    gl.GL_CLAMP_READ_COLOR: lambda context: [gl.GL_FIXED_ONLY],
}
_BUFFER_BINDINGS = {
    gl.GL_ARRAY_BUFFER_BINDING: gl.GL_ARRAY_BUFFER,
    gl.GL_COPY_READ_BUFFER_BINDING: gl.GL_COPY_READ_BUFFER,
    gl.GL_COPY_WRITE_BUFFER_BINDING: gl.GL_COPY_WRITE_BUFFER,
    gl.GL_PIXEL_PACK_BUFFER_BINDING: gl.GL_PIXEL_PACK_BUFFER,
    gl.GL_PIXEL_UNPACK_BUFFER_BINDING: gl.GL_PIXEL_UNPACK_BUFFER,
    gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING: gl.GL_TRANSFORM_FEEDBACK_BUFFER,
    gl.GL_UNIFORM_BUFFER_BINDING: gl.GL_UNIFORM_BUFFER,
    gl.GL_DRAW_INDIRECT_BUFFER_BINDING: gl.GL_DRAW_INDIRECT_BUFFER,
    gl.GL_SHADER_STORAGE_BUFFER_BINDING: gl.GL_SHADER_STORAGE_BUFFER,
    gl.GL_ATOMIC_COUNTER_BUFFER_BINDING: gl.GL_ATOMIC_COUNTER_BUFFER,
    gl.GL_DISPATCH_INDIRECT_BUFFER_BINDING: gl.GL_DISPATCH_INDIRECT_BUFFER,
    gl.GL_TEXTURE_BUFFER_BINDING: gl.GL_TEXTURE_BUFFER,
}
_TEXTURE_BINDINGS = {
    gl.GL_TEXTURE_BINDING_2D: gl.GL_TEXTURE_2D,
    gl.GL_TEXTURE_BINDING_CUBE_MAP: gl.GL_TEXTURE_CUBE_MAP,
    gl.GL_TEXTURE_BINDING_3D: gl.GL_TEXTURE_3D,
    gl.GL_TEXTURE_BINDING_2D_ARRAY: gl.GL_TEXTURE_2D_ARRAY,
    gl.GL_TEXTURE_BINDING_2D_MULTISAMPLE: gl.GL_TEXTURE_2D_MULTISAMPLE,
    gl.GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY: gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
    gl.GL_TEXTURE_BINDING_CUBE_MAP_ARRAY: gl.GL_TEXTURE_CUBE_MAP_ARRAY,
    gl.GL_TEXTURE_BINDING_EXTERNAL_OES: gl.GL_TEXTURE_EXTERNAL_OES,
    gl.GL_TEXTURE_BINDING_BUFFER: gl.GL_TEXTURE_BUFFER,
    gl.GL_TEXTURE_BINDING_1D: gl.GL_TEXTURE_1D,
    gl.GL_TEXTURE_BINDING_1D_ARRAY: gl.GL_TEXTURE_1D_ARRAY,
    gl.GL_TEXTURE_BINDING_RECTANGLE: gl.GL_TEXTURE_RECTANGLE,
}
_DESKTOP_BINDINGS = frozenset(
    {gl.GL_TEXTURE_BINDING_1D, gl.GL_TEXTURE_BINDING_1D_ARRAY, gl.GL_TEXTURE_BINDING_RECTANGLE}
)


def _limit_getters() -> dict[int, str]:
    """Limits whose field is named as GL names the query."""
    found: dict[int, str] = {}
    for field in fields(Limits):
        if field.name in ("vendor", "renderer", "extensions"):
            continue
        pname = getattr(gl, f"GL_{field.name.upper()}", None)
        if isinstance(pname, int):
            found[pname] = field.name
    return found


_LIMITS = _limit_getters()


def _attachment_bits(attachment: Attachment | None, component: int) -> int:
    image = attachment.image if attachment is not None else None
    return FORMATS[image.format].bits[component] if image is not None else 0


def _bits(context: Context, component: int) -> int:
    framebuffer = context.draw_framebuffer
    if component == 4:
        return _attachment_bits(framebuffer.depth, component)
    if component == 5:
        return _attachment_bits(framebuffer.stencil, component)
    return _attachment_bits(next(iter(framebuffer.draw_attachments()), None), component)


def _stencil_ref(context: Context, ref: int) -> int:
    """Clamp a reference value to the stencil buffer's range, as queries report it."""
    return min(max(ref, 0), 255)


def _samples(context: Context) -> int:
    framebuffer: Framebuffer = context.draw_framebuffer
    for attachment in (*framebuffer.color, framebuffer.depth, framebuffer.stencil):
        image = attachment.image if attachment is not None else None
        if image is not None and attachment is not None:
            return image.samples or attachment.samples
    return 0


def _preferred_read(context: Context) -> tuple[int, int]:
    attachment = context.read_framebuffer.read_attachment()
    image = attachment.image if attachment is not None else None
    if image is None:
        raise invalid_operation("there is nothing to read from")
    return preferred_read(image)


def _compressed_formats(context: Context) -> list[int]:
    """Compressed formats that a program may use without looking further (no sRGB ones: their use needs care)."""
    return [name for name, format in FORMATS.items() if format.compressed]


def get_values(context: Context, pname: int) -> Values:
    """Value of a query, in the type that it is kept in."""
    getter = _ANY.get(pname) or (_GLES if context.is_gles else _DESKTOP).get(pname)
    if getter is None and not context.is_gles and context.config.profile != 1:
        getter = _GLES.get(pname)
    if getter is not None:
        return getter(context)
    field = _LIMITS.get(pname)
    if field is not None:
        limit = getattr(context.limits, field)
        return limit if isinstance(limit, tuple) else [limit]
    if is_capability(context, pname):
        return [int(pname in context.enabled)]
    target = _BUFFER_BINDINGS.get(pname)
    if target is not None:
        return [_name(context.buffers.get(target))]
    target = _TEXTURE_BINDINGS.get(pname)
    if target is not None and not (context.is_gles and pname in _DESKTOP_BINDINGS):
        return [context.units[context.active_unit].textures[target].name]
    if pname in PIXEL_STORE:
        place, name = PIXEL_STORE[pname]
        return [getattr(getattr(context, place), name)]
    if pname in (GLES_HINTS if context.is_gles else DESKTOP_HINTS | COMPATIBILITY_HINTS):
        return [context.hints.get(pname, gl.GL_DONT_CARE)]
    index = pname - gl.GL_DRAW_BUFFER0
    if 0 <= index < context.limits.max_draw_buffers:
        buffers = context.draw_framebuffer.draw_buffers
        return [buffers[index] if index < len(buffers) else gl.GL_NONE]
    raise invalid_enum(f"pname {pname:#x}")


def _to_integer(pname: int, value: float) -> int:
    if isinstance(value, int):
        return value
    if pname in _NORMALIZED:
        # ES 3.0.6 equation 2.4, backwards: 1.0 becomes the largest integer.
        return nearest(min(max(value, -1.0), 1.0) * 2147483647.0)
    return nearest(value)


@handles("glGetIntegerv", touches=Changes.NOTHING)
def get_integer(tracker: Tracker, context: Context, pname: int, _: object) -> None:
    tracker.outputs["data"] = ints_out([_to_integer(pname, value) for value in get_values(context, pname)])


#: What can always be asked for: a query of it has no effect.
HARMLESS = frozenset(_ANY) - {gl.GL_IMPLEMENTATION_COLOR_READ_FORMAT, gl.GL_IMPLEMENTATION_COLOR_READ_TYPE}


@prepares("glGetIntegerv")
def prepare_integers(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared:
    return answer_nobody, [() if pname in HARMLESS else None for pname, _ in arguments]


def answer_nobody(tracker: Tracker, context: Context) -> None:
    """Where calls are played from their rows nobody looks at answers."""


@handles("glGetInteger64v", touches=Changes.NOTHING)
def get_integer_64(tracker: Tracker, context: Context, pname: int, _: object) -> None:
    tracker.outputs["data"] = longs_out([_to_integer(pname, value) for value in get_values(context, pname)])


@handles("glGetFloatv", touches=Changes.NOTHING)
def get_float(tracker: Tracker, context: Context, pname: int, _: object) -> None:
    tracker.outputs["data"] = floats_out(get_values(context, pname))


@handles("glGetBooleanv", touches=Changes.NOTHING)
def get_boolean(tracker: Tracker, context: Context, pname: int, _: object) -> None:
    tracker.outputs["data"] = bytes(int(value != 0) for value in get_values(context, pname))


def _indexed(context: Context, pname: int, index: int) -> list[int]:
    """Value of an indexed query."""
    uniform = {gl.GL_UNIFORM_BUFFER_BINDING: 0, gl.GL_UNIFORM_BUFFER_START: 1, gl.GL_UNIFORM_BUFFER_SIZE: 2}
    feedback = {
        gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING: 0,
        gl.GL_TRANSFORM_FEEDBACK_BUFFER_START: 1,
        gl.GL_TRANSFORM_FEEDBACK_BUFFER_SIZE: 2,
    }
    storage = {
        gl.GL_SHADER_STORAGE_BUFFER_BINDING: 0,
        gl.GL_SHADER_STORAGE_BUFFER_START: 1,
        gl.GL_SHADER_STORAGE_BUFFER_SIZE: 2,
    }
    for fields_of, points in (
        (uniform, context.uniform_buffers),
        (feedback, context.transform_feedback.bindings),
        (storage, context.storage_buffers),
    ):
        if pname in fields_of:
            if not 0 <= index < len(points):
                raise invalid_value(f"binding point {index}")
            point = points[index]
            return [(_name(point.buffer), point.offset, point.size)[fields_of[pname]]]
    work_groups = {
        gl.GL_MAX_COMPUTE_WORK_GROUP_COUNT: (context.limits.max_compute_work_groups,) * 3,
        gl.GL_MAX_COMPUTE_WORK_GROUP_SIZE: (1024, 1024, 64),
    }
    if pname in work_groups:
        if not 0 <= index < 3:
            raise invalid_value(f"dimension {index}")
        return [work_groups[pname][index]]
    if pname in (gl.GL_BLEND, gl.GL_COLOR_WRITEMASK) or gl.GL_BLEND_DST_RGB <= pname <= gl.GL_BLEND_SRC_ALPHA:
        if not 0 <= index < context.limits.max_draw_buffers:
            raise invalid_value(f"draw buffer {index}")
        blend = context.blend[index]
        if pname == gl.GL_COLOR_WRITEMASK:
            return [int(flag) for flag in context.color_masks[index]]
        return [
            {
                gl.GL_BLEND: int(context.blend_enabled[index]),
                gl.GL_BLEND_SRC_RGB: blend.src_rgb,
                gl.GL_BLEND_DST_RGB: blend.dst_rgb,
                gl.GL_BLEND_SRC_ALPHA: blend.src_alpha,
                gl.GL_BLEND_DST_ALPHA: blend.dst_alpha,
            }[pname]
        ]
    if pname in (gl.GL_BLEND_EQUATION_RGB, gl.GL_BLEND_EQUATION_ALPHA):
        if not 0 <= index < context.limits.max_draw_buffers:
            raise invalid_value(f"draw buffer {index}")
        blend = context.blend[index]
        return [blend.equation_rgb if pname == gl.GL_BLEND_EQUATION_RGB else blend.equation_alpha]
    if pname == gl.GL_SAMPLE_MASK_VALUE:
        if index >= context.limits.max_sample_mask_words:
            raise invalid_value(f"mask word {index}")
        return [context.sample_mask]
    raise invalid_enum(f"pname {pname:#x}")


@handles("glGetIntegeri_v", touches=Changes.NOTHING)
def get_integer_indexed(tracker: Tracker, context: Context, pname: int, index: int, _: object) -> None:
    tracker.outputs["data"] = ints_out(_indexed(context, pname, index))


@handles("glGetInteger64i_v", touches=Changes.NOTHING)
def get_integer_64_indexed(tracker: Tracker, context: Context, pname: int, index: int, _: object) -> None:
    tracker.outputs["data"] = longs_out(_indexed(context, pname, index))


@handles("glGetBooleani_v", touches=Changes.NOTHING)
def get_boolean_indexed(tracker: Tracker, context: Context, pname: int, index: int, _: object) -> None:
    tracker.outputs["data"] = bytes(int(value != 0) for value in _indexed(context, pname, index))


@handles("glGetInternalformativ", touches=Changes.NOTHING)
def get_internal_format(
    tracker: Tracker, context: Context, target: int, internal: int, pname: int, count: int, _: object
) -> None:
    if target not in (gl.GL_RENDERBUFFER, *MULTISAMPLED) and context.is_gles:
        raise invalid_enum(f"target {target:#x}")
    if count < 0:
        raise invalid_value(f"buffer size {count}")
    format = FORMATS.get(internal)
    if context.is_gles and (format is None or not format.renderable):
        raise invalid_enum(f"internal format {internal:#x} cannot be rendered to")
    samples = [context.limits.max_samples] if format is not None and not format.is_integer else []
    if pname == gl.GL_NUM_SAMPLE_COUNTS:
        values = [len(samples)]
    elif pname == gl.GL_SAMPLES:
        values = samples
    else:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = ints_out(values[:count])
