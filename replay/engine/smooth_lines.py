"""Smooth lines (GL_LINE_SMOOTH of desktop GL): rectangles whose fragments know how far inside of them they are.

As Mesa's draw module has it, a line becomes two triangles that reach half a pixel beyond its ends and, for lines of one
pixel, one pixel to its sides (half the width and half a pixel for wider ones). Coverage, which falls within a pixel of
an edge, multiplies the alpha of colour 0. The program that does so is a copy of the program's own with a varying more;
it draws everything while lines are smooth, and what is no line is covered.

Left out: geometry stages, fragment stages that return early or give colour 0 no alpha, captured lines, what Mesa draws
beyond a viewport that a line leaves, and several samples (where Mesa smooths none, either).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.drawn import Drawn, Emitted, Vertices
from replay.engine.emission import primitive_rows, row_of
from replay.engine.programs import LinkedProgram
from replay.engine.stages import aligned
from replay.engine.targets import Targets
from replay.engine.unfilled import flat_rows, separate_range
from replay.glsl.builder import Builder
from replay.glsl.counts import number_stage
from replay.glsl.ir import InputRef, InputSlot, Instr, Interpolation, Jump, JumpKind, OutputSlot, StageIR, Variable
from replay.glsl.program import Program
from replay.glsl.serialize import decode_program, encode_program
from replay.glsl.types import FLOAT, Base, vector
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import PrimitiveKind

__all__ = ["smooth", "smoothed", "smooths"]

#: Distance from the middle, half the width, distance from the middle along the line, half the length.
_COVERAGE: Final = "gl_LineCoverage"
_FLOAT4: Final = vector(Base.FLOAT, 4)
#: Corners of the two triangles: two beside each end.
_CORNERS: Final = np.array([0, 1, 2, 2, 1, 3])


def smooths(context: Context, targets: Targets) -> bool:
    """Whether lines are smooth."""
    return not context.is_gles and gl.GL_LINE_SMOOTH in context.enabled and targets.samples <= 1


def smoothed(linked: LinkedProgram) -> LinkedProgram:
    """The program for smooth lines; the program itself where there is none."""
    known: LinkedProgram | None = linked.stages.get("smooth")
    if known is None:
        program = _with_coverage(linked.program)
        known = linked if program is None else LinkedProgram(program, linked.code_addresses, is_smooth=True)
        linked.stages["smooth"] = known
    return known


def _color_slot(fragment: StageIR) -> OutputSlot | None:
    """The output that is colour 0, where it has an alpha and fragments end in one place."""
    if any(isinstance(node, Jump) and node.kind == JumpKind.RETURN for node in fragment.body.walk()):
        return None
    for slot in fragment.outputs:
        is_first = slot.location == 0 if not slot.builtin else slot.builtin in ("gl_FragColor", "gl_FragData")
        if is_first and not slot.index and slot.component == 0 and slot.variable.type is _FLOAT4 and slot.static_write:
            return slot
    return None


def _with_coverage(program: Program) -> Program | None:
    """A copy of a program whose colours are multiplied by the coverage of lines."""
    if program.fragment is None or program.geometry is not None or _color_slot(program.fragment) is None:
        return None
    program = decode_program(encode_program(program))
    fragment, last = program.fragment, program.last_vertex_stage
    assert fragment is not None
    assert last is not None
    used = [slot.location + slot.count for slot in fragment.inputs]
    used += [slot.location + max(slot.variable.length, 1) for slot in last.outputs]
    location = max([0, *used])
    variable = Variable(_COVERAGE, _FLOAT4)
    last.variables.append(variable)
    last.outputs.append(OutputSlot(_COVERAGE, "", variable, location, interpolation=Interpolation.SMOOTH))
    number_stage(last)
    fragment.inputs.append(InputSlot(_COVERAGE, "", _FLOAT4, location, interpolation=Interpolation.SMOOTH))
    slot = _color_slot(fragment)
    assert slot is not None
    _multiply_alpha(fragment, slot.variable)
    return program


def _multiply_alpha(fragment: StageIR, color: Variable) -> None:
    """Multiply a colour's alpha by the coverage at the stage's end."""
    build = Builder()
    coverage = build.input(_FLOAT4, InputRef(len(fragment.inputs) - 1))
    beside, half_width, along, half_length = (build.swizzle(coverage, (k,)) for k in range(4))
    zero, one = build.float_constant(0.0), build.float_constant(1.0)

    def inside(half: Instr, distance: Instr) -> Instr:
        left = build.op("fsub", half, build.op("fabs", distance))
        return build.op("fmin", build.op("fmax", left, zero), one)

    factor = build.op("fmul", inside(half_width, beside), inside(half_length, along))
    index = build.int_constant(0) if color.length else None
    alpha = build.op("fmul", build.swizzle(build.load(color, index), (3,)), factor)
    assert alpha.type is FLOAT
    build.store(color, alpha, (3,), index)
    fragment.body.nodes.extend(build.finish().nodes)
    number_stage(fragment)


def smooth(drawn: Drawn) -> None:
    """Have the lines of a draw with a smoothing program go on as rectangles; its vertices are shaded."""
    setting, shaded, mode = drawn.setting, drawn.vertices, drawn.mode
    assert shaded is not None
    stage = shaded.stage
    rows = zip(stage.ir.outputs, stage.layout.output_rows, strict=True)
    coverage = next(first for slot, first in rows if slot.name == _COVERAGE)
    feedback = setting.context.transform_feedback
    if geo.kind_of(mode) is not PrimitiveKind.LINE or (feedback.active and not feedback.paused):
        shaded.outputs[coverage : coverage + 4] = np.array([0, 1, 0, 1], np.float32)[:, None]
        return
    stream, first_provokes = drawn.taken.cached.stream, setting.fixed.first_provokes
    lines = primitive_rows(mode, stream, first_provokes)
    lanes = stream.arrays.lane[lines].astype(np.int64)
    ends = shaded.outputs[:, lanes]
    flat = flat_rows(drawn, shaded)
    ends[flat] = ends[flat][:, :, [0 if first_provokes else -1]]
    position = row_of(stage, "gl_Position")
    first, last = _clipped(ends[position : position + 4].astype(np.float64))
    kept = (first < last) & (min(setting.context.viewport[2:]) > 0)
    lines, lanes, ends, first, last = lines[kept], lanes[kept], ends[:, kept], first[kept], last[kept]
    outputs = aligned(shaded.outputs.shape[0], max(4 * len(lines), 1))
    outputs[...] = 0.0
    corners = outputs[:, : 4 * len(lines)].reshape(len(outputs), -1, 4)
    for corner, share in enumerate((first, first, last, last)):
        part = share.astype(np.float32)
        corners[:, :, corner] = np.where(
            part == 1.0, ends[:, :, 1], ends[:, :, 0] + (ends[:, :, 1] - ends[:, :, 0]) * part
        )
    # Mesa's rows are those of the target: what is drawn from the top has its other diagonal there.
    up = np.float32(-1.0 if setting.targets.is_from_top else 1.0)
    _widen(setting.context, corners[position : position + 4], corners[coverage : coverage + 4], up)
    order = _CORNERS if _is_counter_clockwise(setting.context) == (up > 0) else _CORNERS[::-1]
    picked = (4 * np.arange(len(lines), dtype=np.int64)[:, None] + order).reshape(-1)
    places = lines.repeat(2, axis=1).reshape(-1)[picked] if len(lines) else np.zeros(1, np.int64)
    whole = drawn.emitted or Emitted.fetched_ones(mode, stream, shaded)
    drawn.emitted = Emitted(
        gl.GL_TRIANGLES, whole.invocation[places], whole.fetched, whole.shaded, whole.paths, whole.num_invocations
    )
    old = lanes.repeat(2, axis=1).reshape(-1)
    drawn.taken = separate_range(gl.GL_TRIANGLES, stream, places, picked, old)
    paths = None if shaded.paths is None else shaded.paths[old]
    drawn.vertices = Vertices(stage, outputs, paths, shaded.path, None)


def _clipped(ends: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where lines enter and leave what is drawn, 0 and 1 being their ends; ``ends`` is (4, P, 2) clip coordinates."""
    x, y, z, w = ends
    first = np.zeros(ends.shape[1])
    last = np.where(np.isfinite(ends).all(axis=(0, 2)), 1.0, -1.0)
    for distance in (w + z, w - z, w + x, w - x, w + y, w - y):
        here, there = distance[:, 0], distance[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = here / (here - there)
        first = np.where((here < 0) & (there >= 0), np.maximum(first, crossing), first)
        last = np.where((here >= 0) & (there < 0), np.minimum(last, crossing), last)
        # What is outside at both ends is not drawn.
        last = np.where((here >= 0) | (there >= 0), last, -1.0)
    # Of what is inside w is at least 0; where it is 0, everything is.
    return first, np.where((w > 0).any(axis=1), last, -1.0)


def _widen(context: Context, clip: NDArray[np.float32], coverage: NDArray[np.float32], up: np.float32) -> None:
    """Move corners (4, P, 4) from the ends of their lines to where they belong, and give them their coverage."""
    _, _, width, height = context.viewport
    scale = np.array([width, up * height], np.float32)[:, None, None] * np.float32(0.5)
    window = clip[:2] / clip[3] * scale
    along = window[:, :, 2] - window[:, :, 0]
    angle = np.arctan2(along[1], along[0])
    cosine, sine = np.cos(angle), np.sin(angle)
    half_width = np.float32(1.0 if context.line_width <= 1.0 else 0.5 * context.line_width + 0.5)
    length = np.sqrt(along[0] * along[0] + along[1] * along[1])
    # A line of length 0 covers nothing.
    half_length = np.where(length < 1.0, length, np.float32(0.5) * length + np.float32(0.5))
    for corner in range(4):
        end = np.float32(-0.5 if corner < 2 else 0.5)
        side = half_width if corner % 2 == 0 else -half_width
        window[0, :, corner] += end * cosine - side * sine
        window[1, :, corner] += end * sine + side * cosine
        coverage[0, :, corner] = -side
        coverage[2, :, corner] = half_length * np.sign(end)
    coverage[1] = half_width
    coverage[3] = half_length[:, None]
    clip[:2] = window / scale * clip[3]


def _is_counter_clockwise(context: Context) -> bool:
    """Whether triangles of that order are not culled: front faces, or back faces where those are culled."""
    culls_front = gl.GL_CULL_FACE in context.enabled and context.cull_mode == gl.GL_FRONT
    return bool((context.front_face == gl.GL_CCW) != culls_front)
