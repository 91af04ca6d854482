"""The one way in which anything is written: files, folders and streams.

A regular file, or a new one, is written under a temporary name beside its place and renamed when it is whole; it keeps
the mode and, where we may, the owner of the file that it replaces. A symlink stays what it is: the file that it leads
to is replaced. Pipes, terminals, devices and open descriptors (``-``, ``/dev/stdout``, ``/dev/fd/N``, ``>(jq .)``) are
written straight into. What a command reads is never written over: see :func:`guarded`.

Errors: a path that cannot be opened is a :class:`UsageError`; a full disk, a full quota or an I/O error is a
:class:`StorageError`; where the reader of standard output goes away it stays a ``BrokenPipeError``.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from traceformat.errors import StorageError, ToolError, UsageError
from traceformat.saved_end import SavedEnd

__all__ = [
    "STDOUT",
    "FileKind",
    "Output",
    "Target",
    "check_folder",
    "check_output",
    "file_error",
    "guarded",
    "is_storage_failure",
    "leads_to_stdout",
    "make_folder",
    "parts_of",
    "refuse_collisions",
    "refuse_suffix",
    "staged",
    "write_output",
]

PathLike = str | os.PathLike[str]
#: What stands for standard output on a command line.
STDOUT: Final = "-"
#: Errors of the place that is written to; all others are errors of the path.
_STORAGE: Final = frozenset(
    {
        errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE, errno.ESTALE, errno.ENOMEM, errno.ENFILE,
        errno.EMFILE, errno.EBADF, errno.ENXIO, errno.ENODEV, errno.ECONNRESET, errno.ETIMEDOUT,
    }
)  # fmt: skip
_BUFFER_BYTES: Final = 1 << 18
#: Characters of a target's name in its temporary name: both together fit into 255 bytes.
_NAME_PART: Final = 40


@dataclass(frozen=True, slots=True)
class FileKind:
    """What is written, and the ends of names that promise it; the first one is offered where a name promises else."""

    what: str
    suffixes: tuple[str, ...]


#: Ends of names that promise something that none of our writers writes under them.
_FOREIGN: Final = frozenset(
    {
        ".trace", ".pat", ".gz", ".zst", ".xz", ".bz2", ".zip", ".7z", ".tar", ".jpg", ".jpeg", ".webp", ".svg", ".pdf",
        ".gif", ".tsv", ".parquet", ".xlsx", ".py", ".toml",
    }
)  # fmt: skip
_OURS: Final = frozenset(
    {
        ".gltrace", ".gputrace", ".json", ".jsonl", ".csv", ".png", ".html", ".md", ".gltf", ".obj", ".vert", ".frag",
        ".perfetto",
    }
)  # fmt: skip


def refuse_suffix(path: PathLike, kind: FileKind) -> None:
    """Refuse a name that promises something else than what is written.

    Raises
    ------
    UsageError : it does, with a name that would not
    """
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix in _FOREIGN | _OURS and suffix not in kind.suffixes:
        raise UsageError(
            f"{path}: {kind.what} would be written, and {suffix} promises something else",
            hint=f"name it {place.with_suffix(kind.suffixes[0]).name}",
        )


def is_storage_failure(error: OSError) -> bool:
    """Whether the disk, or what stands for it, has failed: full, over quota, broken."""
    return error.errno in _STORAGE


def file_error(path: PathLike, error: OSError, what: str = "cannot write") -> ToolError:
    """One line for an error of the operating system: StorageError where the disk has failed, else UsageError."""
    kind = StorageError if is_storage_failure(error) else UsageError
    name = "standard output" if str(path) == STDOUT else path
    return kind(f"{name}: {what}: {error.strerror or error}")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a path leads.

    Parameters
    ----------
    path : as it was given
    file : regular or new file that it leads to, symlinks followed; None for a stream
    descriptor : open descriptor that it names; None where it is a file, a pipe or a device to open
    status : of what is there, None for nothing
    """

    path: str
    file: str | None
    descriptor: int | None
    status: os.stat_result | None

    @classmethod
    def of(cls, path: PathLike) -> Target:
        """Follow a path that is to be written.

        Raises
        ------
        UsageError : it cannot be written: a folder, a socket, a disk, a name that is none
        """
        text = os.fspath(path)
        try:
            number = 1 if text == STDOUT else _descriptor(text)
            if number is not None:
                status = os.fstat(number)
                if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
                    raise UsageError(f"{text}: cannot write: it is open for reading")
                return cls(text, None, number, status)
            try:
                found: os.stat_result | None = os.stat(text)
            except FileNotFoundError:
                found = None
        except (OSError, ValueError) as error:
            raise UsageError(f"{text}: cannot write: {getattr(error, 'strerror', None) or error}") from None
        if found is None:
            if not text or text.endswith(os.sep):
                raise UsageError(f"{text!r}: cannot write: no name of a file")
            return cls(text, os.path.realpath(text), None, None)
        for is_kind, what in ((stat.S_ISDIR, "folder"), (stat.S_ISSOCK, "socket"), (stat.S_ISBLK, "disk")):
            if is_kind(found.st_mode):
                raise UsageError(f"{text}: cannot write: it is a {what}")
        if not stat.S_ISREG(found.st_mode):
            return cls(text, None, None, found)
        if not os.access(text, os.W_OK):
            raise UsageError(f"{text}: cannot write: {os.strerror(errno.EACCES)}")
        return cls(text, os.path.realpath(text), None, found)

    @property
    def identity(self) -> tuple[object, ...] | None:
        """Equal for two paths that lead to one place; None for the null device, which takes everything."""
        if self.status is None:
            return (self.file,)
        if stat.S_ISCHR(self.status.st_mode) and os.path.exists(os.devnull):
            null = os.stat(os.devnull)
            if null.st_rdev == self.status.st_rdev:
                return None
        return self.status.st_dev, self.status.st_ino

    @property
    def is_terminal(self) -> bool:
        """Whether somebody watches."""
        if self.descriptor is not None:
            return os.isatty(self.descriptor)
        if self.status is None or not stat.S_ISCHR(self.status.st_mode):
            return False
        handle = os.open(self.path, os.O_WRONLY | os.O_NOCTTY)
        try:
            return os.isatty(handle)
        finally:
            os.close(handle)


