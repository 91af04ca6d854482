"""The engine: the tracker's backend that really draws."""

from __future__ import annotations

import gc
from collections.abc import Callable, Container, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from replay import formats, reflect
from replay.engine import clears, transfer
from replay.engine.at_once import ShadedVertices
from replay.engine.columns import ColumnPool
from replay.engine.draws import DrawPipeline
from replay.engine.interpreter import QUICK_SWITCHES
from replay.engine.left import take_program
from replay.engine.passes import DEPTH_BIT, STENCIL_BIT
from replay.engine.pictures import first_color, first_color_picture, is_plain
from replay.engine.programs import LinkedProgram
from replay.engine.reach import Reach
from replay.engine.recorder import FrameRecorder
from replay.engine.targets import Surface, TargetCache, Targets, resolve_targets
from replay.engine.waiting import finishes_draws
from replay.formats import has_plain_words
from replay.glsl.program import Program
from replay.memory import AddressSpace
from replay.texture.storage import ImageStorage, TextureMemory
from traceformat.errors import UsageError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend, Box, DrawCall, DrawRun, Pixels
from traceformat.gles.formats import packed_bytes
from traceformat.gles.objects import (
    Attachment,
    Drawable,
    Executable,
    Framebuffer,
    Image,
    ProgramObject,
    Query,
    Renderbuffer,
    Shader,
    Texture,
)
from traceformat.gles.reflection import CompileResult, LinkResult
from traceformat.gles.state import Changes, Context
from traceformat.gputrace.frametrace import ColumnSet, EventKind, FrameRule, FrameTrace

__all__ = ["Engine"]


