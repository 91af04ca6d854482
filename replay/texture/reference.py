"""The NumPy executor's textures: :mod:`replay.texture.sampling` over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from replay.glsl.numpyops import NumpyOps
from replay.glsl.texturing import Lookup, NumpyLookup, TextureOperands
from replay.texture.binding import Binding
from replay.texture.memory import NumpyMemory
from replay.texture.sampling import sample

__all__ = ["SamplerReference"]


class SamplerReference:
    """Implements :class:`replay.glsl.texturing.NumpyTextures`.

    Parameters
    ----------
    bindings : what is bound to each sampler slot
    """

    def __init__(self, bindings: Sequence[Binding]) -> None:
        self._bindings = bindings

    def lookup(
        self, lookup: Lookup, operands: TextureOperands, *, record: bool = False, identity: bool = False
    ) -> NumpyLookup:
        """Execute one texture instruction on (n,) arrays; see the protocol."""
        ops = NumpyOps()
        binding = self._bindings[lookup.slot]
        count = len(operands.mask)

        def full(value: Any, dtype: Any = None) -> Any:
            array = np.broadcast_to(np.asarray(value), (count,))
            return np.ascontiguousarray(array if dtype is None else array.astype(dtype))

        with np.errstate(all="ignore"):
            result = sample(ops, NumpyMemory(ops, binding), binding.key, lookup, operands, record=record)
            red, green, blue, alpha = (full(channel) for channel in result.rgba)
        found = NumpyLookup((red, green, blue, alpha))
        if record:
            lines = [full(line).view(np.uint32) for line in result.lines]
            found.lines = np.stack(lines) if lines else np.zeros((0, count), np.uint32)
            found.texels = full(result.texels, np.uint8)
        if identity:
            found.identity = np.zeros(count, np.int32) if result.lod is None else full(result.lod).view(np.int32)
        return found
