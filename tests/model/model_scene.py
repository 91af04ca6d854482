"""Synthetic frames for the model's tests: everything a FrameTrace needs, made by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from traceformat.gputrace.frametrace import (
    SCHEMA,
    DrawFlags,
    EventKind,
    FrameRule,
    FrameTrace,
    LoadOp,
    MemoryMap,
    StoreOp,
    quantize_depth,
)

GL_LESS = 0x0201
DEPTH24 = 0x81A6


@dataclass
class Path:
    """A shader path: issue counts before each texture instruction and after the last one."""

    alu: list[int]  # len = texture instructions + 1


@dataclass
class Draw:
    """A draw under construction; quads are (primitive, x2, y2, coverage, depth, path, list of lines per texture op)."""

    attributes: int = 2
    depth_test: bool = False
    depth_write: bool = False
    depth_func: int = GL_LESS
    flags: int = 0
    blend: bool = False
    vertex_path: int = 0
    constants_new_bytes: int = 0
    stencil: dict[str, Any] = field(default_factory=dict)
    indices: list[int] = field(default_factory=list)
    fetches: list[tuple[int, int, int]] = field(default_factory=list)  # address, stride, bytes
    indexed: bool = False
    triangles: list[tuple[int, int, int]] = field(default_factory=list)  # rows of vertices, -1 row = culled marker
    culled: list[bool] = field(default_factory=list)
    positions: list[Any] = field(default_factory=list)
    quads: list[tuple[Any, ...]] = field(default_factory=list)


class Scene:
    """Collects draws and gives a FrameTrace."""

    def __init__(self, width: int = 64, height: int = 64, frame: int = 0) -> None:
        self.width, self.height, self.frame = width, height, frame
        self.paths: list[Path] = []
        self.draws: list[Draw] = []
        self.passes: list[dict[str, Any]] = []
        self.clears: list[tuple[int, dict[str, Any]]] = []
        self.begin_pass()

    def begin_pass(self, **changes: Any) -> None:
        """Start a pass; keyword arguments override columns of ``passes``."""
        self.passes.append({"draw_first": len(self.draws), "changes": changes})

    def path(self, *alu: int) -> int:
        """Add a path with ``len(alu) - 1`` texture instructions: ``path(3, 2)`` is 3 ALU, TEX, 2 ALU."""
        self.paths.append(Path(list(alu)))
        return len(self.paths) - 1

    def draw(self, **values: Any) -> Draw:
        """Add a draw."""
        self.draws.append(Draw(**values))
        return self.draws[-1]

    def clear_after(self, draw_count: int, **values: Any) -> None:
        """Add a clear event after the first ``draw_count`` draws."""
        self.clears.append((draw_count, values))

    def quad_block(
        self,
        draw: Draw,
        x: int,
        y: int,
        width: int,
        height: int,
        *,
        path: int,
        depth: float = 0.5,
        lines: Any = None,
        survives: int = 15,
        texels: int = 1,
    ) -> None:
        """Add a primitive that covers a rectangle (pixels, even) with whole quads, as one triangle's bounds.

        ``lines`` has the lines of each texture instruction, or is a function of the quad's x / 2, y / 2 that gives
        them.
        """
        primitive = len(draw.triangles)
        first = len(draw.indices)
        draw.indices += [first, first + 1, first + 2]
        draw.triangles.append((first, first + 1, first + 2))
        draw.culled.append(False)
        draw.positions.append((x, y, x + width - 1, y + height - 1))
        for qy in range(y // 2, (y + height) // 2):
            for qx in range(x // 2, (x + width) // 2):
                draw.quads.append((primitive, qx, qy, 15, depth, path, lines or [], survives, texels))

    def cull(self, draw: Draw) -> None:
        """Add a culled triangle."""
        first = len(draw.indices)
        draw.indices += [first, first + 1, first + 2]
        draw.triangles.append((first, first + 1, first + 2))
        draw.culled.append(True)
        draw.positions.append((0, 0, -1, -1))

    def trace(self) -> FrameTrace:
        """Build the frame."""
        t: dict[str, dict[str, list[Any]]] = {name: {c: [] for c in SCHEMA[name]} for name in SCHEMA}

        def row(table: str, **values: Any) -> int:
            for column, spec in SCHEMA[table].items():
                if spec.optional and column not in values:
                    continue
                zero = np.zeros(spec.shape, spec.dtype) if spec.shape else 0
                t[table][column].append(values.get(column, zero))
            first = next(iter(t[table]))
            return len(t[table][first]) - 1

        if not self.paths:
            self.path(1)
        for stage in (0, 1):
            row("programs", id=1, stage=stage)
        for number, path in enumerate(self.paths):
            start = len(t["instructions"]["kind"])
            for k, alu in enumerate(path.alu):
                for _ in range(alu):
                    row("instructions", kind=0, texture=-1)
                if k + 1 < len(path.alu):
                    row("instructions", kind=3, texture=k)
            row("blocks", instruction_first=start, instruction_count=len(t["instructions"]["kind"]) - start)
            row("path_steps", block=number, active=15)
            issued = np.array([sum(path.alu), 0, 0, len(path.alu) - 1, 0, 0], np.uint32)
            row("paths", program=1, step_first=number, step_count=1, issued=issued, executed=issued * 4)
        row("objects", id=1)
        has_shader_depth = any(d.flags & DrawFlags.WRITES_DEPTH for d in self.draws)
        for number, d in enumerate(self.draws):
            pass_index = max(k for k, p in enumerate(self.passes) if p["draw_first"] <= number)
            v0, p0, e0, q0 = (len(t[n][next(iter(t[n]))]) for n in ("vertices", "primitives", "emitted", "quads"))
            f0 = len(t["vertex_fetches"]["address"])
            for address, stride, size in d.fetches:
                row("vertex_fetches", address=address, stride=stride, bytes=size)
            for k, index in enumerate(d.indices):
                row(
                    "vertices",
                    index=index,
                    path=d.vertex_path,
                    index_address=(MemoryMap.INDEX + 4096 * number + 2 * k) if d.indexed else 0,
                )
            emitted_of = {}
            for k, triangle in enumerate(d.triangles):
                emitted = len(t["emitted"]["primitive"])
                row(
                    "primitives",
                    draw=number,
                    kind=3,
                    vertex=np.array([v0 + i for i in triangle], np.uint32),
                    outcome=1 if d.culled[k] else 0,
                    front=1,
                    emitted_first=emitted,
                    emitted_count=0 if d.culled[k] else 1,
                )
                if d.culled[k]:
                    continue
                emitted_of[k] = emitted
                x0, y0, x1, y1 = d.positions[k]
                # A triangle twice as large as the rectangle, cut by the bounds.
                w, h = 2 * (x1 - x0 + 1), 2 * (y1 - y0 + 1)
                row(
                    "emitted",
                    primitive=p0 + k,
                    draw=number,
                    num_vertices=3,
                    x=np.array([x0, x0 + w, x0], np.int32) * 256,
                    y=np.array([y0, y0, y0 + h], np.int32) * 256,
                    bounds=np.array([x0, y0, x1, y1], np.int16),
                    attribute_first=len(t["attributes"]["value"]) + 3 * d.attributes * (len(emitted_of) - 1),
                )
            for _ in range(3 * d.attributes * len(emitted_of)):
                row("attributes")
            for primitive, qx, qy, coverage, depth, path, lines, survives, texels in sorted(
                d.quads, key=lambda q: q[0]
            ):
                op0 = len(t["tex_ops"]["line_first"])
                for lines_of_op in lines(qx, qy) if callable(lines) else lines:
                    line0 = len(t["texture_lines"]["line"])
                    for line in lines_of_op:
                        row("texture_lines", line=line, lanes=15)
                    row("tex_ops", line_first=line0, line_count=len(lines_of_op), texels=np.full(4, texels, np.uint8))
                z = quantize_depth(np.full(4, depth, np.float32), DEPTH24)
                extra = {"shader_depth": z} if has_shader_depth else {}
                row(
                    "quads",
                    emitted=emitted_of[primitive],
                    x=qx,
                    y=qy,
                    coverage=coverage,
                    survives=survives & coverage,
                    depth=z,
                    path=path,
                    tex_first=op0,
                    tex_count=len(t["tex_ops"]["line_first"]) - op0,
                    **extra,
                )
            row(
                "draws",
                call=number,
                **{"pass": pass_index},
                object=0,
                mode=4,
                flags=d.flags,
                vertex_first=v0,
                vertex_count=len(d.indices),
                primitive_first=p0,
                primitive_count=len(d.triangles),
                emitted_first=e0,
                emitted_count=len(emitted_of),
                quad_first=q0,
                quad_count=len(d.quads),
                instance_count=1,
                index_bytes=2 if d.indexed else 0,
                num_attributes=d.attributes,
                depth_test=int(d.depth_test),
                depth_write=int(d.depth_test and d.depth_write),
                depth_func=d.depth_func,
                blend=int(d.blend),
                color_mask=15,
                draw_buffers=1,
                vertex_program=0,
                fragment_program=1,
                fetch_first=f0,
                fetch_count=len(d.fetches),
                constants_new_bytes=np.array([d.constants_new_bytes, 0], np.uint32),
                **d.stencil,
            )
        for k, p in enumerate(self.passes):
            last = self.passes[k + 1]["draw_first"] if k + 1 < len(self.passes) else len(self.draws)
            event0 = len(t["events"]["kind"])
            for number in range(p["draw_first"], last):
                row("events", **{"pass": k}, kind=EventKind.DRAW, draw=number)
                for after, values in self.clears:
                    if after == number + 1:
                        row(
                            "events",
                            **{"pass": k},
                            kind=EventKind.CLEAR,
                            draw=-1,
                            x=0,
                            y=0,
                            width=self.width,
                            height=self.height,
                            **values,
                        )
            values: dict[str, Any] = dict(
                framebuffer=0, width=self.width, height=self.height, samples=1, num_colors=1,
                color_address=np.array([MemoryMap.RENDER_TARGETS + (k << 28)] + [0] * 7, np.uint64),
                color_format=np.array([0x8058] + [0] * 7, np.uint32), color_bytes=np.array([4] + [0] * 7, np.uint8),
                color_load=np.array([LoadOp.CLEAR] + [0] * 7, np.uint8),
                color_store=np.array([StoreOp.STORE] + [0] * 7, np.uint8), depth_format=DEPTH24, depth_bytes=4,
                depth_address=MemoryMap.RENDER_TARGETS + (k << 28) + (1 << 27), depth_load=LoadOp.CLEAR,
                clear_depth=0xFFFFFF, stencil_load=LoadOp.CLEAR, event_first=event0,
                event_count=len(t["events"]["kind"]) - event0, draw_first=p["draw_first"],
                draw_count=last - p["draw_first"],
            )  # fmt: skip
            values.update(p["changes"])
            row("passes", **values)
        columns = {
            name: {c: np.array(v, SCHEMA[name][c].dtype).reshape(-1, *SCHEMA[name][c].shape)
                   for c, v in table.items() if v or not SCHEMA[name][c].optional}
            for name, table in t.items()
        }  # fmt: skip
        return FrameTrace.from_columns(
            columns, frame=self.frame, width=self.width, height=self.height, rule=FrameRule.SWAP, labels=["object"]
        )
