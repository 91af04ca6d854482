"""Machine code on disk: one file an object; equal keys mean equal content."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Final

from traceformat.checked_files import read_checked, write_checked

__all__ = ["ObjectCache"]

#: Folders of other generators or hosts that are kept.
_KEPT_GENERATIONS: Final = 3


class ObjectCache:
    """Objects by key.

    Parameters
    ----------
    folder : where folders of objects are kept
    generation : names everything that all keys depend on (generator's version, host); a new one gets a folder of its
        own, and the oldest folders are removed
    """

    def __init__(self, folder: Path, generation: str) -> None:
        self._folder = folder / f"llvm-{hashlib.sha256(generation.encode()).hexdigest()[:16]}"
        if not self._folder.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            generations = sorted(folder.glob("llvm-*"), key=_age)
            for old in generations[:-_KEPT_GENERATIONS]:
                shutil.rmtree(old, ignore_errors=True)

    def path(self, key: str) -> Path:
        """File of a key (a hexadecimal hash)."""
        return self._folder / f"{key}.o"

    def read(self, key: str) -> bytes | None:
        """The object, or None if there is none that is whole."""
        return read_checked(self.path(key))

    def write(self, key: str, code: bytes) -> None:
        """Store an object; a folder that cannot be written is no error, it only costs time later."""
        write_checked(self.path(key), code)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
