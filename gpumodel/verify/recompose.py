"""The recomposer: frame buffers made from the log of a run, compared with the reference pixels of every pass.

It takes from the model what units did: quads in the order in which Blending retired them with the fragments that were
written, clears where the rasterizer executed them, tiles that were rendered, kept and flushed, fragments that were
shaded to their last instruction, slots of a table that were filled and taken. State and the colours that shading gives
come from the FrameTrace; a fragment that was not shaded has the colour that its slot held, in a table rebuilt from the
log, and one that has taken none has no source: its pixel matches nothing. Front and back buffers live over the whole
run, so that a tile that was kept shows what the buffer held before; what nothing has written has no source either.

Where a table's hash collides (:mod:`.slots` proves it), pixels are composed a second time with the colours that those
fragments would have had. A pixel that differs, and does not without its collisions, is counted apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.units.state import FLUSHED, KEPT, RENDERED
from gpumodel.verify import blending
from gpumodel.verify.blending import ENTRY, STATE
from gpumodel.verify.effects import LOST, misplaced_work, wrong_fragments
from gpumodel.verify.result import MAX_LOCATED, Mismatch, Verification
from gpumodel.verify.slots import COLLIDED, SlotTable, Taken, shaded_lanes
from gpumodel.verify.sources import FLOAT_COLOR_BYTES, Colors, first_bytes, writes
from gpumodel.verify.surfaces import DEFAULT_BUFFERS, Buffer, Surface, SurfaceTable
from gpumodel.verify.texels import BYTES, FLOATS, SRGB_BORDERS, SRGB_DECODE, Texels, texels_of
from traceformat.errors import TraceFormatError, UsageError
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS, ALL_EQUATIONS, FACTORS
from traceformat.gles.formats import FORMATS, source_bytes
from traceformat.gputrace.frametrace import (
    SRGB_BIT,
    EventKind,
    FrameRule,
    FrameTrace,
    LoadOp,
    StoreOp,
    Table,
)

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun, SlotLog
    from gpumodel.streams import PassStreams

__all__ = ["Recomposer"]

Array = NDArray[Any]

#: Steps of a log that are composed at a time: what verification needs beside the frame and its pixels is bounded by
#: some 400 bytes each.
STEPS_AT_ONCE: Final = 1 << 17


class Recomposer:
    """Keeps a run's frame buffers and compares them pass by pass.

    Parameters
    ----------
    default_buffers : colour buffers of a default framebuffer
    hash_bits : of the hash by which a technique's table tells fragments apart, 0 = it compares whole inputs
    """

    def __init__(self, default_buffers: int = DEFAULT_BUFFERS, hash_bits: int = 0) -> None:
        self._surfaces = SurfaceTable(default_buffers)
        self._tables = _Tables(hash_bits)
        self.result = Verification(hash_bits=hash_bits)

    def go_on_from(self, other: Recomposer) -> None:
        """Begin with the frame buffers of another one."""
        self._surfaces = deepcopy(other._surfaces)

    def believe(self, frame: FrameTrace) -> None:
        """Take a frame's pixels as the trace has them, as if its passes had been recomposed rightly."""
        passes = frame["passes"]
        for index, targets in enumerate(frame.pixels):
            for attachment, pixels in enumerate(targets[: int(passes["num_colors"][index])]):
                if passes["color_format"][index][attachment]:
                    buffer = self._surface(passes, index, attachment, pixels.shape).begin_write()
                    if int(passes["color_store"][index][attachment]) == StoreOp.STORE:
                        buffer.pixels[...], buffer.sourced[...] = pixels, 1
        self.end_frame(frame.rule)

    def add(self, given: FrameTrace, runs: Sequence[PassRun]) -> int:
        """Recompose the next pass; gives its mismatched pixels.

        Parameters
        ----------
        given : the application's pass, whose colours and pixels count whatever was submitted
        runs : of the pass, or of the parts in which it was rendered, each onto the one before

        Raises
        ------
        UsageError : the trace has no colours
        TraceFormatError : its colours or pixels do not fit its tables
        """
        submitted = runs[0].tables.trace
        passes, index = submitted["passes"], runs[0].streams.index
        colors = int(passes["num_colors"][index])
        if (
            "byte" not in given["color_data"]
            or len(given.pixels) != passes.num_rows
            or len(given.pixels[index]) < colors
        ):
            raise UsageError(
                f"frame {given.frame} has no colours to verify with",
                hint="make the .gputrace with --verify --save-gputrace",
            )
        before = self.result.mismatched_pixels
        trace = replace(
            submitted, pixels=given.pixels, contents=given.contents,
            tables={**submitted.tables, "color_data": given["color_data"]},
        )  # fmt: skip
        logs = [_Log(trace, done, self._tables) for done in runs]
        for attachment in range(colors):
            if passes["color_format"][index][attachment]:
                self._attachment(trace, logs, attachment)
        self._effects(given, submitted, runs)
        self._tables.release(submitted)
        return self.result.mismatched_pixels - before

    def _effects(self, given: FrameTrace, trace: FrameTrace, runs: Sequence[PassRun]) -> None:
        """Hold what reaches memory: whatever becomes of its colour, it happens once and in its place."""
        streams = runs[-1].streams
        moved = misplaced_work(given, trace, streams.index)
        self.result.moved_effects += moved
        if moved:
            self._locate(trace, streams, (0, 0), "draws or dispatches that write were left out, repeated or moved")
        quads = trace["quads"]
        for why, bits in wrong_fragments(trace, runs):
            quad, fragment = np.nonzero(bits[:, None] >> np.arange(4, dtype=np.uint8) & 1)
            if why == LOST:
                self.result.lost_effects += len(quad)
            else:
                self.result.moved_effects += len(quad)
            for row, own in zip(quad[:MAX_LOCATED].tolist(), fragment.tolist(), strict=False):
                pixel = 2 * int(quads["x"][row]) + (own & 1), 2 * int(quads["y"][row]) + (own >> 1)
                self._locate(trace, streams, pixel, why)

    def _locate(self, trace: FrameTrace, streams: PassStreams, pixel: tuple[int, int], why: str) -> None:
        """Keep where something was done wrongly that is no colour."""
        if len(self.result.located) >= MAX_LOCATED:
            return
        width, height = _tile_size(streams.tiles, trace["passes"], streams.index)
        tile = pixel[0] // width, pixel[1] // height
        self.result.located.append(Mismatch(trace.frame, streams.index, 0, tile, pixel, b"", b"", why))

    def end_frame(self, rule: FrameRule) -> None:
        """Show the screen, where the frame does."""
        self._surfaces.end_frame(rule)

    def _surface(self, passes: Table, index: int, attachment: int, shape: tuple[int, ...]) -> Surface:
        """The target of an attachment of a pass, whose pixels have a shape."""
        return self._surfaces.surface(
            int(passes["color_address"][index][attachment]), shape, is_default=int(passes["framebuffer"][index]) == 0
        )

    def _attachment(self, trace: FrameTrace, logs: list[_Log], attachment: int) -> None:
        streams = logs[-1].streams
        passes, index = trace["passes"], streams.index
        texels = texels_of(int(passes["color_format"][index][attachment]))
        samples = int(passes["samples"][index])
        shape = (int(passes["height"][index]), int(passes["width"][index]), texels.size * samples)
        reference = trace.pixels[index][attachment]
        if reference.shape != shape:
            raise TraceFormatError(f"frame {trace.frame}: pixels of pass {index} are {reference.shape}, not {shape}")
        surface = self._surface(passes, index, attachment, shape)
        begun = self._begun(trace, index, attachment, surface.contents, shape)
        target = surface.begin_write()
        for log in logs:
            composed = self._compose(trace, log, attachment, texels, begun)
            if log.collided or begun.resolved is not None:
                composed.resolved = self._compose(trace, log, attachment, texels, begun, resolved=True).pixels
            # A part of a pass that is not its last stores what it has, whatever the pass does.
            part = log.streams.part
            stored = part.number < part.count - 1 or int(passes["color_store"][index][attachment]) == StoreOp.STORE
            if not stored:
                # What stays on the chip is compared where it was rendered.
                target = Buffer.given(reference.copy())
            for tile in log.tiles(FLUSHED if stored else RENDERED):
                rows = slice(int(tile["y0"]), int(tile["y0"]) + int(tile["height"]))
                columns = slice(int(tile["x0"]), int(tile["x0"]) + int(tile["width"]))
                target.write((rows, columns), composed, trace.frame)
            if stored:
                for tile in log.tiles(0):
                    # No unit has flushed it or decided to keep it: nobody knows what is there.
                    rows = slice(int(tile["y0"]), int(tile["y0"]) + int(tile["height"]))
                    target.sourced[rows, int(tile["x0"]) : int(tile["x0"]) + int(tile["width"])] = 0
            begun = target
        self._compare(trace, streams, attachment, texels, reference, target)

    @staticmethod
    def _compose(
        trace: FrameTrace, log: _Log, attachment: int, texels: Texels, begun: Buffer, *, resolved: bool = False
    ) -> Buffer:
        """Compose a part of a pass onto what it finds; ``resolved``: as it were without collisions."""
        passes, index = trace["passes"], log.streams.index
        composed = Buffer(0, np.empty_like(begun.pixels), np.ones_like(begun.sourced))
        found = begun.resolved if resolved and begun.resolved is not None else begun.pixels
        load = int(passes["color_load"][index][attachment])
        for sample in range(int(passes["samples"][index])):
            part = slice(sample * texels.size, (sample + 1) * texels.size)
            plane = texels.decode(found[:, :, part])
            if load == LoadOp.CLEAR and log.streams.part.number == 0:
                plane[...] = _load_value(trace, index, attachment, texels)
            sourced = begun.sourced.copy()
            log.compose(plane, sourced, texels, (attachment, sample), resolved=resolved)
            composed.pixels[:, :, part] = texels.encode(plane)
            composed.sourced &= sourced
        return composed

    @staticmethod
    def _begun(
        trace: FrameTrace, index: int, attachment: int, own: Buffer | None, shape: tuple[int, int, int]
    ) -> Buffer:
        """What the pass finds in memory: its own contents, or the trace's where no modelled pass made them."""
        passes = trace["passes"]
        load = int(passes["color_load"][index][attachment])
        blank = Buffer.given(np.zeros(shape, np.uint8))
        if load == LoadOp.CLEAR:
            return blank
        given = None
        if index < len(trace.contents) and attachment < len(trace.contents[index]):
            given = trace.contents[index][attachment]
        if given is not None and given.shape != shape:
            raise TraceFormatError(f"frame {trace.frame}: contents of pass {index} are {given.shape}, not {shape}")
        is_own = load == LoadOp.LOAD and (given is None or bool(passes["content_matches"][index]))
        if own is not None and is_own:
            return own
        return blank if given is None else Buffer.given(given)

    def _compare(
        self,
        trace: FrameTrace,
        streams: PassStreams,
        attachment: int,
        texels: Texels,
        reference: NDArray[np.uint8],
        target: Buffer,
    ) -> None:
        per_sample = (*reference.shape[:2], -1, texels.size)
        tiles = streams.tiles
        tile_width, tile_height = _tile_size(tiles, trace["passes"], streams.index)

        def differs_from(found: NDArray[np.uint8]) -> NDArray[np.bool_]:
            one, other = (pixels.reshape(per_sample)[..., : texels.used] for pixels in (reference, found))
            return np.asarray((one != other).any(axis=(2, 3)) | (target.sourced == 0))

        def locate(wrong: NDArray[np.bool_], found: list[Mismatch], why: str = "") -> None:
            for y, x in np.argwhere(wrong)[: max(MAX_LOCATED - len(found), 0)].tolist():
                found.append(
                    Mismatch(
                        trace.frame, streams.index, attachment, (x // tile_width, y // tile_height), (x, y),
                        reference[y, x].tobytes(), target.pixels[y, x].tobytes(),
                        why or _origin(tiles, target, (x, y)),
                    )
                )  # fmt: skip

        differs = differs_from(target.pixels)
        self.result.pixels += differs.size
        self.result.unsourced_pixels += int((target.sourced == 0).sum())
        self.result.mismatched_pixels += int(differs.sum())
        if target.resolved is not None:
            collided = differs & ~differs_from(target.resolved)
            self.result.collision_pixels += int(collided.sum())
            locate(collided, self.result.collisions, f"by a collision of the table's {self.result.hash_bits}-bit hash")
            differs &= ~collided
            if np.array_equal(target.resolved, target.pixels):
                target.resolved = None
        locate(differs, self.result.located)


def _tile_size(tiles: Array, passes: Table, index: int) -> tuple[int, int]:
    """Width and height of a pass's tiles."""
    width = int(tiles["x0"][tiles["x0"] > 0].min(initial=int(passes["width"][index])))
    return width, int(tiles["y0"][tiles["y0"] > 0].min(initial=int(passes["height"][index])))


def _origin(tiles: Array, target: Buffer, pixel: tuple[int, int]) -> str:
    """Where a wrong pixel's colour comes from, in words; empty where it is simply another one."""
    x, y = pixel
    inside = (tiles["x0"] <= x) & (tiles["y0"] <= y)
    inside &= (x < tiles["x0"] + tiles["width"]) & (y < tiles["y0"] + tiles["height"])
    tile = tiles[inside][0]
    outcome = int(tile["outcome"])
    if outcome & KEPT:
        held = target.frames.get((int(tile["x0"]), int(tile["y0"])))
        written = "nothing has written" if held is None else f"frame {held} has written"
        return f"the tile is kept from buffer {target.number}, which {written}"
    if not outcome:
        return "the tile was neither flushed nor kept"
    return "" if target.sourced[y, x] else "a fragment was neither shaded nor taken from a table"


def _load_value(trace: FrameTrace, index: int, attachment: int, texels: Texels) -> Array:
    """Working value that the pass's load operation clears an attachment to."""
    passes, events = trace["passes"], trace["events"]
    converts = True
    first = int(passes["event_first"][index])
    for row in range(first, first + int(passes["event_count"][index])):
        kind = int(events["kind"][row])
        if kind == EventKind.DRAW:
            break
        if kind == EventKind.CLEAR and int(events["buffers"][row]) >> attachment & 1:
            converts = bool(int(events["color_mask"][row]) & SRGB_BIT)
    return _clear_value(texels, passes["clear_color"][index][attachment], converts=converts, is_part=False)


def _clear_value(texels: Texels, color: Array, *, converts: bool, is_part: bool) -> Array:
    value = texels.clear_value(np.asarray(color, np.float32), converts=converts, is_part=is_part)
    if texels.kind == FLOATS:
        rounded = np.ascontiguousarray(value[None])
        blending.round_values(rounded, texels.rounding(is_drawn=is_part))
        value[list(texels.channels)] = rounded[0, list(texels.channels)]
    return value


class _Steps:
    """Consecutive steps of a pass's log, ready to be composed: entries, and what their quads refer to.

    Parameters
    ----------
    trace, streams : the frame and the pass
    retired : the steps, see :class:`gpumodel.machine.PassRun`
    """

    def __init__(self, trace: FrameTrace, streams: PassStreams, retired: Array) -> None:
        is_quad = retired >= 0
        kept = np.ones(len(retired), bool)
        kept[is_quad] = streams.written[retired[is_quad]] != 0
        retired, self.is_quad = retired[kept].astype(np.int64), is_quad[kept]
        self.quads = chosen = retired[self.is_quad]
        quads = streams.quads[["row", "draw"]][chosen]
        self.rows = quads["row"].astype(np.int64)
        self.draw = quads["draw"].astype(np.int64)
        self.entries = np.zeros(len(retired), ENTRY)
        self.entries["clear"] = -1
        for axis in ("x", "y"):
            self.entries[axis][self.is_quad] = 2 * trace["quads"][axis][self.rows].astype(np.int32)
        self.entries["mask"][self.is_quad] = streams.written[chosen]
        self.entries["state"][self.is_quad] = self.draw - streams.draw_range[0]
        #: Samples that were written, bit 4f + s; only of multisampled passes.
        self.samples: Array | None = None
        if int(trace["passes"]["samples"][streams.index]) > 1:
            self.samples = streams.written_samples[chosen].astype(np.int32)
        self._add_clears(streams, -1 - retired[~self.is_quad])

    def _add_clears(self, streams: PassStreams, pairs: Array) -> None:
        """Clears of single tiles: their rectangles and places in ``streams.clears``."""
        if not len(pairs):
            return
        tiles, clears = streams.tiles, streams.clears
        order = np.argsort(tiles["pair_first"], kind="stable")
        order = order[tiles["pair_count"][order] > 0]
        tile = tiles[order[np.searchsorted(tiles["pair_first"][order], pairs, side="right") - 1]]
        number = streams.pairs["clear"][pairs]
        rect = np.stack(
            [
                np.maximum(clears["x0"][number], tile["x0"]),
                np.maximum(clears["y0"][number], tile["y0"]),
                np.minimum(clears["x1"][number], tile["x0"] + tile["width"]),
                np.minimum(clears["y1"][number], tile["y0"] + tile["height"]),
            ],
            axis=1,
        )
        places = np.flatnonzero(~self.is_quad)
        self.entries["clear"][places] = number
        self.entries["rect"][places] = rect


class _Tables:
    """The tables of techniques, one an attachment, and what the passes have taken from them."""

    def __init__(self, hash_bits: int) -> None:
        self._hash_bits = hash_bits
        self._tables: dict[int, SlotTable] = {}
        #: By log and attachment: passes that run in parallel share a log, whose second frame comes later.
        self._taken: list[tuple[SlotLog, dict[int, list[Taken]]]] = []

    def taken(self, log: SlotLog, frame_index: int, attachment: int, size: int) -> Taken:
        """Give what a pass has taken of an attachment's colours, of ``size`` bytes a fragment."""
        known = next((found for kept, found in self._taken if kept is log), None)
        if known is None:
            known = {}
            self._taken.append((log, known))
        if attachment not in known:
            first = np.full(len(log.accesses), -1, np.int64)
            for side, (trace, streams) in enumerate(log.sides):
                mine = np.flatnonzero(log.accesses["frame"] == side)
                quads = streams.quads[log.accesses["quad"][mine]]
                draw = quads["draw"].astype(np.int64)
                written = writes(trace, draw, attachment)
                begin = first_bytes(trace, quads["row"].astype(np.int64), draw, attachment, 4 * size)
                first[mine] = np.where(written, begin, -1)
            colors = [np.ascontiguousarray(trace["color_data"]["byte"]) for trace, _ in log.sides]
            table = self._tables.setdefault(attachment, SlotTable(self._hash_bits))
            known[attachment] = table.replay(log, first, size, colors)
        return known[attachment][frame_index]

    def release(self, submitted: FrameTrace) -> None:
        """Let go of the logs that no later pass shares."""
        self._taken = [(log, known) for log, known in self._taken if log.sides[-1][0] is not submitted]


class _Log:
    """The log of one pass, or of a part of it, composed into one attachment after the other."""

    def __init__(self, trace: FrameTrace, done: PassRun, tables: _Tables) -> None:
        self.trace = trace
        self.streams = done.streams
        self.draws = done.streams.draw_range
        self._retired = done.retired
        self._slots = done.slots
        self._tables = tables
        self._shaded = shaded_lanes(trace, done.streams)
        #: A fragment that was composed has taken another one's colour by a collision of the table's hash.
        self.collided = False

    def tiles(self, outcome: int) -> Array:
        """Tiles with an outcome, 0 = without any; see :mod:`gpumodel.units.state`."""
        tiles = self.streams.tiles
        chosen = tiles["outcome"] & outcome != 0 if outcome else tiles["outcome"] == 0
        return np.asarray(tiles[chosen])

    def compose(
        self,
        plane: Array,
        sourced: NDArray[np.uint8],
        texels: Texels,
        where: tuple[int, int],
        *,
        resolved: bool,
    ) -> None:
        """Compose the log into one sample of an attachment's working values, and what is known of their sources.

        Parameters
        ----------
        where : attachment and sample
        resolved : fragments that have taken another one's colour by a collision have their own
        """
        attachment, sample = where
        clears = self._clear_values(texels, attachment, plane.shape[:2])
        states, converts = self._states(texels, attachment)
        size = source_bytes(FORMATS[texels.internal], converts=converts)
        taken = self._tables.taken(self._slots, self.streams.frame_index, attachment, size) if self._slots else None
        self.collided |= taken is not None and bool((taken.has == COLLIDED).any())
        data = np.ascontiguousarray(self.trace["color_data"]["byte"])
        by_bytes = Colors(data, size, self._shaded, taken, resolved=resolved)
        wide = self._advanced(attachment) & (texels.kind == BYTES and not converts)
        for retired, is_wide in self._parts(wide):
            steps = _Steps(self.trace, self.streams, retired)
            colors = Colors(data, FLOAT_COLOR_BYTES, self._shaded, None, resolved=resolved) if is_wide else by_bytes
            written = writes(self.trace, steps.draw, attachment)
            entries = steps.entries
            entries["mask"][steps.is_quad] *= written
            if steps.samples is not None:
                covered = steps.samples >> sample
                of_sample = covered & 1 | covered >> 3 & 2 | covered >> 6 & 4 | covered >> 9 & 8
                entries["mask"][steps.is_quad] &= of_sample
            lacking = np.zeros(len(entries), np.uint8)
            lacking[steps.is_quad] = entries["mask"][steps.is_quad] & ~colors.lanes(steps.quads)
            if lacking.any() or not sourced.all():
                blending.compose_sources(entries, lacking, states, texels.present, clears[1], sourced)
            source = first_bytes(self.trace, steps.rows, steps.draw, attachment, 4 * colors.size)
            self._compose(plane, texels, steps, (states, converts), clears, (colors, source, written))

    def _advanced(self, attachment: int) -> NDArray[np.bool_]:
        """Which of the pass's draws have an advanced blend equation: their sources are floats whatever the format."""
        draws, rows = self.trace["draws"], slice(*self.draws)
        recorded = draws["output_blend"][rows, attachment, 1] if "output_blend" in draws else None
        return np.isin(recorded if recorded is not None else draws["blend_equation"][rows, 0], [*ADVANCED_EQUATIONS])

    def _parts(self, wide: NDArray[np.bool_]) -> Iterator[tuple[Array, bool]]:
        """Consecutive parts of the log whose draws are all in ``wide``, or none of them; clears go with either."""
        for first in range(0, len(self._retired), STEPS_AT_ONCE):
            retired = self._retired[first : first + STEPS_AT_ONCE]
            if not wide.any():
                yield retired, False
                continue
            is_quad = retired >= 0
            found = np.zeros(len(retired), bool)
            found[is_quad] = wide[self.streams.quads["draw"][retired[is_quad]].astype(np.int64) - self.draws[0]]
            cuts = [0, *(np.flatnonzero(found[1:] != found[:-1]) + 1).tolist(), len(retired)]
            for begin, end in itertools.pairwise(cuts):
                yield retired[begin:end], bool(found[begin])

    @staticmethod
    def _compose(
        plane: Array,
        texels: Texels,
        steps: _Steps,
        states: tuple[Array, bool],
        clears: tuple[Array, NDArray[np.int64]],
        sources: tuple[Colors, NDArray[np.int64], NDArray[np.bool_]],
    ) -> None:
        """Compose some steps of the log into a sample of an attachment."""
        entries, (colors, source, written) = steps.entries, sources
        direct = texels.kind == BYTES and not states[1]
        if direct and colors.size == FLOAT_COLOR_BYTES:
            entries["source"][steps.is_quad] = np.arange(len(source))
            floats = colors.gather(steps.quads, source, written).view("<f4").reshape(-1, 4, 4)
            blending.compose_advanced(entries, states[0], floats, (texels.channel_bits,), *clears, plane)
            return
        if direct and colors.taken is None:
            entries["source"][steps.is_quad] = source
            blending.compose_bytes(entries, states[0], colors.data, (texels.channel_bits,), *clears, plane)
            return
        gathered = colors.gather(steps.quads, source, written)
        if direct:
            entries["source"][steps.is_quad] = np.arange(len(source)) * gathered.shape[1]
            blending.compose_bytes(entries, states[0], gathered.reshape(-1), (texels.channel_bits,), *clears, plane)
            return
        entries["source"][steps.is_quad] = np.arange(len(source))
        if texels.kind == BYTES:
            linear = gathered.view("<f4").reshape(-1, 4, 4)
            blending.compose_srgb(entries, states[0], linear, (SRGB_DECODE, SRGB_BORDERS), *clears, plane)
            return
        raw = gathered.reshape(-1, 4, colors.size)
        values = np.ascontiguousarray(raw.view("<f4") if texels.kind == FLOATS else texels.decode(raw))
        if texels.kind == FLOATS:
            blending.compose_floats(
                entries, states[0], values, blending.rounding_rules(texels.rounding()), *clears, plane
            )
            return
        blending.compose_integers(entries, states[0], values, (), *clears, plane)

    def _clear_values(
        self, texels: Texels, attachment: int, extent: tuple[int, ...]
    ) -> tuple[Array, NDArray[np.int64]]:
        """Value and channels of each clear of the pass in one attachment; ``extent`` is height and width."""
        events, streams = self.trace["events"], self.streams
        count = len(streams.clears)
        values, masks = np.zeros((count, 4), texels.dtype), np.zeros(count, np.int64)
        for k, (row, buffers) in enumerate(zip(streams.clear_events, streams.clear_buffers, strict=True)):
            if int(buffers) >> attachment & 1:
                mask = int(events["color_mask"][row])
                rect = tuple(int(events[key][row]) for key in ("x", "y", "width", "height"))
                is_part = mask & texels.present != texels.present or rect != (0, 0, extent[1], extent[0])
                values[k] = _clear_value(
                    texels, events["clear_color"][row], converts=bool(mask & SRGB_BIT), is_part=is_part
                )
                masks[k] = mask & texels.present
        return values, masks

    def _states(self, texels: Texels, attachment: int) -> tuple[Array, bool]:
        """Blend states of the pass's draws in one attachment, and whether colours are converted to sRGB."""
        draws = self.trace["draws"]
        rows = slice(*self.draws)
        count = self.draws[1] - self.draws[0]
        states = np.zeros(max(count, 1), STATE)
        if count == 0:
            return states, texels.nature == "srgb"
        if "output_blend" in draws and "output_mask" in draws:
            blend = draws["output_blend"][rows, attachment].astype(np.int64)
            mask = draws["output_mask"][rows, attachment].astype(np.int64)
        else:
            blend = np.concatenate(
                [
                    draws["blend"][rows, None], draws["blend_equation"][rows], draws["blend_source"][rows],
                    draws["blend_destination"][rows],
                ],
                axis=1,
            ).astype(np.int64)  # fmt: skip
            mask = draws["color_mask"][rows].astype(np.int64) | SRGB_BIT
        states["blend"] = blend[:, 0]
        for name, first, codes in (
            ("equation", 1, ALL_EQUATIONS), ("source", 3, FACTORS), ("destination", 5, FACTORS)
        ):  # fmt: skip
            for value in np.unique(blend[:, first : first + 2]):
                states[name][blend[:, first : first + 2] == value] = codes.get(int(value), 0)
        writes = draws["draw_buffers"][rows].astype(np.int64) >> attachment & 1
        states["mask"] = mask * writes & texels.present
        states["constant"] = draws["blend_color"][rows]
        converts = (mask & SRGB_BIT != 0) & (writes != 0)
        if texels.nature != "srgb" or not converts.any():
            return states, False
        if not converts[writes != 0].all():
            raise TraceFormatError(
                f"frame {self.trace.frame} pass {self.streams.index}: conversion to sRGB changes within the pass"
            )
        return states, True
