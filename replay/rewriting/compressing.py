"""A texture as ETC2 blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.formats.etc_encode import encode_image
from replay.rewriting.images import Bindings, TextureRewriter, halved, made
from traceformat.calls import Call, integer
from traceformat.gles import enums as gl
from traceformat.gles.roles import core_name

__all__ = ["Compressing"]

_SRGB: Final = (gl.GL_SRGB8, gl.GL_SRGB8_ALPHA8, gl.GL_SRGB_EXT, gl.GL_SRGB_ALPHA_EXT)
_BLOCK: Final = 4


class Compressing(TextureRewriter):
    """Uploads blocks in the place of texels, with alpha where any texel has some; levels that the program has the
    driver generate are made here.
    """

    surveys = True

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self._has_alpha = False
        self._levels = 0
        self._internal = 0
        self._largest: NDArray[np.uint8] | None = None

    def survey(self, call: Call) -> None:
        """Find out whether any texel is transparent."""
        state = self._follow(call)
        uploads = core_name(call.name) in ("glTexImage2D", "glTexSubImage2D")
        if uploads and self._is_meant(call, state) and not self._has_alpha:
            texels = self._octets(call, state)
            self._has_alpha = texels is not None and bool((texels[..., 3] < 255).any())

    def _changes(self) -> Mapping[str, Callable[[Call, Bindings], Iterator[Call]]]:
        return {
            "glTexStorage2D": self._stored,
            "glTexImage2D": self._whole,
            "glTexSubImage2D": self._updated,
            "glGenerateMipmap": self._levels_below,
        }

    def _octets(self, call: Call, state: Bindings) -> NDArray[np.uint8] | None:
        extent: Any = (call["width"], call["height"])
        pair: Any = (call["format"], call["type"])
        texels = self._texels(call, state, extent, pair, call["pixels"])
        return None if texels is None else np.rint(np.clip(texels, 0, 1) * 255).astype(np.uint8)

    def _format(self, internal: Any) -> int:
        if internal in _SRGB:
            return gl.GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC if self._has_alpha else gl.GL_COMPRESSED_SRGB8_ETC2
        return gl.GL_COMPRESSED_RGBA8_ETC2_EAC if self._has_alpha else gl.GL_COMPRESSED_RGB8_ETC2

    def _stored(self, call: Call, state: Bindings) -> Iterator[Call]:
        self._levels = integer(call["levels"])
        self._internal = self._format(call["internalformat"])
        self._largest = np.zeros((integer(call["height"]), integer(call["width"]), 4), np.uint8)
        yield self._other(call, internalformat=self._internal)

    def _whole(self, call: Call, state: Bindings) -> Iterator[Call]:
        texels = self._octets(call, state)
        if texels is None:
            # What is uploaded later goes there.
            texels = np.zeros((integer(call["height"]), integer(call["width"]), 4), np.uint8)
        self._internal = self._format(call["internalformat"])
        if call["level"] == 0:
            self._largest = texels
        yield self._image(call, integer(call["level"]), texels)

    def _image(self, call: Call, level: int, texels: NDArray[np.uint8]) -> Call:
        """Upload a level as a whole."""
        self.touched += 1
        height, width = texels.shape[:2]
        data = encode_image(texels, alpha=self._has_alpha)
        return made(
            call, "glCompressedTexImage2D", gl.GL_TEXTURE_2D, level, self._internal, width, height, 0, len(data), data
        )

    def _updated(self, call: Call, state: Bindings) -> Iterator[Call]:
        texels = self._octets(call, state)
        if texels is None:
            return
        level, x, y = (integer(call[name]) for name in ("level", "xoffset", "yoffset"))
        if x % _BLOCK or y % _BLOCK:
            raise self._refused(f"is updated at {x},{y}, inside a block of {_BLOCK}x{_BLOCK} texels")
        if level == 0 and self._largest is not None:
            self._largest[y : y + len(texels), x : x + texels.shape[1]] = texels
        yield self._part(call, level, (x, y), texels)

    def _part(self, call: Call, level: int, at: tuple[int, int], texels: NDArray[np.uint8]) -> Call:
        self.touched += 1
        height, width = texels.shape[:2]
        data = encode_image(texels, alpha=self._has_alpha)
        return made(
            call, "glCompressedTexSubImage2D", gl.GL_TEXTURE_2D, level, *at, width, height, self._internal, len(data),
            data,
        )  # fmt: skip

    def _levels_below(self, call: Call, state: Bindings) -> Iterator[Call]:
        texels = self._largest
        if texels is None:
            raise self._refused("gets its levels from what is not uploaded")
        for level in range(1, max(texels.shape[:2]).bit_length()):
            smaller = np.rint(halved(texels.astype(np.float64), level)).astype(np.uint8)
            yield self._part(call, level, (0, 0), smaller) if self._levels else self._image(call, level, smaller)
