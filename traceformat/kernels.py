"""Compiled kernels: one typed door to Numba.

Machine code is kept on disk (:mod:`traceformat.kernel_store`)::

    from traceformat.kernels import kernel

    @kernel("int64(int64)")
    def double(x): ...
"""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

__all__ = ["cache_root", "callback", "compiling", "inner", "kernel", "source_hash"]

F = TypeVar("F", bound=Callable[..., Any])

#: Kernels in the making, and since when.
_at_work: list[tuple[str, float]] = []
#: Folders in which files could be made.
_writable: set[Path] = set()
#: Whether negative indices count from the end in what is compiled now; the innermost function's comes last.
_wraparound = [True]


def compiling() -> tuple[str, float]:
    """Name of the kernel that is being made, or loaded from the cache, and since when; an empty name for none."""
    return _at_work[-1] if _at_work else ("", 0.0)


#: Each stage asks for it.
_path = cache(Path)


@cache
def _user_cache(*_homes: str | None) -> Path:
    """The platform's cache folder, which follows from these variables."""
    return Path(platformdirs.user_cache_dir("gpureplay"))


def cache_root() -> Path:
    """Folder of everything the toolchain caches: ``GPUREPLAY_CACHE``, else the platform's cache folder.

    Falls back to a private folder under the temporary directory where neither can be written.
    """
    own = os.environ.get("GPUREPLAY_CACHE")
    wanted = _path(own) if own else _user_cache(os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))
    if wanted in _writable and wanted.is_dir():
        return wanted
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            _writable.add(wanted)
            return wanted
    except OSError:
        fallback = Path(tempfile.gettempdir()) / f"gpureplay-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
        fallback.mkdir(mode=0o700, parents=True, exist_ok=True)
        return fallback


