"""What a command does to signals ends with it, and is not its children's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from traceformat.cli.door import Command, door, run

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


#: What happens where a handler's exception does not get through, then a command that would go on for long.
PLACES = {
    "a callback of C": "ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), number))()",
    "the end of an object": "type('E', (), {'__del__': lambda self: os.kill(os.getpid(), number)})() and None",
}
SWALLOWING = """
import ctypes, os, signal, time
import click
from traceformat.cli.door import Command, door

number = signal.{number}

@click.command(cls=Command)
def command():
    "Lose it."
    {place}
    time.sleep(30)

door(command)()
"""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_python_would_lose_ends_the_command(place: str, number: str, status: int) -> None:
    code = SWALLOWING.format(number=number, place=PLACES[place])
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    assert time.monotonic() - start < 25


def test_an_interrupt_that_became_another_error_is_one() -> None:
    """Modules that fail to load say so with an error of their own."""

    @click.command(cls=Command)
    def command() -> None:
        """Load something."""
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise ImportError("something could not be loaded") from None

    assert run(command, []) == 130


def test_ctrl_c_while_a_command_is_loaded_says_nothing() -> None:
    code = (
        "import os, signal, traceformat.start as start\n"
        "start.import_module = lambda name: os.kill(os.getpid(), signal.SIGINT)\n"
        "start.gputrace()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    """As of a program in the background of a script."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from traceformat.start import gputrace\n"
        "sys.argv = ['gputrace', '--version']\n"
        "try:\n    gputrace()\n"
        "finally:\n    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_workers_do_not_see_ctrl_c_and_end_with_who_started_them(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("import time\ndef work(k):\n    open(f'began{k}', 'w'); time.sleep(60)\n")
    (tmp_path / "main.py").write_text(
        "import click, os, time, threading, signal\n"
        "from traceformat.cli.door import Command, door\n"
        "from traceformat.workers import worker_processes\n"
        "from work import work\n"
        "def press():\n"
        "    while not all(os.path.exists(f'began{k}') for k in range(2)):\n"
        "        time.sleep(0.01)\n"
        "    os.killpg(0, signal.SIGINT)\n"
        "@click.command(cls=Command)\n"
        "def command():\n"
        "    'Work.'\n"
        "    threading.Thread(target=press, daemon=True).start()\n"
        "    with worker_processes(2) as pool:\n"
        "        list(pool.map(work, range(2)))\n"
        "if __name__ == '__main__':\n"
        "    door(command)()\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "main.py"], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, cwd=tmp_path, check=False, start_new_session=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "")
    assert time.monotonic() - start < 50, "it waited for the workers' 60 seconds"
