"""The program under capture, run as the interpreter would run it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, Final

from traceformat.errors import UsageError

__all__ = ["Program", "status_of"]

_OUR_FOLDER: Final = os.path.dirname(__file__) + os.sep


@dataclass(frozen=True, slots=True)
class Program:
    """A script or module, ready to run as ``__main__``.

    Parameters
    ----------
    path : its file
    arguments : its ``sys.argv``, the program's name included
    folder : becomes ``sys.path[0]``
    package : ``__package__`` of a module; None for a script
    own_packages : packages of ours that belong to the program (a sample's)
    """

    path: Path
    arguments: tuple[str, ...]
    folder: Path
    package: str | None = None
    own_packages: tuple[str, ...] = ()

    @classmethod
    def from_script(cls, script: Path, arguments: Sequence[str] = ()) -> Program:
        """A script file, or a folder with a ``__main__.py``, as in ``python SCRIPT ARGUMENTS``.

        Raises
        ------
        UsageError : there is no such file, or it cannot be read
        """
        path = script / "__main__.py" if script.is_dir() else script
        if not path.is_file():
            raise UsageError(f"{script}: no such script")
        return cls(path.absolute(), (str(script), *arguments), path.resolve().parent)

    @classmethod
    def from_sample(cls, name: str, arguments: Sequence[str] = ()) -> Program:
        """One of our demo programs."""
        return cls._from_module(f"samples.{name}", arguments, [str(Path(__file__).parents[1])], ("samples",))

    @classmethod
    def from_module(cls, name: str, arguments: Sequence[str] = ()) -> Program:
        """A module, or a package with a ``__main__``, as in ``python -m NAME ARGUMENTS``.

        Raises
        ------
        UsageError : there is no such module
        """
        # The first entry is that of gpucapture's own script, unless Python was told to have none.
        path = sys.path if sys.flags.safe_path else [str(Path.cwd()), *sys.path[1:]]
        return cls._from_module(name, arguments, path)

    @classmethod
    def _from_module(
        cls, name: str, arguments: Sequence[str], path: Sequence[str], own_packages: tuple[str, ...] = ()
    ) -> Program:
        """Find a module without importing the packages that it is in: they are the program's, and run under capture."""
        parts, known = name.split("."), ""
        spec: ModuleSpec | None = None
        while parts:
            known = f"{known}.{parts[0]}".lstrip(".")
            spec = PathFinder.find_spec(known, path)
            if spec is None:
                raise UsageError(f"there is no module {known}")
            del parts[0]
            path = spec.submodule_search_locations or []
            if not parts and spec.submodule_search_locations is not None:
                parts = ["__main__"]
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            raise UsageError(f"{name}: no Python source", hint="a module, or a package with a __main__.py")
        file = Path(spec.origin)
        return cls(file, (str(file), *arguments), Path.cwd(), spec.parent, own_packages)

    def run(self) -> int:
        """Run it to the end of its main module.

        Returns
        -------
        the exit status that the interpreter would end with; what the interpreter would print has been printed
        """
        code = self._compile()
        if code is None:
            return 1
        main = ModuleType("__main__")
        main.__file__ = str(self.path)
        main.__package__ = self.package
        main.__dict__["__builtins__"] = __builtins__
        main.__dict__["__cached__"] = None
        if self.package is not None:
            name = f"{self.package}.{self.path.stem}"
            main.__spec__ = importlib.util.spec_from_file_location(name, self.path)
        sys.modules["__main__"] = main
        sys.argv[:] = self.arguments
        # The first entry is that of gpucapture's own script, unless Python was told to have none.
        sys.path[0 : 0 if sys.flags.safe_path else 1] = [str(self.folder)]

        def execute() -> None:
            if self.package:
                importlib.import_module(self.package)
            exec(code, main.__dict__)

        return status_of(execute)

    def _compile(self) -> CodeType | None:
        try:
            # Bytes: the file's own encoding declaration counts.
            return compile(self.path.read_bytes(), str(self.path), "exec", dont_inherit=True)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot read: {error.strerror}") from None
        except (SyntaxError, ValueError):
            kind, value, _ = sys.exc_info()
            traceback.print_exception(kind, value, None)
            return None


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """The program's own frames of a traceback: those that it would show without us."""
    while trace is not None and _is_ours(trace):
        trace = trace.tb_next
    if trace is not None:
        trace.tb_next = _without_ours(trace.tb_next)
    return trace


def _is_ours(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(_OUR_FOLDER)


def status_of(run: Callable[[], Any]) -> int:
    """Run something and turn how it ended into an exit status, as the interpreter does."""
    try:
        run()
    except SystemExit as end:
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        trace = _without_ours(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0
