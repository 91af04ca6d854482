"""A pipeline just big enough for shader cases: rectangles of two triangles, float colours, several passes at once.

Each pass has uniforms and constant attributes of its own; all passes of a case run as lanes of one batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from replay.glsl.compiler import Program
from replay.glsl.conformance.blank_textures import BlankEmitter, BlankTextures
from replay.glsl.ir import InputSlot, Interpolation, StageIR
from replay.glsl.llvm.abi import LANES
from replay.glsl.numpy_executor import DTYPES, NumpyStage
from replay.glsl.types import Base, NumericType

__all__ = ["Executor", "LlvmExecutor", "NumpyExecutor", "draw_rectangle", "fill_constants"]

Array = NDArray[Any]
#: Values of a uniform or attribute: ``(passes, components)``.
Values = Mapping[str, Array]

LOOP_BUDGET: Final = 100_000
#: Built-in inputs of a fragment in a target with one sample a pixel; others are 0.
_OF_ONE_SAMPLE: Final = {"gl_NumSamples": 1, "gl_SampleMaskIn": 1, "gl_SamplePosition": 0.5}


class Executor(Protocol):
    """Runs a stage over lanes that belong to several passes."""

    def run(
        self, ir: StageIR, inputs: Sequence[Array], areas: Sequence[Array], passes: int, coverage: Array
    ) -> tuple[list[Array], Array]:
        """Run; lanes are pass-major.

        Parameters
        ----------
        inputs : per input slot ``(count, w, n)``
        areas : per area ``(words, passes)`` int32
        coverage : ``(n,)`` lanes that are no helpers

        Returns
        -------
        outputs ``(w, n)`` or ``(length, w, n)``, and the ``(n,)`` lanes that live at the end
        """
        ...


class NumpyExecutor:
    """The reference executor."""

    def __init__(self) -> None:
        self._stages: dict[int, tuple[StageIR, NumpyStage]] = {}

    def run(
        self, ir: StageIR, inputs: Sequence[Array], areas: Sequence[Array], passes: int, coverage: Array
    ) -> tuple[list[Array], Array]:
        """Run all passes as one batch."""
        known = self._stages.get(id(ir))
        if known is None or known[0] is not ir:
            known = self._stages[id(ir)] = (ir, NumpyStage(ir, BlankTextures()))
        lanes = coverage.size
        spread = [np.repeat(area, lanes // passes, axis=1) for area in areas]
        result = known[1].run(lanes, inputs, spread, coverage, loop_budget=LOOP_BUDGET)
        return result.outputs, result.alive


class LlvmExecutor:
    """Machine code, one call a pass."""

    def __init__(self) -> None:
        self._stages: dict[int, tuple[StageIR, Any]] = {}

    def run(
        self, ir: StageIR, inputs: Sequence[Array], areas: Sequence[Array], passes: int, coverage: Array
    ) -> tuple[list[Array], Array]:
        """Run pass after pass."""
        from replay.glsl.llvm.stage import LlvmStage, StageArguments

        known = self._stages.get(id(ir))
        if known is None or known[0] is not ir:
            slots = 1 + max((texture.lookup.slot for texture in ir.textures), default=-1)
            known = self._stages[id(ir)] = (ir, LlvmStage(ir, ["blank"] * slots, emitter=BlankEmitter()))
        stage = known[1]
        lanes = coverage.size // passes
        padded = -(-lanes // LANES) * LANES
        outputs = self._empty_outputs(ir, coverage.size)
        alive = np.zeros(coverage.size, np.bool_)
        for k in range(passes):
            own = slice(k * lanes, (k + 1) * lanes)
            rows_in = np.zeros((max(stage.layout.num_input_rows, 1), padded), np.int32)
            for slot, first in zip(inputs, stage.layout.input_rows, strict=True):
                flat = slot.reshape(-1, slot.shape[-1])[:, own]
                bits = flat.astype(np.int32) if flat.dtype == np.bool_ else np.ascontiguousarray(flat).view(np.int32)
                rows_in[first : first + flat.shape[0], :lanes] = bits
            rows_out = np.zeros((max(stage.layout.num_output_rows, 1), padded), np.int32)
            covered = np.zeros(padded, np.bool_)
            covered[:lanes] = coverage[own]
            bits4 = np.packbits(covered.reshape(-1, 4), axis=1, bitorder="little")[:, 0]
            survives = np.zeros(padded // 4, np.uint8)
            arguments = StageArguments()
            arguments.bind(inputs=rows_in, outputs=rows_out, coverage=bits4, survives=survives)
            arguments.bind_areas(
                [np.ascontiguousarray(area[:, k]) if area.size else np.zeros(4, np.int32) for area in areas]
            )
            slots = 1 + max((texture.lookup.slot for texture in ir.textures), default=-1)
            arguments.bind_descriptors([np.zeros(8, np.int64)] * slots)
            arguments.set(loop_budget=LOOP_BUDGET)
            stage.run(arguments, padded // LANES)
            alive[own] = np.unpackbits(survives[:, None], axis=1, bitorder="little")[:, :4].reshape(-1)[:lanes]
            self._copy_outputs(ir, stage.layout.output_rows, rows_out, outputs, own, lanes)
        return outputs, alive

    @staticmethod
    def _empty_outputs(ir: StageIR, lanes: int) -> list[Array]:
        out: list[Array] = []
        for output in ir.outputs:
            variable = output.variable
            shape = (variable.type.width, lanes)
            dtype = DTYPES[variable.type.base]
            out.append(np.zeros((variable.length, *shape) if variable.length else shape, dtype))
        return out

    @staticmethod
    def _copy_outputs(
        ir: StageIR, rows: Sequence[int], rows_out: Array, outputs: list[Array], own: slice, lanes: int
    ) -> None:
        for output, first, target in zip(ir.outputs, rows, outputs, strict=True):
            flat = target.reshape(-1, target.shape[-1])
            bits = rows_out[first : first + flat.shape[0], :lanes]
            flat[:, own] = bits.view(np.float32) if output.variable.type.base == Base.FLOAT else bits


def fill_constants(program: Program, ir: StageIR, values: Values, passes: int, height: int = 0) -> list[Array]:
    """Constant areas of a stage, ``(words, passes)`` int32; uniforms that are not given are 0 (or their
    initialiser); ``height`` is the framebuffer's.
    """
    areas = [np.zeros((area.words, passes), np.int32) for area in ir.areas]
    if ir.stage == "fragment" and program.reflection.framebuffer_height >= 0:
        areas[0][program.reflection.framebuffer_height] = np.float32(height).view(np.int32)
    for uniform in program.reflection.uniforms:
        offset = getattr(uniform, f"{ir.stage}_offset")
        if offset < 0 or not isinstance(uniform.type, NumericType):
            continue
        given = values.get(uniform.name)
        if given is None and uniform.is_array:
            given = values.get(uniform.name.removesuffix("[0]"))
        if given is None and uniform.initial is not None:
            given = np.tile(np.array(uniform.initial, np.float64), (passes, 1))
        if given is not None:
            _write_uniform(areas[0], offset, uniform.type, given)
        if uniform.is_array:
            for element in range(1, uniform.size):
                own = values.get(f"{uniform.name[:-3]}[{element}]")
                if own is not None:
                    _write_uniform(areas[0], offset + 4 * uniform.type.columns * element, uniform.type, own)
    return areas


def _bits(values: Array, base: Base) -> Array:
    if base == Base.FLOAT:
        floats: Array = values.astype(np.float32).view(np.int32)
        return floats
    if base == Base.BOOL:
        truths: Array = (values != 0).astype(np.int32)
        return truths
    integers: Array = values.astype(np.int64).astype(np.uint32).view(np.int32)
    return integers


def _write_uniform(area: Array, offset: int, type: NumericType, values: Array) -> None:
    """Write one element or several; ``values`` is (passes, components in order)."""
    vectors = values.reshape(values.shape[0], -1, type.rows)
    for k in range(vectors.shape[1]):
        for row in range(type.rows):
            area[offset + 4 * k + row] = _bits(vectors[:, k, row], type.base)


def _vertex_inputs(program: Program, ir: StageIR, corners: Array, attributes: Values, passes: int) -> list[Array]:
    """Values of the vertex inputs at the corners, lanes pass-major."""
    num = len(corners)
    out: list[Array] = []
    for slot in ir.inputs:
        content: Array = np.zeros((slot.count, slot.type.width, passes * num), DTYPES[slot.type.base])
        if slot.builtin == "gl_VertexID":
            content[0, 0] = np.tile(np.arange(num), passes)
        elif not slot.builtin:
            given = attributes.get(slot.name)
            if slot.name == "dEQP_Position":
                content[0] = np.tile(corners.T, passes)[: slot.type.width]
            elif given is not None:
                vectors = given.reshape(passes, slot.count, -1)[:, :, : slot.type.width]
                spread = np.repeat(vectors, num, axis=0).transpose(1, 2, 0)
                content[:, : spread.shape[1]] = spread
            else:
                content[0, 3:4] = 1
        out.append(content)
    return out


def draw_rectangle(
    program: Program,
    executor: Executor,
    rect: tuple[float, float, float, float],
    size: tuple[int, int],
    uniforms: Values,
    attributes: Values,
    passes: int,
) -> tuple[Array, Array]:
    """Draw a rectangle.

    Parameters
    ----------
    rect : x, y, width, height in normalised device coordinates
    size : width and height of the target, even
    uniforms, attributes : (passes, components) by name

    Returns
    -------
    colors : ``(passes, height, width, 4)`` of colour number 0, and ``(passes, height, width)`` of what was written
    """
    assert program.vertex is not None
    assert program.fragment is not None
    x, y, across, down = rect
    corners = np.array([[x, y], [x + across, y], [x, y + down], [x + across, y + down]], np.float32)
    corners = np.concatenate([corners, np.tile(np.array([[0, 1]], np.float32), (4, 1))], axis=1)
    vertex = program.vertex
    areas = fill_constants(program, vertex, uniforms, passes)
    outputs, _ = executor.run(
        vertex,
        _vertex_inputs(program, vertex, corners, attributes, passes),
        areas,
        passes,
        np.ones(4 * passes, np.bool_),
    )
    rows = {output.builtin or output.name: k for k, output in enumerate(vertex.outputs)}
    position = outputs[rows["gl_Position"]] if "gl_Position" in rows else np.zeros((4, 4 * passes), np.float32)
    position = position.reshape(4, passes, 4)
    width, height = size
    colors = np.zeros((passes, height, width, 4))
    written = np.zeros((passes, height, width), np.bool_)
    fragment_areas = fill_constants(program, program.fragment, uniforms, passes, height)
    sources = [(slot, None if slot.builtin else outputs[rows[slot.name]]) for slot in program.fragment.inputs]
    for triangle in ((0, 1, 2), (2, 1, 3)):
        weights, inside, front = _barycentric(position[:, :, list(triangle)], size)
        if not inside.any():
            continue
        # Helper lanes are the quads' other fragments; whole quads that nobody covers are left as helpers.
        order = _quad_order(width, height)
        lanes = [
            _fragment_input(slot, source, weights, triangle, position, front, order, size) for slot, source in sources
        ]
        covered = inside.reshape(passes, -1)[:, order].reshape(-1)
        results, alive = executor.run(program.fragment, lanes, fragment_areas, passes, covered)
        color = _color(program.fragment, results, covered.size)
        back = np.argsort(order)
        color = color.reshape(4, passes, -1)[:, :, back].transpose(1, 2, 0).reshape(passes, height, width, 4)
        here = (alive & covered).reshape(passes, -1)[:, back].reshape(passes, height, width)
        colors[here] = color[here]
        written |= here
    return colors, written


def _quad_order(width: int, height: int) -> Array:
    """Pixel numbers in the order of lanes: quads, their four fragments together."""
    numbers = np.arange(width * height).reshape(height // 2, 2, width // 2, 2)
    return numbers.transpose(0, 2, 1, 3).reshape(-1)


def _barycentric(position: Array, size: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Screen-space weights ``(3, passes, h, w)`` of a triangle's corners, the pixels that it covers (top-left rule),
    facing.
    """
    width, height = size
    position64 = position.astype(np.float64)
    divisor = np.where(position64[3] == 0, 1e-30, position64[3])
    sx = (position64[0] / divisor * 0.5 + 0.5) * width
    sy = (position64[1] / divisor * 0.5 + 0.5) * height
    px = (np.arange(width) + 0.5)[None, None, :]
    py = (np.arange(height) + 0.5)[None, :, None]

    def edge(i: int, j: int) -> Array:
        ax, ay, bx, by = (edge[:, None, None] for edge in (sx[:, i], sy[:, i], sx[:, j], sy[:, j]))
        found: Array = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        return found

    areas = [edge(1, 2), edge(2, 0), edge(0, 1)]
    total = areas[0] + areas[1] + areas[2]
    sign = np.sign(total)
    inside = np.ones(np.broadcast_shapes(*(area.shape for area in areas)), np.bool_) & (sign != 0)
    for k, area in enumerate(areas):
        i, j = (k + 1) % 3, (k + 2) % 3
        dx, dy = (sx[:, j] - sx[:, i]) * sign[:, 0, 0], (sy[:, j] - sy[:, i]) * sign[:, 0, 0]
        owned = ((dy < 0) | ((dy == 0) & (dx < 0)))[:, None, None]
        signed = area * sign
        inside &= (signed > 0) | ((signed == 0) & owned)
    safe = np.where(total == 0, 1.0, total)
    return np.stack([np.broadcast_to(area / safe, inside.shape) for area in areas]), inside, sign[:, 0, 0] > 0


