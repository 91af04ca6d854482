"""The room's door to Numba: in its kernels division by zero gives IEEE results, not exceptions, and an index is taken
as it is, not counted from the end where it is negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from traceformat import kernels

__all__ = ["Array", "Bool", "Float", "Int", "Record", "entry", "generated", "inner", "kernel"]

#: An int64 inside a kernel.
Int: TypeAlias = Any
#: A float inside a kernel.
Float: TypeAlias = Any
#: A truth value inside a kernel.
Bool: TypeAlias = Any
#: An array inside a kernel.
Array: TypeAlias = Any
#: A record inside a kernel: passed by reference, fields as attributes.
Record: TypeAlias = Any


def kernel(*signatures: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with the given Numba signatures, see :func:`traceformat.kernels.kernel`."""
    return kernels.kernel(*signatures, error_model="numpy", wraparound=False, **options)


def inner(signature: Any, *, inline: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For functions that only other kernels call, see :func:`traceformat.kernels.inner`.

    Parameters
    ----------
    signature : a Numba signature
    inline : put it into its callers whatever its size: where a call costs as much as what it does
    """
    return kernels.inner(signature, error_model="numpy", wraparound=False, forceinline=inline)


def entry(function: Callable[..., Any]) -> Any:
    """Compile ``function(address) -> int``, which C code and other kernels can call by its ``address``.

    What a kernel calls so is not compiled into it once more.
    """
    return kernels.callback("int64(int64)", error_model="numpy", wraparound=False)(function)


def generated(function: Callable[..., Any]) -> Any:
    """For functions whose LLVM code is written by hand: ``numba.extending.intrinsic``."""
    from numba.extending import intrinsic

    return intrinsic(function)
