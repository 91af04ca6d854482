"""What executes the calls that have pixels: the interface between the tracker and an engine.

The tracker validates; a backend is never called for a call that raises a GL error, and what it gets is resolved:
pixel data lies tightly packed (unpack state and pixel-unpack buffers have been applied), indices are the bytes to read,
mapped ranges are checked. State that is not in the arguments (viewport, blending, bindings, uniforms) is read from the
:class:`~traceformat.gles.state.Context`.

A backend keeps its storage in the ``backing`` slots of images, textures, shaders, executables, queries and
framebuffers; storage goes with its object.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from traceformat.gles.formats import packed_bytes
from traceformat.gles.objects import (
    Buffer,
    Drawable,
    Framebuffer,
    Image,
    ProgramObject,
    Query,
    Renderbuffer,
    Shader,
    Texture,
)
from traceformat.gles.reflection import CompileResult, LinkResult
from traceformat.gles.state import Context

__all__ = ["Backend", "Box", "DrawCall", "DrawRun", "Pixels", "RunArray"]


@dataclass(slots=True, frozen=True)
class Box:
    """A block of pixels; layers of arrays and slices of 3D textures are ``z``. Origin bottom left."""

    x: int
    y: int
    z: int
    width: int
    height: int
    depth: int


@dataclass(slots=True, frozen=True)
class Pixels:
    """Pixel data, tightly packed in row, image order.

    ``type`` 0 means compressed blocks in ``format`` (a compressed internal format).
    """

    format: int
    type: int
    data: memoryview


@dataclass(slots=True)
class DrawCall:
    """One draw, ready to execute.

    Parameters
    ----------
    mode : GL_POINTS ... GL_TRIANGLE_FAN
    first, count : vertex range of an array draw; ``count`` indices of an indexed one (``first`` 0)
    instances : number of instances, 1 without instancing
    index_type : GL_UNSIGNED_BYTE, _SHORT, _INT; 0 for array draws
    indices : ``count`` indices as bytes (fewer where the buffer ends early); None for array draws
    index_buffer, index_offset : where they lie; None for client-side indices
    base_vertex, base_instance : added to each index (not to the restart index), to each instance for divisors
    restart_index : index value that restarts the primitive, None when off
    """

    mode: int
    first: int
    count: int
    instances: int = 1
    index_type: int = 0
    indices: memoryview | None = None
    index_buffer: Buffer | None = None
    index_offset: int = 0
    base_vertex: int = 0
    base_instance: int = 0
    restart_index: int | None = None


def _no_numbers() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


@dataclass(slots=True)
class RunArray:
    """An attribute's array in each draw of a run: its buffer and where it begins there, or what client memory held.

    Parameters
    ----------
    buffers : None: client memory
    offsets : int64    where it begins; empty: it is not pointed to anew
    client_firsts, contents, sizes : int64    of client memory: first vertex, what lies there from it on, and bytes of
        that; empty: as before
    """

    buffers: list[Buffer] | None = None
    offsets: NDArray[np.int64] = field(default_factory=_no_numbers)
    client_firsts: NDArray[np.int64] = field(default_factory=_no_numbers)
    contents: list[bytes] = field(default_factory=list)
    sizes: NDArray[np.int64] = field(default_factory=_no_numbers)

    def part(self, draws: slice) -> RunArray:
        """Of some of the draws."""
        buffers = None if self.buffers is None else self.buffers[draws]
        of_clients = self.client_firsts[draws], self.contents[draws], self.sizes[draws]
        return RunArray(buffers, self.offsets[draws], *of_clients)


@dataclass(slots=True)
class DrawRun:
    """Draws that differ in what they read alone; the state is that of the draw before.

    Parameters
    ----------
    calls : number of each draw call
    mode : of all
    firsts, counts : int64    first vertex or offset of the first index, vertices
    index_type, index_buffers : of indexed draws; 0, and none
    restart_index : as of :class:`DrawCall`
    arrays : attributes that are pointed to anew, or whose client memory is, by location
    uniforms : first and last byte in ``Executable.constants``, the uniform's index, and what is written there: the
        values of all draws, one behind the other
    """

    calls: range
    mode: int = 0
    firsts: NDArray[np.int64] = field(default_factory=_no_numbers)
    counts: NDArray[np.int64] = field(default_factory=_no_numbers)
    index_type: int = 0
    index_buffers: list[Buffer] = field(default_factory=list)
    restart_index: int | None = None
    arrays: dict[int, RunArray] = field(default_factory=dict)
    uniforms: list[tuple[int, int, int, bytes]] = field(default_factory=list)

    def note_uniforms(self, context: Context) -> None:
        """Count what was written; it stays until the last time of the pattern, which writes the same uniforms."""
        if context.program is not None and context.program.executable is not None:
            context.program.executable.version += len(self.calls) * len(self.uniforms)


class Backend:
    """Executes validated calls. Every method gets the current context first.

    What is not overridden draws nothing: reads give zeros, every shader compiles, nothing is reflected.
    """

    #: Draws that repeat each other are looked for, for :meth:`draw_run`.
    takes_runs = False

    def compile_shader(self, context: Context, shader: Shader) -> CompileResult:
        """Compile ``shader.source``; never raises for bad source."""
        return CompileResult(True)

    def link_program(self, context: Context, program: ProgramObject) -> LinkResult:
        """Link the attached shaders with the program's attribute, fragment-output and feedback bindings."""
        return LinkResult(True)

    def validate_program(self, context: Context, program: ProgramObject) -> tuple[bool, str]:
        """Check the program against the current state; returns status and log."""
        return program.linked, ""

    def define_drawable(self, context: Context, drawable: Drawable) -> None:
        """Give (new) storage to the drawable's planes, which have just been made or resized; content starts as
        zero.
        """

    def define_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, pixels: Pixels | None
    ) -> None:
        """Give storage to one image (already in ``texture.images``) and fill it; None leaves it undefined (zero)."""

    def define_storage(self, context: Context, texture: Texture) -> None:
        """Give storage to all images of an immutable or multisample texture; content is undefined (zero)."""

    def update_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, box: Box, pixels: Pixels
    ) -> None:
        """Replace a block of texels."""

    def copy_to_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, box: Box, x: int, y: int
    ) -> None:
        """Copy from the read framebuffer at (x, y) into ``box``; what lies outside the framebuffer stays undefined.

        glCopyTexImage2D calls :meth:`define_image` with no pixels first.
        """

    def copy_image(
        self, context: Context, source: Image, source_box: Box, target: Image, x: int, y: int, z: int
    ) -> None:
        """Copy texels between images without conversion (glCopyImageSubData)."""

    def generate_mipmap(self, context: Context, texture: Texture) -> None:
        """Fill the levels above the base level, whose images exist (those that were missing are new, without
        backing).
        """

    def read_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, format: int, type: int
    ) -> bytes:
        """Return an image as tightly packed pixels (glGetTexImage)."""
        return bytes(packed_bytes(format, type, image.width, image.height, image.depth))

    def image_contents(self, image: Image) -> bytes | None:
        """Everything that an image holds, as :meth:`restore_image` takes it; None for what its definition gives it."""
        return None

    def restore_image(self, context: Context, image: Image, data: bytes) -> None:
        """Put back what :meth:`image_contents` gave; ReplayError if it is not of that size."""

    def define_renderbuffer(self, context: Context, renderbuffer: Renderbuffer) -> None:
        """Give storage to ``renderbuffer.image``; content is undefined (zero)."""

    def draw(self, context: Context, call: DrawCall) -> None:
        """Draw with the current state into the draw framebuffer, which is complete."""

    def draw_run(self, context: Context, run: DrawRun) -> bool:
        """Draw what repeats the draw before; False where nothing was done because these draws go one by one.

        Nobody looks for such draws where :attr:`takes_runs` is not set.
        """
        return False

    def dispatch(self, context: Context, groups: tuple[int, int, int]) -> None:
        """Run the compute stage of the program in use in so many work groups."""

    def clear(self, context: Context, mask: int) -> None:
        """Clear by the clear values, under scissor and write masks."""

    def clear_buffer(
        self,
        context: Context,
        buffer: int,
        draw_buffer: int,
        color: tuple[float, ...] | tuple[int, ...],
        type: int,
        depth: float,
        stencil: int,
    ) -> None:
        """Clear one buffer (glClearBuffer*): GL_COLOR by ``color`` of ``type`` (GL_FLOAT, GL_INT, GL_UNSIGNED_INT),
        or depth/stencil.
        """

    def blit(
        self,
        context: Context,
        source: tuple[int, int, int, int],
        target: tuple[int, int, int, int],
        mask: int,
        filter: int,
    ) -> None:
        """Copy (x0, y0, x1, y1) of the read framebuffer to the draw framebuffer: blit, scale, flip or resolve."""

    def read_pixels(self, context: Context, x: int, y: int, width: int, height: int, format: int, type: int) -> bytes:
        """Return the rectangle as tightly packed pixels; zero outside of the framebuffer."""
        return bytes(packed_bytes(format, type, width, height))

    def memory_barrier(self, context: Context) -> None:
        """What shaders have written before is seen by all that comes behind."""

    def invalidate(
        self,
        context: Context,
        framebuffer: Framebuffer,
        attachments: tuple[int, ...],
        x: int,
        y: int,
        width: int,
        height: int,
    ) -> None:
        """Contents of the attachment points (GL_COLOR_ATTACHMENTi, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT)
        become undefined.
        """

    def begin_query(self, context: Context, query: Query) -> None:
        """Start counting for ``query.target``."""

    def end_query(self, context: Context, query: Query) -> None:
        """Stop counting; the result must be available through :meth:`query_result` from now on."""

    def query_result(self, context: Context, query: Query) -> int:
        """Return the result of an ended query."""
        return 0

    def begin_transform_feedback(self, context: Context) -> None:
        """Start capture into ``context.transform_feedback``."""

    def end_transform_feedback(self, context: Context) -> None:
        """Stop capture; captured bytes are in the buffers' stores."""

    def flush(self, context: Context) -> None:
        """Handle glFlush."""

    def finish(self, context: Context) -> None:
        """Handle glFinish, which may end a frame."""

    def make_current(self, context: Context) -> None:
        """The context has become current (on any thread), with its drawables set."""

    def swap(self, context: Context | None, drawable: Drawable) -> None:
        """Handle the end of a frame of this drawable."""

    def frame(self, context: Context | None, label: str) -> None:
        """Handle an explicit frame marker."""
