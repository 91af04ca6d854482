"""Request traces: ``cycle,op,addr`` lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError, UsageError

__all__ = ["RequestTrace", "read_trace"]

_HEADER: Final = "cycle,op,addr"
_WRITES: Final = {"R": False, "READ": False, "W": True, "WRITE": True}
#: Ends of the ranges that a trace may use: a refresh costs host time even where no request does.
_MAX_CYCLE: Final = 1 << 32
_MAX_ADDRESS: Final = 1 << 62
_MAX_BYTES: Final = 1 << 28


@dataclass(frozen=True)
class RequestTrace:
    """Requests in the order in which they are offered.

    Parameters
    ----------
    cycle : (N,) int64    DRAM cycle from which the request is offered; it waits for the one before it all the same
    write : (N,) bool
    address : (N,) int64    bytes
    """

    cycle: NDArray[np.int64]
    write: NDArray[np.bool_]
    address: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cycle)


def read_trace(path: str | Path) -> RequestTrace:
    """Read a CSV file of requests.

    The header is ``cycle,op,addr``; op is ``R`` or ``W``; addresses are decimal, or hexadecimal with 0x.

    Raises
    ------
    UsageError : the file cannot be read
    TraceFormatError : a line that is no request, by its number
    """
    path = Path(path)
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"{path}: larger than a request trace can be ({_MAX_BYTES} bytes)")
        text = path.read_text(encoding="ascii")
    except UnicodeDecodeError:
        raise TraceFormatError(f"{path}: not a text file") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    lines = text.splitlines()
    if not lines or lines[0].replace(" ", "") != _HEADER:
        found = repr(lines[0][:40]) if lines else "an empty file"
        raise TraceFormatError(f"{path}: line 1 is {found}, expected {_HEADER}")
    rows = [line for line in lines[1:] if line.strip()]
    if not rows:
        raise TraceFormatError(f"{path}: no requests")
    cycle = np.empty(len(rows), np.int64)
    write = np.empty(len(rows), np.bool_)
    address = np.empty(len(rows), np.int64)
    number = 1
    try:
        for k, row in enumerate(rows):
            number = k
            at, op, where = row.split(",")
            at_cycle, byte = int(at), int(where, 0)
            if not 0 <= at_cycle <= _MAX_CYCLE or not 0 <= byte < _MAX_ADDRESS:
                raise ValueError
            cycle[k], write[k], address[k] = at_cycle, _WRITES[op.strip().upper()], byte
    except (ValueError, KeyError):
        line = [k for k, text in enumerate(lines, 1) if k > 1 and text.strip()][number]
        raise TraceFormatError(
            f"{path}: line {line} is {rows[number][:60]!r}, expected a cycle up to 2^32, R or W, an address below 2^62"
        ) from None
    return RequestTrace(cycle, write, address)


def make_requests(trace: RequestTrace, dtype: Any) -> NDArray[Any]:
    """Requests as the kernels take them, linked in order."""
    requests = np.zeros(len(trace), dtype)
    requests["cycle"], requests["write"], requests["address"] = trace.cycle, trace.write, trace.address
    requests["issue"] = requests["done"] = -1
    requests["next"] = np.arange(1, len(trace) + 1)
    requests["next"][-1] = -1
    return requests
