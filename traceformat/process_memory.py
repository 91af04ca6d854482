"""Memory that this process holds, and memory that the machine has for it."""

from __future__ import annotations

import os
import resource
from functools import cache
from typing import Final

__all__ = ["machine_bytes", "process_bytes"]

#: Limits of the control group, of versions 2 and 1.
_GROUP_LIMITS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def process_bytes() -> int:
    """Resident memory of this process; where the system does not tell, the most it ever was."""
    try:
        return int(os.pread(_status(os.getpid()), 100, 0).split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@cache
def _status(process: int) -> int:
    """Descriptor of the status of a process, of each child its own: opening it takes ten times as long as reading."""
    return os.open(f"/proc/{process}/statm", os.O_RDONLY | os.O_CLOEXEC)


@cache
def machine_bytes() -> int:
    """Memory of the machine, or of the part of it that a control group leaves to this process."""
    found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in _GROUP_LIMITS:
        try:
            with open(path, encoding="ascii") as file:
                text = file.read().strip()
        except OSError:
            continue
        if text.isdigit():
            found = min(found, int(text))
    return found
