"""Command-level LPDDR3/LPDDR4 model: banks, row buffers, timing constraints, FR-FCFS, refresh, energy.

``load_dram_configs()`` gives the shipped configurations by name, ``simulate(config, trace)`` runs a request trace; the
same kernels (:mod:`gpumodel.memory.dram.channel`) serve the machine's ``dram`` back end.
"""

from __future__ import annotations

from typing import Any

__all__ = ["DramConfig", "RequestTrace", "load_dram_config", "load_dram_configs", "read_trace", "simulate"]

_HOMES = {
    "DramConfig": "config",
    "load_dram_config": "config",
    "load_dram_configs": "config",
    "RequestTrace": "trace",
    "read_trace": "trace",
    "simulate": "run",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module when it is first asked for: Numba stays out of ``--help``."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
