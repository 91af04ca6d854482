"""Implementation limits, strings and extensions of the device that the tracker answers for.

:data:`GLES_LIMITS` describes an OpenGL ES 3.0 device: numbers above the minimum of ES 3.0.6 §6.2 are those of the
usual mobile parts
(4096 texels were the rule for the papers' Mali-450; ES 3.0 parts of its successors have 8192).
:data:`DESKTOP_LIMITS` is what a GL 3.3 core program finds.
``max_*_bytes``, ``max_contexts`` and ``max_names`` are guards of ours against hostile traces, not GL limits; a user may
raise them (:mod:`traceformat.guards`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from traceformat.guards import guards

__all__ = ["DESKTOP_LIMITS", "GLES_LIMITS", "Limits", "guarded", "recorded", "shown_extensions"]

_GLES_EXTENSIONS = (
    "GL_EXT_color_buffer_float",
    "GL_EXT_debug_label",
    "GL_EXT_debug_marker",
    "GL_EXT_discard_framebuffer",
    "GL_EXT_draw_buffers",
    "GL_EXT_map_buffer_range",
    "GL_EXT_multisampled_render_to_texture",
    "GL_EXT_occlusion_query_boolean",
    "GL_EXT_sRGB",
    "GL_EXT_sRGB_write_control",
    "GL_EXT_shader_texture_lod",
    "GL_EXT_texture_compression_rgtc",
    "GL_EXT_texture_compression_s3tc",
    "GL_EXT_texture_cube_map_array",
    "GL_EXT_texture_filter_anisotropic",
    "GL_EXT_texture_format_BGRA8888",
    "GL_EXT_texture_rg",
    "GL_EXT_texture_storage",
    "GL_EXT_unpack_subimage",
    "GL_KHR_blend_equation_advanced",
    "GL_KHR_blend_equation_advanced_coherent",
    "GL_KHR_debug",
    "GL_KHR_texture_compression_astc_ldr",
    "GL_OES_compressed_ETC1_RGB8_texture",
    "GL_OES_depth24",
    "GL_OES_depth_texture",
    "GL_OES_element_index_uint",
    "GL_OES_mapbuffer",
    "GL_OES_packed_depth_stencil",
    "GL_OES_rgb8_rgba8",
    "GL_OES_standard_derivatives",
    "GL_OES_texture_cube_map_array",
    "GL_OES_texture_float",
    "GL_OES_texture_float_linear",
    "GL_OES_texture_half_float",
    "GL_OES_texture_half_float_linear",
    "GL_OES_texture_npot",
    "GL_OES_texture_storage_multisample_2d_array",
    "GL_OES_vertex_array_object",
    "GL_OES_vertex_half_float",
)

_DESKTOP_EXTENSIONS = (
    "GL_ARB_ES2_compatibility",
    "GL_ARB_blend_func_extended",
    "GL_ARB_buffer_storage",
    "GL_ARB_copy_buffer",
    "GL_ARB_debug_output",
    "GL_ARB_depth_buffer_float",
    "GL_ARB_depth_clamp",
    "GL_ARB_draw_elements_base_vertex",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_framebuffer_no_attachments",
    "GL_ARB_framebuffer_object",
    "GL_ARB_framebuffer_sRGB",
    "GL_ARB_half_float_vertex",
    "GL_ARB_instanced_arrays",
    "GL_ARB_map_buffer_range",
    "GL_ARB_occlusion_query2",
    "GL_ARB_sampler_objects",
    "GL_ARB_seamless_cube_map",
    "GL_ARB_sync",
    "GL_ARB_texture_compression_rgtc",
    "GL_ARB_texture_cube_map_array",
    "GL_ARB_texture_float",
    "GL_ARB_texture_multisample",
    "GL_ARB_texture_non_power_of_two",
    "GL_ARB_texture_rectangle",
    "GL_ARB_texture_rg",
    "GL_ARB_texture_storage",
    "GL_ARB_texture_storage_multisample",
    "GL_ARB_texture_swizzle",
    "GL_ARB_uniform_buffer_object",
    "GL_ARB_vertex_array_object",
    "GL_EXT_bgra",
    "GL_EXT_debug_label",
    "GL_EXT_debug_marker",
    "GL_EXT_texture_compression_s3tc",
    "GL_EXT_texture_filter_anisotropic",
    "GL_KHR_blend_equation_advanced",
    "GL_KHR_blend_equation_advanced_coherent",
    "GL_KHR_debug",
)

#: What is an extension to older versions of desktop GL, which do not show it, and part of the version (40 is 4.0) from
#: which on it is all there.
_DESKTOP_FROM_VERSION: Final = {
    "GL_ARB_draw_indirect": 40,
    "GL_ARB_tessellation_shader": 40,
    "GL_ARB_texture_gather": 40,
    "GL_ARB_texture_query_lod": 40,
    "GL_ARB_base_instance": 42,
    "GL_ARB_internalformat_query": 42,
    "GL_ARB_shader_image_load_store": 42,
    "GL_ARB_shading_language_420pack": 42,
    "GL_ARB_arrays_of_arrays": 43,
    "GL_ARB_clear_buffer_object": 43,
    "GL_ARB_compute_shader": 43,
    "GL_ARB_copy_image": 43,
    "GL_ARB_invalidate_subdata": 43,
    "GL_ARB_multi_draw_indirect": 43,
    "GL_ARB_shader_image_size": 43,
    "GL_ARB_shader_storage_buffer_object": 43,
    "GL_ARB_stencil_texturing": 43,
    "GL_ARB_texture_buffer_range": 43,
    "GL_ARB_clear_texture": 44,
    "GL_ARB_multi_bind": 44,
    "GL_ARB_clip_control": 45,
    "GL_ARB_texture_barrier": 45,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What an implementation may choose. Names follow the GL queries (``max_texture_size`` answers
    GL_MAX_TEXTURE_SIZE).
    """

    vendor: str = "gpureplay"
    renderer: str = "gpureplay null driver"
    extensions: tuple[str, ...] = _GLES_EXTENSIONS
    max_texture_size: int = 8192
    max_3d_texture_size: int = 2048
    max_cube_map_texture_size: int = 8192
    max_array_texture_layers: int = 2048
    max_rectangle_texture_size: int = 8192
    max_texture_buffer_size: int = 65536
    texture_buffer_offset_alignment: int = 16
    max_texture_lod_bias: float = 16.0
    max_texture_max_anisotropy: float = 16.0
    max_renderbuffer_size: int = 8192
    max_viewport_dims: int = 8192
    max_samples: int = 4
    max_integer_samples: int = 4
    max_color_attachments: int = 8
    max_draw_buffers: int = 8
    max_vertex_attribs: int = 16
    max_vertex_uniform_vectors: int = 256
    max_fragment_uniform_vectors: int = 224
    max_varying_vectors: int = 15
    max_vertex_output_components: int = 64
    max_fragment_input_components: int = 60
    max_vertex_texture_image_units: int = 16
    max_texture_image_units: int = 16
    max_combined_texture_image_units: int = 32
    max_vertex_uniform_blocks: int = 12
    max_fragment_uniform_blocks: int = 12
    max_combined_uniform_blocks: int = 24
    max_uniform_buffer_bindings: int = 36
    max_uniform_block_size: int = 65536
    uniform_buffer_offset_alignment: int = 16
    max_vertex_shader_storage_blocks: int = 16
    max_fragment_shader_storage_blocks: int = 16
    max_vertex_image_uniforms: int = 8
    max_fragment_image_uniforms: int = 8
    max_combined_image_uniforms: int = 16
    max_combined_shader_output_resources: int = 32
    max_vertex_atomic_counter_buffers: int = 8
    max_fragment_atomic_counter_buffers: int = 8
    max_combined_atomic_counter_buffers: int = 8
    max_vertex_atomic_counters: int = 8
    max_fragment_atomic_counters: int = 8
    max_combined_atomic_counters: int = 8
    max_geometry_shader_invocations: int = 32
    max_compute_work_groups: int = 65535
    max_compute_work_group_invocations: int = 1024
    max_compute_shared_memory_size: int = 32768
    max_compute_uniform_components: int = 1024
    max_compute_uniform_blocks: int = 12
    max_compute_texture_image_units: int = 16
    max_compute_image_uniforms: int = 8
    max_compute_shader_storage_blocks: int = 16
    max_compute_atomic_counter_buffers: int = 8
    max_compute_atomic_counters: int = 8
    max_combined_shader_storage_blocks: int = 16
    max_shader_storage_buffer_bindings: int = 32
    max_shader_storage_block_size: int = 1 << 27
    shader_storage_buffer_offset_alignment: int = 4
    max_atomic_counter_buffer_bindings: int = 8
    max_image_units: int = 8
    max_transform_feedback_interleaved_components: int = 64
    max_transform_feedback_separate_attribs: int = 4
    max_transform_feedback_separate_components: int = 4
    min_program_texel_offset: int = -8
    max_program_texel_offset: int = 7
    max_elements_vertices: int = 65536
    max_elements_indices: int = 65536
    max_element_index: int = 0xFFFFFFFF
    max_server_wait_timeout: int = 0
    subpixel_bits: int = 8
    line_width_range: tuple[float, float] = (1.0, 16.0)
    point_size_range: tuple[float, float] = (1.0, 255.0)
    max_dual_source_draw_buffers: int = 1
    max_clip_distances: int = 8
    max_sample_mask_words: int = 1
    max_label_length: int = 256
    max_debug_message_length: int = 4096
    max_debug_logged_messages: int = 16
    max_debug_group_stack_depth: int = 64
    max_buffer_bytes: int = 1 << 30
    max_image_bytes: int = 1 << 30
    max_total_bytes: int = 4 << 30
    max_contexts: int = 1024
    max_names: int = 1 << 18


