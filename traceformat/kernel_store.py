"""Machine code of kernels on disk: one file a kernel, named by everything that the code follows from.

Numba stamps a cached function with the content of its own file only: an edit of a callee, or of a constant in another
module, leaves the caller's machine code stale and silently wrong. A kernel's key is therefore derived from what the
kernel really uses: its bytecode, and the values that its global names and closures stand for, constants and functions
alike, through all that they use in turn. A value that this module cannot read gives no key; such a kernel is compiled
by every process.

Several processes may share the folder. Who finds no whole file compiles; others that want the same kernel wait.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pickle
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np
from numba.core import config, types
from numba.core.caching import _Cache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.extending import _Intrinsic

from traceformat.checked_files import PART_SUFFIX, keep_newest, read_checked, write_checked

__all__ = ["KernelFile", "kernel_key"]

#: Files of one kernel that are kept: other versions, processors, settings.
_KEPT_GENERATIONS: Final = 4
#: A temporary file of this age was left by a process that was killed.
_LEFT_SECONDS: Final = 3600.0
#: A process waits so long for another that compiles the same kernel, then compiles it itself.
_WAIT_SECONDS: Final = 900.0
_POLL_SECONDS: Final = 0.02
#: What these have is told apart by name and version.
_LIBRARIES: Final = frozenset({"builtins", "ctypes", "functools", "llvmlite", "math", "numba", "numpy", "operator"})
#: Settings of Numba that change machine code.
_SETTINGS: Final = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "ENABLE_AVX")


class _UnreadableError(Exception):
    """A value of which it cannot be said what machine code takes from it."""


class _Reader:
    """Gives equal digests for values that give equal machine code, in every process."""

    def __init__(self) -> None:
        #: The value keeps its identity from being used again.
        self._known: dict[int, tuple[Any, bytes]] = {}
        self._open: set[int] = set()

    def digest(self, value: Any) -> bytes:
        """Sixteen octets for a value."""
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        if id(value) in self._open:
            return b"recursion"
        self._open.add(id(value))
        try:
            parts = hashlib.blake2b(digest_size=16)
            for part in self._parts(value):
                parts.update(len(part).to_bytes(8, "little") + part)
        finally:
            self._open.discard(id(value))
        digest = parts.digest()
        self._known[id(value)] = value, digest
        return digest

    def _parts(self, value: Any) -> Iterator[bytes]:
        yield type(value).__qualname__.encode()
        match value:
            case Enum():
                yield from self._all((value.name, value.value))
            case None | bool() | int() | float() | complex() | str() | bytes():
                yield repr(value).encode("utf-8", "surrogatepass")
            case tuple() | list():
                yield from self._all(value)
            case set() | frozenset():
                yield from sorted(self._all(value))
            case dict():
                for key, item in value.items():
                    yield from self._all((key, item))
            case CodeType():
                yield from self._code(value, value.co_consts)
            case FunctionType():
                yield from self._function(value)
            case Dispatcher():
                yield from self._all((value.py_func, _options(value.targetoptions), getattr(value, "wanted", None)))
                yield from self._all((getattr(value, "wraparound", True),))
            case CFunc():
                yield from self._all((value.__wrapped__, str(value._sig), getattr(value, "wraparound", True)))  # type: ignore[attr-defined]
            case _Intrinsic():
                yield from self._all((value._defn,))
            case types.NamedTuple() | types.NamedUniTuple():  # type: ignore[attr-defined]
                # Fields are read by their number, and their names are not among what a type says of itself.
                yield f"{value} {value.fields}".encode()
            case types.Type():
                yield str(value).encode()
            case np.dtype():
                yield repr(value).encode()
            case np.generic() | np.ndarray() if not value.dtype.hasobject:
                yield from (repr(value.dtype).encode(), repr(value.shape).encode(), value.tobytes())
            case _:
                yield self._name(value)

    def _all(self, values: Iterable[Any]) -> Iterator[bytes]:
        return map(self.digest, values)

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        yield (function.__module__ + "." + function.__qualname__).encode()
        if _is_library(function.__module__):
            return
        code = function.__code__
        consts = code.co_consts
        # The documentation is the first constant.
        yield from self._code(code, consts[1:] if consts and consts[0] == function.__doc__ else consts)
        yield from self._all((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            # The cell of a function that refers to itself is filled later.
            with contextlib.suppress(ValueError):
                yield self.digest(cell.cell_contents)
        names = _names(code)
        for name in names:
            if name in function.__globals__:
                yield name.encode()
                yield from self._used(function.__globals__[name], names)

    def _used(self, value: Any, names: tuple[str, ...]) -> Iterator[bytes]:
        """What a function takes from a global: of a module or class, what it has by one of the function's names."""
        if not isinstance(value, ModuleType | type):
            yield self.digest(value)
            return
        module = value.__name__ if isinstance(value, ModuleType) else value.__module__
        yield f"{module}.{value.__name__}".encode()
        if not _is_library(module):
            for name in names:
                if name in vars(value):
                    yield name.encode()
                    yield from self._used(vars(value)[name], names)

    def _code(self, code: CodeType, consts: tuple[Any, ...]) -> Iterator[bytes]:
        yield from (code.co_code, code.co_exceptiontable, repr(code.co_flags).encode())
        for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            yield " ".join(names).encode()
        yield from self._all(consts)

    @staticmethod
    def _name(value: Any) -> bytes:
        """Name of what a library has."""
        of_library = _is_library(type(value).__module__)
        if isinstance(value, BuiltinFunctionType | np.ufunc | type) or (of_library and hasattr(value, "__qualname__")):
            module = getattr(value, "__module__", None) or "builtins"
            if _is_library(module):
                return f"{module}.{getattr(value, '__qualname__', value.__name__)}".encode()
        text = str(value)
        if of_library and " at 0x" not in text:
            return text.encode()
        raise _UnreadableError(f"{value!r}, a {type(value).__module__}.{type(value).__qualname__}")


