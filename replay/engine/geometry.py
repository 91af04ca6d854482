"""What a draw emits: its set-up state, and how many primitives it has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.front import FrontMemory
from replay.engine.kernels.records import SETUP_DTYPE
from replay.engine.targets import Targets
from replay.engine.vertex_fetch import Stream
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import PrimitiveKind

__all__ = [
    "Geometry",
    "assembled",
    "depth_bits",
    "draw_bounds",
    "kind_of",
    "num_primitives",
    "put_first_last",
    "setup_state",
]

_KINDS: Final = {
    gl.GL_POINTS: PrimitiveKind.POINT,
    gl.GL_LINES: PrimitiveKind.LINE,
    gl.GL_LINE_LOOP: PrimitiveKind.LINE,
    gl.GL_LINE_STRIP: PrimitiveKind.LINE,
}
_DEPTH_BITS: Final = {
    gl.GL_DEPTH_COMPONENT16: 16,
    gl.GL_DEPTH_COMPONENT24: 24,
    gl.GL_DEPTH24_STENCIL8: 24,
    gl.GL_DEPTH_COMPONENT32: 32,
}


@dataclass(slots=True)
class Geometry:
    """What a draw emitted.

    Parameters
    ----------
    kind : of the primitives
    primitive_count, primitive_first, emitted_first, emitted_count : in the tables
    planes : (E, words) float32 plane equations of the fragment stage's inputs
    fronts : (E,) uint8 facing of each emitted primitive
    front : has more of it until the next draw
    quad_first, quad_count, fragments : in the tables
    """

    kind: PrimitiveKind
    primitive_count: int
    primitive_first: int
    emitted_first: int
    emitted_count: int
    planes: NDArray[np.float32]
    fronts: NDArray[np.uint8]
    front: FrontMemory
    quad_first: int = 0
    quad_count: int = 0
    fragments: int = 0

    @property
    def primitives(self) -> NDArray[np.uint32]:
        """(P, 3) rows of the vertex stream; valid until the next draw."""
        return self.front.primitives(self.primitive_count)

    @property
    def depth_plane(self) -> NDArray[np.float64]:
        """(E, 3) z at the centre of pixel (0, 0), dz/dx, dz/dy; valid until the next draw."""
        return self.front.depth_plane(self.emitted_count)


def depth_bits(targets: Targets) -> int:
    """Bits of the target's fixed-point depth, 0 for float depth and where there is none."""
    return _DEPTH_BITS.get(targets.depth.format.internal, 0) if targets.depth is not None else 0


def draw_bounds(context: Context, targets: Targets) -> tuple[int, int, int, int]:
    """Pixels that a draw may touch: x0, y0, x1, y1, inclusive (x1 < x0: none)."""
    x0, y0, x1, y1 = 0, 0, targets.width - 1, targets.height - 1
    if gl.GL_SCISSOR_TEST in context.enabled:
        x, y, width, height = context.scissor
        x0, y0 = max(x0, x), max(y0, y)
        x1, y1 = min(x1, x + width - 1), min(y1, y + height - 1)
    return x0, y0, x1, y1


def setup_state(context: Context, targets: Targets, mode: int) -> NDArray[Any]:
    """Primitive set-up state of a draw, one row of SETUP_DTYPE."""
    x, y, width, height = context.viewport
    near, far = (min(max(float(bound), 0.0), 1.0) for bound in context.depth_range)
    zero_to_one, is_upper = context.clip_depth == gl.GL_ZERO_TO_ONE, context.clip_origin == gl.GL_UPPER_LEFT
    kind = _KINDS.get(mode, PrimitiveKind.TRIANGLE)
    bx0, by0, bx1, by1 = draw_bounds(context, targets)
    # Fragments lie within the viewport: primitives are clipped to it, up to the rounding of their corners; of
    # points and lines, whose centres alone would be clipped, Mesa draws the part inside, too.
    bx0, by0 = max(bx0, x), max(by0, y)
    bx1, by1 = min(bx1, x + width - 1), min(by1, y + height - 1)
    bits = depth_bits(targets)
    offset = gl.GL_POLYGON_OFFSET_FILL in context.enabled
    cull = _CULLED.get(context.cull_mode, 3) if gl.GL_CULL_FACE in context.enabled else 0
    return _setup_row(
        (
            (width / 2, (-height if is_upper else height) / 2, far - near if zero_to_one else (far - near) / 2),
            (x + width / 2, y + height / 2, near if zero_to_one else (far + near) / 2),
            _GUARD,
            tuple(min(max(bound, -1), _MAX_BOUND) for bound in (bx0, by0, bx1, by1)),
            cull,
            # Which side is the front does not follow the picture's turning over.
            (context.front_face == gl.GL_CW) != is_upper,
            offset,
            context.polygon_offset_factor if offset else 0.0,
            context.polygon_offset_units * (1.0 / ((1 << bits) - 1) if bits else 1.0) if offset else 0.0,
            bits == 0,
            int(kind),
            _line_width(context) if kind is PrimitiveKind.LINE else 0.0,
            gl.GL_RASTERIZER_DISCARD in context.enabled,
            targets.samples > 1,
            context.is_gles,
            gl.GL_DEPTH_CLAMP in context.enabled,
            zero_to_one,
            targets.height if targets.is_from_top else 0,
        )
    )


