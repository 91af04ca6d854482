"""What answers the program's GL calls: the system's own GL, or the null driver where there is none.

``open_driver`` chooses; what it gives is described in ``base``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.errors import MissingEnvironmentError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from capture.drivers.base import AnsweringDriver, DriverName, ForwardingDriver

__all__ = ["open_driver"]


def open_driver(
    name: DriverName, device: Path | None = None, *, is_tried: bool = True
) -> tuple[ForwardingDriver | AnsweringDriver, str]:
    """Open a driver.

    Parameters
    ----------
    name : ``system``, ``null``, or ``auto``: the system's GL if a context can be created with it, else null
    device : file that says what the null driver's device is
    is_tried : make a context of the system's GL to see that it works

    Returns
    -------
    the driver, and why it is not the one that ``auto`` prefers; empty where it is

    Raises
    ------
    MissingEnvironmentError : ``system`` was asked for, and no GL context can be created
    UsageError : an unknown name, or a device that cannot be
    """
    if name not in ("auto", "system", "null"):
        raise UsageError(f"unknown driver {name!r}", hint="auto, system or null")
    reason = ""
    described = None
    if device is not None:
        from capture.drivers.device import read_device

        described = read_device(device)
    if name != "null":
        from capture.drivers.system import SystemDriver

        try:
            driver = SystemDriver()
            if is_tried:
                driver.try_out()
            return driver, reason
        except MissingEnvironmentError as error:
            if name == "system":
                raise
            reason = error.message
    from capture.drivers.answering import NullPlatform

    return NullPlatform(described), reason
