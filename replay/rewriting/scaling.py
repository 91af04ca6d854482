"""A texture of a smaller size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from replay.formats import client
from replay.rewriting.images import Bindings, TextureRewriter, halved
from traceformat.calls import Call, integer
from traceformat.errors import UsageError

__all__ = ["Scaling", "halvings"]

_FINEST = 8


def halvings(text: str) -> int:
    """How often a factor halves.

    Raises
    ------
    UsageError : it is no power of a half
    """
    known = {2.0**-times: times for times in range(1, _FINEST + 1)}
    try:
        return known[float(text)]
    except (ValueError, KeyError):
        raise UsageError(f"'{text}' is no factor", hint="0.5, 0.25, 0.125 ...") from None


class Scaling(TextureRewriter):
    """Uploads the mean of 2x2 texels, or of 4x4 ..., in the place of texels."""

    def __init__(self, target: str, factor: str) -> None:
        super().__init__(target)
        self._times = halvings(factor)

    def _changes(self) -> Mapping[str, Callable[[Call, Bindings], Iterator[Call]]]:
        return {
            "glTexImage2D": self._whole,
            "glTexSubImage2D": self._part,
            "glTexStorage2D": self._stored,
            "glCompressedTexImage2D": self._compressed,
        }

    def _size(self, call: Call) -> dict[str, int]:
        return {name: max(integer(call[name]) >> self._times, 1) for name in ("width", "height")}

    def _image(self, call: Call, state: Bindings, **others: Any) -> Iterator[Call]:
        pair: Any = (call["format"], call["type"])
        extent: Any = (call["width"], call["height"])
        texels = self._texels(call, state, extent, pair, call["pixels"])
        data = None if texels is None else client.encode(halved(texels, self._times).reshape(-1, 4), *pair)
        yield from self._with_tight_rows(call, state, self._other(call, pixels=data, **self._size(call), **others))

    def _whole(self, call: Call, state: Bindings) -> Iterator[Call]:
        return self._image(call, state)

    def _part(self, call: Call, state: Bindings) -> Iterator[Call]:
        x, y = integer(call["xoffset"]), integer(call["yoffset"])
        if (x | y) & (1 << self._times) - 1:
            raise self._refused(f"is updated at {x},{y}, which a smaller one cannot be")
        return self._image(call, state, xoffset=x >> self._times, yoffset=y >> self._times)

    def _stored(self, call: Call, state: Bindings) -> Iterator[Call]:
        size = self._size(call)
        levels = min(integer(call["levels"]), max(size.values()).bit_length())
        yield self._other(call, levels=levels, **size)

    def _compressed(self, call: Call, state: Bindings) -> Iterator[Call]:
        raise self._refused("is compressed, which cannot be scaled")
