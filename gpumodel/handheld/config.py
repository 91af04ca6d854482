"""The schema of handheld rasterizers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gpumodel.config.section import MachineConfig, Section

__all__ = [
    "CullingConfig",
    "HandheldConfig",
    "HandheldEnergyConfig",
    "HandheldScreenConfig",
    "HandheldTechConfig",
    "PairingConfig",
    "PoomaConfig",
    "handheld_schema",
]

_SIDES = (1, 2, 4, 8, 16, 32)


def _tile_side(value: int) -> int:
    if value not in _SIDES:
        below = [side for side in _SIDES if side < value]
        above = [side for side in _SIDES if side > value]
        near = " or ".join(str(side) for side in [*below[-1:], *above[:1]])
        raise ValueError(f"must be one of {', '.join(map(str, _SIDES))}; nearest: {near}")
    return value


def _within(low: float, high: float) -> AfterValidator:
    """Refuse what lies outside of a range, naming the nearest value inside; not-a-number has none."""

    def check(value: float) -> float:
        if not low <= value <= high:
            near = f"; nearest: {min(max(value, low), high):g}" if value == value else ""
            raise ValueError(f"must lie between {low:g} and {high:g}{near}")
        return value

    return AfterValidator(check)


#: pJ of an access.
_Energy = Annotated[float, _within(0.001, 1e7)]


class HandheldTechConfig(Section):
    """Clock and memory interface."""

    clock_mhz: Annotated[float, _within(0.001, 10_000)] = Field(
        description="clock, MHz; one 32-bit access to external memory a cycle"
    )


class HandheldScreenConfig(Section):
    """The display; what a trace draws to its window is scaled to it."""

    width: Annotated[int, _within(16, 2048)] = Field(description="pixels; 320 QVGA, 176 QCIF")
    height: Annotated[int, _within(16, 2048)] = Field(description="pixels; 240 QVGA, 144 QCIF")


class PoomaConfig(Section):
    """Parts of the texturing system of the technique ``pooma`` (§4.2)."""

    filter: Literal["bilinear-average", "bilinear", "trilinear", "nearest"] = Field(description="what filters look-ups")
    compression: bool = Field(description="opaque textures lie in blocks of 3x2 texels in 32 bits")
    overlap: bool = Field(description="blocks overlap in y; minification takes the one that holds both rows")
    compressor: Literal["search", "extremes"] = Field(description="how a block's reference colours are found")
    dither: bool = Field(description="textures are dithered to 4-4-3 bits before compression")


class CullingConfig(Section):
    """Culling of the techniques ``zmin`` and ``zmax`` (§4.3)."""

    tile_size: Annotated[int, AfterValidator(_tile_side)] = Field(description="side of a tile, pixels")
    z_triangle: Literal["vertices", "plane"] = Field(
        description="bound of a triangle's depth: that of its vertices, or of its plane within the tile"
    )
    tile_entry: Literal["covered", "visited"] = Field(
        description="z-min is read with the first covered pixel of a tile, or with the first visited one"
    )
    write_back: Literal["always", "changed"] = Field(description="which z-min values a row of tiles writes back")


class PairingConfig(Section):
    """How values of 16 bits share accesses of 32."""

    model: Literal["order", "ideal", "none"] = Field(
        description="order: a pending word for each kind of access; ideal: two values a word always; none: one value"
    )
    across_triangles: bool = Field(description="pending words outlive their triangle")


class HandheldEnergyConfig(Section):
    """What accesses cost."""

    off_chip_pj: _Energy = Field(description="a 32-bit access to external memory, pJ")
    on_chip_pj: _Energy = Field(description="an access to the on-chip row of tiles, pJ")


class HandheldConfig(MachineConfig):
    """A handheld rasterizer."""

    machine: Literal["handheld"] = Field(description="tells it from a tile-based GPU")
    tech: HandheldTechConfig
    screen: HandheldScreenConfig
    pooma: PoomaConfig
    culling: CullingConfig
    pairing: PairingConfig
    energy: HandheldEnergyConfig


def handheld_schema() -> type[HandheldConfig]:
    """Schema of a handheld rasterizer."""
    return HandheldConfig
