"""Machine code on disk: one file an object, checked when read, whole when written.

Two processes may use one folder at once: files are written under a temporary name and renamed, and equal keys
mean equal content. A damaged file is the same as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["ObjectCache"]

_MAGIC: Final = b"glsl-object-1\n"
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
        try:
            content = self.path(key).read_bytes()
        except OSError:
            return None
        head = len(_MAGIC) + hashlib.sha256().digest_size
        code = content[head:]
        if content[:head] != _MAGIC + hashlib.sha256(code).digest():
            return None
        return code

    def write(self, key: str, code: bytes) -> None:
        """Store an object; a folder that cannot be written is no error, it only costs time later."""
        with contextlib.suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + hashlib.sha256(code).digest() + code)
                os.replace(name, self.path(key))
            except OSError:
                Path(name).unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
