"""Calls that are recorded as others, of which GL says that they do the same.

Several draws of index lists, or binds, are single ones one after the other. Of the viewports and scissors that geometry
shaders choose from, the first is the one that all other programs draw with: OpenGL ES has but that one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capture.client_arrays import list_at
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl

__all__ = ["EQUIVALENTS", "Equivalent"]

#: Gives the driver's function of a name, unrecorded.
Functions: TypeAlias = Callable[[str], Callable[..., Any]]
#: Entry point and C values of each call that is recorded.
Calls: TypeAlias = list[tuple[str, tuple[Any, ...]]]
#: Where textures are bound in OpenGL ES 3.2.
_TARGETS: Final = (
    gl.GL_TEXTURE_2D, gl.GL_TEXTURE_3D, gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_2D_MULTISAMPLE,
    gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY, gl.GL_TEXTURE_BUFFER, gl.GL_TEXTURE_CUBE_MAP_ARRAY,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Equivalent:
    """What stands for a call.

    Parameters
    ----------
    names : of the entry points that are recorded
    calls : makes them from the call's C values, and from what the driver can be asked
    """

    names: tuple[str, ...]
    calls: Callable[[Sequence[Any], Functions], Calls]


def _draws(name: str) -> Equivalent:
    """From (mode, counts, type, index lists, number of draws, base vertices)."""

    def calls(raw: Sequence[Any], functions: Functions) -> Calls:
        mode, count, kind, indices, draws, *bases = raw
        columns = [list_at(count, draws, "<i4"), list_at(indices, draws, "<i8")]
        columns += [list_at(base, draws, "<i4") for base in bases]
        return [(name, (mode, length, kind, *rest)) for length, *rest in zip(*columns, strict=True)]

    return Equivalent((name,), calls)


def _first_of_array(name: str, kind: str, width: int) -> Equivalent:
    """From (first, count, values): the values of number 0, if it is among them."""

    def calls(raw: Sequence[Any], functions: Functions) -> Calls:
        first, count, values = raw
        return _with_values(name, list_at(values, width, kind)) if first == 0 and count > 0 and values else []

    return Equivalent((name,), calls)


def _first_of_values(name: str, kind: str) -> Equivalent:
    """From (index, values): the values, if the index is 0."""
    return Equivalent(
        (name,), lambda raw, functions: _first_of_array(name, kind, 4).calls((raw[0], 1, raw[1]), functions)
    )


def _first(name: str) -> Equivalent:
    """From (index, value, ...): the values, if the index is 0."""
    return Equivalent((name,), lambda raw, functions: [] if raw[0] else _with_values(name, raw[1:]))


def _with_values(name: str, values: Sequence[float]) -> Calls:
    if name == "glViewport":
        whole = [int(value) for value in values]
        if whole != list(values):
            raise UnsupportedCallError(
                f"a viewport between pixels {tuple(values)}, which this version does not support"
            )
        values = whole
    return [(name, tuple(values))]


def _bind_textures(raw: Sequence[Any], functions: Functions) -> Calls:
    """From (first unit, count, textures); without textures all are unbound."""
    first, count, textures = raw
    value = ctypes.c_int()
    functions("glGetIntegerv")(gl.GL_ACTIVE_TEXTURE, ctypes.addressof(value))
    active = value.value
    calls: Calls = []
    for unit, texture in enumerate(list_at(textures, count, "<u4") or [0] * count, gl.GL_TEXTURE0 + first):
        targets = list(_TARGETS)
        if texture:
            functions("glGetTextureParameteriv")(texture, gl.GL_TEXTURE_TARGET, ctypes.addressof(value))
            targets = [value.value]
        calls.append(("glActiveTexture", (unit,)))
        calls += [("glBindTexture", (target, texture)) for target in targets]
    return [*calls, ("glActiveTexture", (active,))] if calls else []


def _bind_samplers(raw: Sequence[Any], functions: Functions) -> Calls:
    """From (first unit, count, samplers); without samplers all are unbound."""
    first, count, samplers = raw
    found = list_at(samplers, count, "<u4") or [0] * count
    return [("glBindSampler", (unit, sampler)) for unit, sampler in enumerate(found, first)]


#: By canonical name.
EQUIVALENTS: Final = {
    "glMultiDrawElements": _draws("glDrawElements"),
    "glMultiDrawElementsBaseVertex": _draws("glDrawElementsBaseVertex"),
    "glBindTextures": Equivalent(("glActiveTexture", "glBindTexture"), _bind_textures),
    "glBindSamplers": Equivalent(("glBindSampler",), _bind_samplers),
    "glViewportArrayv": _first_of_array("glViewport", "<f4", 4),
    "glViewportIndexedfv": _first_of_values("glViewport", "<f4"),
    "glViewportIndexedf": _first("glViewport"),
    "glScissorArrayv": _first_of_array("glScissor", "<i4", 4),
    "glScissorIndexedv": _first_of_values("glScissor", "<i4"),
    "glScissorIndexed": _first("glScissor"),
    "glDepthRangeArrayv": _first_of_array("glDepthRange", "<f8", 2),
    "glDepthRangeIndexed": _first("glDepthRange"),
}