def _fragment_input(
    slot: InputSlot,
    source: Array | None,
    weights: Array,
    triangle: tuple[int, int, int],
    position: Array,
    front: Array,
    order: Array,
    size: tuple[int, int],
) -> Array:
    """Values of a fragment input, ``(count, w, n)`` pass-major in the order of lanes; ``source`` is the output of the
    vertex stage that it has, None of a built-in one.
    """
    width, height = size
    passes = front.size
    n = passes * width * height
    corners = list(triangle)
    if source is None:
        return _builtin_input(slot, weights, position[:, :, corners], front, order, size)
    source = source.reshape(slot.count, slot.type.width, passes, 4)[:, :, :, corners]
    if slot.interpolation == Interpolation.FLAT or slot.type.base != Base.FLOAT:
        last = source[:, :, :, 2]
        return np.repeat(last, width * height, axis=2).reshape(slot.count, slot.type.width, n)
    divisor = position[3][:, corners].astype(np.float64)
    perspective = weights.reshape(3, passes, -1)
    if slot.interpolation == Interpolation.SMOOTH:
        perspective = perspective / np.where(divisor == 0, 1e-30, divisor).T[:, :, None]
        perspective = perspective / perspective.sum(axis=0)
    values = source.astype(np.float64)
    if slot.coefficient >= 0:
        if slot.interpolation == Interpolation.SMOOTH:
            values = values / np.where(divisor == 0, 1e-30, divisor)
        perspective = weights.reshape(3, passes, -1)
    base = values[..., 0][..., None]
    spread: Array = (
        base + (values[..., 1][..., None] - base) * perspective[1] + (values[..., 2][..., None] - base) * perspective[2]
    )
    if slot.coefficient >= 0:
        spread = _coefficient(spread, slot.coefficient, size)
    ordered: Array = spread[..., order].reshape(slot.count, slot.type.width, n).astype(np.float32)
    return ordered