@finishes_draws
class Engine(Backend):
    """Executes what has pixels, and records each frame as a FrameTrace.

    Parameters
    ----------
    columns : columns of FrameTrace to produce; an empty set renders pictures only
    threads : that execute draws, the calling one included; results do not depend on it
    executor : "llvm" or "numpy" (the reference; no fragment identities)
    max_image_bytes : most memory that images may take
    """

    def __init__(
        self,
        columns: ColumnSet | None = None,
        *,
        threads: int = 1,
        executor: str = "llvm",
        max_image_bytes: int = 4 << 30,
    ) -> None:
        if executor not in ("llvm", "numpy"):
            raise UsageError(f"no executor {executor!r}", hint="llvm or numpy")
        if executor == "numpy" and columns is not None and "quads.identity" in columns:
            raise UsageError("the numpy executor computes no fragment identities", hint="use the llvm executor")
        self.memory = TextureMemory(max_image_bytes)
        self.addresses = AddressSpace()
        self._pool = ColumnPool()
        self.recorder = FrameRecorder(columns or ColumnSet(()), self._pool, self.addresses)
        #: What this engine needs of the interpreter.
        self._needs = ExitStack()
        if threads > 1:
            self._needs.enter_context(QUICK_SWITCHES)
        self._draws = DrawPipeline(self.memory, self.recorder, threads)
        self._draws.is_reference = executor == "numpy"
        self._target_cache = TargetCache(self.memory.define_plane)
        self._resolved: Targets | None = None
        #: What the frame's picture shows: default framebuffer if drawn to, else the framebuffer drawn last.
        self._default_targets: Targets | None = None
        self._last_targets: Targets | None = None
        self._drawn_default = False
        self._size = (0, 0)
        self._has_frozen = False
        #: Calls whose pixels are looked at later; None = all.
        self._needed: Container[int] | None = None
        self.takes_runs = True
        self._followed = clears.FollowedPlanes()

    #: Whether planes may know what clears fill them with: whatever writes to them must say so.
    follows_planes: ClassVar[bool] = True
    #: Whether programs are left to other replays: all that their code and states follow from is in the key.
    leaves_programs: ClassVar[bool] = True

    def close(self, *, is_whole: bool = True) -> None:
        """End the threads.

        Parameters
        ----------
        is_whole : all calls have done what they should: what was learnt is of use to the next replay of the process
        """
        if self._has_frozen:
            gc.unfreeze()
            self._has_frozen = False
        self._draws.close(leaves_programs=is_whole)
        self._needs.close()
        self.recorder.tables.memory.leave()
        self._pool.leave()
        self.recorder.passes.memory.leave()

    # ------------------------------------------------------------------ shaders
    def compile_shader(self, context: Context, shader: Shader) -> CompileResult:
        """Compile ``shader.source``."""
        self._draws.reloaded = True
        return reflect.compile_shader(context, shader)

    def link_program(self, context: Context, program: ProgramObject) -> LinkResult:
        """Link the attached shaders."""
        linked = reflect.link_program(program)
        self._draws.reloaded = True
        if not linked.ok:
            return LinkResult(False, linked.log)
        stages = {"vertex": linked.vertex, "fragment": linked.fragment}
        between = ("geometry", "tess_control", "tess_evaluation")
        stages |= {name: getattr(linked, name) for name in between if getattr(linked, name) is not None}
        addresses = {
            name: self.addresses.code(sum(len(block.kinds) for block in stage.blocks) if stage is not None else 0)
            for name, stage in stages.items()
        }
        made = self._taken_program(linked, addresses)
        self._draws.get_ready()
        return LinkResult(True, linked.log, reflect.reflect(linked), made)

    def _taken_program(self, program: Program, addresses: dict[str, int]) -> LinkedProgram:
        """A program, with what an earlier replay of this process has learnt of it."""
        # Each executor hashes paths in its own way, and what draws keep depends on the columns.
        is_left = self.leaves_programs and program.key
        key = (program.key, self._draws.is_reference, self.recorder.columns) if is_left else None
        taken = take_program(key) if key is not None else None
        if not isinstance(taken, LinkedProgram):
            return LinkedProgram(program, addresses, left_as=key)
        taken.code_addresses = addresses
        return taken

    def dispatch(self, context: Context, groups: tuple[int, int, int]) -> None:
        """Run the compute stage of the program in use; what it writes to images counts as uploaded."""
        from replay.engine import compute

        program = context.program
        assert program is not None
        assert program.executable is not None
        linked: LinkedProgram = program.executable.backing
        constants = linked.constants("compute", context, program.executable, 0)
        reach = compute.dispatch(
            context,
            linked,
            groups,
            self._draws.bind(context, linked, program, program.executable, from_window=False).bound,
            constants,
            is_reference=self._draws.is_reference,
            changes=self.recorder.passes.end_before_replacing,
        )
        self._reached(context, reach)

    def _reached(self, context: Context, reach: Reach) -> None:
        """Note what shaders have read and written beside the caches."""
        for image in reach.written:
            for one, box in image.boxes:
                self._loaded(context, one, box)
        read, write = reach.traffic
        if read or write:
            self.recorder.passes.storage(context, read, write)

    # ------------------------------------------------------------------ storage
    def define_drawable(self, context: Context, drawable: Drawable) -> None:
        """Give storage to the drawable's planes."""
        for plane in (drawable.color, drawable.depth, drawable.stencil):
            if plane is not None and plane.backing is None:
                self.memory.define_plane(plane)

    def define_renderbuffer(self, context: Context, renderbuffer: Renderbuffer) -> None:
        """Give storage to a renderbuffer."""
        if renderbuffer.image is not None:
            self.memory.define_plane(renderbuffer.image)

    def define_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, pixels: Pixels | None
    ) -> None:
        """Give storage to an image and fill it."""
        self.memory.define_image(texture, face, level, image, pixels)
        self._loaded(context, image, None if pixels is None else Box(0, 0, 0, image.width, image.height, image.depth))

    def define_storage(self, context: Context, texture: Texture) -> None:
        """Give storage to all images of a texture."""
        self.memory.define_storage(texture)

    def update_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, box: Box, pixels: Pixels
    ) -> None:
        """Replace a block of texels."""
        self.recorder.passes.end_before_replacing(image)
        if isinstance(image.backing, ImageStorage) and image.backing.filled is not None:
            self.forget_planes()
        self.memory.update_image(image, box, pixels)
        self._loaded(context, image, box)

    def _loaded(self, context: Context, image: Image, box: Box | None) -> None:
        """Note that a program has uploaded texels."""
        self._draws.reloaded = True
        if box is None:
            return
        format = formats.format_of(image.format)
        count = box.width * box.height * box.depth
        if format.codec is None:
            size = count * format.texel_bytes
        else:
            size = -(-box.width // format.block[0]) * -(-box.height // format.block[1]) * box.depth * format.block_bytes
        rect = (box.x, box.y, box.width, box.height)
        self.recorder.passes.transfer(EventKind.UPLOAD, context.call_number, rect, write_bytes=size)
        self.recorder.passes.replaced(image)

    def generate_mipmap(self, context: Context, texture: Texture) -> None:
        """Fill the levels above the base level."""
        self._end_if_rendering_to(texture)
        self.memory.generate_mipmap(texture)
        base = texture.images.get((0, texture.base_level))
        if base is None:
            return
        format = formats.format_of(base.format)
        size = base.width * base.height * base.depth * max(format.texel_bytes, 1)
        # Each level is read once and a quarter of it written; the series sums to a third more.
        rect = (0, 0, base.width, base.height)
        self.recorder.passes.transfer(
            EventKind.MIPMAP, context.call_number, rect, read_bytes=size + size // 3, write_bytes=size // 3
        )

    def _end_if_rendering_to(self, texture: Texture) -> None:
        target = self.recorder.passes.target
        if target is not None and any(one.attachment.texture is texture for one in target.surfaces()):
            self.recorder.passes.end()

    def read_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, format: int, type: int
    ) -> bytes:
        """Return an image as tightly packed pixels."""
        return self.memory.read_image(image, format, type)

    def attachments(self, context: Context) -> list[NDArray[Any]]:
        """Texels of the draw framebuffer's attachments as they are stored: colours, then depth and stencil."""
        self.finish_draws()
        targets = resolve_targets(context.draw_framebuffer, context.name)
        found: list[NDArray[Any]] = []
        for surface in targets.surfaces():
            texels, stencil = transfer.read_block(surface, (0, 0, targets.width, targets.height))
            found += [texels.copy()] if stencil is None else [texels.copy(), stencil.copy()]
        return found

    def observe_vertices(self, observer: Callable[[ShadedVertices], None] | None) -> None:
        """Have an observer called with what the vertex stage made of each draw from now on."""
        self._draws.vertex_observer = observer

    def finish_draws(self) -> None:
        """Execute the draws that wait: for whoever looks at what they draw past the calls of GL."""
        self._draws.pipeline.drain()

    def image_contents(self, image: Image) -> bytes | None:
        """Everything that an image holds; None for what its definition gives it."""
        self.recorder.passes.settle(image)
        return self.memory.contents(image)

    def restore_image(self, context: Context, image: Image, data: bytes) -> None:
        """Put back what :meth:`image_contents` gave."""
        self.memory.restore(image, data)

    # ------------------------------------------------------------------ drawing
    def _find_targets(self, context: Context) -> Targets:
        """Targets of the draw framebuffer; of the first layer where it has several."""
        targets = self._resolved
        if (
            targets is None
            or context.changes.bits & Changes.TARGETS
            or targets.framebuffer is not context.draw_framebuffer
            or targets.context != context.name
            or not targets.is_current
        ):
            targets = self._resolved = self._target_cache.resolve(context.draw_framebuffer, context.name)
        self._last_targets = targets
        if context.draw_framebuffer.name == 0:
            self._default_targets = targets
            self._drawn_default = True
        return targets

    def _begin(self, context: Context) -> Targets:
        """Targets of the draw framebuffer; the pass in progress renders to them."""
        targets = self._find_targets(context)
        self._enter(targets)
        return targets

    def _enter(self, targets: Targets) -> None:
        """Let the pass in progress render to targets."""
        self.recorder.passes.begin(targets)

    def _begin_layers(self, context: Context) -> Iterator[Targets]:
        """Targets of each layer of the draw framebuffer, the first one last; the pass in progress renders to them."""
        targets = self._find_targets(context)
        for layer in range(targets.num_layers - 1, 0, -1):
            own = targets.layer(layer)
            self._enter(own)
            yield own
        self._enter(targets)
        yield targets

    def _leaves_pixels(self, context: Context) -> bool:
        """Whether what the call at hand draws or copies may be looked at."""
        return self._needed is None or context.call_number in self._needed

    def draw(self, context: Context, call: DrawCall) -> None:
        """Draw with the current state."""
        if self._needed is None and self._draws.execute_next(context, call):
            return
        executable = context.program.executable if context.program is not None else None
        if executable is not None and executable.backing.reaches_memory:
            self._draw_with_memory(context, call, executable)
            return
        leaves_pixels = self._leaves_pixels(context)
        targets = self._begin_draw(context, executable, leaves_pixels=leaves_pixels)
        (self._draws.execute if leaves_pixels else self._draws.pass_over)(context, call, targets)

    def _begin_draw(self, context: Context, executable: Executable | None, *, leaves_pixels: bool) -> Targets:
        """Targets of a draw; the pass in progress renders to them, unless the draw itself begins one a layer."""
        targets = self._find_targets(context)
        writes_layer = executable is not None and executable.backing.writes_layer
        if targets.num_layers == 1 or not (writes_layer and leaves_pixels):
            self._enter(targets)
        return targets

    def draw_run(self, context: Context, run: DrawRun) -> bool:
        """Draw what repeats the draw before."""
        return self.takes_runs and self._draws.execute_run(context, run, self._begin(context))

    def _draw_with_memory(self, context: Context, call: DrawCall, executable: Executable) -> None:
        """Draw with a program that reaches storage, images or counters."""
        self.finish_draws()
        linked: LinkedProgram = executable.backing
        reach = Reach(context, linked, executable)
        for name in linked.stage_names:
            ir = linked.stage(name)
            if ir is not None and ir.reaches_memory:
                reach.open(ir)
        for image in reach.written:
            for one in image.images:
                self.recorder.passes.end_before_replacing(one)
        leaves_pixels = self._leaves_pixels(context) or linked.writes_memory
        targets = self._begin_draw(context, executable, leaves_pixels=leaves_pixels)
        if not leaves_pixels:
            self._draws.pass_over(context, call, targets)
            return
        self._draws.execute(context, call, targets, reach)
        reach.close()
        for image in reach.written:
            image.store()
        if reach.written:
            self.forget_planes()  # a renderbuffer's, by way of an EGLImage
        self._reached(context, reach)
        self.recorder.passes.writes_memory |= linked.writes_memory

    def clear(self, context: Context, mask: int) -> None:
        """Clear by the clear values."""
        for targets in self._begin_layers(context):
            clear = clears.begin(context, targets, self._followed if self.follows_planes else None)
            if self._leaves_pixels(context):
                clears.clear_all(context, targets, clear, mask)
            self.recorder.passes.clear(context.call_number, clear)

    def forget_planes(self) -> None:
        """Something is about to write to planes, or may be: they no longer know what they are filled with."""
        self._followed.forget()

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
        """Clear one buffer."""
        for targets in self._begin_layers(context):
            clear = clears.begin(context, targets, self._followed if self.follows_planes else None)
            if self._leaves_pixels(context):
                if buffer == gl.GL_COLOR:
                    clears.clear_color(context, targets, clear, draw_buffer, clears.color_value(color, type))
                if buffer in (gl.GL_DEPTH, gl.GL_DEPTH_STENCIL):
                    clears.clear_depth(context, targets, clear, depth)
                if buffer in (gl.GL_STENCIL, gl.GL_DEPTH_STENCIL):
                    clears.clear_stencil(context, targets, clear, stencil)
            self.recorder.passes.clear(context.call_number, clear)

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
        """Contents of attachments become undefined."""
        targets = resolve_targets(framebuffer, context.name)
        rect = transfer.clip_rect((x, y, width, height), targets.width, targets.height)
        if rect != (0, 0, targets.width, targets.height):
            return
        buffers = clears.attachment_bits(targets, attachments)
        self.recorder.passes.invalidate(context.call_number, targets, buffers, rect)

    # ------------------------------------------------------------------ transfers
    def _read_surface(self, attachment: Attachment | None, context: Context) -> Surface | None:
        """Storage of one attachment of the read framebuffer."""
        if attachment is None:
            return None
        single = Framebuffer(0, 0, draw_buffers=[gl.GL_COLOR_ATTACHMENT0])
        single.color[0] = replace(attachment, samples=0)
        return resolve_targets(single, context.name).colors[0]

    def _end_if_reading(self, surface: Surface | None) -> None:
        """A pass whose target is read must have ended."""
        target = self.recorder.passes.target
        if surface is not None and target is not None and target.changes(surface.image):
            self.recorder.passes.end()

    def blit(
        self,
        context: Context,
        source: tuple[int, int, int, int],
        target: tuple[int, int, int, int],
        mask: int,
        filter: int,
    ) -> None:
        """Copy between framebuffers."""
        read = context.read_framebuffer
        color = self._read_surface(read.read_attachment(), context)
        depth = self._read_surface(read.depth, context)
        stencil = self._read_surface(read.stencil, context)
        for surface in (color, depth, stencil):
            self._end_if_reading(surface)
        if self.recorder.passes.has_rendered:
            self.recorder.passes.end()
        targets = self._begin(context)
        whole = (0, 0, targets.width, targets.height)
        scissor = context.scissor if gl.GL_SCISSOR_TEST in context.enabled else whole
        read_bytes = write_bytes = buffers = 0
        linear = filter == gl.GL_LINEAR
        for origin, surface, what, bit in transfer.blit_pairs((color, depth, stencil), targets, mask):
            pixels = 0
            if self._leaves_pixels(context):
                pixels = transfer.blit_region(origin, surface, source, target, scissor, linear=linear, what=what)
            read_bytes += pixels * origin.format.texel_bytes * origin.samples
            write_bytes += pixels * surface.format.texel_bytes
            buffers |= bit
            self.recorder.passes.replaced(surface.image)
        is_resolve = color is not None and color.samples > 1
        x0, x1 = sorted((target[0], target[2]))
        y0, y1 = sorted((target[1], target[3]))
        rect = transfer.clip_rect((x0, y0, x1 - x0, y1 - y0), targets.width, targets.height)
        self.recorder.passes.transfer(
            EventKind.RESOLVE if is_resolve else EventKind.BLIT,
            context.call_number,
            rect,
            buffers=buffers,
            read_bytes=read_bytes,
            write_bytes=write_bytes,
        )

    def copy_to_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, box: Box, x: int, y: int
    ) -> None:
        """Copy from the read framebuffer into a texture."""
        depth_format = formats.format_of(image.format).is_depth
        read = context.read_framebuffer
        surface = self._read_surface(read.depth if depth_format else read.read_attachment(), context)
        if surface is None:
            return
        self._end_if_reading(surface)
        rect = transfer.clip_rect((x, y, box.width, box.height), surface.image.width, surface.image.height)
        if not (rect[2] and rect[3]):
            return
        self.recorder.passes.end_before_replacing(image)
        if self._leaves_pixels(context):
            texels, _ = transfer.read_block(surface, rect)
            at = (box.x + rect[0] - x, box.y + rect[1] - y)
            self.memory.write_texels(image, *at, box.z, surface.format, texels.copy()[None])
        self._draws.reloaded = True
        size = rect[2] * rect[3]
        self.recorder.passes.transfer(
            EventKind.COPY,
            context.call_number,
            rect,
            read_bytes=size * surface.format.texel_bytes,
            write_bytes=size * formats.format_of(image.format).texel_bytes,
        )
        self.recorder.passes.replaced(image)

    def copy_image(
        self, context: Context, source: Image, source_box: Box, target: Image, x: int, y: int, z: int
    ) -> None:
        """Copy texels between images."""
        origin, goal = source.backing, target.backing
        if origin is None or goal is None:
            return
        box = source_box
        self.recorder.passes.end_before_replacing(target)
        self.memory.copy_texels(origin, box, goal, (x, y, z))
        size = box.width * box.height * box.depth * max(origin.format.texel_bytes, 1)
        self.recorder.passes.transfer(
            EventKind.COPY, context.call_number, (x, y, box.width, box.height), read_bytes=size, write_bytes=size
        )
        self.recorder.passes.replaced(target)

    def read_pixels(self, context: Context, x: int, y: int, width: int, height: int, format: int, type: int) -> bytes:
        """Return a rectangle of the read framebuffer as tightly packed pixels."""
        read = context.read_framebuffer
        attachment = read.read_attachment()
        if format in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL):
            attachment = read.depth
        elif format == gl.GL_STENCIL_INDEX:
            attachment = read.stencil
        surface = self._read_surface(attachment, context)
        if surface is None:
            return bytes(packed_bytes(format, type, width, height))
        self._end_if_reading(surface)
        rect = transfer.clip_rect((x, y, width, height), surface.image.width, surface.image.height)
        self.recorder.passes.transfer(
            EventKind.READBACK,
            context.call_number,
            rect,
            read_bytes=rect[2] * rect[3] * max(surface.format.texel_bytes, 1),
        )
        if not self._leaves_pixels(context):
            return bytes(packed_bytes(format, type, width, height))
        texels, stencil = transfer.read_around(surface, rect, (x, y, width, height))
        return formats.pack(surface.format, texels, format, type, stencil)

    # ------------------------------------------------------------------ queries
    def begin_query(self, context: Context, query: Query) -> None:
        """Start counting."""
        query.backing = 0

    def query_result(self, context: Context, query: Query) -> int:
        """Return what was counted."""
        return int(query.backing or 0)

    def begin_transform_feedback(self, context: Context) -> None:
        """Start capture at the beginning of the bound ranges."""
        context.transform_feedback.backing = 0

    # ------------------------------------------------------------------ frames
    def begin_ahead(self, needed: Container[int] | None) -> None:
        """Execute frames from here on for what they leave to later ones: they have no rows and no pictures.

        Parameters
        ----------
        needed : calls whose pixels are looked at later, see :func:`traceformat.tools.trim.index.NeededCalls`: other
            draws, clears and copies are executed without theirs; None = all
        """
        self._needed = needed
        self.takes_runs = needed is None
        self.recorder.begin_ahead()

    def end_frame_ahead(self) -> None:
        """End a frame since :meth:`begin_ahead`."""
        self.recorder.passes.end()
        targets = self.frame_targets
        if targets is not None and first_color(targets) is not None:
            self._size = (targets.width, targets.height)
        self.recorder.end_frame_ahead()
        self._forget_frame()

    def end_ahead(self) -> None:
        """Frames from here on have rows and pictures again."""
        self._needed = None
        self.takes_runs = True
        self.recorder.end_ahead()

    def memory_barrier(self, context: Context) -> None:
        """End the render pass if a draw of it has written what may be waited for."""
        self.recorder.passes.end_behind_writes()

    def flush(self, context: Context) -> None:
        """End the render pass."""
        self.recorder.passes.end()

    def finish(self, context: Context) -> None:
        """End the render pass."""
        self.recorder.passes.end()

    def swap(self, context: Context | None, drawable: Drawable) -> None:
        """End the render pass; ancillary buffers are undefined after a swap (EGL 1.4 §3.10.1.1)."""
        target = self.recorder.passes.target
        if target is not None and target.framebuffer.name == 0:
            buffers = (DEPTH_BIT if target.depth is not None else 0) | (
                STENCIL_BIT if target.stencil is not None else 0
            )
            if buffers:
                number = context.call_number if context is not None else 0
                self.recorder.passes.invalidate(number, target, buffers, (0, 0, target.width, target.height))
        self.recorder.passes.end()

    @property
    def frame_targets(self) -> Targets | None:
        """What the picture of the frame in progress shows: the default framebuffer, or what was drawn to last."""
        return self._default_targets if self._drawn_default or self._last_targets is None else self._last_targets

    def read_picture(self, context: Context, targets: Targets) -> NDArray[np.uint8] | None:
        """What glReadPixels would read of the read framebuffer, as large as the targets; None where that cannot be."""
        attachment = context.read_framebuffer.read_attachment()
        surface = self._read_surface(attachment, context)
        if surface is None or surface.format.is_integer:
            return None
        size = (targets.width, targets.height)
        data = self.read_pixels(context, 0, 0, *size, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
        return np.frombuffer(data, np.uint8).reshape(targets.height, targets.width, 4)

    def end_frame(self, frame: int, rule: FrameRule) -> FrameTrace:
        """End the frame and return it with its picture."""
        self.recorder.passes.end()
        self._draws.forget_deleted()
        picture = self._frame_picture()
        if picture is not None:
            self._size = (picture.shape[1], picture.shape[0])
        trace = self.recorder.end_frame(frame, rule, self._size, picture)
        self._forget_frame()
        return trace

    def _frame_picture(self) -> NDArray[np.uint8] | None:
        """Picture of the frame: where the pass that has ended last kept the same texels, those."""
        targets, passes = self.frame_targets, self.recorder.passes
        surface = first_color(targets)
        if targets is not None and surface is not None and is_plain(surface) and has_plain_words(surface.format):
            known = passes.last_pixels(surface, (targets.height, targets.width)) if surface.samples == 1 else None
            if known is not None:
                return known
        return first_color_picture(targets, passes.memory)

    def _forget_frame(self) -> None:
        self._drawn_default = False
        self._last_targets = None
        if not self._has_frozen:
            # Everything loaded by now stays: without this Python's collector goes through it again every few frames.
            gc.freeze()
            self._has_frozen = True
