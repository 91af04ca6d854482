"""Run the commands of the documentation, and write down what they print.

    python docs/commands.py [--update] PAGE.md...

A command stands in a ``console`` block after ``$ ``; what it prints stands below it, and ends in ``...`` where only the
beginning is shown. All commands of a page run in one empty folder, one after the other; a block of Python or TOML with
a caption is a file that they find there. With ``--update`` what they print is written into the page. The status is 1 if
a command fails: a line ``# exit 1`` after a command says that it ends with that status.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Command", "clipped", "commands", "environment", "run_page"]

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"^```\{code-block\} (?:python|toml)\n:caption: (\S+)\n\n?(.*?)^```$", re.M | re.S)
_EXIT = re.compile(r"  # exit (\d+)$")


@dataclass
class Command:
    """One command of a page: its line, the status it is to end with, and what the page shows below it."""

    line: str
    status: int
    shown: list[str]


@dataclass
class Done:
    """What became of a command."""

    command: Command
    status: int
    output: list[str]
    errors: str


def commands(text: str) -> list[list[Command]]:
    """The commands of each console block of a page."""
    return [list(_of_block(block[1])) for block in _BLOCK.finditer(text)]


def _of_block(block: str) -> Iterator[Command]:
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            status = _EXIT.search(line)
            found.append(Command(line[2:], int(status[1]) if status else 0, []))
        elif found:
            found[-1].shown.append(line)
    yield from found


def environment(*tools: Path) -> dict[str, str]:
    """What commands find in their environment; folders of tools come first in its path."""
    path = os.pathsep.join((*map(str, tools), str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return {**os.environ, "PATH": path, "COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}


def run_page(text: str, folder: Path, *tools: Path) -> Iterator[list[Done]]:
    """Run the commands of a page in a folder, block by block."""
    for name, content in _FILE.findall(text):
        (folder / name).write_text(content)
    for block in commands(text):
        yield [_run(command, folder, environment(*tools)) for command in block]


def _run(command: Command, folder: Path, environment: dict[str, str]) -> Done:
    line = _EXIT.sub("", command.line)
    ran = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    output = [text.rstrip() for text in ran.stdout.rstrip().splitlines()]
    return Done(command, ran.returncode, output, ran.stderr)


def clipped(done: Done) -> list[str]:
    """What is shown: all that was printed, or as many lines as before where the page shows a beginning."""
    shown = done.command.shown
    if shown and shown[-1] == "...":
        return [*done.output[: len(shown) - 1], "..."]
    return done.output


def updated(text: str, blocks: list[list[Done]]) -> str:
    """The page with what its commands printed."""
    remaining = iter(blocks)

    def write(match: re.Match[str]) -> str:
        lines = []
        for done in next(remaining):
            lines += [f"$ {done.command.line}", *clipped(done)]
        return "```console\n" + "\n".join(lines) + "\n```"

    return _BLOCK.sub(write, text)


def main() -> int:
    """Run the pages that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write what the commands print into the pages")
    parser.add_argument("pages", nargs="+", type=Path)
    arguments = parser.parse_args()
    failures = 0
    for page in arguments.pages:
        text = page.read_text()
        with tempfile.TemporaryDirectory() as folder:
            blocks = list(run_page(text, Path(folder)))
        for done in (one for block in blocks for one in block if one.status != one.command.status):
            failures += 1
            print(f"{page}: {done.command.line}: status {done.status}\n{done.errors}", file=sys.stderr)
        if arguments.update:
            page.write_text(updated(text, blocks))
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
