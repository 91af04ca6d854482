"""Who asks for the time or for random numbers: the program and its libraries, or the interpreter and us."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Final

__all__ = ["is_the_programs"]

_INSTALLED: Final = tuple(sysconfig.get_path(name) + "/" for name in ("purelib", "platlib"))
_STANDARD: Final = tuple(sysconfig.get_path(name) + "/" for name in ("stdlib", "platstdlib"))
_ROOT: Final = Path(__file__).parents[2]
_OURS: Final = tuple(f"{_ROOT / name}/" for name in ("capture", "traceformat", "replay"))

_known: dict[str, bool] = {}


def is_the_programs(frame: FrameType | None, behind: str = "") -> bool:
    """Tell whether code is the program's or that of a library that it uses.

    The standard library keeps the machine's own time and randomness: its time-outs wait for other threads and
    processes, and its names of temporary files have to be new.

    Parameters
    ----------
    frame : that asks
    behind : file whose frames are passed over
    """
    while frame is not None and behind and frame.f_code.co_filename == behind:
        frame = frame.f_back
    if frame is None:
        return True
    file = frame.f_code.co_filename
    known = _known.get(file)
    if known is None:
        known = _known[file] = _look(file)
    return known


def _look(file: str) -> bool:
    if file.startswith(_OURS) or file.startswith("<frozen "):
        return False
    return file.startswith(_INSTALLED) or "dist-packages" in file or not file.startswith(_STANDARD)


def own_file(module: str) -> str:
    """File of a module of the standard library, as its frames name it."""
    return str(sys.modules[module].__file__)
