"""Draws wait in a queue: what looks at pixels, or changes what draws read, has them executed first."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from traceformat.gles.backend import Backend

__all__ = ["LEAVES_PLANES", "LEAVES_WAITING", "finishes_draws"]

#: The calls of a backend that leave draws waiting, and why they may.
LEAVES_WAITING: Final = {
    "draw": "joins the queue",
    "draw_run": "joins the queue",
    "compile_shader": "draws that wait have their programs",
    "link_program": "draws that wait have their programs",
    "invalidate": "notes it for the end of the pass, which finishes draws",
    "begin_query": "draws that are counted do not wait",
    "query_result": "draws that are counted do not wait",
    "begin_transform_feedback": "draws that are captured do not wait",
    "memory_barrier": "the end of the pass finishes draws, if there is one",
    "flush": "the end of the pass finishes draws, if there is one",
    "finish": "the end of the pass finishes draws, if there is one",
    "swap": "the end of the pass finishes draws, if there is one",
}

#: Those of the others that leave what planes know of themselves (:mod:`replay.texture.filled`), and why they may.
LEAVES_PLANES: Final = {
    "clear": "says what it fills",
    "clear_buffer": "says what it fills",
    "read_pixels": "writes nothing",
    "read_image": "writes nothing",
    "image_contents": "writes nothing",
    "define_image": "gives new storage",
    "define_storage": "gives new storage",
    "define_renderbuffer": "gives new storage",
    "define_drawable": "gives new storage",
    "generate_mipmap": "writes to textures, of which nothing is known",
    "update_image": "writes to textures, and looks whether the image is one",
}

_E = TypeVar("_E", bound=type[Backend])


def finishes_draws(engine: _E) -> _E:
    """Have every call of the backend ``finish_draws()`` first, but for those of :data:`LEAVES_WAITING`.

    Those that may write to planes have them forget what they are filled with (``forget_planes()``), too.
    """
    for name, method in list(vars(engine).items()):
        if name in vars(Backend) and not name.startswith("_") and name not in LEAVES_WAITING:
            setattr(engine, name, _after_draws(method, forgets=name not in LEAVES_PLANES))
    return engine


def _after_draws(method: Callable[..., Any], *, forgets: bool) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        self.finish_draws()
        if forgets:
            self.forget_planes()
        return method(self, *args, **named)

    return call
