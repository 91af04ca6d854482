"""How to capture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture.drivers.base import DriverName, ReadbackName

__all__ = ["CaptureOptions"]


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How to capture.

    Parameters
    ----------
    output : file to write
    driver : ``auto``, ``system`` or ``null``
    readback : who answers what depends on pixels under the null driver: the replay engine, or nobody (zeros)
    device : file that says what the null driver's device is; None for its own
    first_frame, last_frame : frames to record; the program ends after the last one, None records all
    is_paused : record nothing before the program calls ``capture.start()``
    with_source : record file and line of each call
    clock_step : seconds of a frame by a clock that goes by frames; None leaves the program the machine's time
    seed : of the program's random numbers; None leaves them to chance
    with_secrets : the seed is for ``os.urandom`` and what stands on it, too
    progress : told the number of frames as they end
    """

    output: Path
    driver: DriverName = "auto"
    readback: ReadbackName = "engine"
    device: Path | None = None
    first_frame: int = 0
    last_frame: int | None = None
    is_paused: bool = False
    with_source: bool = False
    clock_step: Fraction | None = None
    seed: int | None = None
    with_secrets: bool = False
    progress: Callable[[int], None] | None = None