@cache
def source_hash(package: str) -> str:
    """Hash over the path and content of every Python file of an installed package, 16 hex digits."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(package)
    digest = hashlib.sha256()
    for root in spec.submodule_search_locations:
        for path in sorted(Path(root).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def kernel(*signatures: Any, wraparound: bool = True, **options: Any) -> Callable[[F], F]:
    """Decorate a function with ``njit(nogil=True)``; its machine code is kept on disk.

    Parameters
    ----------
    signatures : Numba signatures, compiled eagerly at import; none compiles at the first call
    wraparound : negative indices count from the end. A tenth of a program that follows indices through records goes
        into asking; without, they are errors, which ``NUMBA_BOUNDSCHECK=1`` finds. Signatures are needed then.
    options : further options of ``numba.njit``
    """
    numba = _numba()

    def decorate(function: F) -> F:
        compiled: F = numba.njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
        if numba.config.DISABLE_JIT:
            return compiled
        compiled.wraparound = wraparound  # type: ignore[attr-defined]
        from numba.core.typeinfer import register_dispatcher

        _keep(compiled, function, {**compiled.targetoptions, "wraparound": wraparound})  # type: ignore[attr-defined]
        # As numba.njit does it with signatures.
        codegen = compiled.targetctx.codegen()  # type: ignore[attr-defined]
        with _at_work_on(function), register_dispatcher(compiled), _compiled_as(codegen, _whole_library(), wraparound):
            for signature in signatures:
                compiled.compile(signature)  # type: ignore[attr-defined]
        if signatures:
            compiled.disable_compile()  # type: ignore[attr-defined]
        return compiled

    return decorate


def inner(signature: Any, *, wraparound: bool = True, **options: Any) -> Callable[[F], F]:
    """Decorate a function that only compiled code calls: it becomes part of its callers.

    It has no machine code and no file of its own, is not optimised before its callers are, and is compiled
    when the first of them is, so that a process which finds the callers on disk never compiles it. Of the
    time in which a program of a hundred small functions compiles, that saves a half.

    Parameters
    ----------
    signature : a Numba signature
    wraparound : see :func:`kernel`
    options : further options of ``numba.njit``
    """
    numba = _numba()
    dispatcher = _linked_dispatcher()

    def decorate(function: F) -> F:
        compiled: F = numba.njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, **options)(function)
        if not numba.config.DISABLE_JIT:
            compiled.__class__ = dispatcher
            compiled.wanted = signature  # type: ignore[attr-defined]
            compiled.wraparound = wraparound  # type: ignore[attr-defined]
        return compiled

    return decorate


def callback(signature: Any, *, wraparound: bool = True, **options: Any) -> Callable[[F], Any]:
    """Decorate a function with ``numba.cfunc``: it gets an ``address``; its machine code is kept on disk.

    Parameters
    ----------
    signature : a Numba signature
    wraparound : see :func:`kernel`
    options : further options of ``numba.cfunc``
    """
    _numba()
    from numba.core.ccallback import CFunc
    from numba.core.registry import cpu_target
    from numba.core.sigutils import normalize_signature

    def decorate(function: F) -> Any:
        flags = {"nopython": True, **options}
        compiled: Any = CFunc(function, normalize_signature(signature), locals={}, options=flags)
        compiled.wraparound = wraparound
        _keep(compiled, function, {**flags, "wraparound": wraparound})
        codegen = cpu_target.target_context.codegen()
        with _at_work_on(function), _compiled_as(codegen, _whole_library(), wraparound):
            compiled.compile()
        return compiled

    return decorate


def _keep(compiled: Any, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    from traceformat.kernel_store import KernelFile

    compiled._cache = KernelFile(cache_root() / "kernels", function, options)


@cache
def _numba() -> Any:
    import numba

    _remember_record_texts()
    _leave_scalars_to_others()
    _let_indices_be()
    _lock_types()
    return numba


@contextmanager
def _at_work_on(function: Callable[..., Any]) -> Iterator[None]:
    collecting = gc.isenabled()
    # A compilation makes hundreds of thousands of objects, all of which live until its end.
    gc.disable()
    _at_work.append((function.__name__, time.monotonic()))
    try:
        yield
    finally:
        _at_work.pop()
        if collecting:
            gc.enable()


def _lock_types() -> None:
    """Let one thread at a time make a type known to Numba.

    Numba gives each type a number when it first meets it. Two threads that meet a type at once, in the first call
    of a kernel, may give it two, and the kernel then refuses arguments of a type that looks like its own.
    """
    from numba.core.types.abstract import _TypeMetaclass

    intern, lock = _TypeMetaclass._intern, threading.RLock()  # type: ignore[attr-defined]

    def locked(cls: Any, instance: Any) -> Any:
        with lock:
            return intern(cls, instance)

    _TypeMetaclass._intern = locked  # type: ignore[attr-defined]


def _let_indices_be() -> None:
    """Take indices as they are where the function that is compiled says so."""
    from numba.core import types
    from numba.np import arrayobj

    count_from_end = arrayobj.fix_integer_index

    def fix(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if _wraparound[-1]:
            return count_from_end(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = fix


def _remember_record_texts() -> None:
    """Let Numba print each record type once.

    It prints the types of a function's arguments in every compiler pass, for its event log; the text of a record of
    records takes milliseconds, a fifth of the time in which the timing model compiles.
    """
    from numba.core.types import Record

    Record.__repr__ = cache(Record.__repr__)  # type: ignore[method-assign]


def _leave_scalars_to_others() -> None:
    """Let Numba's rules for operators of arrays say at once that they are not for scalars.

    They look for the ufunc that fits, each time an operator is typed, before they find that no operand is an array; a
    twentieth of the time in which the engine's kernels compile.
    """
    from numba.core import types
    from numba.core.typing.npydecl import NumpyRulesArrayOperator

    generic = NumpyRulesArrayOperator.generic

    def typed(self: Any, args: Any, kws: Any) -> Any:
        if not any([isinstance(arg, types.ArrayCompatible) for arg in args]):
            return None
        return generic(self, args, kws)

    NumpyRulesArrayOperator.generic = typed


@contextmanager
def _compiled_as(codegen: Any, library: type, wraparound: bool) -> Iterator[None]:
    """Let what is compiled go into libraries of a class, and its indices be what they are, or count from the end."""
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        before = codegen._library_class
        codegen._library_class = library
        _wraparound.append(wraparound)
        try:
            yield
        finally:
            _wraparound.pop()
            codegen._library_class = before


@cache
def _whole_library() -> Any:
    """Class of machine code that keeps the functions it has taken in to itself.

    What is called from one place alone is then part of its caller, and what is part of all its callers is not kept once
    more: Numba's own libraries leave both for others to link to.
    """
    from numba.core.codegen import JITCodeLibrary

    class WholeLibrary(JITCodeLibrary):  # type: ignore[misc]
        """A library whose functions are called by each other alone, its own excepted."""

        def _optimize_final_module(self) -> None:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
            super()._optimize_final_module()

    return WholeLibrary


@cache
def _linked_dispatcher() -> Any:
    """Class of functions that live in their callers' machine code alone."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.registry import CPUDispatcher

    class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
        """A library that is linked into others, which optimise it and make its machine code."""

        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            return

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    @contextmanager
    def linking(codegen: Any, wraparound: bool) -> Iterator[None]:
        outermost = codegen._library_class is not LinkedLibrary
        # An environment holds a function's Python objects, which kernels have none of; it is set in machine code.
        codegen.set_env = lambda name, environment: None
        try:
            with _compiled_as(codegen, LinkedLibrary, wraparound):
                yield
        finally:
            if outermost:
                del codegen.set_env

    class LinkedDispatcher(CPUDispatcher):  # type: ignore[misc]
        """A function that is compiled, once and for its signature, when compiled code calls it."""

        wanted: Any
        wraparound: bool

        def get_call_template(self, args: Any, kws: Any) -> Any:
            if self._can_compile:
                with linking(self.targetctx.codegen(), self.wraparound):
                    self.compile(self.wanted)
                self.disable_compile()
            return super().get_call_template(args, kws)

        def __call__(self, *args: Any, **kws: Any) -> Any:
            raise TypeError(f"{self.__name__} is called by compiled code alone; its plain twin is .py_func")

    return LinkedDispatcher
