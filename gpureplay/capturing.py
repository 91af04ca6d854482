"""Recording our own programs for those that start from nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from traceformat.errors import FindingError, StorageError

__all__ = ["capture", "capture_sample"]


def capture(what: str, command: str, trace: Path, arguments: Sequence[str]) -> None:
    """Record with the null driver, in a process of its own as a user would.

    However long it takes: on a machine with much else to do that cannot be told from a program that hangs.

    Parameters
    ----------
    what : is recorded, for messages
    command : of ``gpucapture``
    trace : to write
    arguments : of the command

    Raises
    ------
    StorageError : the disk is full
    FindingError : it could not be recorded
    """
    # -P: a capture.py in the current folder must not stand in for ours.
    own = [sys.executable, "-P", "-m", "capture.cli", command, "-o", str(trace), "--driver", "null"]
    done = subprocess.run([*own, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        kind = StorageError if done.returncode == StorageError.exit_code else FindingError
        raise kind(f"{what}: not captured: {(done.stderr.splitlines() or ['?'])[-1]}")


def capture_sample(sample: str, trace: Path, *, frames: int, size: str) -> None:
    """Record a sample.

    Parameters
    ----------
    trace : to write
    size : of its picture, ``WxH`` in pixels

    Raises
    ------
    StorageError, FindingError : as for :func:`capture`
    """
    capture(f"the sample {sample}", "sample", trace, ["--frames", str(frames), "--size", size, sample])
