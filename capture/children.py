"""Python programs that a program starts: each that calls GL writes a trace of its own, ``OUT.PID.gltrace``.

A forked child goes on in the session of its parent. One that is started anew, by ``subprocess`` or by what stands on
it, is started under capture: where the command is an interpreter of Python with a script, ``subprocess.Popen`` runs
``capture.child`` in its place. Children started by other means (``os.exec*``, ``multiprocessing``'s spawn,
``python -m`` and ``-c``) are left as they are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from capture.options import CaptureOptions

__all__ = ["Children"]

_ROOT: Final = str(Path(__file__).parents[1])
#: Takes our folder off the path again: the child has the path that it would have had.
_START: Final = (
    "import sys; sys.path.insert(0, {root!r}); from capture.child import main; sys.path.remove({root!r}); main()"
)


class Children:
    """Lets children of the program be captured.

    Parameters
    ----------
    options : of the session; children have the same, but write all their frames
    """

    def __init__(self, options: CaptureOptions) -> None:
        self._settings = json.dumps(
            {
                "output": str(options.output.absolute()),
                "driver": options.driver,
                "readback": options.readback,
                "device": str(options.device.absolute()) if options.device is not None else None,
                "with_source": options.with_source,
                "clock_step": str(options.clock_step) if options.clock_step is not None else None,
                "seed": options.seed,
                "with_secrets": options.with_secrets,
            }
        )
        self._initialize: Callable[..., None] = subprocess.Popen.__init__

    def install(self) -> None:
        """Replace how processes are started."""
        initialize, children = self._initialize, self

        def start(self: Any, args: Any, *others: Any, **options: Any) -> None:
            initialize(self, children._command(args, options), *others, **options)

        subprocess.Popen.__init__ = start  # type: ignore[method-assign]

    def remove(self) -> None:
        """Put it back."""
        subprocess.Popen.__init__ = self._initialize  # type: ignore[method-assign]

    def _command(self, args: Any, options: dict[str, Any]) -> Any:
        """The command that captures what ``args`` would run; ``args`` where that is no script of Python."""
        if isinstance(args, (str, bytes, os.PathLike)) or options.get("shell") or options.get("executable"):
            return args
        words = [os.fspath(word) for word in args]
        if len(words) < 2 or not all(isinstance(word, str) for word in words):
            return args
        name = os.path.basename(words[0])
        is_python = words[0] == sys.executable or name in ("python", "python3")
        if not is_python or not words[1].endswith((".py", ".pyw")):
            return args
        return [words[0], "-c", _START.format(root=_ROOT), self._settings, *words[1:]]
