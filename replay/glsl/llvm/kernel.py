"""Functions written over :class:`replay.glsl.vectorops.VectorOps`, run as machine code on arrays.

How the math library and texture filters are checked against their NumPy side.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.glsl.llvm.machine import compile_object, load_object
from replay.glsl.llvm.vectors import LANES, FloatVec, IntVec, LlvmOps, MaskVec, Vector
from replay.glsl.llvm.writer import FunctionWriter, ModuleWriter

__all__ = ["VectorKernel"]

_numbers = itertools.count()
_DTYPES: Final[dict[type[Vector], Any]] = {FloatVec: np.float32, IntVec: np.int32, MaskVec: np.int32}


class VectorKernel:
    """One function of vectors as machine code.

    Parameters
    ----------
    build : called once as ``build(ops, *parameters)``; gives a tuple of vectors
    parameters : FloatVec, IntVec or MaskVec for each parameter
    pointers : number of pointers that ``build`` gets behind the vectors (to memory that it gathers from)
    """

    def __init__(
        self, build: Callable[..., tuple[Any, ...]], parameters: Sequence[type[Vector]], pointers: int = 0
    ) -> None:
        symbol = f"kernel_{next(_numbers)}"
        module, function = ModuleWriter(), FunctionWriter()
        ops = LlvmOps(module, function)
        self._parameters = tuple(parameters)
        sources = [ops.load("ptr", "%arguments", 8 * row, align=8) for row in range(len(parameters) + pointers)]
        first_target = len(sources)
        with ops.repeat("%groups") as number:
            place = function.assign(f"mul i64 {function.assign(f'zext i32 {number} to i64')}, {4 * LANES}")
            operands: list[Any] = []
            for kind, source in zip(parameters, sources, strict=False):
                if kind is FloatVec:
                    operands.append(ops.load_fvec(source, place))
                else:
                    word = ops.load_ivec(source, place)
                    operands.append(ops.ine(word, ops.iconst(0)) if kind is MaskVec else word)
            results = build(ops, *operands, *sources[len(parameters) :])
            self._results = [type(result) for result in results]
            for row, result in enumerate(results):
                if isinstance(result, MaskVec):
                    result = ops.select(result, ops.iconst(1), ops.iconst(0))
                target = ops.load("ptr", "%arguments", 8 * (first_target + row), align=8)
                ops.store(result, target, place)
        function.line("ret void")
        head = f"define void @{symbol}(ptr noalias %arguments, i32 %groups) nounwind {{"
        module.define(f"@{symbol}", f"{head}\n{function.body()}\n}}")
        self._code = load_object(compile_object(module.text()), symbol, symbol)
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)(self._code.address)

    def __call__(self, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Run on (n,) arrays, n a multiple of LANES, of the parameters' kinds; the arrays behind pointers come last."""
        vectors = [
            np.ascontiguousarray(array, _DTYPES[kind]) for kind, array in zip(self._parameters, arrays, strict=False)
        ]
        length = len(vectors[0])
        if length % LANES:
            raise ValueError(f"{length} lanes are no multiple of {LANES}")
        results = [np.empty(length, _DTYPES[kind]) for kind in self._results]
        everything = [*vectors, *arrays[len(vectors) :], *results]
        table = np.array([array.ctypes.data for array in everything], np.uint64)
        self._function(table.ctypes.data, length // LANES)
        return tuple(
            result.astype(bool) if kind is MaskVec else result
            for kind, result in zip(self._results, results, strict=True)
        )