_reader: Final = _Reader()


def _is_library(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] in _LIBRARIES


@cache
def _names(code: CodeType) -> tuple[str, ...]:
    """Names that a function and those inside it use."""
    nested = (const for const in code.co_consts if isinstance(const, CodeType))
    return tuple(sorted({*code.co_names, *(name for inside in nested for name in _names(inside))}))


def _options(options: Mapping[str, Any]) -> str:
    return repr(sorted(options.items()))


@cache
def _surroundings() -> str:
    """What all machine code depends on beside its source."""
    import sys

    import llvmlite
    import numba
    from numba.core.registry import cpu_target

    settings = [getattr(config, name, None) for name in _SETTINGS]
    versions = (sys.version_info[:3], numba.__version__, llvmlite.__version__, np.__version__)
    return repr((versions, settings, cpu_target.target_context.codegen().magic_tuple()))


def kernel_key(function: Callable[..., Any], options: Mapping[str, Any], signature: Any) -> str | None:
    """Hash over everything that a kernel's machine code follows from, hexadecimal; None if that cannot be told.

    Parameters
    ----------
    function : as it was written
    options : of the compiler
    signature : types of arguments and result, or of arguments alone
    """
    try:
        given = getattr(signature, "args", signature)
        types_of = b"".join(map(_reader.digest, given)) if isinstance(given, tuple) else b""
        parts = [_reader.digest(function), _options(options).encode(), str(signature).encode(), types_of]
    except _UnreadableError:
        return None
    return hashlib.sha256(b"\0".join([*parts, _surroundings().encode()])).hexdigest()[:40]


class KernelFile(_Cache):  # type: ignore[misc]
    """Where a dispatcher of Numba finds and leaves machine code.

    Parameters
    ----------
    folder : of all kernels; made when the first is written
    function, options : the kernel
    """

    def __init__(self, folder: Path, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self._folder = folder
        self._function = function
        self._options = options
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._lock = zlib.crc32(self._name.encode())

    @property
    def cache_path(self) -> str:
        """Folder of all kernels."""
        return str(self._folder)

    def enable(self) -> None:
        """Do nothing: it is never disabled."""

    def disable(self) -> None:
        """Do nothing."""

    def flush(self) -> None:
        """Remove every version of this kernel."""
        for path in self._folder.glob(f"{self._name}-*.kernel"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, None if there is none: it is to be compiled then, and saved."""
        path = self._path(sig)
        if path is None:
            return None
        content = read_checked(path)
        if content is None:
            self._wait()
            content = read_checked(path)
            if content is None:
                return None
            self._let_go()
        # What compiling needs beside is made known by the first compilation, and takes a third of a second.
        rtsys.initialize(target_context)
        return CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel; a folder that cannot be written is no error, it only costs time later."""
        path = self._path(sig)
        if path is not None and not data.library.has_dynamic_globals:
            write_checked(path, dumps(data._reduce()))
            with contextlib.suppress(OSError):
                self._remove_old()
        self._let_go()

    def object_code(self, signature: Any) -> bytes | None:
        """The object file of a kernel that was compiled or loaded, None if it could not be kept."""
        path = self._path(signature)
        content = None if path is None else read_checked(path)
        if content is None:
            return None
        (_, _, (code, _)), *_ = pickle.loads(content)
        assert isinstance(code, bytes)
        return code

    def _path(self, signature: Any) -> Path | None:
        key = kernel_key(self._function, self._options, signature)
        return None if key is None else self._folder / f"{self._name}-{key}.kernel"

    def _remove_old(self) -> None:
        keep_newest(self._folder, f"{self._name}-*.kernel", _KEPT_GENERATIONS)
        for path in self._folder.glob(f"*{PART_SUFFIX}"):
            if _age(path) > _LEFT_SECONDS:
                path.unlink(missing_ok=True)

    def _wait(self) -> None:
        """Become the one process that compiles this kernel, or wait until another has done so."""
        end = time.monotonic() + _WAIT_SECONDS
        with contextlib.suppress(OSError):
            while time.monotonic() < end:
                try:
                    fcntl.lockf(_lock_file(self._folder), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._lock)
                except BlockingIOError:
                    time.sleep(_POLL_SECONDS)
                else:
                    return

    def _let_go(self) -> None:
        with contextlib.suppress(OSError):
            fcntl.lockf(_lock_file(self._folder), fcntl.LOCK_UN, 1, self._lock)


@cache
def _lock_file(folder: Path) -> int:
    """One file for all kernels, an octet each.

    Such locks belong to a process: they end with it however it ends, and its children do not have them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _age(path: Path) -> float:
    """Seconds since a file was written."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0
