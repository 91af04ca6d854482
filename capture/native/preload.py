"""The object that brings the recorder into programs that are not Python's, compiled on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

from traceformat.errors import MissingEnvironmentError
from traceformat.kernels import cache_root

__all__ = ["preload_environment"]

_SOURCE: Final = Path(__file__).with_name("preload.c")
_COMPILERS: Final = ("cc", "gcc", "clang")
_ELSEWHERE: Final = "record with apitrace instead, and read its file with gpucapture import"


def preload_environment(code: str) -> dict[str, str]:
    """Variables under which a program starts an interpreter as soon as it has a library of GL.

    Parameters
    ----------
    code : Python to run in it then

    Raises
    ------
    MissingEnvironmentError : no compiler, or no Python that can be loaded into a program
    """
    library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED") or not library.is_file():
        raise MissingEnvironmentError("this Python has no shared library to load into a program", hint=_ELSEWHERE)
    before = os.environ.get("LD_PRELOAD")
    return {
        "LD_PRELOAD": f"{_compiled()}:{before}" if before else str(_compiled()),
        "GPUCAPTURE_PYTHON": str(library),
        "GPUCAPTURE_HOME": sys.base_prefix,
        "GPUCAPTURE_CODE": f"import sys; sys.path[:] = {sys.path!r}; {code}",
    }


def _compiled() -> Path:
    source = _SOURCE.read_bytes()
    folder = cache_root()
    library = folder / f"preload-{hashlib.sha256(source).hexdigest()[:16]}.so"
    if library.is_file():
        return library
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise MissingEnvironmentError("no C compiler for what is loaded into the program", hint=_ELSEWHERE)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        made = Path(temporary, "preload.so")
        flags = ("-shared", "-fPIC", "-O2", "-fvisibility=hidden")
        done = subprocess.run(
            [compiler, *flags, str(_SOURCE), "-o", str(made), "-ldl", "-pthread"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            why = (done.stderr.strip().splitlines() or [f"{compiler} ended with status {done.returncode}"])[-1]
            raise MissingEnvironmentError(f"what is loaded into the program does not compile: {why}", hint=_ELSEWHERE)
        made.replace(library)
    return library
