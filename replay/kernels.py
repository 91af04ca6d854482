"""The rendering engine's door to Numba.

Kernels live in :mod:`replay.engine.kernels` alone, so that an edit anywhere else in ``replay`` keeps their
cached machine code valid.
"""

from __future__ import annotations

from typing import Final

from traceformat.kernels import KernelCompiler

__all__ = ["kernel"]

kernel: Final = KernelCompiler("replay.engine.kernels").kernel
