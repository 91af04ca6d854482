"""Keys that configurations had in earlier versions: they load for one version more, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

from traceformat.errors import ToolWarning

__all__ = ["REMOVED", "leave_out_removed"]

_ONE_PORT: Final = "a level-one cache takes one look-up a cycle, whatever its banks"
_DEVICES: Final = "the memory's prices are those of memory.dram.config, in both modes"
#: Why each key is gone.
REMOVED: Final[Mapping[str, str]] = {
    "caches.vertex.banks": _ONE_PORT,
    "caches.tile.banks": _ONE_PORT,
    "caches.texture.banks": _ONE_PORT,
    "caches.instruction.banks": _ONE_PORT,
    "vro.graph_cache.banks": _ONE_PORT,
    "energy.dram_pj_per_byte": _DEVICES,
    "energy.dram_activate_pj": _DEVICES,
    "energy.dram_background_mw": _DEVICES,
}


def leave_out_removed(values: dict[str, Any]) -> None:
    """Take keys that are gone out of a configuration's values, and warn of each."""
    for key, why in REMOVED.items():
        *sections, name = key.split(".")
        place: Any = values
        for section in sections:
            place = place.get(section) if isinstance(place, dict) else None
        if isinstance(place, dict) and name in place:
            del place[name]
            warnings.warn(f"{key} means nothing any more and will be refused: {why}", ToolWarning, stacklevel=2)
