"""Taking apart what a trace holds at a call: textures and framebuffers as pictures, meshes behind the vertex stage."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.engine import Engine
from replay.engine.vertex_fetch import fetch_attribute
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS
from traceformat.gles.gltypes import TYPES
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, guarded
from traceformat.gles.state import Context
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ColumnSet, PrimitiveKind

if TYPE_CHECKING:
    from replay.engine.at_once import ShadedVertices
    from traceformat.gles.objects import Image, Texture
    from traceformat.gltrace.reader import TraceReader

__all__ = ["Mesh", "Moment", "TexturePicture", "VertexInput", "play_to"]


#: Of attributes, by the base of their type.
_DTYPES: Final = {"float": np.float32, "int": np.int32, "uint": np.uint32}


@dataclass(frozen=True, slots=True)
class Mesh:
    """A draw behind the vertex stage.

    Parameters
    ----------
    call : number of the draw
    kind : points, lines or triangles
    clip : (N, 4) float32 clip coordinates
    varyings : other outputs of the vertex stage by name, (N, width) float32
    indices : (P, 1, 2 or 3) uint32 rows of ``clip``
    vertices, instances : (N,) index and instance of each row of ``clip``
    """

    call: int
    kind: PrimitiveKind
    clip: NDArray[np.float32]
    varyings: dict[str, NDArray[np.float32]]
    indices: NDArray[np.uint32]
    vertices: NDArray[np.int64]
    instances: NDArray[np.int64]

    @property
    def positions(self) -> NDArray[np.float32]:
        """(N, 3) float32 normalised device coordinates; vertices at or behind the eye keep their clip coordinates."""
        divisor = np.where(self.clip[:, 3:] > 0, self.clip[:, 3:], np.float32(1))
        return np.nan_to_num(self.clip[:, :3] / divisor).astype(np.float32)


@dataclass(frozen=True, slots=True)
class VertexInput:
    """What the vertex stage was given for one attribute of the first vertices of a draw.

    Parameters
    ----------
    name, type : of the attribute; the type is GL's, such as GL_FLOAT_VEC3
    location : of the vertex array; -1 for what is built in
    values : (N, columns, rows of a column), float32, int32 or uint32
    """

    name: str
    type: int
    location: int
    values: NDArray[Any]


@dataclass(frozen=True, slots=True)
class TexturePicture:
    """One image of a texture.

    Parameters
    ----------
    texture, face, level, layer : which
    format : sized internal format
    pixels : (height, width, 4) uint8 RGBA, row 0 at the bottom; depth as grey, floats clamped to 0 ... 1
    """

    texture: int
    face: int
    level: int
    layer: int
    format: int
    pixels: NDArray[np.uint8]


class Moment:
    """A replay that has stopped behind a call; a context manager that releases it."""

    def __init__(self, engine: Engine, tracker: Tracker, thread: int) -> None:
        self._engine = engine
        self.tracker = tracker
        self.context: Context | None = tracker.current.get(thread) or next(iter(tracker.contexts.values()), None)

    def __enter__(self) -> Moment:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def drawn(self) -> list[NDArray[Any]]:
        """Texels of the draw framebuffer's attachments as they are stored: colours, then depth and stencil."""
        return self._engine.attachments(self.context) if self.context is not None else []

    def vertex_inputs(self, mesh: Mesh, rows: int, base_instance: int = 0) -> list[VertexInput]:
        """Attributes that the program reads, of the first rows of a mesh that it has drawn.

        Parameters
        ----------
        base_instance : of the draw
        """
        context = self.context
        executable = context.program.executable if context is not None and context.program is not None else None
        if context is None or executable is None:
            return []
        vertices, instances = mesh.vertices[:rows], mesh.instances[:rows]
        found = []
        for attribute in executable.reflection.attributes:
            if attribute.location < 0:
                built_in = vertices if attribute.name == "gl_VertexID" else instances
                found.append(VertexInput(attribute.name, attribute.type, -1, built_in.astype(np.int32)[:, None, None]))
                continue
            type = TYPES[attribute.type]
            columns = range(attribute.location, attribute.location + type.columns * attribute.size)
            words = np.zeros((len(columns), 4, len(vertices)), np.float32)
            for k, location in enumerate(columns):
                attrib, generic = context.vertex_array.attribs[location], context.generic_attribs[location]
                fetch_attribute(attrib, generic, vertices, instances, base_instance, words[k])
            values = words[:, : type.rows].view(_DTYPES[type.base]).transpose(2, 0, 1)
            found.append(VertexInput(attribute.name, attribute.type, attribute.location, values))
        return found

    def textures(self, only: Container[int] | None = None) -> Iterator[TexturePicture]:
        """Every image of every texture of the context's share group.

        Parameters
        ----------
        only : serial numbers of those that are wanted; None = all
        """
        if self.context is None:
            return
        for _, texture in sorted(self.context.group.textures.objects.items()):
            if texture is None or (only is not None and texture.serial not in only):
                continue
            for (face, level), image in sorted(texture.images.items()):
                if image.width and image.height and image.format in FORMATS and image.samples <= 1:
                    yield from self._pictures(texture, face, level, image)

    def _pictures(self, texture: Texture, face: int, level: int, image: Image) -> Iterator[TexturePicture]:
        depth = max(image.depth, 1)
        layers = self._layers(texture, face, level, image).reshape(depth, image.height, image.width, 4)
        for layer in range(depth):
            yield TexturePicture(texture.name, face, level, layer, image.format, layers[layer])

    def _layers(self, texture: Texture, face: int, level: int, image: Image) -> NDArray[np.uint8]:
        assert self.context is not None
        kind = FORMATS[image.format].kind

        def read(format: int, type: int, dtype: str) -> NDArray[Any]:
            assert self.context is not None
            data = self._engine.read_image(self.context, texture, face, level, image, format, type)
            return np.frombuffer(data, dtype)

        if kind in ("depth", "depth_float"):
            values = read(gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, "<f4")
            grey = np.rint(np.clip(np.nan_to_num(values), 0, 1) * 255).astype(np.uint8)
            return np.stack([grey, grey, grey, np.full_like(grey, 255)], axis=-1)
        if kind == "stencil":
            grey = read(gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, "u1")
            return np.stack([grey, grey, grey, np.full_like(grey, 255)], axis=-1)
        if kind in ("int", "uint"):
            values = read(
                gl.GL_RGBA_INTEGER,
                gl.GL_UNSIGNED_INT if kind == "uint" else gl.GL_INT,
                "<u4" if kind == "uint" else "<i4",
            )
            return np.asarray(np.clip(values, 0, 255), np.uint8)
        values = read(gl.GL_RGBA, gl.GL_FLOAT, "<f4")
        return np.asarray(np.rint(np.clip(np.nan_to_num(values), 0, 1) * 255), np.uint8)


