"""The room's door to Numba: division by zero gives IEEE results in its kernels, not exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traceformat import kernels

__all__ = ["kernel"]


def kernel(*signatures: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with the given Numba signatures, see :func:`traceformat.kernels.kernel`."""
    return kernels.kernel(*signatures, error_model="numpy", **options)
