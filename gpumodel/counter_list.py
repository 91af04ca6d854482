"""All counters that results can have, with who counts them."""

from __future__ import annotations

from dataclasses import dataclass

from gpumodel.counters import COUNTERS
from gpumodel.techniques import known_techniques

__all__ = ["CounterRow", "known_counters"]


@dataclass(frozen=True, slots=True)
class CounterRow:
    """A counter: its name in results, unit, what it counts, and who has it: each run, or runs with a technique."""

    name: str
    unit: str
    meaning: str
    source: str


def known_counters() -> list[CounterRow]:
    """Counters of the machine, then those that techniques add."""
    owners = {name: (one, ["machine"]) for name, one in COUNTERS.items()}
    for technique in known_techniques().values():
        for name, one in technique.counters.items():
            owners.setdefault(name, (one, []))[1].append(technique.id)
    return [CounterRow(name, one.unit, one.meaning, ", ".join(ids)) for name, (one, ids) in owners.items()]
