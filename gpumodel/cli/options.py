"""Types of parameters that the subcommands share."""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem

from traceformat.cli.paths import InputFile

__all__ = ["ConfigSource"]


class ConfigSource(InputFile):
    """Name of a preset, or a TOML file."""

    def reads(self, value: str) -> list[str]:
        """The file, if it is one."""
        return [value] if os.path.isfile(value) else []

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Presets, else files."""
        from gpumodel.config import all_preset_names

        names = [name for name in all_preset_names() if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or super().shell_complete(ctx, param, incomplete)
