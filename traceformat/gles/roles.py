"""What entry points are, for everybody who has to know: draws, clears, ends of frames. Each fact stands here alone.

Names are taken as a trace has them, with or without the suffix of an extension, also where the table of entry points
does not know them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from traceformat.gles.entry_points import canonical_name
from traceformat.gputrace.frametrace import FrameRule

__all__ = [
    "boundary_of",
    "core_name",
    "is_clear",
    "is_draw",
    "is_drawing",
    "shows_frame",
    "without_suffix",
]

_SUFFIX: Final = re.compile(r"(OES|EXT|KHR|ARB|ANGLE|APPLE|NV|IMG|MESA|INTEL|QCOM)$")
_DRAW: Final = re.compile(r"gl(Multi)?Draw(Range|Mesh)?(Arrays|Elements|TransformFeedback|Tex)")
_CLEAR: Final = re.compile(r"glClear((Buffer|NamedFramebuffer)(fv|iv|uiv|fi))?$")
_BLIT: Final = re.compile(r"glBlit(Named)?Framebuffer$")
_COMPUTE: Final = re.compile(r"glDispatchCompute")
#: Calls that may end a frame, by their core names (DESIGN 3.2).
_BOUNDARIES: Final = {
    "traceFrame": FrameRule.MARKER,
    "traceSwap": FrameRule.SWAP,
    "glFinish": FrameRule.FINISH,
    "glReadPixels": FrameRule.READ_PIXELS,
    "glReadnPixels": FrameRule.READ_PIXELS,
}


def without_suffix(name: str) -> str:
    """Name without the suffix of an extension."""
    return _SUFFIX.sub("", name)


@cache
def core_name(name: str) -> str:
    """Name that an entry point's handler is registered under: aliases followed, without the suffix of an extension."""
    return without_suffix(canonical_name(name))


@cache
def is_draw(name: str) -> bool:
    """Whether a call draws primitives."""
    return _DRAW.match(name) is not None


@cache
def is_clear(name: str) -> bool:
    """Whether a call clears buffers of a framebuffer."""
    return _CLEAR.match(core_name(name)) is not None


@cache
def is_drawing(name: str) -> bool:
    """Whether a call can change pixels: a draw, clear or blit, or work of a compute shader."""
    core = core_name(name)
    return is_draw(name) or is_clear(name) or bool(_BLIT.match(core) or _COMPUTE.match(core))


@cache
def boundary_of(name: str) -> FrameRule | None:
    """Rule by which a call may end a frame, None for other calls."""
    return _BOUNDARIES.get(core_name(name))


def shows_frame(name: str) -> bool:
    """Whether a call says that a frame is done: a swap or an explicit marker."""
    return boundary_of(name) in (FrameRule.MARKER, FrameRule.SWAP)
