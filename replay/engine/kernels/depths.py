"""Depth as targets keep it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from replay.kernels import Float, Int, generated, inner

__all__ = ["DEPTH_FLOAT", "depth_code", "depth_codes"]

#: ``depth_bits`` of targets whose depth is the bits of a float32.
DEPTH_FLOAT: Final = 0
_QUAD: Final = 4


@inner("uint32(float64, int64)", inline=True)
def depth_code(z: Float, depth_bits: Int) -> Int:
    """Depth as the target keeps it: unsigned normalized, or the bits of a float32."""
    value = np.float32(z)
    value = min(max(value, np.float32(0.0)), np.float32(1.0)) + np.float32(0.0)
    if depth_bits == DEPTH_FLOAT:
        return np.float32(value).view(np.uint32)
    return np.uint32(np.rint(np.float64(value) * np.float64((1 << depth_bits) - 1)))


def _limited(builder: Any, z: Any) -> Any:
    """Four depths as float32 between 0 and 1, as :func:`depth_code` has them; NaN stays."""
    floats = ir.VectorType(ir.FloatType(), _QUAD)
    value = builder.fptrunc(z, floats)
    for limit, beyond in ((0.0, "<"), (1.0, ">")):
        bound = ir.Constant(floats, [limit] * _QUAD)
        value = builder.select(builder.fcmp_ordered(beyond, value, bound), bound, value)
    return builder.fadd(value, ir.Constant(floats, [0.0] * _QUAD))


@generated
def depth_codes(typing_context: Any, address: Any, z: Any, dzdx: Any, dzdy: Any, steps: Any) -> Any:
    """Write the depths of a quad's fragments, whose first one lies at ``z``, as the target keeps them.

    What :func:`depth_code` gives for each, at once. ``steps`` is the greatest code, 0.0 for the bits of a float32.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        doubles, words = (ir.VectorType(kind, _QUAD) for kind in (ir.DoubleType(), ir.IntType(32)))
        place, first, right, up, greatest = args
        zero = ir.Constant(ir.DoubleType(), 0.0)

        def vector(*values: Any) -> Any:
            made = ir.Constant(doubles, ir.Undefined)
            for number, value in enumerate(values):
                made = builder.insert_element(made, value, ir.Constant(ir.IntType(32), number))
            return made

        depths = builder.fadd(vector(*[first] * _QUAD), vector(zero, right, zero, right))
        value = _limited(builder, builder.fadd(depths, vector(zero, zero, up, up)))
        goal = builder.inttoptr(place, words.as_pointer())
        with builder.if_else(builder.fcmp_ordered("==", greatest, zero)) as (bits, codes):
            with bits:
                builder.store(builder.bitcast(value, words), goal, align=4)
            with codes:
                scaled = builder.fmul(builder.fpext(value, doubles), vector(*[greatest] * _QUAD))
                kind = ir.FunctionType(doubles, [doubles])
                rint = cgutils.get_or_insert_function(builder.module, kind, f"llvm.rint.v{_QUAD}f64")
                builder.store(builder.fptoui(builder.call(rint, [scaled]), words), goal, align=4)
        return context.get_dummy_value()

    number = types.float64
    return types.void(types.int64, number, number, number, number), generate
