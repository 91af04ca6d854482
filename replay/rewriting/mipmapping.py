"""A texture with all its levels, and a filter that uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from replay.rewriting.images import Bindings, TextureRewriter, made
from traceformat.calls import Call, integer
from traceformat.gles import enums as gl

__all__ = ["Mipmapping"]

_WITH_LEVELS: Final = {
    gl.GL_NEAREST: gl.GL_NEAREST_MIPMAP_NEAREST,
    gl.GL_LINEAR: gl.GL_LINEAR_MIPMAP_LINEAR,
}


class Mipmapping(TextureRewriter):
    """Generates levels behind every upload of the largest one; GL_LINEAR becomes GL_LINEAR_MIPMAP_LINEAR."""

    def _changes(self) -> Mapping[str, Callable[[Call, Bindings], Iterator[Call]]]:
        return {
            "glTexImage2D": self._uploaded,
            "glTexSubImage2D": self._uploaded,
            "glCopyTexSubImage2D": self._copied,
            "glTexStorage2D": self._stored,
            "glTexParameteri": self._filtered,
            "glTexParameterf": self._filtered,
        }

    def _uploaded(self, call: Call, state: Bindings) -> Iterator[Call]:
        yield call
        # A texture that is rendered to has nothing yet.
        if call["level"] == 0 and call["pixels"] is not None:
            self.touched += 1
            yield made(call, "glGenerateMipmap", gl.GL_TEXTURE_2D)

    def _copied(self, call: Call, state: Bindings) -> Iterator[Call]:
        yield call
        if call["level"] == 0:
            self.touched += 1
            yield made(call, "glGenerateMipmap", gl.GL_TEXTURE_2D)

    def _stored(self, call: Call, state: Bindings) -> Iterator[Call]:
        width, height = integer(call["width"]), integer(call["height"])
        yield self._other(call, levels=max(width, height).bit_length())

    def _filtered(self, call: Call, state: Bindings) -> Iterator[Call]:
        name, value, *others = call.args[1:]
        if name == gl.GL_TEXTURE_MAX_LEVEL:
            return
        filtered: Any = _WITH_LEVELS.get(integer(value), value) if name == gl.GL_TEXTURE_MIN_FILTER else value
        yield Call(
            call.number, call.name, call.thread, call.context, call.flags, (call.args[0], name, filtered, *others)
        )