def _descriptor(path: str) -> int | None:
    """Number of the descriptor of this process that a path such as /dev/stdout or /dev/fd/63 names."""
    own = f"/proc/{os.getpid()}"
    for _ in range(40):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder or ".")
        if name.isdigit() and folder.startswith(own) and folder.endswith("/fd"):
            return int(name)
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def leads_to_stdout(path: PathLike | None) -> bool:
    """Whether what is written there appears on standard output: no table goes there then."""
    if path is None:
        return False
    return os.fspath(path) == STDOUT or _descriptor(os.fspath(path)) == 1


class _Raw(io.FileIO):
    """A descriptor whose errors are ours; what a buffer still holds when it is given up goes nowhere."""

    def __init__(self, descriptor: int, name: str) -> None:
        super().__init__(descriptor, "w")
        self._called = name
        self.is_given_up = False

    def write(self, data: Any, /) -> int:
        if self.is_given_up:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError as error:
            if leads_to_stdout(self._called):
                raise
            raise file_error(self._called, error) from None
        except OSError as error:
            raise file_error(self._called, error) from None


class _Stdout(io.RawIOBase):
    """Standard output, behind whatever text it holds already."""

    is_given_up = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if not self.is_given_up:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        return memoryview(data).nbytes


class Output:
    """One output while it is written: to be ended by :meth:`finish` or :meth:`discard`, or used in a ``with`` block.

    Parameters
    ----------
    path : where to; ``-`` is standard output

    Attributes
    ----------
    stream : takes the bytes; its errors are ToolErrors
    part_path : file that holds them meanwhile; of a stream the path itself

    Raises
    ------
    UsageError, StorageError : it cannot be opened, or it is what the command reads
    """

    def __init__(self, path: PathLike) -> None:
        self.target = Target.of(path)
        self.path = Path(path)
        guard = _GUARD.get()
        if guard is not None:
            guard.refuse_inputs(self.target)
        self._part: Path | None = None
        self._raw = self._open()
        self._saved = SavedEnd(self._raw.fileno() if self._part is not None else -1)
        self.stream = io.BufferedWriter(self._raw, _BUFFER_BYTES)
        self.part_path = self._part or self.path

    def _open(self) -> _Raw | _Stdout:
        target = self.target
        if target.path == STDOUT:
            return _Stdout()
        try:
            if target.file is not None:
                handle, self._part = _make_part(target.file)
            elif target.descriptor is not None:
                sys.stdout.flush()
                handle = os.dup(target.descriptor)
            else:
                handle = os.open(target.path, os.O_WRONLY | os.O_NOCTTY)
        except OSError as error:
            raise file_error(target.path, error) from None
        return _Raw(handle, target.path)

    @property
    def can_save(self) -> bool:
        """There is a temporary file, in which what was written before a sudden end can be found."""
        return self._part is not None

    def save(self, end: bytes) -> None:
        """Write all that the stream has taken, and behind it what is to be there if nothing more comes.

        Parameters
        ----------
        end : goes when more is written, which :meth:`settle` has to do
        """
        if self._part is None:
            return
        self.stream.flush()
        try:
            self._saved.put(self.stream.tell(), b"", end)
        except OSError as error:
            raise file_error(self.path, error) from None

    def settle(self, data: bytes, end: bytes) -> None:
        """Write on; what :meth:`save` has put behind goes in the moment in which ``data`` and ``end`` are there.

        Parameters
        ----------
        data : stays
        end : as of :meth:`save`; for nothing where nothing was saved
        """
        if not self._saved.is_there:
            self.stream.write(data)
            return
        place = self.stream.tell()
        try:
            self._saved.put(place, data, end)
        except OSError as error:
            raise file_error(self.path, error) from None
        self.stream.seek(place + len(data))

    @property
    def is_saved(self) -> bool:
        """Whether there is what :meth:`save` has put behind."""
        return self._saved.is_there

    def finish(self) -> None:
        """Write the rest and give the file its name.

        Raises
        ------
        UsageError, StorageError : that failed; nothing is left behind
        """
        try:
            self.stream.close()
            if self._part is not None:
                _put(self._part, self.target)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove what was written; of a stream what has not gone out yet."""
        self._raw.is_given_up = True
        self.stream.close()
        if self._part is not None:
            self._part.unlink(missing_ok=True)

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.finish()
        else:
            self.discard()


def _make_part(target: str) -> tuple[int, Path]:
    """Open a temporary file beside its target."""
    folder, name = os.path.split(target)
    handle, part = tempfile.mkstemp(prefix=f".{name[:_NAME_PART]}.", suffix=".part", dir=folder)
    return handle, Path(part)


def parts_of(path: PathLike) -> list[Path]:
    """Temporary files of one that is not whole yet, or whose writer was killed."""
    folder, name = os.path.split(os.path.realpath(path))
    return sorted(Path(folder).glob(f".{glob.escape(name[:_NAME_PART])}.*.part"))


def _put(part: Path, target: Target) -> None:
    """Give a whole file its name, and the rights of the file that it replaces or of any new file."""
    assert target.file is not None
    try:
        if target.status is None:
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)
        else:
            ours = part.stat()
            if (ours.st_uid, ours.st_gid) != (target.status.st_uid, target.status.st_gid):
                # Only root gives files away; the content is what was asked for.
                with suppress(PermissionError):
                    os.chown(part, target.status.st_uid, target.status.st_gid)
            part.chmod(stat.S_IMODE(target.status.st_mode))
        part.replace(target.file)
    except OSError as error:
        raise file_error(target.path, error) from None


def write_output(path: PathLike, content: bytes | str, *, grows: bool = False) -> None:
    """Write all of a file, or into a stream.

    Parameters
    ----------
    grows : the command writes it several times, each time more of it

    Raises
    ------
    UsageError, StorageError : it cannot be written; a file is whole or not there
    """
    with Output(path) as output:
        guard = _GUARD.get()
        if guard is not None and not grows:
            guard.claim(output.target)
        output.stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def staged(path: PathLike) -> Iterator[Path]:
    """Give a file for others to write and read; it becomes the target when the block ends without an exception.

    For writers that have to read again what they wrote: a stream gets the whole file at the end.

    Raises
    ------
    UsageError, StorageError : the target cannot be written
    """
    target = Target.of(path)
    guard = _GUARD.get()
    if guard is not None:
        guard.refuse_inputs(target)
    try:
        handle, part = _make_part(target.file or os.path.join(tempfile.gettempdir(), "stream"))
        os.close(handle)
    except OSError as error:
        raise file_error(path, error) from None
    try:
        yield part
        if target.file is not None:
            _put(part, target)
        else:
            with part.open("rb") as file, Output(path) as output:
                shutil.copyfileobj(file, output.stream)
    finally:
        part.unlink(missing_ok=True)


def make_folder(path: PathLike) -> Path:
    """Make a folder with its parents.

    Raises
    ------
    UsageError, StorageError : that failed
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _folder_error(path, error) from None
    return folder


