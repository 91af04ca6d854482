"""Memory by its address: how kernels take many arrays in one record of numbers.

Handing forty arrays to a kernel takes longer than a small draw needs in all; a record of addresses takes a microsecond.
Whoever fills a record keeps what it points to alive.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

__all__ = ["pointer"]


@intrinsic
def pointer(typingctx, address):
    """Pointer to an address, for ``numba.carray``."""

    def generate(context, builder, signature, operands):
        return builder.inttoptr(operands[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate
