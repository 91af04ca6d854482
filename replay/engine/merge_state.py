"""Depth, stencil and blend state of a draw, from GL's enumerants to what the merge kernels read."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.kernels import records
from replay.engine.targets import Surface, Targets
from replay.formats import Storage
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ALL_EQUATIONS, FACTORS
from traceformat.gles.state import Context, StencilFace

__all__ = [
    "blend_state",
    "can_fail",
    "color_mask_of",
    "requantize_table",
    "sample_mask_of",
    "shades_samples",
    "test_state",
    "uses_srgb",
]

_STENCIL_OPS: Final = {
    gl.GL_KEEP: 0,
    gl.GL_ZERO: 1,
    gl.GL_REPLACE: 2,
    gl.GL_INCR: 3,
    gl.GL_DECR: 4,
    gl.GL_INVERT: 5,
    gl.GL_INCR_WRAP: 6,
    gl.GL_DECR_WRAP: 7,
}


def test_state(context: Context, targets: Targets) -> NDArray[Any]:
    """Depth and stencil state of a draw, one row of TEST_DTYPE; a test without its buffer always passes."""
    depth: tuple[Any, ...] = (False, 0, False)
    if gl.GL_DEPTH_TEST in context.enabled and targets.depth is not None:
        depth = (True, context.depth_func - gl.GL_NEVER, context.depth_mask)
    if gl.GL_STENCIL_TEST not in context.enabled or targets.stencil is None:
        return _test_row((*depth, False, *_NO_STENCIL))
    faces = zip(_stencil_face(context.stencil_front), _stencil_face(context.stencil_back), strict=True)
    return _test_row((*depth, True, *faces))


def can_fail(test: NDArray[Any]) -> bool:
    """Whether fragments may fail these tests."""
    return bool(test[0]["depth_test"] or test[0]["stencil_test"])


def _stencil_face(face: StencilFace) -> tuple[int, ...]:
    """Fields of TEST_DTYPE from ``stencil_func`` on."""
    return (
        face.func - gl.GL_NEVER,
        min(max(face.ref, 0), 255),
        face.value_mask & 255,
        face.write_mask & 255,
        _STENCIL_OPS.get(face.fail, 0),
        _STENCIL_OPS.get(face.depth_fail, 0),
        _STENCIL_OPS.get(face.depth_pass, 0),
    )


_NO_STENCIL: Final = ((0, 0),) * 7


# Rows are made once per distinct state: filling a structured array takes longer than a small draw.
@lru_cache(1024)
def _test_row(row: tuple[Any, ...]) -> NDArray[Any]:
    return np.array([row], records.TEST_DTYPE)


@lru_cache(1024)
def _blend_row(row: tuple[Any, ...]) -> NDArray[Any]:
    return np.array([row], records.BLEND_DTYPE)


def sample_mask_of(context: Context, targets: Targets) -> int:
    """Samples that glSampleCoverage and glSampleMaski let through (ES 3.0.6 §4.1.3), bit s."""
    enabled = context.enabled
    mask = -1
    if targets.samples == 1 or (not context.is_gles and gl.GL_MULTISAMPLE not in enabled):
        return mask
    if gl.GL_SAMPLE_COVERAGE in enabled:
        mask = (1 << int(context.sample_coverage_value * targets.samples)) - 1
        if context.sample_coverage_invert:
            mask = ~mask
    if gl.GL_SAMPLE_MASK in enabled:
        mask &= context.sample_mask
    return mask


def shades_samples(context: Context, targets: Targets) -> bool:
    """Whether glMinSampleShading asks for more than one invocation a pixel: Mesa then shades every sample."""
    enabled = context.enabled
    if gl.GL_SAMPLE_SHADING not in enabled or (not context.is_gles and gl.GL_MULTISAMPLE not in enabled):
        return False
    return context.min_sample_shading * targets.samples > 1.0


def color_mask_of(context: Context, buffer: int) -> int:
    """Write mask of a draw buffer, bit 0 = red."""
    red, green, blue, alpha = context.color_masks[buffer]
    return red | green << 1 | blue << 2 | alpha << 3


def uses_srgb(context: Context, surface: Surface) -> bool:
    """Whether writes to a surface convert to sRGB: always in GLES, by GL_FRAMEBUFFER_SRGB on the desktop."""
    return surface.is_srgb and (context.is_gles or gl.GL_FRAMEBUFFER_SRGB in context.enabled)


def _refuse_desktop_only(context: Context, buffer: int, format: formats.Format) -> None:
    """Name what desktop GL can do with colours and GLES cannot."""
    blend = context.blend[buffer]
    factors = (blend.src_rgb, blend.src_alpha, blend.dst_rgb, blend.dst_alpha)
    if context.blend_enabled[buffer] and not format.is_integer and any(factor not in FACTORS for factor in factors):
        raise UnsupportedCallError(f"call {context.call_number}: dual-source blending is not portable to GLES")
    if gl.GL_COLOR_LOGIC_OP in context.enabled and context.logic_op != gl.GL_COPY:
        raise UnsupportedCallError(f"call {context.call_number}: glLogicOp is not portable to GLES")


def blend_state(context: Context, buffer: int, surface: Surface) -> NDArray[Any]:
    """Blend state of one draw buffer, one row of BLEND_DTYPE."""
    blend = context.blend[buffer]
    format = surface.format
    _refuse_desktop_only(context, buffer, format)
    mask = color_mask_of(context, buffer)
    narrow = format.storage in (Storage.UNORM8, Storage.SRGB8) and any(0 < bits < 8 for bits in format.bits)
    row = (
        context.blend_enabled[buffer] and not format.is_integer,
        (ALL_EQUATIONS[blend.equation_rgb], ALL_EQUATIONS[blend.equation_alpha]),
        (FACTORS.get(blend.src_rgb, 1), FACTORS.get(blend.src_alpha, 1)),
        (FACTORS.get(blend.dst_rgb, 0), FACTORS.get(blend.dst_alpha, 0)),
        tuple(context.blend_color),
        sum(1 << channel for channel, present in enumerate(format.channels) if present and mask >> channel & 1),
        narrow,
        *_store(format, uses_srgb(context, surface)),
    )
    return _blend_row(row)


@cache
def _store(format: formats.Format, is_linear: bool) -> tuple[int, tuple[int, ...]]:
    """How a target keeps a result: fields ``store`` and ``bits`` of BLEND_DTYPE."""
    if format.is_integer:
        return (records.STORE_INT if format.storage is Storage.INT else records.STORE_UINT), format.bits
    if format.storage is not Storage.FLOAT:
        return (records.STORE_SRGB if is_linear else records.STORE_BYTES), format.bits
    if format.kind is not formats.Kind.FLOAT:
        signed = format.kind is formats.Kind.SNORM
        store = records.STORE_SNORM if signed else records.STORE_UNORM
        return store, tuple(bits - signed if bits else 0 for bits in format.bits)
    # Mantissa bits; packed formats have no sign.
    mantissa = {32: 23, 16: 10, 11: 6, 10: 5, 0: 0}
    store = {32: records.STORE_FLOAT, 16: records.STORE_HALF}.get(max(format.bits), records.STORE_UFLOAT)
    return store, tuple(mantissa[bits] for bits in format.bits)


def requantize_table(surface: Surface) -> NDArray[np.uint8]:
    """For each channel the value that the format stores, as a byte, of each byte: (4, 256)."""
    return _requantize_table(surface.format)


@cache
def _requantize_table(format: formats.Format) -> NDArray[np.uint8]:
    if format.storage is not Storage.UNORM8:
        return np.zeros((4, 256), np.uint8)
    gray = np.arange(256, dtype=np.uint32) * np.uint32(0x01010101)
    words = np.ascontiguousarray(formats.narrowed(format, gray), "<u4")
    return np.ascontiguousarray(words.view(np.uint8).reshape(256, 4).T)
