"""Adapters: each makes one Python library obtain its GL functions from the resolver.

They act when the program imports the library, right before or right after the module has run, so that nothing that the
library caches has escaped; a library that the program never imports is never touched.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

from capture.adapters.arcade import ArcadeAdapter
from capture.adapters.base import Adapter, Capture
from capture.adapters.ctypes_libraries import CtypesAdapter
from capture.adapters.glcontext import GlcontextAdapter
from capture.adapters.glfw import GlfwAdapter
from capture.adapters.pygame import PygameAdapter
from capture.adapters.pygame_time import PygameTimeAdapter
from capture.adapters.pyglet import PygletAdapter
from capture.adapters.pyopengl import PyOpenGLAdapter
from capture.adapters.qt import qt_adapters
from capture.adapters.windowless import prepare_windows

__all__ = ["install_adapters"]


class _Loader(importlib.abc.Loader):
    """Runs a module with its own loader, and the adapter around it."""

    def __init__(self, loader: importlib.abc.Loader, adapter: Adapter) -> None:
        self._loader = loader
        self._adapter = adapter

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module shows its own loader, as it would without us.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._adapter.before()
        try:
            self._loader.exec_module(module)
        finally:
            self._adapter.after(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the adapted modules where everybody else finds them, and wraps their loaders."""

    def __init__(self, adapters: Sequence[Adapter]) -> None:
        self._adapters = {adapter.module: adapter for adapter in adapters}
        self._searching: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        adapter = self._adapters.get(name)
        if adapter is None or name in self._searching:
            return None
        self._searching.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, adapter)
        return spec


def install_adapters(capture: Capture) -> None:
    """Install every adapter; to be called before the program imports anything.

    Parameters
    ----------
    capture : what they work with
    """
    libraries = CtypesAdapter(capture)
    libraries.install()
    adapters: list[Adapter] = [
        PyOpenGLAdapter(capture, libraries),
        GlcontextAdapter(capture),
        GlfwAdapter(capture),
        PygameAdapter(capture),
        PygameTimeAdapter(capture),
        PygletAdapter(capture),
        ArcadeAdapter(capture),
        *([] if capture.sees_native else qt_adapters(capture)),
    ]
    prepare_windows(capture)
    sys.meta_path.insert(0, _Finder(adapters))
    for adapter in adapters:
        module = sys.modules.get(adapter.module)
        if module is not None:
            adapter.after(module)
