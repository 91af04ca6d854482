"""Counters with a common meaning: a file a vendor in ``mappings/`` says which of ours a device's counter is like."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Literal

__all__ = ["Common", "VendorMapping", "known_mappings", "mapping_for"]

Relation = Literal["exact", "near", "trend"]
_RELATIONS: Final = ("exact", "near", "trend")


@dataclass(frozen=True, slots=True)
class Common:
    """A counter of a device and what is like it in the model.

    Parameters
    ----------
    name : the device's, or several that are added
    ours : counters of the model, or of :data:`.counting.FUNCTIONAL`, that are added
    factor : the device's unit in ours
    relation : exact (a functional count: a difference is a finding), near (counted at another place of the pipeline, or
        rounded), trend (depends on what the model does not have: its ranks count)
    limit : deviation that an exact one may have, as a share
    meaning, source : of the device's counter, and where that is published
    note : why they may differ
    """

    name: tuple[str, ...]
    ours: tuple[str, ...]
    factor: float
    relation: Relation
    meaning: str
    source: str
    note: str = ""
    limit: float = 0.0

    @property
    def label(self) -> str:
        """Name in tables."""
        return " + ".join(self.name)

    def of_device(self, counters: Mapping[str, float]) -> float | None:
        """The device's value, by full names of counters; None where one is missing."""
        found = [_found(counters, name) for name in self.name]
        return self.factor * sum(one for one in found if one is not None) if None not in found else None


def _found(counters: Mapping[str, float], name: str) -> float | None:
    """Value of a counter by its name, with or without its group."""
    for full, value in counters.items():
        if name in (full, full.partition("/")[2]):
            return value
    return None


@dataclass(frozen=True, slots=True)
class VendorMapping:
    """The counters of a family of devices.

    Parameters
    ----------
    vendor : as it is shown
    renderer : pattern of the renderer's string of GL
    clock : counter of GPU cycles, empty for none
    common : its counters
    """

    vendor: str
    renderer: re.Pattern[str]
    clock: str
    common: tuple[Common, ...]

    def cycles(self, counters: Mapping[str, float]) -> float | None:
        """GPU cycles, where the device counts them."""
        return _found(counters, self.clock) if self.clock else None


def _listed(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _mapping(text: str) -> VendorMapping:
    given: dict[str, Any] = tomllib.loads(text)
    common = []
    for one in given["counter"]:
        if one["relation"] not in _RELATIONS:
            raise ValueError(f"{one['name']}: relation {one['relation']!r} is none of {', '.join(_RELATIONS)}")
        common.append(
            Common(
                _listed(one["name"]), _listed(one["ours"]), one.get("factor", 1.0), one["relation"], one["meaning"],
                one.get("source", given["source"]), one.get("note", ""), one.get("limit", 0.0),
            )
        )  # fmt: skip
    return VendorMapping(given["vendor"], re.compile(given["renderer"]), given.get("clock", ""), tuple(common))


def known_mappings() -> list[VendorMapping]:
    """All mappings, by vendor."""
    folder = files("gpureplay.silicon") / "mappings"
    found = [_mapping(one.read_text("utf-8")) for one in folder.iterdir() if one.name.endswith(".toml")]
    return sorted(found, key=lambda one: one.vendor)


def mapping_for(renderer: str) -> VendorMapping | None:
    """The mapping of a device by the renderer's string, None for an unknown one."""
    return next((one for one in known_mappings() if one.renderer.search(renderer)), None)
