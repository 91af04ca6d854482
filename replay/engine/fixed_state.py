"""Fixed-function state of draws, translated once for each distinct value: set-up, tests, blending, recorded columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.entries import BLEND_QUADS, SOURCE_COLORS, TEST_QUADS
from replay.engine.kernels.records import MERGE, OUTPUT, STORE_BYTES
from replay.engine.merge_code import BlendKey, TestKey, blend_function, test_function
from replay.engine.merge_state import (
    blend_state,
    can_fail,
    color_mask_of,
    requantize_table,
    sample_mask_of,
    shades_samples,
    test_state,
    uses_srgb,
)
from replay.engine.output import NO_DEPTH, NO_STENCIL, ColorOutput, OutputRule
from replay.engine.programs import LinkedProgram
from replay.engine.recorder import FrameRecorder
from replay.engine.targets import Targets
from replay.engine.varyings import output_rows_of
from replay.glsl.ir import StageIR
from replay.glsl.llvm.options import StageOptions
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import FIRST_ADVANCED
from traceformat.gles.formats import FORMATS, source_bytes
from traceformat.gles.state import Context, StencilFace
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, SRGB_BIT, DrawFlags
from traceformat.native.records import address_of

__all__ = ["FixedState", "KnownState", "find_fixed", "fixed_key", "fixed_state", "keep"]

Key = TypeVar("Key")
Value = TypeVar("Value")
#: States that are kept of a program, and of targets.
_MAX_STATES: Final = 1024

#: First blend factor that is a constant.
_FIRST_CONSTANT: Final = 11
#: Code of a test that always passes.
_ALWAYS: Final = gl.GL_ALWAYS - gl.GL_NEVER
#: Fields of TEST_DTYPE with one value a face: functions and operations, and all of them.
_STENCIL_CODES: Final = ("stencil_func", "stencil_fail", "stencil_depth_fail", "stencil_depth_pass")
_STENCIL_FIELDS: Final = (*_STENCIL_CODES, "stencil_ref", "stencil_read_mask", "stencil_write_mask")


@dataclass(slots=True, eq=False)
class FixedState:
    """What a draw needs of the state that no shader sees, for one program and one set of targets.

    Parameters
    ----------
    point_sizes : (3,) float32 least and largest point size, and that of points whose shader writes none
    reads_size : gl_PointSize counts
    first_provokes : flat values are those of the first vertex
    is_filled : triangles are drawn as such
    has_fragments : primitives reach the fragment stage
    depth_bits, rect : of the target; pixels that may be drawn: x, y, width, height
    sample_mask, alpha_row, mask_row : coverage of samples, see ``OutputState``
    per_sample : each sample is shaded
    test, outputs, merge : tests, attachments to write, and the MERGE of both
    merge_outputs : OUTPUT rows of ``merge``
    tests_early : see ``FragmentDraw``
    depth_row : row of gl_FragDepth, -1 if not written
    record : keep texture accesses
    options : variant of the fragment stage
    flags, columns : of the draw's row
    setups : primitive set-up state by mode, with its address
    point_sizes_at : where ``point_sizes`` lies
    plans : what draws with it have in common, by the code of their vertex and fragment stages
    known : itself without its targets
    """

    point_sizes: NDArray[np.float32]
    reads_size: bool
    first_provokes: bool
    is_filled: bool
    has_fragments: bool
    depth_bits: int
    rect: tuple[int, int, int, int]
    sample_mask: int
    alpha_row: int
    mask_row: int
    per_sample: bool
    test: NDArray[Any]
    outputs: list[ColorOutput]
    merge: Any
    merge_outputs: NDArray[Any]
    tests_early: bool
    depth_row: int
    record: bool
    options: StageOptions
    flags: int
    columns: bytes
    setups: dict[int, tuple[NDArray[Any], int]]
    is_multisampled: bool
    point_sizes_at: int = 0
    plans: dict[tuple[Any, Any], Any] = field(default_factory=dict)
    known: KnownState = field(init=False)

    def __post_init__(self) -> None:
        self.point_sizes_at = address_of(self.point_sizes)


@dataclass(slots=True, eq=False)
class KnownState:
    """A fixed-function state without its targets, to be had for others of their kind (``Targets.kind``).

    Parameters
    ----------
    state : without outputs and MERGE
    rules : of its outputs
    merge, merge_outputs : where the pixels of some targets go
    plans : as of the state, of some targets
    """

    state: FixedState
    rules: list[OutputRule]
    merge: bytes
    merge_outputs: NDArray[Any]
    plans: dict[tuple[Any, Any], Any] = field(default_factory=dict)

    @classmethod
    def of(cls, state: FixedState) -> KnownState:
        """What is left of a state without its targets; the state knows it."""
        rules = [output.rule for output in state.outputs]
        rest = replace(state, outputs=[], merge=None, plans={})
        state.known = cls(rest, rules, state.merge.memory.tobytes(), state.merge_outputs.copy())
        return state.known

    def at(self, targets: Targets) -> FixedState:
        """The state for other targets."""
        outputs, rows = [], OUTPUT.rows(len(self.rules))
        rows[...] = self.merge_outputs
        for number, rule in enumerate(self.rules):
            surface = targets.colors[rule.buffer]
            assert surface is not None
            outputs.append(ColorOutput.of(rule, surface))
            rows["plane"][number] = address_of(surface.texels)
        merge = MERGE.row()
        merge.memory[:] = self.merge
        depth, stencil = _planes(targets)
        merge.outputs, merge.depth, merge.stencil = address_of(rows), address_of(depth), address_of(stencil)
        state = replace(self.state, outputs=outputs, merge=merge, merge_outputs=rows, plans={})
        state.known = self
        return state


def _face(face: StencilFace) -> tuple[int, ...]:
    return (face.func, face.ref, face.value_mask, face.write_mask, face.fail, face.depth_fail, face.depth_pass)


def fixed_key(context: Context, num_colors: int) -> tuple[Any, ...]:
    """Everything that :func:`fixed_state` reads of a context; ``num_colors`` of the targets."""
    blends = tuple(
        (blend.equation_rgb, blend.equation_alpha, blend.src_rgb, blend.src_alpha, blend.dst_rgb, blend.dst_alpha)
        for blend in context.blend[: max(num_colors, 1)]
    )
    return (
        context.name,
        frozenset(context.enabled),
        context.viewport,
        context.scissor,
        context.depth_range,
        context.clip_origin,
        context.clip_depth,
        context.cull_mode,
        context.front_face,
        context.line_width,
        context.point_size,
        context.provoking_vertex,
        context.polygon_mode,
        context.polygon_offset_factor,
        context.polygon_offset_units,
        context.sample_coverage_value,
        context.sample_coverage_invert,
        context.sample_mask,
        context.min_sample_shading,
        context.depth_func,
        context.depth_mask,
        _face(context.stencil_front),
        _face(context.stencil_back),
        blends,
        tuple(context.blend_enabled),
        tuple(context.color_masks),
        context.blend_color,
        context.logic_op,
    )


def find_fixed(
    context: Context, targets: Targets, linked: LinkedProgram, recorder: FrameRecorder, *, skips: bool
) -> FixedState:
    """As :func:`fixed_state`: what is known of these targets, or follows from what is known of others of their kind."""
    key = fixed_key(context, len(targets.colors))
    found: FixedState | None = targets.states.get((linked, key))
    if found is None:
        alike: KnownState | None = linked.states.get((key, targets.kind))
        if alike is not None:
            found = alike.at(targets)
        else:
            found = fixed_state(context, targets, linked, recorder, skips=skips)
            keep(linked.states, (key, targets.kind), KnownState.of(found), _MAX_STATES)
        keep(targets.states, (linked, key), found, _MAX_STATES)
    return found


def keep(known: dict[Key, Value], key: Key, value: Value, most: int) -> None:
    """Keep a value among at most so many."""
    if len(known) >= most:
        known.clear()
    known[key] = value


def fixed_state(
    context: Context, targets: Targets, linked: LinkedProgram, recorder: FrameRecorder, *, skips: bool
) -> FixedState:
    """Translate the state of a draw; with ``skips`` the fragment stage is told which fragments somebody will see."""
    enabled = context.enabled
    ir = linked.program.fragment
    outputs = _outputs(context, targets, linked, recorder)
    test = test_state(context, targets)
    tests_early = ir is not None and targets.samples == 1 and not ir.discards and not ir.writes_depth
    writes_memory = ir is not None and ir.writes_memory
    asks_early = ir is not None and ir.tests_early
    if writes_memory:
        tests_early = tests_early and asks_early
    elif recorder.wants_colors or recorder.wants_identity:
        tests_early = False  # of every fragment, seen or not
    skip_unseen = tests_early and ((skips and (can_fail(test) or not outputs)) or writes_memory)
    record = recorder.wants_textures and ir is not None and bool(ir.textures)
    low, high = context.limits.point_size_range
    reads_size = context.is_gles or gl.GL_PROGRAM_POINT_SIZE in enabled
    fixed = 1.0 if context.is_gles else context.point_size
    flags = 0
    several = targets.samples > 1
    moves_inputs = several and shades_samples(context, targets)
    per_sample = ir is not None and ((several and ir.per_sample) or moves_inputs)
    if ir is not None:
        # What takes samples from a fragment is as good as a discard to whoever asks whether it hides what is behind.
        flags |= (ir.discards or (ir.masks_samples and several)) * DrawFlags.DISCARDS.value
        flags |= ir.writes_depth * DrawFlags.WRITES_DEPTH.value
        flags |= ir.reads_position * DrawFlags.READS_POSITION.value
        flags |= ir.uses_derivatives * DrawFlags.READS_DERIVATIVES.value
        flags |= ir.reaches_memory * DrawFlags.SIDE_EFFECTS.value
        flags |= (ir.reaches_memory and (asks_early or not writes_memory)) * DrawFlags.EARLY_TESTS.value
        if any(slot.builtin == "gl_PrimitiveID" for slot in ir.inputs):
            flags |= DrawFlags.READS_PRIMITIVE.value
        flags |= per_sample * DrawFlags.SHADES_SAMPLES.value
    flags |= linked.writes_before_fragments * DrawFlags.VERTEX_EFFECTS.value
    columns = b""
    if recorder.is_recording:
        values = {**_state_columns(context, targets), **_output_columns(context, targets)}
        values["sample_state"] = sample_mask_of(context, targets) & (1 << targets.samples) - 1
        values["sample_state"] |= (several and gl.GL_SAMPLE_ALPHA_TO_ONE in enabled) << 16 | moves_inputs << 17
        values["draw_buffers"] = sum(
            1 << buffer
            for buffer in output_rows_of(linked)
            if buffer < len(targets.colors) and targets.colors[buffer] is not None and color_mask_of(context, buffer)
        )
        columns = recorder.draws.pack(**{key: values[key] for key in recorder.state_columns})
    x0, y0, x1, y1 = geo.draw_bounds(context, targets)
    depth_row, alpha_row = _builtin_row(linked, "gl_FragDepth"), _alpha_row(context, targets, linked)
    mask_row = _builtin_row(linked, "gl_SampleMask") if several else -1
    return FixedState(
        np.array([low, high, min(max(fixed, low), high) if reads_size else fixed], np.float32),
        reads_size,
        not context.is_gles and context.provoking_vertex == gl.GL_FIRST_VERTEX_CONVENTION,
        context.polygon_mode == gl.GL_FILL,
        ir is not None and gl.GL_RASTERIZER_DISCARD not in enabled,
        geo.depth_bits(targets),
        (x0, y0, max(x1 - x0 + 1, 0), max(y1 - y0 + 1, 0)),
        sample_mask_of(context, targets),
        alpha_row,
        mask_row,
        per_sample,
        test,
        outputs,
        *_merge(outputs, test, targets, depth_row, (alpha_row, mask_row)),
        skip_unseen,
        depth_row,
        record,
        StageOptions(
            interpolate=True,
            path_hash=recorder.wants_paths,
            record_textures=record,
            identity=recorder.wants_identity and not (ir is not None and ir.reaches_memory),
            skip_unseen=skip_unseen,
            **_sampling(ir, targets, per_sample=per_sample, moves_inputs=moves_inputs),
        ),
        flags,
        columns,
        {},
        several,
    )


def _merge(
    outputs: list[ColorOutput], test: NDArray[Any], targets: Targets, depth_row: int, coverage_rows: tuple[int, int]
) -> tuple[Any, NDArray[Any]]:
    """Where a draw's pixels go: a MERGE, and the OUTPUT rows that it refers to."""
    depths, stencils = _planes(targets)
    rows = OUTPUT.rows(len(outputs))
    memory = rows.view(np.uint8).data
    for number, output in enumerate(outputs):
        planes = output.surface.texels
        fields = {
            "code": _blend_code(output, planes.shape[1:]),
            "rows": address_of(output.rows),
            "blend": address_of(output.state),
            "requantize": address_of(output.requantize),
            "plane": address_of(planes),
            "plane_height": planes.shape[1],
            "plane_width": planes.shape[2],
            "sample_bytes": planes.strides[0],
            "color_bytes": output.color_bytes,
            "color_code": _color_code() if output.color_bytes else 0,
        }
        OUTPUT.pack_into(memory, number, fields)
    merge = MERGE.row(
        num_samples=targets.samples,
        outputs=address_of(rows),
        num_outputs=len(outputs),
        depth_row=depth_row,
        depth_bits=geo.depth_bits(targets),
        alpha_row=coverage_rows[0],
        mask_row=coverage_rows[1],
        tests=can_fail(test),
        test_code=_test_code(test, depths.shape[1:], stencils.shape[1:]),
        test=address_of(test),
        depth=address_of(depths),
        depth_height=depths.shape[1],
        depth_width=depths.shape[2],
        stencil=address_of(stencils),
        stencil_height=stencils.shape[1],
        stencil_width=stencils.shape[2],
    )
    return merge, rows


