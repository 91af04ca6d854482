"""Render passes: runs of draws into one framebuffer, with how each attachment is loaded and stored.

A pass opens with the first draw, clear or blit into a framebuffer and ends when another framebuffer is rendered to,
at glFlush and glFinish, before a read-back, and at the end of the frame; also at glMemoryBarrier, if a draw of it has
written storage, images or counters: a tiler runs all vertex work of a pass before its fragments, and tile after tile,
so what comes behind the barrier would not see what came before. glMemoryBarrierByRegion, which is about fragments at
one place, leaves it open. An attachment that is cleared whole before the first draw is loaded by that clear; one whose
contents are undefined (new, invalidated, depth after a swap) is not loaded.

A frame of dispatches alone has a pass for what they move: one pixel, no attachments, no draws.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import PixelMemory
from replay.engine.pass_rows import PassRow
from replay.engine.rows import PackedRows
from replay.engine.samples import resolve_samples, spread_samples
from replay.engine.targets import Surface, Targets
from replay.formats import has_plain_words, native
from traceformat.gles.objects import Framebuffer, Image, Texture
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, SCHEMA, EventKind, LoadOp, StoreOp, Table
from traceformat.guards import Budget, exceeded, guards

__all__ = ["DEPTH_BIT", "STENCIL_BIT", "Clear", "PassRecorder"]

DEPTH_BIT: Final = 1 << 16
STENCIL_BIT: Final = 1 << 17
#: Columns of events that differ between draws of one state.
_VARYING: Final = ("pass", "call", "draw")
_COLOR: Final = struct.Struct("<4d")
#: Images up to whose number each frame looks for those that are gone; with more, one that has new ones, or one of so
#: many frames does.
_FEW_IMAGES: Final = 64
_PATIENCE: Final = 8
#: Events whose other columns are kept packed.
_MAX_EVENTS: Final = 256


@dataclass(slots=True)
class Clear:
    """One clear: ``buffers`` as in FrameTrace's events."""

    buffers: int
    rect: tuple[int, int, int, int]
    is_whole: bool
    color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    color_mask: int = 15
    depth: int = 0
    stencil: int = 0
    stencil_mask: int = 255
    #: Planes that it fills may know that they hold what it writes.
    follows: bool = False


class _Event(NamedTuple):
    """An event, but for where it is: its columns packed, and what it moves."""

    packed: bytes
    read_bytes: int
    write_bytes: int
    is_storage: bool


@dataclass(slots=True)
class _Contents:
    """What is known of an image's contents."""

    image: Image
    defined: bool = False
    #: Made by modelled passes alone, so that a recomposition has them too.
    modelled: bool = True
    #: Pass of this frame that wrote it last, -1 = none.
    written_by: int = -1
    #: Of its layers but the first; what they are like of which nothing else is known.
    layers: dict[int, _Contents] = field(default_factory=dict)
    is_given: bool = False

    def every(self) -> tuple[_Contents, ...]:
        """Of all layers."""
        return self, *self.layers.values()


@dataclass(slots=True)
class _Open:
    targets: Targets
    row: PassRow
    drawn: bool = False
    cleared: bool = False
    reads: list[int] = field(default_factory=list)
    contents: list[NDArray[np.uint8] | None] = field(default_factory=list)
    #: Textures that were looked at last.
    noted: tuple[Texture, ...] = ()


