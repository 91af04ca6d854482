"""Effects of calls that make, read and clear framebuffers."""

from __future__ import annotations

from typing import Final

from traceformat.calls import Call, integer
from traceformat.gles import enums as gl
from traceformat.gles.objects import Attachment, Framebuffer
from traceformat.gles.state import Context
from traceformat.tools.trim.collector import Collector, EffectsBase, Key
from traceformat.tools.trim.keys import identity

__all__ = ["FramebufferEffects"]

BITS: Final = {
    "color": gl.GL_COLOR_BUFFER_BIT,
    "depth": gl.GL_DEPTH_BUFFER_BIT,
    "stencil": gl.GL_STENCIL_BUFFER_BIT,
}


class FramebufferEffects(EffectsBase):
    """Framebuffers, renderbuffers, clears, blits and reads."""

    def _target(self, found: Collector, context: Context, target: int) -> Framebuffer:
        is_read = target == gl.GL_READ_FRAMEBUFFER
        found.read(("context", context.name), "read framebuffer" if is_read else "draw framebuffer")
        return context.read_framebuffer if is_read else context.draw_framebuffer

    def _attach(self, found: Collector, context: Context, name: str, call: Call) -> None:
        framebuffer = self._target(found, context, integer(call.args[0]))
        key = identity(context, framebuffer)
        if name == "glFramebufferParameteri":
            found.kill(key, "parameter", call.args[1])
            return
        point = integer(call.args[1])
        color = point - gl.GL_COLOR_ATTACHMENT0
        places = {gl.GL_DEPTH_ATTACHMENT: (8,), gl.GL_STENCIL_ATTACHMENT: (9,), gl.GL_DEPTH_STENCIL_ATTACHMENT: (8, 9)}
        for place in places.get(point, (color,)):
            found.kill(key, "attachment", place)

    def _do_glDrawBuffers(self, found: Collector, context: Context, call: Call) -> None:
        framebuffer = self._target(found, context, gl.GL_DRAW_FRAMEBUFFER)
        found.kill(identity(context, framebuffer), "draw buffers")

    def _do_glReadBuffer(self, found: Collector, context: Context, call: Call) -> None:
        framebuffer = self._target(found, context, gl.GL_READ_FRAMEBUFFER)
        found.kill(identity(context, framebuffer), "read buffer")

    def _framebuffer(self, found: Collector, context: Context, framebuffer: Framebuffer) -> None:
        """A framebuffer is used: its attachments must be there."""
        found.need(identity(context, framebuffer))
        if not framebuffer.name:
            is_draw = framebuffer is context.default_framebuffer
            drawable = context.draw_drawable if is_draw else context.read_drawable
            if drawable is not None:
                found.need(("drawable", drawable.name))
            return
        for attachment in (*framebuffer.color, framebuffer.depth, framebuffer.stencil):
            if attachment is None:
                continue
            if attachment.renderbuffer is not None:
                found.read(identity(context, attachment.renderbuffer), "storage")
            elif attachment.texture is not None:
                key = identity(context, attachment.texture)
                found.read(key, "storage")
                found.read(key, "level", attachment.face, attachment.level)

    def _content(
        self, context: Context, framebuffer: Framebuffer, attachment: Attachment | None, aspect: str
    ) -> tuple[Key, Key] | None:
        """Resource that is the content of an attachment: its owner, and the rest of the key."""
        if attachment is None:
            return None
        if attachment.texture is not None:
            return identity(context, attachment.texture), ("content", attachment.face, attachment.level)
        if attachment.renderbuffer is not None:
            return identity(context, attachment.renderbuffer), ("content",)
        is_read = framebuffer is not context.default_framebuffer
        drawable = context.read_drawable if is_read else context.draw_drawable
        return (("plane", drawable.name, aspect), ("content",)) if drawable is not None else None

    def _contents(self, context: Context, framebuffer: Framebuffer) -> dict[str, list[tuple[Key, Key]]]:
        """Contents of a framebuffer by aspect: ``color``, ``depth``, ``stencil``."""
        colors = framebuffer.draw_attachments()
        found = {"color": [self._content(context, framebuffer, each, "color") for each in colors]}
        found["depth"] = [self._content(context, framebuffer, framebuffer.depth, "depth")]
        found["stencil"] = [self._content(context, framebuffer, framebuffer.stencil, "stencil")]
        return {aspect: [each for each in parts if each is not None] for aspect, parts in found.items()}

    def _read_framebuffer(self, found: Collector, context: Context) -> None:
        framebuffer = context.read_framebuffer
        ctx = ("context", context.name)
        found.read(ctx, "read framebuffer")
        self._framebuffer(found, context, framebuffer)
        for aspect, attachment in (
            ("color", framebuffer.read_attachment()),
            ("depth", framebuffer.depth),
            ("stencil", framebuffer.stencil),
        ):
            place = self._content(context, framebuffer, attachment, aspect)
            if place is not None:
                found.read(place[0], *place[1])

    def _do_glReadPixels(self, found: Collector, context: Context, call: Call) -> None:
        self._read_framebuffer(found, context)
        found.need(("context", context.name, "transfer"))
        buffer = self._bound(found, context, gl.GL_PIXEL_PACK_BUFFER)
        if buffer is not None:
            key = identity(context, buffer)
            found.read(key, "store")
            found.update(key, "written")

    def _do_glBlitFramebuffer(self, found: Collector, context: Context, call: Call) -> None:
        self._read_framebuffer(found, context)
        self._draw_target(found, context)
        mask = integer(call.args[8])
        for aspect, bit in BITS.items():
            if mask & bit:
                for owner, key in self._contents(context, context.draw_framebuffer)[aspect]:
                    found.update(owner, *key)

    def _do_glInvalidateFramebuffer(self, found: Collector, context: Context, call: Call) -> None:
        """Content stays what it was in a replay; only the bookkeeping of passes changes, which no picture needs."""
        self._target(found, context, integer(call.args[0]))

    _do_glInvalidateSubFramebuffer = _do_glDiscardFramebuffer = _do_glInvalidateFramebuffer

    def _draw_target(self, found: Collector, context: Context) -> None:
        found.need(("context", context.name))
        self._framebuffer(found, context, context.draw_framebuffer)
        for parts in self._contents(context, context.draw_framebuffer).values():
            for owner, key in parts:
                found.show(owner, *key)

    def _do_glClear(self, found: Collector, context: Context, call: Call) -> None:
        mask = integer(call.args[0])
        self._cleared(found, context, {aspect for aspect, bit in BITS.items() if mask & bit})

    def _do_glClearBuffer(self, found: Collector, context: Context, call: Call) -> None:
        aspects = {
            gl.GL_COLOR: {"color"},
            gl.GL_DEPTH: {"depth"},
            gl.GL_STENCIL: {"stencil"},
            gl.GL_DEPTH_STENCIL: {"depth", "stencil"},
        }.get(integer(call.args[0]), set())
        one = integer(call.args[1]) if aspects == {"color"} else None
        self._cleared(found, context, aspects, one)

    def _cleared(self, found: Collector, context: Context, aspects: set[str], one: int | None = None) -> None:
        self._draw_target(found, context)
        framebuffer = context.draw_framebuffer
        contents = self._contents(context, framebuffer)
        is_whole = gl.GL_SCISSOR_TEST not in context.enabled or _covers(context, framebuffer)
        layered = any(part is not None and part.texture is not None and part.layered for part in framebuffer.color)
        is_whole = is_whole and not layered and not _of_layers(framebuffer) and context.condition is None
        packed = contents["depth"] == contents["stencil"] and framebuffer.name
        for aspect in sorted(aspects):
            parts = contents[aspect]
            if one is not None:
                each = framebuffer.draw_attachments()
                single = self._content(context, framebuffer, each[one], "color") if 0 <= one < len(each) else None
                parts = [single] if single is not None else []
            whole = is_whole and _writes_all(context, aspect)
            if packed and aspect != "color":
                whole = whole and {"depth", "stencil"} <= aspects
                whole = whole and _writes_all(context, "depth") and _writes_all(context, "stencil")
            for owner, key in parts:
                (found.kill if whole else found.update)(owner, *key)


def _covers(context: Context, framebuffer: Framebuffer) -> bool:
    """Whether the scissor rectangle covers every attachment."""
    x, y, width, height = context.scissor
    images = [part.image for part in (*framebuffer.color, framebuffer.depth, framebuffer.stencil) if part is not None]
    return (
        x <= 0
        and y <= 0
        and all(image is None or (x + width >= image.width and y + height >= image.height) for image in images)
    )


def _of_layers(framebuffer: Framebuffer) -> bool:
    """Whether an attachment is one layer of several, so that a clear leaves the others."""
    for part in (*framebuffer.color, framebuffer.depth, framebuffer.stencil):
        if part is not None and part.texture is not None and part.image is not None and part.image.depth > 1:
            return True
    return False


def _writes_all(context: Context, aspect: str) -> bool:
    """Whether no write mask holds a clear back."""
    if aspect == "depth":
        return context.depth_mask
    if aspect == "stencil":
        return context.stencil_front.write_mask & 255 == 255
    return all(all(mask) for mask in context.color_masks)
