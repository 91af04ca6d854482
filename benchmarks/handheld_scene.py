"""A sample drawn otherwise, for what-if runs: other triangles, larger textures, another order.

usage: gpucapture run -o OUT --driver null benchmarks/handheld_scene.py NAME DETAIL TEXTURES ORDER
       [--frames N] [--size WxH]

NAME is one of the samples of the handheld machine; DETAIL multiplies the segments of its meshes, TEXTURES the texels
along each side of its textures; ORDER is ``own``, or ``back`` for objects from the farthest to the nearest.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import glfw

from samples import textures
from samples.gles import GL
from samples.phone import Solid

#: Makers of meshes, and which of their arguments count segments.
_SEGMENTS = {"torus": (1, 2), "sphere": (0, 1), "cylinder": (0,), "_rectangle": (4,)}
_IMAGES = ("clouds", "metal", "marble", "planks", "bricks", "grass", "windows")


def _coarser(make: Callable[..., Any], segments: tuple[int, ...], detail: float, least: int) -> Callable[..., Any]:
    def made(*arguments: Any) -> Any:
        given = list(arguments)
        defaults = make.__defaults__ or ()
        first = make.__code__.co_argcount - len(defaults)
        given += defaults[max(len(given) - first, 0) :]
        for at in segments:
            given[at] = max(round(given[at] * detail), least)
        return make(*given)

    return made


def _sort_draws(module: ModuleType) -> None:
    """Draw the solid objects of a frame from the farthest on, by the middles of their models."""
    draw, begin, swap, enable = Solid.draw, Solid.begin, glfw.swap_buffers, GL.glEnable
    waiting: list[tuple[float, tuple[Any, ...], dict[str, Any]]] = []
    camera: list[Any] = [None]

    def begun(self: Solid, matrix: Any) -> None:
        camera[0] = matrix
        begin(self, matrix)

    def queued(self: Solid, mesh: Any, image: int, model: Any, **given: Any) -> None:
        waiting.append((float((camera[0] @ model)[3, 3]), (self, mesh, image, model), given))

    def flush() -> None:
        for _, arguments, given in sorted(waiting, key=lambda entry: -entry[0]):
            draw(*arguments, **given)
        waiting.clear()

    def enabled(capability: int) -> None:
        if capability == GL.GL_BLEND:
            flush()
        enable(capability)

    def swapped(window: Any) -> None:
        flush()
        swap(window)

    Solid.draw, Solid.begin = queued, begun  # type: ignore[method-assign,assignment]
    module.glfw.swap_buffers = swapped
    module.GL.glEnable = enabled


def main() -> None:
    """Run the sample."""
    name, detail, larger, order = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    sys.argv[1:5] = []
    module = import_module(f"samples.{name}")
    for maker, segments in _SEGMENTS.items():
        if hasattr(module, maker):
            least = 1 if maker == "_rectangle" else 3
            setattr(module, maker, _coarser(getattr(module, maker), segments, detail, least))
    for image in _IMAGES:
        make = getattr(textures, image)
        setattr(textures, image, lambda size, *seed, make=make: make(size * larger, *seed))
    if order == "back":
        _sort_draws(module)
    module.main()


if __name__ == "__main__":
    main()
