"""Runs that are done: one file a run, whole, named by what the run is known by; shared by all studies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import zstandard

from traceformat.kernels import cache_root
from traceformat.output import make_folder, write_output

__all__ = ["RunStore", "default_store", "packed"]

_SUFFIX: Final = ".run"
#: A record unpacked; a file that promises more is none.
_MAX_BYTES: Final = 1 << 30
_LEVEL: Final = 3


def packed(record: dict[str, Any]) -> bytes:
    """A record as it is kept: JSON, compressed, with a check sum."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(text.encode())


def default_store() -> Path:
    """Folder of this user's runs."""
    return cache_root() / "runs"


class RunStore:
    """Records of runs in a folder.

    Parameters
    ----------
    folder : made where it is not there

    Raises
    ------
    UsageError, StorageError : it cannot be made
    """

    def __init__(self, folder: Path) -> None:
        self.folder = make_folder(folder)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}{_SUFFIX}"

    def __contains__(self, key: str) -> bool:
        """Whether there is a file for a run; reading it tells whether it is whole."""
        return self._path(key).is_file()

    def has(self, keys: Iterable[str]) -> bool:
        """Whether all of these are there, and whole."""
        return all(self.read(key) is not None for key in keys)

    def read(self, key: str) -> dict[str, Any] | None:
        """The record of a run; None for one that is not there, or is damaged."""
        try:
            content = self._path(key).read_bytes()
            text = zstandard.ZstdDecompressor().decompress(content, max_output_size=_MAX_BYTES)
            record: dict[str, Any] = json.loads(text)
        except (OSError, ValueError, zstandard.ZstdError):
            return None
        return record if record.get("key") == key else None

    def write(self, key: str, record: bytes) -> None:
        """Keep a packed record.

        Raises
        ------
        StorageError, UsageError : it cannot be kept; nothing is left of it
        """
        path = self._path(key)
        make_folder(path.parent)
        write_output(path, record)
