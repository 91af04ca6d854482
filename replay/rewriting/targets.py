"""A framebuffer of a smaller size: what is attached to it, viewports and scissors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from replay.rewriting.images import Bindings, Rewriter, made
from replay.rewriting.scaling import halvings
from traceformat.calls import Call, integer
from traceformat.errors import UsageError
from traceformat.gles import enums as gl
from traceformat.gles.roles import core_name

__all__ = ["ScalingTarget", "is_target"]

_TARGET: Final = re.compile(r"default|framebuffer (\d+)")
_RECTANGLES: Final = ("glViewport", "glScissor")
_STORAGES: Final = (
    "glTexImage2D", "glTexStorage2D", "glRenderbufferStorage", "glRenderbufferStorageMultisample",
)  # fmt: skip
_BLITTED: Final = {"read": ("srcX0", "srcY0", "srcX1", "srcY1"), "draw": ("dstX0", "dstY0", "dstX1", "dstY1")}


def is_target(target: str) -> bool:
    """Whether a name is that of a framebuffer."""
    return _TARGET.fullmatch(target) is not None


class ScalingTarget(Rewriter):
    """Renders into fewer pixels; shaders that compute with pixels are left as they are."""

    surveys = True
    nothing = "the trace has no such framebuffer"

    def __init__(self, target: str, factor: str) -> None:
        super().__init__()
        match = _TARGET.fullmatch(target)
        self._framebuffer = int(match[1]) if match and match[1] else 0
        self._times = halvings(factor)
        #: Attached to it: (kind, name).
        self._attached: set[tuple[str, int]] = set()
        self._renderbuffers: dict[int, int] = {}
        self._rectangles: dict[tuple[int, str], tuple[int, ...]] = {}

    def survey(self, call: Call) -> None:
        """Find out what is attached."""
        state = self._follow(call)
        args: Any = call.args
        if not self._framebuffer or not call.name.startswith("glFramebuffer"):
            return
        bound = state.read_framebuffer if args[0] == gl.GL_READ_FRAMEBUFFER else state.draw_framebuffer
        if bound == self._framebuffer:
            kind = "renderbuffer" if core_name(call.name) == "glFramebufferRenderbuffer" else "texture"
            self._attached.add((kind, integer(call[kind])))

    def calls(self, call: Call) -> Iterator[Call]:
        """Give the calls in the place of one."""
        before = self._contexts.setdefault(call.context, Bindings()).draw_framebuffer
        state = self._follow(call)
        self.is_there |= state.draw_framebuffer == self._framebuffer
        name = core_name(call.name)
        if name == "glBindRenderbuffer":
            self._renderbuffers[call.context] = integer(call["renderbuffer"])
        if name in _RECTANGLES:
            self._rectangles[call.context, name] = tuple(map(integer, call.args))
            yield self._rectangle(call, name, state) or call
        elif name in _STORAGES and self._is_attached(call, state):
            if call.arguments().get("pixels") is not None:
                raise UsageError(f"framebuffer {self._framebuffer} has a texture with texels, which cannot be scaled")
            yield self._scaled(call, ("width", "height"))
        elif name in ("traceDrawable", "traceResize") and not self._framebuffer:
            yield self._scaled(call, ("width", "height"))
        elif name == "glBlitFramebuffer":
            sides = {"read": state.read_framebuffer, "draw": state.draw_framebuffer}
            names = [one for side, bound in sides.items() if bound == self._framebuffer for one in _BLITTED[side]]
            yield self._scaled(call, names) if names else call
        else:
            yield call
            if name == "glBindFramebuffer" and before != state.draw_framebuffer:
                yield from self._rectangles_again(call, state)

    def _is_attached(self, call: Call, state: Bindings) -> bool:
        if "Renderbuffer" in call.name:
            return ("renderbuffer", self._renderbuffers.get(call.context, 0)) in self._attached
        return ("texture", state.textures.get((state.unit, integer(call["target"])), 0)) in self._attached

    def _scaled(self, call: Call, names: Any) -> Call:
        self.touched += 1
        return self._other(call, **{name: self._length(integer(call[name])) for name in names})

    def _length(self, value: int) -> int:
        """A coordinate, or a size, which is at least 1."""
        return max(value >> self._times, 1) if value > 0 else value >> self._times

    def _rectangle(self, call: Call, name: str, state: Bindings) -> Call | None:
        """The viewport or scissor that the program has set, for what is bound."""
        known = self._rectangles.get((call.context, name))
        if known is None:
            return None
        if state.draw_framebuffer == self._framebuffer:
            known = tuple(self._length(value) for value in known)
        return made(call, name, *known)

    def _rectangles_again(self, call: Call, state: Bindings) -> Iterator[Call]:
        for name in _RECTANGLES:
            again = self._rectangle(call, name, state)
            if again is not None:
                yield again
