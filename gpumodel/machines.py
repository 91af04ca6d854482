"""The kinds of machine that there are: everything else asks here, by the key ``machine`` of a configuration.

A kind is one entry of :data:`KINDS`: presets in a folder, a schema, a runner. What it names is imported when it is
first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from traceformat.errors import UsageError

if TYPE_CHECKING:
    from gpumodel.config.section import MachineConfig

__all__ = ["KINDS", "TILE_BASED", "MachineKind", "refuse_foreign"]


@dataclass(frozen=True, slots=True)
class MachineKind:
    """A kind of machine; functions and classes are named as ``module:name``.

    Parameters
    ----------
    name : value of the key ``machine``; without that key a configuration is of the first kind
    what, works : what messages call it, and why it has no use for techniques of others
    package : its folder ``presets`` has the presets
    schema_at : function without arguments that gives the schema of its configurations
    runner_at : what ``gpureplay run`` calls with its options
    about_at : function that says what a technique id of this machine changes; None for any other word
    shares_replay : several configurations may run from one replay
    """

    name: str
    what: str
    works: str
    package: str
    schema_at: str
    runner_at: str
    about_at: str
    shares_replay: bool

    def presets(self) -> list[str]:
        """Names of its presets, in alphabetical order."""
        folder = resources.files(self.package) / "presets"
        return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))

    def schema(self) -> type[MachineConfig]:
        """Schema of its configurations."""
        made: type[MachineConfig] = resolve_name(self.schema_at)()
        return made

    def runner(self) -> Any:
        """What runs it: takes the options of ``gpureplay run``, gives the exit status."""
        return resolve_name(self.runner_at)

    def about(self, technique: str) -> str | None:
        """What a technique of this machine changes; None where it has none of that name."""
        said: str | None = resolve_name(self.about_at)(technique)
        return said


TILE_BASED: Final = MachineKind(
    "tbr",
    "a tile-based GPU",
    "keeps depth and samples on-chip and filters as the trace says",
    "gpumodel",
    "gpumodel.config.load:machine_schema",
    "gpumodel.cli.tile_based:run_tile_based",
    "gpumodel.techniques.registry:about_technique",
    shares_replay=True,
)
#: By the value of the key ``machine``.
KINDS: Final = {
    kind.name: kind
    for kind in (
        TILE_BASED,
        MachineKind(
            "handheld",
            "a handheld rasterizer",
            "draws each triangle at once, without tiles, lists of primitives or caches that techniques could work on",
            "gpumodel.handheld",
            "gpumodel.handheld.config:handheld_schema",
            "gpumodel.cli.handheld:run_handheld",
            "gpumodel.handheld.techniques:about_technique",
            shares_replay=False,
        ),
    )
}


def refuse_foreign(kind: MachineKind, texts: Sequence[str], config: str) -> None:
    """Refuse technique ids (of ``-t``) that another kind of machine has, and say why.

    Raises
    ------
    UsageError : one of the ids is another machine's
    """
    for technique in (part.strip() for text in texts for part in text.split("+")):
        if kind.about(technique) is not None:
            continue
        for other in KINDS.values():
            about = other.about(technique)
            if about is not None:
                raise UsageError(
                    f"{about}; {config} is {kind.what}, which {kind.works}",
                    hint=f"-c {other.presets()[0]} has {technique}",
                )
