"""The package's kernel compiler, and the Numba types of its records."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, TypeAlias

from numba import from_dtype, types

from gpumodel.memory.dram import state
from traceformat import kernels

__all__ = [
    "BANK_T",
    "CHANNEL_T",
    "COMMANDS",
    "MEMORY_T",
    "PARAMETERS_T",
    "REQUESTS",
    "TRANSACTIONS_T",
    "Array",
    "Int",
    "Record",
    "inner",
    "kernel",
]

#: The controller never counts from the end of a queue.
kernel: Final = partial(kernels.kernel, wraparound=False)
inner: Final = partial(kernels.inner, wraparound=False)

#: An int64 inside a kernel.
Int: TypeAlias = Any
#: A record or sub-record inside a kernel: passed by reference, fields as attributes.
Record: TypeAlias = Any
#: A one-dimensional array inside a kernel.
Array: TypeAlias = Any


PARAMETERS_T: Final = from_dtype(state.PARAMETERS)
BANK_T: Final = from_dtype(state.BANK)
TRANSACTIONS_T: Final = from_dtype(state.TRANSACTIONS)
CHANNEL_T: Final = from_dtype(state.CHANNEL)
MEMORY_T: Final = from_dtype(state.MEMORY)
REQUESTS: Final = types.Array(from_dtype(state.REQUEST), 1, "C")
COMMANDS: Final = types.Array(from_dtype(state.COMMAND), 1, "C")
