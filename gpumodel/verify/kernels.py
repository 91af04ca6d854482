"""Kernel compiler of this package: an edit elsewhere keeps its cached machine code."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from traceformat.kernels import KernelCompiler

__all__ = ["Array", "Number", "Record", "kernel"]

#: Values inside a kernel, typed by its signature.
Number: TypeAlias = Any
Record: TypeAlias = Any
Array: TypeAlias = Any

kernel: Final = KernelCompiler("gpumodel.verify").kernel
