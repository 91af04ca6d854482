"""The rendering engine's door to Numba.

Kernels live in :mod:`replay.engine.kernels` alone, so that an edit anywhere else in ``replay`` keeps their
cached machine code valid. Division by zero gives IEEE results in them, not exceptions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from traceformat.kernels import KernelCompiler

__all__ = ["Array", "Int", "Record", "entry", "kernel"]

#: An int64 inside a kernel.
Int: TypeAlias = Any
#: An array inside a kernel.
Array: TypeAlias = Any
#: A record inside a kernel: passed by reference, fields as attributes.
Record: TypeAlias = Any

_compiler: Final = KernelCompiler("replay.engine.kernels", "traceformat.native", "replay.glsl.llvm")


def kernel(*signatures: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with the given Numba signatures, see :class:`~traceformat.kernels.KernelCompiler`."""
    return _compiler.kernel(*signatures, error_model="numpy", **options)


def entry(function: Callable[..., Any]) -> Any:
    """Compile ``function(address) -> int``, which C code and other kernels can call by its ``address``.

    What a kernel calls so is not compiled into it once more.
    """
    return _compiler.callback("int64(int64)", error_model="numpy")(function)
