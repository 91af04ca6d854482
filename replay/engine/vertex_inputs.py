"""What Python hands to vertex stages that it runs itself, and what it takes from them: inputs, clip distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from replay.engine.drawn import Drawn
from replay.engine.entries import FETCH_ATTRIBUTES
from replay.engine.kernels.records import ATTRIBUTE, FETCH
from replay.engine.stages import StageRun, aligned
from replay.engine.vertex_fetch import Stream, fetch_attribute, native_fields
from replay.glsl.llvm.abi import LANES
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.native.records import address_of

__all__ = ["clip_distances", "fetch_inputs"]

#: Gives memory for so many rows and lanes.
Room: TypeAlias = Callable[[int, int], NDArray[np.float32]]


def fetch_inputs(drawn: Drawn, stage: StageRun, scratch: Room) -> NDArray[np.float32]:
    """Inputs of the vertex stage of a draw, (rows, lanes); taken from an earlier draw where they cannot differ.

    Parameters
    ----------
    stage : that is to run
    scratch : gives memory for as long as the draw takes
    """
    context, call, cached, source = drawn.setting.context, drawn.call, drawn.taken.cached, drawn.source
    values = source.key(context)
    key = (values, call.base_instance) if values is not None else None
    known = cached.inputs.get(key) if key is not None else None
    if known is not None:
        return known
    attribs, generics = context.vertex_array.attribs, context.generic_attribs
    stream = cached.stream
    count = stream.num_lanes
    lanes = -(-max(count, 1) // LANES) * LANES
    # What is not kept lives until the next draw.
    room: Room = aligned if key is not None else scratch
    inputs = room(stage.layout.num_input_rows, lanes)
    inputs[...] = 0.0
    for slot, first in zip(stage.ir.inputs, stage.layout.input_rows, strict=True):
        if slot.builtin == "gl_VertexID":
            inputs.view(np.int32)[first, :count] = stream.arrays.lane_index
        elif slot.builtin == "gl_InstanceID":
            inputs.view(np.int32)[first, :count] = stream.arrays.lane_instance
    native = []
    for location, first, component, width in source.rows:
        if not 0 <= location < len(attribs):
            continue
        fields = native_fields(attribs[location], first, component, width)
        if fields is not None:
            native.append(fields)
            continue
        values_of = aligned(4, lanes)
        fetch_attribute(
            attribs[location],
            generics[location],
            stream.arrays.lane_index,
            stream.arrays.lane_instance,
            call.base_instance,
            values_of,
        )
        inputs[first : first + width] = values_of[component : component + width]
    if native:
        _fetch_native(native, stream, call.base_instance, inputs)
    if key is not None:
        if len(cached.inputs) >= 4:
            cached.inputs.clear()  # buffers that change under the same indices
        cached.inputs[key] = inputs
    return inputs


def _fetch_native(
    native: list[dict[str, int]], stream: Stream, base_instance: int, inputs: NDArray[np.float32]
) -> None:
    attributes = ATTRIBUTE.rows(len(native))
    memory = attributes.view(np.uint8).data
    for number, fields in enumerate(native):
        ATTRIBUTE.pack_into(memory, number, fields)
    fetch = FETCH.row(
        attributes=address_of(attributes),
        num_attributes=len(native),
        base_instance=base_instance,
        lane_index=address_of(stream.arrays.lane_index),
        lane_instance=address_of(stream.arrays.lane_instance),
        num_lanes=stream.num_lanes,
        out=address_of(inputs),
        num_rows=inputs.shape[0],
        width=inputs.shape[1],
    )
    FETCH_ATTRIBUTES.call(fetch.address)


def clip_distances(
    context: Context, vertex: StageRun, outputs: NDArray[np.float32], count: int
) -> NDArray[np.float32] | None:
    """Values of gl_ClipDistance that are enabled (desktop GL): (N, D)."""
    if context.is_gles:
        return None
    rows = []
    for slot, first in zip(vertex.ir.outputs, vertex.layout.output_rows, strict=True):
        if slot.builtin == "gl_ClipDistance":
            length = max(slot.variable.length, 1)
            rows += [first + k for k in range(length) if gl.GL_CLIP_DISTANCE0 + k in context.enabled]
    if not rows:
        return None
    found = np.zeros((max(count, 1), len(rows)), np.float32)
    for k, row in enumerate(rows):
        found[:count, k] = outputs[row, :count]
    return found
