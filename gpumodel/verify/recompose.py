"""The recomposer: frame buffers made from the log of a run, compared with the reference pixels of every pass.

It takes from the model what units did: quads in the order in which Blending retired them with the fragments that were
written, clears where the rasterizer executed them, tiles that were rendered and flushed. Colours before blending and
state come from the FrameTrace. Front and back buffers live over the whole run, so that a tile that was skipped shows
what the buffer held before.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.verify import blending
from gpumodel.verify.blending import ENTRY, STATE
from gpumodel.verify.result import MAX_LOCATED, Mismatch, Verification
from gpumodel.verify.reuse import ReuseLog, ReuseTable
from gpumodel.verify.surfaces import DEFAULT_BUFFERS, SurfaceTable
from gpumodel.verify.texels import BYTES, FLOATS, SRGB_BORDERS, SRGB_DECODE, Texels, texels_of
from traceformat.errors import TraceFormatError, UsageError
from traceformat.frametrace import EventKind, FrameTrace, LoadOp, StoreOp
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS, source_bytes

if TYPE_CHECKING:
    from gpumodel.machine import PassRun
    from gpumodel.streams import PassStreams

__all__ = ["Recomposer"]

Array = NDArray[Any]

#: Steps of a log that are composed at a time: what verification needs beside the frame and its pixels is bounded by
#: some 400 bytes each.
STEPS_AT_ONCE: Final = 1 << 17
#: Bit of a colour mask: sRGB targets convert.
_CONVERTS: Final = 16
_EQUATION_ORDER: Final = (gl.GL_FUNC_ADD, gl.GL_FUNC_SUBTRACT, gl.GL_FUNC_REVERSE_SUBTRACT, gl.GL_MIN, gl.GL_MAX)
_FACTOR_ORDER: Final = (
    gl.GL_ZERO,
    gl.GL_ONE,
    gl.GL_SRC_COLOR,
    gl.GL_ONE_MINUS_SRC_COLOR,
    gl.GL_SRC_ALPHA,
    gl.GL_ONE_MINUS_SRC_ALPHA,
    gl.GL_DST_ALPHA,
    gl.GL_ONE_MINUS_DST_ALPHA,
    gl.GL_DST_COLOR,
    gl.GL_ONE_MINUS_DST_COLOR,
    gl.GL_SRC_ALPHA_SATURATE,
    gl.GL_CONSTANT_COLOR,
    gl.GL_ONE_MINUS_CONSTANT_COLOR,
    gl.GL_CONSTANT_ALPHA,
    gl.GL_ONE_MINUS_CONSTANT_ALPHA,
)
_EQUATIONS: Final = {equation: number for number, equation in enumerate(_EQUATION_ORDER)}
_FACTORS: Final = {factor: number for number, factor in enumerate(_FACTOR_ORDER)}


class Recomposer:
    """Keeps a run's frame buffers and compares them pass by pass.

    Parameters
    ----------
    default_buffers : colour buffers of a default framebuffer
    """

    def __init__(self, default_buffers: int = DEFAULT_BUFFERS) -> None:
        self._surfaces = SurfaceTable(default_buffers)
        self._reuse: dict[int, ReuseTable] = {}
        self.result = Verification()

    def add(self, trace: FrameTrace, passes: list[PassRun]) -> int:
        """Recompose the next frame from its passes; gives its mismatched pixels.

        Raises
        ------
        UsageError : the trace has no colours
        TraceFormatError : its colours or pixels do not fit its tables
        """
        if "byte" not in trace["color_data"] or len(trace.pixels) != trace["passes"].num_rows:
            raise UsageError(
                f"frame {trace.frame} has no colours to verify with",
                hint="make the .gputrace with --verify --save-gputrace",
            )
        before = self.result.mismatched_pixels
        for index, parts in groupby(passes, key=lambda done: done.streams.index):
            # A pass whose Parameter Buffer overflows is rendered in parts, each onto the one before.
            logs = [_Log(trace, done, self._reuse) for done in parts]
            for attachment in range(int(trace["passes"]["num_colors"][index])):
                if trace["passes"]["color_format"][index][attachment]:
                    self._attachment(trace, logs, attachment)
        self._surfaces.end_frame(trace.rule)
        return self.result.mismatched_pixels - before

    def _attachment(self, trace: FrameTrace, logs: list[_Log], attachment: int) -> None:
        streams = logs[-1].streams
        passes, index = trace["passes"], streams.index
        texels = texels_of(int(passes["color_format"][index][attachment]))
        samples = int(passes["samples"][index])
        shape = (int(passes["height"][index]), int(passes["width"][index]), texels.size * samples)
        reference = trace.pixels[index][attachment]
        if reference.shape != shape:
            raise TraceFormatError(f"frame {trace.frame}: pixels of pass {index} are {reference.shape}, not {shape}")
        surface = self._surfaces.surface(
            int(passes["color_address"][index][attachment]), shape, is_default=int(passes["framebuffer"][index]) == 0
        )
        begun = self._begun(trace, index, attachment, surface.contents, shape)
        composed = np.empty(shape, np.uint8)
        for sample in range(samples):
            part = slice(sample * texels.size, (sample + 1) * texels.size)
            plane = texels.decode(begun[:, :, part])
            load = int(passes["color_load"][index][attachment])
            if load == LoadOp.CLEAR:
                plane[...] = _load_value(trace, index, attachment, texels)
            for log in logs:
                log.compose(plane, texels, attachment, sample)
            composed[:, :, part] = texels.encode(plane)
        tiles = streams.tiles
        stored = int(passes["color_store"][index][attachment]) == StoreOp.STORE
        found = surface.begin_write()
        if not stored:
            # What stays on the chip is compared where it was rendered.
            found = reference.copy()
        rendered = (tiles["render"] != 0) & (tiles["end"] >= 0)
        flushed = rendered & (tiles["flush"] != 0) if stored else rendered
        for tile in tiles[flushed]:
            rows = slice(int(tile["y0"]), int(tile["y0"]) + int(tile["height"]))
            columns = slice(int(tile["x0"]), int(tile["x0"]) + int(tile["width"]))
            found[rows, columns] = composed[rows, columns]
        self._compare(trace, streams, attachment, texels, reference, found)

    @staticmethod
    def _begun(
        trace: FrameTrace, index: int, attachment: int, own: NDArray[np.uint8] | None, shape: tuple[int, int, int]
    ) -> NDArray[np.uint8]:
        """What the pass finds in memory: its own contents, or the trace's where no modelled pass made them."""
        passes = trace["passes"]
        load = int(passes["color_load"][index][attachment])
        if load == LoadOp.CLEAR:
            return np.zeros(shape, np.uint8)
        given = None
        if index < len(trace.contents) and attachment < len(trace.contents[index]):
            given = trace.contents[index][attachment]
        if given is not None and given.shape != shape:
            raise TraceFormatError(f"frame {trace.frame}: contents of pass {index} are {given.shape}, not {shape}")
        is_own = load == LoadOp.LOAD and (given is None or bool(passes["content_matches"][index]))
        if own is not None and is_own:
            return own
        if given is not None:
            return given
        return np.zeros(shape, np.uint8)

    def _compare(
        self,
        trace: FrameTrace,
        streams: PassStreams,
        attachment: int,
        texels: Texels,
        reference: NDArray[np.uint8],
        found: NDArray[np.uint8],
    ) -> None:
        per_sample = (*reference.shape[:2], -1, texels.size)
        differs = (
            reference.reshape(per_sample)[..., : texels.used] != found.reshape(per_sample)[..., : texels.used]
        ).any(axis=(2, 3))
        self.result.pixels += differs.size
        rows, columns = np.nonzero(differs)
        self.result.mismatched_pixels += len(rows)
        tiles = streams.tiles
        tile_width = int(tiles["x0"][tiles["x0"] > 0].min(initial=reference.shape[1]))
        tile_height = int(tiles["y0"][tiles["y0"] > 0].min(initial=reference.shape[0]))
        for y, x in zip(rows, columns, strict=True):
            if len(self.result.located) >= MAX_LOCATED:
                break
            self.result.located.append(
                Mismatch(
                    trace.frame, streams.index, attachment, (int(x) // tile_width, int(y) // tile_height),
                    (int(x), int(y)), reference[y, x].tobytes(), found[y, x].tobytes(),
                )
            )  # fmt: skip


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
            converts = bool(int(events["color_mask"][row]) & _CONVERTS)
    return _clear_value(texels, passes["clear_color"][index][attachment], converts=converts)


def _clear_value(texels: Texels, color: Array, *, converts: bool) -> Array:
    value = texels.clear_value(np.asarray(color, np.float32), converts=converts)
    if texels.kind == FLOATS:
        rounded = np.ascontiguousarray(value[None])
        blending.round_values(rounded, texels.rounding())
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
        chosen = retired[self.is_quad]
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


class _Log:
    """The log of one pass, composed into one attachment after the other."""

    def __init__(self, trace: FrameTrace, done: PassRun, reuse: dict[int, ReuseTable]) -> None:
        self.trace = trace
        self.streams = done.streams
        self.draws = done.streams.draw_range
        self._retired = done.retired
        self._reused = done.reused
        self._reuse = reuse

    def compose(self, plane: Array, texels: Texels, attachment: int, sample: int) -> None:
        """Compose the log into one sample of an attachment's working values."""
        clears = self._clear_values(texels, attachment)
        states, converts = self._states(texels, attachment)
        size = source_bytes(FORMATS[texels.internal], converts=converts)
        colors = self._colors(attachment, size)
        for first in range(0, len(self._retired), STEPS_AT_ONCE):
            steps = _Steps(self.trace, self.streams, self._retired[first : first + STEPS_AT_ONCE])
            self._compose(plane, texels, (attachment, sample), steps, (states, converts), clears, (colors, size))

    def _compose(
        self,
        plane: Array,
        texels: Texels,
        target: tuple[int, int],
        steps: _Steps,
        states: tuple[Array, bool],
        clears: tuple[Array, NDArray[np.int64]],
        colors: tuple[NDArray[np.uint8], int],
    ) -> None:
        """Compose some steps of the log into a sample of an attachment."""
        attachment, sample = target
        quad_bytes = 4 * colors[1]
        written = _writes(self.trace, steps.draw, attachment)
        entries = steps.entries
        entries["mask"][steps.is_quad] *= written
        if steps.samples is not None:
            covered = steps.samples >> sample
            of_sample = covered & 1 | covered >> 3 & 2 | covered >> 6 & 4 | covered >> 9 & 8
            entries["mask"][steps.is_quad] &= of_sample
        source = _first_bytes(self.trace, steps.rows, steps.draw, attachment, quad_bytes)
        if texels.kind == BYTES and not states[1]:
            entries["source"][steps.is_quad] = source
            bits = np.array(texels.bits, np.int64)
            blending.compose_bytes(entries, states[0], colors[0], bits, *clears, plane)
            return
        entries["source"][steps.is_quad] = np.arange(len(source))
        gathered = np.zeros((len(source), quad_bytes), np.uint8)
        gathered[written] = colors[0][source[written][:, None] + np.arange(quad_bytes)]
        if texels.kind == BYTES:
            linear = gathered.view("<f4").reshape(-1, 4, 4)
            blending.compose_srgb(entries, states[0], linear, SRGB_DECODE, SRGB_BORDERS, *clears, plane)
            return
        raw = gathered.reshape(-1, 4, colors[1])
        values = np.ascontiguousarray(raw.view("<f4") if texels.kind == FLOATS else texels.decode(raw))
        if texels.kind == FLOATS:
            blending.compose_floats(entries, states[0], values, texels.rounding(), *clears, plane)
            return
        blending.compose_integers(entries, states[0], values, *clears, plane)

    def _clear_values(self, texels: Texels, attachment: int) -> tuple[Array, NDArray[np.int64]]:
        """Value and channels of each clear of the pass in one attachment."""
        events, streams = self.trace["events"], self.streams
        count = len(streams.clears)
        values, masks = np.zeros((count, 4), texels.dtype), np.zeros(count, np.int64)
        for k, (row, buffers) in enumerate(zip(streams.clear_events, streams.clear_buffers, strict=True)):
            if int(buffers) >> attachment & 1:
                mask = int(events["color_mask"][row])
                values[k] = _clear_value(texels, events["clear_color"][row], converts=bool(mask & _CONVERTS))
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
            mask = draws["color_mask"][rows].astype(np.int64) | _CONVERTS
        states["blend"] = blend[:, 0]
        for name, first, codes in (
            ("equation", 1, _EQUATIONS), ("source", 3, _FACTORS), ("destination", 5, _FACTORS)
        ):  # fmt: skip
            for value in np.unique(blend[:, first : first + 2]):
                states[name][blend[:, first : first + 2] == value] = codes.get(int(value), 0)
        writes = draws["draw_buffers"][rows].astype(np.int64) >> attachment & 1
        states["mask"] = mask * writes & texels.present
        states["constant"] = draws["blend_color"][rows]
        converts = (mask & _CONVERTS != 0) & (writes != 0)
        if texels.nature != "srgb" or not converts.any():
            return states, False
        if not converts[writes != 0].all():
            raise TraceFormatError(
                f"frame {self.trace.frame} pass {self.streams.index}: conversion to sRGB changes within the pass"
            )
        return states, True

    def _colors(self, attachment: int, size: int) -> NDArray[np.uint8]:
        """Bytes of all source colours; those of fragments that reused another's colour are that one's."""
        if isinstance(self._reused, ReuseLog):
            return _shared_colors(self._reused, self._reuse, attachment, size)[self.streams.place]
        colors = np.ascontiguousarray(self.trace["color_data"]["byte"])
        if self._reused is None or not len(self._reused):
            return colors
        quads = self.streams.quads[self._reused["quad"]]
        draw = quads["draw"].astype(np.int64)
        kept = _writes(self.trace, draw, attachment)
        rows = quads["row"].astype(np.int64)[kept]
        if not kept.any():
            return colors
        colors = colors.copy()
        first = _first_bytes(self.trace, rows, draw[kept], attachment, 4 * size)
        table = self._reuse.setdefault(attachment, ReuseTable())
        table.apply(np.ascontiguousarray(self._reused[kept]), first, size, colors)
        return colors


def _writes(trace: FrameTrace, draw: NDArray[np.int64], attachment: int) -> NDArray[np.bool_]:
    """Whether each draw writes the attachment."""
    return np.asarray(trace["draws"]["draw_buffers"][draw] >> np.uint8(attachment) & 1, bool)


def _first_bytes(
    trace: FrameTrace, rows: NDArray[np.int64], draw: NDArray[np.int64], attachment: int, quad_bytes: int
) -> NDArray[np.int64]:
    """First byte of quads' colours, 0 where their draws do not write the attachment.

    Raises
    ------
    TraceFormatError : they lie outside the table
    """
    draws = trace["draws"]
    first: NDArray[np.int64] = draws["color_first"][draw, attachment].astype(np.int64)
    first += (rows - draws["quad_first"][draw].astype(np.int64)) * quad_bytes
    written = _writes(trace, draw, attachment)
    first[~written] = 0
    room = trace["color_data"].num_rows
    if written.any() and (int(first.min()) < 0 or int(first[written].max()) + quad_bytes > room):
        raise TraceFormatError(f"frame {trace.frame}: draws.color_first reaches beyond color_data")
    return first


def _shared_colors(log: ReuseLog, tables: dict[int, ReuseTable], attachment: int, size: int) -> list[NDArray[np.uint8]]:
    """Source colours of passes that share a table of reused colours, with their hits replaced."""
    if attachment in log.colors:
        return log.colors[attachment]
    colors = [np.ascontiguousarray(trace["color_data"]["byte"]) for trace, _ in log.sides]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in colors])])
    first = np.zeros(len(log.operations), np.int64)
    kept = np.zeros(len(log.operations), bool)
    for side, (trace, streams) in enumerate(log.sides):
        mine = np.flatnonzero(log.side == side)
        quads = streams.quads[log.operations["quad"][mine]]
        draw = quads["draw"].astype(np.int64)
        kept[mine] = _writes(trace, draw, attachment)
        rows = quads["row"].astype(np.int64)
        first[mine] = starts[side] + _first_bytes(trace, rows, draw, attachment, 4 * size)
    whole = np.concatenate(colors)
    if kept.any():
        table = tables.setdefault(attachment, ReuseTable())
        table.apply(np.ascontiguousarray(log.operations[kept]), first[kept], size, whole)
    log.colors[attachment] = [whole[starts[side] : starts[side + 1]] for side in range(len(colors))]
    return log.colors[attachment]
