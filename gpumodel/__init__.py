"""The timing, memory and energy model: FrameTraces in, cycles, joules and counters out.

    from gpumodel import load_config, run, REQUIRED_COLUMNS
    result = run(replay.frames("app.gltrace", columns=REQUIRED_COLUMNS), load_config("mali450-vro"))

Names are imported on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.lazy import lazy_names

if TYPE_CHECKING:
    from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
    from gpumodel.config import GpuConfig, load_config, preset_names
    from gpumodel.runs import Run, run, run_all

__all__ = [
    "REQUIRED_COLUMNS",
    "VERIFIED_COLUMNS",
    "GpuConfig",
    "Run",
    "load_config",
    "preset_names",
    "run",
    "run_all",
]


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "GpuConfig": "config",
        "load_config": "config",
        "preset_names": "config",
        "REQUIRED_COLUMNS": "columns",
        "VERIFIED_COLUMNS": "columns",
        "Run": "runs",
        "run": "runs",
        "run_all": "runs",
    },
)