class PassRecorder:
    """Passes, events and pass_reads of one frame at a time; keeps what is known of images over the trace."""

    def __init__(self) -> None:
        self.passes: list[PassRow] = []
        self.events = PackedRows("events", _VARYING, tuple(key for key in SCHEMA["events"] if key not in _VARYING))
        self._known_events: dict[tuple[object, ...], _Event] = {}
        self.memory = PixelMemory()
        self.reads: list[int] = []
        self.keep_pixels = True
        #: Keep rows of events.
        self.keep_events = True
        #: Keep what passes begin with, too.
        self.keep_contents = False
        self._open: _Open | None = None
        self._contents: dict[int, _Contents] = {}
        #: Images that were left when it was looked last.
        self._num_held = 0
        #: Those of them that passes of this frame have written.
        self._written: list[_Contents] = []
        self._num_frames = 0
        #: Events before the next pass: their calls, and what else they have.
        self._pending: list[tuple[int, _Event]] = []
        #: Finishes what has been drawn into the pass in progress.
        self.drain: Callable[[], None] | None = None
        #: Has draws noted that come before an event.
        self.before_event: Callable[[], None] | None = None
        #: Takes the pixels at the end of the pass that has ended, and at its begin.
        self.ended: Callable[[list[NDArray[np.uint8]], list[NDArray[np.uint8] | None]], None] | None = None
        self._num_draws = 0
        #: A draw of the pass in progress has written storage, images or counters.
        self.writes_memory = False
        #: Context of what moved storage last.
        self._reaching = 0
        self._budget = Budget()
        self._max_passes = guards().frame_passes
        #: Attachments of the pass that has ended last with their pixels, as long as nothing may have changed them.
        self._kept: list[tuple[Surface, NDArray[np.uint8]]] = []

    @property
    def current(self) -> int:
        """Row of the pass in progress."""
        return len(self.passes)

    @property
    def target(self) -> Targets | None:
        """Target of the pass in progress, None between passes."""
        return self._open.targets if self._open is not None else None

    @property
    def has_rendered(self) -> bool:
        """Whether the pass in progress has draws or clears."""
        return self._open is not None and (self._open.drawn or self._open.cleared)

    def _state(self, image: Image) -> _Contents:
        found = self._contents.get(id(image))
        if found is None or found.image is not image:
            found = self._contents[id(image)] = _Contents(image)
        return found

    def _state_of(self, surface: Surface) -> _Contents:
        """What is known of the layer that is rendered to."""
        known: _Contents | None = surface.known
        if known is None:
            found, layer = self._state(surface.image), surface.attachment.layer
            known = found if layer == 0 else found.layers.get(layer)
            if known is None:
                known = found.layers[layer] = _Contents(found.image, found.is_given, not found.is_given)
            surface.known = known
        return known

    def begin(self, targets: Targets) -> None:
        """Make sure that the pass in progress renders to ``targets``."""
        if self._open is not None:
            if self._open.targets is targets or self._open.targets.key == targets.key:
                self._open.targets = targets
                return
            self.end()
        self._kept = []
        self.writes_memory = False
        for surface in targets.surfaces():
            if surface.single is not None:
                self._spread(surface, surface.single)
        self._open = _Open(targets, self._pass_row(targets))
        if self.keep_contents:
            self._open.contents = [self._contents_of(targets, surface) for surface in targets.colors]
        for call, event in self._pending:
            self._add_event(call, event)
        self._pending.clear()

    def _spread(self, surface: Surface, single: Surface) -> None:
        """Begin to draw with several samples to a texture of one."""
        spread_samples(surface)
        own, known = self._state(surface.image), self._state_of(single)
        own.defined, own.modelled = known.defined, False

    def _pass_row(self, targets: Targets) -> PassRow:
        row = PassRow(targets, len(self.events), self._num_draws, len(self.reads))
        for k, surface in enumerate(targets.colors[:MAX_COLOR_ATTACHMENTS]):
            if surface is not None:
                row.color_load[k], row.color_store[k] = self._load(surface, row), StoreOp.STORE
        if targets.depth is not None:
            row.depth_load, row.depth_store = self._load(targets.depth, row), StoreOp.STORE
        if targets.stencil is not None:
            row.stencil_load, row.stencil_store = self._load(targets.stencil, row), StoreOp.STORE
        return row

    def _contents_of(self, targets: Targets, surface: Surface | None) -> NDArray[np.uint8] | None:
        """Pixels that a pass begins with, where no pass of this frame made them."""
        if surface is None:
            return None
        state = self._state_of(surface)
        if state.defined and state.modelled and state.written_by >= 0:
            return None
        return self._pixels(targets, surface)

    def _load(self, surface: Surface, row: PassRow) -> int:
        state = self._state_of(surface)
        if not state.defined:
            return LoadOp.DONT_CARE
        if not state.modelled:
            row.content_matches = 0
        return LoadOp.LOAD

    def pack_draw(self, rect: tuple[int, int, int, int]) -> bytes:
        """What events of draws that may reach these pixels have in common, as :meth:`draw` takes it."""
        x, y, width, height = rect
        return self.events.pack(kind=int(EventKind.DRAW), x=x, y=y, width=width, height=height)

    def draw(self, draw: int, call: int, event: bytes, textures: tuple[Texture, ...]) -> None:
        """Note a draw of the pass in progress and its textures."""
        opened = self._open
        assert opened is not None
        opened.drawn = True
        self._num_draws = draw + 1
        self.read(textures)
        self.events.append(len(self.passes), call, draw, fixed=event)

    def draw_all(self, draw: int, calls: NDArray[Any], events: NDArray[np.uint8]) -> None:
        """Note draws of the pass in progress, from row ``draw`` on, with the packed event of each; the textures that
        they read: :meth:`read`.
        """
        assert self._open is not None
        self._open.drawn = True
        self._num_draws = draw + len(calls)
        columns = {"pass": len(self.passes), "call": calls, "draw": draw + np.arange(len(calls))}
        self.events.extend_columns(columns, (events,))

    def read(self, textures: tuple[Texture, ...]) -> None:
        """Note textures that draws of the pass in progress read."""
        assert self._open is not None
        # Where no pass of this frame has written anything yet, they hold nothing of one.
        if textures and self._written and self._open.noted is not textures:
            self._note_reads(self._open, textures)
            self._open.noted = textures

    def note_draw(self) -> None:
        """Note a draw without pixels of the pass in progress, of a frame whose rows are not kept."""
        assert self._open is not None
        self._open.drawn = True

    def _note_reads(self, opened: _Open, textures: tuple[Texture, ...]) -> None:
        """Note which passes of this frame made what textures hold."""
        for texture in textures:
            for image in texture.images.values():
                state = self._contents.get(id(image))
                if state is None or state.image is not image:
                    continue
                for layer in state.every():
                    if layer.written_by not in (-1, self.current, *opened.reads):
                        opened.reads.append(layer.written_by)

    def clear(self, call: int, clear: Clear) -> None:
        """Note a clear of the pass in progress."""
        assert self._open is not None
        row = self._open.row
        self._open.cleared = True
        if clear.is_whole and not self._open.drawn:
            for k in range(row.num_colors):
                if clear.buffers >> k & 1 and clear.color_mask & 15 == 15:
                    row.color_load[k] = LoadOp.CLEAR
                    row.clear_color[4 * k : 4 * k + 4] = clear.color
            if clear.buffers & DEPTH_BIT:
                row.depth_load, row.clear_depth = LoadOp.CLEAR, clear.depth
            if clear.buffers & STENCIL_BIT and clear.stencil_mask == 255:
                row.stencil_load, row.clear_stencil = LoadOp.CLEAR, clear.stencil
        self._add_event(call, self._clear_event(clear))

    def _clear_event(self, clear: Clear) -> _Event:
        # As bytes a colour's zeros have signs.
        key = (
            clear.buffers, clear.rect, clear.color_mask, clear.stencil_mask, _COLOR.pack(*clear.color), clear.depth,
            clear.stencil,
        )  # fmt: skip
        return self._known_events.get(key) or self._new_event(
            key,
            EventKind.CLEAR,
            clear.rect,
            buffers=clear.buffers,
            color_mask=clear.color_mask,
            stencil_mask=clear.stencil_mask,
            clear_color=clear.color,
            clear_depth=clear.depth,
            clear_stencil=clear.stencil,
        )

    def transfer(
        self,
        kind: EventKind,
        call: int,
        rect: tuple[int, int, int, int],
        *,
        buffers: int = 0,
        read_bytes: int = 0,
        write_bytes: int = 0,
    ) -> None:
        """Note a copy, blit, read-back, upload or mipmap generation, in the pass in progress or else the next one."""
        self._kept = []
        event = self._event(kind, rect, buffers, read_bytes, write_bytes)
        if self._open is not None:
            self._add_event(call, event)
        else:
            self._pending.append((call, event))

    def storage(self, context: Context, read_bytes: int, write_bytes: int) -> None:
        """Note what a draw or dispatch has moved of storage, images and counters."""
        self._reaching = context.name
        self.transfer(
            EventKind.STORAGE, context.call_number, (0, 0, 0, 0), read_bytes=read_bytes, write_bytes=write_bytes
        )

    def end_behind_writes(self) -> None:
        """End the pass in progress if a draw of it has written memory."""
        if self.writes_memory:
            self.end()

    def replaced(self, image: Image) -> None:
        """Contents of an image were made by something that is no modelled pass."""
        self._kept = []
        for texture in image.siblings:
            texture.version += 1
        state = self._state(image)
        state.is_given = True
        for layer in state.every():
            layer.defined = True
            layer.modelled = False
        opened = self._open
        if opened is None:
            return
        for k, surface in enumerate(opened.targets.colors[:MAX_COLOR_ATTACHMENTS]):
            if surface is not None and surface.image is image:
                opened.row.color_load[k] = LoadOp.LOAD
                opened.row.content_matches = 0
                if self.keep_contents:
                    opened.contents[k] = self._pixels(opened.targets, surface)
        depth, stencil = opened.targets.depth, opened.targets.stencil
        if depth is not None and depth.image is image:
            opened.row.depth_load, opened.row.content_matches = LoadOp.LOAD, 0
        if stencil is not None and stencil.image is image:
            opened.row.stencil_load, opened.row.content_matches = LoadOp.LOAD, 0

    def end_before_replacing(self, image: Image) -> None:
        """End the pass in progress if it has rendered to an image that something else is about to write to."""
        opened = self._open
        if opened is not None and self.has_rendered and opened.targets.changes(image):
            self.end()

    def undefined(self, image: Image) -> None:
        """Contents of an image are no longer defined."""
        state = self._state(image)
        state.is_given = False
        for layer in state.every():
            layer.defined = False

    def invalidate(self, call: int, targets: Targets, buffers: int, rect: tuple[int, int, int, int]) -> None:
        """Attachments of ``targets`` become undefined: they need not be stored."""
        if self._open is not None and self._open.targets.key == targets.key:
            row = self._open.row
            for k in range(row.num_colors):
                if buffers >> k & 1:
                    row.color_store[k] = StoreOp.DONT_CARE
            if buffers & DEPTH_BIT:
                row.depth_store = StoreOp.DONT_CARE
            if buffers & STENCIL_BIT:
                row.stencil_store = StoreOp.DONT_CARE
            self._add_event(call, self._event(EventKind.INVALIDATE, rect, buffers))
        else:
            # The attachments of a pass that has ended: nothing has been stored by the modelled GPU before now.
            for k, surface in enumerate(targets.colors):
                if surface is not None and buffers >> k & 1:
                    self.undefined(surface.image)
            if targets.depth is not None and buffers & DEPTH_BIT:
                self.undefined(targets.depth.image)

    def _event(
        self, kind: EventKind, rect: tuple[int, int, int, int], buffers: int, read_bytes: int = 0, write_bytes: int = 0
    ) -> _Event:
        key = (kind, rect, buffers, read_bytes, write_bytes)
        return self._known_events.get(key) or self._new_event(
            key, kind, rect, buffers=buffers, read_bytes=read_bytes, write_bytes=write_bytes
        )

    def _new_event(
        self, key: tuple[object, ...], kind: EventKind, rect: tuple[int, int, int, int], **columns: Any
    ) -> _Event:
        """Pack an event; frames have the same ones again."""
        if len(self._known_events) >= _MAX_EVENTS:
            self._known_events.clear()
        x, y, width, height = rect
        packed = self.events.pack(kind=int(kind), x=x, y=y, width=width, height=height, **columns)
        moved = columns.get("read_bytes", 0), columns.get("write_bytes", 0)
        found = self._known_events[key] = _Event(packed, *moved, kind is EventKind.STORAGE)
        return found

    def _add_event(self, call: int, event: _Event) -> None:
        assert self._open is not None
        if self.before_event is not None:
            self.before_event()
        self._append(self._open.row, len(self.passes), call, event)

    def _append(self, row: PassRow, number: int, call: int, event: _Event) -> None:
        """Give an event to a pass."""
        row.transfer_read_bytes += event.read_bytes
        row.transfer_write_bytes += event.write_bytes
        if self.keep_events:
            self.events.append(number, call, -1, fixed=event.packed)

    def end(self) -> None:
        """End the pass in progress, if there is one."""
        if self._open is None:
            return
        if self.drain is not None:
            self.drain()
        row = self._open.row
        targets = self._open.targets
        row.event_count = len(self.events) - row.event_first
        row.draw_count = self._num_draws - row.draw_first
        row.read_count = len(self._open.reads)
        self.reads.extend(self._open.reads)
        kept: list[NDArray[np.uint8]] = []
        if self.keep_pixels:
            for surface in targets.colors:
                if surface is None:
                    kept.append(np.zeros((targets.height, targets.width, 0), np.uint8))
                else:
                    kept.append(self._pixels(targets, surface))
                    self._kept.append((surface, kept[-1]))
        loads = row.color_load
        contents = [None if loads[k] == LoadOp.CLEAR else pixels for k, pixels in enumerate(self._open.contents)]
        stores = list(zip(targets.colors, row.color_store, strict=False))
        stores += [(targets.depth, row.depth_store), (targets.stencil, row.stencil_store)]
        for surface, store in stores:
            if surface is not None:
                state = self._state_of(surface)
                state.defined = store == StoreOp.STORE
                state.modelled = True
                state.written_by = self.current
                self._written.append(state)
                if surface.attachment.texture is not None:
                    surface.attachment.texture.version += 1
                for texture in surface.image.siblings:
                    texture.version += 1
                if surface.single is not None:
                    self._settle(surface, surface.single, state)
        if len(self.passes) >= self._max_passes:
            raise exceeded(f"a frame of {len(self.passes) + 1} render passes", "frame_passes")
        self._budget.check(f"pass {len(self.passes)}")
        self.passes.append(row)
        self._open = None
        if self.ended is not None:
            self.ended(kept, contents)

    def settle(self, image: Image) -> None:
        """Have an image hold what the pass in progress has drawn, where that is not done before its end."""
        for surface in self._open.targets.surfaces() if self._open is not None else ():
            if surface.single is not None and surface.single.image is image:
                resolve_samples(surface)

    def _settle(self, surface: Surface, single: Surface, state: _Contents) -> None:
        """End drawing with several samples to a texture of one."""
        resolve_samples(surface)
        known = self._state_of(single)
        known.defined, known.modelled, known.written_by = state.defined, False, state.written_by
        self._written.append(known)
        for texture in single.image.siblings:
            texture.version += 1

    def last_pixels(self, surface: Surface, size: tuple[int, int]) -> NDArray[np.uint8] | None:
        """What the pass that ended last kept of a surface of that (height, width), if nothing happened since."""
        return next((pixels for own, pixels in self._kept if own is surface and pixels.shape[:2] == size), None)

    def _pixels(self, targets: Targets, surface: Surface) -> NDArray[np.uint8]:
        """Pixels of an attachment as they lie in memory, (height, width, samples * bytes)."""
        if surface.samples == 1:
            texels = surface.texels[0, : targets.height, : targets.width]
            filled = surface.stored.filled
            return (
                self.memory.copy(texels, filled) if has_plain_words(surface.format) else native(surface.format, texels)
            )
        planes = surface.texels[:, : targets.height, : targets.width]
        if has_plain_words(surface.format):
            return self.memory.copy(planes.transpose(1, 2, 0), surface.stored.filled)
        texels = native(surface.format, planes)
        samples, height, width, size = texels.shape
        return np.ascontiguousarray(texels.transpose(1, 2, 0, 3)).reshape(height, width, samples * size)

    def end_frame(self, wanted: Sequence[str] = ()) -> tuple[list[PassRow], Table, list[int]]:
        """End the frame: its passes, events (the wanted columns) and pass_reads."""
        self.end()
        if not self.passes and any(event.is_storage for _, event in self._pending):
            self._add_empty_pass()
        if self._pending and self.passes:
            # Transfers behind the last pass belong to it.
            last = self.passes[-1]
            for call, event in self._pending:
                last.event_count += 1
                self._append(last, len(self.passes) - 1, call, event)
            self._pending.clear()
        self._kept = []
        done = (self.passes, self.events.finish(wanted), self.reads)
        self.passes, self.reads = [], []
        self._num_draws = 0
        for layer in self._written:
            layer.written_by = -1
        self._written.clear()
        self._num_frames += 1
        num_images = len(self._contents)
        if num_images <= _FEW_IMAGES or num_images > self._num_held or self._num_frames % _PATIENCE == 0:
            self._let_go()
        return done

    def _let_go(self) -> None:
        """Forget images that nobody else refers to: the dictionary's state and the call below hold them."""
        dead = [key for key, state in self._contents.items() if sys.getrefcount(state.image) <= 2 + len(state.layers)]
        for key in dead:
            del self._contents[key]
        self._num_held = len(self._contents)

    def _add_empty_pass(self) -> None:
        """A pass for what dispatches have moved in a frame without any."""
        nowhere = Targets(Framebuffer(0, 0), self._reaching, 1, 1, 1, [], None, None)
        self.passes.append(self._pass_row(nowhere))
        if self.ended is not None:
            self.ended([], [])
