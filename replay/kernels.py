"""The rendering engine's door to Numba.

Kernels live in :mod:`replay.engine.kernels` alone, so that an edit anywhere else in ``replay`` keeps their
cached machine code valid. Division by zero gives IEEE results in them, not exceptions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from traceformat.kernels import KernelCompiler

__all__ = ["kernel"]

_compiler: Final = KernelCompiler("replay.engine.kernels")


def kernel(*signatures: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with the given Numba signatures, see :class:`~traceformat.kernels.KernelCompiler`."""
    return _compiler.kernel(*signatures, error_model="numpy", **options)
