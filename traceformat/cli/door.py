"""The door of the three commands: errors become one line and an exit status, subcommands load when they run.

@click.group(cls=LazyGroup, subcommands={"info": ("traceformat.cli.info:info", "What a trace holds")})
def cli() -> None: ...

main = door(cli)
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import Any, Final

import click

from traceformat.errors import ConfigError, MissingEnvironmentError, StorageError, ToolError, ToolWarning
from traceformat.guards import VARIABLE
from traceformat.interrupts import EndingSignals
from traceformat.output import is_storage_failure
from traceformat.voice import kept_voice, say, voice

__all__ = ["PARTIAL", "Command", "LazyGroup", "command_line", "door", "run", "version_option"]

#: Exit status of a trace that could be used in part only.
PARTIAL: Final = 3
#: Exit status of a bug of ours.
INTERNAL: Final = 70
_COMMAND_LINE: Final = "gpureplay.command_line"
#: What a shell expects of a program that Ctrl-C ended.
INTERRUPTED: Final = 130


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they run, not for ``--help``.

    Parameters
    ----------
    subcommands : name: (``module:attribute``, one line of help)
    """

    def __init__(self, *args: Any, subcommands: Mapping[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = dict(subcommands or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of their declaration."""
        return [*self._lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a subcommand."""
        if name not in self._lazy:
            return super().get_command(ctx, name)
        module, _, attribute = self._lazy[name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Offer the nearest name for one that does not exist."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            near = get_close_matches(args[0], self.list_commands(ctx), 1)
            offer = f"; did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"no command '{args[0]}'{offer}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        rows = [(name, text) for name, (_, text) in self._lazy.items()]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def version_option() -> Callable[[Any], Any]:
    """Decorate a group with ``--version``; a checkout that is not installed says so."""

    def show(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
        if not wanted or ctx.resilient_parsing:
            return
        from importlib.metadata import PackageNotFoundError, version

        try:
            text = version("gpureplay")
        except PackageNotFoundError:
            text = "(not installed)"
        click.echo(f"{ctx.find_root().info_name} {text}")
        ctx.exit()

    return click.option(
        "--version", is_flag=True, expose_value=False, is_eager=True, callback=show, help="Show the version and exit."
    )


class Command(click.Command):
    """A command whose inputs and outputs are looked at before it runs: see :mod:`traceformat.cli.paths`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check the paths, then run."""
        from traceformat.cli.paths import prepared

        with prepared(self, ctx):
            return super().invoke(ctx)


def run(command: click.Command, args: Sequence[str] | None = None, *, name: str | None = None) -> int:
    """Run a command and give its exit status; nothing but one line of a failure reaches stderr (a line for
    each mistake of a configuration).

    ``GPUREPLAY_DEBUG=1`` adds the traceback.

    Parameters
    ----------
    command : click command or group
    args : command line; that of the process by default
    name : program's name in messages
    """
    program = name or os.path.basename(sys.argv[0])
    _open_standard_streams()
    out = sys.stdout
    with kept_voice():
        try:
            with _telling_warnings(program):
                status = _status(command, sys.argv[1:] if args is None else list(args), program)
            if not out.closed:
                out.flush()
            return status
        except OSError as error:
            return _failed_output(program, error)


@contextmanager
def _telling_warnings(program: str) -> Iterator[None]:
    """Say each warning of ours once, in a line."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, ToolWarning):
            others(message, category, *where, **more)
        elif str(message) not in said:
            said.add(str(message))
            say(f"{program}: warning: {_one_line(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", ToolWarning)
        others, warnings.showwarning = warnings.showwarning, show
        yield


def _status(command: click.Command, args: list[str], program: str) -> int:
    """Exit status of a command; every failure but those of standard output is told and has its status."""
    try:
        # Not Command.main: it makes status 1 of a reader that went away.
        if (asked := os.environ.get(f"_{program.upper().replace('-', '_')}_COMPLETE")) is not None:
            from click.shell_completion import shell_complete

            return shell_complete(command, {}, program, f"_{program.upper().replace('-', '_')}_COMPLETE", asked)
        with command.make_context(program, list(args)) as ctx:
            ctx.meta[_COMMAND_LINE] = [program, *args]
            status = command.invoke(ctx)
            return status if isinstance(status, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return error.exit_code
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else program
        say(f"{where}: {_one_line(error.format_message())} (see {where} --help)")
        return 2
    except (click.Abort, KeyboardInterrupt, EOFError):
        return INTERRUPTED
    except ToolError as error:
        if (out := sys.__stdout__) is not None and out is sys.stdout and not out.closed:
            out.flush()
        _debug()
        say(f"{program}: {_message(error)}")
        return error.exit_code
    except MemoryError:
        _debug()
        say(f"{program}: this machine has too little memory ({VARIABLE} lowers what a trace may use)")
        return MissingEnvironmentError.exit_code
    except OSError as error:
        if not is_storage_failure(error):
            return _bug(program, error)
        raise
    except Exception as error:
        return INTERRUPTED if _is_interrupted(error) else _bug(program, error)


def _is_interrupted(error: BaseException | None) -> bool:
    """Whether somebody made it of the exception that Ctrl-C is, as what loads modules does."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def command_line() -> list[str]:
    """Words of the command that is running, the program's name first; none where a program called us."""
    context = click.get_current_context(silent=True)
    return list(context.meta.get(_COMMAND_LINE, ())) if context is not None else []


def _bug(program: str, error: Exception) -> int:
    _debug()
    reason = _one_line(f"{type(error).__name__}: {error}")
    say(f"{program}: internal error: {reason}; this is a bug, please report it (GPUREPLAY_DEBUG=1 tells more)")
    return INTERNAL


def _failed_output(program: str, error: OSError) -> int:
    """A disk is full or broken, or the reader of our output has gone: then so do we, silently."""
    gone = [isinstance(error, BrokenPipeError) and _reader_has_gone(number) for number in (1, 2)]
    if isinstance(error, BrokenPipeError) and not any(gone):
        return _bug(program, error)
    # What is written elsewhere goes through traceformat.output, whose errors name their place.
    place = error.filename or "standard output"
    # Python would complain again when it flushes at exit.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if gone[0]:
        return 0
    _debug()
    say(f"{program}: {place}: cannot write: {error.strerror or error}")
    return StorageError.exit_code


def _reader_has_gone(descriptor: int) -> bool:
    """Whether a pipe or socket has nobody at its other end."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _open_standard_streams() -> None:
    """Let nothing that is opened later be taken for a standard stream that the caller has closed.

    Where standard output is closed, what is written to it fails as it does for other programs.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            handle = os.open(os.devnull, mode)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def door(command: click.Command, name: str | None = None, *, takes_signals: bool = True) -> Callable[[], None]:
    """Entry point of a console script: runs the command and exits with its status.

    Parameters
    ----------
    takes_signals : clean up when somebody ends the process; what runs programs of others leaves signals to them
    """

    def main() -> None:
        try:
            if not takes_signals:
                if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
                    signal.signal(signal.SIGINT, signal.default_int_handler)
                sys.exit(run(command, name=name))
            with EndingSignals():
                sys.exit(run(command, name=name))
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    return main


def _message(error: ToolError) -> str:
    """One line; several mistakes of a configuration have a line each."""
    if not isinstance(error, ConfigError) or len(error.problems) == 1:
        return _one_line(str(error))
    hint = f" ({error.hint})" if error.hint else ""
    return "\n  ".join([f"{len(error.problems)} problems{hint}:", *map(_one_line, error.problems)])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _debug() -> None:
    if os.environ.get("GPUREPLAY_DEBUG") == "1":
        with suppress(OSError, ValueError):
            traceback.print_exc(file=voice())
