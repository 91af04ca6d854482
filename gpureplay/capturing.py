"""Recording samples for those that start from nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from traceformat.errors import FindingError, StorageError

__all__ = ["capture_sample"]

#: A child process that hangs is a bug; nothing here takes a tenth of this.
_TIMEOUT_SECONDS: Final = 600


def capture_sample(sample: str, trace: Path, *, frames: int, size: str) -> None:
    """Record a sample with the null driver, in a process of its own as a user would.

    Parameters
    ----------
    trace : to write
    size : of its picture, ``WxH`` in pixels

    Raises
    ------
    StorageError : the disk is full
    FindingError : it could not be recorded
    """
    arguments = ("sample", sample, "-o", str(trace), "--driver", "null", "--frames", str(frames), "--size", size)
    # -P: a capture.py in the current folder must not stand in for ours.
    done = subprocess.run(
        [sys.executable, "-P", "-m", "capture.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )
    if done.returncode:
        kind = StorageError if done.returncode == StorageError.exit_code else FindingError
        raise kind(f"the sample {sample} was not captured: {(done.stderr.splitlines() or ['?'])[-1]}")