def guarded(limits: Limits) -> Limits:
    """The same device with the guards that the user has set."""
    wanted = guards()
    return replace(
        limits,
        max_buffer_bytes=wanted.buffer,
        max_image_bytes=wanted.image,
        max_total_bytes=wanted.memory,
        max_contexts=wanted.contexts,
        max_names=wanted.names,
    )


def recorded(limits: Limits) -> Limits:
    """The same device with limits as wide as those of the drivers that traces are recorded on (Mesa's, 22.3).

    A trace's program went by what its driver told it: what that driver took is not refused when the trace is played.
    """
    return replace(
        limits,
        max_texture_size=16384,
        max_cube_map_texture_size=16384,
        max_rectangle_texture_size=16384,
        max_texture_buffer_size=1 << 27,
        max_renderbuffer_size=16384,
        max_viewport_dims=16384,
        max_texture_image_units=32,
        max_vertex_texture_image_units=32,
        max_combined_texture_image_units=192,
        max_vertex_uniform_vectors=4096,
        max_fragment_uniform_vectors=4096,
        max_varying_vectors=32,
        max_vertex_output_components=128,
        max_fragment_input_components=128,
        max_vertex_uniform_blocks=15,
        max_fragment_uniform_blocks=15,
        max_combined_uniform_blocks=90,
        max_transform_feedback_separate_components=64,
        min_program_texel_offset=-32,
        max_program_texel_offset=31,
        max_uniform_buffer_bindings=90,
        line_width_range=(1.0, 255.0),
    )


GLES_LIMITS = Limits()
#: 32 texture units, as llvmpipe has: moderngl binds temporaries to the last unit, so that the number enters the
#: stream of calls.
DESKTOP_LIMITS = Limits(
    extensions=tuple(sorted([*_DESKTOP_EXTENSIONS, *_DESKTOP_FROM_VERSION])),
    max_texture_size=16384,
    max_cube_map_texture_size=16384,
    max_rectangle_texture_size=16384,
    max_renderbuffer_size=16384,
    max_viewport_dims=16384,
    max_vertex_uniform_vectors=1024,
    max_fragment_uniform_vectors=1024,
    max_varying_vectors=16,
    max_fragment_input_components=64,
    max_vertex_texture_image_units=32,
    max_texture_image_units=32,
    max_combined_texture_image_units=64,
)


def shown_extensions(limits: Limits, version: int, *, is_gles: bool) -> tuple[str, ...]:
    """Extensions that a context of a version (43 is 4.3) shows."""
    if is_gles:
        return limits.extensions
    return tuple(name for name in limits.extensions if _DESKTOP_FROM_VERSION.get(name, 0) <= version)
