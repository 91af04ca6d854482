"""The handheld model's door to Numba: kernels of its own, so that nothing else compiles them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from traceformat.kernels import KernelCompiler

__all__ = ["kernel"]

_compiler: Final = KernelCompiler("gpumodel.handheld")


def kernel(*signatures: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with the given Numba signatures, see :class:`~traceformat.kernels.KernelCompiler`."""
    return _compiler.kernel(*signatures, **options)
