"""The values of a preset one by one: what each is, its unit, and the source that its file names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpumodel.config.load import load_machine, preset_text, setting_keys
from gpumodel.config.origin import DEFAULT, flatten
from gpumodel.config.schema import GpuConfig

__all__ = ["PresetValue", "preset_values"]

#: Say which machine it is.
_NAMES: Final = ("name", "description", "machine")
_SECTION: Final = re.compile(r"\[([\w.-]+)\]\s*(?:#\s*(.*))?")
_VALUE: Final = re.compile(r'([\w-]+)\s*=\s*(?:"[^"]*"|[^"#]*)\s*(?:#\s*(.*))?')


@dataclass(frozen=True, slots=True)
class PresetValue:
    """A value of a preset.

    Parameters
    ----------
    key : what files and ``--set`` call it
    value : as it is used
    meaning : what it is, with its unit
    source : as the preset names it for the value, or for those above it; ``default`` where the preset leaves it out
    """

    key: str
    value: Any
    meaning: str
    source: str


def preset_values(name: str) -> list[PresetValue]:
    """Values of a preset, without the parameters of techniques; raises ConfigError for an unknown name."""
    sources = dict(_sources(preset_text(name)))
    machine = load_machine(name)
    meanings = setting_keys(GpuConfig if isinstance(machine, GpuConfig) else type(machine))
    return [
        PresetValue(key, value, meanings[key], sources.get(key, sources.get(key.rpartition(".")[0], DEFAULT)))
        for key, value in flatten(machine.model_dump(mode="json")).items()
        if key in meanings and value is not None and key not in _NAMES
    ]


def _sources(text: str) -> Iterator[tuple[str, str]]:
    """Key of each value with its comment: the one behind it, else the last one above it in its section."""
    section, comment = "", ""
    for line in map(str.strip, text.splitlines()):
        if (found := _SECTION.fullmatch(line)) is not None:
            section, comment = f"{found[1]}.", found[2] or ""
        elif line.startswith("#"):
            comment = line.lstrip("# ")
        elif (found := _VALUE.fullmatch(line)) is not None:
            comment = found[2] or comment
            yield section + found[1], comment
