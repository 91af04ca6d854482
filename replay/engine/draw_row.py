"""State columns of FrameTrace's ``draws`` from the tracker's context."""

from __future__ import annotations

from typing import Any

from replay.engine.merge_state import color_mask_of
from replay.engine.targets import Targets
from traceformat.gles import enums as gl
from traceformat.gles.state import Context

__all__ = ["state_columns"]


def state_columns(context: Context, targets: Targets) -> dict[str, Any]:
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
