"""What calls that machine code has recorded change of the shadow; as ``capture.rules`` has it for single calls."""

from __future__ import annotations

from typing import Final

from traceformat.gles import enums as gl

__all__ = ["BUFFER_TARGETS", "EFFECTS", "NAME_PLACES"]

#: By canonical name: the place of the buffer among the arguments of what binds one to the target that comes first.
NAME_PLACES: Final = {"glBindBuffer": 1, "glBindBufferBase": 2, "glBindBufferRange": 2}
#: Canonical names of all that change something.
EFFECTS: Final = frozenset({*NAME_PLACES, "glBindVertexArray", "glBufferSubData"})
#: All but that of indices, which vertex arrays have.
BUFFER_TARGETS: Final = (
    gl.GL_ARRAY_BUFFER, gl.GL_UNIFORM_BUFFER, gl.GL_SHADER_STORAGE_BUFFER, gl.GL_COPY_READ_BUFFER,
    gl.GL_COPY_WRITE_BUFFER, gl.GL_PIXEL_PACK_BUFFER, gl.GL_PIXEL_UNPACK_BUFFER, gl.GL_TRANSFORM_FEEDBACK_BUFFER,
    gl.GL_DRAW_INDIRECT_BUFFER, gl.GL_TEXTURE_BUFFER, gl.GL_ATOMIC_COUNTER_BUFFER, gl.GL_DISPATCH_INDIRECT_BUFFER,
    gl.GL_QUERY_BUFFER, gl.GL_PARAMETER_BUFFER,
)  # fmt: skip
