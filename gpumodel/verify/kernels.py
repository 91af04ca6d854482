"""Kernel compiler of this package: an edit elsewhere keeps its cached machine code."""

from __future__ import annotations

from typing import Final

from traceformat.kernels import KernelCompiler

__all__ = ["kernel"]

kernel: Final = KernelCompiler("gpumodel.verify").kernel