def _folder_error(path: PathLike, error: OSError | ValueError) -> ToolError:
    if isinstance(error, OSError):
        return file_error(path, error, "cannot make the folder")
    return UsageError(f"{path}: cannot make the folder: {error}")


def check_output(path: PathLike) -> Target:
    """Find out before the work whether a file can be written, and leave no trace of that.

    Raises
    ------
    UsageError, StorageError : it cannot
    """
    target = Target.of(path)
    if target.file is not None:
        try:
            handle, part = _make_part(target.file)
            os.close(handle)
            part.unlink()
        except OSError as error:
            raise file_error(path, error) from None
    elif target.descriptor is None and not os.access(target.path, os.W_OK):
        raise UsageError(f"{path}: cannot write: {os.strerror(errno.EACCES)}")
    return target


def check_folder(path: PathLike) -> None:
    """Find out before the work whether a folder is there to be written, or can be made.

    Raises
    ------
    UsageError : it cannot
    """
    place = Path(path)
    try:
        while not place.exists():
            if place.is_symlink():
                raise FileExistsError(errno.EEXIST, "a symlink that leads nowhere")
            place = place.parent
        if not place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        raise _folder_error(path, error) from None


def refuse_collisions(inputs: Iterable[PathLike], outputs: Iterable[Target]) -> None:
    """Refuse an output that is an input, another output, or the file that standard output or standard error goes into.

    Parameters
    ----------
    inputs : paths that are read, files or folders
    outputs : see :meth:`Target.of` and :func:`check_output`

    Raises
    ------
    UsageError : one would destroy another
    """
    taken: dict[tuple[object, ...], str] = {}
    for path in inputs:
        if (found := _identity_of(path)) is not None:
            taken[found] = f"the input {path}"
    for number, name in ((1, "standard output"), (2, "standard error")):
        try:
            status = os.fstat(number)
        except OSError:
            continue
        found = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode):
            if number == 1 and found in taken:
                raise UsageError(f"standard output goes into {taken[found]}", hint="choose another file")
            taken.setdefault(found, f"the file that {name} goes into")
    for target in outputs:
        identity = target.identity
        if target.descriptor is not None and identity is not None and target.descriptor in (1, 2):
            taken.pop(identity, None)
        if identity is not None and identity in taken:
            raise _collision(target.path, taken[identity])
        if identity is not None:
            taken[identity] = f"the output {target.path}"


