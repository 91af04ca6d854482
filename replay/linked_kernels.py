"""Kernels that are called by address, linked without the compiler that made them.

Numba takes half a second to import and set up, more than a small trace takes to draw. Its machine code is an ordinary
object file, so that of a module's entries is kept beside the kernels, in one file, and linked by llvmlite alone.

Nothing is looked at that would need Numba: the file's name says from which sources, by which versions and for which
processor it was made, sources by their times and sizes as Python does it with its own. Whatever differs, the module is
imported, its kernels come from the kernel cache (whose keys follow from what they use) or are compiled, and the file
is written anew.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from ctypes import CFUNCTYPE, c_int64
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from replay.glsl.llvm.machine import LoadedCode, host_description, load_object
from traceformat.checked_files import keep_newest, read_checked, write_checked
from traceformat.kernels import cache_root, compiling_many

__all__ = ["EntryPoint"]

_KEPT_GENERATIONS: Final = 4
_PACKAGES: Final = ("replay", "traceformat")
_lock: Final = threading.RLock()


class EntryPoint:
    """A kernel ``function(address) -> int`` (see :func:`replay.kernels.entry`), found when it is first needed.

    Parameters
    ----------
    module, name : where it is written
    """

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    @cached_property
    def address(self) -> int:
        """Of its machine code."""
        return _addresses(self._module)[self._name]

    @cached_property
    def call(self) -> Callable[[int], int]:
        """Call it from Python, with the address of its record; other threads run meanwhile."""
        return CFUNCTYPE(c_int64, c_int64)(self.address)


@cache
def _addresses_once(module: str) -> Mapping[str, int]:
    path = _file_of(module)
    linked = _link(module, path) if path is not None and module not in sys.modules else None
    return linked or _import(module, path)


def _addresses(module: str) -> Mapping[str, int]:
    with _lock:
        return _addresses_once(module)


# ------------------------------------------------------------------ files
def _file_of(module: str) -> Path | None:
    """Where a module's machine code lies; None where nothing but Numba can tell what it depends on."""
    made_from = _made_from()
    if made_from is None:
        return None
    key = hashlib.sha256(f"{module} {made_from}".encode()).hexdigest()[:40]
    return cache_root() / "kernels" / f"{module}-{key}.entries"


@cache
def _made_from() -> str | None:
    """What all machine code follows from, told without Numba."""
    if any(name.startswith("NUMBA_") for name in os.environ) or Path(".numba_config.yaml").exists():
        return None  # settings that change machine code
    libraries = [importlib.util.find_spec(name) for name in ("numba", "numpy")]
    origins = [_stamp(spec.origin) for spec in libraries if spec is not None and spec.origin is not None]
    sources = sorted(_sources(Path(__file__).resolve().parents[1]))
    return repr((sys.version_info[:3], host_description(), origins, sources)) if sources else None


def _sources(root: Path) -> Iterator[tuple[str, int, int]]:
    """Stamps of the sources that kernels may come from."""
    folders = [str(root / package) for package in _PACKAGES]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    yield _stamp(entry.path)
                elif entry.is_dir() and entry.name != "__pycache__":
                    folders.append(entry.path)


def _stamp(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return path, status.st_mtime_ns, status.st_size


# ------------------------------------------------------------------ with and without Numba
def _import(module: str, path: Path | None) -> Mapping[str, int]:
    """Addresses from Numba; keeps the machine code for the next process."""
    from numba.core.ccallback import CFunc

    with compiling_many():
        found = import_module(module)
    entries: dict[str, Any] = {name: value for name, value in vars(found).items() if isinstance(value, CFunc)}
    objects = {name: (entry.native_name, entry._cache.object_code(entry._sig)) for name, entry in entries.items()}
    if path is not None and not path.exists() and all(code is not None for _, code in objects.values()):
        write_checked(path, pickle.dumps(objects))
        keep_newest(path.parent, f"{module}-*.entries", _KEPT_GENERATIONS)
    return {name: entry.address for name, entry in entries.items()}


#: Machine code in use.
_loaded: Final[list[LoadedCode]] = []


def _link(module: str, path: Path) -> Mapping[str, int] | None:
    """Addresses from the file of an earlier process, None if there is none that can be linked."""
    content = read_checked(path)
    if content is None:
        path.unlink(missing_ok=True)
        return None
    try:
        helpers = _helpers()
        linked = {
            name: load_object(code, symbol, f"{module}.{name}", helpers)
            for name, (symbol, code) in pickle.loads(content).items()
        }
    except (ImportError, RuntimeError, StopIteration):
        return None  # another Numba than we know: it is asked itself
    _loaded.extend(linked.values())
    return {name: code.address for name, code in linked.items()}


@cache
def _helpers() -> Mapping[str, int]:
    """Addresses of the C functions that Numba's code calls: they lie in modules that need no Python of Numba's."""
    spec = importlib.util.find_spec("numba")
    if spec is None or spec.origin is None:
        raise ImportError("numba")
    root = Path(spec.origin).parent
    helpers = {f"numba_{name}": address for name, address in _extension(root, "_helperlib").c_helpers.items()}
    runtime = _extension(root / "core" / "runtime", "_nrt_python").c_helpers
    return helpers | {name if name.startswith("_") else f"NRT_{name}": address for name, address in runtime.items()}


def _extension(folder: Path, name: str) -> ModuleType:
    """A compiled module, without the package that it lies in."""
    spec = importlib.util.spec_from_file_location(name, next(folder.glob(f"{name}.*.so")))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(name, None)
    return module
