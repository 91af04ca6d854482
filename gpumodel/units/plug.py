"""Where techniques and back ends come into the compiled machine: functions that are called by their address.

The record holds addresses (:data:`.state.PLUG`); 0 is an empty plug and costs a test. So the baseline is one compiled
kernel whatever is plugged in, and what is plugged in is compiled only where it is used. All plugs have one signature,
:data:`PLUG_SIGNATURE`: the machine, the address of the plug's own record (0 = it has none), four integers.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gpumodel.units.types import SYSTEM_T

__all__ = ["PLUG_SIGNATURE", "call_plug"]

PLUG_SIGNATURE: Final = types.int64(SYSTEM_T, types.int64, types.int64, types.int64, types.int64, types.int64)


@intrinsic  # type: ignore[untyped-decorator]
def call_plug(typing_context: Any, s: Any, plug: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Call the function of a plug's record, which is not empty: ``function(s, own, a, b, c, d)``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        fields = builder.bitcast(args[1], i64.as_pointer())
        address = builder.load(fields)
        own = builder.load(builder.gep(fields, [ir.Constant(i64, 1)]))
        kind = ir.FunctionType(i64, [args[0].type, *[i64] * 5])
        return builder.call(builder.inttoptr(address, kind.as_pointer()), [args[0], own, *args[2:]])

    return types.int64(SYSTEM_T, plug, *[types.int64] * 4), generate
