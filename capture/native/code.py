"""Assembly of the recorder as callable machine code."""

from __future__ import annotations

from itertools import count

from replay.glsl.llvm.machine import LoadedCode, compile_object, load_object

__all__ = ["load_code"]

_numbers = count(1)


def load_code(assembly: str, symbol: str) -> LoadedCode:
    """Compile a module and load it; what is given has to be kept as long as the code is called.

    Parameters
    ----------
    assembly : of LLVM
    symbol : function whose address is wanted
    """
    return load_object(compile_object(assembly), symbol, f"capture-{symbol}-{next(_numbers)}")
