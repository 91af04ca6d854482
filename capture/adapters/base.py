"""What an adapter is, and what it works with."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from capture.contexts import ContextRegistry
    from capture.drivers.base import AnsweringDriver, ForwardingDriver
    from capture.interrupts import Faults
    from capture.recorder import Recorder
    from capture.repeatable.clock import FixedClock
    from capture.resolver import Resolver
    from capture.windowsystem.current import CurrentContext

__all__ = ["Adapter", "Capture"]


@dataclass(frozen=True, slots=True)
class Capture:
    """What adapters work with.

    Parameters
    ----------
    clock : where the program has a clock of its own
    sees_native : the calls of native code are redirected, too
    """

    driver: ForwardingDriver | AnsweringDriver
    resolver: Resolver
    registry: ContextRegistry
    recorder: Recorder
    current: CurrentContext
    faults: Faults
    clock: FixedClock | None = None
    sees_native: bool = False

    @property
    def has_display(self) -> bool:
        """There is a window system."""
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

    @property
    def is_headless(self) -> bool:
        """Windows have to do without a display: there is none, or it has no contexts of ours."""
        return self.driver.name == "null" or not self.has_display


class Adapter(Protocol):
    """One library's adapter.

    Attributes
    ----------
    module : name of the module at whose import it acts
    """

    module: str

    def before(self) -> None:
        """Act right before the module runs."""

    def after(self, module: ModuleType) -> None:
        """Act right after the module has run."""
