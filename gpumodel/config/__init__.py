"""GPU configurations: TOML files with a schema, presets, overrides, and a hash of what came out.

Precedence: preset < file < ``--set key=value``. All problems are reported at once, each with its path, the value found
and the nearest valid name.
"""

from __future__ import annotations

from gpumodel.config.load import (
    all_preset_names,
    apply_settings,
    load_config,
    load_machine,
    preset_names,
    preset_text,
)
from gpumodel.config.schema import GpuConfig

__all__ = [
    "GpuConfig",
    "all_preset_names",
    "apply_settings",
    "load_config",
    "load_machine",
    "preset_names",
    "preset_text",
]
