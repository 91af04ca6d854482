"""What a command reads and writes: types of parameters, looked at before any work is done.

A parameter with one of these types needs no code in its command: :class:`~traceformat.cli.door.Command` fills in names
that follow from others, refuses outputs that cannot be written or would destroy something, and protects the inputs
while the command runs. Tests walk over these types, so that no command is forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from traceformat.errors import UsageError
from traceformat.output import (
    FileKind,
    Target,
    check_folder,
    check_output,
    guarded,
    refuse_collisions,
    refuse_suffix,
)

__all__ = [
    "APITRACE",
    "CSV",
    "GLTRACE",
    "GPUTRACE",
    "HTML",
    "JSON",
    "MARKDOWN",
    "PLOT",
    "PNG",
    "TEXT",
    "TIMELINE",
    "TOML",
    "XML",
    "CallSetText",
    "InputFile",
    "OutputAddress",
    "OutputFile",
    "OutputFolder",
    "prepared",
]

GLTRACE: Final = FileKind("a .gltrace", (".gltrace",))
GPUTRACE: Final = FileKind("a .gputrace", (".gputrace",))
JSON: Final = FileKind("JSON", (".json",))
CSV: Final = FileKind("CSV", (".csv",))
PLOT: Final = FileKind("a figure", (".svg", ".png", ".pdf"))
PNG: Final = FileKind("a PNG picture", (".png",))
TEXT: Final = FileKind("text", (".txt",))
TOML: Final = FileKind("TOML", (".toml",))
XML: Final = FileKind("XML", (".xml",))
MARKDOWN: Final = FileKind("Markdown", (".md",))
HTML: Final = FileKind("HTML", (".html", ".htm"))
APITRACE: Final = FileKind("apitrace's binary format", (".trace",))
TIMELINE: Final = FileKind("a timeline for Perfetto", (".pftrace", ".perfetto", ".json"))


class _Path(click.ParamType):  # type: ignore[type-arg]
    """A path as it was given, completed by the shell."""

    name = "path"
    completes = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(os.fspath(value))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.completes)]


class InputFile(_Path):
    """A file or folder that the command reads."""

    def reads(self, value: str) -> list[str]:
        """Files behind a value."""
        return [value]


class CallSetText(InputFile):
    """A call set; ``@file`` reads it from a file."""

    def reads(self, value: str) -> list[str]:
        """The file behind ``@``."""
        return [value[1:]] if value.startswith("@") else []


class OutputFile(_Path):
    """A file or stream that the command writes; ``-`` is standard output.

    Parameters
    ----------
    kind : what is written
    default : gives the name from the other parameters where none was given
    replaces : parameter whose file that name replaces, once the new one is whole
    only_files : streams are refused: others write beside the file, or go back in it
    is_folder : tells from the other parameters that a folder of such files is written
    """

    def __init__(
        self,
        kind: FileKind,
        *,
        default: Callable[[Mapping[str, Any]], str] | None = None,
        replaces: str | None = None,
        only_files: bool = False,
        is_folder: Callable[[Mapping[str, Any]], bool] = lambda given: False,
    ) -> None:
        self.kind = kind
        self.default = default
        self.replaces = replaces
        self.only_files = only_files
        self.is_folder = is_folder

    def check(self, target: Target) -> None:
        """Refuse a target that is not fit for what is written."""
        if target.file is not None:
            refuse_suffix(target.path, self.kind)
        elif self.only_files:
            raise UsageError(f"{target.path}: {self.kind.what} is written into a file of its own, not into a stream")
        elif self.kind in (APITRACE, GLTRACE, GPUTRACE, TIMELINE) and target.is_terminal:
            raise UsageError(f"{target.path}: {self.kind.what} is not for a terminal", hint="name a file")


class OutputFolder(_Path):
    """A folder that the command writes files into; it is made where it is not there."""

    completes = "dir"


class OutputAddress(OutputFolder):
    """A folder, or an address such as ``s3://bucket/traces``, which whoever opens it looks at."""


def prepared(command: click.Command, ctx: click.Context) -> ExitStack:
    """Fill in the names that follow from others, and check everything that a command reads and writes.

    Returns
    -------
    to be open while the command runs: inputs are not written over meanwhile

    Raises
    ------
    UsageError, StorageError : an output cannot be written, or would destroy an input or another output
    """
    params = ctx.params
    replaced: set[str] = set()
    for param in command.params:
        kind = param.type
        if isinstance(kind, OutputFile) and params.get(str(param.name)) is None and kind.default is not None:
            params[str(param.name)] = kind.default(params)
            if kind.replaces is not None:
                replaced.add(str(params[kind.replaces]))
    inputs = [path for path in _inputs(command, params) if path not in replaced]
    targets: list[tuple[Target, OutputFile]] = []
    for kind, path in _outputs(command, params):
        if isinstance(kind, OutputFile) and not kind.is_folder(params):
            targets.append((check_output(path), kind))
        else:
            check_folder(path)
            if any(os.path.isdir(other) and os.path.samefile(other, path) for other in inputs if os.path.exists(path)):
                raise UsageError(f"{path}: the folder is what is read", hint="choose another folder")
    refuse_collisions(inputs, [target for target, _ in targets])
    for target, kind in targets:
        kind.check(target)
    stack = ExitStack()
    stack.enter_context(guarded(inputs))
    return stack


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        yield from (each for each in value if isinstance(each, str))


def _inputs(command: click.Command, params: Mapping[str, Any]) -> Iterator[str]:
    for param in command.params:
        if isinstance(param.type, InputFile):
            for value in _values(params.get(str(param.name))):
                yield from param.type.reads(value)


def _outputs(command: click.Command, params: Mapping[str, Any]) -> Iterator[tuple[OutputFile | OutputFolder, str]]:
    for param in command.params:
        if isinstance(param.type, (OutputFile, OutputFolder)):
            for value in _values(params.get(str(param.name))):
                if isinstance(param.type, OutputAddress) and "://" in value:
                    continue
                yield param.type, value
