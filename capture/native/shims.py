"""Machine code in front of ``dlopen``, ``dlsym`` and ``dlvsym``.

The linker looks at who calls these functions. So what does not concern GL goes on by a jump that leaves the caller's
address where it was, without entering Python; the rest is given to callbacks, together with that address.
"""

from __future__ import annotations

from typing import Final

from capture.native.code import load_code
from replay.glsl.llvm.machine import LoadedCode

__all__ = ["INITIALS", "NEXT", "NO_LOAD", "load_shims", "shim_assembly"]

#: The first two characters of all names that matter: gl*, egl*, dlopen and its like.
INITIALS: Final = frozenset({b"gl", b"eg", b"dl"})
#: ``RTLD_NEXT``: who asks for the next definition stands in front of a library, and calls what it finds for others.
NEXT: Final = 2**64 - 1
#: ``RTLD_NOLOAD``.
NO_LOAD: Final = 4

#: What is loaded already, or the program itself, brings nothing new: it goes on without Python, for who waits for the
#: thread that opens it may have the interpreter. Not so while others are loading, since what they load is there before
#: it has been looked at, nor names with ``GL`` in them.
_OPEN: Final = """
declare ptr @llvm.returnaddress(i32)

define ptr @dlopen_shim(ptr %name, i32 %mode) {{
start:
  %caller = call ptr @llvm.returnaddress(i32 0)
  %is_named = icmp ne ptr %name, null
  br i1 %is_named, label %letter, label %itself
itself:
  %own = call ptr inttoptr (i64 {dlopen} to ptr)(ptr null, i32 %mode)
  ret ptr %own
letter:
  %at = phi ptr [ %name, %start ], [ %following, %another ]
  %one = load i8, ptr %at
  %is_end = icmp eq i8 %one, 0
  br i1 %is_end, label %known, label %another
another:
  %following = getelementptr i8, ptr %at, i64 1
  %two = load i8, ptr %following
  %is_g = icmp eq i8 %one, 71
  %is_l = icmp eq i8 %two, 76
  %is_gl = and i1 %is_g, %is_l
  br i1 %is_gl, label %judge, label %letter
known:
  %quiet = or i32 %mode, {no_load}
  %loaded = call ptr inttoptr (i64 {dlopen} to ptr)(ptr %name, i32 %quiet)
  %is_loaded = icmp ne ptr %loaded, null
  br i1 %is_loaded, label %ask, label %judge
ask:
  %others = load atomic i64, ptr inttoptr (i64 {loading} to ptr) seq_cst, align 8
  %is_calm = icmp eq i64 %others, 0
  br i1 %is_calm, label %give, label %again
again:
  %closed = call i32 inttoptr (i64 {dlclose} to ptr)(ptr %loaded)
  br label %judge
give:
  ret ptr %loaded
judge:
  %before = atomicrmw add ptr inttoptr (i64 {loading} to ptr), i64 1 seq_cst
  %handle = call ptr inttoptr (i64 {callback} to ptr)(ptr %name, i32 %mode, ptr %caller)
  %after = atomicrmw sub ptr inttoptr (i64 {loading} to ptr), i64 1 seq_cst
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


def load_shims(
    callbacks: dict[str, int], next_callback: int, real: dict[str, int], loading: int
) -> dict[str, LoadedCode]:
    """Make the shims.

    Parameters
    ----------
    callbacks : by function; ``dlopen``'s gets the caller's address as a third argument
    next_callback : gets a name and the caller's address where the next definition of GL is asked for; 0 leaves it to
        the linker
    real : the linker's own functions, ``dlclose`` too
    loading : address of 64 bits: how many are in the callback of ``dlopen``, zero at first

    Returns
    -------
    code by function; it has to be kept
    """
    texts = shim_assembly(callbacks, next_callback, real, loading)
    return {function: load_code(text, f"{function}_shim") for function, text in texts.items()}


def shim_assembly(callbacks: dict[str, int], next_callback: int, real: dict[str, int], loading: int) -> dict[str, str]:
    """LLVM assembly of the shims by function, as :func:`load_shims` takes its arguments."""
    cases, next_cases = (
        " ".join(f"i16 {int.from_bytes(text, 'little')}, label %{label}" for text in sorted(texts))
        for texts, label in ((INITIALS, "ours"), (INITIALS - {b"dl"}, "follow"))
    )
    made = {}
    for function, callback in callbacks.items():
        if function == "dlopen":
            made[function] = _OPEN.format(callback=callback, loading=loading, no_load=NO_LOAD, **real)
            continue
        version = ", ptr %version" if function == "dlvsym" else ""
        made[function] = _LOOK_UP.format(
            function=function, callback=callback, real=real[function], cases=cases, next=NEXT - 2**64,
            next_cases=next_cases, next_callback=next_callback, parameter=version, argument=version,
        )  # fmt: skip
    return made
