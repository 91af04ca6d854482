"""The handheld machine as the tracker's backend: the engine with other draws, frame buffers and textures."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay.engine import transfer
from replay.engine.engine import Engine
from replay.engine.merge_state import color_mask_of, uses_srgb
from replay.engine.targets import Targets
from replay.formats import Storage
from replay.handheld.kernels.records import FILTER
from replay.handheld.patterns import PATTERNS, Pattern, grid_pattern
from replay.handheld.pipeline import HandheldPipeline
from replay.handheld.stage import HandheldStage
from replay.handheld.targets import HandheldTarget, MemoryPlaces
from replay.handheld.textures import HandheldTextures
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import Drawable
from traceformat.gles.state import Context
from traceformat.gputrace.accessstream import AccessFrame, AccessSink, HandheldMode
from traceformat.gputrace.frametrace import ColumnSet, FrameRule, FrameTrace
from traceformat.native.records import address_of

__all__ = ["HandheldEngine"]

#: Rows of the screen whose filter accesses are handed on at a time.
_FILTER_ROWS = 16


class HandheldEngine(Engine):
    """Executes a trace as the handheld machine does.

    Samples lie in targets of this machine's own; the engine's surfaces are brought up to date ("resolved": this is the
    filter pass of antialiasing) before anybody reads them, and at the end of a frame.

    Parameters
    ----------
    mode : of the machine
    sink : takes accesses; None where only pictures are wanted
    first_frame : frames before it yield no accesses
    samples : of precise pictures: numbers of the grid's samples to render
    max_image_bytes : most memory that images may take
    """

    # Its targets write to planes, and it records look-ups without a column that says so.
    follows_planes = False
    leaves_programs = False

    def __init__(
        self,
        mode: HandheldMode,
        sink: AccessSink | None = None,
        *,
        first_frame: int = 0,
        samples: range | None = None,
        max_image_bytes: int = 4 << 30,
    ) -> None:
        super().__init__(ColumnSet(()), max_image_bytes=max_image_bytes)
        self.mode = mode
        self._sink = sink
        self._first_frame = first_frame
        self._listens = first_frame <= 0
        emit = self._emit if sink is not None else None
        self._places = MemoryPlaces()
        self._patterns: list[Pattern] = [PATTERNS[mode.antialiasing]]
        if mode.precise:
            self._patterns = [grid_pattern(mode.sample_grid, number) for number in samples or range(1)]
        textures = HandheldTextures(self.memory, mode, self._places, self._patterns[0].lod_bias)
        self._textures = textures
        draws = HandheldPipeline(self.memory, self.recorder, 1)
        tables = self.recorder.tables
        draws.stages = [HandheldStage(mode, pattern, textures, tables, emit) for pattern in self._patterns]
        draws.current = []
        self._draws = draws
        self._machine = draws
        self.recorder.wants_textures = sink is not None
        self._targets: dict[tuple[object, ...], list[HandheldTarget]] = {}
        #: Sum over samples of the pictures that were resolved last, for precise pictures.
        self._counters: dict[str, int] = {}
        self.precise_sum: NDArray[np.float64] | None = None

        #: The frame that ended last.
        self.access_frame: AccessFrame | None = None

    def _emit(self, codes: NDArray[np.uint32]) -> None:
        if self._sink is not None and self._listens:
            self._sink(codes)

    # ------------------------------------------------------------------ targets
    def _enter(self, targets: Targets) -> None:
        super()._enter(targets)
        self._machine.current = self._of(targets)

    def _of(self, targets: Targets) -> list[HandheldTarget]:
        """The machine's targets behind a framebuffer, up to date."""
        found = self._targets.get(targets.key)
        if found is None or found[0].targets is not targets:
            if found is not None:
                self._resolve(found)
            if len(self._targets) >= 64:
                self._resolve_all()
                self._targets.clear()
            found = [HandheldTarget.of(targets, pattern, self.mode, self._places) for pattern in self._patterns]
            self._targets[targets.key] = found
            for surface in targets.colors:
                if surface is not None and surface.attachment.texture is not None:
                    self._textures.rendered.add(surface.attachment.texture.serial)
        if found[0].is_stale:
            for target in found:
                target.load()
        return found

    def _resolve_all(self) -> None:
        for found in list(self._targets.values()):
            self._resolve(found)

    def _resolve(self, found: list[HandheldTarget]) -> None:
        """Average samples into the engine's surfaces: the filter pass."""
        from replay.handheld.kernels.stream import filter_stream, resolve

        target = found[0]
        if not target.is_dirty:
            return
        pictures: list[NDArray[Any] | None] = []
        pattern = target.pattern
        for buffer, planes in enumerate(target.colors):
            if planes is None:
                pictures.append(None)
                continue
            if len(found) > 1 or pattern.num_slots == 1:
                picture = planes[0] if len(found) == 1 else self._mean([one.colors[buffer] for one in found])
            elif planes.dtype == np.uint32 and planes.ndim == 3:
                picture = np.empty(planes.shape[1:], np.uint32)
                resolve(planes, pattern.tap_table(), pattern.total_weight, target.requantize(buffer), picture)
            else:
                picture = planes.mean(axis=0).astype(planes.dtype)
            pictures.append(picture)
        target.store(pictures)
        for one in found:
            one.is_dirty = False
        if self._sink is not None and pattern.num_slots > 1:
            reads = pattern.filter_reads()
            codes = np.empty(_FILTER_ROWS * target.width * (len(reads) + 1), np.uint32)
            rows = FILTER.row(
                width=target.width, pitch=target.pitch, stored=pattern.stored, source=target.places["color"],
                target=target.places["screen"], taps=address_of(reads), num_taps=len(reads), codes=address_of(codes),
            )  # fmt: skip
            for row in range(0, target.height, _FILTER_ROWS):
                rows.first_row, rows.last_row = row, min(row + _FILTER_ROWS, target.height)
                count = filter_stream.ctypes(rows.address)
                self._emit(codes[:count])

    @staticmethod
    def _mean(planes: list[NDArray[Any] | None]) -> NDArray[Any]:
        """Mean of many one-sample pictures of bytes."""
        first = planes[0]
        assert first is not None
        if first.dtype != np.uint32 or first.ndim != 3:
            return np.asarray(np.mean([plane[0] for plane in planes if plane is not None], axis=0), first.dtype)
        total = np.zeros((*first.shape[1:], 4), np.uint32)
        for plane in planes:
            assert plane is not None
            total += np.ascontiguousarray(plane[0]).view(np.uint8).reshape(*first.shape[1:], 4)
        mean = ((total + len(planes) // 2) // len(planes)).astype(np.uint8)
        return mean.view(np.uint32)[..., 0]

    def _changed(self, targets: Targets) -> None:
        """The engine has written into the surfaces of a framebuffer."""
        images = {id(surface.image) for surface in targets.surfaces()}
        for found in self._targets.values():
            if any(id(surface.image) in images for surface in found[0].targets.surfaces()):
                for target in found:
                    target.is_stale = True

    # ------------------------------------------------------------------ drawing
    def draw(self, context: Context, call: DrawCall) -> None:
        """Draw with the current state."""
        if self._textures.rendered:
            for unit in context.units:
                for texture in unit.textures.values():
                    if texture is not None and texture.serial in self._textures.rendered:
                        self._resolve_texture(texture.serial)
        super().draw(context, call)
        self._count("draws", 1)

    def _resolve_texture(self, serial: int) -> None:
        for found in list(self._targets.values()):
            if found is self._machine.current or not found[0].is_dirty:
                continue
            owned = [surface.attachment.texture for surface in found[0].targets.surfaces()]
            if any(texture is not None and texture.serial == serial for texture in owned):
                self._resolve(found)

    def _count(self, name: str, value: int) -> None:
        self._counters[name] = self._counters.get(name, 0) + value

    def clear(self, context: Context, mask: int) -> None:
        """Clear by the clear values."""
        # The surfaces are cleared too: a target that is made later loads them.
        super().clear(context, mask)
        value = np.array(context.clear_color, np.float32)
        buffers = range(8) if mask & gl.GL_COLOR_BUFFER_BIT else ()
        depth = context.clear_depth if mask & gl.GL_DEPTH_BUFFER_BIT and context.depth_mask else None
        stencil = context.clear_stencil if mask & gl.GL_STENCIL_BUFFER_BIT else None
        self._clear(context, {buffer: value for buffer in buffers}, depth, stencil)

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
        super().clear_buffer(context, buffer, draw_buffer, color, type, depth, stencil)
        if buffer == gl.GL_COLOR:
            dtype = {gl.GL_INT: np.int32, gl.GL_UNSIGNED_INT: np.uint32}.get(type, np.float32)
            value = np.array(color, np.int64 if dtype is not np.float32 else np.float64).astype(dtype)
            self._clear(context, {draw_buffer: value}, None, None)
            return
        has_depth = buffer in (gl.GL_DEPTH, gl.GL_DEPTH_STENCIL) and context.depth_mask
        has_stencil = buffer in (gl.GL_STENCIL, gl.GL_DEPTH_STENCIL)
        self._clear(context, {}, depth if has_depth else None, stencil if has_stencil else None)

    def _clear(
        self, context: Context, colors: dict[int, NDArray[Any]], depth: float | None, stencil: int | None
    ) -> None:
        for target in self._machine.current:
            whole = (0, 0, target.width, target.height)
            rect = whole
            if gl.GL_SCISSOR_TEST in context.enabled:
                rect = transfer.clip_rect(target.scaled(context.scissor), target.width, target.height)
            x, y, width, height = rect
            samples = target.stored_samples if rect == whole else width * height * target.pattern.stored
            window = (slice(None), slice(y, y + height), slice(x, x + width))
            if not (width and height):
                continue
            for buffer, value in colors.items():
                if buffer >= len(target.colors) or target.colors[buffer] is None:
                    continue
                mask = color_mask_of(context, buffer)
                if not mask:
                    continue
                for slot in range(target.pattern.num_slots):
                    surface = target.color_surface(buffer, slot)
                    transfer.clear_color(
                        surface, rect, value, mask, srgb=uses_srgb(context, surface), is_whole=rect == whole
                    )
                self._count("clear.values", samples)
            if depth is not None and target.targets.depth is not None:
                level = int(np.rint(min(max(depth, 0.0), 1.0) * target.max_z))
                target.z[window] = level
                self._count("clear.values", samples)
                self._clear_tiles(target, rect, rect == whole, level)
            if stencil is not None and target.targets.stencil is not None:
                keep = ~(context.stencil_front.write_mask & 255) & 255
                target.stencil[window] = (target.stencil[window] & keep) | (stencil & 255 & ~keep)
                self._count("clear.values", samples)
            target.is_dirty = True

    def _clear_tiles(self, target: HandheldTarget, rect: tuple[int, int, int, int], whole: bool, level: int) -> None:
        """Bounds of the tiles that a clear of the depth touches."""
        x, y, width, height = rect
        side = self.mode.tile_size
        top, bottom = (target.height - y - height) // side, -(-(target.height - y) // side)
        tiles = (slice(top, bottom), slice(x // side, -(-(x + width) // side)))
        if whole:
            target.z_low[...] = target.z_high[...] = level
        else:
            target.z_low[tiles] = np.minimum(target.z_low[tiles], level)
            target.z_high[tiles] = np.maximum(target.z_high[tiles], level)
        values = int(self.mode.zmin) + int(self.mode.zmax)
        self._count("clear.values", values * target.z_low[tiles].size)

    # ------------------------------------------------------------------ transfers
    def blit(self, context: Context, *arguments: Any) -> None:
        """Copy between framebuffers, on the engine's surfaces."""
        self._resolve_all()
        super().blit(context, *arguments)
        self._changed(self._target_cache.resolve(context.draw_framebuffer, context.name))

    def copy_to_image(self, context: Context, *arguments: Any) -> None:
        """Copy from the read framebuffer into a texture."""
        self._resolve_all()
        super().copy_to_image(context, *arguments)

    def copy_image(self, context: Context, *arguments: Any) -> None:
        """Copy texels between images."""
        self._resolve_all()
        super().copy_image(context, *arguments)
        for found in self._targets.values():
            for target in found:
                target.is_stale = True

    def read_pixels(self, context: Context, x: int, y: int, width: int, height: int, format: int, type: int) -> bytes:
        """Return a rectangle of the read framebuffer; of a smaller screen, enlarged."""
        self._resolve_all()
        return super().read_pixels(context, x, y, width, height, format, type)

    def swap(self, context: Context | None, drawable: Drawable) -> None:
        """End the frame's drawing: the screen shows resolved pixels."""
        self._resolve_all()
        super().swap(context, drawable)

    # ------------------------------------------------------------------ frames
    def begin_ahead(self, needed: Container[int] | None) -> None:
        """Frames before the range are executed whole: what this machine's own targets need of them nobody knows."""

    def end_frame_ahead(self) -> None:
        """Resolve targets and begin to count anew, as at the end of any frame."""
        self.end_frame(-1, FrameRule.SWAP)

    def end_ahead(self) -> None:
        """Frames from here on yield accesses."""
        self._listens = True

    def end_frame(self, frame: int, rule: FrameRule) -> FrameTrace:
        """End the frame; ``access_frame`` has what was counted, and its picture in the machine's size."""
        targets = self._default_targets if self._drawn_default or self._last_targets is None else self._last_targets
        self._resolve_all()
        shown = self._targets.get(targets.key) if targets is not None else None
        trace = super().end_frame(frame, rule)
        counters = dict(self._counters)
        self._counters.clear()
        for stage in self._machine.stages:
            for name, value in stage.counters.items():
                counters[name] = counters.get(name, 0) + value
            stage.counters.clear()
        lookups = self._machine.stages[0].lookups
        counters["texture.lookups"] = int(lookups[0])
        counters["texture.words"] = int(lookups[1])
        for words in range(32):
            if lookups[2 + words]:
                counters[f"texture.lookups_of_{words}"] = int(lookups[2 + words])
        lookups[:] = 0
        storage = sum(self._textures.bound_bytes.values())
        self._textures.bound_bytes.clear()
        self.access_frame = AccessFrame(frame, 0, 0, counters, texture_bytes=storage)
        if shown is not None:
            target = shown[0]
            self.access_frame.width, self.access_frame.height = target.width, target.height
            self.access_frame.picture = self._shown_picture(shown)
            self.access_frame.covered = target.covered.copy()
        for found in self._targets.values():
            for one in found:
                one.covered[...] = 0
        self._listens = frame + 1 >= self._first_frame
        return trace

    def _shown_picture(self, shown: list[HandheldTarget]) -> NDArray[np.uint8] | None:
        """Picture of the first colour buffer, from the machine's planes."""
        from replay.handheld.kernels.stream import resolve

        target = shown[0]
        buffer = next((k for k, planes in enumerate(target.colors) if planes is not None), None)
        if buffer is None:
            return None
        planes, format = target.colors[buffer], target.formats[buffer]
        assert planes is not None
        assert format is not None
        if planes.dtype != np.uint32 or planes.ndim != 3 or format.storage not in (Storage.UNORM8, Storage.SRGB8):
            return None
        if len(shown) > 1:
            self.precise_sum = np.zeros((target.height, target.width, 4))
            for one in shown:
                plane = one.colors[buffer]
                assert plane is not None
                self.precise_sum += (
                    np.ascontiguousarray(plane[0]).view(np.uint8).reshape(target.height, target.width, 4)
                )
            picture = self._mean([one.colors[buffer] for one in shown])
        elif target.pattern.num_slots == 1:
            picture = planes[0]
            if self.mode.precise:
                self.precise_sum = np.array(picture, "<u4").view(np.uint8).reshape(*picture.shape, 4).astype(np.float64)
        else:
            picture = np.empty(planes.shape[1:], np.uint32)
            resolve(planes, target.pattern.tap_table(), target.pattern.total_weight, target.requantize(buffer), picture)
        octets = np.array(picture, "<u4", order="C").view(np.uint8)
        return octets.reshape(target.height, target.width, 4)
