"""The energy table: per-access energy, leakage and area of structures, each row with its source.

``table.csv`` holds CACTI-P and McPAT 1.3 runs, gates of the same technology file, and published operation energies
(column ``source``); the columns are pJ per access, mW per whole structure, and mm2. Rows are for 1.0 V.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Final

from traceformat.errors import ConfigError

__all__ = ["Row", "row"]

#: What the column ``config`` says of the size: memories and how many KB, rows of so many bytes, entries of so many.
_SIZES: Final = (
    (re.compile(r"(?:(\d+) x )?(\d+)KB"), 1024.0),
    (re.compile(r"(\d+)x(\d+)B"), 1.0),
    (re.compile(r"(\d+)-entry FA (\d+)B"), 1.0),
    (re.compile(r"(\d+)-entry \d-way LUT, (\d+)B"), 1.0),
    (re.compile(r"(?:(\d+) x )?()register_dff_bit"), 0.125),
)
_SIDE_OF_A_PORT: Final = 0.26


@dataclass(frozen=True, slots=True)
class Row:
    """A structure at a node, in a device class.

    Parameters
    ----------
    read_pj, write_pj, search_pj : energy of an access; an operation's energy is ``read_pj``
    leak_mw : leakage of the whole structure
    area_mm2 : of the whole structure
    stored_bytes : that it holds, without tags; 0 for logic
    source : where the numbers come from
    """

    name: str
    read_pj: float
    write_pj: float
    search_pj: float
    leak_mw: float
    area_mm2: float
    source: str
    stored_bytes: float = 0.0

    def scaled(self, size: float) -> Row:
        """A memory of ``size`` times the capacity: energy with its square root, leakage and area in proportion.

        Bit and word lines grow with the side of an array, cells with its area.
        """
        if size == 1:
            return self
        side = size**0.5
        return replace(
            self,
            read_pj=self.read_pj * side,
            write_pj=self.write_pj * side,
            search_pj=self.search_pj * side,
            leak_mw=self.leak_mw * size,
            area_mm2=self.area_mm2 * size,
            stored_bytes=self.stored_bytes * size,
        )

    def with_ports(self, ports: int) -> Row:
        """The same memory with so many read and write ports.

        A port more is a word line and a pair of bit lines more in every cell, whose side grows by a part: 0.26, by
        which the table's 16 KB of one port (``instruction_cache``, 0.039 mm2) become its 16 KB of three
        (``regfile_16K``, 0.090 mm2). Energy goes with the side, area and leakage with its square.
        """
        side = 1 + _SIDE_OF_A_PORT * (ports - 1)
        return replace(
            self,
            read_pj=self.read_pj * side,
            write_pj=self.write_pj * side,
            search_pj=self.search_pj * side,
            leak_mw=self.leak_mw * side**2,
            area_mm2=self.area_mm2 * side**2,
        )

    def times(self, count: float) -> Row:
        """So many of it: leakage, area and bytes; an access still costs what one costs."""
        return replace(
            self,
            leak_mw=self.leak_mw * count,
            area_mm2=self.area_mm2 * count,
            stored_bytes=self.stored_bytes * count,
        )


def _stored_bytes(name: str, text: str) -> float:
    """Bytes that a structure of such an organisation holds."""
    if name == "gate_register_dff_bit":
        return 0.125
    found = next(((match, unit) for pattern, unit in _SIZES if (match := pattern.search(text))), None)
    return found[1] * int(found[0][1] or 1) * int(found[0][2] or 1) if found else 0.0


@cache
def _rows() -> dict[tuple[str, int, str], Row]:
    text = (resources.files("gpumodel") / "energy" / "table.csv").read_text(encoding="utf-8")
    out: dict[tuple[str, int, str], Row] = {}
    for line in csv.DictReader(text.splitlines()):
        source = line["source"]
        flavors = [flavor for flavor in ("LSTP", "HP") if f"ITRS-{flavor}" in source or f" {flavor} " in f" {source} "]
        if not flavors and "ITRS" in source:
            continue
        entry = Row(
            name=line["structure"],
            read_pj=float(line["read_pJ"] or 0),
            write_pj=float(line["write_pJ"] or 0),
            search_pj=float(line["search_pJ"] or 0),
            leak_mw=float(line["leak_mW"] or 0),
            area_mm2=float(line["area_mm2"] or 0),
            source=source,
            stored_bytes=_stored_bytes(line["structure"], line["config"]),
        )
        for flavor in flavors or ("LSTP", "HP"):
            # The first row of a structure is the recommended organisation.
            out.setdefault((entry.name, int(line["node_nm"]), flavor), entry)
    return out


def row(name: str, node_nm: int, flavor: str) -> Row:
    """Look a structure up; raises ConfigError for one that the table does not have."""
    found = _rows().get((name, node_nm, flavor))
    if found is None:
        near = get_close_matches(name, [row[0] for row in _rows() if row[1:] == (node_nm, flavor)], 1)
        offer = f", did you mean {near[0]}?" if near else ""
        raise ConfigError([f"the energy table has no structure {name} for {node_nm} nm and {flavor}{offer}"])
    return found
