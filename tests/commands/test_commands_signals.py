"""What a command does to signals ends with it, and is not its children's."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from traceformat.cli.door import Command, door

ROOT = Path(__file__).resolve().parents[2]
#: A command whose forked child is ended before the command is.
FORKING = """
import multiprocessing, time
import click
from traceformat.cli.door import Command, door

def work(ready):
    ready.set()
    time.sleep(60)

@click.command(cls=Command)
def command():
    "Fork."
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    child = context.Process(target=work, args=(ready,))
    child.start()
    ready.wait()  # Python forgets signals that arrive while it forks
    child.terminate()
    child.join(20)
    click.echo(child.exitcode)

door(command)()
"""


def test_the_handler_goes_with_the_command():
    @click.command(cls=Command)
    def command() -> None:
        """Do nothing."""
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL

    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    arguments, sys.argv = sys.argv, ["command"]
    try:
        with pytest.raises(SystemExit) as ended:
            door(command)()
        assert ended.value.code == 0
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        sys.argv = arguments
        signal.signal(signal.SIGTERM, before)


def test_forked_children_end_as_any_process_does():
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout == f"{-signal.SIGTERM}\n", done.stderr
    assert time.monotonic() - start < 55, "it did not wait for the child's 60 seconds"
