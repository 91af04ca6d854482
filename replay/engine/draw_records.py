"""A program with its textures, and the rows of ``texture_bindings`` that its draws leave."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from replay.engine.constants import StageConstants
from replay.engine.programs import LinkedProgram
from replay.engine.recorder import stable_hash
from replay.engine.rows import PackedRows
from replay.texture.binding import is_copied, is_current
from traceformat.gles.objects import Executable, Image, ProgramObject, Sampling, Texture
from traceformat.gputrace.frametrace import SCHEMA

if TYPE_CHECKING:
    from replay.engine.stages import BoundTextures

__all__ = ["BoundProgram", "identity_seed"]


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
    #: Those of them of which a copy is bound: texels of buffers, stencil.
    buffers: tuple[Texture, ...] = ()
    _versions: tuple[int, ...] = ()
    _rows: tuple[bytes, int] | None = None

    def __post_init__(self) -> None:
        self.present = tuple(texture for texture in self.textures if texture is not None)
        self.buffers = tuple(texture for texture in self.present if is_copied(texture))
        self.serials = tuple(texture.serial if texture is not None else 0 for texture in self.textures)

    @property
    def is_current(self) -> bool:
        """Whether those of which a copy is bound hold what they held then."""
        return all([is_current(texture) for texture in self.buffers])

    @property
    def is_over(self) -> bool:
        """Whether no draw will find these textures again."""
        return any(texture.deleted for texture in self.present) or not self.is_current

    def rows(self, table: PackedRows) -> tuple[bytes, int]:
        """Rows of ``texture_bindings``, packed, and how many; made anew when contents have changed."""
        known = self._rows
        if known is not None:
            for texture, version in zip(self.present, self._versions, strict=True):
                if texture.version != version:
                    break
            else:
                return known
        rows = _binding_rows(self)
        names = SCHEMA["texture_bindings"]
        known = self._rows = b"".join(table.pack_row(*(row[key] for key in names)) for row in rows), len(rows)
        self._versions = tuple(texture.version for texture in self.present)
        return known


def _binding_rows(bound: BoundProgram) -> list[dict[str, Any]]:
    rows = []
    seen = set()
    slots = zip(bound.units, bound.bound.bindings, bound.textures, bound.samplings, strict=True)
    for number, binding, texture, sampling in slots:
        if texture is None or sampling is None or (number, texture.target) in seen:
            continue
        seen.add((number, texture.target))
        base = texture.images.get((0, texture.base_level))
        if texture.texels is not None:
            base = Image(int(binding.descriptor["width"][0]), 1, 1, texture.texels.format)
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


def identity_seed(bound: BoundProgram, constants: StageConstants) -> int:
    """What fragments of a draw have in common: 64 bits over program, constants, textures and samplers."""
    textures = [
        (texture.serial, texture.version, texture.state_version, sampler_identity(sampling))
        if texture is not None and sampling is not None
        else None
        for texture, sampling in zip(bound.textures, bound.samplings, strict=True)
    ]
    return stable_hash((bound.program.serial, bound.program.link_count, constants.words.tobytes(), textures))
