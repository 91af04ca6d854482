"""Command-level LPDDR3/LPDDR4 model: banks, row buffers, timing constraints, FR-FCFS, refresh, energy.

``load_dram_configs()`` gives the shipped configurations by name, ``simulate(config, trace)`` runs a request trace; the
same kernels (:mod:`gpumodel.memory.dram.channel`) serve the machine's ``dram`` back end.
"""

from __future__ import annotations

from traceformat.lazy import lazy_names

__all__ = ["DramConfig", "RequestTrace", "load_dram_config", "load_dram_configs", "read_trace", "simulate"]

# Numba stays out of ``--help``.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DramConfig": "config",
        "load_dram_config": "config",
        "load_dram_configs": "config",
        "RequestTrace": "trace",
        "read_trace": "trace",
        "simulate": "run",
    },
)
