"""Packages whose names are imported when they are first used, so that importing the package costs nothing.

>>> __getattr__, __dir__ = lazy_names("traceformat", {"Call": "calls", "open": "reader:open_trace"})
>>> __getattr__("Call")
<class 'traceformat.calls.Call'>
>>> {"Call", "open"} <= set(__dir__())
True
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : its ``__name__``
    homes : name: submodule that has it, as ``module`` or, where it has another name there, ``module:name``
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = homes[name].partition(":")
        return getattr(import_module(f"{package}.{module}"), attribute or name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
