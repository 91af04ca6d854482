"""Memory that this process holds, and memory that the machine has for it."""

from __future__ import annotations

import os
import re
import resource
from functools import cache
from typing import Final

__all__ = ["machine_bytes", "process_bytes", "resident_bytes"]

#: Limits of the control group, of versions 2 and 1.
_GROUP_LIMITS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
#: Kilobytes in the status of a process: its own, and of files that are in memory alone.
_NEEDED: Final = re.compile(rb"Rss(?:Anon|Shmem):\s*(\d+)")


def resident_bytes() -> int:
    """Resident memory of this process; where the system does not tell, the most it ever was. Takes microseconds."""
    try:
        return int(os.pread(_opened(os.getpid(), "statm"), 100, 0).split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def process_bytes() -> int:
    """Resident memory of this process without pages of files, which the system can put away."""
    try:
        found = _NEEDED.findall(os.pread(_opened(os.getpid(), "status"), 4096, 0))
    except OSError:
        found = []
    return sum(map(int, found)) << 10 if found else resident_bytes()


@cache
def _opened(process: int, name: str) -> int:
    """Descriptor of what the system says of a process, of each child its own: opening takes ten times as long as
    reading.
    """
    return os.open(f"/proc/{process}/{name}", os.O_RDONLY | os.O_CLOEXEC)


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
