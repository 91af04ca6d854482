"""Storage of textures, renderbuffers and default framebuffers behind the tracker's objects.

A texture's levels lie in one allocation, a :class:`Chain`, so that a sampler reaches any of them from one
pointer; the chain has room for all levels of its size from the start (untouched pages cost nothing). The
tracker's objects carry this module's: ``Texture.backing`` is the current chain, ``Image.backing`` an
:class:`ImageStorage`, a view of its chain. A program may specify images that do not fit together; such an image
gets a chain of its own, and binding collects the levels that belong together (:meth:`TextureMemory.bind_chain`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.formats import Format
from replay.formats.compressed import decode_blocks
from replay.texture.filled import Filled
from replay.texture.layout import AddressAllocator, TextureLayout
from replay.texture.mipmaps import reduce_level
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box, Pixels
from traceformat.gles.objects import Image, Texture
from traceformat.gputrace.frametrace import LINE_BYTES, MemoryMap

__all__ = ["MAX_EXTENT", "MAX_LEVELS", "Chain", "ImageStorage", "TextureMemory", "storage_of"]

#: Levels of the largest texture (32,768 texels) that storage is made for.
MAX_LEVELS: Final = 16
MAX_EXTENT: Final = 1 << (MAX_LEVELS - 1)
#: Memory of images that are gone is kept for the next ones of their size: a piece, and all of it. Programs that make
#: their targets anew each frame would pay more for fresh pages than for drawing to them.
_MIN_KEPT_BYTES: Final = 1 << 17
_MAX_KEPT_BYTES: Final = 1 << 26
_CUBES: Final = (gl.GL_TEXTURE_CUBE_MAP,)
_SINGLE_LEVEL: Final = (gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)


@dataclass(slots=True, eq=False)
class ImageStorage:
    """Pixels of one image.

    Parameters
    ----------
    format : of the texels
    texels : ``format.shape(depth, height, width)``, row 0 at the bottom, written in place by whoever renders;
    samples of
        multisample images are the leading axis instead of layers
    stencil : (depth, height, width) uint8, None where the format has none
    address : of the image in the modelled memory
    layer_bytes : bytes from layer to layer there
    chain : what it is a view of; None for renderbuffers and planes
    sampled : image of several samples that stands for this one in passes that draw to it with several
    filled : what most of it holds, of renderbuffers and planes; None where that is not known
    """

    format: Format
    texels: NDArray[Any]
    stencil: NDArray[np.uint8] | None
    address: int
    layer_bytes: int
    chain: Chain | None = None
    sampled: Image | None = None
    filled: Filled | None = None

    @property
    def extent(self) -> tuple[int, int, int]:
        """Depth (or samples), height, width."""
        depth, height, width = self.texels.shape[:3]
        return int(depth), int(height), int(width)


class Chain:
    """One allocation with room for a texture's levels from ``first_level`` up.

    Parameters
    ----------
    format : of all levels
    target : GL target of the texture
    first_level, size : lowest level, and its width, height and depth; depth counts array layers
    """

    def __init__(
        self, memory: TextureMemory, format: Format, target: int, first_level: int, size: tuple[int, int, int]
    ) -> None:
        if max(size) > MAX_EXTENT:
            raise ReplayError(f"a texture of {size[0]}x{size[1]}x{size[2]} texels is larger than {MAX_EXTENT} texels")
        self.format = format
        self.target = target
        self.first_level = first_level
        largest = max(size) if target == gl.GL_TEXTURE_3D else max(size[:2])
        num_levels = 1 if target in _SINGLE_LEVEL else largest.bit_length()
        #: Width, height and depth of each level.
        self.sizes = [_minified(target, size, steps) for steps in range(num_levels)]
        faces = 6 if target in _CUBES else 1
        rows_are_layers = target == gl.GL_TEXTURE_1D_ARRAY
        extents = [
            (width, 1, height) if rows_are_layers else (width, height, depth * faces)
            for width, height, depth in self.sizes
        ]
        self.layout = TextureLayout.of(format, extents)
        counts = [width * height * depth * faces * format.storage.words for width, height, depth in self.sizes]
        #: Offset of each level in 32-bit words; the last entry is the end.
        self.offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
        if self.offsets[-1] >= 1 << 30:
            raise ReplayError(f"a texture of {self.offsets[-1] >> 18} MiB is larger than samplers can address, 4 GiB")
        self.words = memory.allocate_words(int(self.offsets[-1]))
        self.address = memory.texture_addresses.allocate(self.layout.num_bytes)
        #: Bindings of this storage, by their parameters; see :mod:`replay.texture.binding`.
        self.bindings: dict[Any, Any] = {}
        #: Version of the texture whose stencil was bound last.
        self.stencil_version = -1

    def fits(self, level: int, format: Format, size: tuple[int, int, int]) -> bool:
        """Whether an image of this format and size is level ``level`` of this chain."""
        step = level - self.first_level
        return format is self.format and 0 <= step < len(self.sizes) and self.sizes[step] == size

    def image(self, face: int, level: int) -> ImageStorage:
        """View of one image."""
        step = level - self.first_level
        width, height, depth = self.sizes[step]
        count = width * height * depth * self.format.storage.words
        start = int(self.offsets[step]) + face * count
        words = self.words[start : start + count]
        texels = words.view(self.format.storage.dtype).reshape(self.format.shape(depth, height, width))
        stencil = np.zeros((depth, height, width), np.uint8) if self.format.has_stencil else None
        place = self.layout.levels[step]
        address = self.address + (place.line + face * place.layer_lines) * LINE_BYTES
        return ImageStorage(self.format, texels, stencil, address, place.layer_lines * LINE_BYTES, self)


def _minified(target: int, size: tuple[int, int, int], steps: int) -> tuple[int, int, int]:
    width, height, depth = size
    return (
        max(width >> steps, 1),
        height if target == gl.GL_TEXTURE_1D_ARRAY else max(height >> steps, 1),
        max(depth >> steps, 1) if target == gl.GL_TEXTURE_3D else depth,
    )


class TextureMemory:
    """All pixels of one replay: the store, the modelled addresses, and the operations of the tracker's backend on them.

    Parameters
    ----------
    max_bytes : most bytes that live images may take together; beyond it operations raise ReplayError
    """

    def __init__(self, max_bytes: int = 4 << 30) -> None:
        self.max_bytes = max_bytes
        self.live_bytes = 0
        self._idle: dict[int, list[NDArray[np.uint32]]] = {}
        self._idle_bytes = 0
        self.texture_addresses = AddressAllocator(MemoryMap.TEXTURES)
        self.target_addresses = AddressAllocator(MemoryMap.RENDER_TARGETS)
        #: Called before images move: others may be writing into them.
        self.before_move: Callable[[], None] | None = None

    def allocate_words(self, count: int) -> NDArray[np.uint32]:
        """Zeroed 32-bit words that count against the limit as long as they live."""
        size = 4 * count
        wanted = self.live_bytes + size
        if wanted > self.max_bytes:
            found = f"images would take {wanted >> 20} MiB, more than the limit of {self.max_bytes >> 20} MiB"
            raise ReplayError(found, hint="GPUREPLAY_LIMITS=memory=... raises it")
        idle = self._idle.get(count)
        if idle:
            block = idle.pop()
            self._idle_bytes -= size
            block.fill(0)
        else:
            block = np.zeros(max(count, 1), np.uint32)
        # Not of an array: what is made of them refers to the words themselves, and so they live as long as it does.
        words = np.frombuffer(block.data, np.uint32)
        self.live_bytes += size
        weakref.finalize(words, self._release, block, size)
        return words

    def _release(self, block: NDArray[np.uint32], size: int) -> None:
        self.live_bytes -= size
        if size >= _MIN_KEPT_BYTES and self._idle_bytes + size <= _MAX_KEPT_BYTES:
            self._idle_bytes += size
            self._idle.setdefault(len(block), []).append(block)

    # ------------------------------------------------------------------ definition
    def define_image(self, texture: Texture, face: int, level: int, image: Image, pixels: Pixels | None) -> None:
        """Give storage to an image and fill it; ``None`` leaves it zero.

        An image that fits into the texture's current chain lives there, and keeps its address.
        """
        format = formats.format_of(image.format)
        size = (image.width, image.height, image.depth)
        if min(size) <= 0:
            image.backing = None
            return
        chain = texture.backing
        is_new = not isinstance(chain, Chain) or not chain.fits(level, format, size)
        if is_new:
            chain = texture.backing = Chain(self, format, texture.target, level, size)
        assert isinstance(chain, Chain)
        storage = chain.image(face, level)
        image.backing = storage
        if pixels is not None:
            self._write_pixels(storage, Box(0, 0, 0, *size), pixels)
            return
        empty = formats.blank(format, 1)
        if not is_new or empty.any():  # new memory is zero, and untouched pages cost nothing
            storage.texels[...] = empty

    def define_storage(self, texture: Texture) -> None:
        """Give storage to all images of an immutable (or multisample) texture."""
        texture.backing = None
        for (face, level), image in sorted(texture.images.items()):
            if image.samples > 1:
                self.define_plane(image)
            else:
                self.define_image(texture, face, level, image, None)

    def define_plane(self, image: Image) -> None:
        """Give storage to a renderbuffer's image or a plane of a drawable: an address among the render targets."""
        format = formats.format_of(image.format)
        depth = max(image.samples, 1) * image.depth
        layout = TextureLayout.of(format, [(image.width, image.height, depth)])
        count = image.width * image.height * depth
        words = self.allocate_words(count * format.storage.words)[: count * format.storage.words]
        shape = format.shape(depth, image.height, image.width)
        texels = words.view(format.storage.dtype).reshape(shape)
        texels[...] = formats.blank(format, 1)
        stencil = np.zeros((depth, image.height, image.width), np.uint8) if format.has_stencil else None
        address = self.target_addresses.allocate(layout.num_bytes)
        image.backing = ImageStorage(format, texels, stencil, address, layout.levels[0].layer_lines * 64)

    # ------------------------------------------------------------------ content
    def update_image(self, image: Image, box: Box, pixels: Pixels) -> None:
        """Replace a block of texels by client pixels or compressed blocks."""
        self._write_pixels(storage_of(image), box, pixels)

    def _write_pixels(self, storage: ImageStorage, box: Box, pixels: Pixels) -> None:
        extent = (box.depth, box.height, box.width)
        if 0 in extent:
            return
        format = storage.format
        window = _window(box)
        try:
            if pixels.type == 0:
                storage.texels[window] = decode_blocks(formats.format_of(pixels.format), pixels.data, extent)
                return
            storage.texels[window] = formats.unpack(format, pixels.data, pixels.format, pixels.type, extent)
            if storage.stencil is not None:
                stencil = formats.unpack_stencil(format, pixels.data, pixels.format, pixels.type, extent)
                if stencil is not None:
                    storage.stencil[window] = stencil
        except (KeyError, ValueError) as error:
            raise ReplayError(
                f"pixel data does not fill {box.width}x{box.height}x{box.depth} texels: {error}"
            ) from None

    def write_texels(self, image: Image, x: int, y: int, z: int, source: Format, texels: NDArray[Any]) -> None:
        """Store canonical texels of another format, ``source.shape(depth, height, width)``, at (x, y, z)."""
        storage = storage_of(image)
        depth, height, width = texels.shape[:3]
        converted = formats.convert(storage.format, source, texels)
        storage.texels[_window(Box(x, y, z, width, height, depth))] = converted

    def copy_texels(self, source: ImageStorage, box: Box, target: ImageStorage, at: tuple[int, int, int]) -> None:
        """Store the bytes of some texels, stencil with them, as texels of another image, from column, row and layer
        ``at`` on.
        """
        window = _window(box)
        goal = _window(Box(*at, box.width, box.height, box.depth))
        texels = source.texels[window].copy()
        target.texels[goal] = formats.reinterpret(target.format, source.format, texels)
        if source.stencil is not None and target.stencil is not None:
            target.stencil[goal] = source.stencil[window].copy()

    def read_image(self, image: Image, format: int, type: int) -> bytes:
        """Image as tightly packed client pixels."""
        storage = storage_of(image)
        return formats.pack(storage.format, storage.texels, format, type, storage.stencil)

    def contents(self, image: Image) -> bytes | None:
        """All bytes of an image's storage, stencil behind the texels; None for one that is as it was made."""
        storage = image.backing
        if not isinstance(storage, ImageStorage):
            return None
        has_stencil = storage.stencil is not None and bool(storage.stencil.any())
        if not has_stencil and np.array_equal(storage.texels, np.broadcast_to(_blank(storage), storage.texels.shape)):
            return None
        stencil = storage.stencil.tobytes() if storage.stencil is not None else b""
        return storage.texels.tobytes() + stencil

    def restore(self, image: Image, data: bytes) -> None:
        """Put back what :meth:`contents` gave; raises ReplayError if the size is another."""
        storage = storage_of(image)
        size = storage.texels.nbytes
        if len(data) != size + (storage.stencil.nbytes if storage.stencil is not None else 0):
            raise ReplayError(f"{len(data)} bytes are not the contents of an image of {size} bytes")
        storage.texels[...] = np.frombuffer(data[:size], storage.texels.dtype).reshape(storage.texels.shape)
        if storage.stencil is not None:
            storage.stencil[...] = np.frombuffer(data[size:], np.uint8).reshape(storage.stencil.shape)

    def generate_mipmap(self, texture: Texture) -> None:
        """Fill the levels above the base level from it, each from the one below (box filter as Mesa's, see mipmaps)."""
        faces = 6 if texture.target in _CUBES else 1
        for face in range(faces):
            base = texture.images.get((face, texture.base_level))
            if base is None or base.backing is None:
                continue
            below = storage_of(base)
            for level in range(texture.base_level + 1, texture.base_level + MAX_LEVELS):
                image = texture.images.get((face, level))
                if image is None or level > texture.max_level:
                    break
                if image.backing is None:
                    self.define_image(texture, face, level, image, None)
                above = storage_of(image)
                above.texels[...] = reduce_level(below.format, below.texels, above.extent)
                below = above

    # ------------------------------------------------------------------ sampling
    def bind_chain(self, texture: Texture, base_level: int, num_levels: int) -> Chain:
        """Chain that holds levels ``base_level`` and the following of a complete texture; moves images where they
        are apart.
        """
        chain = texture.backing
        faces = 6 if texture.target in _CUBES else 1
        wanted = [(face, level) for level in range(base_level, base_level + num_levels) for face in range(faces)]
        if isinstance(chain, Chain) and all(storage_of(texture.images[key]).chain is chain for key in wanted):
            return chain
        first = texture.images[0, base_level]
        shared = storage_of(first).chain
        is_single = (base_level, num_levels, faces) == (0, 1, 1)
        if is_single and shared is not None and shared.fits(0, formats.format_of(first.format), _size_of(first)):
            # An EGLImage's sibling may have its storage from another texture.
            return shared
        if self.before_move is not None:
            self.before_move()
        chain = Chain(self, formats.format_of(first.format), texture.target, base_level, _size_of(first))
        texture.backing = chain
        for key in wanted:
            image = texture.images[key]
            moved = chain.image(*key)
            old = storage_of(image)
            moved.texels[...] = old.texels
            if moved.stencil is not None and old.stencil is not None:
                moved.stencil[...] = old.stencil
            image.backing = moved
        return chain


def _blank(storage: ImageStorage) -> NDArray[Any]:
    return formats.blank(storage.format, 1)


def _size_of(image: Image) -> tuple[int, int, int]:
    return image.width, image.height, image.depth


def _window(box: Box) -> tuple[slice, slice, slice]:
    return (
        slice(box.z, box.z + box.depth),
        slice(box.y, box.y + box.height),
        slice(box.x, box.x + box.width),
    )


def storage_of(image: Image) -> ImageStorage:
    """Storage of an image; raises ReplayError if it never got any."""
    storage = image.backing
    if not isinstance(storage, ImageStorage):
        raise ReplayError("an image without storage is used")
    return storage
