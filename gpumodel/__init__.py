"""The timing, memory and energy model: FrameTraces in, cycles, joules and counters out.

    from gpumodel import load_config, run, REQUIRED_COLUMNS
    result = run(replay.frames("app.gltrace", columns=REQUIRED_COLUMNS), load_config("mali450-vro"))

Names are imported on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
    from gpumodel.config import GpuConfig, load_config, preset_names
    from gpumodel.run import Run, run, run_all

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


def __getattr__(name: str) -> Any:
    if name in ("GpuConfig", "load_config", "preset_names"):
        from gpumodel import config

        return getattr(config, name)
    if name in ("REQUIRED_COLUMNS", "VERIFIED_COLUMNS"):
        from gpumodel import columns

        return getattr(columns, name)
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("gpumodel.run"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
