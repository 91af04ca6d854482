"""Kernel compiler of this package, and what its kernels call their values."""

from __future__ import annotations

from typing import Any, TypeAlias

from traceformat.kernels import inner, kernel

__all__ = ["Array", "Number", "Record", "inner", "kernel"]

#: Values inside a kernel, typed by its signature.
Number: TypeAlias = Any
Record: TypeAlias = Any
Array: TypeAlias = Any
