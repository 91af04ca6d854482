"""Runs a program that is not Python's with the recorder loaded into it, and sees to what it leaves behind."""

from __future__ import annotations

import glob
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capture.drivers import open_driver
from capture.embedded import SETTINGS
from capture.native.hooks import LinkerHooks
from capture.native.preload import preload_environment
from capture.options import CaptureOptions
from traceformat.errors import MissingEnvironmentError, ToolError, UsageError
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.ringfile import ring_path
from traceformat.output import file_error, parts_of
from traceformat.tools.repack import repack
from traceformat.voice import say

__all__ = ["Executed", "execute"]


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of it.

    Parameters
    ----------
    status : the program's, 128 + N where signal N ended it
    traces : files of the program's processes that called GL, its own first
    is_recovered : the program's own trace is what was there when it was killed or crashed
    seconds : that the program ran
    """

    status: int
    traces: list[Path]
    is_recovered: bool
    seconds: float


def execute(options: CaptureOptions, command: Sequence[str]) -> Executed:
    """Run a program and write the traces of its processes.

    Parameters
    ----------
    options : how to capture; what Python alone can do (clock, seed, lines, pauses) is not looked at
    command : program, found as a shell finds it, and its arguments

    Raises
    ------
    UsageError : the program cannot be started
    MissingEnvironmentError : nothing can be loaded into programs here
    """
    if not LinkerHooks.are_available():
        raise MissingEnvironmentError("native code is not recorded on this system")
    output = options.output.absolute()
    driver, reason = open_driver(options.driver, options.device)
    if reason:
        say(f"gpucapture: using the null driver: {reason}")
    settings = {
        "output": str(output),
        "driver": driver.name,
        "readback": options.readback,
        "device": str(options.device.absolute()) if options.device is not None else None,
        "first_frame": options.first_frame,
        "last_frame": options.last_frame,
        "parent": os.getpid(),
    }
    variables = preload_environment("from capture.embedded import begin; begin()")
    before = {*_traces_beside(output), *_parts_beside(output)}
    start = time.monotonic()
    try:
        process = subprocess.Popen(
            command, env={**os.environ, **variables, SETTINGS: json.dumps(settings)}, restore_signals=True
        )
    except OSError as error:
        raise UsageError(f"{command[0]}: cannot start: {error.strerror}") from None
    status = _wait(process)
    seconds = time.monotonic() - start
    is_recovered = False
    for part, whole in _parts_beside(output).items():
        if part not in before:
            is_recovered |= _recover(part, whole) and whole == output
    others = [path for path in _traces_beside(output) if path not in before]
    if not output.exists() and len(others) == 1:
        # A script, or a program that draws in a process of its own.
        others.pop().replace(output)
    traces = [output, *others] if output.exists() else others
    return Executed(status, traces, is_recovered, seconds)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end, hand on what is sent to us; Ctrl-C reaches the program by itself."""
    previous: dict[signal.Signals, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, lambda number, frame: None)}
    for number in (signal.SIGTERM, signal.SIGHUP):
        previous[number] = signal.signal(number, lambda number, frame: process.send_signal(number))
    try:
        status = process.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status


def _traces_beside(output: Path) -> list[Path]:
    """Traces of processes that the program started."""
    return sorted(output.parent.glob(f"{glob.escape(output.stem)}.[0-9]*{glob.escape(output.suffix)}"))


def _parts_beside(output: Path) -> dict[Path, Path]:
    """What killed processes leave behind, and what each would have become."""
    found = dict.fromkeys(parts_of(output), output)
    for part in output.parent.glob(f".{glob.escape(output.stem)}.[0-9]*{glob.escape(output.suffix)}.*.part"):
        found[part] = output.with_name(part.name[1:].rsplit(".", 2)[0])
    return found


def _recover(part: Path, output: Path) -> bool:
    """Make a whole trace of a killed process's part; a part without calls goes."""
    try:
        with open_trace(part) as reader:
            has_calls = bool(reader.num_calls) and repack(reader, output, recover=True) > 0
    except ToolError:
        has_calls = False
    except OSError as error:
        raise file_error(part, error, "cannot read") from None
    part.unlink(missing_ok=True)
    ring_path(part).unlink(missing_ok=True)
    if not has_calls:
        output.unlink(missing_ok=True)
    return has_calls
