"""What every driver can do: the resolver and the recorder use drivers through these protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from capture.context_records import ContextAttributes
    from capture.trampoline import CFunction
    from traceformat.calls import Call
    from traceformat.errors import ToolError

__all__ = ["AnsweringDriver", "Aside", "Driver", "DriverName", "ForwardingDriver", "ReadSource", "ReadbackName"]

DriverName = Literal["auto", "system", "null"]
#: Who answers what depends on pixels under the null driver.
ReadbackName = Literal["engine", "zero"]


#: Keeps the program's modules out of the way while ours run.
Aside: TypeAlias = "Callable[[], AbstractContextManager[None]]"


class ReadSource(NamedTuple):
    """What read-back by the replay engine needs.

    Parameters
    ----------
    recorded : gives the calls from a number on, out of the trace that is being written
    report : is told what goes wrong
    """

    recorded: Callable[[int], Iterable[Call]]
    report: Callable[[ToolError], None]


class Driver(Protocol):
    """What every driver can do.

    Attributes
    ----------
    name : ``system`` or ``null``
    """

    name: str

    def window_function(self, name: str) -> CFunction | None:
        """Give an EGL or GLX function, to be called with C values; None where it does not exist."""

    def address(self, name: str) -> int:
        """Address of a GL, EGL or GLX function of a library; 0 where the driver does not have it."""

    def describe_context(self, requested: ContextAttributes) -> ContextAttributes:
        """Say what the context that is current in this thread really is."""

    def create_context(self, requested: ContextAttributes, share: int, size: tuple[int, int] | None) -> tuple[int, int]:
        """Create an EGL context without a display, for a program whose window system has none.

        Parameters
        ----------
        requested : API, version and bits
        share : context to share objects with, 0 for none
        size : of an off-screen surface in pixels; None gives a context without one

        Returns
        -------
        handles of the context and of the surface (0 without one)

        Raises
        ------
        MissingEnvironmentError : there is no such context
        """

    def replace_surface(self, context: int, surface: int, size: tuple[int, int]) -> int:
        """Give a context of ``create_context`` a surface of another size; what was in the old one is lost.

        Returns
        -------
        handle of the new surface; the old one is destroyed, and if the context was current, it is so with the new one
        """

    def make_current(self, context: int, surface: int) -> bool:
        """Make a context of ``create_context`` current in this thread; 0 releases."""

    def destroy_context(self, context: int, surface: int) -> None:
        """Destroy a context of ``create_context``, and its surface."""


class ForwardingDriver(Driver, Protocol):
    """A driver that is a GL library: calls go on to its functions."""

    def extensions(self) -> list[str]:
        """Extensions of the context that is current in this thread, in the driver's order."""


class AnsweringDriver(Driver, Protocol):
    """A driver without a library: it executes the calls themselves."""

    def execute(self, call: Call) -> None:
        """Execute a call: fills its outputs and its result."""

    def prepare(self, aside: Aside, reads: ReadSource | None) -> None:
        """Get ready for a program: ``aside`` keeps its modules away from ours, ``reads`` is for its read-backs."""
