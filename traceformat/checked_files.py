"""Files of a cache that several processes share: whole when written, checked when read.

A file is written under a temporary name and renamed, so none is ever seen in part. Its content begins with its own
hash: a damaged file is the same as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["PART_SUFFIX", "keep_newest", "read_checked", "write_checked"]

#: Of temporary files; one that is left was left by a process that was killed.
PART_SUFFIX: Final = ".part"
_DIGEST_BYTES: Final = 32


def read_checked(path: Path) -> bytes | None:
    """Content of a file, or None if there is none that is whole."""
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    content = stored[_DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == stored[:_DIGEST_BYTES] else None


def write_checked(path: Path, content: bytes) -> None:
    """Write a file; a folder that cannot be written is no error, it only costs time later."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=PART_SUFFIX)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)


def keep_newest(folder: Path, pattern: str, kept: int) -> None:
    """Remove all files of a pattern but those that were written last; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        for path in sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)[:-kept]:
            path.unlink(missing_ok=True)
