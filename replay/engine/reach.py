"""What shaders reach beside their constants and textures: storage blocks, counters, images.

Storage blocks and counters are the buffers themselves. Images are copied into words of the image unit's format and,
where a stage writes them, back: a shader sees them as that format whatever the texture keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.glsl.memory import LINE_WORDS, ImageWord, MemoryKind, MemorySlot
from replay.texture.storage import ImageStorage
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.objects import Buffer, BufferRange, BufferTexels, Executable, Image, ImageUnit
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from replay.engine.constants import StageConstants
    from replay.engine.programs import LinkedProgram
    from replay.glsl.ir import StageIR

__all__ = ["ImageWords", "Reach"]

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
    found = {
        gl.GL_RGB10_A2: (gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV, 4),
        gl.GL_RGB10_A2UI: (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT_2_10_10_10_REV, 4),
        gl.GL_R11F_G11F_B10F: (gl.GL_RGB, gl.GL_UNSIGNED_INT_10F_11F_11F_REV, 4),
    }
    for channels, letters in ((1, "R"), (2, "RG"), (4, "RGBA")):
        for kind, widths in _TYPES.items():
            for bits, type in widths.items():
                number = getattr(gl, f"GL_{letters}{bits}{kind}", None)
                if number is not None:
                    layout = (_INTEGER_CHANNELS if kind in ("I", "UI") else _CHANNELS)[channels]
                    found[number] = (layout, type, channels * bits // 8)
    return found


#: Client format, type and bytes of a texel of each image format.
_CLIENT_FORMATS: Final = _client_formats()


def _open_format(format: formats.Format) -> tuple[int, int, int]:
    """Client format, type and bytes of texels of four whole channels."""
    if not format.is_integer:
        return gl.GL_RGBA, gl.GL_FLOAT, 16
    return gl.GL_RGBA_INTEGER, gl.GL_INT if format.storage is formats.Storage.INT else gl.GL_UNSIGNED_INT, 16


def _rounded(format: formats.Format, words: NDArray[np.int32]) -> NDArray[np.int32]:
    """Channels that a format holds exactly, rounded as stages round what they store in images of a known format."""
    bits = max(format.bits)
    if format.kind is formats.Kind.FLOAT and bits == 16:
        return words & ~0x1FFF
    if format.kind is not formats.Kind.UNORM or bits > 16:
        return words
    steps = 1 << bits
    inside = np.clip(np.nan_to_num(words.view(np.float32)), np.float32(0.0), np.float32(1.0))
    codes = (inside * np.float32((steps - 1) / steps) + np.float32(1 << (23 - bits))).view(np.int32) & (steps - 1)
    return (codes / np.float32(steps - 1)).astype(np.float32).view(np.int32)


@dataclass(slots=True)
class ImageWords:
    """An image as words of an image unit's format.

    Parameters
    ----------
    unit : where it is bound
    images : those of the level, the faces of a cube map; none where nothing can be reached, and of buffer textures
    layers : (first, end) of each image's layers that are bound
    words : (layers, height, width, words a texel) int32
    before : what they were, of a shader that says no format
    """

    unit: ImageUnit
    images: tuple[Image, ...]
    layers: tuple[int, int]
    words: NDArray[np.int32]
    before: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, unit: ImageUnit, *, is_open: bool = False) -> ImageWords:
        """Words of what is bound to a unit; ``is_open``: of four whole channels, whatever its format."""
        nothing = cls(unit, (), (0, 0), np.zeros((0, 0, 0, 1), np.int32))
        texture = unit.texture
        if texture is None or texture.deleted:
            return nothing
        if texture.texels is not None:
            return cls._of_buffer(unit, texture.texels) or nothing
        is_cube = texture.target == gl.GL_TEXTURE_CUBE_MAP
        faces = range(6) if is_cube and unit.layered else (unit.layer,) if is_cube else (0,)
        found = [texture.images.get((face, unit.level)) for face in faces]
        images = tuple(image for image in found if image is not None)
        stores = [image.backing for image in images if isinstance(image.backing, ImageStorage)]
        if len(stores) < len(faces) or unit.format not in _CLIENT_FORMATS:
            return nothing
        if stores[0].format.texel_bytes != _CLIENT_FORMATS[unit.format][2]:
            # A format of another size is none that an image unit may have (ES 3.1 §8.22).
            return nothing
        depth = stores[0].texels.shape[0]
        first, end = (0, depth) if unit.layered or depth == 1 else (unit.layer, min(unit.layer + 1, depth))
        if first >= end:
            return nothing
        layout, type, size = _open_format(stores[0].format) if is_open else _CLIENT_FORMATS[unit.format]
        texels = np.concatenate([storage.texels[first:end] for storage in stores])
        octets = np.frombuffer(formats.pack(stores[0].format, texels, layout, type), np.uint8)
        octets = octets.reshape(*texels.shape[:3], size)
        # A texel of less than a word has one of its own.
        words = np.zeros((*octets.shape[:3], max(size // 4, 1)), np.int32)
        words.view(np.uint8)[..., :size] = octets
        return cls(unit, images, (first, end), words, words.copy() if is_open else None)

    @classmethod
    def _of_buffer(cls, unit: ImageUnit, texels: BufferTexels) -> ImageWords | None:
        """Words of a buffer texture: those of the buffer itself, so that nothing is stored afterwards."""
        _, _, octets = _CLIENT_FORMATS.get(unit.format, (0, 0, 0))
        if not octets or octets % 4 or formats.format_of(texels.format).texel_bytes != octets:
            return None
        data, size = texels.bytes, octets // 4
        count = len(data) // (4 * size)
        words = np.frombuffer(data, np.int32, count * size).reshape(1, 1, count, size)
        return cls(unit, (), (0, 1), words)

    @property
    def boxes(self) -> list[tuple[Image, Box]]:
        """Each image, and what of it can be reached."""
        first, end = self.layers
        height, width = self.words.shape[1:3]
        return [(image, Box(0, 0, first, width, height, end - first)) for image in self.images]

    def descriptor(self) -> dict[ImageWord, int]:
        """How the stage finds a texel."""
        layers, height, width, words = self.words.shape
        return {
            ImageWord.WIDTH: width, ImageWord.HEIGHT: height, ImageWord.DEPTH: layers, ImageWord.OFFSET: 0,
            ImageWord.TEXEL: words, ImageWord.ROW: width * words, ImageWord.SLICE: width * height * words,
        }  # fmt: skip

    def store(self) -> None:
        """Write the words back."""
        assert self.unit.texture is not None
        self.unit.texture.version += 1
        first, end = self.layers
        for face, image in enumerate(self.images):
            storage: ImageStorage = image.backing
            rows = slice(face * (end - first), (face + 1) * (end - first))
            own, is_open = self.words[rows], self.before is not None
            layout, type, size = _open_format(storage.format) if is_open else _CLIENT_FORMATS[self.unit.format]
            data = (_rounded(storage.format, own) if is_open else own).view(np.uint8)[..., :size].tobytes()
            texels = formats.unpack(storage.format, data, layout, type, own.shape[:3])
            if self.before is None:
                storage.texels[first:end] = texels
                continue
            written = (self.words[rows] != self.before[rows]).any(axis=3)
            storage.texels[first:end][written] = texels[written]


class Reach:
    """What the memories of a program's stages are in one draw or dispatch.

    Parameters
    ----------
    context, linked, executable : what is drawn or dispatched with
    """

    def __init__(self, context: Context, linked: LinkedProgram, executable: Executable) -> None:
        self._context = context
        self._linked = linked
        self._executable = executable
        #: Images by their unit: two slots of one image are one memory.
        self._images: dict[tuple[int, bool], ImageWords] = {}
        self._written: set[tuple[int, bool]] = set()
        self._changed: dict[int, Buffer] = {}
        self._memories: dict[str, list[NDArray[np.int32]]] = {}
        #: Marks of each memory of each stage, and the share of its lines' bytes that the modelled memory has.
        self._touched: list[tuple[float, NDArray[np.int32]]] = []

    def open(self, stage: StageIR) -> list[NDArray[np.int32]]:
        """Words of each memory of a stage, the same ones for all stages and runs of the draw."""
        found = self._memories.get(stage.stage)
        if found is None:
            found = self._memories[stage.stage] = []
            for slot in stage.memories:
                if slot.kind is MemoryKind.TOUCHED:
                    found.append(np.zeros(2 * -(-len(found[slot.block]) // LINE_WORDS), np.int32))
                    self._touched.append((self._share(stage.memories[slot.block]), found[-1]))
                else:
                    found.append(self._memory(slot))
        return found

    def memories(self, stage: StageIR, constants: StageConstants) -> list[NDArray[np.int32]]:
        """Words of each memory of a stage, whose constants are told where its images are."""
        found = self.open(stage)
        for slot in stage.memories:
            if slot.kind is MemoryKind.IMAGE and slot.descriptor >= 0:
                words = constants.areas[0].view(np.int32)
                for word, value in self._images[self._unit(slot), slot.is_open].descriptor().items():
                    words[slot.descriptor + word] = value
        return found

    def _share(self, slot: MemorySlot) -> float:
        """Part of a memory's words that the modelled memory holds: texels of less than a word have words here."""
        if slot.kind is not MemoryKind.IMAGE:
            return 1.0
        image = self._images[self._unit(slot), slot.is_open]
        storages = [one.backing for one in image.images]
        return storages[0].format.texel_bytes / (4 * image.words.shape[3]) if storages else 1.0

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes of the lines that the stages have read, and of those that they have written."""
        read, write = (
            sum(round(4 * LINE_WORDS * int(marks[kind::2].sum()) * share) for share, marks in self._touched)
            for kind in (0, 1)
        )
        return read, write

    @property
    def written(self) -> list[ImageWords]:
        """Images that the stages asked for may write."""
        found = [self._images[number] for number in sorted(self._written)]
        return [image for image in found if image.images]

    def _memory(self, slot: MemorySlot) -> NDArray[np.int32]:
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

    def _change(self, buffer: Buffer) -> bytearray:
        self._changed[id(buffer)] = buffer
        return buffer.change()

    def close(self) -> None:
        """Shaders have run: what was made of buffers since they began to write is not what they hold now."""
        for buffer in self._changed.values():
            buffer.change()

    def _buffer(self, points: list[BufferRange], binding: int, is_written: bool) -> NDArray[np.int32]:
        point = points[binding] if binding < len(points) else None
        buffer = point.buffer if point is not None else None
        if point is None or buffer is None:
            return np.zeros(0, np.int32)
        store = self._change(buffer) if is_written else buffer.store
        end = len(store) if point.size == 0 else min(point.offset + point.size, len(store))
        return np.frombuffer(store, np.int32, max(end - point.offset, 0) // 4, min(point.offset, len(store)))

    def _unit(self, slot: MemorySlot) -> int:
        """Image unit of an image's slot."""
        found = next(each for each in self._executable.slots if each.index == slot.block)
        return int.from_bytes(self._executable.constants[found.offset + 4 * slot.element :][:4], "little")

    def _image(self, slot: MemorySlot) -> ImageWords:
        number = self._unit(slot)
        key = (number, slot.is_open)
        if key not in self._images:
            units = self._context.image_units
            unit = units[number] if number < len(units) else ImageUnit()
            self._images[key] = ImageWords.of(unit, is_open=slot.is_open)
        found = self._images[key]
        if slot.is_written:
            self._written.add(key)
            texture = found.unit.texture
            if texture is not None and texture.texels is not None:
                self._change(texture.texels.buffer)
        return found
