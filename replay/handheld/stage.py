"""One draw on the handheld machine: from emitted primitives to samples, depth, pixels and accesses.

Primitives are walked in batches that fit the working memory. A batch is traversed; its fragments are tested in order,
before the shader where it has no say in the outcome, else after it; shaded in quads; blended a sample at a time; and
the accesses of all of this are put together in the order in which the machine makes them: fragment after fragment,
depth read, texture look-ups, colour read, depth write, colour write.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.draw_records import BoundProgram
from replay.engine.fragments import FragmentDraw, quantize_outputs
from replay.engine.merge_state import blend_state, test_state, uses_srgb
from replay.engine.output import ColorOutput, OutputState, ShadedChunk, merge_chunks
from replay.engine.programs import LinkedProgram
from replay.engine.stages import BoundTextures, LaneMemory, StageRun, loop_budget
from replay.engine.tables import Tables
from replay.engine.varyings import output_rows_of
from replay.handheld.patterns import SAMPLE_UNIT, Pattern
from replay.handheld.targets import HandheldTarget
from replay.handheld.textures import HandheldTextures
from replay.texture.binding import Rules, unbound
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gputrace.accessstream import AccessSink, HandheldMode
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, PrimitiveKind, quantize_depth

__all__ = ["HandheldStage"]

_CHUNK_QUADS: Final = 4096
#: Room for fragments; a single primitive may need more.
_ROOM: Final = 1 << 17
_COLORS_OF_ONE: Final = 1
#: Half the width of the guard band.
_GUARD_PIXELS: Final = 16384.0


@dataclass(slots=True)
class _Batch:
    """Working memory of traversal, as large as the largest primitive needs at least."""

    primitive: NDArray[np.uint32]
    x: NDArray[np.uint16]
    y: NDArray[np.uint16]
    quad: NDArray[np.uint32]
    mask: NDArray[np.uint8]
    depth: NDArray[np.uint32]
    quad_primitive: NDArray[np.uint32]
    quad_x: NDArray[np.uint16]
    quad_y: NDArray[np.uint16]
    cover: NDArray[np.uint8]
    survives: NDArray[np.uint8]
    tested: NDArray[np.uint8]
    passed: NDArray[np.uint8]

    @classmethod
    def of(cls, room: int, slots: int, groups: int) -> _Batch:
        """Allocate."""
        e = np.empty
        return cls(
            e(room, np.uint32), e(room, np.uint16), e(room, np.uint16), e(room, np.uint32), e(room, np.uint8),
            e((room, slots), np.uint32), e(room, np.uint32), e(room, np.uint16), e(room, np.uint16),
            e((groups, room), np.uint8), e((groups, room), np.uint8), e((groups, room), np.uint8),
            e((slots, room), np.uint8),
        )  # fmt: skip


@dataclass(slots=True)
class _Draw:
    """What does not change during a draw."""

    target: HandheldTarget
    geometry: geo.Geometry
    run: StageRun
    planes: list[NDArray[np.float32]]
    front: NDArray[np.uint8]
    outputs: list[list[ColorOutput]]
    test: NDArray[Any]
    row: NDArray[Any]
    depth_row: int
    tests_early: bool
    has_lookups: bool
    shape: tuple[NDArray[Any], ...]


class HandheldStage:
    """Rasterizes, shades and merges draws as the machine does it.

    Parameters
    ----------
    mode : of the machine
    pattern : of the samples
    textures : binds textures
    tables : of the frame in progress, with the emitted primitives
    sink : takes accesses; None where only pictures are wanted
    """

    def __init__(
        self,
        mode: HandheldMode,
        pattern: Pattern,
        textures: HandheldTextures,
        tables: Tables,
        sink: AccessSink | None,
    ) -> None:
        self.mode = mode
        self.tables = tables
        self.pattern = pattern
        self.textures = textures
        self.sink = sink
        self.counters: dict[str, int] = {}
        #: Look-ups, words, and look-ups by the number of words that they took.
        self.lookups = np.zeros(34, np.int64)
        self._positions = pattern.positions()
        self._where = pattern.where()
        self._group = np.array(pattern.group, np.int64)
        self._storage = pattern.storage()
        self._num_parities = 2 if (self._positions[0] != self._positions[1]).any() else 1
        self._batch: _Batch | None = None
        self._words = np.empty(1 << 16, np.uint32)
        self._codes = np.empty(0, np.uint32)
        self._expanded = np.empty(0, np.uint32)
        self._lanes = LaneMemory()

    # ------------------------------------------------------------------ set-up
    def setup(self, context: Context, target: HandheldTarget, mode: int) -> NDArray[Any]:
        """Primitive set-up state for the machine's screen; bounds hold every pixel that is touched."""
        drawn = target.drawn_as()
        row = geo.setup_state(_Scaled(context, target), drawn, mode).copy()  # type: ignore[arg-type]
        # Lines keep the diamond-exit rule along their major axis; triangles and points are what their samples say.
        row["multisample"] = row["kind"] != int(PrimitiveKind.LINE)
        # A guard band: triangles are not cut at the screen's border, on which samples may lie.
        _, _, width, height = target.scaled(context.viewport)
        row["guard"] = [max(_GUARD_PIXELS / max(side / 2, 0.5), 1.0) for side in (width, height)]
        if row["offset"][0]:
            row["offset_units"] = context.polygon_offset_units / target.max_z
            row["offset_exponent"] = 0
        return row

    def bind(self, context: Context, bound: BoundProgram) -> BoundProgram:
        """The program with the machine's textures in place of the engine's."""
        rules = Rules(seamless_cubes=context.is_gles or gl.GL_TEXTURE_CUBE_MAP_SEAMLESS in context.enabled)
        bindings = []
        for number, texture in zip(bound.units, bound.textures, strict=True):
            if texture is None:
                bindings.append(unbound())
                continue
            unit = context.units[number]
            sampling = unit.sampler.state if unit.sampler is not None else texture.sampling
            bindings.append(self.textures.bind(texture, sampling, rules))
        return replace(bound, bound=BoundTextures(bindings))

    # ------------------------------------------------------------------ a draw
    def draw(self, fragment: FragmentDraw, context: Context, target: HandheldTarget, linked: LinkedProgram) -> int:
        """Draw what the primitives cover.

        Parameters
        ----------
        fragment : the fragment stage, bound to the machine's textures, with plane equations for pixel centres; its
            quads do not matter
        target : what is drawn to

        Returns
        -------
        Samples that passed.
        """
        geometry = fragment.geometry
        if geometry.emitted_count == 0:
            return 0
        fragment.run.budget = loop_budget(target.width * target.height // 8)
        prepared = self._prepare(fragment, context, target, linked)
        room = max(_ROOM, (target.width + 4) * (target.height + 2))
        if self._batch is None or len(self._batch.mask) < room:
            self._batch = _Batch.of(room, self.pattern.num_slots, self.pattern.num_groups)
        before = self.counters.get("samples.passed", 0)
        begin = 0
        while begin < geometry.emitted_count:
            begin = self._run_batch(prepared, self._batch, begin)
        target.is_dirty = True
        return self.counters.get("samples.passed", 0) - before

    def _prepare(
        self, fragment: FragmentDraw, context: Context, target: HandheldTarget, linked: LinkedProgram
    ) -> _Draw:
        ir = linked.program.fragment
        assert ir is not None
        geometry = fragment.geometry
        outputs = self._outputs(context, target, linked)
        late = fragment.depth_row >= 0
        return _Draw(
            target,
            geometry,
            fragment.run,
            [_moved(fragment.planes[: geometry.emitted_count], place) for place in self.pattern.shading],
            geometry.fronts,
            outputs,
            test_state(context, target.targets),
            self._pass_row(context, target, outputs, has_lookups=bool(ir.textures), late=late),
            fragment.depth_row,
            not ir.discards and not late,
            bool(ir.textures),
            self._shape(geometry),
        )

    def _shape(self, geometry: geo.Geometry) -> tuple[NDArray[Any], ...]:
        emitted = self.tables.emitted
        rows = slice(geometry.emitted_first, geometry.emitted_first + geometry.emitted_count)
        return tuple(emitted[key][rows] for key in ("num_vertices", "size", "x", "y", "bounds"))

    def _outputs(self, context: Context, target: HandheldTarget, linked: LinkedProgram) -> list[list[ColorOutput]]:
        """Attachments to write, for each slot."""
        rows = output_rows_of(linked)
        found: list[list[ColorOutput]] = [[] for _ in range(self.pattern.num_slots)]
        for buffer, planes in enumerate(target.colors[:MAX_COLOR_ATTACHMENTS]):
            if planes is None or buffer not in rows:
                continue
            for slot in range(self.pattern.num_slots):
                surface = target.color_surface(buffer, slot)
                state = blend_state(context, buffer, surface)
                if state[0]["write_mask"] == 0:
                    break
                linear = uses_srgb(context, surface)
                output = ColorOutput(buffer, surface, rows[buffer], state, target.requantize(buffer), linear)
                found[slot].append(output)
        return found

    def _pass_row(
        self,
        context: Context,
        target: HandheldTarget,
        outputs: list[list[ColorOutput]],
        *,
        has_lookups: bool,
        late: bool,
    ) -> NDArray[Any]:
        from replay.handheld.kernels.fragment_order import PASS_DTYPE

        row = np.zeros(1, PASS_DTYPE)
        reads = False
        for output in outputs[0]:
            state = output.state[0]
            present = sum(1 << c for c, here in enumerate(output.surface.format.channels) if here)
            reads |= bool(state["blend"]) or int(state["write_mask"]) & present != present
        mode = self.mode
        values = {
            "emits": self.sink is not None,
            "reads_color": reads,
            "writes_color": bool(outputs[0]),
            "has_lookups": has_lookups,
            "tests_late": late,
            "stored": self.pattern.stored,
            "pitch": target.pitch,
            "z_base": target.places["z"],
            "color_base": target.places["color"],
            "stencil_base": target.places["stencil"],
            "tile_base": target.places["tile"],
            "zmin": mode.zmin,
            "zmax": mode.zmax,
            "tile_shift": mode.tile_size.bit_length() - 1,
            "plane_bound": mode.z_triangle == "plane",
            "enter_visited": mode.tile_entry == "visited",
            "write_changed": mode.write_back == "changed",
            "max_z": target.max_z,
        }
        for key, value in values.items():
            row[key] = value
        return row

    # ------------------------------------------------------------------ a batch
    def _run_batch(self, draw: _Draw, batch: _Batch, begin: int) -> int:
        from replay.handheld.kernels.traverse import traverse

        totals = np.zeros(4, np.int64)
        target = draw.target
        following = int(
            traverse(
                *draw.shape, draw.geometry.depth_plane, begin, draw.geometry.emitted_count, self._positions,
                self._where, self._group, self._num_parities, target.width, target.height, target.depth_bits,
                self.mode.zmin and self.mode.tile_entry == "visited", batch.primitive, batch.x, batch.y, batch.quad,
                batch.mask, batch.depth, batch.quad_primitive, batch.quad_x, batch.quad_y, batch.cover, totals,
            )
        )  # fmt: skip
        fragments, quads = int(totals[0]), int(totals[1])
        self._count("pixels.visited", int(totals[2]))
        self._count("samples.covered", int(totals[3]))
        groups = self.pattern.num_groups
        cover = batch.cover[:, :quads]
        survives = batch.survives.reshape(-1)[: groups * quads].reshape(groups, quads)
        tested = batch.tested.reshape(-1)[: groups * quads].reshape(groups, quads)
        passed = batch.passed.reshape(-1)[: self.pattern.num_slots * quads].reshape(self.pattern.num_slots, quads)
        tested[...] = 0
        passed[...] = 0
        shaded: list[_Shaded]
        if draw.tests_early:
            survives[...] = 15
            num_codes = self._test(draw, batch, fragments, survives, tested, passed)
            shaded = [self._shade(draw, batch, g, tested[g]) for g in range(groups)]
        else:
            shaded = []
            for g in range(groups):
                one = self._shade(draw, batch, g, cover[g])
                survives[g] = 0
                survives[g, one.rows] = one.survives
                if one.depth is not None:
                    self._take_depth(batch, fragments, g, one, quads)
                shaded.append(one)
            num_codes = self._test(draw, batch, fragments, survives, tested, passed)
        self._blend(draw, batch, shaded, passed)
        if self.sink is not None:
            self._send(draw, num_codes, shaded, quads)
        return following

    def _count(self, name: str, value: int) -> None:
        self.counters[name] = self.counters.get(name, 0) + value

    def _take_depth(self, batch: _Batch, fragments: int, group: int, shaded: _Shaded, quads: int) -> None:
        """Put depths that the shader wrote into the fragments."""
        assert shaded.depth is not None
        of_lane = np.zeros((quads, 4), np.uint32)
        of_lane[shaded.rows] = shaded.depth
        lanes = np.where(batch.mask[:fragments] > 0, batch.quad[:fragments], 0)
        for slot, owner in enumerate(self.pattern.group):
            if owner == group:
                batch.depth[:fragments, slot] = of_lane.reshape(-1)[lanes]

    def _test(
        self,
        draw: _Draw,
        batch: _Batch,
        fragments: int,
        survives: NDArray[np.uint8],
        tested: NDArray[np.uint8],
        passed: NDArray[np.uint8],
    ) -> int:
        from replay.handheld.kernels.fragment_order import COUNT_NAMES, TILE_DTYPE, num_codes, test_fragments

        target = draw.target
        if self.sink is not None:
            needed = num_codes(fragments, self.pattern.num_slots, self.pattern.num_groups)
            if len(self._codes) < needed:
                self._codes = np.empty(needed, np.uint32)
        counts = np.zeros(len(COUNT_NAMES), np.int64)
        num_vertices, _, x, y, bounds = draw.shape
        written = test_fragments(
            draw.test, draw.row, fragments, x, y, num_vertices, bounds, draw.geometry.depth_plane, draw.front,
            batch.primitive, batch.x, batch.y, batch.quad, batch.mask, batch.depth, survives, self._group, self._where,
            self._storage, target.z, target.stencil, target.covered, target.z_low, target.z_high,
            np.zeros(target.z_low.shape[1], TILE_DTYPE), passed, tested, self._codes, counts,
        )  # fmt: skip
        for name, value in zip(COUNT_NAMES, counts.tolist(), strict=True):
            self._count(name, value)
        return int(written)

    # ------------------------------------------------------------------ shading
    def _shade(self, draw: _Draw, batch: _Batch, group: int, wanted: NDArray[np.uint8]) -> _Shaded:
        """Shade the wanted lanes of the quads at the group's position."""
        from replay.engine.kernels.blend import quantize_unorm8
        from replay.handheld.kernels.stream import words_of_lanes

        rows = np.flatnonzero(wanted)
        count = len(rows)
        out = _Shaded.of(rows, count, len(wanted) if self.sink is not None and draw.has_lookups else 0)
        if not count:
            return out
        padded = np.append(rows, rows[-1])
        coverage = np.append(wanted[rows], np.uint8(0))
        columns = [source[padded] for source in (batch.quad_primitive, batch.quad_x, batch.quad_y)]
        survives = np.empty(count + 2, np.uint8)
        colors: list[list[NDArray[Any]]] = [[] for _ in draw.outputs[0]]
        depths: list[NDArray[np.uint32]] = []
        used_words = 0
        for first in range(0, count, _CHUNK_QUADS):
            last = min(first + _CHUNK_QUADS, count)
            size = last - first
            even = size + (size & 1)  # quads are shaded in pairs; the one behind the last has no lanes
            span = slice(first, first + even)
            alive = np.empty(even, np.uint8)
            pointers: dict[str, Any] = {
                "coverage": coverage[span],
                "survives": alive,
                "quad_primitive": columns[0][span],
                "quad_x": columns[1][span],
                "quad_y": columns[2][span],
            }
            outputs = self._lanes.outputs(draw.run.num_output_rows, 4 * even)
            draw.run.run_quads(self._lanes, even // 2, outputs, pointers, draw.planes[group], 0, 0)
            survives[first:last] = alive[:size]
            for found, output in zip(colors, draw.outputs[0], strict=True):
                found.append(quantize_outputs(output, outputs, 4 * size, quantize_unorm8))
            if draw.depth_row >= 0:
                values = np.nan_to_num(outputs[draw.depth_row, : 4 * size].reshape(size, 4))
                depths.append(_to_bits(values, draw.target.depth_bits))
            if self.sink is not None and draw.has_lookups:
                own_first, own_count = np.empty(4 * even, np.uint32), np.empty(4 * even, np.uint32)
                while True:
                    totals = np.zeros(34, np.int64)
                    needed = words_of_lanes(
                        self._lanes.record.row.address, 4 * even, own_first, own_count, out.words, used_words, totals
                    )
                    if needed <= len(out.words):
                        break
                    grown = np.empty(2 * int(needed), np.uint32)
                    grown[:used_words] = out.words[:used_words]
                    out.words = grown
                used_words = int(needed)
                # Sizes are counted in the first turn only, also of a record that is read twice.
                self.lookups += totals
                out.first[rows[first:last]] = own_first[: 4 * size].reshape(-1, 4)
                out.count[rows[first:last]] = own_count[: 4 * size].reshape(-1, 4)
        out.survives = survives[:count]
        out.colors = [parts[0] if len(parts) == 1 else np.concatenate(parts) for parts in colors]
        out.depth = np.concatenate(depths) if depths else None
        return out

    # ------------------------------------------------------------------ output
    def _blend(self, draw: _Draw, batch: _Batch, shaded: list[_Shaded], passed: NDArray[np.uint8]) -> None:
        if not draw.outputs[0]:
            return
        for slot, group in enumerate(self.pattern.group):
            one = shaded[group]
            if not len(one.rows):
                continue
            quads: Any = {"x": batch.quad_x[one.rows], "y": batch.quad_y[one.rows], "survives": one.survives}
            chunk = ShadedChunk(0, len(one.rows), one.colors, one.no_depth, passed[slot, one.rows])
            targets = replace(draw.target.targets, samples=_COLORS_OF_ONE)
            state = OutputState(targets, draw.test, 0, draw.front, draw.outputs[slot], False)
            merge_chunks(state, quads, [chunk], 0, 1)

    def _send(self, draw: _Draw, num_codes: int, shaded: list[_Shaded], quads: int) -> None:
        """Put the accesses together and hand them on."""
        from replay.handheld.kernels.stream import expand

        assert self.sink is not None
        target = draw.target
        layout = np.array(
            [target.width, target.height, target.pitch, self.pattern.stored, target.places["z"],
             self.mode.tile_size.bit_length() - 1, target.z_low.shape[1]], np.int64,
        )  # fmt: skip
        first = count = words = np.zeros(0, np.uint32)
        if draw.has_lookups:
            if len(shaded) == 1:
                first, count, words = shaded[0].first.reshape(-1), shaded[0].count.reshape(-1), shaded[0].words
            else:
                starts = np.cumsum([0] + [len(one.words) for one in shaded[:-1]])
                parts = [one.first + np.uint32(at) for one, at in zip(shaded, starts, strict=True)]
                first = np.concatenate(parts).reshape(-1)
                count = np.concatenate([one.count for one in shaded]).reshape(-1)
                words = np.concatenate([one.words for one in shaded])
        arguments = (self._codes, num_codes, first, count, words, self._where, self._storage, layout)
        needed = int(expand(*arguments, self._expanded))
        if needed > len(self._expanded):
            self._expanded = np.empty(needed + needed // 4, np.uint32)
            expand(*arguments, self._expanded)
        self.sink(self._expanded[:needed])


@dataclass(slots=True)
class _Shaded:
    """Quads of one shading group.

    Parameters
    ----------
    rows : (n,) quads of the batch
    colors : of each output
    survives : (n,) lanes that were not discarded
    depth : (n, 4) depths that the shader wrote
    first, count : (quads of the batch, 4) words of each lane's look-ups
    """

    rows: NDArray[np.int64]
    colors: list[NDArray[Any]]
    survives: NDArray[np.uint8]
    depth: NDArray[np.uint32] | None
    first: NDArray[np.uint32]
    count: NDArray[np.uint32]
    words: NDArray[np.uint32]
    no_depth: NDArray[np.uint32]

    @classmethod
    def of(cls, rows: NDArray[np.int64], count: int, quads: int) -> _Shaded:
        """Nothing yet."""
        lanes = (np.zeros((quads, 4), np.uint32), np.zeros((quads, 4), np.uint32))
        words = np.empty(16 * count + 16 if quads else 0, np.uint32)
        return cls(rows, [], np.zeros(0, np.uint8), None, *lanes, words, np.zeros((0, 4), np.uint32))


class _Scaled:
    """A context whose viewport and scissor are those of the machine's screen."""

    def __init__(self, context: Context, target: HandheldTarget) -> None:
        self._context = context
        self.viewport = target.scaled(context.viewport)
        self.scissor = target.scaled(context.scissor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _moved(planes: NDArray[np.float32], place: tuple[int, int]) -> NDArray[np.float32]:
    """Plane equations for shading away from the pixel's centre."""
    dx, dy = (np.float32(v / SAMPLE_UNIT - 0.5) for v in place)
    if dx == 0 and dy == 0:
        return planes
    out = planes.copy()
    for part in (out[:, 4:10], out[:, 12 : 12 + (out.shape[1] - 12) // 3 * 3]):
        # Flat inputs have no gradient and may be integer bits: where nothing moves, nothing is added.
        coefficients = part.reshape(len(out), -1, 3)
        with np.errstate(all="ignore"):  # primitives without area, and bits of integers
            step = dx * coefficients[:, :, 1] + dy * coefficients[:, :, 2]
            part[:, 0::3] = np.where(step != 0, coefficients[:, :, 0] + step, coefficients[:, :, 0])
    return out


def _to_bits(values: NDArray[np.float32], bits: int) -> NDArray[np.uint32]:
    return quantize_depth(values, gl.GL_DEPTH_COMPONENT16 if bits == 16 else gl.GL_DEPTH_COMPONENT24)