def _planes(targets: Targets) -> tuple[NDArray[Any], NDArray[Any]]:
    """Depths and stencil values that draws test; empty ones where there are none."""
    depth, stencil = targets.depth, targets.stencil
    depths: NDArray[Any] = depth.texels if depth is not None else NO_DEPTH[None]
    stencils: NDArray[Any] = NO_STENCIL[None]
    if stencil is not None and stencil.stencil is not None:
        stencils = stencil.stencil
    return depths, stencils


def _is_even(shape: tuple[int, ...]) -> bool:
    return shape[0] % 2 == 0 and shape[1] % 2 == 0


def _test_code(test: NDArray[Any], depth: tuple[int, ...], stencil: tuple[int, ...]) -> int:
    """Machine code of the tests, of the kernel where there is none for them, given the shapes of the planes."""
    state = test[0]
    if not can_fail(test):
        return test_function(TestKey(_ALWAYS, False))
    if not _is_even(depth) or not _is_even(stencil):
        return _general_test()
    func, write, faces = _ALWAYS, False, None
    if state["depth_test"]:
        func, write = int(state["depth_func"]), bool(state["depth_write"])
    if state["stencil_test"]:
        if any(front != back for front, back in (state[name].tolist() for name in _STENCIL_FIELDS)):
            return _general_test()
        func_code, fail, depth_fail, both = (int(state[name][0]) for name in _STENCIL_CODES)
        faces = (func_code, fail, depth_fail, both)
    return test_function(TestKey(func, write, faces))


