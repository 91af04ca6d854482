"""Capabilities, rasterization and depth/stencil state, viewport and scissor, hints and pixel store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_value
from traceformat.gles.objects import MAX_COLOR_ATTACHMENTS
from traceformat.gles.state import Changes, Context, StencilFace
from traceformat.gles.values import floats, nearest

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

__all__ = ["DESKTOP_CAPABILITIES", "GLES_CAPABILITIES", "clamp", "is_capability"]

GLES_CAPABILITIES = frozenset(
    {
        gl.GL_BLEND,
        gl.GL_BLEND_ADVANCED_COHERENT_KHR,
        gl.GL_CULL_FACE,
        gl.GL_DEBUG_OUTPUT,
        gl.GL_DEBUG_OUTPUT_SYNCHRONOUS,
        gl.GL_DEPTH_TEST,
        gl.GL_DITHER,
        gl.GL_FRAMEBUFFER_SRGB,
        gl.GL_POLYGON_OFFSET_FILL,
        gl.GL_PRIMITIVE_RESTART_FIXED_INDEX,
        gl.GL_RASTERIZER_DISCARD,
        gl.GL_SAMPLE_ALPHA_TO_COVERAGE,
        gl.GL_SAMPLE_COVERAGE,
        gl.GL_SAMPLE_MASK,
        gl.GL_SAMPLE_SHADING,
        gl.GL_SCISSOR_TEST,
        gl.GL_STENCIL_TEST,
    }
)
DESKTOP_CAPABILITIES = GLES_CAPABILITIES | {
    gl.GL_COLOR_LOGIC_OP,
    gl.GL_DEPTH_CLAMP,
    gl.GL_LINE_SMOOTH,
    gl.GL_MULTISAMPLE,
    gl.GL_POLYGON_OFFSET_LINE,
    gl.GL_POLYGON_OFFSET_POINT,
    gl.GL_POLYGON_SMOOTH,
    gl.GL_PRIMITIVE_RESTART,
    gl.GL_PROGRAM_POINT_SIZE,
    gl.GL_SAMPLE_ALPHA_TO_ONE,
    gl.GL_TEXTURE_CUBE_MAP_SEAMLESS,
    *(gl.GL_CLIP_DISTANCE0 + index for index in range(8)),
}
#: What a compatibility context may switch on without any effect on programmable rendering.
INERT_CAPABILITIES = frozenset(
    {
        gl.GL_TEXTURE_1D,
        gl.GL_TEXTURE_2D,
        gl.GL_TEXTURE_3D,
        gl.GL_TEXTURE_CUBE_MAP,
        gl.GL_POINT_SPRITE,
        gl.GL_POINT_SMOOTH,
        gl.GL_NORMALIZE,
        gl.GL_RESCALE_NORMAL,
    }
)
#: Fixed-function stages: switching one on changes pictures in a way that this version does not draw.
FIXED_FUNCTION = {
    gl.GL_ALPHA_TEST: "GL_ALPHA_TEST",
    gl.GL_LIGHTING: "GL_LIGHTING",
    gl.GL_FOG: "GL_FOG",
    gl.GL_COLOR_MATERIAL: "GL_COLOR_MATERIAL",
    gl.GL_LINE_STIPPLE: "GL_LINE_STIPPLE",
    gl.GL_POLYGON_STIPPLE: "GL_POLYGON_STIPPLE",
}
COMPARISONS = frozenset(range(gl.GL_NEVER, gl.GL_ALWAYS + 1))
STENCIL_ACTIONS = frozenset(
    {
        gl.GL_KEEP,
        gl.GL_ZERO,
        gl.GL_REPLACE,
        gl.GL_INCR,
        gl.GL_INCR_WRAP,
        gl.GL_DECR,
        gl.GL_DECR_WRAP,
        gl.GL_INVERT,
    }
)
FACES = frozenset({gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK})
HINT_MODES = frozenset({gl.GL_FASTEST, gl.GL_NICEST, gl.GL_DONT_CARE})
GLES_HINTS = frozenset({gl.GL_GENERATE_MIPMAP_HINT, gl.GL_FRAGMENT_SHADER_DERIVATIVE_HINT})
DESKTOP_HINTS = frozenset(
    {
        gl.GL_FRAGMENT_SHADER_DERIVATIVE_HINT,
        gl.GL_LINE_SMOOTH_HINT,
        gl.GL_POLYGON_SMOOTH_HINT,
        gl.GL_TEXTURE_COMPRESSION_HINT,
    }
)
COMPATIBILITY_HINTS = frozenset({gl.GL_GENERATE_MIPMAP_HINT, gl.GL_PERSPECTIVE_CORRECTION_HINT, gl.GL_FOG_HINT})


def clamp(value: float) -> float:
    """Clamp to 0 ... 1; what is not a number becomes 0."""
    return value if 0.0 <= value <= 1.0 else (1.0 if value > 1.0 else 0.0)


def is_capability(context: Context, capability: int) -> bool:
    """Whether glEnable knows it in this context."""
    if context.config.api == 0:
        return capability in GLES_CAPABILITIES
    return capability in DESKTOP_CAPABILITIES


def _switch_compatibility(tracker: Tracker, context: Context, capability: int, on: bool) -> None:
    if not context.is_gles and context.config.profile != 1:
        if capability in INERT_CAPABILITIES:
            (context.enabled.add if on else context.enabled.discard)(capability)
            context.changes.bits |= Changes.FIXED
            return
        if capability in FIXED_FUNCTION:
            if on:
                what = f"glEnable({FIXED_FUNCTION[capability]})"
                raise UnsupportedCallError(
                    f"call {tracker.call.number}: {what} is fixed function, not portable to GLES"
                )
            return
    raise invalid_enum(f"capability {capability:#x}")


@handles("glEnable", touches=Changes.NOTHING)
def enable(tracker: Tracker, context: Context, capability: int) -> None:
    if capability not in (GLES_CAPABILITIES if context.config.api == 0 else DESKTOP_CAPABILITIES):
        _switch_compatibility(tracker, context, capability, True)
        return
    if capability not in context.enabled:
        context.enabled.add(capability)
        context.changes.bits |= Changes.FIXED
    if capability == gl.GL_BLEND and not all(context.blend_enabled):
        context.blend_enabled = [True] * MAX_COLOR_ATTACHMENTS
        context.changes.bits |= Changes.FIXED


@handles("glDisable", touches=Changes.NOTHING)
def disable(tracker: Tracker, context: Context, capability: int) -> None:
    if capability not in (GLES_CAPABILITIES if context.config.api == 0 else DESKTOP_CAPABILITIES):
        _switch_compatibility(tracker, context, capability, False)
        return
    if capability in context.enabled:
        context.enabled.discard(capability)
        context.changes.bits |= Changes.FIXED
    if capability == gl.GL_BLEND and any(context.blend_enabled):
        context.blend_enabled = [False] * MAX_COLOR_ATTACHMENTS
        context.changes.bits |= Changes.FIXED


@handles("glIsEnabled", touches=Changes.NOTHING)
def is_enabled(tracker: Tracker, context: Context, capability: int) -> int:
    if not is_capability(context, capability) and (
        context.is_gles
        or context.config.profile == 1
        or (capability not in INERT_CAPABILITIES and capability not in FIXED_FUNCTION)
    ):
        raise invalid_enum(f"capability {capability:#x}")
    return int(capability in context.enabled)


@handles("glDepthFunc", touches=Changes.FIXED)
def depth_func(tracker: Tracker, context: Context, func: int) -> None:
    if func not in COMPARISONS:
        raise invalid_enum(f"func {func:#x}")
    context.depth_func = func


@handles("glDepthMask", touches=Changes.FIXED)
def depth_mask(tracker: Tracker, context: Context, flag: int) -> None:
    context.depth_mask = bool(flag)


@handles("glClipControl", touches=Changes.FIXED)
def clip_control(tracker: Tracker, context: Context, origin: int, depth: int) -> None:
    if origin not in (gl.GL_LOWER_LEFT, gl.GL_UPPER_LEFT):
        raise invalid_enum(f"origin {origin:#x}")
    if depth not in (gl.GL_NEGATIVE_ONE_TO_ONE, gl.GL_ZERO_TO_ONE):
        raise invalid_enum(f"depth {depth:#x}")
    context.clip_origin, context.clip_depth = origin, depth


@handles("glDepthRangef", touches=Changes.FIXED)
def depth_range(tracker: Tracker, context: Context, near: float, far: float) -> None:
    context.depth_range = (clamp(near), clamp(far))


@handles("glClearDepthf", touches=Changes.NOTHING)
def clear_depth(tracker: Tracker, context: Context, depth: float) -> None:
    context.clear_depth = clamp(depth)


@handles("glClearStencil", touches=Changes.NOTHING)
def clear_stencil(tracker: Tracker, context: Context, stencil: int) -> None:
    context.clear_stencil = stencil


@handles("glClearColor", touches=Changes.NOTHING)
def clear_color(tracker: Tracker, context: Context, red: float, green: float, blue: float, alpha: float) -> None:
    context.clear_color = (red, green, blue, alpha)


def _faces(context: Context, face: int) -> tuple[StencilFace, ...]:
    if face == gl.GL_FRONT_AND_BACK:
        return context.stencil_front, context.stencil_back
    if face == gl.GL_FRONT:
        return (context.stencil_front,)
    if face == gl.GL_BACK:
        return (context.stencil_back,)
    raise invalid_enum(f"face {face:#x}")


@handles("glStencilFuncSeparate", touches=Changes.FIXED)
def stencil_func_separate(tracker: Tracker, context: Context, face: int, func: int, ref: int, mask: int) -> None:
    if func not in COMPARISONS:
        raise invalid_enum(f"func {func:#x}")
    for side in _faces(context, face):
        side.func = func
        side.ref = ref
        side.value_mask = mask & 0xFFFFFFFF


@handles("glStencilFunc", touches=Changes.FIXED)
def stencil_func(tracker: Tracker, context: Context, func: int, ref: int, mask: int) -> None:
    stencil_func_separate(tracker, context, gl.GL_FRONT_AND_BACK, func, ref, mask)


@handles("glStencilOpSeparate", touches=Changes.FIXED)
def stencil_op_separate(
    tracker: Tracker, context: Context, face: int, fail: int, depth_fail: int, depth_pass: int
) -> None:
    if fail not in STENCIL_ACTIONS or depth_fail not in STENCIL_ACTIONS or depth_pass not in STENCIL_ACTIONS:
        raise invalid_enum(f"stencil action {fail:#x}, {depth_fail:#x} or {depth_pass:#x}")
    for side in _faces(context, face):
        side.fail = fail
        side.depth_fail = depth_fail
        side.depth_pass = depth_pass


@handles("glStencilOp", touches=Changes.FIXED)
def stencil_op(tracker: Tracker, context: Context, fail: int, depth_fail: int, depth_pass: int) -> None:
    stencil_op_separate(tracker, context, gl.GL_FRONT_AND_BACK, fail, depth_fail, depth_pass)


@handles("glStencilMaskSeparate", touches=Changes.FIXED)
def stencil_mask_separate(tracker: Tracker, context: Context, face: int, mask: int) -> None:
    for side in _faces(context, face):
        side.write_mask = mask & 0xFFFFFFFF


@handles("glStencilMask", touches=Changes.FIXED)
def stencil_mask(tracker: Tracker, context: Context, mask: int) -> None:
    stencil_mask_separate(tracker, context, gl.GL_FRONT_AND_BACK, mask)


@handles("glCullFace", touches=Changes.FIXED)
def cull_face(tracker: Tracker, context: Context, mode: int) -> None:
    if mode not in FACES:
        raise invalid_enum(f"mode {mode:#x}")
    context.cull_mode = mode


@handles("glFrontFace", touches=Changes.FIXED)
def front_face(tracker: Tracker, context: Context, mode: int) -> None:
    if mode not in (gl.GL_CW, gl.GL_CCW):
        raise invalid_enum(f"mode {mode:#x}")
    context.front_face = mode


@handles("glViewport", touches=Changes.FIXED)
def viewport(tracker: Tracker, context: Context, x: int, y: int, width: int, height: int) -> None:
    if width < 0 or height < 0:
        raise invalid_value(f"size {width} x {height}")
    largest = context.limits.max_viewport_dims
    context.viewport = (x, y, min(width, largest), min(height, largest))


@handles("glScissor", touches=Changes.FIXED)
def scissor(tracker: Tracker, context: Context, x: int, y: int, width: int, height: int) -> None:
    if width < 0 or height < 0:
        raise invalid_value(f"size {width} x {height}")
    context.scissor = (x, y, width, height)


@handles("glLineWidth", touches=Changes.FIXED)
def line_width(tracker: Tracker, context: Context, width: float) -> None:
    if not width > 0.0:
        raise invalid_value(f"width {width}")
    context.line_width = width


@handles("glPolygonOffset", touches=Changes.FIXED)
def polygon_offset(tracker: Tracker, context: Context, factor: float, units: float) -> None:
    context.polygon_offset_factor = factor
    context.polygon_offset_units = units


@handles("glSampleCoverage", touches=Changes.FIXED)
def sample_coverage(tracker: Tracker, context: Context, value: float, invert: int) -> None:
    context.sample_coverage_value = clamp(value)
    context.sample_coverage_invert = bool(invert)


@handles("glSampleMaski", touches=Changes.FIXED)
def sample_mask(tracker: Tracker, context: Context, index: int, mask: int) -> None:
    if index >= context.limits.max_sample_mask_words:
        raise invalid_value(f"mask word {index}")
    context.sample_mask = mask & 0xFFFFFFFF


@handles("glHint", touches=Changes.NOTHING)
def hint(tracker: Tracker, context: Context, target: int, mode: int) -> None:
    if context.is_gles:
        known = target in GLES_HINTS
    else:
        known = target in DESKTOP_HINTS or (context.config.profile != 1 and target in COMPATIBILITY_HINTS)
    if not known or mode not in HINT_MODES:
        raise invalid_enum(f"hint {target:#x} = {mode:#x}")
    context.hints[target] = mode


PIXEL_STORE = {
    gl.GL_PACK_ALIGNMENT: ("pack", "alignment"),
    gl.GL_PACK_ROW_LENGTH: ("pack", "row_length"),
    gl.GL_PACK_SKIP_ROWS: ("pack", "skip_rows"),
    gl.GL_PACK_SKIP_PIXELS: ("pack", "skip_pixels"),
    gl.GL_PACK_IMAGE_HEIGHT: ("pack", "image_height"),
    gl.GL_PACK_SKIP_IMAGES: ("pack", "skip_images"),
    gl.GL_UNPACK_ALIGNMENT: ("unpack", "alignment"),
    gl.GL_UNPACK_ROW_LENGTH: ("unpack", "row_length"),
    gl.GL_UNPACK_IMAGE_HEIGHT: ("unpack", "image_height"),
    gl.GL_UNPACK_SKIP_ROWS: ("unpack", "skip_rows"),
    gl.GL_UNPACK_SKIP_PIXELS: ("unpack", "skip_pixels"),
    gl.GL_UNPACK_SKIP_IMAGES: ("unpack", "skip_images"),
}
_DESKTOP_STORE = frozenset({gl.GL_PACK_IMAGE_HEIGHT, gl.GL_PACK_SKIP_IMAGES})
_BYTE_ORDER = frozenset({gl.GL_PACK_SWAP_BYTES, gl.GL_PACK_LSB_FIRST, gl.GL_UNPACK_SWAP_BYTES, gl.GL_UNPACK_LSB_FIRST})


@handles("glPixelStorei", touches=Changes.NOTHING)
def pixel_store(tracker: Tracker, context: Context, pname: int, value: int) -> None:
    place = PIXEL_STORE.get(pname)
    if place is None or (context.is_gles and pname in _DESKTOP_STORE):
        if not context.is_gles and pname in _BYTE_ORDER:
            if value:
                raise UnsupportedCallError(
                    f"call {tracker.call.number}: glPixelStorei({pname:#x}, {value}) is not supported"
                )
            return
        raise invalid_enum(f"pname {pname:#x}")
    if place[1] == "alignment":
        if value not in (1, 2, 4, 8):
            raise invalid_value(f"alignment {value}")
    elif value < 0:
        raise invalid_value(f"value {value}")
    setattr(getattr(context, place[0]), place[1], value)


@handles("glPixelStoref", touches=Changes.NOTHING)
def pixel_store_float(tracker: Tracker, context: Context, pname: int, value: float) -> None:
    pixel_store(tracker, context, pname, nearest(value))


@handles("glPatchParameteri", touches=Changes.FIXED)
def patch_parameter(tracker: Tracker, context: Context, pname: int, value: int) -> None:
    if pname != gl.GL_PATCH_VERTICES:
        raise invalid_enum(f"pname {pname:#x}")
    if not 0 < value <= 32:
        raise invalid_value(f"{value} vertices")
    context.patch_vertices = value


@handles("glPatchParameterfv", touches=Changes.FIXED)
def patch_levels(tracker: Tracker, context: Context, pname: int, values: object) -> None:
    if context.is_gles or pname not in (gl.GL_PATCH_DEFAULT_OUTER_LEVEL, gl.GL_PATCH_DEFAULT_INNER_LEVEL):
        raise invalid_enum(f"pname {pname:#x}")
    if pname == gl.GL_PATCH_DEFAULT_OUTER_LEVEL:
        context.patch_outer_levels = floats(values, 4)
    else:
        context.patch_inner_levels = floats(values, 2)


@handles("glMinSampleShading", touches=Changes.FIXED)
def min_sample_shading(tracker: Tracker, context: Context, value: float) -> None:
    context.min_sample_shading = clamp(value)


@handles(
    "glPrimitiveBoundingBox",
    "glReleaseShaderCompiler",
    "glMaxShaderCompilerThreadsKHR",
    "glBlendBarrier",
    touches=Changes.FIXED,
)
def without_effect(tracker: Tracker, context: Context, *_: float) -> None:
    """Hints to the implementation that never change a picture here."""


@handles("glTextureBarrier", touches=Changes.FIXED)
def barrier(tracker: Tracker, context: Context) -> None:
    """Everything is executed in order anyway."""


#: What fragments may have left for fragments at their own place (ES 3.1 §7.11.2), and all that may be waited for.
_OF_REGIONS = (
    gl.GL_ATOMIC_COUNTER_BARRIER_BIT
    | gl.GL_FRAMEBUFFER_BARRIER_BIT
    | gl.GL_SHADER_IMAGE_ACCESS_BARRIER_BIT
    | gl.GL_SHADER_STORAGE_BARRIER_BIT
    | gl.GL_TEXTURE_FETCH_BARRIER_BIT
    | gl.GL_UNIFORM_BARRIER_BIT
)
_BARRIERS = (
    _OF_REGIONS
    | gl.GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT
    | gl.GL_ELEMENT_ARRAY_BARRIER_BIT
    | gl.GL_COMMAND_BARRIER_BIT
    | gl.GL_PIXEL_BUFFER_BARRIER_BIT
    | gl.GL_TEXTURE_UPDATE_BARRIER_BIT
    | gl.GL_BUFFER_UPDATE_BARRIER_BIT
    | gl.GL_TRANSFORM_FEEDBACK_BARRIER_BIT
    | gl.GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT
    | gl.GL_QUERY_BUFFER_BARRIER_BIT
)


def _check_barriers(bits: int, known: int) -> None:
    if bits & 0xFFFFFFFF != gl.GL_ALL_BARRIER_BITS and bits & ~known:
        raise invalid_value(f"barriers {bits:#x}")


@handles("glMemoryBarrier", touches=Changes.FIXED)
def memory_barrier(tracker: Tracker, context: Context, bits: int) -> None:
    _check_barriers(bits, _BARRIERS)
    tracker.backend.memory_barrier(context)


@handles("glMemoryBarrierByRegion", touches=Changes.FIXED)
def memory_barrier_by_region(tracker: Tracker, context: Context, bits: int) -> None:
    """Of fragments at one place, which a tile has in order."""
    _check_barriers(bits, _OF_REGIONS)
