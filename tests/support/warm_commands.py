"""Commands for shells, run in forked children of one warm process: their start is nearly all that they cost.

``python warm_commands.py FOLDER`` loads the commands once, writes a small program of each one's name into FOLDER/bin,
and serves them: each hands its words, its folder and its streams to the process, and ends as the child there ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from command_trees import PROGRAMS
from forked import run_in_child, warm_up

#: Those that start no program of the user's: ``gpucapture`` hooks the process that it is in.
NAMES = ("gpureplay", "gputrace")
_READY = "ready"
_CLIENT = """\
#!{python} -ISE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as one:
    one.connect({address!r})
    words = json.dumps([{name!r}, os.getcwd(), sys.argv[1:]]).encode()
    socket.send_fds(one, [len(words).to_bytes(4, "little") + words], [0, 1, 2])
    answer = one.recv(4)
sys.exit(int(answer) if answer else 97)
"""


@contextlib.contextmanager
def warm_commands(folder: Path, environment: dict[str, str]) -> Iterator[Path]:
    """A folder of commands for ``PATH``, which know the environment given here, until the block ends."""
    server = subprocess.Popen(
        [sys.executable, __file__, str(folder)],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        assert server.stdout.readline().strip() == _READY, "the warm process did not start"
        yield folder / "bin"
    finally:
        server.kill()
        server.wait()


def _write_clients(folder: Path, address: str) -> None:
    (folder / "bin").mkdir()
    for name in NAMES:
        path = folder / "bin" / name
        path.write_text(_CLIENT.format(python=sys.executable, address=address, name=name))
        path.chmod(0o755)


def _answer(connection: socket.socket) -> None:
    """Run one command in a child, and tell its status."""
    message, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while len(message) < 4 + int.from_bytes(message[:4], "little"):
        message += connection.recv(1 << 16)
    name, folder, words = json.loads(message[4:])
    child = os.fork()
    if not child:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        run_in_child(PROGRAMS[name], words, name, Path(folder))
    for stream in (0, 1, 2, *streams):  # a pipe ends when its last writer has gone
        os.close(stream)
    _, ended = os.waitpid(child, 0)
    connection.send(str(os.waitstatus_to_exitcode(ended)).encode())


def _serve(folder: Path) -> None:
    warm_up()
    address = str(folder / "socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        _write_clients(folder, address)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        print(_READY, flush=True)
        while True:
            connection, _ = listening.accept()
            if not os.fork():
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                _answer(connection)
                os._exit(0)
            connection.close()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
