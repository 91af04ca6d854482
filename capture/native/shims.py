"""Machine code in front of ``dlopen``, ``dlsym`` and ``dlvsym``.

The linker looks at who calls these functions. So what does not concern GL goes on by a jump that leaves the caller's
address where it was, without entering Python; the rest is given to callbacks, together with that address.
"""

from __future__ import annotations

from typing import Final

from capture.native.code import load_code
from replay.glsl.llvm.machine import LoadedCode

__all__ = ["INITIALS", "NEXT", "load_shims", "shim_assembly"]

#: The first two characters of all names that matter: gl*, egl*, dlopen and its like.
INITIALS: Final = frozenset({b"gl", b"eg", b"dl"})
#: ``RTLD_NEXT``: who asks for the next definition stands in front of a library, and calls what it finds for others.
NEXT: Final = 2**64 - 1

_OPEN: Final = """
declare ptr @llvm.returnaddress(i32)

define ptr @dlopen_shim(ptr %name, i32 %mode) {{
  %caller = call ptr @llvm.returnaddress(i32 0)
  %handle = call ptr inttoptr (i64 {callback} to ptr)(ptr %name, i32 %mode, ptr %caller)
  ret ptr %handle
}}
"""
_LOOK_UP: Final = """
declare ptr @llvm.returnaddress(i32)

define ptr @{function}_shim(ptr %handle, ptr %name{parameter}) {{
  %place = ptrtoint ptr %handle to i64
  %is_next = icmp eq i64 %place, {next}
  br i1 %is_next, label %next, label %look
next:
  %first = load i16, ptr %name, align 1
  switch i16 %first, label %pass [{next_cases}]
follow:
  %caller = call ptr @llvm.returnaddress(i32 0)
  %behind = call ptr inttoptr (i64 {next_callback} to ptr)(ptr %name, ptr %caller)
  %is_known = icmp ne ptr %behind, null
  br i1 %is_known, label %give, label %pass
give:
  ret ptr %behind
look:
  %initials = load i16, ptr %name, align 1
  switch i16 %initials, label %pass [{cases}]
ours:
  %found = call ptr inttoptr (i64 {callback} to ptr)(ptr %handle, ptr %name{argument})
  ret ptr %found
pass:
  %result = musttail call ptr inttoptr (i64 {real} to ptr)(ptr %handle, ptr %name{argument})
  ret ptr %result
}}
"""


def load_shims(callbacks: dict[str, int], next_callback: int, real: dict[str, int]) -> dict[str, LoadedCode]:
    """Make the shims.

    Parameters
    ----------
    callbacks : by function; ``dlopen``'s gets the caller's address as a third argument
    next_callback : gets a name and the caller's address where the next definition of GL is asked for; 0 leaves it to
        the linker
    real : the linker's own functions

    Returns
    -------
    code by function; it has to be kept
    """
    texts = shim_assembly(callbacks, next_callback, real)
    return {function: load_code(text, f"{function}_shim") for function, text in texts.items()}


def shim_assembly(callbacks: dict[str, int], next_callback: int, real: dict[str, int]) -> dict[str, str]:
    """LLVM assembly of the shims by function, as :func:`load_shims` takes its arguments."""
    cases, next_cases = (
        " ".join(f"i16 {int.from_bytes(text, 'little')}, label %{label}" for text in sorted(texts))
        for texts, label in ((INITIALS, "ours"), (INITIALS - {b"dl"}, "follow"))
    )
    made = {}
    for function, callback in callbacks.items():
        if function == "dlopen":
            made[function] = _OPEN.format(callback=callback)
            continue
        version = ", ptr %version" if function == "dlvsym" else ""
        made[function] = _LOOK_UP.format(
            function=function, callback=callback, real=real[function], cases=cases, next=NEXT - 2**64,
            next_cases=next_cases, next_callback=next_callback, parameter=version, argument=version,
        )  # fmt: skip
    return made
