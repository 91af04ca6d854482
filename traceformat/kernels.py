"""Compiled kernels: one typed door to Numba, and where their machine code is cached.

Numba stamps a cached function with the content of its own file only; an edit of a callee in another module
leaves the caller's cached code stale and silently wrong. So each room's kernels are cached under a folder
named by a hash over *all* Python sources of that room: an edit anywhere gives a clean rebuild, and two
versions of the project never share machine code.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

__all__ = ["KernelCompiler", "cache_root", "compiling", "source_hash"]

F = TypeVar("F", bound=Callable[..., Any])

#: Kernel folders kept per room; older ones are removed when a new one is made.
KEPT_GENERATIONS = 3


#: Kernels in the making, and since when.
_at_work: list[tuple[str, float]] = []


def compiling() -> tuple[str, float]:
    """Name of the kernel that is being made, or loaded from the cache, and since when; an empty name for none."""
    return _at_work[-1] if _at_work else ("", 0.0)


def cache_root() -> Path:
    """Folder of everything the toolchain caches: ``GPUREPLAY_CACHE``, else the platform's cache folder.

    Falls back to a private folder under the temporary directory where neither can be written.
    """
    wanted = Path(os.environ.get("GPUREPLAY_CACHE") or platformdirs.user_cache_dir("gpureplay"))
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
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


class KernelCompiler:
    """Numba's ``njit`` for one room, with its own cache folder.

    Use one instance a package, made in that package's ``kernels.py``::

        kernel = KernelCompiler("gpumodel").kernel

        @kernel("int64(int64)")
        def double(x): ...

    Parameters
    ----------
    package : top-level package or subpackage whose sources decide when cached machine code is stale
    called : further packages whose kernels this one's call
    """

    def __init__(self, package: str, *called: str) -> None:
        self._folder = self._prepare(package, called)

    @staticmethod
    def _prepare(package: str, called: Sequence[str]) -> Path:
        checked = "-checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else ""
        parent = cache_root() / "kernels"
        folder = parent / f"{package}-{'-'.join(map(source_hash, (package, *called)))}{checked}"
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            generations = sorted(parent.glob(f"{package}-*"), key=lambda path: path.stat().st_mtime)
            for old in generations[:-KEPT_GENERATIONS]:
                shutil.rmtree(old, ignore_errors=True)
        return folder

    def kernel(self, *signatures: Any, **options: Any) -> Callable[[F], F]:
        """Decorate a function with ``njit(cache=True, nogil=True)`` under the room's cache folder.

        Parameters
        ----------
        signatures : Numba signatures, compiled eagerly at import; none compiles at the first call
        options : further options of ``numba.njit``
        """
        numba = self._numba()

        def decorate(function: F) -> F:
            wanted: Sequence[Any] | None = list(signatures) or None
            with self._caching(numba, function):
                compiled: F = numba.njit(wanted, cache=True, nogil=True, no_cfunc_wrapper=True, **options)(function)
            return compiled

        return decorate

    def inner(self, signature: Any) -> Callable[[F], F]:
        """Decorate a function that only compiled code calls: it becomes part of its callers.

        It has no machine code and no cache entry of its own, is not optimised before its callers are, and is compiled
        when the first of them is, so that a process which finds the callers in the cache never compiles it. Of the
        time in which a program of a hundred small functions compiles, that saves a half.

        Parameters
        ----------
        signature : a Numba signature
        """
        numba = self._numba()
        dispatcher = _linked_dispatcher()

        def decorate(function: F) -> F:
            compiled: F = numba.njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)
            if not numba.config.DISABLE_JIT:
                compiled.__class__ = dispatcher
                compiled.wanted = signature  # type: ignore[attr-defined]
            return compiled

        return decorate

    def callback(self, signature: Any) -> Callable[[F], Any]:
        """Decorate a function with ``numba.cfunc`` under the room's cache folder: it gets an ``address``."""
        numba = self._numba()

        def decorate(function: F) -> Any:
            with self._caching(numba, function):
                return numba.cfunc(signature, nopython=True, cache=True)(function)

        return decorate

    def _numba(self) -> Any:
        # Numba reads its cache folder when it is first imported and again whenever a function is decorated.
        os.environ.setdefault("NUMBA_CACHE_DIR", str(self._folder))
        import numba

        _remember_record_texts()
        return numba

    @contextmanager
    def _caching(self, numba: Any, function: Callable[..., Any]) -> Iterator[None]:
        before, collecting = numba.config.CACHE_DIR, gc.isenabled()
        numba.config.CACHE_DIR = str(self._folder)
        # A compilation makes hundreds of thousands of objects, all of which live until its end.
        gc.disable()
        _at_work.append((function.__name__, time.monotonic()))
        try:
            yield
        finally:
            _at_work.pop()
            numba.config.CACHE_DIR = before
            if collecting:
                gc.enable()


@cache
def _remember_record_texts() -> None:
    """Let Numba print each record type once.

    It prints the types of a function's arguments in every compiler pass, for its event log; the text of a record of
    records takes milliseconds, a fifth of the time in which the timing model compiles.
    """
    from numba.core.types import Record

    Record.__repr__ = cache(Record.__repr__)  # type: ignore[method-assign]


@cache
def _linked_dispatcher() -> Any:
    """Class of functions that live in their callers' machine code alone."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.registry import CPUDispatcher

    class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
        """A library that is linked into others, which optimise it and make its machine code."""

        def _optimize_final_module(self) -> None:
            return

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    @contextmanager
    def linking(codegen: Any) -> Iterator[None]:
        before = codegen._library_class
        codegen._library_class = LinkedLibrary
        # An environment holds a function's Python objects, which kernels have none of; it is set in machine code.
        codegen.set_env = lambda name, environment: None
        try:
            yield
        finally:
            codegen._library_class = before
            if before is not LinkedLibrary:
                del codegen.set_env

    class LinkedDispatcher(CPUDispatcher):  # type: ignore[misc]
        """A function that is compiled, once and for its signature, when compiled code calls it."""

        wanted: Any

        def get_call_template(self, args: Any, kws: Any) -> Any:
            if self._can_compile:
                with linking(self.targetctx.codegen()):
                    self.compile(self.wanted)
                self.disable_compile()
            return super().get_call_template(args, kws)

        def __call__(self, *args: Any, **kws: Any) -> Any:
            raise TypeError(f"{self.__name__} is called by compiled code alone; its plain twin is .py_func")

    return LinkedDispatcher
