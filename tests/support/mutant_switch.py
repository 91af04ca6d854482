"""Which mutant is at work: a word at a fixed place, so that machine code is compiled once for all mutants.

A copy of this module lies beside the mutated packages. A process takes the mutant's number from the environment, or has
it set (:func:`choose`); processes that it starts take it over. Places that are passed are noted, so that a mutant is
only judged by tests that reach it (:func:`reached`).
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

__all__ = ["MOST", "VARIABLE", "choose", "chosen", "forget_reached", "reached"]

#: Of the environment: the number of the mutant at work.
VARIABLE: Final = "GPUREPLAY_MUTANT"
#: Compiled code has this address in it; no process of ours has anything there.
_ADDRESS: Final = 0x3A0000000000
_PAGE_BYTES: Final = 4096
#: A byte for each mutant behind the word's page: its place has been passed.
MOST: Final = 4 * _PAGE_BYTES
_REACHED: Final = _ADDRESS + _PAGE_BYTES
_MAP_FIXED_NOREPLACE: Final = 0x100000


def _map_page() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE
    if libc.mmap(_ADDRESS, _PAGE_BYTES + MOST, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0) != _ADDRESS:
        raise OSError(ctypes.get_errno(), "the page of the mutant's number cannot be mapped")


def choose(number: int) -> None:
    """Put a mutant to work in this process, and in those that it starts; 0 is none."""
    ctypes.c_int64.from_address(_ADDRESS).value = number
    os.environ[VARIABLE] = str(number)


def reached() -> list[int]:
    """Numbers of the mutants whose places this process has passed."""
    passed = ctypes.string_at(_REACHED, MOST)
    return [number for number, byte in enumerate(passed) if byte]


def forget_reached() -> None:
    """Begin anew to note places."""
    ctypes.memset(_REACHED, 0, MOST)


def chosen(number: int) -> bool:
    """Whether this mutant is at work; kernels ask, too."""
    ctypes.c_int8.from_address(_REACHED + number).value = 1
    return ctypes.c_int64.from_address(_ADDRESS).value == number


@type_callable(chosen)  # type: ignore[untyped-decorator]
def _type_chosen(context: Any) -> Any:
    return lambda number: types.boolean


@lower_builtin(chosen, types.Integer)  # type: ignore[untyped-decorator]
def _lower_chosen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    word = ir.IntType(64)
    (number,) = arguments
    number = context.cast(builder, number, signature.args[0], types.int64)
    passed = builder.inttoptr(builder.add(number, ir.Constant(word, _REACHED)), ir.IntType(8).as_pointer())
    builder.store(ir.Constant(ir.IntType(8), 1), passed)
    at_work = builder.load(builder.inttoptr(ir.Constant(word, _ADDRESS), word.as_pointer()))
    return builder.icmp_signed("==", at_work, number)


_map_page()
choose(int(os.environ.get(VARIABLE, "0")))
