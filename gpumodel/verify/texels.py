"""Colour formats of render targets: bytes in memory to the values that blending works on, and back.

An implementation of its own, beside the replay's: only the table of formats is shared, and tests prove both equal.
Working values are bytes (formats of at most 8 bits a channel, narrower ones widened by repeating their bits), float32,
or the 32-bit patterns of integers, always four channels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS, memory_bytes

__all__ = ["BYTES", "FLOATS", "INTEGERS", "NO_ROUNDING", "Texels", "texels_of"]

Array = NDArray[Any]

#: Kinds of working values.
BYTES: Final = 0
FLOATS: Final = 1
INTEGERS: Final = 2
#: How a channel of a float target is rounded, see :func:`gpumodel.verify.blending.compose_floats`.
NO_ROUNDING: Final = 0
HALF: Final = 1
NORMALIZED: Final = 2
SIGNED: Final = 3
UNSIGNED_FLOAT: Final = 4
DRAWN: Final = 5

#: Channels that a base format keeps, in the order in which they lie in memory.
_CHANNELS: Final = {
    gl.GL_RED: (0,),
    gl.GL_RG: (0, 1),
    gl.GL_RGB: (0, 1, 2),
    gl.GL_RGBA: (0, 1, 2, 3),
    gl.GL_ALPHA: (3,),
}
#: Formats packed into one word: dtype, and (shift, bits) of red, green, blue, alpha.
_PACKED: Final = {
    gl.GL_RGB565: ("<u2", ((11, 5), (5, 6), (0, 5), (0, 0))),
    gl.GL_RGBA4: ("<u2", ((12, 4), (8, 4), (4, 4), (0, 4))),
    gl.GL_RGB5_A1: ("<u2", ((11, 5), (6, 5), (1, 5), (0, 1))),
    gl.GL_RGB10_A2: ("<u4", ((0, 10), (10, 10), (20, 10), (30, 2))),
    gl.GL_RGB10_A2UI: ("<u4", ((0, 10), (10, 10), (20, 10), (30, 2))),
    gl.GL_R11F_G11F_B10F: ("<u4", ((0, 11), (11, 11), (22, 10), (0, 0))),
}
_CODES: Final = np.arange(256) / 255.0
#: Linear value of each sRGB byte, and the linear values half way between neighbouring bytes (ES 3.0.6 equation 3.22).
SRGB_DECODE: Final = np.where(_CODES <= 0.04045, _CODES / 12.92, ((_CODES + 0.055) / 1.055) ** 2.4).astype(np.float32)
_HALVES: Final = (np.arange(255) + 0.5) / 255.0
SRGB_BORDERS: Final = np.where(_HALVES <= 0.04045, _HALVES / 12.92, ((_HALVES + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)


@dataclass(frozen=True, slots=True)
class Texels:
    """One colour format.

    Parameters
    ----------
    internal : GL value
    kind : BYTES, FLOATS or INTEGERS
    channels : which of red, green, blue, alpha exist, in the order of memory
    bits : of each channel, 0 = absent
    nature : unorm, srgb, snorm, float, uint or int
    size : bytes of a texel in memory
    """

    internal: int
    kind: int
    channels: tuple[int, ...]
    bits: tuple[int, int, int, int]
    nature: str
    size: int

    @property
    def used(self) -> int:
        """Bytes of a texel in memory that are not padding."""
        return self.size if self.internal in _PACKED else len(self.channels) * max(self.bits) // 8

    @property
    def present(self) -> int:
        """Mask of the channels that exist, bit 0 = red."""
        return sum(1 << channel for channel in self.channels)

    @property
    def dtype(self) -> Any:
        """Type of working values."""
        return (np.uint8, np.float32, np.uint32)[self.kind]

    @property
    def channel_bits(self) -> NDArray[np.int64]:
        """Bits of each channel as the kernels take them."""
        return np.array(self.bits, np.int64)

    def rounding(self, *, is_drawn: bool = True) -> NDArray[np.int64]:
        """How each channel of a float target is rounded: (4, 2) mode and its levels or mantissa bits.

        Normalized ones of what is drawn have sixteen bits before, those that are cleared whole have not.
        """
        out = np.zeros((4, 2), np.int64)
        for channel in self.channels:
            bits = self.bits[channel]
            if self.nature == "unorm":
                out[channel] = DRAWN if is_drawn else NORMALIZED, (1 << bits) - 1
            elif self.nature == "snorm":
                out[channel] = SIGNED, (1 << bits - 1) - 1
            elif bits == 16:
                out[channel] = HALF, 0
            elif bits < 16:
                out[channel] = UNSIGNED_FLOAT, bits - 5
        return out

    def blank(self, *extent: int) -> Array:
        """Working values of nothing: zeros, absent alpha one."""
        out = np.zeros((*extent, 4), self.dtype)
        if 3 not in self.channels:
            out[..., 3] = 255 if self.kind == BYTES else 1
        return out

    def decode(self, data: NDArray[np.uint8]) -> Array:
        """Bytes in memory (..., size) to working values (..., 4)."""
        out = self.blank(*data.shape[:-1])
        for channel, code in self._codes(data):
            bits = self.bits[channel]
            if self.kind == INTEGERS:
                out[..., channel] = code
            elif self.kind == BYTES:
                out[..., channel] = _widen(code, bits)
            elif self.nature == "unorm":
                out[..., channel] = code.astype(np.float32) * (np.float32(1.0) / np.float32((1 << bits) - 1))
            elif self.nature == "snorm":
                out[..., channel] = np.maximum(code / float((1 << bits - 1) - 1), -1.0)
            elif bits < 16:
                out[..., channel] = (code.astype(np.uint16) << np.uint16(15 - bits)).view(np.float16)
            else:
                out[..., channel] = code
        return out

    def _codes(self, data: NDArray[np.uint8]) -> list[tuple[int, Array]]:
        """What lies in memory for each channel."""
        data = np.ascontiguousarray(data)
        packed = _PACKED.get(self.internal)
        if packed is not None:
            dtype, fields = packed
            word = data.view(dtype)[..., 0]
            return [
                (channel, word >> np.array(fields[channel][0], dtype) & ((1 << fields[channel][1]) - 1))
                for channel in self.channels
            ]
        step = max(self.bits) // 8
        items = data[..., : step * len(self.channels)]
        view = np.ascontiguousarray(items).view(self._element())
        if self.nature == "int":
            view = view.astype(np.int32).view(np.uint32)
        return [(channel, view[..., place]) for place, channel in enumerate(self.channels)]

    def _element(self) -> str:
        step = max(self.bits) // 8
        letter = {"float": "f", "int": "i", "snorm": "i"}.get(self.nature, "u")
        return f"<{letter}{step}"

    def encode(self, values: Array) -> NDArray[np.uint8]:
        """Working values (..., 4), rounded to the format, to bytes in memory (..., size)."""
        extent = values.shape[:-1]
        packed = _PACKED.get(self.internal)
        out = np.zeros((*extent, self.size), np.uint8)
        if packed is not None:
            dtype, fields = packed
            word = np.zeros(extent, dtype)
            for channel in self.channels:
                word |= self._code(values, channel).astype(dtype) << np.array(fields[channel][0], dtype)
            out[...] = np.ascontiguousarray(word[..., None]).view(np.uint8)
            return out
        element = self._element()
        step = np.dtype(element).itemsize
        for place, channel in enumerate(self.channels):
            code = np.ascontiguousarray(self._code(values, channel).astype(element)[..., None])
            out[..., place * step : (place + 1) * step] = code.view(np.uint8)
        return out

    def _code(self, values: Array, channel: int) -> Array:
        value, bits = values[..., channel], self.bits[channel]
        if self.kind == INTEGERS:
            return np.asarray(value.view(np.int32) if self.nature == "int" else value)
        if self.kind == BYTES:
            return np.asarray(value >> np.uint8(8 - bits))
        if self.nature in ("unorm", "snorm"):
            levels = float((1 << bits) - 1 if self.nature == "unorm" else (1 << bits - 1) - 1)
            return np.rint(value.astype(np.float64) * levels).astype(np.int64)
        if bits < 16:
            # An unsigned float is a half float without its sign and low bits.
            return np.asarray(value.astype(np.float16).view(np.uint16) >> np.uint16(15 - bits))
        return np.asarray(value)

    def clear_value(self, color: NDArray[np.float32], *, converts: bool, is_part: bool) -> Array:
        """Working values (4,) that a clear leaves.

        Parameters
        ----------
        color : (4,) as given; bit patterns for integer formats
        converts : to sRGB, where the format is
        is_part : some pixels or channels are left, so that bytes narrow as those of draws do
        """
        out = self.blank()
        for channel in self.channels:
            bits = self.bits[channel]
            if self.kind == INTEGERS:
                pattern = np.ascontiguousarray(color, "<f4").view("<i4" if self.nature == "int" else "<u4")
                low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if self.nature == "int" else (0, (1 << bits) - 1)
                limited = min(max(int(pattern[channel]), low), high)
                out[channel] = limited & 0xFFFFFFFF
            elif self.kind == BYTES:
                value = np.float32(np.clip(np.nan_to_num(color[channel]), 0, 1))
                if converts and self.nature == "srgb" and channel < 3:
                    exact = np.float64(value)
                    code = exact * 12.92 if exact < 0.0031308 else 1.055 * exact ** (1 / 2.4) - 0.055
                    out[channel] = int(np.rint(code * 255.0))
                elif is_part:
                    octet = int(np.rint(value * np.float32(255.0)))
                    narrow = octet >> (8 - bits) if bits > 4 else (2 * octet * ((1 << bits) - 1) + 255) // 510
                    out[channel] = _widen(np.array(narrow, np.uint8), bits)
                else:
                    out[channel] = _widen(np.rint(value * np.float32((1 << bits) - 1)).astype(np.uint8), bits)
            else:
                out[channel] = color[channel]
        return out


def _widen(code: Array, bits: int) -> Array:
    """Codes of 1 to 8 bits as bytes: their bits repeated."""
    wide = np.asarray(code).astype(np.uint32) << np.uint32(8 - bits)
    while bits < 8:
        wide = wide | wide >> np.uint32(bits)
        bits *= 2
    return wide.astype(np.uint8)


@lru_cache(64)
def texels_of(internal: int) -> Texels:
    """Look a colour format up; raises TraceFormatError for what is no colour format of a render target."""
    format = FORMATS.get(internal)
    if format is None or format.compressed or not format.is_color or format.base not in _CHANNELS:
        raise TraceFormatError(f"passes.color_format: {internal:#06x} is no format that can be verified")
    red, green, blue, alpha = format.bits[:4]
    kind = FLOATS
    if format.kind in ("uint", "int"):
        kind = INTEGERS
    elif format.kind == "srgb" or (format.kind == "unorm" and max(format.bits[:4]) <= 8):
        kind = BYTES
    return Texels(internal, kind, _CHANNELS[format.base], (red, green, blue, alpha), format.kind, memory_bytes(format))
