"""The door of the three commands: errors become one line and an exit status, subcommands load when they run.

@click.group(cls=LazyGroup, subcommands={"info": ("traceformat.cli.info:info", "What a trace holds")})
def cli() -> None: ...

main = door(cli)
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

import click

from traceformat.errors import ConfigError, MissingEnvironmentError, ToolError
from traceformat.guards import VARIABLE

__all__ = ["LazyGroup", "door", "run", "version_option"]

#: Exit status of a bug of ours.
INTERNAL: Final = 70
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
    try:
        status = command.main(args=None if args is None else list(args), prog_name=program, standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else program
        _say(f"{where}: {_one_line(error.format_message())} (see {where} --help)")
        return 2
    except click.Abort:
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    except ToolError as error:
        _debug()
        _say(f"{program}: {_message(error)}")
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone: so do we. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        _debug()
        _say(f"{program}: this machine has too little memory ({VARIABLE} lowers what a trace may use)")
        return MissingEnvironmentError.exit_code
    except Exception as error:
        _debug()
        reason = _one_line(f"{type(error).__name__}: {error}")
        _say(f"{program}: internal error: {reason}; this is a bug, please report it (GPUREPLAY_DEBUG=1 tells more)")
        return INTERNAL


def door(command: click.Command, name: str | None = None) -> Callable[[], None]:
    """Entry point of a console script: runs the command and exits with its status."""

    def main() -> None:
        sys.exit(run(command, name=name))

    return main


def _message(error: ToolError) -> str:
    """One line; several mistakes of a configuration have a line each."""
    if not isinstance(error, ConfigError) or len(error.problems) == 1:
        return _one_line(str(error))
    hint = f" ({error.hint})" if error.hint else ""
    return "\n  ".join([f"{len(error.problems)} problems{hint}:", *map(_one_line, error.problems)])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _say(text: str) -> None:
    click.echo(text, err=True)


def _debug() -> None:
    if os.environ.get("GPUREPLAY_DEBUG") == "1":
        traceback.print_exc()
