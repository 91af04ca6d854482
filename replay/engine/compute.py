"""Dispatches of compute shaders in a context: what the stage reaches, run by the project's executors.

Storage blocks and counters are the buffers themselves. Images are copied into words of the image unit's format and,
where the stage writes them, back: a shader sees them as that format whatever the texture keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.stages import bind_stage, loop_budget
from replay.glsl.compute import dispatch_llvm, dispatch_numpy
from replay.glsl.llvm.options import StageOptions
from replay.glsl.memory import ImageWord, MemoryKind, MemorySlot
from replay.glsl.numpy_executor import NumpyStage
from replay.texture.reference import SamplerReference
from replay.texture.storage import ImageStorage
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.objects import BufferRange, Executable, Image, ImageUnit
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from replay.engine.constants import StageConstants
    from replay.engine.programs import LinkedProgram
    from replay.engine.stages import BoundTextures

__all__ = ["ImageWords", "dispatch"]

Groups = tuple[int, int, int]
_CHANNELS: Final = {1: gl.GL_RED, 2: gl.GL_RG, 4: gl.GL_RGBA}
_INTEGER_CHANNELS: Final = {1: gl.GL_RED_INTEGER, 2: gl.GL_RG_INTEGER, 4: gl.GL_RGBA_INTEGER}
_TYPES: Final = {
    "F": {32: gl.GL_FLOAT, 16: gl.GL_HALF_FLOAT},
    "": {8: gl.GL_UNSIGNED_BYTE, 16: gl.GL_UNSIGNED_SHORT},
    "_SNORM": {8: gl.GL_BYTE, 16: gl.GL_SHORT},
    "I": {8: gl.GL_BYTE, 16: gl.GL_SHORT, 32: gl.GL_INT},
    "UI": {8: gl.GL_UNSIGNED_BYTE, 16: gl.GL_UNSIGNED_SHORT, 32: gl.GL_UNSIGNED_INT},
}


def _client_formats() -> dict[int, tuple[int, int, int]]:
    found = {}
    for channels, letters in ((1, "R"), (2, "RG"), (4, "RGBA")):
        for kind, widths in _TYPES.items():
            for bits, type in widths.items():
                number = getattr(gl, f"GL_{letters}{bits}{kind}", None)
                if number is not None and channels * bits >= 32:
                    layout = (_INTEGER_CHANNELS if kind in ("I", "UI") else _CHANNELS)[channels]
                    found[number] = (layout, type, channels * bits // 32)
    return found


#: Client format, type and words of a texel of each image format.
_CLIENT_FORMATS: Final = _client_formats()


@dataclass(slots=True)
class ImageWords:
    """An image as words of an image unit's format.

    Parameters
    ----------
    unit : where it is bound
    image : None where nothing can be reached
    layers : (first, end) of the image's layers that are bound
    words : (layers, height, width, words a texel) int32
    """

    unit: ImageUnit
    image: Image | None
    layers: tuple[int, int]
    words: NDArray[np.int32]

    @classmethod
    def of(cls, unit: ImageUnit) -> ImageWords:
        """Words of what is bound to a unit."""
        nothing = cls(unit, None, (0, 0), np.zeros((0, 0, 0, 1), np.int32))
        texture = unit.texture
        if texture is None or texture.deleted:
            return nothing
        image = texture.images.get((0, unit.level))
        storage = image.backing if image is not None else None
        if image is None or not isinstance(storage, ImageStorage) or unit.format not in _CLIENT_FORMATS:
            return nothing
        if storage.format.texel_bytes != 4 * _CLIENT_FORMATS[unit.format][2] or texture.target in _CUBES:
            # A format of another size is none that an image unit may have (ES 3.1 §8.22).
            return nothing
        depth = storage.texels.shape[0]
        first, end = (0, depth) if unit.layered or depth == 1 else (unit.layer, min(unit.layer + 1, depth))
        if first >= end:
            return nothing
        layout, type, size = _CLIENT_FORMATS[unit.format]
        texels = np.ascontiguousarray(storage.texels[first:end])
        data = np.frombuffer(formats.pack(storage.format, texels, layout, type), np.int32)
        return cls(unit, image, (first, end), data.reshape(end - first, *texels.shape[1:3], size).copy())

    @property
    def box(self) -> Box:
        """What of the image it is."""
        layers, height, width = self.words.shape[:3]
        return Box(0, 0, self.layers[0], width, height, layers)

    def descriptor(self) -> dict[ImageWord, int]:
        """How the stage finds a texel."""
        layers, height, width, words = self.words.shape
        return {
            ImageWord.WIDTH: width, ImageWord.HEIGHT: height, ImageWord.DEPTH: layers, ImageWord.OFFSET: 0,
            ImageWord.TEXEL: words, ImageWord.ROW: width * words, ImageWord.SLICE: width * height * words,
        }  # fmt: skip

    def store(self) -> None:
        """Write the words back."""
        assert self.image is not None
        assert self.unit.texture is not None
        self.unit.texture.version += 1
        storage: ImageStorage = self.image.backing
        layout, type, _ = _CLIENT_FORMATS[self.unit.format]
        shape = self.words.shape[:3]
        first, end = self.layers
        storage.texels[first:end] = formats.unpack(storage.format, self.words.tobytes(), layout, type, shape)


_CUBES: Final = (gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_CUBE_MAP_ARRAY)


class _Reach:
    """What a stage's memories are in one dispatch."""

    def __init__(self, context: Context, linked: LinkedProgram, executable: Executable) -> None:
        self._context = context
        self._linked = linked
        self._executable = executable
        #: Images by their unit: two slots of one image are one memory.
        self.images: dict[int, ImageWords] = {}
        self.written: set[int] = set()

    def memory(self, slot: MemorySlot) -> NDArray[np.int32]:
        """Words of a memory."""
        reflection = self._linked.program.reflection
        if slot.kind is MemoryKind.STORAGE:
            binding = self._executable.storage_bindings[slot.block]
            return self._buffer(self._context.storage_buffers, binding, slot.is_written)
        if slot.kind is MemoryKind.COUNTERS:
            binding = reflection.counter_buffers[slot.block].binding
            return self._buffer(self._context.counter_buffers, binding, slot.is_written)
        if slot.kind is MemoryKind.IMAGE:
            return self._image(slot).words.reshape(-1)
        return np.zeros(0, np.int32)

    @staticmethod
    def _buffer(points: list[BufferRange], binding: int, is_written: bool) -> NDArray[np.int32]:
        point = points[binding] if binding < len(points) else None
        buffer = point.buffer if point is not None else None
        if point is None or buffer is None:
            return np.zeros(0, np.int32)
        store = buffer.change() if is_written else buffer.store
        end = len(store) if point.size == 0 else min(point.offset + point.size, len(store))
        return np.frombuffer(store, np.int32, max(end - point.offset, 0) // 4, min(point.offset, len(store)))

    def unit(self, slot: MemorySlot) -> int:
        """Image unit of an image's slot."""
        found = next(each for each in self._executable.slots if each.index == slot.block)
        return int.from_bytes(self._executable.constants[found.offset + 4 * slot.element :][:4], "little")

    def _image(self, slot: MemorySlot) -> ImageWords:
        number = self.unit(slot)
        if number not in self.images:
            units = self._context.image_units
            self.images[number] = ImageWords.of(units[number] if number < len(units) else ImageUnit())
        if slot.is_written:
            self.written.add(number)
        return self.images[number]


def dispatch(
    context: Context,
    linked: LinkedProgram,
    groups: Groups,
    bound: BoundTextures,
    constants: StageConstants,
    *,
    is_reference: bool,
    changes: Callable[[Image], None],
) -> list[ImageWords]:
    """Run a compute stage with what is bound.

    Parameters
    ----------
    linked : the program in use; it has a compute stage
    groups : work groups along x, y, z
    bound, constants : its textures and uniforms
    is_reference : run it in NumPy
    changes : told each image that will be written, before

    Returns
    -------
    the images that were written
    """
    ir = linked.program.compute
    program = context.program
    assert ir is not None
    assert program is not None
    assert program.executable is not None
    reach = _Reach(context, linked, program.executable)
    memories = [reach.memory(slot) for slot in ir.memories]
    areas: list[NDArray[Any]] = [area.view(np.int32) for area in constants.areas]
    for slot in ir.memories:
        if slot.kind is MemoryKind.IMAGE and slot.descriptor >= 0:
            for word, value in reach.images[reach.unit(slot)].descriptor().items():
                areas[0][slot.descriptor + word] = value
    written = [image for number, image in reach.images.items() if number in reach.written and image.image is not None]
    for image in written:
        assert image.image is not None
        changes(image.image)
    budget = loop_budget(-(-groups[0] * groups[1] * groups[2] * ir.local_size[0] // 8))
    if is_reference:
        stage = NumpyStage(ir, SamplerReference(bound.bindings))
        dispatch_numpy(stage, groups, areas, memories, budget)
    else:
        code = bind_stage(linked, "compute", StageOptions(), bound)
        descriptors = [binding.descriptor for binding in bound.bindings]
        dispatch_llvm(ir, code.stage, groups, areas, memories, descriptors, budget)
    for image in written:
        image.store()
    return written
