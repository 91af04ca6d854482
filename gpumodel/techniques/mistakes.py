"""Mistakes of a technique's author, told as such before the machine runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.plugs import Plugs
from gpumodel.units.counters import Counter
from traceformat.errors import ConfigError

__all__ = ["check_plugs"]


def check_plugs(technique: str, counters: Mapping[str, Counter], record: NDArray[Any] | None, plugs: Plugs) -> None:
    """Refuse functions that are not compiled, and counters that nobody would read.

    Parameters
    ----------
    record : of the technique, behind its ``plugs``; one without counters need not have made any

    Raises
    ------
    ConfigError : a line for each mistake
    """
    record = np.zeros(1, []) if record is None else record
    fields = record.dtype.names or ()
    counted = {counter.field for counter in counters.values() if counter.field}
    problems = [f"its record has no field {field}: counter_fields(COUNTERS)" for field in sorted(counted - {*fields})]
    hooks = [(f"hook {name}", hook) for name, hook in plugs.hooks.items()]
    hooks += [(f"unit {unit.name}", unit.tick) for unit in plugs.units]
    for place, hook in hooks:
        if not isinstance(getattr(hook.function, "address", None), int):
            problems.append(f"the function of its {place} is no @callback(PLUG_SIGNATURE)")
        own = hook.own
        if own is not None and counted & {*(own.dtype.names or ())} and not np.shares_memory(own, record):
            problems.append(f"its {place} counts into a record that is not self.record, which results are read from")
    if problems:
        raise ConfigError([f"technique {technique}: {problem}" for problem in problems])
