"""The one tracker of GL objects and state: validates calls, keeps state, answers queries, hands pixels to a backend."""

from __future__ import annotations

# Importing a family registers its handlers.
from traceformat.gles import (  # noqa: F401
    attribute_values,
    blending,
    buffers,
    clears,
    compressed_images,
    compute,
    contents,
    contexts,
    copies,
    debug,
    desktop,
    direct_state,
    draws,
    egl_images,
    fixed_state,
    framebuffer_queries,
    framebuffers,
    gets,
    introspection,
    pipelines,
    program_resources,
    programs,
    queries,
    renderbuffers,
    samplers,
    strings,
    texture_buffers,
    texture_copies,
    texture_images,
    texture_storage,
    textures,
    transform_feedback,
    uniforms,
    vertex_arrays,
    vertex_bindings,
)
from traceformat.gles.tracking import Tracker

__all__ = ["Tracker"]
