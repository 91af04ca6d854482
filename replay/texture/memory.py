"""What filtering code needs beyond arithmetic: descriptors, texels, branches. One implementation an executor.

The LLVM side is :mod:`replay.texture.emit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from replay.formats.convert import SRGB_TO_LINEAR
from replay.texture.binding import Binding
from replay.texture.tables import ELLIPSE_WEIGHTS

if TYPE_CHECKING:
    from replay.glsl.numpyops import NumpyOps

__all__ = ["NumpyMemory", "TexelMemory", "Vec"]

Vec: TypeAlias = Any

_HALVES: Final = 0x00FF00FF


class TexelMemory(Protocol):
    """Access to one bound texture, a vector of lanes at a time."""

    def integer(self, field: str, index: int = 0) -> Vec:
        """32-bit field of the descriptor, the same in all lanes."""

    def real(self, field: str, index: int = 0) -> Vec:
        """Float field of the descriptor, the same in all lanes."""

    def table(self, field: str, index: Vec, *, of_quads: bool) -> Vec:
        """Entries of a per-level table, one a lane; indices must be in range.

        Parameters
        ----------
        of_quads : the four lanes of a quad have the same index
        """

    def word(self, index: Vec) -> Vec:
        """Texel words by word number; must be in range in every lane."""

    def neighbours(self, rows: Sequence[Vec], low: Vec, high: Vec) -> list[tuple[Vec, Vec]]:
        """Texel words ``row + low`` and ``row + high`` of each row, which are next to each other nearly everywhere."""

    def srgb(self, code: Vec) -> Vec:
        """Linear floats of eight-bit sRGB codes 0..255."""

    def ellipse_weight(self, index: Vec) -> Vec:
        """Entries 0..1023 of the weights of anisotropic filtering."""

    def truncate(self, value: Vec) -> Vec:
        """Integer part of floats that are known to lie within the range of a 32-bit integer."""

    def blend_octets(self, low: Vec, high: Vec, weight: Vec) -> Vec:
        """Four unsigned octets a lane: (low * (256 - weight) + high * weight + 128) >> 8, weight 0..256."""

    def branch(self, mask: Vec, compute: Callable[[], Sequence[Vec]], otherwise: Sequence[Vec]) -> list[Vec]:
        """``compute()`` where the mask is set, ``otherwise`` elsewhere; may skip the computation when no lane wants
        it.
        """

    def accumulate(
        self, counts: Vec, most: int, body: Callable[[Vec], tuple[Sequence[Vec], Sequence[Vec]]]
    ) -> tuple[list[Vec], list[Vec]]:
        """Sum floats over a number of steps that differs between lanes.

        Parameters
        ----------
        counts : steps of each lane, 1 .. most
        body : called with the number of a step (integer vector, from 0); gives floats to add and lines that are touched

        Returns
        -------
        sums, and the lines of all ``most`` steps (NO_LINE in lanes that had no such step)
        """


class NumpyMemory:
    """Texels and descriptor of a binding as NumPy arrays."""

    def __init__(self, ops: NumpyOps, binding: Binding) -> None:
        self._ops = ops
        self._record = binding.descriptor[0]
        # Offsets are relative to the pointer, which may lie inside the allocation.
        skip = (int(self._record["words"]) - int(binding.words.ctypes.data)) // 4
        self._words = binding.words[skip:].view(np.int32)

    def integer(self, field: str, index: int = 0) -> Any:
        """32-bit field of the descriptor."""
        value = self._record[field]
        bits = value if value.ndim == 0 else value[index]
        return np.int32(np.uint32(int(bits) & 0xFFFFFFFF).view(np.int32))

    def real(self, field: str, index: int = 0) -> Any:
        """Float field of the descriptor."""
        value = self._record[field]
        return np.float32(value) if value.ndim == 0 else value.view(np.float32)[index]

    def table(self, field: str, index: Any, *, of_quads: bool) -> Any:
        """Entries of a per-level table."""
        return self._record[field].astype(np.int32)[index]

    def word(self, index: Any) -> NDArray[np.int32]:
        """Texel words."""
        found: NDArray[np.int32] = self._words[index]
        return found

    def neighbours(self, rows: Sequence[Any], low: Any, high: Any) -> list[tuple[Any, Any]]:
        """Texel words of neighbours in rows."""
        return [(self.word(self._ops.iadd(row, low)), self.word(self._ops.iadd(row, high))) for row in rows]

    def srgb(self, code: Any) -> NDArray[np.float32]:
        """Linear floats of sRGB codes."""
        linear: NDArray[np.float32] = SRGB_TO_LINEAR[code]
        return linear

    def ellipse_weight(self, index: Any) -> NDArray[np.float32]:
        """Weights of anisotropic filtering."""
        weights: NDArray[np.float32] = ELLIPSE_WEIGHTS[index]
        return weights

    def truncate(self, value: Any) -> Any:
        """Integer part."""
        return self._ops.ftoi(value)

    def blend_octets(self, low: Any, high: Any, weight: Any) -> Any:
        """Blend packed octets."""
        result = None
        for shift in (0, 8):
            a = np.asarray(low).view(np.uint32) >> np.uint32(shift) & np.uint32(_HALVES)
            b = np.asarray(high).view(np.uint32) >> np.uint32(shift) & np.uint32(_HALVES)
            part = np.asarray(weight).astype(np.uint32)
            mixed = (a * (np.uint32(256) - part) + b * part + np.uint32(0x00800080)) >> np.uint32(8) & np.uint32(
                _HALVES
            )
            result = mixed if result is None else result | mixed << np.uint32(8)
        return np.asarray(result).view(np.int32)

    def branch(self, mask: Any, compute: Callable[[], Sequence[Any]], otherwise: Sequence[Any]) -> list[Any]:
        """Compute everywhere and select."""
        return [self._ops.select(mask, a, b) for a, b in zip(compute(), otherwise, strict=True)]

    def accumulate(
        self, counts: Any, most: int, body: Callable[[Any], tuple[Sequence[Any], Sequence[Any]]]
    ) -> tuple[list[Any], list[Any]]:
        """Sum over steps."""
        sums: list[Any] = []
        lines: list[Any] = []
        none = np.full(counts.shape, -1, np.int32)
        for step in range(most):
            if step > 0 and not (counts > step).any():
                lines += [none] * (len(lines) // step * (most - step))
                break
            floats, touched = body(np.int32(step))
            runs = counts > step
            if not sums:
                sums = [np.zeros(counts.shape, np.float32) for _ in floats]
            sums = [np.where(runs, total + value, total) for total, value in zip(sums, floats, strict=True)]
            lines += [np.where(runs, line, none) for line in touched]
        return sums, lines
