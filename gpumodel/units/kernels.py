"""The room's kernel compiler.

Everything that is compiled lies in ``gpumodel.units``, and in ``gpumodel.memory.dram`` that it calls, so that an edit
elsewhere (a command, a report, a preset) keeps the cached machine code.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from traceformat.kernels import KernelCompiler

__all__ = ["Array", "Int", "Record", "callback", "inner", "kernel"]

#: An int64 inside a kernel (fields and elements are converted without a word there).
Int: TypeAlias = Any
#: A record or sub-record inside a kernel: passed by reference, fields as attributes.
Record: TypeAlias = Any
#: A one-dimensional array inside a kernel.
Array: TypeAlias = Any

_compiler: Final = KernelCompiler("gpumodel.units", "gpumodel.memory.dram")
kernel: Final = _compiler.kernel
#: For functions that only other kernels call.
inner: Final = _compiler.inner
#: For functions that the machine calls by their address, see :mod:`.plug`.
callback: Final = _compiler.callback
