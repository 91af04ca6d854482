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
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

__all__ = ["cache_root", "callback", "compiling", "compiling_many", "inner", "kernel", "source_hash"]

F = TypeVar("F", bound=Callable[..., Any])

#: Kernels in the making, and since when.
_at_work: list[tuple[str, float]] = []
#: Folders in which files could be made.
_writable: set[Path] = set()


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
    numba, compiler = _numba()

    def decorate(function: F) -> F:
        pipeline = compiler.ShortPipeline
        compiled: F = numba.njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=pipeline, **options)(function)
        if numba.config.DISABLE_JIT:
            return compiled
        compiled.wraparound = wraparound  # type: ignore[attr-defined]
        from numba.core.typeinfer import register_dispatcher

        _keep(compiled, function, {**compiled.targetoptions, "wraparound": wraparound})  # type: ignore[attr-defined]
        # As numba.njit does it with signatures.
        with _at_work_on(function), register_dispatcher(compiled), compiler.compiled_whole(wraparound):
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
    numba, compiler = _numba()
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": True, "pipeline_class": compiler.ShortPipeline}

    def decorate(function: F) -> F:
        compiled: F = numba.njit(nogil=True, **options)(function)
        if not numba.config.DISABLE_JIT:
            compiled.__class__ = compiler.LinkedDispatcher
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
    _, compiler = _numba()
    from numba.core.ccallback import CFunc
    from numba.core.sigutils import normalize_signature

    def decorate(function: F) -> Any:
        flags = {"nopython": True, **options}
        kept = normalize_signature(signature)
        compiled: Any = CFunc(function, kept, locals={}, options=flags, pipeline_class=compiler.ShortPipeline)
        compiled.wraparound = wraparound
        _keep(compiled, function, {**flags, "wraparound": wraparound})
        with _at_work_on(function), compiler.compiled_whole(wraparound):
            compiled.compile()
        return compiled

    return decorate


def _keep(compiled: Any, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    from traceformat.kernel_store import KernelFile

    compiled._cache = KernelFile(cache_root() / "kernels", function, options)


@cache
def _numba() -> tuple[Any, Any]:
    """Numba, and how we compile with it: imported when the first kernel is."""
    import numba

    from traceformat import kernel_compiler

    kernel_compiler.shorten()
    return numba, kernel_compiler


@contextmanager
def _at_work_on(function: Callable[..., Any]) -> Iterator[None]:
    _at_work.append((function.__name__, time.monotonic()))
    try:
        with compiling_many():
            yield
    finally:
        _at_work.pop()


@contextmanager
def compiling_many() -> Iterator[None]:
    """Let no garbage be looked for meanwhile.

    A compilation makes hundreds of thousands of objects, which live until its end or longer.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            # What came meanwhile counts as old, instead of all being gone through at once, now. Where somebody has
            # frozen what there was, it stays so, and what came with it, until they let go.
            are_frozen = gc.get_freeze_count() > 0
            gc.freeze()
            if not are_frozen:
                gc.unfreeze()
            gc.enable()
