"""Replayed frames that are kept for later runs and studies, in a folder or at any address that fsspec knows.

A file holds frames of one trace that follow each other. Its name says what its content follows from: the trace's
content, the sources and libraries that a replay uses, the columns, the frames; a replay of fewer of these frames finds
it, too. A file is there whole or not at all. Where the files take more room than they may, those that were used longest
ago go first; an address that does not tell when files were used loses its oldest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from uuid import uuid4

from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.study.identity import versions
from traceformat.errors import MissingEnvironmentError, StorageError, ToolWarning, TraceFormatError, UsageError
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace
from traceformat.output import make_folder

if TYPE_CHECKING:
    from replay.player import PlayedFrames
    from traceformat.gputrace.reader import GpuTraceReader
    from traceformat.gputrace.writer import GpuTraceWriter

__all__ = ["DEFAULT_BYTES", "KeptFrames", "TraceStore", "as_trace_store"]

#: Room that files may take unless somebody says otherwise.
DEFAULT_BYTES: Final = 20 << 30
_REPLAYING: Final = ("traceformat", "replay")
_SUFFIX: Final = ".gputrace"
_PART: Final = ".part"
#: A file in the making that has not grown for so long belongs to a process that has died.
_DEAD_SECONDS: Final = 3600
_ENTRY: Final = re.compile(r"(?P<what>[0-9a-f]{64}-[0-9a-f]{16}-[0-9a-f]{8})-(?P<first>\d+)-(?P<last>\d+)\.gputrace")


@dataclass(frozen=True, slots=True)
class KeptFrames:
    """Frames of a trace.

    Parameters
    ----------
    sha256 : of the trace's content
    first, last : frames, both included
    columns : that are wanted of them
    """

    sha256: str
    first: int
    last: int
    columns: ColumnSet

    @property
    def what(self) -> str:
        """What a file of them is called, without its frames."""
        program = hashlib.sha256(repr(versions(_REPLAYING)).encode()).hexdigest()[:16]
        # A file has what every run needs; some techniques want more.
        columns = hashlib.sha256(json.dumps(sorted({*REQUIRED_COLUMNS, *self.columns})).encode()).hexdigest()[:8]
        return f"{self.sha256}-{program}-{columns}"

    @property
    def is_for_runs(self) -> bool:
        """Whether a run could use what is replayed for them."""
        return set(REQUIRED_COLUMNS) <= set(self.columns)


class _Entry(NamedTuple):
    """A file, and when it was used."""

    name: str
    num_bytes: int
    used: float


class _Place(Protocol):
    """Where files are."""

    def entries(self) -> list[_Entry]:
        """All files; those of others are theirs."""

    def fetch(self, name: str, copies: Path) -> Path:
        """Give a file to read, if need be a copy in that folder; raises OSError where there is none."""

    def target(self, name: str, copies: Path) -> Path:
        """Give the path at which a file is to be written, if need be in that folder."""

    def finish(self, path: Path, name: str) -> None:
        """Take a file that has been written there."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = make_folder(folder)

    def entries(self) -> list[_Entry]:
        found = []
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append(_Entry(path.name, status.st_size, status.st_mtime))
        return found

    def fetch(self, name: str, copies: Path) -> Path:
        path = self._folder / name
        os.utime(path)
        return path

    def target(self, name: str, copies: Path) -> Path:
        return self._folder / name

    def finish(self, path: Path, name: str) -> None:
        """It has its name already."""

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)


class _Remote:
    """Files of a filesystem of fsspec; they are copied to be read."""

    def __init__(self, address: str) -> None:
        try:
            import fsspec
        except ImportError:
            raise MissingEnvironmentError("fsspec is not installed", hint="pip install 'gpureplay[sweep]'") from None
        try:
            self._files, self._root = fsspec.core.url_to_fs(address)
            self._files.makedirs(self._root, exist_ok=True)
        except ImportError as error:
            raise MissingEnvironmentError(f"{address}: {error}") from None
        except ValueError as error:
            raise UsageError(f"{address}: {error}") from None
        except OSError as error:
            raise StorageError(f"{address}: cannot be used: {error.strerror or error}") from None

    def entries(self) -> list[_Entry]:
        self._files.invalidate_cache()
        return [
            _Entry(one["name"].rpartition("/")[2], int(one.get("size") or 0), _seconds(one))
            for one in self._files.ls(self._root, detail=True)
        ]

    def fetch(self, name: str, copies: Path) -> Path:
        path = copies / name
        self._files.get_file(f"{self._root}/{name}", str(path))
        return path

    def target(self, name: str, copies: Path) -> Path:
        return copies / name

    def finish(self, path: Path, name: str) -> None:
        part = f".{name}.{uuid4().hex[:8]}{_PART}"
        try:
            self._files.put_file(str(path), f"{self._root}/{part}")
            self._files.mv(f"{self._root}/{part}", f"{self._root}/{name}")
        except OSError as error:
            with contextlib.suppress(OSError):
                self.remove(part)
            raise StorageError(f"{self._root}: cannot be written: {error.strerror or error}") from None

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{name}")


