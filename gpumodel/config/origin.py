"""Where the values of a configuration come from, so that a result can say what it is a result of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from gpumodel.config.load import config_layers, config_sha256, load_machine, machine_schema, setting_key
from gpumodel.config.schema import GpuConfig

if TYPE_CHECKING:
    from gpumodel.config.section import MachineConfig

__all__ = ["DEFAULT", "Origin", "flatten", "load_with_origin", "technique_defaults"]

#: Source of a value that nobody has set.
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a configuration comes from.

    Parameters
    ----------
    source : preset or file, as it was asked for
    sources : for each dotted key what set its value: ``preset NAME``, ``file PATH``, an option, or ``default``
    overrides : keys whose values files and options have set over a preset's, or over a file's
    """

    source: str
    sources: Mapping[str, str]
    overrides: tuple[str, ...]

    @classmethod
    def unknown(cls) -> Origin:
        """Of a configuration that was made by a program."""
        return cls("", {}, ())

    def document(self, config: BaseModel, label: str) -> dict[str, Any]:
        """``config`` of result schema 2.

        Parameters
        ----------
        config : the configuration
        label : its name among those of the command
        """
        values = flatten(config.model_dump(mode="json"))
        return {
            "name": getattr(config, "name", ""),
            "label": label,
            "sha256": config_sha256(config),
            "source": self.source,
            "overrides": {key: values[key] for key in self.overrides if key in values},
            "values": {
                key: {"value": value, "source": self.sources.get(key, "program" if not self.source else DEFAULT)}
                for key, value in values.items()
            },
        }


def load_with_origin(
    source: str, settings: Sequence[str] = (), memory: str | None = None
) -> tuple[MachineConfig, Origin]:
    """Load a configuration, and say where its values come from.

    Parameters
    ----------
    source : preset or file
    settings : of ``--set``
    memory : of ``--memory``

    Raises
    ------
    ConfigError, UsageError : see :func:`~gpumodel.config.load.load_machine`
    """
    modes = () if memory is None else (f"memory.mode={memory}",)
    config = load_machine(source, (*settings, *modes))
    sources: dict[str, str] = {}
    overrides: dict[str, None] = {}
    layers = config_layers(source)
    for number, (name, values) in enumerate(layers):
        for key, value in flatten(values).items():
            if number and flatten(layers[0][1]).get(key) != value:
                overrides[key] = None
            sources[key] = name
    for option, given in (("--set", settings), ("--memory", modes)):
        for setting in given:
            key = setting_key(setting)
            sources[key] = option
            overrides[key] = None
    # A name tells configurations apart and changes nothing.
    chosen = tuple(key for key in overrides if key not in ("name", "description"))
    return config, Origin(source, sources, chosen)


def technique_defaults() -> dict[str, Any]:
    """Parameters of every known technique as they are when nobody sets them, by dotted key."""
    fields = machine_schema().model_fields
    sections = {name: fields[name].default for name in fields.keys() - GpuConfig.model_fields.keys()}
    return flatten({name: default.model_dump(mode="json") for name, default in sections.items()})


def flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Values by dotted key."""
    out: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            out.update(flatten(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = value
    return out