def _line_width(context: Context) -> float:
    """Width of aliased lines: whole pixels within the implementation's range; 1 for what is no number."""
    low, high = context.limits.line_width_range
    width = float(context.line_width)
    return float(round(min(max(width, low), high))) if width == width else 1.0


#: Bounds of pixels are 16-bit columns.
_MAX_BOUND: Final = 32767
_CULLED: Final = {gl.GL_FRONT: 1, gl.GL_BACK: 2}
#: Primitives are clipped to the view volume itself, as llvmpipe does it: a guard band, which the kernel could have,
#: would round the ends of clipped edges differently, and so cover other pixels along them.
_GUARD: Final = (1.0, 1.0)


@lru_cache(1024)
def _setup_row(row: tuple[Any, ...]) -> NDArray[Any]:
    """Row of SETUP_DTYPE, made once per distinct state."""
    return np.array([row], SETUP_DTYPE)


def kind_of(mode: int) -> PrimitiveKind:
    """Primitives that a GL mode makes."""
    return _KINDS.get(mode, PrimitiveKind.TRIANGLE)


def num_primitives(mode: int, stream: Stream) -> int:
    """Primitives that a stream of vertices makes."""
    known = stream.primitives.get(mode)
    if known is None:
        runs = stream.arrays.run_count.tolist() if stream.has_runs else (stream.num_rows,)
        known = stream.primitives[mode] = sum([_primitives_of_run(mode, count) for count in runs])
    return known


def _primitives_of_run(mode: int, count: int) -> int:
    if mode == gl.GL_POINTS:
        return count
    if mode == gl.GL_LINES:
        return count // 2
    if mode == gl.GL_LINE_STRIP:
        return max(count - 1, 0)
    if mode == gl.GL_LINE_LOOP:
        return count if count > 1 else 0
    if mode == gl.GL_TRIANGLES:
        return count // 3
    # What patches make is known when they are divided.
    return 0 if mode == gl.GL_PATCHES else max(count - 2, 0)


def assembled(mode: int, stream: Stream, count: int) -> NDArray[np.uint32]:
    """Primitives of the first-vertex convention, (P, 3) rows of the stream."""
    from replay.engine.kernels.assembly import assemble

    primitives = np.empty((count, 3), np.uint32)
    assemble(mode, stream.arrays.run_first, stream.arrays.run_count, primitives)
    put_first_last(mode, stream, primitives)
    return primitives


def put_first_last(mode: int, stream: Stream, primitives: NDArray[np.uint32]) -> None:
    """Turn primitives so that the vertex that provokes by the first-vertex convention (GL 3.3 §2.19) comes last."""
    if mode in (gl.GL_LINES, gl.GL_LINE_LOOP, gl.GL_LINE_STRIP):
        primitives[:, 2] = primitives[:, 0]
        return
    if mode == gl.GL_POINTS or not len(primitives):
        return
    turns = np.zeros(len(primitives), np.int64)
    if mode == gl.GL_TRIANGLE_STRIP:
        # Odd triangles have their first two vertices exchanged.
        turns = np.concatenate([np.arange(max(int(count) - 2, 0)) & 1 for count in stream.arrays.run_count])
    elif mode == gl.GL_TRIANGLE_FAN:
        turns[:] = 1
    order = (turns[:, None] + np.array([1, 2, 3])) % 3
    primitives[...] = np.take_along_axis(primitives, order, axis=1)