def play_to(
    reader: TraceReader, last: int, on_mesh: Callable[[Mesh], None] | None = None, first_mesh: int = 0
) -> Moment:
    """Replay a trace up to a call.

    Parameters
    ----------
    reader : a whole trace
    last : number of the last call that is executed
    on_mesh : is given each draw behind the vertex stage
    first_mesh : number of the first draw call that is

    Raises
    ------
    ReplayError, UnsupportedCallError : it cannot be replayed
    """
    engine = Engine(ColumnSet(()), threads=1)
    tracker = Tracker(engine, gles_limits=guarded(GLES_LIMITS), desktop_limits=guarded(DESKTOP_LIMITS), remap=True)
    ends = {frame.end_call - 1: frame for frame in reader.frames if frame.end_call <= last}
    thread = 1
    try:
        for call in reader.calls(stop=last + 1):
            if on_mesh is not None and call.number == first_mesh:
                engine.observe_vertices(lambda shaded: on_mesh(_mesh(shaded)))
            tracker.execute(call)
            thread = call.thread
            frame = ends.get(call.number)
            if frame is not None:
                engine.end_frame(frame.number, frame.rule)
    except BaseException:
        engine.close()
        raise
    return Moment(engine, tracker, thread)


def _mesh(shaded: ShadedVertices) -> Mesh:
    count = shaded.stream.num_lanes
    kind = shaded.geometry.kind
    rows = shaded.geometry.primitives[:, : int(kind)]
    varyings = {}
    for slot, first in zip(shaded.vertex.ir.outputs, shaded.vertex.layout.output_rows, strict=True):
        if not slot.builtin and slot.variable.length == 0:
            width = slot.variable.type.width
            varyings[slot.name] = shaded.outputs[first : first + width, :count].T.copy()
    stream = shaded.stream
    return Mesh(
        shaded.call, kind, shaded.clip[:count].copy(), varyings, stream.arrays.lane[rows].astype(np.uint32),
        stream.arrays.lane_index.copy(), stream.arrays.lane_instance.copy(),
    )  # fmt: skip