def _seconds(entry: dict[str, Any]) -> float:
    """When an entry of a listing was written, as its filesystem tells it; 0 where it does not."""
    for key in ("mtime", "LastModified", "last_modified", "updated", "modified", "created"):
        value = entry.get(key)
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, datetime):
            return value.timestamp()
    return 0.0


@dataclass(frozen=True)
class TraceStore:
    """Replayed frames in a folder, or at an address of fsspec; goes to workers by pickle.

    Parameters
    ----------
    address : ``folder``, or such as ``s3://bucket/traces``
    max_bytes : room that its files may take
    """

    address: str
    max_bytes: int = DEFAULT_BYTES

    def place(self) -> _Place:
        """Give the place, made where it is not there.

        Raises
        ------
        UsageError, StorageError : it cannot be made
        MissingEnvironmentError : a package of fsspec is not installed
        """
        return _Remote(self.address) if "://" in self.address else _Folder(Path(self.address))

    @contextmanager
    def reading(self, wanted: Sequence[KeptFrames]) -> Iterator[Iterator[FrameTrace] | None]:
        """Give frames that are kept, as a replay gives them; None where some are not there, or damaged."""
        place = self.place()
        with ExitStack() as stack:
            copies = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            found = []
            for part in wanted:
                opened = (_opened(place, name, part.columns, copies) for name in _holders(place, part))
                stored = next((one for one in opened if one is not None), None)
                if stored is None:
                    yield None
                    return
                found.append((part, stack.enter_context(stored)))
            yield (
                stored.frame(at)
                for part, stored in found
                for at, number in stored.numbers().items()
                if part.first <= number <= part.last
            )

    def keeping(self, wanted: Sequence[KeptFrames], played: PlayedFrames) -> Iterator[FrameTrace]:
        """Give the frames of a replay, and keep them once all have come: a file for each part.

        Nothing is kept of a replay that has left something out, and nothing that alone takes more room than there is.

        Raises
        ------
        StorageError, UsageError : the place is full, or cannot be written
        """
        with ExitStack() as stack:
            copies = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            parts = iter(wanted)
            last, making = -1, []
            for frame in played:
                if frame.frame > last:
                    part = next(parts)
                    last = part.last
                    making.append(_Making(self, part, copies))
                    stack.callback(making[-1].discard)
                making[-1].take(frame)
                yield frame
                del frame
            if not (played.missing or played.partial):
                for one in making:
                    one.finish()

    def make_room(self, place: _Place) -> None:
        """Remove what was used longest ago, and what processes that died have left."""
        now, kept = time.time(), 0
        for entry in sorted(place.entries(), key=lambda entry: -entry.used):
            if entry.name.startswith(".") and entry.name.endswith(_PART):
                if now - entry.used > _DEAD_SECONDS:
                    place.remove(entry.name)
            elif _ENTRY.fullmatch(entry.name):
                kept += entry.num_bytes
                if kept > self.max_bytes:
                    place.remove(entry.name)


def as_trace_store(where: str | os.PathLike[str] | TraceStore | None) -> TraceStore | None:
    """Give the store at a folder or an address."""
    return where if where is None or isinstance(where, TraceStore) else TraceStore(os.fspath(where))


def _holders(place: _Place, wanted: KeptFrames) -> list[str]:
    """Files that have these frames, the smallest first."""
    what, found = wanted.what, []
    for entry in place.entries():
        name = _ENTRY.fullmatch(entry.name)
        if name is None or name["what"] != what:
            continue
        if int(name["first"]) <= wanted.first and wanted.last <= int(name["last"]):
            found.append((entry.num_bytes, entry.name))
    return [name for _, name in sorted(found)]


def _opened(place: _Place, name: str, columns: ColumnSet, copies: Path) -> GpuTraceReader | None:
    """Open a file; None where it has gone meanwhile, or is damaged: then it goes now."""
    from traceformat.gputrace.reader import open_gputrace

    try:
        stored = open_gputrace(place.fetch(name, copies), columns)
        if not stored.damage:
            return stored
        stored.close()
    except (OSError, UsageError):
        return None
    except TraceFormatError:
        pass
    place.remove(name)
    return None


class _Making:
    """A file in the making."""

    def __init__(self, store: TraceStore, wanted: KeptFrames, copies: Path) -> None:
        from traceformat.gputrace.writer import GpuTraceWriter

        self._store, self._place = store, store.place()
        self._name = f"{wanted.what}-{wanted.first}-{wanted.last}{_SUFFIX}"
        self._path = self._place.target(self._name, copies)
        self._writer: GpuTraceWriter | None = GpuTraceWriter(self._path, {"trace_sha256": wanted.sha256})

    def take(self, frame: FrameTrace) -> None:
        if self._writer is None:
            return
        self._writer.write(frame)
        if self._writer.num_bytes > self._store.max_bytes:
            self.discard()
            most = f"{self._store.max_bytes / 2**30:.3g} GiB"
            warnings.warn(f"{self._store.address}: frames are not kept: they take more than {most}", ToolWarning,
                          stacklevel=2)  # fmt: skip

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._place.finish(self._path, self._name)
            self._store.make_room(self._place)

    def discard(self) -> None:
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
