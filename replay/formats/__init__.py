"""Texel formats: what they mean, how they are kept, and how they convert. See :mod:`replay.texture` for the
contract.
"""

from replay.formats.convert import (
    blank,
    convert,
    depth_values,
    expand,
    has_plain_words,
    narrowed,
    native,
    of_native,
    pack,
    quantize,
    raw,
    reinterpret,
    rendered,
    unpack,
    unpack_stencil,
)
from replay.formats.table import FORMATS, Codec, Format, Kind, Storage, format_of

__all__ = [
    "FORMATS",
    "Codec",
    "Format",
    "Kind",
    "Storage",
    "blank",
    "convert",
    "depth_values",
    "expand",
    "format_of",
    "has_plain_words",
    "narrowed",
    "native",
    "of_native",
    "pack",
    "quantize",
    "raw",
    "reinterpret",
    "rendered",
    "unpack",
    "unpack_stencil",
]
