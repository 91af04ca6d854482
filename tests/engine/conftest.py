"""Helpers of the engine's tests: kernels driven directly, and Mesa as the ground truth."""

import os
from dataclasses import dataclass

import numpy as np
import pytest

from replay.engine.entries import LINE_KERNELS
from replay.engine.kernels import front
from replay.engine.kernels.assembly import assemble
from replay.engine.kernels.records import (
    CORNER_DTYPE,
    FRONT,
    FRONT_COLUMNS,
    INTERFACE,
    POLYGON_DTYPE,
    SETUP_DTYPE,
    STREAM,
)
from traceformat.gputrace.frametrace import SCHEMA
from traceformat.native.records import address_of

WIDTH, HEIGHT = 96, 80
GUARD_PIXELS = 16384.0
_KINDS = {0: 1, 1: 2, 2: 2, 3: 2}


@dataclass
class Emitted:
    """What the geometry kernels made of a batch of vertices."""

    outcome: np.ndarray
    front: np.ndarray
    kind: int
    primitive: np.ndarray
    x: np.ndarray
    y: np.ndarray
    window: np.ndarray
    nodes: np.ndarray
    #: Window positions, then the clip positions as a varying: (E, 2, 3, 4).
    attributes: np.ndarray
    size: np.ndarray
    depth_plane: np.ndarray
    bounds: np.ndarray
    #: All columns that the front writes.
    columns: dict

    @property
    def num_vertices(self):
        return np.full(len(self.primitive), self.kind, np.uint8)


class Geometry:
    """Runs assembly, clipping and rasterization on plain arrays."""

    width, height = WIDTH, HEIGHT

    def setup(self, mode, **state):
        row = np.zeros(1, SETUP_DTYPE)
        row["scale"] = (self.width / 2, self.height / 2, 0.5)
        row["translate"] = (self.width / 2, self.height / 2, 0.5)
        row["guard"] = (GUARD_PIXELS / (self.width / 2), GUARD_PIXELS / (self.height / 2))
        row["bounds"] = (0, 0, self.width - 1, self.height - 1)
        row["kind"] = _KINDS.get(mode, 3)
        row["line_width"] = 1.0
        for key, value in state.items():
            row[key] = value
        return row

    def emit(self, clip, mode=4, sizes=None, distances=None, **state):
        n = len(clip)
        primitives = np.empty((n + 1, 3), np.uint32)
        count = assemble(mode, np.array([0]), np.array([n]), primitives)
        primitives = np.ascontiguousarray(primitives[:count])
        room = 8 * count + 1
        out = Emitted(
            np.full(count, 255, np.uint8),
            np.zeros(count, np.uint8),
            _KINDS.get(mode, 3),
            np.zeros(room, np.uint32),
            np.zeros((room, 3), np.int32),
            np.zeros((room, 3), np.int32),
            np.zeros((room, 3, 4), np.float32),
            np.zeros((room, 3), np.uint8),
            np.zeros((room, 2, 3, 4), np.float32),
            np.zeros(room, np.float32),
            np.zeros((room, 3)),
            np.zeros((room, 4), np.int16),
            {},
        )
        columns = out.columns
        columns |= {f"emitted_{key}": getattr(out, key) for key in ("x", "y", "size", "bounds")}
        columns["attributes_value"] = out.attributes
        columns |= {"primitives_outcome": out.outcome, "primitives_front": out.front}
        for table, names in FRONT_COLUMNS.items():
            for name in names:
                if f"{table}_{name}" not in columns:
                    shape = SCHEMA[table][name]
                    columns[f"{table}_{name}"] = np.zeros((room, *shape.shape), shape.dtype)
        clip = np.ascontiguousarray(clip, np.float32)
        points = np.ones(n, np.float32) if sizes is None else np.asarray(sizes, np.float32)
        lane = np.arange(n, dtype=np.uint32)
        setup, polygon = self.setup(mode, **state), np.zeros(1, POLYGON_DTYPE)
        corners = np.zeros(n + 1, CORNER_DTYPE)
        rows, flat, outputs = np.arange(4), np.zeros(1, np.uint8), np.ascontiguousarray(clip.T)
        interface = INTERFACE.row(
            output_rows=4, varying_rows=address_of(rows), varying_flat=address_of(flat), num_varyings=1
        )
        stream = STREAM.row(num_rows=n, lane=address_of(lane), num_lanes=n)
        row = FRONT.row(
            emitted_room=room, stream=stream.address, interface=interface.address, num_primitives=count,
            is_assembled=1, points=address_of(points), mode=mode, setup=address_of(setup), clip=address_of(clip),
            primitives=address_of(primitives), polygon=address_of(polygon), corners=address_of(corners),
            **{key: address_of(getattr(out, key)) for key in ("window", "nodes", "depth_plane", "primitive")},
            **{name: kernel.address for name, kernel in LINE_KERNELS.items()},
        )  # fmt: skip
        for key, column in columns.items():
            row.data["columns"][key] = address_of(column)
        if distances is not None:
            row.distances, row.num_distances = address_of(distances), 1
        assert front.clip.ctypes(row.address) == 1
        row.outputs, row.output_width, row.attribute_room = address_of(outputs), n, 6 * room
        assert front.attributes.ctypes(row.address) == 1
        number = row.num_emitted
        for key in ("primitive", "x", "y", "window", "nodes", "attributes", "size", "depth_plane", "bounds"):
            setattr(out, key, getattr(out, key)[:number])
        return out

    def quads(self, emitted, depth_bits=24, room=1 << 16):
        """Quads of the primitives; without room for all of them and a spare one how many rows lack."""
        n = len(emitted.primitive)
        number = np.zeros(room, np.uint32)
        x, y = np.zeros(room, np.uint16), np.zeros(room, np.uint16)
        coverage, depth = np.zeros(room, np.uint8), np.zeros((room, 4), np.uint32)
        columns = {f"emitted_{key}": getattr(emitted, key) for key in ("num_vertices", "size", "x", "y", "bounds")}
        columns |= {"quads_emitted": number, "quads_x": x, "quads_y": y, "quads_coverage": coverage}
        columns["quads_depth"] = depth
        setup = self.setup(4)
        row = FRONT.row(
            num_emitted=n, depth_plane=address_of(emitted.depth_plane), depth_bits=depth_bits, quad_room=room,
            setup=address_of(setup),
        )  # fmt: skip
        for key, column in columns.items():
            row.data["columns"][key] = address_of(column)
        if not front.raster.ctypes(row.address):
            return row.needed
        total = row.num_quads
        number, x, y, coverage, depth = (column[:total] for column in (number, x, y, coverage, depth))
        assert row.num_fragments == sum(int(((coverage >> f) & 1).sum()) for f in range(4))
        return number, x, y, coverage, depth

    def counts(self, emitted):
        """How often each pixel is covered."""
        _, x, y, coverage, _ = self.quads(emitted)
        image = np.zeros((self.height + 2, self.width + 2), np.int64)
        for f in range(4):
            np.add.at(image, (2 * y.astype(int) + (f >> 1), 2 * x.astype(int) + (f & 1)), (coverage >> f) & 1)
        return image[: self.height, : self.width]


