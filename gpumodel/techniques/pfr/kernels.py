"""Kernel compiler of Parallel Frame Rendering."""

from __future__ import annotations

from typing import Final

from traceformat.kernels import KernelCompiler

__all__ = ["callback"]

callback: Final = KernelCompiler("gpumodel.techniques.pfr", "gpumodel.units", "gpumodel.memory.dram").callback
