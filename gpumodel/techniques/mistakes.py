"""Mistakes of a technique's author, told as such before the machine runs: most techniques are other people's code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.plugs import Plugs
from gpumodel.units.counters import Counter
from traceformat.errors import ConfigError, InternalError, MissingEnvironmentError, ToolError

__all__ = ["blame", "check_plugs"]


@contextmanager
def blame(technique: str, package: str | None) -> Iterator[None]:
    """Tell what the code of another package raises as that package's fault.

    Parameters
    ----------
    package : that brings the technique, with its version; None: it is one of ours

    Raises
    ------
    MissingEnvironmentError : whatever was raised, but for errors that are told as they are
    """
    try:
        yield
    except Exception as error:
        if package is None or (isinstance(error, ToolError) and not isinstance(error, InternalError)):
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise MissingEnvironmentError(f"technique {technique} of {package} cannot be used: {said}") from error


def check_plugs(technique: str, counters: Mapping[str, Counter], record: NDArray[Any], plugs: Plugs) -> None:
    """Refuse functions that are not compiled, and counters that nobody would read.

    Parameters
    ----------
    record : of the technique, behind its ``plugs``

    Raises
    ------
    ConfigError : a line for each mistake
    """
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
