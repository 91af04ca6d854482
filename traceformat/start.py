"""Entry points of the three commands.

While a command is loaded nothing is at work yet: Ctrl-C ends the process as it ends any other, without a word. From
then on :mod:`traceformat.cli.door` has the signals.
"""

from __future__ import annotations

import signal
from importlib import import_module

__all__ = ["gpucapture", "gpureplay", "gputrace"]


def gpucapture() -> None:
    """Run ``gpucapture``."""
    _start("capture.cli")


def gputrace() -> None:
    """Run ``gputrace``."""
    _start("traceformat.cli")


def gpureplay() -> None:
    """Run ``gpureplay``."""
    _start("gpumodel.cli")


def _start(module: str) -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import_module(module).main()
