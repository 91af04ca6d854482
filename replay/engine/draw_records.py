"""What a draw leaves in the tables besides its bulk: state, constants, bindings, fetches, object id."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from replay.engine.programs import LinkedProgram, StageConstants
from replay.engine.recorder import FrameRecorder, stable_hash
from replay.engine.vertex_source import VertexSource
from replay.objects import ObjectRow
from traceformat.gles.backend import DrawCall
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Executable, ProgramObject, Sampling, Texture
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS

if TYPE_CHECKING:
    from replay.engine.fixed_state import FixedState
    from replay.engine.stages import BoundTextures

__all__ = [
    "BoundProgram",
    "index_place",
    "record_draw",
    "sampler_identity",
]

_NO_COLORS: Final = [0] * MAX_COLOR_ATTACHMENTS


@dataclass(slots=True, eq=False)
class BoundProgram:
    """A program with its textures; lists have one entry a sampler slot.

    Parameters
    ----------
    linked, program, executable : the program
    bound : bindings with the code that was made for them
    units, textures : of each slot
    samplings : sampler state of each slot that has a texture
    """

    linked: LinkedProgram
    program: ProgramObject
    executable: Executable
    bound: BoundTextures
    units: list[int]
    textures: list[Texture | None]
    samplings: list[Sampling | None]
    #: Textures that there are, and their serials.
    present: tuple[Texture, ...] = ()
    serials: tuple[int, ...] = ()
    #: What its draws have in common (:class:`~replay.engine.plan.Plan`), by fixed-function state.
    plans: dict[FixedState, Any] = field(default_factory=dict)
    _versions: tuple[int, ...] = ()
    _rows: list[dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        self.present = tuple(texture for texture in self.textures if texture is not None)
        self.serials = tuple(texture.serial if texture is not None else 0 for texture in self.textures)

    def rows(self) -> list[dict[str, Any]]:
        """Rows of ``texture_bindings``; made anew when contents have changed."""
        versions = tuple(texture.version for texture in self.present)
        if self._rows is None or versions != self._versions:
            self._rows = _binding_rows(self)
            self._versions = versions
        return self._rows


def index_place(recorder: FrameRecorder, context: Context, call: DrawCall) -> tuple[int, int]:
    """Bytes of an index, 0 where a draw has none, and the address of the first one."""
    size = INDEX_BYTES.get(call.index_type, 0)
    if not size or not recorder.wants_vertices:
        return 0, 0
    if call.index_buffer is None:
        return size, recorder.addresses.client("index", size * call.count)
    base = recorder.addresses.buffer(
        "index", context.group.serial, call.index_buffer.serial, len(call.index_buffer.store)
    )
    return size, base + call.index_offset


def record_draw(
    recorder: FrameRecorder,
    context: Context,
    call: DrawCall,
    fixed: FixedState,
    bound: BoundProgram,
    source: VertexSource,
    constants: dict[str, StageConstants],
    rows: dict[str, tuple[int, int]],
    primitives: tuple[int, int],
    emitted: tuple[int, int],
    quads: tuple[int, int],
    vertex_rows: tuple[int, int],
    num_attributes: int,
    fetch_first: int,
    flags: int,
    colors: list[int],
    *,
    is_counted: bool,
) -> int:
    """Append a draw's row with its constants and texture bindings; returns its number.

    Parameters
    ----------
    rows : row of ``programs`` and first row of ``blocks`` of each stage
    primitives, emitted, quads, vertex_rows : first row and number of rows in these tables
    fetch_first : first row of ``vertex_fetches``
    flags : DrawFlags beside those of the state
    colors : first byte in ``color_data`` of each attachment; empty where colours are not kept
    is_counted : an occlusion query counts the fragments
    """
    spans = [
        recorder.add_constants(constants[stage]) if stage in constants else (recorder.num_constants, 0, 0)
        for stage in ("vertex", "fragment")
    ]
    (first0, count0, new0), (first1, count1, new1) = spans
    texture_first = len(recorder.bindings)
    recorder.bindings.extend(bound.rows())
    recorder.draws.append(
        context.call_number,
        recorder.passes.current,
        recorder.object_row(_identify(recorder, context, call, bound, source)),
        call.mode,
        flags | fixed.flags,
        *vertex_rows,
        *primitives,
        *emitted,
        *quads,
        call.instances,
        INDEX_BYTES.get(call.index_type, 0),
        num_attributes,
        is_counted,
        rows["vertex"][0],
        rows["fragment"][0] if "fragment" in rows else rows["vertex"][0],
        fetch_first,
        len(recorder.fetches) - fetch_first,
        texture_first,
        len(recorder.bindings) - texture_first,
        *(first0, first1, count0, count1, new0, new1),
        *(colors or _NO_COLORS),
        fixed=fixed.columns,
    )
    return len(recorder.draws) - 1


def _binding_rows(bound: BoundProgram) -> list[dict[str, Any]]:
    rows = []
    seen = set()
    slots = zip(bound.units, bound.bound.bindings, bound.textures, bound.samplings, strict=True)
    for number, binding, texture, sampling in slots:
        if texture is None or sampling is None or (number, texture.target) in seen:
            continue
        seen.add((number, texture.target))
        base = texture.images.get((0, texture.base_level))
        rows.append(
            {
                "unit": min(number, 255),
                "target": texture.target,
                "texture": texture.name,
                "version": texture.version,
                "address": binding.address,
                "format": base.format if base is not None else 0,
                "width": base.width if base is not None else 0,
                "height": base.height if base is not None else 0,
                "depth": base.depth if base is not None else 0,
                "levels": min(binding.levels, 255),
                "sampler": _view_identity(texture, sampling),
                "min_filter": sampling.min_filter,
                "mag_filter": sampling.mag_filter,
            }
        )
    return rows


def sampler_identity(state: Sampling) -> int:
    """64-bit identity of all sampler parameters."""
    return _sampler_hash(tuple(getattr(state, field) for field in _SAMPLING_FIELDS))


@lru_cache(1024)
def _sampler_hash(values: tuple[Any, ...]) -> int:
    return stable_hash(values)


def _view_identity(texture: Texture, state: Sampling) -> int:
    """64-bit identity of what is looked at and how, beside the texels: object, levels, swizzle, sampler parameters.

    Names are given again to other objects; serials are not.
    """
    levels = texture.base_level, texture.max_level, texture.depth_stencil_mode, *texture.swizzle
    return _sampler_hash((texture.serial, *levels, sampler_identity(state)))


_SAMPLING_FIELDS: Final = tuple(field.name for field in fields(Sampling))


def _identify(
    recorder: FrameRecorder, context: Context, call: DrawCall, bound: BoundProgram, source: VertexSource
) -> ObjectRow:
    index = (call.index_buffer.serial, call.index_offset) if call.index_buffer is not None else (0, 0)
    bindings = (
        context.draw_framebuffer.name,
        bound.program.serial,
        call.mode,
        call.first,
        call.count,
        index,
        source.buffers,
        bound.serials,
    )
    groups: list[tuple[object, str]] = [(group, group.label) for group in context.debug_groups]
    text = ("program {}, {} vertices from {}", bound.program.name, call.count, call.first)
    return recorder.objects.identify(groups, source.label, bindings, text)