def _coefficient(plane: Array, number: int, size: tuple[int, int]) -> Array:
    """A coefficient of a plane equation about each pixel: its value, or what a step to the right, or up, adds."""
    if number == 0:
        return plane
    width, height = size
    grid = plane.reshape(*plane.shape[:-1], height, width)
    axis, length = (-1, width) if number == 1 else (-2, height)
    step: Array = np.gradient(grid, axis=axis) if length > 1 else np.zeros_like(grid)
    return step.reshape(plane.shape)


def _builtin_input(
    slot: InputSlot, weights: Array, position: Array, front: Array, order: Array, size: tuple[int, int]
) -> Array:
    width, height = size
    passes = front.size
    n = passes * width * height
    if slot.builtin == "gl_FragCoord":
        position64 = position.astype(np.float64)
        divisor = np.where(position64[3] == 0, 1e-30, position64[3])
        flat = weights.reshape(3, passes, -1)
        depth = (flat * (position64[2] / divisor * 0.5 + 0.5).T[:, :, None]).sum(axis=0)
        inverse = (flat * (1 / divisor).T[:, :, None]).sum(axis=0)
        x = np.broadcast_to(np.tile(np.arange(width) + 0.5, height), (passes, width * height))
        y = np.broadcast_to(np.repeat(np.arange(height) + 0.5, width), (passes, width * height))
        return np.stack([x, y, depth, inverse])[:, :, order].reshape(1, 4, n).astype(np.float32)
    if slot.builtin == "gl_FrontFacing":
        return np.repeat(front, width * height).reshape(1, 1, n)
    if slot.builtin == "gl_PlaneOverW":
        divisor = np.where(position[3] == 0, 1e-30, position[3].astype(np.float64))
        inverse = (weights.reshape(3, passes, -1) * (1 / divisor).T[:, :, None]).sum(axis=0)
        parts = [_coefficient(inverse, k, size) for k in range(3)]
        return np.stack(parts)[:, :, order].reshape(1, 3, n).astype(np.float32)
    # One sample, in the middle of its pixel.
    value = _OF_ONE_SAMPLE.get(slot.builtin, 0)
    return np.full((slot.count, slot.type.width, n), value, DTYPES[slot.type.base])


def _color(ir: StageIR, results: Sequence[Array], lanes: int) -> Array:
    """Colour number 0 as ``(4, lanes)`` floats."""
    for output, value in zip(ir.outputs, results, strict=True):
        if output.builtin == "gl_FragColor" or (not output.builtin and output.location == 0):
            first = value[0] if value.ndim == 3 else value
        elif output.builtin == "gl_FragData":
            first = value[0]
        else:
            continue
        color = np.zeros((4, lanes))
        color[3] = 1.0
        color[: first.shape[0]] = first
        return color
    return np.zeros((4, lanes))
