"""GLFW's time, told by a fixed clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from capture.repeatable.clock import FixedClock

__all__ = ["timed_functions"]

_SECOND: Final = 1_000_000_000


def timed_functions(clock: FixedClock, poll: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """Functions of GLFW that tell time or wait for it, by name.

    Parameters
    ----------
    clock : whose time it is
    poll : handles events without waiting for any
    """
    offset = 0

    def set_time(seconds: Any) -> None:
        nonlocal offset
        offset = round(float(getattr(seconds, "value", seconds)) * _SECOND) - clock.read()

    def wait(seconds: Any) -> None:
        clock.sleep(float(getattr(seconds, "value", seconds)))
        poll()

    return {
        "glfwGetTime": lambda: (clock.read() + offset) / _SECOND,
        "glfwSetTime": set_time,
        "glfwGetTimerValue": clock.read,
        "glfwGetTimerFrequency": lambda: _SECOND,
        "glfwWaitEventsTimeout": wait,
    }