def _general_test() -> int:
    return TEST_QUADS.address


def _color_code() -> int:
    return SOURCE_COLORS.address


def _blend_code(output: ColorOutput, shape: tuple[int, ...]) -> int:
    """Machine code of blending, of the kernel where there is none for it."""
    state = output.state[0]
    if state["requantize"] or state["store"] != STORE_BYTES or not _is_even(shape):
        return BLEND_QUADS.address  # which takes time to load
    blend = bool(state["blend"])
    if blend and (state["equation"][0] >= FIRST_ADVANCED or not state["bits"][1:].any()):
        # One channel is mixed in a way of its own.
        return BLEND_QUADS.address
    source, destination, equation = (
        (int(state[name][0]), int(state[name][1])) if blend else (0, 0)
        for name in ("source", "destination", "equation")
    )
    constant = None
    if max(*source, *destination) >= _FIRST_CONSTANT:
        octets = np.rint(np.clip(state["constant"], 0.0, 1.0) * np.float32(255.0))
        constant = tuple(int(octet) for octet in octets)
    channels = tuple(min(int(row), 0) for row in output.rows)
    return blend_function(BlendKey(channels, blend, equation, source, destination, constant, int(state["write_mask"])))


def _sampling(ir: StageIR | None, targets: Targets, *, per_sample: bool, moves_inputs: bool) -> dict[str, bool]:
    """What the fragment stage has to know of samples; nothing where it looks at none."""
    if ir is None or targets.samples == 1 or not (moves_inputs or ir.looks_at_samples(per_sample)):
        return {}
    options = {"multisampled": True, "per_sample": per_sample, "moves_inputs": moves_inputs}
    return {**options, "from_top": targets.is_from_top}


