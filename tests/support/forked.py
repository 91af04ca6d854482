"""Commands run in forked children of a warmed process: as alone as a process of its own, and much faster."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import click
from command_trees import PROGRAMS
from study_films import film

from traceformat.cli.door import run

__all__ = ["Ended", "forked", "forked_line", "run_in_child", "warm_up"]


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status, and what it wrote to its streams."""

    status: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.strip()]


def forked(
    command: click.Command,
    args: list[str],
    *,
    name: str = "command",
    cwd: Path | None = None,
    stdout: int | None = None,
    file_bytes: int | None = None,
    before: Callable[[], None] | None = None,
) -> Ended:
    """Run a command in a child.

    Parameters
    ----------
    stdout : descriptor in place of a pipe
    file_bytes : largest file that it may write
    before : called in the child
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            os.close(reading)
            os.dup2(writing if stdout is None else stdout, 1)
            os.dup2(err.fileno(), 2)
            run_in_child(command, args, name, cwd, file_bytes, before)
        os.close(writing)
        with open(reading, "rb") as file:
            out = file.read()
        _, ended = os.waitpid(child, 0)
        err.seek(0)
        return Ended(os.waitstatus_to_exitcode(ended), out, err.read().decode())


@cache
def warm_up() -> None:
    """Have this process load what runs need, kernels above all: children have it then."""
    with tempfile.TemporaryDirectory() as folder:
        trace = film(Path(folder) / "warm.gltrace", frames=1)
        with contextlib.redirect_stdout(io.StringIO()):
            assert run(PROGRAMS["gpureplay"], ["run", str(trace)], name="gpureplay") == 0


def forked_line(line: list[str], cwd: Path, **environment: str | None) -> Ended:
    """Run a command line as its entry point does; a variable of the environment that is None is taken away."""

    def change() -> None:
        for name, value in environment.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    warm_up()
    program, *arguments = line
    return forked(PROGRAMS[program], arguments, name=program, cwd=cwd, before=change)


def run_in_child(
    command: click.Command,
    args: list[str],
    name: str,
    cwd: Path | None,
    file_bytes: int | None = None,
    before: Callable[[], None] | None = None,
) -> NoReturn:
    """The child's life, once its streams are what the descriptors 0 to 2 are."""
    status = 99
    try:
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", closefd=False, buffering=1)
        if cwd is not None:
            os.chdir(cwd)
        if before is not None:
            before()
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        status = run(command, args, name=name)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 98
    finally:
        os._exit(status)
