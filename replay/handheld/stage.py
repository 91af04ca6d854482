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
from replay.engine.fragments import FragmentDraw
from replay.engine.merge_state import blend_state, test_state, uses_srgb
from replay.engine.output import ColorOutput, OutputState, ShadedChunk, merge_chunk
from replay.engine.programs import LinkedProgram
from replay.engine.stages import BoundTextures, LaneMemory, StageRun, loop_budget
from replay.engine.tables import Tables
from replay.engine.varyings import output_rows_of
from replay.glsl.llvm.abi import LANES, QUADS, SPARE_QUADS
from replay.handheld.kernels.records import COUNT_NAMES, EXPANSION, ORDER, TILE_DTYPE
from replay.handheld.patterns import SAMPLE_UNIT, Pattern
from replay.handheld.targets import HandheldTarget
from replay.handheld.textures import HandheldTextures
from replay.handheld.walk import Walk
from replay.texture.binding import Rules, unbound
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gputrace.accessstream import AccessSink, HandheldMode
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, PrimitiveKind, quantize_depth
from traceformat.native.records import address_of

__all__ = ["HandheldStage"]

_CHUNK_QUADS: Final = 4096
#: Room for fragments; a single primitive may need more.
_ROOM: Final = 1 << 17
_COLORS_OF_ONE: Final = 1
#: Half the width of the guard band.
_GUARD_PIXELS: Final = 16384.0


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
    order: Any
    depth_row: int
    tests_early: bool
    has_lookups: bool
    shape: dict[str, NDArray[Any]]


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
        self._batch: Walk | None = None
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
        fragment.run.budget = loop_budget(target.width * target.height // LANES)
        prepared = self._prepare(fragment, context, target, linked)
        room = max(_ROOM, (target.width + 4) * (target.height + 2))
        if self._batch is None or self._batch.record.room < room:
            self._batch = Walk(room, self.pattern)
        before = self.counters.get("samples.passed", 0)
        self._begin_walk(prepared, self._batch)
        while self._batch.record.begin < geometry.emitted_count:
            self._run_batch(prepared, self._batch)
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
            self._order(context, target, outputs, has_lookups=bool(ir.textures), late=late),
            fragment.depth_row,
            not ir.discards and not late,
            bool(ir.textures),
            self._shape(geometry),
        )

    def _shape(self, geometry: geo.Geometry) -> dict[str, NDArray[Any]]:
        emitted = self.tables.emitted
        rows = slice(geometry.emitted_first, geometry.emitted_first + geometry.emitted_count)
        shape = {key: emitted[key][rows] for key in ("num_vertices", "size", "x", "y", "bounds")}
        return {**shape, "depth_plane": geometry.depth_plane}

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
                output = ColorOutput(buffer, rows[buffer], state, target.requantize(buffer), linear, 0, surface)
                found[slot].append(output)
        return found

    def _order(
        self,
        context: Context,
        target: HandheldTarget,
        outputs: list[list[ColorOutput]],
        *,
        has_lookups: bool,
        late: bool,
    ) -> Any:
        """ORDER of a draw, without what differs between batches."""
        reads = False
        for output in outputs[0]:
            state = output.state[0]
            present = sum(1 << channel for channel, here in enumerate(output.surface.format.channels) if here)
            reads |= bool(state["blend"]) or int(state["write_mask"]) & present != present
        mode = self.mode
        return ORDER.row(
            emits=self.sink is not None,
            reads_color=reads,
            writes_color=bool(outputs[0]),
            has_lookups=has_lookups,
            tests_late=late,
            stored=self.pattern.stored,
            pitch=target.pitch,
            z_base=target.places["z"],
            color_base=target.places["color"],
            stencil_base=target.places["stencil"],
            tile_base=target.places["tile"],
            zmin=mode.zmin,
            zmax=mode.zmax,
            tile_shift=mode.tile_size.bit_length() - 1,
            plane_bound=mode.z_triangle == "plane",
            enter_visited=mode.tile_entry == "visited",
            write_changed=mode.write_back == "changed",
            max_z=target.max_z,
            z_buffer=address_of(target.z),
            stencil_buffer=address_of(target.stencil),
            covered=address_of(target.covered),
            z_low=address_of(target.z_low),
            z_high=address_of(target.z_high),
            tile_columns=target.z_low.shape[1],
        )

    # ------------------------------------------------------------------ a batch
    def _begin_walk(self, draw: _Draw, batch: Walk) -> None:
        """Let the walk begin at the draw's first primitive."""
        walk, target = batch.record, draw.target
        for key, column in draw.shape.items():
            setattr(walk, key, address_of(column))
        walk.begin, walk.end = 0, draw.geometry.emitted_count
        walk.width, walk.height, walk.depth_bits = target.width, target.height, target.depth_bits
        walk.keeps_outside = self.mode.zmin and self.mode.tile_entry == "visited"
        order = draw.order
        order.walk, order.test, order.front = walk.address, address_of(draw.test), address_of(draw.front)

    def _run_batch(self, draw: _Draw, batch: Walk) -> None:
        from replay.handheld.kernels.traverse import traverse

        walk = batch.record
        walk.num_fragments = walk.num_quads = walk.visited = walk.samples = 0
        traverse.ctypes(walk.address)
        fragments, quads = walk.num_fragments, walk.num_quads
        self._count("pixels.visited", walk.visited)
        self._count("samples.covered", walk.samples)
        groups = self.pattern.num_groups
        cover = batch.cover[:, :quads]
        survives = batch.survives[: groups * quads].reshape(groups, quads)
        tested = batch.tested[: groups * quads].reshape(groups, quads)
        passed = batch.passed[: self.pattern.num_slots * quads].reshape(self.pattern.num_slots, quads)
        tested[...] = 0
        passed[...] = 0
        shaded: list[_Shaded]
        if draw.tests_early:
            survives[...] = 15
            self._test(draw, batch)
            shaded = [self._shade(draw, batch, one, tested[one]) for one in range(groups)]
        else:
            shaded = []
            for group in range(groups):
                one = self._shade(draw, batch, group, cover[group])
                survives[group] = 0
                survives[group, one.rows] = one.survives
                if one.depth is not None:
                    self._take_depth(batch, fragments, group, one, quads)
                shaded.append(one)
            self._test(draw, batch)
        self._blend(draw, batch, shaded, passed)
        if self.sink is not None:
            self._send(draw, shaded)

    def _count(self, name: str, value: int) -> None:
        self.counters[name] = self.counters.get(name, 0) + value

    def _take_depth(self, batch: Walk, fragments: int, group: int, shaded: _Shaded, quads: int) -> None:
        """Put depths that the shader wrote into the fragments."""
        assert shaded.depth is not None
        of_lane = np.zeros((quads, 4), np.uint32)
        of_lane[shaded.rows] = shaded.depth
        lanes = np.where(batch.mask[:fragments] > 0, batch.quad[:fragments], 0)
        for slot, owner in enumerate(self.pattern.group):
            if owner == group:
                batch.depth[:fragments, slot] = of_lane.reshape(-1)[lanes]

    def _test(self, draw: _Draw, batch: Walk) -> None:
        """Test the fragments of a batch; the counts of what happened are added to the counters."""
        from replay.handheld.kernels.fragment_order import num_codes, test_fragments

        order, walk = draw.order, batch.record
        if self.sink is not None:
            needed = num_codes(walk.num_fragments, self.pattern.num_slots, self.pattern.num_groups)
            if len(self._codes) < needed:
                self._codes = np.empty(needed, np.uint32)
        tiles = np.zeros(order.tile_columns, TILE_DTYPE)
        entered = np.empty(order.tile_columns, np.int64)
        order.tiles, order.entered, order.codes = address_of(tiles), address_of(entered), address_of(self._codes)
        order.survives, order.tested = address_of(batch.survives), address_of(batch.tested)
        order.passed = address_of(batch.passed)
        counts = order.data["counts"]
        counts[...] = 0
        test_fragments.ctypes(order.address)
        for field, name in COUNT_NAMES.items():
            self._count(name, int(counts[field][0]))

    # ------------------------------------------------------------------ shading
    def _shade(self, draw: _Draw, batch: Walk, group: int, wanted: NDArray[np.uint8]) -> _Shaded:
        """Shade the wanted lanes of the quads at the group's position."""
        from replay.handheld.kernels.stream import words_of_lanes

        rows = np.flatnonzero(wanted)
        count = len(rows)
        out = _Shaded.of(rows, count, len(wanted) if self.sink is not None and draw.has_lookups else 0)
        if not count:
            return out
        padded = np.append(rows, rows[-1:].repeat(SPARE_QUADS))
        coverage = np.append(wanted[rows], np.zeros(SPARE_QUADS, np.uint8))
        columns = [source[padded] for source in (batch.quad_primitive, batch.quad_x, batch.quad_y)]
        survives = np.empty(count, np.uint8)
        found: list[NDArray[np.float32]] = []
        depths: list[NDArray[np.uint32]] = []
        used_words = 0
        for first in range(0, count, _CHUNK_QUADS):
            last = min(first + _CHUNK_QUADS, count)
            size = last - first
            whole = -(-size // QUADS) * QUADS  # quads are shaded in groups; those behind the last have no lanes
            span = slice(first, first + whole)
            alive = np.empty(whole, np.uint8)
            pointers: dict[str, Any] = {
                "coverage": coverage[span],
                "survives": alive,
                "quad_primitive": columns[0][span],
                "quad_x": columns[1][span],
                "quad_y": columns[2][span],
            }
            outputs = self._lanes.outputs(draw.run.num_output_rows, 4 * whole)
            draw.run.run_quads(self._lanes, whole // QUADS, outputs, pointers, draw.planes[group], 0)
            survives[first:last] = alive[:size]
            found.append(outputs[:, : 4 * size].copy())
            if draw.depth_row >= 0:
                values = np.nan_to_num(outputs[draw.depth_row, : 4 * size].reshape(size, 4))
                depths.append(_to_bits(values, draw.target.depth_bits))
            if self.sink is not None and draw.has_lookups:
                own_first, own_count = np.empty(4 * whole, np.uint32), np.empty(4 * whole, np.uint32)
                while True:
                    totals = np.zeros(34, np.int64)
                    needed = words_of_lanes(
                        self._lanes.record.row.address, 4 * whole, own_first, own_count, out.words, used_words, totals
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
        out.outputs = np.concatenate(found, axis=1)
        out.depth = np.concatenate(depths) if depths else None
        return out

    # ------------------------------------------------------------------ output
    def _blend(self, draw: _Draw, batch: Walk, shaded: list[_Shaded], passed: NDArray[np.uint8]) -> None:
        if not draw.outputs[0]:
            return
        for slot, group in enumerate(self.pattern.group):
            one = shaded[group]
            if not len(one.rows):
                continue
            quads: Any = {"x": batch.quad_x[one.rows], "y": batch.quad_y[one.rows], "survives": one.survives}
            chunk = ShadedChunk(0, len(one.rows), one.outputs, one.no_depth, passed[slot, one.rows])
            targets = replace(draw.target.targets, samples=_COLORS_OF_ONE)
            state = OutputState(targets, draw.test, 0, draw.front, draw.outputs[slot], False)
            merge_chunk(state, quads, chunk)

    def _send(self, draw: _Draw, shaded: list[_Shaded]) -> None:
        """Put the accesses together and hand them on."""
        from replay.handheld.kernels.stream import expand

        assert self.sink is not None
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
        expansion = EXPANSION.row(
            order=draw.order.address, num_lanes=len(count), lane_first=address_of(first), lane_count=address_of(count),
            words=address_of(words), out=address_of(self._expanded), room=len(self._expanded),
        )  # fmt: skip
        needed = int(expand.ctypes(expansion.address))
        if needed > len(self._expanded):
            self._expanded = np.empty(needed + needed // 4, np.uint32)
            expansion.out, expansion.room = address_of(self._expanded), len(self._expanded)
            expand.ctypes(expansion.address)
        self.sink(self._expanded[:needed])


@dataclass(slots=True)
class _Shaded:
    """Quads of one shading group.

    Parameters
    ----------
    rows : (n,) quads of the batch
    outputs : (rows, 4 n) float32 of the stage
    survives : (n,) lanes that were not discarded
    depth : (n, 4) depths that the shader wrote
    first, count : (quads of the batch, 4) words of each lane's look-ups
    """

    rows: NDArray[np.int64]
    outputs: NDArray[np.float32]
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
        return cls(
            rows, np.zeros((0, 0), np.float32), np.zeros(0, np.uint8), None, *lanes, words, np.zeros((0, 4), np.uint32)
        )


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
    dx, dy = (np.float32(offset / SAMPLE_UNIT - 0.5) for offset in place)
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
