"""The room's kernel compiler: ``inner`` for what only other kernels call, ``callback`` for what the machine calls by
its address (:mod:`.plug`).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, TypeAlias

from traceformat import kernels

__all__ = ["Array", "Int", "Record", "callback", "inner", "kernel"]

#: Units never count from the end of a ring or table.
kernel: Final = partial(kernels.kernel, wraparound=False)
inner: Final = partial(kernels.inner, wraparound=False)
callback: Final = partial(kernels.callback, wraparound=False)

#: An int64 inside a kernel (fields and elements are converted without a word there).
Int: TypeAlias = Any
#: A record or sub-record inside a kernel: passed by reference, fields as attributes.
Record: TypeAlias = Any
#: A one-dimensional array inside a kernel.
Array: TypeAlias = Any
