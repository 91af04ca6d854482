"""A limit of memory for forked children that counts what they map, and not what their parent had mapped before."""

from __future__ import annotations

import resource
from pathlib import Path

__all__ = ["limit_new_memory"]


def limit_new_memory(nbytes: int) -> None:
    """Let this process map ``nbytes`` more than it has mapped now, and leave no core behind where that kills it.

    A worker of the suite has gigabytes mapped by the time that it forks: drivers, kernels, arenas of its threads.
    """
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + nbytes, mapped + nbytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
