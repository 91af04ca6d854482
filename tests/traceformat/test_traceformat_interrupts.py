"""Ctrl-C while native code that calls Python is at work: it comes when that has ended, and nothing is spoilt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

_BEGIN: Final = """
import os, signal, sys
from traceformat.interrupts import EndingSignals
came = []

def interrupt():
    came.append(1)
    signal.raise_signal(signal.SIGINT)

"""
#: LLVM asks for machine code, of which the cache has all; the second time Ctrl-C comes whenever it asks.
_KERNEL: Final = """
from numba.core.codegen import CPUCodeLibrary as Library
from traceformat.kernels import kernel

def asked(cls, module, answer=Library._object_getbuffer_hook):
    if "INTERRUPTED" in os.environ:
        interrupt()
    return answer(module)

Library._object_getbuffer_hook = classmethod(asked)

def double(x):
    return 2 * x

with EndingSignals():
    try:
        double = kernel("int64(int64)")(double)
        while "INTERRUPTED" in os.environ:
            pass
    except KeyboardInterrupt:
        pass
print(bool(came), double(21))
"""
#: An extension imports another of its package, which is looked for in Python.
_EXTENSION: Final = """
class Finder:
    def find_spec(name, path=None, target=None):
        if name == "numba._devicearray":
            interrupt()

sys.meta_path.insert(0, Finder)
with EndingSignals():
    try:
        import numba
        while True:
            pass
    except KeyboardInterrupt:
        print(len(came), "numba._devicearray" in sys.modules)
"""


def _run(program: Path, **environment: str) -> str:
    """Exit status and all that it says."""
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
    )  # fmt: skip
    return f"{done.returncode}: {done.stdout}{done.stderr}".strip()


def test_llvm_gets_the_machine_code_that_it_asks_for(tmp_path: Path) -> None:
    program, cache = tmp_path / "program.py", str(tmp_path / "cache")
    program.write_text(_BEGIN + _KERNEL)
    assert _run(program, GPUREPLAY_CACHE=cache) == "0: False 42"
    assert _run(program, GPUREPLAY_CACHE=cache, INTERRUPTED="1") == "0: True 42"


def test_a_native_module_is_loaded_with_what_it_needs(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_BEGIN + _EXTENSION)
    assert _run(program) == "0: 1 True"
