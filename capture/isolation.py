"""The program's own modules win: ours step out of its sight before it runs.

A script beside its own ``capture.py``, ``replay.py`` or ``samples/`` must import those, and so must one beside its own
``numpy.py`` that the capture has already imported. Every module of ours, and every third-party module that a file in
the script's folder shadows, is therefore moved out of ``sys.modules`` into a private table. An import statement that
runs *inside* one of the moved modules still finds them there: ``builtins.__import__`` looks at who imports.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

__all__ = ["OUR_PACKAGES", "ModuleIsolation"]

OUR_PACKAGES: Final = frozenset({"capture", "traceformat", "replay", "gpumodel", "samples"})

#: Folder of our packages: ``sys.path`` is the program's, and need not have it.
_ROOT: Final = str(Path(__file__).parents[1])
_SUFFIXES: Final = tuple(importlib.machinery.all_suffixes())


class _ForPrograms(importlib.abc.MetaPathFinder):
    """Finds our ``capture`` for a program that imports it to talk to us, where its own path does not have it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.PathFinder.find_spec(name, [_ROOT]) if name == "capture" else None


class ModuleIsolation:
    """Hide modules from the program and keep them working for themselves.

    Parameters
    ----------
    script_folder : the folder that becomes the program's ``sys.path[0]``
    keep : top-level names that stay visible although they are ours (a sample's own package)
    """

    def __init__(self, script_folder: Path, *, keep: Sequence[str] = ()) -> None:
        self._hidden_names = (OUR_PACKAGES | frozenset(self._shadowed(script_folder))) - frozenset(keep)
        self._private: dict[str, ModuleType] = {}
        self._lock = threading.RLock()
        self._import = builtins.__import__
        self._for_programs = _ForPrograms()
        self._is_installed = self._is_visible = False

    @staticmethod
    def _shadowed(folder: Path) -> Iterator[str]:
        """Top-level third-party modules that are loaded and that the script's folder has too."""
        standard = Path(sysconfig.get_path("stdlib"))
        for name, module in list(sys.modules.items()):
            if "." in name or name in sys.builtin_module_names or name in sys.stdlib_module_names:
                continue
            origin = getattr(module, "__file__", None)
            if origin is None or Path(origin).parent == standard:
                continue
            package = folder / name
            if package.is_dir() and (package / "__init__.py").exists():
                if Path(origin).parent != package:
                    yield name
            elif any((folder / (name + suffix)).exists() for suffix in _SUFFIXES):
                yield name

    def install(self) -> None:
        """Move the modules out of sight; from here on the program's imports don't find them."""
        with self._lock:
            self._put_away()
            self._is_installed = True
            self._import = builtins.__import__
            builtins.__import__ = self._import_by_importer
            # Last: what the program has itself comes first.
            sys.meta_path.append(self._for_programs)

    def remove(self) -> None:
        """Put everything back as it was; modules of the program with the same names go."""
        with self._lock:
            builtins.__import__ = self._import
            self._is_installed = False
            if self._for_programs in sys.meta_path:
                sys.meta_path.remove(self._for_programs)
            sys.modules.update(self._private)
            self._private.clear()

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Let our modules find each other by name, for code of others that imports them for us (Numba's cache)."""
        with self._lock, self._visible():
            yield

    def _put_away(self) -> None:
        for name in [name for name in sys.modules if self._hides(name)]:
            self._private[name] = sys.modules.pop(name)

    def _hides(self, name: str) -> bool:
        return name.partition(".")[0] in self._hidden_names

    def _is_private(self, scope: Mapping[str, object] | None) -> bool:
        if scope is None:
            return False
        module = self._private.get(str(scope.get("__name__")))
        return module is not None and module.__dict__ is scope

    def _import_by_importer(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if not self._is_private(globals):
            return self._import(name, globals, locals, fromlist or (), level)
        with self._lock, self._visible():
            return self._import(name, globals, locals, fromlist or (), level)

    @contextmanager
    def _visible(self) -> Iterator[None]:
        """Let the private modules stand in ``sys.modules`` while one of them imports."""
        if self._is_visible:
            yield
            return
        self._is_visible = True
        theirs: dict[str, Any] = {}
        if self._is_installed:
            theirs = {name: sys.modules.pop(name) for name in list(sys.modules) if self._hides(name)}
        sys.modules.update(self._private)
        sys.path.insert(0, _ROOT)
        try:
            yield
        finally:
            self._is_visible = False
            sys.path.remove(_ROOT)
            if self._is_installed:
                self._put_away()
            sys.modules.update(theirs)