@pytest.fixture(scope="session")
def geometry():
    return Geometry()


class Mesa:
    """Draws into a framebuffer object with Mesa, off screen."""

    def __init__(self):
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        import moderngl

        self.gl = moderngl
        self.context = moderngl.create_context(standalone=True, backend="egl", require=330)
        self.context.enable(moderngl.PROGRAM_POINT_SIZE)
        self.program = self.context.program(
            vertex_shader="#version 330\nin vec4 p; in float s; void main() { gl_Position = p; gl_PointSize = s; }",
            fragment_shader="#version 330\nout vec4 c; void main() { c = vec4(1.0 / 255.0, 0.0, 0.0, 1.0); }",
        )

    def counts(self, clip, mode, sizes, width, height):
        """How often each pixel is covered, modulo 256 (saturating at 255)."""
        target = self.context.framebuffer(self.context.texture((width, height), 4))
        target.use()
        target.clear()
        self.context.enable(self.gl.BLEND)
        self.context.blend_func = (self.gl.ONE, self.gl.ONE)
        data = np.concatenate([clip, np.asarray(sizes)[:, None]], 1).astype("f4")
        buffer = self.context.buffer(data.tobytes())
        self.context.vertex_array(self.program, [(buffer, "4f 1f", "p", "s")]).render(mode)
        pixels = np.frombuffer(target.read(components=4), np.uint8).reshape(height, width, 4)
        return pixels[..., 0].astype(np.int64)


@pytest.fixture(scope="session")
def mesa_context():
    try:
        return Mesa()
    except Exception as error:
        pytest.skip(f"no GL driver: {error}")


@pytest.fixture
def mesa(mesa_context):
    """Mesa, with its context current: other tests have their own on this thread, and leave none behind."""
    with mesa_context.context:
        yield mesa_context
