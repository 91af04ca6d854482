"""What a draw leaves in the tables besides its bulk: state, constants, bindings, fetches, object id."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from replay.engine.constants import StageConstants
from replay.engine.merge_state import SRGB_BIT, color_mask_of, uses_srgb
from replay.engine.programs import LinkedProgram
from replay.engine.recorder import FrameRecorder, stable_hash
from replay.engine.rows import PackedRows
from replay.engine.targets import Targets
from replay.objects import ObjectRow
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Executable, ProgramObject, Sampling, Texture
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, SCHEMA

if TYPE_CHECKING:
    from replay.engine.fixed_state import FixedState
    from replay.engine.setting import Setting
    from replay.engine.stages import BoundTextures
    from replay.engine.vertex_source import VertexSource

__all__ = [
    "BoundProgram",
    "DrawRows",
    "index_place",
    "output_columns",
    "record_draw",
    "sampler_identity",
    "state_columns",
]


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
    _rows: tuple[bytes, int] | None = None

    def __post_init__(self) -> None:
        self.present = tuple(texture for texture in self.textures if texture is not None)
        self.serials = tuple(texture.serial if texture is not None else 0 for texture in self.textures)

    def rows(self, table: PackedRows) -> tuple[bytes, int]:
        """Rows of ``texture_bindings``, packed, and how many; made anew when contents have changed."""
        versions = tuple(texture.version for texture in self.present)
        if self._rows is None or versions != self._versions:
            rows = _binding_rows(self)
            names = SCHEMA["texture_bindings"]
            self._rows = b"".join(table.pack_row(*(row[key] for key in names)) for row in rows), len(rows)
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


@dataclass(slots=True)
class DrawRows:
    """Where a draw's rows are.

    Parameters
    ----------
    vertices, primitives : first row and number of rows in these tables
    fetch_first : first row of ``vertex_fetches``
    flags : DrawFlags beside those of the state
    is_counted : an occlusion query counts the fragments
    """

    vertices: tuple[int, int]
    primitives: tuple[int, int]
    fetch_first: int
    flags: int
    is_counted: bool


def record_draw(
    recorder: FrameRecorder,
    setting: Setting,
    source: VertexSource,
    call: DrawCall,
    constants: dict[str, StageConstants],
    rows: DrawRows,
) -> None:
    """Append a draw's row with its constants and texture bindings."""
    context = setting.context
    first0, count0, new0 = recorder.add_constants(constants["vertex"])
    if "fragment" in constants:
        first1, count1, new1 = recorder.add_constants(constants["fragment"])
    else:
        first1, count1, new1 = recorder.num_constants, 0, 0
    bindings = recorder.bindings
    texture_first = len(bindings)
    packed, num_bindings = setting.bound.rows(bindings)
    if num_bindings:
        bindings.extend(packed, num_bindings)
    recorder.draws.append(
        context.call_number,
        recorder.passes.current,
        recorder.object_row(_identify(recorder, setting, source, call)),
        call.mode,
        rows.flags | setting.fixed.flags,
        *rows.vertices,
        *rows.primitives,
        call.instances,
        INDEX_BYTES.get(call.index_type, 0),
        rows.is_counted,
        rows.fetch_first,
        len(recorder.fetches) - rows.fetch_first,
        texture_first,
        num_bindings,
        *(first0, first1, count0, count1, new0, new1),
        fixed=setting.columns,
    )


def output_columns(context: Context, targets: Targets) -> dict[str, Any]:
    """Blend state and write mask of each attachment."""
    blend = [[0] * 7 for _ in range(MAX_COLOR_ATTACHMENTS)]
    mask = [0] * MAX_COLOR_ATTACHMENTS
    for k, surface in enumerate(targets.colors[:MAX_COLOR_ATTACHMENTS]):
        if surface is None:
            continue
        state = context.blend[k]
        blend[k] = [
            int(context.blend_enabled[k]),
            *(state.equation_rgb, state.equation_alpha, state.src_rgb, state.src_alpha, state.dst_rgb, state.dst_alpha),
        ]
        mask[k] = color_mask_of(context, k) | (SRGB_BIT if uses_srgb(context, surface) else 0)
    return {"output_blend": blend, "output_mask": mask}


def state_columns(context: Context, targets: Targets) -> dict[str, Any]:
    """State of a draw as the fixed-function stages see it; a test without its buffer counts as off."""
    enabled = context.enabled
    depth_test = gl.GL_DEPTH_TEST in enabled and targets.depth is not None
    faces = (context.stencil_front, context.stencil_back)
    blend = context.blend[0]
    return {
        "depth_test": depth_test,
        "depth_write": depth_test and context.depth_mask,
        "depth_func": context.depth_func,
        "stencil_test": gl.GL_STENCIL_TEST in enabled and targets.stencil is not None,
        "stencil_func": [face.func for face in faces],
        "stencil_ref": [min(max(face.ref, 0), 255) for face in faces],
        "stencil_read_mask": [face.value_mask & 255 for face in faces],
        "stencil_write_mask": [face.write_mask & 255 for face in faces],
        "stencil_fail": [face.fail for face in faces],
        "stencil_depth_fail": [face.depth_fail for face in faces],
        "stencil_depth_pass": [face.depth_pass for face in faces],
        "blend": context.blend_enabled[0],
        "blend_equation": [blend.equation_rgb, blend.equation_alpha],
        "blend_source": [blend.src_rgb, blend.src_alpha],
        "blend_destination": [blend.dst_rgb, blend.dst_alpha],
        "blend_color": list(context.blend_color),
        "color_mask": color_mask_of(context, 0),
        "cull_face": context.cull_mode if gl.GL_CULL_FACE in enabled else 0,
        "front_face": context.front_face,
        "scissor_test": gl.GL_SCISSOR_TEST in enabled,
        "scissor": list(context.scissor),
        "viewport": list(context.viewport),
        "depth_range": list(context.depth_range),
        "alpha_to_coverage": gl.GL_SAMPLE_ALPHA_TO_COVERAGE in enabled and targets.samples > 1,
    }


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


def _identify(recorder: FrameRecorder, setting: Setting, source: VertexSource, call: DrawCall) -> ObjectRow:
    buffer = call.index_buffer
    serial, offset = (buffer.serial, call.index_offset) if buffer is not None else (0, 0)
    if source.identity < 0:
        source.identity = recorder.objects.number(source.buffers)
    bindings = (setting.identity, source.identity, call.mode, call.first, call.count, serial, offset)
    opened = setting.context.debug_groups
    groups = [(group, group.label) for group in opened] if opened else ()
    text = ("program {}, {} vertices from {}", setting.program.name, call.count, call.first)
    return recorder.objects.identify(groups, source.label, bindings, text)
