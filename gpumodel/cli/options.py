"""Types of parameters that the subcommands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from traceformat.cli.paths import InputFile, OutputAddress

if TYPE_CHECKING:
    from gpureplay.trace_store import TraceStore

__all__ = [
    "ConfigSource", "CounterName", "PresetName", "Setting", "TechniqueName", "opened_store", "trace_store_options",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _presets() -> list[str]:
    from gpumodel.config import all_preset_names

    return all_preset_names()


class ConfigSource(InputFile):
    """Name of a preset, or a TOML file."""

    def reads(self, value: str) -> list[str]:
        """The file, if it is one."""
        return [value] if os.path.isfile(value) else []

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Presets, else files."""
        return _beginning(_presets(), incomplete) or super().shell_complete(ctx, param, incomplete)


class PresetName(click.ParamType):  # type: ignore[type-arg]
    """Name of a preset; whoever loads it says what is wrong with it."""

    name = "preset"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Presets."""
        return _beginning(_presets(), incomplete)


class TechniqueName(click.ParamType):  # type: ignore[type-arg]
    """Id of a technique, or several with ``+``."""

    name = "technique"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Ids behind the last ``+`` that are not there yet."""
        from gpumodel.technique_names import technique_names

        before, plus, last = incomplete.rpartition("+")
        named = before.split("+")
        return [
            CompletionItem(before + plus + name)
            for name in technique_names()
            if name.startswith(last) and name not in named
        ]


class CounterName(click.ParamType):  # type: ignore[type-arg]
    """Name of a counter."""

    name = "counter"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The machine's counters; those of techniques, which take longer to find, where none of these fits."""
        from gpumodel.counters import COUNTERS

        found = _beginning(COUNTERS, incomplete)
        if not found:
            from gpumodel.counter_list import known_counters

            found = _beginning((row.name for row in known_counters()), incomplete)
        return found


class Setting(click.ParamType):  # type: ignore[type-arg]
    """``KEY=VALUE`` for a value of a configuration."""

    name = "setting"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Keys of the machine; those of techniques, which take longer to find, where none of these fits."""
        from gpumodel.config import GpuConfig
        from gpumodel.config.load import setting_keys
        from gpumodel.machines import KINDS, TILE_BASED

        given = [
            value for values in ctx.params.values() for value in (values if isinstance(values, tuple) else [values])
        ]
        kind = next((kind for kind in KINDS.values() if set(given) & set(kind.presets())), TILE_BASED)
        keys = setting_keys(GpuConfig if kind is TILE_BASED else kind.schema())
        if kind is TILE_BASED and not any(key.startswith(incomplete) for key in keys):
            keys = setting_keys(kind.schema())
        return [CompletionItem(f"{key}=", help=text) for key, text in keys.items() if key.startswith(incomplete)]


def trace_store_options(command: F) -> F:
    """Add where replayed frames are kept; :func:`opened_store` takes what is given."""
    limit = click.option(
        "--trace-store-gib", type=click.FloatRange(0, min_open=True), default=20.0, show_default=True, metavar="GIB",
        help="Room that they may take; those used longest ago go first.",
    )  # fmt: skip
    where = click.option(
        "--trace-store", type=OutputAddress(), metavar="ADDRESS",
        help="Folder, or address of fsspec, that keeps replayed frames for all runs and studies.",
    )  # fmt: skip
    return where(limit(command))


def opened_store(address: str | None, gib: float) -> TraceStore | None:
    """Give the store that was asked for.

    Raises
    ------
    UsageError, StorageError, MissingEnvironmentError : it cannot be used
    """
    if address is None:
        return None
    from gpureplay.trace_store import TraceStore

    store = TraceStore(address, int(gib * 2**30))
    store.place()
    return store
