"""A configuration with other values, checked like one from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig

__all__ = ["changed", "setting_texts"]


def changed(config: GpuConfig, values: Mapping[str, Any]) -> GpuConfig:
    """Copy a configuration with some values replaced.

    Parameters
    ----------
    values : by dotted key

    Raises
    ------
    ConfigError : a value is out of range
    """
    from gpumodel.config.load import apply_settings

    return apply_settings(config.model_dump(), setting_texts(values))


def setting_texts(values: Mapping[str, Any]) -> list[str]:
    """Values by dotted key as ``--set`` takes them."""
    return [f"{key}={str(value).lower() if isinstance(value, bool) else repr(value)}" for key, value in values.items()]