def _identity_of(path: PathLike) -> tuple[int, int] | None:
    """Identity of a file or folder that is read; None for streams and for what is not there."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    is_kept = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return (status.st_dev, status.st_ino) if is_kept else None


def _collision(path: str, what: str) -> UsageError:
    return UsageError(f"{path}: would be written over {what}", hint="choose another file")


@dataclass(slots=True)
class _Guard:
    """What must not be written over: the inputs of a command by identity, and what it has written."""

    inputs: dict[tuple[int, int], str]
    written: set[str] = field(default_factory=set)

    def refuse_inputs(self, target: Target) -> None:
        found = self.inputs.get(target.identity) if target.identity is not None else None  # type: ignore[arg-type]
        if found is not None:
            raise _collision(target.path, f"the input {found}")

    def claim(self, target: Target) -> None:
        # By name: a file that was replaced has another inode.
        if target.file is not None:
            if target.file in self.written:
                raise _collision(target.path, "another output of the same name")
            self.written.add(target.file)


_GUARD: ContextVar[_Guard | None] = ContextVar("guard", default=None)


@contextmanager
def guarded(inputs: Iterable[PathLike]) -> Iterator[None]:
    """Let no :class:`Output` of the block replace one of these files, whatever its name, nor one file be written twice.

    It is what protects inputs from files in folders, whose names are known late.
    """
    known = {identity: os.fspath(path) for path in inputs if (identity := _identity_of(path)) is not None}
    token = _GUARD.set(_Guard(known))
    try:
        yield
    finally:
        _GUARD.reset(token)
