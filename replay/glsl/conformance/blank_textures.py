"""Textures of cases that bind none: an incomplete texture gives (0, 0, 0, 1) (GLES 3.0 §3.8.13), and has size 0."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from replay.glsl.texturing import Lookup, LookupKind, NumpyLookup, ResultKind, TextureAccess, TextureOperands

__all__ = ["BlankEmitter", "BlankTextures"]


def _is_integer(lookup: Lookup) -> bool:
    return lookup.kind is LookupKind.SIZE or lookup.result is not ResultKind.FLOAT


class BlankTextures:
    """For the NumPy executor."""

    def lookup(
        self, lookup: Lookup, operands: TextureOperands, *, record: bool = False, identity: bool = False
    ) -> NumpyLookup:
        """Give the incomplete texture's value in every lane."""
        dtype = np.int32 if _is_integer(lookup) else np.float32
        zero = np.zeros(operands.mask.size, dtype)
        alpha = zero if lookup.kind is LookupKind.SIZE else zero + dtype(1)
        return NumpyLookup((zero, zero, zero, alpha))


class BlankEmitter:
    """For the LLVM executor."""

    version = "blank-1"

    def emit(
        self,
        ops: Any,
        lookup: Lookup,
        key: Hashable,
        descriptor: Any,
        operands: TextureOperands,
        access: TextureAccess,
    ) -> tuple[Any, Any, Any, Any]:
        """Give constants."""
        constant = ops.iconst if _is_integer(lookup) else ops.fconst
        alpha = 0 if lookup.kind is LookupKind.SIZE else 1
        return constant(0), constant(0), constant(0), constant(alpha)
