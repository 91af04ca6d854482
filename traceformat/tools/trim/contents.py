"""Effects of calls that give buffers and textures their content."""

from __future__ import annotations

from traceformat.calls import Call, integer
from traceformat.gles import enums as gl
from traceformat.gles.objects import Texture
from traceformat.gles.state import Context
from traceformat.tools.trim.collector import Collector, Key
from traceformat.tools.trim.framebuffers import FramebufferEffects
from traceformat.tools.trim.keys import WHOLE, identity

__all__ = ["ContentEffects"]


class ContentEffects(FramebufferEffects):
    """Buffers and textures."""

    def _do_glBufferData(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            key = identity(context, buffer)
            found.kill(key, "store")
            found.kill(key, "mapping")
            found.kill(key, "written")
            found.write(key, 0, WHOLE)

    def _do_glBufferSubData(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            self._write_range(
                found, identity(context, buffer), integer(call.args[1]), integer(call.args[2]), len(buffer.store)
            )

    def _do_traceMappedWrite(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            size = len(call.args[2]) if isinstance(call.args[2], bytes) else 0
            found.read(identity(context, buffer), "mapping")
            self._write_range(found, identity(context, buffer), integer(call.args[1]), size, len(buffer.store))

    def _do_glCopyBufferSubData(self, found: Collector, context: Context, call: Call) -> None:
        source = self._bound(found, context, integer(call.args[0]))
        target = self._bound(found, context, integer(call.args[1]))
        if source is not None and target is not None:
            found.need_bytes(identity(context, source))
            self._write_range(
                found, identity(context, target), integer(call.args[3]), integer(call.args[4]), len(target.store)
            )

    def _do_glClearBufferData(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            total = len(buffer.store)
            self._write_range(found, identity(context, buffer), 0, total, total)

    def _do_glClearBufferSubData(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            self._write_range(
                found, identity(context, buffer), integer(call.args[2]), integer(call.args[3]), len(buffer.store)
            )

    @staticmethod
    def _write_range(found: Collector, key: Key, offset: int, size: int, total: int) -> None:
        found.read(key, "store")
        if size:
            found.write(key, offset, WHOLE if offset + size >= total else offset + size)

    def _do_glMapBufferRange(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            found.read(identity(context, buffer), "store")
            found.read(identity(context, buffer), "mapping")
            found.kill(identity(context, buffer), "mapping")

    def _do_glUnmapBuffer(self, found: Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, integer(call.args[0]))
        if buffer is not None:
            found.read(identity(context, buffer), "mapping")
            found.kill(identity(context, buffer), "mapping")

    def _texture(self, found: Collector, context: Context, call: Call) -> Texture:
        """Texture that a call's target means."""
        target = integer(call.args[0])
        if gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X <= target <= gl.GL_TEXTURE_CUBE_MAP_NEGATIVE_Z:
            target = gl.GL_TEXTURE_CUBE_MAP
        ctx = ("context", context.name)
        found.read(ctx, "glActiveTexture")
        found.read((*ctx, "unit", context.active_unit), target)
        return context.units[context.active_unit].textures[target]

    def _unpacking(self, found: Collector, context: Context) -> None:
        found.need(("context", context.name, "transfer"))
        buffer = self._bound(found, context, gl.GL_PIXEL_UNPACK_BUFFER)
        if buffer is not None:
            found.need_bytes(identity(context, buffer))

    def _image(self, found: Collector, context: Context, name: str, call: Call) -> None:
        texture = self._texture(found, context, call)
        key = identity(context, texture)
        target, level = integer(call.args[0]), integer(call.args[1])
        face = max(target - gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0) if texture.target == gl.GL_TEXTURE_CUBE_MAP else 0
        image = texture.images.get((face, level))
        if name.startswith("glCopy"):
            self._read_framebuffer(found, context)
        else:
            self._unpacking(found, context)
        if "Sub" not in name:
            found.kill(key, "level", face, level)
            found.kill(key, "content", face, level)
            return
        found.read(key, "level", face, level)
        found.read(key, "storage")
        dims = int(name[-2])
        offsets = [integer(value) for value in call.args[2 : 2 + dims]]
        sizes = [integer(value) for value in call.args[2 + dims : 2 + 2 * dims]]
        whole = (
            image is not None
            and not any(offsets)
            and not name.startswith("glCopy")
            and [*sizes, 1, 1][:3] == [image.width, image.height, image.depth]
        )
        (found.kill if whole else found.update)(key, "content", face, level)

    def _storage(self, found: Collector, context: Context, call: Call) -> None:
        texture = self._texture(found, context, call)
        key = identity(context, texture)
        found.kill(key, "storage")
        for face, level in texture.images:
            found.kill(key, "content", face, level)
            found.kill(key, "level", face, level)

    def _do_glTexBuffer(self, found: Collector, context: Context, call: Call) -> None:
        texture = self._texture(found, context, call)
        found.kill(identity(context, texture), "storage")
        if texture.texels is not None:
            # Whether the range lies in the buffer decides whether the call succeeds.
            found.read(identity(context, texture.texels.buffer), "store")

    _do_glTexBufferRange = _do_glTexBuffer

    def _do_glGenerateMipmap(self, found: Collector, context: Context, call: Call) -> None:
        texture = self._texture(found, context, call)
        key = identity(context, texture)
        base = texture.base_level
        for pname in (gl.GL_TEXTURE_BASE_LEVEL, gl.GL_TEXTURE_MAX_LEVEL):
            found.read(key, "parameter", pname)
        found.read(key, "storage")
        for face, level in texture.images:
            if level > base:
                found.kill(key, "content", face, level)
                if not texture.immutable_levels:
                    found.kill(key, "level", face, level)
            else:
                found.read(key, "content", face, level)
                found.read(key, "level", face, level)

    def _do_glCopyImageSubData(self, found: Collector, context: Context, call: Call) -> None:
        for place, is_target in ((0, False), (6, True)):
            name, target, level = (integer(value) for value in call.args[place : place + 3])
            is_texture = target != gl.GL_RENDERBUFFER
            found.need((*self._space(context, "texture" if is_texture else "renderbuffer"), name))
            thing = context.group.textures.get(name) if is_texture else context.group.renderbuffers.get(name)
            if thing is None:
                continue
            key = identity(context, thing)
            found.need(key)
            if is_target:
                for face in range(6) if target == gl.GL_TEXTURE_CUBE_MAP else (0,):
                    found.update(key, *(("content", face, level) if is_texture else ("content",)))

    def _do_glClearTexImage(self, found: Collector, context: Context, call: Call) -> None:
        name, level = integer(call.args[0]), integer(call.args[1])
        found.need((*self._space(context, "texture"), name))
        texture = context.group.textures.get(name)
        if texture is None:
            return
        key = identity(context, texture)
        found.need(key)
        found.read(key, "storage")
        for face in range(6) if texture.target == gl.GL_TEXTURE_CUBE_MAP else (0,):
            found.read(key, "level", face, level)
            found.update(key, "content", face, level)

    _do_glClearTexSubImage = _do_glClearTexImage

    def _do_glRenderbufferStorage(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "renderbuffer")
        if context.renderbuffer is not None:
            key = identity(context, context.renderbuffer)
            found.kill(key, "storage")
            found.kill(key, "content")
