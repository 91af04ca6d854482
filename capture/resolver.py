"""The one resolver: from the name of an entry point to the address that a library gets for it.

Behind it stand the driver's GL functions, EGL and GLX; in front of it the adapters, each of which makes one Python
library ask here instead of in a GL library.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from capture.native.jumps import answer_at_end
from capture.trampoline import CFunction, TrampolineFactory, prototype
from capture.windowsystem.egl import EglHooks
from capture.windowsystem.glx import GlxHooks
from traceformat.errors import UnsupportedCallError
from traceformat.gles.entry_points import COMMANDS

if TYPE_CHECKING:
    from capture.contexts import ContextRegistry
    from capture.drivers.base import AnsweringDriver, ForwardingDriver
    from capture.native.jumps import Jumps
    from capture.recorder import Recorder

__all__ = ["Resolver", "is_window_function"]


def is_window_function(name: str) -> bool:
    """Tell an EGL or GLX function from a GL one."""
    return name.startswith(("egl", "glX"))


class Resolver:
    """Addresses of trampolines, each made once.

    Parameters
    ----------
    driver : what answers the calls
    recorder : what notes them
    registry : what notes contexts, drawables and swaps
    factory : makes trampolines
    jumps : through which they are reached, where native code may keep their addresses; None where it is not seen

    Attributes
    ----------
    egl, glx : hooks of the window systems
    """

    def __init__(
        self,
        driver: ForwardingDriver | AnsweringDriver,
        recorder: Recorder,
        registry: ContextRegistry,
        factory: TrampolineFactory,
        jumps: Jumps | None = None,
    ) -> None:
        self._jumps = jumps
        self._driver = driver
        self._recorder = recorder
        self._factory = factory
        self._lock = threading.RLock()
        self._addresses: dict[str, int] = {}
        self.egl = EglHooks(registry, self)
        self.glx = GlxHooks(registry, self)
        self._hooks: dict[str, Callable[..., object]] = {**self.egl.table(), **self.glx.table()}

    def get_proc(self, name: str, real: Callable[[], int] | None = None) -> int:
        """Answer a program's eglGetProcAddress, glXGetProcAddress or glfwGetProcAddress.

        Parameters
        ----------
        name : any name
        real : asks the driver, for names that are not ours to answer; by default the driver's own look-up

        Returns
        -------
        Address of a trampoline; what ``real`` says for functions that are not recorded; 0 for what does not exist
        """
        address = self.address(name)
        if address:
            return address
        if is_window_function(name) or not name.startswith("gl") or name.startswith("glu"):
            # GLU stands on GL, and drivers claim to have whatever begins like a function of GL.
            return real() if real is not None else 0
        found = real() if real is not None else self._recorder.real_address(name)
        if found:
            # The driver claims to have it, but neither our table nor anybody's trace does.
            return self._cached(name, lambda: self._unsupported(name))
        return found

    def address(self, name: str) -> int:
        """Address of the trampoline for an entry point; 0 where it has none: not in the table, or not in the driver."""
        address = self._addresses.get(name)
        if address is not None:
            return address
        if name not in COMMANDS or name.startswith("trace"):
            return 0
        if is_window_function(name):
            return self._cached(name, lambda: self._make_window(name))
        return self._cached(name, lambda: self._recorder.trampoline(COMMANDS[name], self._factory))

    def window_function(self, name: str) -> CFunction:
        """Give an EGL or GLX function, unrecorded; one that does not exist answers 0."""
        return self._driver.window_function(name) or (lambda *arguments: 0)

    def function(self, name: str) -> Any:
        """Give a recorded entry point as a ctypes function, for adapters that call it for the program."""
        address = self.address(name)
        return prototype(COMMANDS[name])(address) if address else None

    def _cached(self, name: str, make: Callable[[], int]) -> int:
        # The driver looks for functions with the linker's lock, which another thread may have that waits for us here:
        # so what is made twice is made twice, and the first one is given.
        python = make()
        jump, real = python, 0
        if python and self._jumps is not None:
            real = self._driver.address(name)
            jump = self._jumps.make(python, real, answer_at_end(name))
        with self._lock:
            known = self._addresses.setdefault(name, jump)
            if known == jump != python and self._recorder.natives is not None:
                self._recorder.natives.place(name, jump, python, real)
            return known

    def _make_window(self, name: str) -> int:
        real = self._driver.window_function(name)
        if real is None:
            return 0
        hook = self._hooks.get(name)
        if hook is None and self._driver.name == "system":
            # Nothing of it is recorded: the library gets the driver's own function.
            return ctypes.cast(real, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
        return self._factory.make(COMMANDS[name], partial(hook, real) if hook is not None else real, real)

    def _unsupported(self, name: str) -> int:
        def called() -> int:
            raise UnsupportedCallError(f"{name} was called, which this version does not support")

        def guarded() -> int:
            try:
                return called()
            except UnsupportedCallError as error:
                self._recorder.faults.handle(error, name)
                return 0

        # The C calling conventions leave the arguments to the caller, so a function that takes none can stand for any.
        return self._factory.make_raw(ctypes.CFUNCTYPE(ctypes.c_ssize_t), guarded)
