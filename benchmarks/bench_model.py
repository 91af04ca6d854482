"""Speed of the timing model: simulated cycles a second, quads a second, and the gain over ticking every unit in every
cycle.

    python benchmarks/bench_model.py [--frames N] [--width W --height H]

Two synthetic frames: one compute-bound (texture lines with locality), one memory-bound (a line of its own for every
look-up). Figures are of one thread, after the kernels are compiled, best of N; compile time is printed apart.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from traceformat.gputrace.frametrace import SCHEMA, EventKind, FrameRule, FrameTrace, LoadOp, MemoryMap, StoreOp


def synthetic_frame(
    width: int, height: int, *, layers: int, block: int, alu: int, textures: int, stride: int
) -> FrameTrace:
    """Layers of blocks over the whole screen, front to back in turn.

    Parameters
    ----------
    layers : overdraw
    block : side of a primitive's rectangle, pixels
    alu, textures : instructions of the fragment shader
    stride : texture lines between neighbouring quads; small numbers have locality
    """
    across, down = -(-width // block), -(-height // block)
    per_layer = across * down
    count = layers * per_layer
    columns: dict[str, dict[str, Any]] = {name: {} for name in SCHEMA}

    def table(name: str, rows: int, **values: Any) -> None:
        for column, spec in SCHEMA[name].items():
            if spec.optional:
                continue
            array = np.zeros((rows, *spec.shape), spec.dtype)
            if column in values:
                array[:] = values[column]
            columns[name][column] = array

    k = np.arange(count)
    cell = k % per_layer
    x0, y0 = cell % across * block, cell // across * block
    x1, y1 = np.minimum(x0 + block, width) - 1, np.minimum(y0 + block, height) - 1
    qx, qy = np.meshgrid(np.arange(width // 2), np.arange(height // 2))
    owner = (qy * 2 // block * across + qx * 2 // block).reshape(-1)
    inside = np.argsort(owner, kind="stable")
    quads_layer = len(inside)
    quads = layers * quads_layer
    layer = np.repeat(np.arange(layers), quads_layer)
    x, y = np.tile(qx.reshape(-1)[inside], layers), np.tile(qy.reshape(-1)[inside], layers)
    emitted = np.tile(owner[inside], layers) + layer * per_layer
    lines_per_op = 2
    ops = np.arange(quads * textures)
    quad_of_op = ops // max(textures, 1)
    base = (y[quad_of_op] // 4 * 97 + x[quad_of_op] // 4 + ops % max(textures, 1) * 5000) * stride
    if stride > 1:
        base = base + quad_of_op % stride
    texture_lines = np.repeat(base, lines_per_op) + np.tile(np.arange(lines_per_op), len(ops))
    half = np.where(layer % 2 == 0, 0.75, 0.25) - layer * 1e-3
    color = np.zeros(8, np.uint8)
    color[0] = 1
    table("programs", 2, id=1, stage=[0, 1])
    table("objects", 1, id=1)
    vertex_alu = 16
    kinds = [0] * vertex_alu + ([0] * (alu // max(textures, 1)) + [3]) * textures
    table("instructions", len(kinds), kind=kinds, texture=-1)
    table("blocks", 2, instruction_first=[0, vertex_alu], instruction_count=[vertex_alu, len(kinds) - vertex_alu])
    table("path_steps", 2, block=[0, 1], active=[1, 15])
    issued = [[vertex_alu, 0, 0, 0, 0, 0], [alu, 0, 0, textures, 0, 0]]
    table(
        "paths",
        2,
        program=[0, 1],
        step_first=[0, 1],
        step_count=1,
        issued=issued,
        executed=np.array(issued) * [[1], [4]],
    )
    table("vertices", 3 * count, index=np.arange(3 * count) % 60_000)
    table("vertex_fetches", 1, address=MemoryMap.VERTEX, stride=32, bytes=32)
    table(
        "primitives",
        count,
        draw=0,
        kind=3,
        vertex=3 * k[:, None] + [0, 1, 2],
        front=1,
        emitted_first=k,
        emitted_count=1,
    )
    w, h = 2 * (x1 - x0 + 1), 2 * (y1 - y0 + 1)
    table(
        "emitted",
        count,
        primitive=k,
        num_vertices=3,
        x=256 * np.stack([x0, x0 + w, x0], 1),
        y=256 * np.stack([y0, y0, y0 + h], 1),
        bounds=np.stack([x0, y0, x1, y1], 1),
    )
    # Their values cost nothing; all primitives share those of one.
    table("attributes", 9)
    table("tex_ops", len(ops), line_first=ops * lines_per_op, line_count=lines_per_op, texels=4)
    table("texture_lines", len(texture_lines), line=texture_lines & 0xFFFFF, lanes=15)
    table(
        "quads",
        quads,
        emitted=emitted,
        x=x,
        y=y,
        coverage=15,
        survives=15,
        depth=(half * 0xFFFFFF).astype(np.uint32)[:, None],
        path=1,
        tex_first=np.arange(quads) * textures,
        tex_count=textures,
    )
    table(
        "draws",
        1,
        vertex_count=3 * count,
        primitive_count=count,
        emitted_count=count,
        quad_count=quads,
        num_attributes=3,
        depth_test=1,
        depth_write=1,
        depth_func=0x0201,
        color_mask=15,
        draw_buffers=1,
        fragment_program=1,
        fetch_count=1,
        instance_count=1,
        mode=4,
    )
    table("events", 1, kind=EventKind.DRAW)
    table(
        "passes",
        1,
        width=width,
        height=height,
        samples=1,
        num_colors=1,
        color_address=color.astype(np.uint64) * MemoryMap.RENDER_TARGETS,
        color_format=color.astype(np.uint32) * 0x8058,
        color_bytes=color * 4,
        color_load=color * LoadOp.CLEAR,
        color_store=color * StoreOp.STORE,
        depth_format=0x81A6,
        depth_bytes=4,
        depth_load=LoadOp.CLEAR,
        clear_depth=0xFFFFFF,
        event_count=1,
        draw_count=1,
    )
    for name in SCHEMA:
        if not columns[name]:
            table(name, 0)
    return FrameTrace.from_columns(columns, frame=0, width=width, height=height, rule=FrameRule.SWAP, labels=["blocks"])


def main() -> None:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=768)
    parser.add_argument("--config", default="mali450-vro")
    arguments = parser.parse_args()
    started = time.process_time()
    from gpumodel.config import load_config
    from gpumodel.machine import Machine

    print(f"import (compile when cold): {time.process_time() - started:.2f} s CPU")
    config = load_config(arguments.config)
    print(
        f"{'frame':16} {'quads':>8} {'cycles':>10} {'s':>7} {'Mcycles/s':>10} {'Mquads/s':>9} "
        f"{'arrange s':>9} {'x tick-all':>10}"
    )
    shapes = {
        "compute-bound": {"layers": 2, "block": 24, "alu": 24, "textures": 1, "stride": 1},
        "memory-bound": {"layers": 2, "block": 24, "alu": 12, "textures": 2, "stride": 16},
    }
    for name, shape in shapes.items():
        trace = synthetic_frame(arguments.width, arguments.height, **shape)
        best: dict[bool, float] = {}
        arrange = cycles = 0
        for every, repeats in ((False, arguments.frames), (True, 1)):
            for _ in range(repeats):
                machine = Machine(config, every_cycle=every)
                started = time.process_time()
                frame = machine.run_frame(trace)
                spent = time.process_time() - started
                kernel = frame.host_seconds
                if every not in best or kernel < best[every]:
                    best[every] = kernel
                    arrange = spent - kernel
                cycles = frame.geometry_cycles + frame.raster_cycles
        quads = trace["quads"].num_rows
        seconds = best[False]
        print(
            f"{name:16} {quads:8} {cycles:10} {seconds:7.3f} {cycles / seconds / 1e6:10.2f} "
            f"{quads / seconds / 1e6:9.2f} "
            f"{arrange:9.3f} {best[True] / seconds:10.2f}"
        )


if __name__ == "__main__":
    main()