def _builtin_row(linked: LinkedProgram, builtin: str) -> int:
    """Row of a built-in output of the fragment stage, -1 if it is not written."""
    ir = linked.program.fragment
    if ir is not None:
        for slot, first in zip(ir.outputs, linked.facts("fragment").layout.output_rows, strict=True):
            if slot.builtin == builtin and slot.static_write:
                return first
    return -1


def _outputs(context: Context, targets: Targets, linked: LinkedProgram, recorder: FrameRecorder) -> list[ColorOutput]:
    if linked.program.fragment is None:
        return []
    rows = output_rows_of(linked)
    found = []
    for buffer, surface in enumerate(targets.colors[:MAX_COLOR_ATTACHMENTS]):
        if surface is None or buffer not in rows:
            continue
        state = blend_state(context, buffer, surface)
        if state[0]["write_mask"] == 0 and not recorder.wants_colors:
            continue
        channels = rows[buffer]
        if targets.samples > 1 and gl.GL_SAMPLE_ALPHA_TO_ONE in context.enabled:
            channels = np.array([*channels[:3], -2], np.int64)
        linear = uses_srgb(context, surface)
        size = 0
        if recorder.wants_colors:
            equation = context.blend[buffer].equation_rgb
            size = source_bytes(FORMATS[surface.format.internal], converts=linear, equation=equation)
        found.append(ColorOutput(buffer, channels, state, requantize_table(surface), linear, size, surface))
    return found


def _alpha_row(context: Context, targets: Targets, linked: LinkedProgram) -> int:
    """Row of the alpha that becomes coverage (of draw buffer 0), -1 where none does, -2 where it is 1."""
    if targets.samples == 1 or gl.GL_SAMPLE_ALPHA_TO_COVERAGE not in context.enabled:
        return -1
    rows = output_rows_of(linked).get(0)
    return int(rows[3]) if rows is not None else -2


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
